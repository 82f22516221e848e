//! Signed notes, checkpoints, promises and proofs of the log: docs/evidence-format.md of the project, section
//! 6.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use ring::signature::{UnparsedPublicKey, ED25519};

use crate::merkle::{is_included, leaf_hash, sha256, Hash};

const NOTE_SIZE_MAX: usize = 256 << 10;
const SIGNATURES_MAX: usize = 100;
/// Characters of a decimal number below 2^53.
const DIGITS_MAX: usize = 16;
const NUMBER_MAX: u64 = (1 << 53) - 1;
const KEY_SIZE: usize = 32;
const SIGNATURE_SIZE: usize = 64;
const TIME_SIZE: usize = 8;
const SECOND_KIND: u8 = 6;
const MLDSA44_KEY_SIZE: usize = 1312;
const MLDSA44_SIGNATURE_SIZE: usize = 2420;

/// The fault in a note.
pub(crate) type Problem = &'static str;

/// The kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Log = 1,
    Witness = 4,
}

/// The signer: `name+<hex key id>+<base64 of kind and key>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VerifierKey {
    pub(crate) name: String,
    id: [u8; 4],
    kind: KeyKind,
    pub(crate) key: [u8; KEY_SIZE],
}

/// The second key of a log, of ML-DSA-44, whose signatures are not checked here: there is no audited
/// implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecondKey {
    pub(crate) name: String,
    id: [u8; 4],
}

