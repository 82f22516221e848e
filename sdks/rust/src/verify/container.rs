//! The container of a bundle, which must read one way: docs/evidence-format.md of the project, section 8.

use std::collections::BTreeMap;

use super::base::{need, Stop};
use super::inflate::inflate;
use super::json::Json;
use crate::notes::unbase64;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const FILE_SIZE_MAX: usize = 144 * MIB;
const CONTENT_SIZE_MAX: usize = 96 * MIB;
const ENTRIES_MAX: usize = 512;
const END: usize = 22;
const CENTRAL: usize = 46;
const LOCAL: usize = 30;
/// Compression level, and names in UTF-8.
const HARMLESS_FLAGS: u16 = 0x0806;
const DEFLATED: u16 = 8;

pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Names that a bundle may have, in the order of the table, with their limits in bytes. `##` are two digits,
/// `##+` two or three, `@` a label of a revocation, `outcome` the kind of one.
const TABLE: [(&str, usize); 34] = [
    ("VERIFY.md", 256 * KIB),
    ("report.pdf", 16 * MIB),
    ("manifest.json", 64 * KIB),
    ("openings.json", 256 * KIB),
    ("message.eml", 32 * MIB),
    ("submission.bin", 64 * MIB),
    ("parts/##+.bin", 32 * MIB),
    ("proof.tlog-proof", 320 * KIB),
    ("checkpoint.txt", 64 * KIB),
    ("history.txt", 128 * KIB),
    ("outcomes.note", 64 * KIB),
    ("log-end.note", 64 * KIB),
    ("constancia.tsr", 256 * KIB),
    ("message-constancia.tsr", 256 * KIB),
    ("chain/constancia.pem", 256 * KIB),
    ("chain/message-constancia.pem", 256 * KIB),
    ("chain/delivery-##.pem", 256 * KIB),
    ("chain/renewal-##.pem", 256 * KIB),
    ("revocation/@.crl", 16 * MIB),
    ("revocation/@.ocsp", 16 * MIB),
    ("renewal/##.sums", 64 * KIB),
    ("renewal/##.list", 96 * KIB),
    ("renewal/##.tsr", 256 * KIB),
    ("delivery/##-outcome.json", 64 * KIB),
    ("delivery/##-outcome.openings.json", 64 * KIB),
    ("delivery/##-outcome.tlog-proof", 320 * KIB),
    ("delivery/##-outcome.tsr", 256 * KIB),
    ("delivery/##-outcome.transcript.json", 4 * MIB),
    ("delivery/##-outcome.dsn.eml", 16 * MIB),
    ("issued/constancia.bin", 2 * MIB),
    ("issued/message-constancia.bin", 2 * MIB),
    ("issued/delivery-##.bin", 2 * MIB),
    ("issued/renewal-##.bin", 2 * MIB),
    ("policy.json", 512 * KIB),
];
/// The last row.
const SUMS: (&str, usize) = ("SHA256SUMS", 256 * KIB);
/// Rows that count as one when entries are put in order: their names are compared.
const SAME_ROW: [(usize, usize); 3] = [(13, 12), (15, 14), (19, 18)];
const ONE_KIND: [std::ops::Range<usize>; 2] = [14..18, 29..33];
const OUTCOMES: [&str; 8] =
    ["sent", "bounced", "cancelled", "complained", "acknowledged", "refused", "displayed", "unanswered"];
const LABEL_MAX: usize = 64;

const REQUIRED: [&str; 9] = [
    "VERIFY.md",
    "manifest.json",
    "openings.json",
    "proof.tlog-proof",
    "checkpoint.txt",
    "constancia.tsr",
    "chain/constancia.pem",
    "policy.json",
    SUMS.0,
];

fn fits(form: &str, name: &str) -> bool {
    if let Some((before, after)) = form.split_once("##+") {
        let digits = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        return digits.is_some_and(|text| (2..=3).contains(&text.len()) && is_digits(text));
    }
    if let Some((before, after)) = form.split_once("##") {
        let rest = name.strip_prefix(before).and_then(|rest| rest.split_at_checked(2));
        return rest.is_some_and(|(digits, rest)| is_digits(digits) && fits_outcome(after, rest));
    }
    if let Some((before, after)) = form.split_once('@') {
        let label = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        return label.is_some_and(|text| (1..=LABEL_MAX).contains(&text.len()) && text.bytes().all(is_plain));
    }
    form == name
}

