//! Parameters of header fields, and their words: RFC 2045 §5.1, RFC 2047 §2, RFC 2231 §3.

use std::collections::BTreeMap;

use super::base::{Checked, Stop};
use super::mime::{decode_base64, decode_quoted_printable};

/// A value in lower case and its parameters, decoded; the first of a name wins.
pub(super) fn parse(text: &str) -> Checked<(String, BTreeMap<String, String>)> {
    let words: Vec<&str> = tokens(text).into_iter().filter(|word| !word.starts_with('(')).collect();
    let end = words.iter().position(|word| *word == ";").unwrap_or(words.len());
    let mut raw: BTreeMap<String, String> = BTreeMap::new();
    for at in 0..words.len().saturating_sub(2) {
        if words[at] == ";" && words[at + 2] == "=" {
            let content = words[at + 3..].iter().take_while(|word| **word != ";").map(|word| unquoted(word));
            let content: String = content.collect();
            raw.entry(words[at + 1].to_lowercase()).or_insert(content);
        }
    }
    Ok((words[..end].concat().to_lowercase(), decoded(&raw)?))
}

/// Quoted texts, comments, `;`, `=`, and what is between; white space separates.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(each) = rest.chars().next() {
        let length = match each {
            '"' => quoted_length(rest),
            '(' => match comment_length(rest) {
                Some(length) => length,
                // Neither a comment nor part of a word: it separates.
                None => {
                    rest = &rest[1..];
                    continue;
                }
            },
            ';' | '=' => 1,
            _ if each.is_whitespace() || each == ')' => {
                rest = &rest[each.len_utf8()..];
                continue;
            }
            _ => {
                rest.find(|each: char| each.is_whitespace() || ";=\"()".contains(each)).unwrap_or(rest.len())
            }
        };
        found.push(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

/// With the closing quote, or, without one, as far as the text goes; a line break after a backslash ends it.
fn quoted_length(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    while let Some((at, each)) = inside.next() {
        match each {
            '"' => return at + 1,
            '\\' => match inside.next() {
                Some((_, after)) if after != '\n' => {}
                _ => return at,
            },
            _ => {}
        }
    }
    text.len()
}

fn comment_length(text: &str) -> Option<usize> {
    let end = text[1..].find(['(', ')'])? + 1;
    text[end..].starts_with(')').then_some(end + 1)
}

fn unquoted(word: &str) -> String {
    let Some(inner) = word.strip_prefix('"') else {
        return word.to_owned();
    };
    let inner = if word.len() > 1 { inner.strip_suffix('"').unwrap_or(inner) } else { inner };
    let mut out = String::new();
    let mut rest = inner.chars();
    while let Some(each) = rest.next() {
        match (each, rest.as_str().chars().next()) {
            ('\\', Some(after)) if after != '\n' => {
                out.push(after);
                rest.next();
            }
            _ => out.push(each),
        }
    }
    out
}

fn decoded(raw: &BTreeMap<String, String>) -> Checked<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for key in raw.keys() {
        let name = key.split('*').next().unwrap_or_default();
        if let Some(extended) = raw.get(&format!("{name}*")) {
            let (charset, text) = split_extended(extended);
            found.insert(name.to_owned(), charset_text(&percent(text), charset)?);
        } else if raw.contains_key(&format!("{name}*0")) || raw.contains_key(&format!("{name}*0*")) {
            found.insert(name.to_owned(), joined(name, raw)?);
        } else if let Some(plain) = raw.get(name) {
            found.insert(name.to_owned(), words(plain)?);
        }
    }
    Ok(found)
}

fn joined(name: &str, raw: &BTreeMap<String, String>) -> Checked<String> {
    let mut charset = String::new();
    let mut data = Vec::new();
    for number in 0..=raw.len() {
        if let Some(extended) = raw.get(&format!("{name}*{number}*")) {
            let mut text = extended.as_str();
            if number == 0 {
                let (given, rest) = split_extended(extended);
                charset = given.to_owned();
                text = rest;
            }
            data.extend(percent(text));
        } else if let Some(plain) = raw.get(&format!("{name}*{number}")) {
            data.extend_from_slice(plain.as_bytes());
        } else {
            break;
        }
    }
    charset_text(&data, if charset.is_empty() { "utf-8" } else { &charset })
}

fn split_extended(value: &str) -> (&str, &str) {
    let mut parts = value.splitn(3, '\'');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(charset), Some(_), Some(text)) => (charset, text),
        _ => ("utf-8", value),
    }
}

fn percent(text: &str) -> Vec<u8> {
    escaped(text.as_bytes(), b'%')
}

