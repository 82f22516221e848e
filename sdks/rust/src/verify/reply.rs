//! The mail by which a recipient acknowledges, and its DKIM signature: docs/evidence-format.md of the project,
//! section 5. RFC 6376, RFC 8463

use std::collections::BTreeMap;

use ring::signature::{UnparsedPublicKey, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY};

use super::base::{need, Checked, Fields};
use super::mime::{relaxed_body, split, Entity, Field};
use crate::merkle::sha256;
use crate::notes::{is_signature, unbase64};

const SIGNED: [&str; 3] = ["from", "to", "subject"];
const SIGNATURES_MAX: usize = 8;
/// SEQUENCE { rsaEncryption, NULL }, as a `SubjectPublicKeyInfo` begins.
const RSA: [u8; 15] =
    [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

type Tags = BTreeMap<String, String>;

struct Reply<'a> {
    mail: &'a [u8],
    entity: Entity<'a>,
    key: &'a Fields<'a>,
}

/// `recipient`: none where it is not opened.
pub(super) fn check_reply(
    mail: &[u8],
    key: &Fields<'_>,
    message_id: &str,
    recipient: Option<&str>,
    check: &str,
) -> Checked {
    let reply = Reply { mail, entity: split(mail, check)?, key };
    let value = |name: &str| {
        let found: Vec<Field<'_>> = reply.named(name).collect();
        need(found.len() == 1, check, &format!("there is not one field {name}"))?;
        Ok(latin1(&found[0].relaxed()[name.len() + 1..]))
    };
    let (from, to) = (value("from")?, value("to")?);
    value("subject")?;
    let place = format!("ack+{}-", message_id.replace('-', ""));
    let is_own = one_address(&to).is_some_and(|to| to.starts_with(&place));
    need(is_own, check, "To is not the address of this message alone")?;
    let sender = one_address(&from).unwrap_or_default();
    need(!sender.is_empty(), check, "From is not one address")?;
    let same = recipient.is_none_or(|recipient| recipient.to_ascii_lowercase() == sender);
    need(same, check, "From is not the recipient")?;
    let domain = sender.split_once('@').map_or("", |(_, domain)| domain);
    let aligned = is_aligned(&key.text("domain")?.to_ascii_lowercase(), domain);
    need(aligned, check, "signed by another domain than that of From")?;
    let held = reply.named("dkim-signature").take(SIGNATURES_MAX).any(|field| reply.holds(field));
    need(held, check, "no signature holds under the key of the facts")
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// In lower case; none where there is not exactly one.
fn one_address(value: &str) -> Option<String> {
    let bare = without_quoted(value);
    let (before, address) = match bare.split_once('<') {
        Some((before, rest)) => (before, rest.strip_suffix('>')?),
        None => ("", bare.as_str()),
    };
    let (local, domain) = address.split_once('@')?;
    let is_local = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    let is_domain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    let is_one = !local.is_empty()
        && !domain.is_empty()
        && local.chars().all(is_local)
        && domain.chars().all(is_domain)
        && !before.contains(['@', ',', ';', ':', '(', ')', '<', '>']);
    is_one.then(|| address.to_ascii_lowercase())
}

/// A quotation mark without another behind it stays.
fn without_quoted(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, quoted)) = rest.split_once('"') {
        out.push_str(before);
        match quoted.split_once('"') {
            Some((_, after)) => rest = after,
            None => return out + &rest[before.len()..],
        }
    }
    out + rest
}

/// The same domain, or one of the two is above the other; never one of a single label.
fn is_aligned(signer: &str, domain: &str) -> bool {
    let is_below = |a: &str, b: &str| a.strip_suffix(b).is_some_and(|rest| rest.ends_with('.'));
    let has_labels = signer.contains('.') && domain.contains('.');
    has_labels && (signer == domain || is_below(signer, domain) || is_below(domain, signer))
}

