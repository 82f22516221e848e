//! Values that JSON has as text.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::json::{Fault, Wire};
use crate::settings::millis_since;

/// A moment as the contract writes it: RFC 3339, such as `2026-11-20T09:30:00.000Z`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(String);

impl Timestamp {
    /// The text as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Milliseconds since 1970, where the text is a moment in UTC.
    #[must_use]
    pub fn unix_millis(&self) -> Option<i64> {
        let text = self.0.strip_suffix('Z')?;
        let (date, time) = text.split_once('T')?;
        let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
        let day = numbers(date, '-', [4, 2, 2])?;
        let hour = numbers(clock, ':', [2, 2, 2])?;
        if !(1..=12).contains(&day[1]) || !(1..=31).contains(&day[2]) || hour[0] > 23 || hour[1] > 59 {
            return None;
        }
        let millis = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
        let seconds = days_from_civil(day[0], day[1], day[2]) * 86_400;
        Some((seconds + hour[0] * 3600 + hour[1] * 60 + hour[2]) * 1000 + millis)
    }

    /// The moment as the standard library has it.
    #[must_use]
    pub fn to_system_time(&self) -> Option<SystemTime> {
        let millis = u64::try_from(self.unix_millis()?).ok()?;
        Some(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
    }
}

fn numbers(text: &str, between: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(between);
    let mut found = [0; 3];
    for (into, width) in found.iter_mut().zip(widths) {
        let part = parts.next().filter(|part| part.len() == width)?;
        if !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *into = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

/// Days since 1970 of a date of the Gregorian calendar.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970, in the Gregorian calendar.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl AsRef<str> for Timestamp {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Timestamp {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&String> for Timestamp {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl From<SystemTime> for Timestamp {
    fn from(moment: SystemTime) -> Self {
        let millis = millis_since(SystemTime::UNIX_EPOCH, moment);
        let (seconds, rest) = (millis.div_euclid(1000), millis.rem_euclid(1000));
        let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        Self(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z"))
    }
}

impl From<String> for Timestamp {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Wire for Timestamp {
    fn from_json(value: Value) -> Result<Self, Fault> {
        String::from_json(value).map(Self)
    }

    fn absent() -> Result<Self, Fault> {
        Ok(Self(String::new()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self)
    }
}

/// A text, or several: addresses, mostly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneOrMany {
    /// One text.
    One(String),
    /// A list.
    Many(Vec<String>),
}

impl From<&str> for OneOrMany {
    fn from(text: &str) -> Self {
        Self::One(text.to_owned())
    }
}

impl From<String> for OneOrMany {
    fn from(text: String) -> Self {
        Self::One(text)
    }
}

impl From<&String> for OneOrMany {
    fn from(text: &String) -> Self {
        Self::One(text.clone())
    }
}

impl From<Vec<String>> for OneOrMany {
    fn from(texts: Vec<String>) -> Self {
        Self::Many(texts)
    }
}

impl From<&[&str]> for OneOrMany {
    fn from(texts: &[&str]) -> Self {
        Self::Many(texts.iter().map(|&text| text.to_owned()).collect())
    }
}

impl From<Vec<&str>> for OneOrMany {
    fn from(texts: Vec<&str>) -> Self {
        Self::from(texts.as_slice())
    }
}

impl<const N: usize> From<[&str; N]> for OneOrMany {
    fn from(texts: [&str; N]) -> Self {
        Self::from(texts.as_slice())
    }
}

impl Wire for OneOrMany {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::String(text) => Ok(Self::One(text)),
            other => Vec::from_json(other).map(Self::Many),
        }
    }

    fn absent() -> Result<Self, Fault> {
        Ok(Self::Many(Vec::new()))
    }
}

impl Serialize for OneOrMany {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(text) => to.serialize_str(text),
            Self::Many(texts) => texts.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::from_json(Value::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_the_system_are_written_as_the_contract_has_them() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(1_709_164_800_005);
        let text = Timestamp::from(moment);
        assert_eq!(text.as_str(), "2024-02-29T00:00:00.005Z");
        assert_eq!(text.to_system_time(), Some(moment));
        assert_eq!(Timestamp::from(SystemTime::UNIX_EPOCH).as_str(), "1970-01-01T00:00:00.000Z");
    }
}