/// `=XX` or `%XX` as the byte; anything else as it is.
pub(super) fn escaped(data: &[u8], mark: u8) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        match (digit(data.get(at + 1)), digit(data.get(at + 2))) {
            (Some(high), Some(low)) if data[at] == mark => {
                out.push(u8::try_from(high << 4 | low).unwrap_or_default());
                at += 3;
            }
            _ => {
                out.push(data[at]);
                at += 1;
            }
        }
    }
    out
}

/// Encoded words; white space between two of them goes.
fn words(text: &str) -> Checked<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut is_after_word = false;
    while let Some(start) = rest.find("=?") {
        let Some((word, length)) = encoded_word(&rest[start..])? else {
            out.push_str(&rest[..start + 1]);
            rest = &rest[start + 1..];
            is_after_word = false;
            continue;
        };
        let between = &rest[..start];
        if !(is_after_word && between.chars().all(char::is_whitespace)) {
            out.push_str(between);
        }
        out.push_str(&word);
        rest = &rest[start + length..];
        is_after_word = true;
    }
    out.push_str(rest);
    Ok(out)
}

/// The word at the beginning of a text, decoded, with its length.
fn encoded_word(text: &str) -> Checked<Option<(String, usize)>> {
    let mut parts = text[2..].splitn(4, '?');
    let (Some(label), Some(encoding), Some(content), Some(rest)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Ok(None);
    };
    let charset = label.split('*').next().unwrap_or_default();
    let has_space = |text: &str| text.contains(char::is_whitespace);
    if charset.is_empty() || has_space(label) || has_space(content) || !rest.starts_with('=') {
        return Ok(None);
    }
    let data = match encoding {
        "B" | "b" => decode_base64(content.as_bytes()),
        "Q" | "q" => decode_quoted_printable(content.replace('_', " ").as_bytes()),
        _ => return Ok(None),
    };
    let length = 2 + label.len() + 1 + encoding.len() + 1 + content.len() + 2;
    Ok(Some((charset_text(&data, charset)?, length)))
}

const UTF8_LABELS: [&str; 7] =
    ["", "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"];
/// The labels of windows-1252 in the Encoding Standard.
const WESTERN_LABELS: [&str; 17] = [
    "ansi_x3.4-1968",
    "ascii",
    "cp1252",
    "cp819",
    "csisolatin1",
    "ibm819",
    "iso-8859-1",
    "iso-ir-100",
    "iso8859-1",
    "iso88591",
    "iso_8859-1",
    "iso_8859-1:1987",
    "l1",
    "latin1",
    "us-ascii",
    "windows-1252",
    "x-cp1252",
];
/// The characters of windows-1252 from 80 to 9F.
const WESTERN: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Text of a charset; those that the format lets a verifier leave out are not checked.
pub(super) fn charset_text(data: &[u8], charset: &str) -> Checked<String> {
    let label = charset.trim_matches([' ', '\t', '\r', '\n', '\u{c}']).to_lowercase();
    if UTF8_LABELS.contains(&label.as_str()) {
        return Ok(String::from_utf8_lossy(data).into_owned());
    }
    if !WESTERN_LABELS.contains(&label.as_str()) {
        return Err(Stop::Unchecked("a part is in a charset that this library does not read".to_owned()));
    }
    let character = |byte: &u8| match byte {
        0x80..=0x9f => WESTERN.chars().nth(usize::from(byte - 0x80)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from(*byte),
    };
    Ok(data.iter().map(character).collect())
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn named(text: &str, name: &str) -> String {
        parse(text).unwrap().1.get(name).cloned().unwrap_or_default()
    }

    #[test]
    fn parameters_and_their_words() {
        let (value, _) = parse("Text/Plain (a comment); charset=utf-8").unwrap();
        assert_eq!(value, "text/plain");
        assert_eq!(named("a/b; name=\"in\\\"voice; 1\"; name=other", "name"), "in\"voice; 1");
        assert_eq!(named("a; filename*=utf-8'es'a%C3%B1o%20.pdf", "filename"), "año .pdf");
        assert_eq!(named("a; filename*0*=''a%C3%B1; filename*1=o", "filename"), "año");
        let words = "a; name=\"=?utf-8?B?YcOx?= =?iso-8859-1?Q?o_=80?= x\"";
        assert_eq!(named(words, "name"), "año € x");
        assert_eq!(named("a; name=\"=?utf-8?X?b?= =?\"", "name"), "=?utf-8?X?b?= =?");
        assert!(parse("a; name*=shift_jis''%83").is_err());
    }
}