impl Reply<'_> {
    fn named<'b>(&'b self, name: &'b str) -> impl Iterator<Item = Field<'b>> {
        self.entity.fields.iter().filter(move |(each, _)| each == name).map(|(_, field)| *field)
    }

    fn holds(&self, field: Field<'_>) -> bool {
        self.try_to_hold(field).unwrap_or(false)
    }

    /// None: malformed.
    fn try_to_hold(&self, field: Field<'_>) -> Option<bool> {
        let tags = tags_of(field.value)?;
        let tag = |name: &str| tags.get(name).map_or("", String::as_str);
        let key = |name: &str| self.key.text(name).ok();
        let is_ours = key("domain")? == tag("d").to_ascii_lowercase()
            && key("selector")? == tag("s")
            && key("algorithm")? == tag("a");
        let (header, body) = tag("c").split_once('/').unwrap_or((tag("c"), "simple"));
        let (header, body) =
            (form_of(header, tag("c").is_empty() || header.is_empty())?, form_of(body, false)?);
        let named = tag("h").to_ascii_lowercase();
        let names: Vec<&str> = named.split(':').collect();
        let covers = SIGNED.iter().all(|name| names.contains(name));
        if !is_ours || tag("v") != "1" || tags.contains_key("l") || !covers {
            return Some(false);
        }
        let made = if body { relaxed_body(self.mail).ok()? } else { simple_body(self.entity.body) };
        if unbase64(tag("bh")).ok()? != sha256(&made) {
            return Some(false);
        }
        let formed = |field: &Field<'_>| if header { field.relaxed() } else { field.raw.to_vec() };
        let mut left: Vec<&(String, Field<'_>)> = self.entity.fields.iter().collect();
        let mut text = Vec::new();
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            if let Some(at) = left.iter().rposition(|(each, _)| each == name) {
                text.extend_from_slice(&formed(&left.remove(at).1));
                text.extend_from_slice(b"\r\n");
            }
        }
        let unsigned = without_signature(field.value);
        let raw = [&field.raw[..field.raw.len() - field.value.len()], &unsigned].concat();
        let value = &raw[raw.len() - unsigned.len()..];
        text.extend_from_slice(&formed(&Field { raw: &raw, value }));
        self.is_signed(&text, &unbase64(tag("b")).ok()?)
    }

    fn is_signed(&self, text: &[u8], signature: &[u8]) -> Option<bool> {
        let public = unbase64(self.key.text("public_key").ok()?).ok()?;
        if self.key.text("algorithm").ok()? == "ed25519-sha256" {
            let key = public.as_slice().try_into().ok()?;
            return Some(is_signature(key, signature, &sha256(text)));
        }
        let key = UnparsedPublicKey::new(&RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, rsa_of(&public)?);
        Some(key.verify(text, signature).is_ok())
    }
}

/// Whether it is relaxed; none for another word.
fn form_of(word: &str, is_absent: bool) -> Option<bool> {
    match word {
        "relaxed" => Some(true),
        "simple" => Some(false),
        "" if is_absent => Some(false),
        _ => None,
    }
}

/// None for a value that is not ASCII or has a tag twice. RFC 6376 §3.2
fn tags_of(value: &[u8]) -> Option<Tags> {
    if value.iter().any(|byte| *byte > 0x7e) {
        return None;
    }
    let mut tags = Tags::new();
    for (name, text) in latin1(value).split(';').filter_map(|part| part.split_once('=')) {
        let name = name.trim_matches([' ', '\t', '\r', '\n', '\x0b', '\x0c']).to_owned();
        if tags.insert(name, text.replace(BLANK, "")).is_some() {
            return None;
        }
    }
    Some(tags)
}

/// The value with nothing behind `b=`. RFC 6376 §3.7
fn without_signature(value: &[u8]) -> Vec<u8> {
    let is_signature = |part: &[u8]| {
        let name = part.split(|byte| *byte == b'=').next().unwrap_or_default();
        let bare: Vec<u8> = name.iter().copied().filter(|byte| !b" \t\r\n".contains(byte)).collect();
        bare == b"b" && name.len() < part.len()
    };
    let mut out: Vec<Vec<u8>> = value.split(|byte| *byte == b';').map(<[u8]>::to_vec).collect();
    if let Some(part) = out.iter_mut().find(|part| is_signature(part)) {
        let end = part.iter().position(|byte| *byte == b'=').map_or(part.len(), |at| at + 1);
        part.truncate(end);
    }
    out.join(&b';')
}

/// RFC 6376 §3.4.3
fn simple_body(body: &[u8]) -> Vec<u8> {
    let mut body = body;
    while let Some(rest) = body.strip_suffix(b"\r\n") {
        body = rest;
    }
    [body, b"\r\n"].concat()
}

/// The `RSAPublicKey` in a `SubjectPublicKeyInfo`.
fn rsa_of(spki: &[u8]) -> Option<&[u8]> {
    let inner = element(spki, 0x30)?.strip_prefix(&RSA)?;
    element(inner, 0x03)?.strip_prefix(b"\0")
}

/// The content of the one DER element that these bytes are.
fn element(der: &[u8], tag: u8) -> Option<&[u8]> {
    let rest = der.strip_prefix(&[tag])?;
    let (first, rest) = rest.split_first()?;
    let (size, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81 => (usize::from(*rest.first()?), &rest[1..]),
        0x82 => (usize::from(*rest.first()?) << 8 | usize::from(*rest.get(1)?), &rest[2..]),
        _ => return None,
    };
    (rest.len() == size).then_some(rest)
}