/// y-coordinates of the points whose order divides 8, little-endian (RFC 8032 §5.1): 0, 1, p − 1 and two
/// more. Under such a key one signature fits many texts.
const SMALL_ORDER: [[u8; KEY_SIZE]; 5] = [
    [0; KEY_SIZE],
    first(1, 0),
    first(0xec, 0xff),
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// A number whose first byte is this, and the others that; the last has no sign bit.
const fn first(byte: u8, others: u8) -> [u8; KEY_SIZE] {
    let mut number = [others; KEY_SIZE];
    number[0] = byte;
    number[KEY_SIZE - 1] &= 0x7f;
    number
}

/// True if this may be a public key: y below p = 2^255 − 19, and no small order.
pub(crate) fn is_sound(key: &[u8; KEY_SIZE]) -> bool {
    let mut y = *key;
    y[KEY_SIZE - 1] &= 0x7f;
    let is_above = y[0] >= 0xed && y[1..31].iter().all(|byte| *byte == 0xff) && y[31] == 0x7f;
    !is_above && !SMALL_ORDER.contains(&y)
}

/// True if the key signed the message, strictly (RFC 8032 §5.1.7).
pub(crate) fn is_signature(key: &[u8; KEY_SIZE], signature: &[u8], message: &[u8]) -> bool {
    signature.len() == SIGNATURE_SIZE
        && is_sound(key)
        && UnparsedPublicKey::new(&ED25519, key).verify(message, signature).is_ok()
}

/// Base64 in its one spelling (RFC 4648 §4).
pub(crate) fn unbase64(text: &str) -> Result<Vec<u8>, Problem> {
    STANDARD.decode(text).map_err(|_| "not base64 in its one spelling")
}

pub(crate) fn hash_of(text: &str) -> Result<Hash, Problem> {
    unbase64(text)?.try_into().map_err(|_| "not a hash")
}

/// A whole number below 2^53 in its one spelling.
pub(crate) fn decimal(text: &str) -> Result<u64, Problem> {
    let is_plain = text.len() <= DIGITS_MAX && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_zero = text.starts_with('0') && text.len() > 1;
    let number = text.parse().ok().filter(|number| *number <= NUMBER_MAX);
    number.filter(|_| is_plain && !has_zero).ok_or("not a whole number")
}

/// Bytes of the name of a key.
const NAME_MAX: usize = 255;

/// True if this may be the name of a key: no white space, no plus, no controls.
pub(crate) fn is_name(text: &str) -> bool {
    let fits = |each: char| !each.is_whitespace() && !each.is_control() && each != '+';
    !text.is_empty() && text.len() <= NAME_MAX && text.chars().all(fits)
}

/// The name, the key id and what stands behind it: the kind and the key.
fn parts_of(text: &str) -> Result<(&str, [u8; 4], Vec<u8>), Problem> {
    let mut parts = text.splitn(3, '+');
    let (Some(name), Some(id), Some(material)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("not a verifier key");
    };
    let material = unbase64(material)?;
    let sum = sha256(&[name.as_bytes(), b"\n", &material].concat());
    let hex: String = sum[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    if !is_name(name) || hex != id {
        return Err("a key with another name or id");
    }
    Ok((name, [sum[0], sum[1], sum[2], sum[3]], material))
}

impl SecondKey {
    /// None: of another kind.
    pub(crate) fn read(text: &str) -> Result<Option<Self>, Problem> {
        let (name, id, material) = parts_of(text)?;
        if material.first() != Some(&SECOND_KIND) {
            return Ok(None);
        }
        if material.len() != 1 + MLDSA44_KEY_SIZE {
            return Err("a key of another length");
        }
        Ok(Some(Self { name: name.to_owned(), id }))
    }
}

impl VerifierKey {
    pub(crate) fn read(text: &str, kind: KeyKind) -> Result<Self, Problem> {
        let (name, id, material) = parts_of(text)?;
        let Some((&first, key)) = material.split_first() else {
            return Err("a key without content");
        };
        let key: [u8; KEY_SIZE] = key.try_into().map_err(|_| "a key of another length")?;
        if first != kind as u8 {
            return Err("a key of another kind");
        }
        Ok(Self { name: name.to_owned(), id, kind, key })
    }

    /// The same key as one of a witness, with which a log counts outcomes.
    pub(crate) fn cosigner(&self) -> Self {
        let kind = KeyKind::Witness;
        let sum = sha256(&[self.name.as_bytes(), b"\n", &[kind as u8], &self.key].concat());
        Self { name: self.name.clone(), id: [sum[0], sum[1], sum[2], sum[3]], kind, key: self.key }
    }

    /// The host in the name, without a port and without the dot that a full name may end in.
    pub(crate) fn host(&self) -> String {
        let operator = self.operator();
        let host = operator.split(':').next().unwrap_or_default();
        host.strip_suffix('.').unwrap_or(host).to_owned()
    }

    /// The host in the name: what one operator runs counts once.
    pub(crate) fn operator(&self) -> String {
        self.name.split('/').next().unwrap_or_default().to_lowercase()
    }
}

/// A text with its signatures.
pub(crate) struct Note {
    pub(crate) text: String,
    signatures: Vec<(String, Vec<u8>)>,
}

impl Note {
    pub(crate) fn read(data: &[u8]) -> Result<Self, Problem> {
        let whole = std::str::from_utf8(data).map_err(|_| "a note that is not UTF-8")?;
        let is_odd = |each: char| each != '\n' && each < ' ';
        if data.len() > NOTE_SIZE_MAX || whole.contains(is_odd) {
            return Err("a note that is too long, or has control characters");
        }
        let lines = whole.strip_suffix('\n').and_then(|whole| whole.rsplit_once("\n\n"));
        let (text, lines) = lines.ok_or("not a signed note")?;
        let signatures: Vec<_> = lines.split('\n').map(signature).collect::<Result<_, _>>()?;
        if signatures.len() > SIGNATURES_MAX {
            return Err("too many signatures");
        }
        Ok(Self { text: format!("{text}\n"), signatures })
    }

    fn assert_of_log(&self, origin: &str, key: &VerifierKey) -> Result<(), Problem> {
        if origin != key.name || self.signers(std::slice::from_ref(key))?.is_empty() {
            return Err("not signed by the key of its log");
        }
        Ok(())
    }

    /// Those of the keys that signed, each once; an error if one of them signed falsely or twice.
    pub(crate) fn signers<'a>(&self, keys: &'a [VerifierKey]) -> Result<Vec<&'a VerifierKey>, Problem> {
        let mut found = Vec::new();
        for key in keys {
            let mut own =
                self.signatures.iter().filter(|(name, data)| *name == key.name && data[..4] == key.id);
            let Some((_, data)) = own.next() else { continue };
            if own.next().is_some() {
                return Err("one key signed twice");
            }
            if !key.signed(&self.text, &data[4..]) {
                return Err("a signature that does not verify");
            }
            found.push(key);
        }
        Ok(found)
    }

    /// When the second key of a log signed (seconds since 1970): once, a text of three lines.
    pub(crate) fn second_signed_at(&self, key: &SecondKey) -> Result<u64, Problem> {
        let mut own = self.signatures.iter().filter(|(name, data)| *name == key.name && data[..4] == key.id);
        let (Some((_, data)), None) = (own.next(), own.next()) else {
            return Err("not signed once by the ML-DSA-44 key of its log");
        };
        let Some((time, signature)) = data[4..].split_first_chunk::<TIME_SIZE>() else {
            return Err("an ML-DSA-44 signature of another length");
        };
        if signature.len() != MLDSA44_SIGNATURE_SIZE {
            return Err("an ML-DSA-44 signature of another length");
        }
        if self.text.matches('\n').count() != 3 {
            return Err("has extension lines, which ML-DSA-44 signatures do not cover");
        }
        let seconds = u64::from_be_bytes(*time);
        if seconds > NUMBER_MAX {
            return Err("an ML-DSA-44 signature without a time");
        }
        Ok(seconds)
    }

    /// When a witness says that it cosigned (seconds since 1970); None: it did not.
    pub(crate) fn cosigned_at(&self, witness: &VerifierKey) -> Result<Option<u64>, Problem> {
        if self.signers(std::slice::from_ref(witness))?.is_empty() {
            return Ok(None);
        }
        let mut own = self.signatures.iter();
        let own = own.find(|(name, data)| *name == witness.name && data[..4] == witness.id);
        Ok(own
            .and_then(|(_, data)| data[4..].first_chunk::<TIME_SIZE>())
            .map(|time| u64::from_be_bytes(*time)))
    }
}

