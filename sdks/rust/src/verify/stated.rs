//! The time that a time-stamp states (RFC 3161 §2.4), which nothing here verifies. It may be relied on to refuse
//! a bundle, because one whose time-stamp fails is refused as well, and never to call one valid.

use super::base::moment;

const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const OID: u8 = 0x06;
const TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const CONTEXT_0: u8 = 0xa0;
const TOKEN_SIZE_MAX: usize = 256 << 10;

/// Milliseconds since 1970; None for what cannot be read.
pub(super) fn stated_time(token: &[u8]) -> Option<i64> {
    let mut outer = token.get(..token.len().min(TOKEN_SIZE_MAX))?;
    let mut outer = field(&mut outer, SEQUENCE)?;
    // A TimeStampResp has a status before the token; a token begins with its content type.
    let mut content = if outer.first() == Some(&OID) {
        outer
    } else {
        field(&mut outer, SEQUENCE)?;
        field(&mut outer, SEQUENCE)?
    };
    field(&mut content, OID)?;
    let mut signed = field(&mut content, CONTEXT_0)?;
    let mut signed = field(&mut signed, SEQUENCE)?;
    field(&mut signed, INTEGER)?;
    field(&mut signed, SET)?;
    let mut encapsulated = field(&mut signed, SEQUENCE)?;
    field(&mut encapsulated, OID)?;
    let mut octets = field(&mut encapsulated, CONTEXT_0)?;
    let mut info = field(&mut octets, OCTETS)?;
    let mut info = field(&mut info, SEQUENCE)?;
    field(&mut info, INTEGER)?;
    field(&mut info, OID)?;
    field(&mut info, SEQUENCE)?;
    field(&mut info, INTEGER)?;
    generalized(std::str::from_utf8(field(&mut info, TIME)?).ok()?)
}

/// The content of the next element, which must have this tag.
fn field<'a>(data: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let (head, rest) = data.split_first_chunk::<2>()?;
    if head[0] != tag {
        return None;
    }
    let (length, rest) = match head[1] {
        short @ 0..=0x7f => (usize::from(short), rest),
        long @ 0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    *data = rest;
    Some(content)
}

/// `20260301120000.5Z`
fn generalized(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').filter(|text| text.is_ascii())?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() != 14 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let two = |at: usize| &whole[at..at + 2];
    let millis = &format!("{fraction:0<3}")[..3];
    moment(&format!("{}-{}-{}T{}:{}:{}.{millis}Z", &whole[..4], two(4), two(6), two(8), two(10), two(12)))
}

#[cfg(test)]
mod tests {
    use super::{generalized, stated_time};

    #[test]
    fn times_of_tokens() {
        assert_eq!(generalized("19700102000000Z"), Some(86_400_000));
        assert_eq!(generalized("19700101000001.5Z"), Some(1_500));
        assert_eq!(generalized("19700101000001.25678Z"), Some(1_256));
        let bad = [
            "",
            "Z",
            "1970010100000Z",
            "19700101000000",
            "20260231000000Z",
            "197001010000é0Z",
            "19700101000000.xZ",
        ];
        for text in bad {
            assert_eq!(generalized(text), None, "{text}");
        }
    }

    #[test]
    fn every_beginning_of_a_token_is_read_without_harm() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/bundles/good/sealed.zip");
        let files = super::super::container::read(&std::fs::read(root).unwrap()).unwrap();
        let token = &files["constancia.tsr"];
        assert!(stated_time(token).is_some());
        for length in 0..100 {
            assert_eq!(stated_time(&token[..length]), None, "{length} bytes");
        }
    }
}
