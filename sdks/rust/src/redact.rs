//! Secrets, and how nothing shows them.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::json::{Fault, Wire};

/// A text that no way of printing shows. [`Secret::reveal`] returns it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&mask(&self.0))
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&mask(&self.0))
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Wire for Secret {
    fn from_json(value: Value) -> Result<Self, Fault> {
        String::from_json(value).map(Self)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self)
    }
}

const KEY: &str = "acuse_";
const WEBHOOK: &str = "whsec_";
/// Characters of a key's id, at most.
const KEY_ID_MAX: usize = 64;

/// How many bytes a secret has from here on.
fn reach(text: &str) -> usize {
    let ends = |each: char| each.is_whitespace() || "\"',;<>".contains(each);
    text.find(ends).unwrap_or(text.len())
}

/// The key at the beginning of a text: its length, and its id.
fn key_at(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix(KEY)?;
    let id = rest.split('_').next()?;
    let fits = |each: char| each.is_ascii_alphanumeric() || each == '-';
    if id.is_empty() || id.len() > KEY_ID_MAX || !id.chars().all(fits) {
        return None;
    }
    let secret = rest.get(id.len() + 1..)?;
    let length = reach(secret);
    (length > 0).then_some((KEY.len() + id.len() + 1 + length, id))
}

/// A secret as `acuse_<key id>_***` or `whsec_***`.
pub(crate) fn mask(secret: &str) -> String {
    match key_at(secret) {
        Some((_, id)) => format!("{KEY}{id}_***"),
        None if secret.starts_with(WEBHOOK) => format!("{WEBHOOK}***"),
        None => "***".to_owned(),
    }
}

/// Characters that end a line, colour a terminal or turn a text around are replaced.
fn plain(one: char) -> char {
    let unshown = one.is_control()
        || matches!(one, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if unshown {
        char::REPLACEMENT_CHARACTER
    } else {
        one
    }
}

/// A text of somebody else without any key or secret, and without the given one in any form.
pub(crate) fn masked(text: &str, secret: &str) -> String {
    let replaced;
    let mut rest = text;
    if !secret.is_empty() && text.contains(secret) {
        replaced = text.replace(secret, &mask(secret));
        rest = &replaced;
    }
    let mut out = String::with_capacity(rest.len());
    while let Some(first) = rest.chars().next() {
        let skipped = match key_at(rest) {
            Some((length, _)) => length,
            None if rest.starts_with(WEBHOOK) => WEBHOOK.len() + reach(&rest[WEBHOOK.len()..]),
            None => 0,
        };
        if skipped > 0 {
            out.push_str(&mask(&rest[..skipped]));
            rest = &rest[skipped..];
        } else {
            out.push(plain(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{mask, masked};

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        assert_eq!(mask("acuse_0193abcd_secret_x"), "acuse_0193abcd_***");
        assert_eq!(mask("whsec_abc"), "whsec_***");
        assert_eq!(mask("something else"), "***");
        let text = "é key acuse_0193abcd_se/cr+et, \"whsec_abc=\" and MINE";
        assert_eq!(masked(text, "MINE"), "é key acuse_0193abcd_***, \"whsec_***\" and ***");
        assert_eq!(masked("acuse_ and acuse__x", ""), "acuse_ and acuse__x");
    }
}
