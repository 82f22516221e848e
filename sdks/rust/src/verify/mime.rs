//! The layers of a message: docs/evidence-format.md of the project, section 2.

use super::base::{need, Checked};
use super::params::{charset_text, escaped, parse};

const FIELDS_MAX: usize = 2000;
const ENTITIES_MAX: usize = 128;
const NESTING_MAX: usize = 20;
/// Bytes of one field that are looked at.
const FIELD_SIZE_MAX: usize = 8192;
/// Those of L1, in this order.
const RELAXED: [&str; 13] = [
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "message-id",
    "reply-to",
    "in-reply-to",
    "references",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "service-evidence",
];
const CHECK: &str = "message_parts";

/// A field of a header.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    /// The whole field, without its last CRLF.
    pub(super) raw: &'a [u8],
    /// What stands behind the colon.
    pub(super) value: &'a [u8],
}

impl Field<'_> {
    /// In lower case.
    pub(super) fn name(&self) -> String {
        let end = self.raw.len() - self.value.len();
        let name = self.raw[..end].strip_suffix(b":").unwrap_or_default();
        name.trim_ascii_end().to_ascii_lowercase().iter().map(|byte| char::from(*byte)).collect()
    }

    /// RFC 6376 §3.4.2, without the CRLF at its end.
    pub(super) fn relaxed(&self) -> Vec<u8> {
        let mut squeezed = Vec::new();
        squeeze(self.value, true, &mut squeezed);
        let trimmed = squeezed.strip_prefix(b" ").unwrap_or(&squeezed);
        let trimmed = trimmed.strip_suffix(b" ").unwrap_or(trimmed);
        [self.name().as_bytes(), b":", trimmed].concat()
    }
}

/// A header and a body.
pub(super) struct Entity<'a> {
    /// Each with its name in lower case.
    pub(super) fields: Vec<(String, Field<'a>)>,
    pub(super) body: &'a [u8],
}

fn find(data: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = data.get(from..)?;
    rest.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}

/// A line that begins with space or tab continues the one before it.
pub(super) fn split<'a>(message: &'a [u8], check: &str) -> Checked<Entity<'a>> {
    let mut fields = Vec::new();
    let mut start = 0;
    while start < message.len() {
        let line_end = |from| find(message, b"\r\n", from).unwrap_or(message.len());
        let mut end = line_end(start);
        if end == start {
            return Ok(Entity { fields, body: &message[start + 2..] });
        }
        while matches!(message.get(end + 2), Some(b' ' | b'\t')) {
            end = line_end(end + 2);
        }
        need(fields.len() < FIELDS_MAX, check, "too many header fields")?;
        let raw = &message[start..end];
        let colon = raw.iter().position(|byte| *byte == b':');
        let value = colon.map_or(&raw[raw.len()..], |colon| &raw[colon + 1..]);
        let field = Field { raw, value };
        fields.push((field.name(), field));
        start = end + 2;
    }
    Ok(Entity { fields, body: &[] })
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Runs of space and tab as one space; CRLF is left out where `joins`.
fn squeeze(data: &[u8], joins: bool, out: &mut Vec<u8>) {
    let mut was_blank = false;
    let mut at = 0;
    while at < data.len() {
        if joins && data[at..].starts_with(b"\r\n") {
            at += 2;
            continue;
        }
        let blank = is_blank(data[at]);
        if !(blank && was_blank) {
            out.push(if blank { b' ' } else { data[at] });
        }
        was_blank = blank;
        at += 1;
    }
}

/// RFC 6376 §3.4.2, of the fields that are covered.
pub(super) fn relaxed_header(message: &[u8]) -> Checked<Vec<u8>> {
    let entity = split(message, "message_relaxed")?;
    let mut out = Vec::new();
    for wanted in RELAXED {
        for (_, field) in entity.fields.iter().filter(|(name, _)| name == wanted) {
            out.extend_from_slice(&field.relaxed());
            out.extend_from_slice(b"\r\n");
        }
    }
    Ok(out)
}

/// RFC 6376 §3.4.4
pub(super) fn relaxed_body(message: &[u8]) -> Checked<Vec<u8>> {
    let body = split(message, "message_relaxed")?.body;
    let mut out = Vec::new();
    let mut start = 0;
    loop {
        let end = find(body, b"\r\n", start).unwrap_or(body.len());
        squeeze(&body[start..end], false, &mut out);
        if out.last() == Some(&b' ') {
            out.pop();
        }
        out.extend_from_slice(b"\r\n");
        if end == body.len() {
            break;
        }
        start = end + 2;
    }
    while out.ends_with(b"\r\n\r\n") {
        out.truncate(out.len() - 2);
    }
    if out == b"\r\n" {
        out.clear();
    }
    Ok(out)
}

/// A leaf part as a reader gets it.
pub(super) struct Part {
    pub(super) filename: Option<String>,
    pub(super) media_type: String,
    pub(super) content: Vec<u8>,
}

/// The leaf parts in document order.
pub(super) fn parts_of(message: &[u8]) -> Checked<Vec<Part>> {
    let mut found = Vec::new();
    collect(message, 0, &mut 0, &mut found)?;
    Ok(found)
}

