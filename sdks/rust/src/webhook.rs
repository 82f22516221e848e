//! Verifies the deliveries of webhooks.
//!
//! The body must be the bytes as they came: JSON that was decoded and encoded again has another signature.

use std::fmt;
use std::time::{Duration, SystemTime};

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use ring::hmac;
use serde_json::Value;

pub use crate::events_generated::EventData;
use crate::json::{Extra, Fault};
use crate::settings::millis_since;
use crate::types::Timestamp;

/// Signatures of one delivery that are looked at.
const SIGNATURES_MAX: usize = 10;
/// Digits of webhook-timestamp, at most.
const TIMESTAMP_DIGITS: usize = 12;

/// Why a delivery was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A secret is missing, or is none.
    BadSecret,
    /// A header field that is needed is missing.
    MissingHeader,
    /// `webhook-timestamp` is not a number of seconds.
    MalformedHeader,
    /// The signature covers no time, so that the delivery could be replayed.
    Unstamped,
    /// The delivery is older than the tolerance.
    TooOld,
    /// The delivery is from the future.
    TooNew,
    /// No signature was made with these secrets over these bytes.
    NoMatch,
    /// The body is not an event.
    MalformedBody,
    /// The body was parsed before, so that its bytes are gone.
    ParsedBody,
}

impl Reason {
    /// The reason as all libraries name it: `no_match`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadSecret => "bad_secret",
            Self::MissingHeader => "missing_header",
            Self::MalformedHeader => "malformed_header",
            Self::Unstamped => "unstamped",
            Self::TooOld => "too_old",
            Self::TooNew => "too_new",
            Self::NoMatch => "no_match",
            Self::MalformedBody => "malformed_body",
            Self::ParsedBody => "parsed_body",
        }
    }
}

/// Why a delivery was refused: answer 400 and do nothing with it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WebhookError {
    /// The reason.
    pub reason: Reason,
    /// The same in words.
    pub message: &'static str,
}

impl fmt::Display for WebhookError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "acuse: webhook refused ({}): {}", self.reason.as_str(), self.message)
    }
}

impl std::error::Error for WebhookError {}

impl From<Reason> for WebhookError {
    /// For a receiver that finds the reason itself, such as a framework that has parsed the body already.
    fn from(reason: Reason) -> Self {
        let message = match reason {
            Reason::ParsedBody => PARSED,
            _ => "refused by the receiver",
        };
        Self { reason, message }
    }
}

const PARSED: &str =
    "the body was parsed before, and its bytes are gone: take them from the framework (axum: Bytes, \
     actix-web: web::Bytes, rocket: Vec<u8>) and decode them after verifying";

fn refuse<T>(reason: Reason, message: &'static str) -> Result<T, WebhookError> {
    Err(WebhookError { reason, message })
}

/// How far the time of a delivery may be from now, and what else is accepted.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Tolerance {
    seconds: u64,
    accept_unstamped: bool,
    now: Option<SystemTime>,
}

impl Tolerance {
    /// 300 seconds, and deliveries with a time only.
    pub const DEFAULT: Self = Self { seconds: 300, accept_unstamped: false, now: None };

