//! The log: its checkpoints under a key that you have from elsewhere, that it only grows, and its promises.

use std::collections::HashMap;
use std::time::SystemTime;

use crate::client::Acuse;
use crate::error::{Error, LogError, LogReason};
use crate::errors_generated::code;
use crate::merkle::{
    consistency_path, fold, inclusion_path, is_consistent, is_included, leaf_hash, place_of, tile_path, Hash,
    Subtrees,
};
use crate::notes::{KeyKind, Promise, TreeHead, VerifierKey};
use crate::resources_generated::Log;
use crate::settings::millis_since;
use crate::types::Message;

/// A state of the log that its key has signed. Keep `note`, and give it to [`Log::follow`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogCheckpoint {
    /// The name of the log.
    pub origin: String,
    /// How many entries it holds.
    pub tree_size: u64,
    /// The root of its tree.
    pub root_hash: [u8; 32],
    /// The signed text.
    pub note: String,
}

/// The outcome of the promise that a send returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromiseState {
    /// The log holds the message.
    Kept,
    /// The log may still take its time.
    Pending,
    /// The log broke its word.
    Broken,
}

impl PromiseState {
    /// `kept`, `pending` or `broken`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Pending => "pending",
            Self::Broken => "broken",
        }
    }
}

fn wrong(reason: LogReason, message: impl Into<String>) -> Error {
    Error::Log(LogError { reason, message: message.into() })
}

/// Around a pinned key these are no part of it: files and answers end in a line end.
const AROUND: [char; 4] = [' ', '\t', '\r', '\n'];

fn pinned(key: &str) -> Result<VerifierKey, Error> {
    VerifierKey::read(key.trim_matches(AROUND), KeyKind::Log)
        .map_err(|why| Error::refused(format!("the pinned key must be the log's, name+id+base64: {why}")))
}

fn read(note: String, pinned_key: &str) -> Result<LogCheckpoint, Error> {
    let key = pinned(pinned_key)?;
    let head = TreeHead::signed(note.as_bytes(), &key).map_err(|why| wrong(LogReason::BadSignature, why))?;
    Ok(LogCheckpoint { origin: head.origin, tree_size: head.size, root_hash: head.root, note })
}

impl Log<'_> {
    /// Asks for the newest checkpoint and verifies it under a key that you have from elsewhere.
    ///
    /// # Errors
    ///
    /// [`Error::Log`] when the key has not signed it.
    pub fn pinned_checkpoint(&self, pinned_key: &str) -> Result<LogCheckpoint, Error> {
        pinned(pinned_key)?;
        read(self.checkpoint()?.into_inner(), pinned_key)
    }

    /// Asks for the newest checkpoint, and proves from the log's tiles that it continues the saved one, whose
    /// `note` you kept.
    ///
    /// # Errors
    ///
    /// [`Error::Log`] when it does not. Keep both: two checkpoints that contradict each other are the proof.
    pub fn follow(&self, pinned_key: &str, saved: &str) -> Result<LogCheckpoint, Error> {
        let before = read(saved.to_owned(), pinned_key)?;
        let now = self.pinned_checkpoint(pinned_key)?;
        if now.tree_size < before.tree_size {
            let words = format!("it held {} entries, and now {}", before.tree_size, now.tree_size);
            return Err(wrong(LogReason::WentBack, words));
        }
        if now.tree_size == before.tree_size && now.root_hash != before.root_hash {
            return Err(wrong(LogReason::Forked, "two checkpoints of one size have different roots"));
        }
        if before.tree_size == 0 || now.tree_size == before.tree_size {
            return Ok(now);
        }
        let mut tiles = Tiles::of(self.client, now.tree_size);
        let path = consistency_path(before.tree_size, now.tree_size, &mut tiles)?;
        if is_consistent(before.tree_size, &before.root_hash, now.tree_size, &now.root_hash, &path) {
            return Ok(now);
        }
        Err(wrong(LogReason::Forked, "the newest checkpoint does not continue the saved one"))
    }

    /// Finds out whether the log keeps the promise of a message, under a key that you have from elsewhere.
    /// The promise is in the message that a send returned: keep it.
    ///
    /// # Errors
    ///
    /// The message has no promise, or one that the key has not signed.
    pub fn check_promise(&self, message: &Message, pinned_key: &str) -> Result<PromiseState, Error> {
        let Some(text) = &message.promise else {
            return Err(Error::refused("the message has no promise: plain messages have none"));
        };
        let promise = Promise::read(text.as_bytes(), &pinned(pinned_key)?)
            .map_err(|why| wrong(LogReason::BadSignature, format!("the promise: {why}")))?;
        let checkpoint = self.pinned_checkpoint(pinned_key)?;
        let now = millis_since(SystemTime::UNIX_EPOCH, self.client.settings.now()).div_euclid(1000);
        let is_late = u64::try_from(now).is_ok_and(|now| now > promise.deadline);
        let waiting = if is_late { PromiseState::Broken } else { PromiseState::Pending };
        let evidence = match self.client.evidence().get(&message.id) {
            Err(error) if error.code() == Some(code::MISSING_PROOF_DATA) => return Ok(waiting),
            found => found?,
        };
        let hex: String = promise.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        if evidence.canonical_hash != hex {
            return Ok(PromiseState::Broken);
        }
        let index = u64::try_from(evidence.leaf_index).ok();
        let Some(index) = index.filter(|index| *index < checkpoint.tree_size) else {
            return Ok(waiting);
        };
        let mut tiles = Tiles::of(self.client, checkpoint.tree_size);
        let path = inclusion_path(index, checkpoint.tree_size, &mut tiles)?;
        let leaf = leaf_hash(&promise.hash);
        let is_kept = is_included(leaf, index, checkpoint.tree_size, &path, &checkpoint.root_hash);
        Ok(if is_kept { PromiseState::Kept } else { PromiseState::Broken })
    }
}