fn collect(data: &[u8], depth: usize, count: &mut usize, found: &mut Vec<Part>) -> Checked {
    *count += 1;
    need(*count <= ENTITIES_MAX, CHECK, "too many parts")?;
    let entity = split(data, CHECK)?;
    let given = entity.text("content-type").unwrap_or_else(|| "text/plain".to_owned());
    let (mut kind, mut parameters) = parse(&given)?;
    if !is_media_type(&kind) {
        kind = "text/plain".to_owned();
        parameters.clear();
    }
    let boundary = parameters.get("boundary").filter(|text| !text.is_empty());
    let Some(boundary) = boundary.filter(|_| kind.starts_with("multipart/")) else {
        let charset = parameters.get("charset").cloned().unwrap_or_default();
        let name = parameters.remove("name");
        found.push(entity.leaf(kind, name, &charset)?);
        return Ok(());
    };
    need(depth < NESTING_MAX, CHECK, "nested too deeply")?;
    for child in children(entity.body, boundary)? {
        collect(child, depth + 1, count, found)?;
    }
    Ok(())
}

fn is_media_type(kind: &str) -> bool {
    let is_token = |text: &str| {
        let fits =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$&^_.+-".contains(&byte);
        !text.is_empty() && text.bytes().all(fits)
    };
    kind.split_once('/').is_some_and(|(one, other)| is_token(one) && is_token(other))
}

/// The text between the delimiter lines (RFC 2046 §5.1.1).
fn children<'a>(body: &'a [u8], boundary: &str) -> Checked<Vec<&'a [u8]>> {
    let delimiter = [b"--", boundary.as_bytes()].concat();
    let mut parts = Vec::new();
    let mut begins: Option<usize> = None;
    let mut at = 0;
    while at < body.len() {
        let next = find(body, b"\n", at).map_or(body.len(), |end| end + 1);
        if let Some(rest) = body[at..next].strip_prefix(&delimiter[..]) {
            let last = rest.strip_prefix(b"--");
            let mut tail = last.unwrap_or(rest);
            while let Some(shorter) = tail.strip_prefix(b" ").or_else(|| tail.strip_prefix(b"\t")) {
                tail = shorter;
            }
            if matches!(tail.first(), None | Some(b'\r' | b'\n')) {
                if let Some(begins) = begins {
                    parts.push(&body[begins..at.saturating_sub(2).max(begins)]);
                }
                need(parts.len() <= ENTITIES_MAX, CHECK, "too many parts")?;
                if last.is_some() {
                    return Ok(parts);
                }
                begins = Some(next);
            }
        }
        at = next;
    }
    parts.extend(begins.map(|begins| &body[begins..]));
    Ok(parts)
}

impl Entity<'_> {
    /// UTF-8 where it is, else Latin-1.
    fn text(&self, name: &str) -> Option<String> {
        let (_, Field { value, .. }) = self.fields.iter().find(|(each, _)| each == name)?;
        let value = &value[..value.len().min(FIELD_SIZE_MAX)];
        let text = std::str::from_utf8(value)
            .map_or_else(|_| value.iter().map(|byte| char::from(*byte)).collect(), str::to_owned);
        Some(text.replace("\r\n", "").trim().to_owned())
    }

    fn leaf(&self, media_type: String, name: Option<String>, charset: &str) -> Checked<Part> {
        let disposition = self.text("content-disposition").unwrap_or_default();
        let filename = parse(&disposition)?.1.remove("filename").or(name);
        let encoding = self.text("content-transfer-encoding").unwrap_or_default().to_lowercase();
        let mut content = match encoding.as_str() {
            "base64" => decode_base64(self.body),
            "quoted-printable" => decode_quoted_printable(self.body),
            _ => self.body.to_vec(),
        };
        if media_type.starts_with("text/") && filename.is_none() {
            let keeps = ["", "utf-8", "utf8", "us-ascii", "ascii"].contains(&charset.to_lowercase().as_str());
            if !keeps {
                content = charset_text(&content, charset)?.into_bytes();
            }
            content = trimmed(&content);
        }
        Ok(Part { filename, media_type, content })
    }
}

/// LF for CRLF and CR, no white space before one, nor at the end.
fn trimmed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let cut = |out: &mut Vec<u8>| {
        while out.last().is_some_and(|byte| is_blank(*byte)) {
            out.pop();
        }
    };
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\n' if at > 0 && text[at - 1] == b'\r' => {}
            b'\r' | b'\n' => {
                cut(&mut out);
                out.push(b'\n');
            }
            _ => out.push(*byte),
        }
    }
    while out.last().is_some_and(|byte| is_blank(*byte) || *byte == b'\n') {
        out.pop();
    }
    out
}

/// As mail programs do: what is not of the alphabet is skipped, and padding ends it (RFC 2045 §6.8).
pub(super) fn decode_base64(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() / 4 * 3);
    let (mut group, mut bits) = (0_u32, 0);
    for byte in data.iter().take_while(|byte| **byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        group = group << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((group >> bits & 0xff) as u8);
        }
    }
    out
}

/// Soft line breaks are joined, white space at the end of a line goes, and a malformed `=XX` stays (RFC 2045
/// §6.7).
pub(super) fn decode_quoted_printable(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut rest = data;
    loop {
        let at = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let (line, after) = rest.split_at(at);
        let end: &[u8] = if after.starts_with(b"\r\n") { b"\r\n" } else { &after[..after.len().min(1)] };
        let mut line = line;
        while let Some((byte, shorter)) = line.split_last() {
            if !is_blank(*byte) {
                break;
            }
            line = shorter;
        }
        match line.strip_suffix(b"=") {
            Some(soft) if end != b"\r" => out.extend(escaped(soft, b'=')),
            _ => {
                out.extend(escaped(line, b'='));
                out.extend_from_slice(end);
            }
        }
        if after.is_empty() {
            return out;
        }
        rest = &after[end.len()..];
    }
}