    /// Another number of seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self { seconds, ..Self::DEFAULT }
    }

    /// Also accepts deliveries that carry `Service-Signature` alone. It covers no time: whoever records one
    /// such delivery can repeat it for ever. Its [`Event::event_id`] may be empty.
    pub const fn accept_unstamped(mut self) -> Self {
        self.accept_unstamped = true;
        self
    }

    /// Replaces the clock, for tests.
    pub const fn at(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Header fields of a request, whatever the framework: their names in any case.
pub trait HeaderFields {
    /// The first value of this name, which is given in lower case.
    fn field(&self, name: &str) -> Option<&[u8]>;
}

impl<N: AsRef<str>, V: AsRef<[u8]>> HeaderFields for [(N, V)] {
    fn field(&self, name: &str) -> Option<&[u8]> {
        let same = |field: &&(N, V)| field.0.as_ref().eq_ignore_ascii_case(name);
        self.iter().find(same).map(|(_, value)| value.as_ref())
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>, const L: usize> HeaderFields for [(N, V); L] {
    fn field(&self, name: &str) -> Option<&[u8]> {
        self.as_slice().field(name)
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> HeaderFields for Vec<(N, V)> {
    fn field(&self, name: &str) -> Option<&[u8]> {
        self.as_slice().field(name)
    }
}

impl HeaderFields for ureq::http::HeaderMap {
    fn field(&self, name: &str) -> Option<&[u8]> {
        self.get(name).map(ureq::http::HeaderValue::as_bytes)
    }
}

impl HeaderFields for crate::answer::Headers {
    fn field(&self, name: &str) -> Option<&[u8]> {
        self.get(name).map(str::as_bytes)
    }
}

/// A delivery that was verified.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Such as `email.bounced`. A later server sends types that this library does not know.
    pub kind: String,
    /// When it happened.
    pub created_at: Timestamp,
    /// The content of the event. [`Event::typed`] reads it.
    pub data: Value,
    /// The same in every delivery of one event: remember it, and do nothing the second time. It is empty only
    /// with [`Tolerance::accept_unstamped`], for a body without `data.event_id`: two events without an id are
    /// not one.
    pub event_id: String,
    /// The signature covers the time of the delivery. False only with [`Tolerance::accept_unstamped`].
    pub replay_protected: bool,
    /// The fields beside type, created_at and data.
    pub extra: Extra,
}

impl Event {
    /// The data as its type, or [`EventData::Other`] for a type that this library does not know.
    ///
    /// # Errors
    ///
    /// The data is not what the contract says.
    pub fn typed(&self) -> Result<EventData, Fault> {
        EventData::read(&self.kind, self.data.clone())
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Event {{ {} {} }}", self.kind, self.event_id)
    }
}

/// Checks a delivery and returns its event. Several secrets are given during a rotation.
///
/// # Errors
///
/// The delivery was not signed with one of the secrets, or not lately: answer 400 and do nothing with it.
pub fn verify(
    body: &[u8],
    headers: &(impl HeaderFields + ?Sized),
    secrets: &[impl AsRef<str>],
    tolerance: Tolerance,
) -> Result<Event, WebhookError> {
    let keys = keys(secrets)?;
    let field = |name| headers.field(name).unwrap_or_default();
    let (id, stamp, signature) =
        (field("webhook-id"), field("webhook-timestamp"), field("webhook-signature"));
    let given = [id, stamp, signature].iter().filter(|value| !value.is_empty()).count();
    if given == 0 {
        return unstamped(body, headers, secrets, tolerance);
    }
    if given < 3 {
        return refuse(
            Reason::MissingHeader,
            "webhook-id, webhook-timestamp and webhook-signature are needed",
        );
    }
    check_time(stamp, tolerance)?;
    let signed = [id, b".", stamp, b".", body].concat();
    let parts = signature.split(|byte| *byte == b' ').filter(|part| !part.is_empty());
    let mut found = false;
    for part in parts.take(SIGNATURES_MAX) {
        let tag = part.strip_prefix(b"v1,").and_then(|text| STANDARD.decode(text).ok());
        for key in &keys {
            found |= tag.as_ref().is_some_and(|tag| hmac::verify(key, &signed, tag).is_ok());
        }
    }
    if !found {
        return refuse(
            Reason::NoMatch,
            "no signature was made with this secret over these bytes: verify the body as it came, before \
             anything decodes it (axum: Bytes, actix-web: web::Bytes, rocket: Vec<u8>)",
        );
    }
    read(body, Some(String::from_utf8_lossy(id).into_owned()))
}

fn keys(secrets: &[impl AsRef<str>]) -> Result<Vec<hmac::Key>, WebhookError> {
    let key = |secret: &str| {
        let bytes = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
        (!bytes.is_empty()).then(|| hmac::Key::new(hmac::HMAC_SHA256, &bytes))
    };
    let keys: Option<Vec<_>> = secrets.iter().map(|secret| key(secret.as_ref())).collect();
    match keys {
        Some(keys) if !keys.is_empty() => Ok(keys),
        Some(_) => refuse(Reason::BadSecret, "no secret is given"),
        None => {
            refuse(Reason::BadSecret, "a secret is whsec_ and base64, as the webhook's creation returned it")
        }
    }
}

fn check_time(stamp: &[u8], tolerance: Tolerance) -> Result<(), WebhookError> {
    let is_number = stamp.len() <= TIMESTAMP_DIGITS && stamp.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(stamp).ok().filter(|_| is_number);
    let Some(seconds) = text.and_then(|text| text.parse::<i64>().ok()) else {
        return refuse(Reason::MalformedHeader, "webhook-timestamp is not a number of seconds");
    };
    let now = tolerance.now.unwrap_or_else(SystemTime::now);
    let age = millis_since(SystemTime::UNIX_EPOCH, now).div_euclid(1000) - seconds;
    let most = i64::try_from(tolerance.seconds).unwrap_or(i64::MAX);
    if age > most {
        return refuse(
            Reason::TooOld,
            "the delivery is older than the tolerance: it may be a replay, or this clock is wrong",
        );
    }
    if -age > most {
        return refuse(Reason::TooNew, "the delivery is from the future: this clock is wrong");
    }
    Ok(())
}

fn unstamped(
    body: &[u8],
    headers: &(impl HeaderFields + ?Sized),
    secrets: &[impl AsRef<str>],
    tolerance: Tolerance,
) -> Result<Event, WebhookError> {
    let given = ["service-signature", "service-signature-previous"]
        .map(|name| headers.field(name).unwrap_or_default());
    if given.iter().all(|value| value.is_empty()) {
        return refuse(Reason::MissingHeader, "the request carries no signature");
    }
    if !tolerance.accept_unstamped {
        return refuse(
            Reason::Unstamped,
            "Service-Signature covers no time, so that a delivery could be replayed: the webhook- headers \
             are missing",
        );
    }
    let mut found = false;
    for secret in secrets {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_ref().as_bytes());
        for value in given {
            let tag = value.strip_prefix(b"sha256=").and_then(unhex);
            found |= tag.is_some_and(|tag| hmac::verify(&key, body, &tag).is_ok());
        }
    }
    if !found {
        return refuse(Reason::NoMatch, "the signature was not made with this secret over these bytes");
    }
    read(body, None)
}

fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    text.chunks(2).map(pair).collect()
}

/// The event of a body whose signature holds.
fn read(body: &[u8], id: Option<String>) -> Result<Event, WebhookError> {
    let event = || {
        let Ok(Value::Object(mut members)) = serde_json::from_slice(body) else {
            return None;
        };
        let kind = members.remove("type")?.as_str()?.to_owned();
        let created_at = Timestamp::from(members.remove("created_at")?.as_str()?);
        let data = members.remove("data").filter(Value::is_object)?;
        let inner = data["event_id"].as_str().unwrap_or_default().to_owned();
        let replay_protected = id.is_some();
        let event_id = id.unwrap_or(inner);
        Some(Event { kind, created_at, data, event_id, replay_protected, extra: members })
    };
    event().map_or_else(
        || refuse(Reason::MalformedBody, "the body is not an event: type, created_at and data are needed"),
        Ok,
    )
}

/// The age of a delivery that is accepted, as the standard library has it.
impl From<Duration> for Tolerance {
    fn from(tolerance: Duration) -> Self {
        Self::seconds(tolerance.as_secs())
    }
}
