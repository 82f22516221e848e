//! The step after an attempt: contract/vectors/README.md of the project has the steps.

use crate::errors_generated::code;
use crate::values::days_from_civil;

const FIRST_DELAY_MS: f64 = 500.0;
const DELAY_MAX_MS: f64 = 8000.0;
/// Milliseconds; longer than that, the caller is told at once.
const RETRY_AFTER_MAX_MS: i64 = 60_000;
/// Tokens of a client.
pub(crate) const BUDGET_MAX: i64 = 500;
/// Tokens of a retry.
const RETRY_COST: i64 = 5;
/// Tokens of a retry after a timeout.
const TIMEOUT_COST: i64 = 10;
/// Tokens that a success at the first attempt adds.
pub(crate) const SUCCESS_GAIN: i64 = 1;
const SECONDS_MAX: i64 = 999_999_999;

/// The contract's class of an operation: what may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    Safe,
    Keyed,
    Repeatable,
    Once,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    NoConnection,
    Tls,
    LostAnswer,
    Timeout,
    Malformed,
    Cancelled,
    Answer { status: u16, code: Option<String> },
}

impl Outcome {
    /// True if the request may have had its effect, although nobody knows.
    pub(crate) fn is_unknown(&self) -> bool {
        match self {
            Self::NoConnection | Self::Tls => false,
            Self::LostAnswer | Self::Timeout | Self::Malformed | Self::Cancelled => true,
            Self::Answer { status, .. } => *status >= 500,
        }
    }

    fn may_retry(&self, class: Retry) -> bool {
        let repeatable = class != Retry::Once;
        match self {
            Self::NoConnection => true,
            Self::LostAnswer | Self::Timeout => repeatable,
            Self::Tls | Self::Malformed | Self::Cancelled => false,
            Self::Answer { status, code } => match status {
                408 => code.as_deref() == Some(code::REQUEST_TIMEOUT),
                429 => code.as_deref() == Some(code::RATE_LIMITED),
                500 | 502 | 503 | 504 => repeatable,
                _ => false,
            },
        }
    }
}

pub(crate) struct Situation<'a> {
    pub(crate) class: Retry,
    pub(crate) outcome: &'a Outcome,
    /// From 1.
    pub(crate) attempt: u32,
    pub(crate) max_retries: u32,
    pub(crate) retry_after: Option<&'a str>,
    pub(crate) date: Option<&'a str>,
    /// Uniform in [0, 1).
    pub(crate) u: f64,
    pub(crate) budget: i64,
    /// Milliseconds until the deadline of the call.
    pub(crate) time_left: i64,
    /// Milliseconds since 1970.
    pub(crate) now: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Milliseconds before the next attempt; None: there is none.
    pub(crate) delay: Option<i64>,
    pub(crate) budget: i64,
    /// Milliseconds that the server asks for.
    pub(crate) retry_after: Option<i64>,
    pub(crate) unknown: bool,
    /// The rule that forbids the retry.
    pub(crate) because: Option<&'static str>,
}

pub(crate) fn decide(given: &Situation<'_>) -> Decision {
    let is_answer = matches!(given.outcome, Outcome::Answer { .. });
    let asked = given.retry_after.filter(|_| is_answer);
    let retry_after = asked.and_then(|text| retry_after_ms(text, given.date, given.now));
    let refused = |because| Decision {
        delay: None,
        budget: given.budget,
        retry_after,
        unknown: given.outcome.is_unknown(),
        because: Some(because),
    };
    if !given.outcome.may_retry(given.class) {
        return refused("outcome");
    }
    if given.attempt > given.max_retries {
        return refused("attempts");
    }
    if retry_after.is_some_and(|wait| wait > RETRY_AFTER_MAX_MS) {
        return refused("retry_after");
    }
    let mut delay = delay_ms(given.attempt, given.u);
    if let Some(wait) = retry_after {
        delay = delay.max(wait + floor(wait as f64 / 10.0 * given.u));
    }
    if delay >= given.time_left {
        return refused("deadline");
    }
    let cost = if *given.outcome == Outcome::Timeout { TIMEOUT_COST } else { RETRY_COST };
    if given.budget < cost {
        return refused("budget");
    }
    Decision {
        delay: Some(delay),
        budget: given.budget - cost,
        retry_after,
        unknown: given.outcome.is_unknown(),
        because: None,
    }
}

#[allow(clippy::cast_possible_truncation)]
fn floor(value: f64) -> i64 {
    value.floor() as i64
}

/// The delay before a retry, which counts from 1.
pub(crate) fn delay_ms(retry: u32, u: f64) -> i64 {
    let doublings = i32::try_from(retry.saturating_sub(1)).unwrap_or(i32::MAX);
    let base = DELAY_MAX_MS.min(FIRST_DELAY_MS * 2f64.powi(doublings));
    floor(base * (0.5 + 0.5 * u))
}

/// The wait that Retry-After asks for, in milliseconds.
pub(crate) fn retry_after_ms(value: &str, date: Option<&str>, now: i64) -> Option<i64> {
    let blank = |each: char| each == ' ' || each == '\t';
    let value = value.trim_matches(blank);
    if value.is_empty() {
        return None;
    }
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = if value.len() > 9 { SECONDS_MAX } else { value.parse().ok()? };
        return Some(seconds * 1000);
    }
    let moment = http_date_ms(value)?;
    let from = date.and_then(|date| http_date_ms(date.trim_matches(blank))).unwrap_or(now);
    Some((moment - from).max(0))
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads an IMF-fixdate (RFC 9110 §5.6.7) to the letter. The name of the day is not compared with the date.
pub(crate) fn http_date_ms(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let model = b"Sun, 06 Nov 1994 08:49:37 GMT";
    let fits = |(at, (&is, &wanted)): (usize, (&u8, &u8))| match wanted {
        b'0'..=b'9' => is.is_ascii_digit(),
        _ if at < 3 || (8..11).contains(&at) => is.is_ascii_alphabetic(),
        _ => is == wanted,
    };
    if bytes.len() != model.len() || !bytes.iter().zip(model).enumerate().all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| text[from..to].parse::<i64>().ok();
    let month = MONTHS.iter().position(|&name| name == &text[8..11])?;
    let month = i64::try_from(month).ok()? + 1;
    let (day, year) = (number(5, 7)?, number(12, 16)?);
    let (hour, minute, second) = (number(17, 19)?, number(20, 22)?, number(23, 25)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_moment = (1..=length).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !DAYS.contains(&&text[..3]) || year < 1970 || !is_moment {
        return None;
    }
    Some((days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second) * 1000)
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