/// The tiles of a tree of some size, each asked for once.
struct Tiles<'a> {
    client: &'a Acuse,
    size: u64,
    seen: HashMap<String, Vec<u8>>,
}

impl<'a> Tiles<'a> {
    fn of(client: &'a Acuse, size: u64) -> Self {
        Self { client, size, seen: HashMap::new() }
    }
}

impl Subtrees for Tiles<'_> {
    type Fault = Error;

    fn hash(&mut self, height: u32, index: u64) -> Result<Hash, Error> {
        let (level, tile, hashes) = place_of(height, index);
        let path = tile_path(level, tile, self.size);
        if !self.seen.contains_key(&path) {
            let bytes = self.client.log().tile(&path)?.into_inner();
            self.seen.insert(path.clone(), bytes);
        }
        let bytes = self.seen.get(&path).map_or(&[][..], Vec::as_slice);
        fold(bytes, hashes)
            .ok_or_else(|| wrong(LogReason::Forked, format!("the tile {path} of the log is too short")))
    }
}

#[cfg(test)]
mod tests {
    use super::{pinned, read};
    use serde_json::Value;

    /// Scenario 59 of sdks/conformance follows a log.
    #[test]
    fn white_space_around_a_key_is_no_part_of_it() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/notes.json");
        let all: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let (log, witness) = (all["log_key"].as_str().unwrap(), all["witness_key"].as_str().unwrap());
        let note = all["cases"].as_array().unwrap().iter().find(|case| case["kind"] == "checkpoint");
        let note = note.unwrap()["note"].as_str().unwrap();
        for around in ["", " ", "\t", "\n", "\r\n", " \t\r\n"] {
            let checkpoint = read(note.to_owned(), &format!("{around}{log}{around}")).unwrap();
            assert_eq!(checkpoint.tree_size, 100, "{around:?}");
        }
        let (within, twice, other) =
            (log.replacen('+', "+ ", 1), format!("{log}\n{log}"), format!("{log}\u{a0}"));
        for key in ["", " \r\n", &within, &twice, &other, witness] {
            let error = pinned(key).unwrap_err().to_string();
            assert!(error.contains("name+id+base64"), "{key:?}: {error}");
        }
    }
}