impl VerifierKey {
    fn signed(&self, text: &str, signature: &[u8]) -> bool {
        if self.kind == KeyKind::Log {
            return is_signature(&self.key, signature, text.as_bytes());
        }
        let Some((time, signature)) = signature.split_first_chunk::<TIME_SIZE>() else {
            return false;
        };
        let seconds = u64::from_be_bytes(*time);
        let message = format!("cosignature/v1\ntime {seconds}\n{text}");
        i64::try_from(seconds).is_ok() && is_signature(&self.key, signature, message.as_bytes())
    }
}

fn signature(line: &str) -> Result<(String, Vec<u8>), Problem> {
    let (name, data) =
        line.strip_prefix("— ").and_then(|rest| rest.split_once(' ')).ok_or("not a signature line")?;
    let data = unbase64(data)?;
    if !is_name(name) || data.len() <= 4 {
        return Err("not a signature line");
    }
    Ok((name.to_owned(), data))
}

/// The content of a checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct TreeHead {
    pub(crate) origin: String,
    pub(crate) size: u64,
    pub(crate) root: Hash,
}

impl TreeHead {
    /// Lines after the third are extensions and mean nothing.
    pub(crate) fn read(text: &str) -> Result<Self, Problem> {
        let lines: Vec<&str> = text.strip_suffix('\n').ok_or("not a checkpoint")?.split('\n').collect();
        let [origin, size, root, ..] = lines[..] else {
            return Err("not a checkpoint");
        };
        if lines.contains(&"") || !is_name(origin) {
            return Err("not a checkpoint");
        }
        let head = Self { origin: origin.to_owned(), size: decimal(size)?, root: hash_of(root)? };
        if head.size == 0 && head.root != sha256(b"") {
            return Err("not the root of an empty tree");
        }
        Ok(head)
    }

