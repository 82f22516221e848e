//! The parts of every check: refusals, and the fields of documents.

use std::collections::BTreeMap;

use super::json::Json;
use crate::merkle::{sha256, Hash};
use crate::notes::is_name;
use crate::values::days_from_civil;

/// The error that ends a check.
#[derive(Debug)]
pub(super) enum Stop {
    /// It does not hold.
    Refused { check: String, detail: String },
    /// This library cannot judge it.
    Unchecked(String),
}

impl Stop {
    pub(super) fn refused(check: &str, detail: &str) -> Self {
        Self::Refused { check: check.to_owned(), detail: detail.to_owned() }
    }
}

pub(super) type Checked<T = ()> = Result<T, Stop>;

pub(super) fn need(condition: bool, check: &str, detail: &str) -> Checked {
    if condition {
        return Ok(());
    }
    Err(Stop::refused(check, detail))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn sha256_hex(data: &[u8]) -> String {
    hex(&sha256(data))
}

/// Bytes of a text that was found to be a hash in hex.
pub(super) fn unhex(text: &str) -> Vec<u8> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or_default(), 16);
    text.as_bytes().chunks(2).map(|each| pair(each).unwrap_or_default()).collect()
}

fn is_hash(text: &str) -> bool {
    text.len() == 2 * size_of::<Hash>() && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// True if a text has the form of a model: `0` is a digit, `x` a digit in hex, everything else itself.
fn has_form(text: &str, model: &str) -> bool {
    let fits = |(is, wanted): (u8, u8)| match wanted {
        b'0' => is.is_ascii_digit(),
        b'x' => is.is_ascii_digit() || (b'a'..=b'f').contains(&is),
        _ => is == wanted,
    };
    text.len() == model.len() && text.bytes().zip(model.bytes()).all(fits)
}

/// Milliseconds since 1970 of a time that exists.
pub(super) fn moment(text: &str) -> Option<i64> {
    if !has_form(text, "0000-00-00T00:00:00.000Z") {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let days = days_from_civil(next.0, next.1, 1) - days_from_civil(year, month, 1);
    let exists = year > 0 && (1..=days).contains(&day) && number(17..19)? < 60;
    crate::types::Timestamp::from(text).unix_millis().filter(|_| exists)
}

/// An object with exactly the fields that it may have.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    members: &'a BTreeMap<String, Json>,
    check: &'a str,
}

impl<'a> Fields<'a> {
    /// Names are separated by spaces.
    pub(super) fn of(value: &'a Json, check: &'a str, required: &str, optional: &str) -> Checked<Self> {
        let Json::Object(members) = value else {
            return Err(Stop::refused(check, "something else in place of an object"));
        };
        for name in required.split_whitespace() {
            need(members.contains_key(name), check, &format!("the field {name} is missing"))?;
        }
        let is_known = |name: &str| {
            required.split_whitespace().chain(optional.split_whitespace()).any(|known| known == name)
        };
        if let Some(name) = members.keys().find(|name| !is_known(name)) {
            let shown: String = name.chars().take(40).collect();
            return Err(Stop::refused(check, &format!("the field {shown:?} is not known")));
        }
        Ok(Self { members, check })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        self.members.get(name)
    }

    /// The field, or null where it is not there.
    pub(super) fn value(&self, name: &str) -> &'a Json {
        self.members.get(name).unwrap_or(&Json::Null)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a String> {
        self.members.keys()
    }

    pub(super) fn need(&self, condition: bool, detail: &str) -> Checked {
        need(condition, self.check, detail)
    }

    pub(super) fn is(&self, name: &str, text: &str) -> Checked {
        let same = matches!(self.value(name), Json::Text(found) if found == text);
        self.need(same, &format!("{name} says something else"))
    }

    pub(super) fn text(&self, name: &str) -> Checked<&'a str> {
        match self.value(name) {
            Json::Text(text) => Ok(text),
            _ => Err(Stop::refused(self.check, &format!("{name} is not a text"))),
        }
    }

    pub(super) fn hash(&self, name: &str) -> Checked<&'a str> {
        let text = self.text(name)?;
        self.need(is_hash(text), &format!("{name} is not a hash in hex"))?;
        Ok(text)
    }

    pub(super) fn uuid(&self, name: &str) -> Checked<&'a str> {
        let text = self.text(name)?;
        let is_uuid = has_form(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
        self.need(is_uuid, &format!("{name} is not a UUID"))?;
        Ok(text)
    }

    pub(super) fn time(&self, name: &str) -> Checked<&'a str> {
        self.millis(name)?;
        self.text(name)
    }

    /// A time, in milliseconds since 1970.
    pub(super) fn millis(&self, name: &str) -> Checked<i64> {
        moment(self.text(name)?).ok_or_else(|| Stop::refused(self.check, &format!("{name} is not a time")))
    }

    /// The name of a log.
    pub(super) fn origin(&self, name: &str) -> Checked<&'a str> {
        let text = self.text(name)?;
        self.need(is_name(text), &format!("{name} is malformed"))?;
        Ok(text)
    }

    /// From 0.
    pub(super) fn whole(&self, name: &str) -> Checked<u64> {
        match self.value(name) {
            Json::Number(number) if *number >= 0 => Ok(number.unsigned_abs()),
            _ => Err(Stop::refused(self.check, &format!("{name} is not a whole number"))),
        }
    }

    pub(super) fn list(&self, name: &str, most: usize) -> Checked<&'a [Json]> {
        match self.value(name) {
            Json::List(items) if items.len() <= most => Ok(items),
            _ => Err(Stop::refused(self.check, &format!("{name} is not a list, or too long"))),
        }
    }

    /// A list of texts; an absent one is empty.
    pub(super) fn texts(&self, name: &str, most: usize) -> Checked<Vec<&'a str>> {
        if !self.has(name) {
            return Ok(Vec::new());
        }
        let text = |item: &'a Json| match item {
            Json::Text(text) => Ok(text.as_str()),
            _ => Err(Stop::refused(self.check, &format!("{name} is not a list of texts"))),
        };
        self.list(name, most)?.iter().map(text).collect()
    }

    /// A list of hashes in hex.
    pub(super) fn hashes(&self, name: &str, most: usize) -> Checked<Vec<&'a str>> {
        let found = self.texts(name, most)?;
        self.need(found.iter().all(|text| is_hash(text)), &format!("{name} has what is no hash"))?;
        Ok(found)
    }

    pub(super) fn fields(&self, name: &str, required: &str, optional: &str) -> Checked<Fields<'a>> {
        Fields::of(self.value(name), self.check, required, optional)
    }

    /// A salt and a hash; `more`: further fields.
    pub(super) fn opening(&self, name: &str, more: &str) -> Checked<Fields<'a>> {
        let found = self.fields(name, &format!("salt sha256 {more}"), "")?;
        found.hash("salt")?;
        found.hash("sha256")?;
        Ok(found)
    }
}

/// Salt and hash (in hex) make the commitment.
pub(super) fn opens(salt: &str, content: &str, commitment: &str, check: &str) -> Checked {
    let found = sha256_hex(&[unhex(salt), unhex(content)].concat());
    need(found == commitment, check, "an opening does not open its commitment")
}

#[cfg(test)]
mod tests {
    use super::has_form;

    #[test]
    fn forms_of_texts() {
        assert!(has_form("2026-11-20T09:30:00.000Z", "0000-00-00T00:00:00.000Z"));
        assert!(!has_form("2026-11-20T09:30:00,000Z", "0000-00-00T00:00:00.000Z"));
        assert!(!has_form("2026-11-20", "0000-00-00T00:00:00.000Z"));
    }
}