fn fits_outcome(form: &str, rest: &str) -> bool {
    let Some(after) = form.strip_prefix("-outcome") else {
        return form == rest;
    };
    let kind = rest.strip_prefix('-').unwrap_or_default();
    OUTCOMES.iter().any(|outcome| kind.strip_prefix(outcome) == Some(after))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The row of the table, and the limit; None for a name that no bundle has.
pub(super) fn row_of(name: &str) -> Option<(usize, usize)> {
    if name == SUMS.0 {
        return Some((TABLE.len(), SUMS.1));
    }
    let row = TABLE.iter().position(|(form, _)| fits(form, name))?;
    let limit = TABLE[row].1;
    let first = SAME_ROW.iter().find(|(other, _)| *other == row).map_or(row, |(_, first)| *first);
    let kind = ONE_KIND.iter().find(|rows| rows.contains(&row)).map_or(first, |rows| rows.start);
    Some((kind, limit))
}

fn refuse<T>(detail: &str) -> Result<T, Stop> {
    Err(Stop::refused("bundle", detail))
}

fn check(condition: bool, detail: &str) -> Result<(), Stop> {
    need(condition, "bundle", detail)
}

/// True if it has the name that every bundle has.
pub(super) fn looks_like_bundle(data: &[u8]) -> bool {
    let has = |text: &[u8]| data.windows(text.len()).any(|window| window == text);
    (data.first() == Some(&b'{') || has(b"PK\x03\x04")) && has(b"proof.tlog-proof")
}

/// The entries by their names.
pub(super) fn read(data: &[u8]) -> Result<Files, Stop> {
    check(data.len() <= FILE_SIZE_MAX, "the file is too large")?;
    let found = if data.first() == Some(&b'{') { read_json(data)? } else { read_zip(data)? };
    let count = found.len();
    let total: usize = found.iter().map(|(_, content)| content.len()).sum();
    check(total <= CONTENT_SIZE_MAX, "too many bytes")?;
    let folded: std::collections::BTreeSet<String> =
        found.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    check(folded.len() == count, "a name twice")?;
    let files: Files = found.into_iter().collect();
    for name in REQUIRED {
        check(files.contains_key(name), &format!("{name} is missing"))?;
    }
    Ok(files)
}

fn admit(name: &str, size: usize) -> Result<(), Stop> {
    let Some((_, limit)) = row_of(name) else {
        return refuse("an entry that no bundle has");
    };
    check(size <= limit, &format!("{name} is too large"))
}

fn read_json(data: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Stop> {
    let Some(Json::Object(form)) = Json::read(data) else {
        return refuse("not JSON that reads one way");
    };
    let is_form = form.len() == 2 && form.get("type") == Some(&Json::Text("acuse/bundle/v1".to_owned()));
    let (true, Some(Json::List(entries))) = (is_form, form.get("entries")) else {
        return refuse("JSON of another form");
    };
    check(entries.len() <= ENTRIES_MAX, "too many entries")?;
    entries.iter().map(json_entry).collect()
}

fn json_entry(entry: &Json) -> Result<(String, Vec<u8>), Stop> {
    let Json::Object(entry) = entry else {
        return refuse("an entry of another form");
    };
    let text = |name| match entry.get(name) {
        Some(Json::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let (name, content) = match (entry.len(), text("name"), text("text"), text("base64")) {
        (2, Some(name), Some(content), None) => (name, content.as_bytes().to_vec()),
        (2, Some(name), None, Some(coded)) => {
            (name, unbase64(coded).map_err(|why| Stop::refused("bundle", why))?)
        }
        _ => return refuse("an entry of another form"),
    };
    admit(name, content.len())?;
    Ok((name.to_owned(), content))
}

fn u16_at(data: &[u8], at: usize) -> u16 {
    data.get(at..at + 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    let bytes = data.get(at..at + 4);
    bytes.map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn size_at(data: &[u8], at: usize) -> usize {
    u32_at(data, at) as usize
}

/// An entry as the directory has it.
struct Place {
    name: String,
    method: u16,
    crc: u32,
    packed: usize,
    full: usize,
    offset: usize,
    /// The fields of its own header.
    header: Vec<u8>,
}

/// Each byte belongs to one entry, the directory or the end; both headers of an entry say the same.
fn read_zip(data: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Stop> {
    let Some(before) = data.len().checked_sub(END) else {
        return refuse("not a ZIP");
    };
    let end = &data[before..];
    check(end.starts_with(b"PK\x05\x06") && u16_at(end, 20) == 0, "not a ZIP, or something behind it")?;
    let (count, size, start) = (usize::from(u16_at(end, 10)), size_at(end, 12), size_at(end, 16));
    check(u32_at(end, 4) == 0 && usize::from(u16_at(end, 8)) == count, "a ZIP of several disks")?;
    check(start.checked_add(size) == Some(before), "the directory is elsewhere")?;
    check(count <= ENTRIES_MAX, "too many entries")?;
    let mut places = directory(&data[start..before], count)?;
    places.sort_by_key(|place| place.offset);
    let mut free = 0;
    let mut found = Vec::new();
    for place in places {
        let begins = free + LOCAL + place.name.len();
        let ends = begins + place.packed;
        check(place.offset == free, "bytes that belong to no entry, or to two")?;
        check(ends <= start, "an entry goes on into the directory")?;
        let local = &data[free..begins];
        check(local.starts_with(b"PK\x03\x04"), "an entry is not where the directory says")?;
        check(local[4..28] == place.header[..], "two headers of an entry differ")?;
        check(u16_at(local, 28) == 0, "extra fields")?;
        check(&local[LOCAL..] == place.name.as_bytes(), "two names for one entry")?;
        let content = place.content(&data[begins..ends])?;
        found.push((place.name, content));
        free = ends;
    }
    check(free == start, "bytes that belong to no entry")?;
    Ok(found)
}

fn directory(mut data: &[u8], count: usize) -> Result<Vec<Place>, Stop> {
    let mut places = Vec::new();
    let mut total = 0;
    for _ in 0..count {
        let length = usize::from(u16_at(data, 28));
        let is_whole = data.len() >= CENTRAL + length && data.starts_with(b"PK\x01\x02");
        check(is_whole, "the directory is damaged")?;
        let name = std::str::from_utf8(&data[CENTRAL..CENTRAL + length]).unwrap_or_default();
        let place = Place {
            name: name.to_owned(),
            method: u16_at(data, 10),
            crc: u32_at(data, 16),
            packed: size_at(data, 20),
            full: size_at(data, 24),
            offset: size_at(data, 42),
            header: data[6..30].to_vec(),
        };
        let attributes = u32_at(data, 38);
        let mode = attributes >> 16;
        check(u32_at(data, 30) == 0 && u16_at(data, 34) == 0, "extra fields, a comment or a disk")?;
        check(u16_at(data, 8) & !HARMLESS_FLAGS == 0, "encrypted, or sizes after the content")?;
        check(place.method == 0 || place.method == DEFLATED, "packed in another way")?;
        check(matches!(mode & 0o170_000, 0 | 0o100_000), "a link, or no plain file")?;
        check(mode & 0o7000 == 0 && attributes & 0x18 == 0, "not a plain file")?;
        admit(&place.name, place.full)?;
        total += place.full;
        places.push(place);
        data = &data[CENTRAL + length..];
    }
    check(data.is_empty(), "the directory is damaged")?;
    check(total <= CONTENT_SIZE_MAX, "too many bytes")?;
    Ok(places)
}

impl Place {
    /// Never more than the directory says, which is within its limit.
    fn content(&self, packed: &[u8]) -> Result<Vec<u8>, Stop> {
        let content = if self.method == DEFLATED {
            let content = inflate(packed, self.full);
            check(content.is_some(), "compressed content that is damaged, or ends elsewhere")?;
            content.unwrap_or_default()
        } else {
            packed.to_vec()
        };
        check(content.len() == self.full && crc32(&content) == self.crc, "an entry is damaged")?;
        Ok(content)
    }
}

/// ISO 3309, as ZIP has it.
fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc_table();
    let step = |crc: u32, byte: &u8| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8);
    !data.iter().fold(u32::MAX, step)
}

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{crc32, row_of};

    #[test]
    fn names_of_entries() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let good = [
            "parts/00.bin",
            "parts/127.bin",
            "chain/delivery-01.pem",
            "revocation/a-1.crl",
            "renewal/01.list",
            "delivery/01-sent.json",
            "delivery/99-bounced.dsn.eml",
            "SHA256SUMS",
        ];
        for name in good {
            assert!(row_of(name).is_some(), "{name}");
        }
        let bad = [
            "",
            "a",
            "parts/1.bin",
            "parts/1234.bin",
            "parts/aa.bin",
            "../VERIFY.md",
            "verify.md",
            "revocation/.crl",
            "revocation/A.crl",
            "delivery/01-lost.json",
            "delivery/01sent.json",
            "delivery/1é-sent.json",
            "chain/renewal-1.pem",
            "delivery/01-sent.jsonx",
        ];
        for name in bad {
            assert!(row_of(name).is_none(), "{name}");
        }
        assert_eq!(row_of("chain/constancia.pem").unwrap().0, row_of("chain/renewal-01.pem").unwrap().0);
        assert_eq!(row_of("issued/constancia.bin").unwrap().0, row_of("issued/renewal-01.bin").unwrap().0);
        assert!(row_of("issued/constancia.bin").unwrap().0 < row_of("policy.json").unwrap().0);
    }
}