    /// A checkpoint that the key of its log has signed.
    pub(crate) fn signed(data: &[u8], key: &VerifierKey) -> Result<Self, Problem> {
        let note = Note::read(data)?;
        let head = Self::read(&note.text)?;
        note.assert_of_log(&head.origin, key)?;
        Ok(head)
    }
}

/// A promise: the hash that will be in the log, and until when (seconds since 1970).
pub(crate) struct Promise {
    pub(crate) hash: Hash,
    pub(crate) deadline: u64,
}

impl Promise {
    /// The first line of the promise of a group, and its leaves.
    const GROUP_HEADER: &'static str = "acuse/promise/v2\n";
    const GROUP_SIZE_MAX: u64 = 65_536;
    const GROUP_PATH_MAX: usize = 16;

    /// Reads the promise of one entry, or of a group.
    pub(crate) fn read(data: &[u8], key: &VerifierKey) -> Result<Self, Problem> {
        if data.starts_with(Self::GROUP_HEADER.as_bytes()) {
            return Self::read_group(data, key);
        }
        let note = Note::read(data)?;
        let lines: Vec<&str> = note.text.split('\n').collect();
        let ["acuse/promise/v1", origin, hash, deadline, ""] = lines[..] else {
            return Err("not a promise");
        };
        note.assert_of_log(origin, key)?;
        Ok(Self { hash: hash_of(hash)?, deadline: decimal(deadline)? })
    }

    fn read_group(data: &[u8], key: &VerifierKey) -> Result<Self, Problem> {
        let whole = std::str::from_utf8(data).map_err(|_| "not a promise")?;
        let (head, note) = whole.split_once("\n\n").ok_or("not a promise")?;
        let lines: Vec<&str> = head.split('\n').collect();
        let [_, entry, index, path @ ..] = &lines[..] else {
            return Err("not a promise");
        };
        let hash = hash_of(entry.strip_prefix("entry ").ok_or("not a promise")?)?;
        let index = decimal(index.strip_prefix("index ").ok_or("not an index")?)?;
        if path.len() > Self::GROUP_PATH_MAX {
            return Err("a path that is too long");
        }
        let path: Vec<Hash> = path.iter().map(|line| hash_of(line)).collect::<Result<_, _>>()?;
        let note = Note::read(note.as_bytes())?;
        let lines: Vec<&str> = note.text.split('\n').collect();
        let ["acuse/promise-group/v1", origin, size, root, deadline, ""] = lines[..] else {
            return Err("not a promise");
        };
        note.assert_of_log(origin, key)?;
        let (size, deadline) = (decimal(size)?, decimal(deadline)?);
        if !(2..=Self::GROUP_SIZE_MAX).contains(&size) || deadline == 0 {
            return Err("not a promise");
        }
        let leaf = leaf_hash(&[Self::GROUP_HEADER.as_bytes(), &hash].concat());
        if !is_included(leaf, index, size, &path, &hash_of(root)?) {
            return Err("not in the group that was signed");
        }
        Ok(Self { hash, deadline })
    }
}

/// That an entry is in a log.
pub(crate) struct LogProof {
    pub(crate) index: u64,
    pub(crate) path: Vec<Hash>,
    pub(crate) note: Note,
}

impl LogProof {
    /// Lines of a proof before its note.
    const LINES_MAX: usize = 66;

    pub(crate) fn read(data: &[u8]) -> Result<Self, Problem> {
        let whole = std::str::from_utf8(data).map_err(|_| "not a proof")?;
        let (head, note) = whole.split_once("\n\n").ok_or("not a proof")?;
        let lines: Vec<&str> = head.split('\n').collect();
        let ["c2sp.org/tlog-proof@v1", index, path @ ..] = &lines[..] else {
            return Err("not a proof");
        };
        if lines.len() > Self::LINES_MAX {
            return Err("a path that is too long");
        }
        Ok(Self {
            index: decimal(index.strip_prefix("index ").ok_or("not an index")?)?,
            path: path.iter().map(|line| hash_of(line)).collect::<Result<_, _>>()?,
            note: Note::read(note.as_bytes())?,
        })
    }
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
