//! Is what a bundle says one story? All outcomes that the log counted are here, all trees are one log, and no
//! time contradicts another: docs/evidence-format.md of the project, sections 6 and 9.

use std::collections::BTreeMap;

use super::base::{hex, moment, need, unhex, Checked, Stop};
use super::container::Files;
use super::documents::Trusted;
use super::window::{counter_second_signed, Pinned, Window};
use super::Remark;
use crate::merkle::{is_consistent, root_of, Hash};
use crate::notes::{decimal, hash_of, KeyKind, Note, Problem, TreeHead, VerifierKey};

/// Clocks that differ by no more do not contradict each other (ms).
pub(super) const TOLERANCE: i64 = 5 * 60_000;
pub(super) const DAY: i64 = 24 * 3_600_000;
const OLD_COUNT: i64 = 30 * DAY;
pub(super) const OUTCOMES_MAX: usize = 32;
/// The last second of the year 9999: no date of the format is later.
const LAST_SECOND: u64 = 253_402_300_799;
const PATH_MAX: usize = 64;
const REASON_MAX: usize = 1000;

/// A leaf of the log that the bundle proves: its index, and the tree.
pub(super) struct Leaf {
    pub(super) index: u64,
    pub(super) head: TreeHead,
}

/// An outcome: when it occurred, and its time-stamp, if there is one.
pub(super) struct Told {
    pub(super) hash: Hash,
    pub(super) occurred: i64,
    pub(super) token: Option<String>,
}

/// The times and leaves of one bundle. Times are milliseconds since 1970.
pub(super) struct Line {
    pub(super) now: i64,
    pub(super) accepted: i64,
    pub(super) origin: String,
    pub(super) hash: Hash,
    pub(super) withheld: Vec<String>,
    /// The leaf of the message, then that of each outcome.
    pub(super) leaves: Vec<Leaf>,
    pub(super) outcomes: Vec<Told>,
    pub(super) cosigned: Vec<i64>,
    /// When the tokens say that they were made, by entry.
    pub(super) stamps: BTreeMap<String, i64>,
    pub(super) counted: Option<i64>,
    /// A second key signed, which is not checked here.
    pub(super) has_second: bool,
}

/// A time that a bundle states. `size`: of the tree that it stamps.
#[derive(Clone)]
struct Stated {
    what: String,
    at: i64,
    size: u64,
}

impl Stated {
    fn of(what: &str, at: i64) -> Self {
        Self { what: what.to_owned(), at, size: 0 }
    }

    fn assert_not_after(&self, later: &Self) -> Checked {
        let detail = format!("{} is after {}", self.what, later.what);
        need(self.at <= later.at + TOLERANCE, "times", &detail)
    }
}

impl Line {
    /// True if a witness can have cosigned the message then: others do not count.
    pub(super) fn can_have_seen(&self, seconds: u64) -> bool {
        let at = millis(seconds);
        seconds > 0 && at >= self.accepted - TOLERANCE && at <= self.now + DAY
    }

    pub(super) fn says_outcomes(&self, files: &Files) -> bool {
        files.contains_key("outcomes.note") || files.contains_key("log-end.note") || !self.withheld.is_empty()
    }

    /// When they were counted.
    pub(super) fn count_outcomes(&mut self, files: &Files, trusted: &Trusted) -> Checked<i64> {
        const CHECK: &str = "outcomes";
        let refused = |why: Problem| Stop::refused(CHECK, why);
        let missing = "outcomes.note is missing, and something here rests on it";
        let data = files.get("outcomes.note").ok_or_else(|| refused(missing))?;
        let note = Note::read(data).map_err(refused)?;
        let head = TreeHead::read(&note.text).map_err(refused)?;
        let is_own = head.origin == format!("{}/m/{}", self.origin, hex(&self.hash));
        need(is_own, CHECK, "outcomes.note is of another message")?;
        need(note.text.matches('\n').count() == 3, CHECK, "outcomes.note has more than three lines")?;
        need(head.size > 0, CHECK, "outcomes.note does not count the message")?;
        let own = trusted.log_keys.iter().filter(|pinned| pinned.key.name == self.origin);
        let mut keys: Vec<Pinned> = own.cloned().collect();
        if let Some(end) = files.get("log-end.note") {
            let key = successor(end, &keys)
                .ok_or_else(|| refused("log-end.note is not the end of this log, signed by a trusted key"))?;
            keys.push(Pinned { key, window: Window::default() });
        }
        // All that one of the keys signed must verify; a key may stand twice, for two times.
        let mut signed = Vec::new();
        for pinned in &keys {
            if let Some(seconds) = note.cosigned_at(&pinned.key.cosigner()).map_err(refused)? {
                signed.push((seconds, pinned));
            }
        }
        need(!signed.is_empty(), CHECK, "outcomes.note is not signed by a trusted key of the log")?;
        let holds = |seconds: u64, window: &Window| seconds <= LAST_SECOND && window.holds(millis(seconds));
        let timely = signed.iter().find(|(seconds, pinned)| holds(*seconds, &pinned.window));
        let untimely = "outcomes.note was signed when its key was not trusted";
        let (seconds, by) = *timely.ok_or_else(|| refused(untimely))?;
        let at = millis(seconds);
        let counter = &by.key.name;
        let also =
            counter_second_signed(&trusted.second_keys, &self.origin, counter, at, &note).map_err(refused)?;
        let is_same = also.iter().all(|other| *other == seconds);
        need(is_same, CHECK, "the signatures of outcomes.note are of two times")?;
        self.has_second |= !also.is_empty();
        let mut entries = vec![self.hash.to_vec()];
        entries.extend(self.outcomes.iter().map(|outcome| outcome.hash.to_vec()));
        entries.extend(self.withheld.iter().map(|hash| unhex(hash)));
        let here = entries.len() - 1;
        need(here <= OUTCOMES_MAX, CHECK, "too many outcomes")?;
        let detail = format!("the operator counted {} outcomes, {here} are here", head.size - 1);
        need(head.size == entries.len() as u64, CHECK, &detail)?;
        need(head.root == root_of(&entries), CHECK, "other outcomes were counted")?;
        Ok(at)
    }

    /// True if the bundle shows its trees to be one log.
    pub(super) fn check_history(&self, files: &Files) -> Checked<bool> {
        const CHECK: &str = "history";
        let mut trees: BTreeMap<u64, Hash> = BTreeMap::new();
        for Leaf { head, .. } in &self.leaves {
            let same = trees.insert(head.size, head.root).is_none_or(|other| other == head.root);
            need(same, CHECK, &format!("the log signed two trees of {} leaves", head.size))?;
        }
        let Some(data) = files.get("history.txt") else {
            return Ok(trees.len() == 1);
        };
        need(trees.len() > 1, CHECK, "history.txt is there, and every proof is of one tree")?;
        let text = std::str::from_utf8(data).unwrap_or_default();
        let blocks: Vec<&str> = text.split("\n\n").collect();
        let is_whole = blocks.len() == trees.len() && blocks.last() == Some(&"");
        need(is_whole, CHECK, "history.txt is not a proof for each tree")?;
        let trees: Vec<(u64, Hash)> = trees.into_iter().collect();
        for (pair, block) in trees.windows(2).zip(blocks) {
            let [(old, old_root), (new, new_root)] = pair else { continue };
            let mut lines = block.split('\n');
            let is_named = lines.next() == Some(format!("consistency {old} {new}").as_str());
            need(is_named, CHECK, &format!("history.txt has no proof from {old} leaves to {new}"))?;
            let path: Result<Vec<Hash>, Problem> = lines.map(hash_of).collect();
            let path = path.map_err(|why| Stop::refused(CHECK, why))?;
            let is_one = path.len() <= PATH_MAX && is_consistent(*old, old_root, *new, new_root, &path);
            let detail =
                format!("the tree of {old} leaves is not shown to be the beginning of that of {new}");
            need(is_one, CHECK, &detail)?;
        }
        Ok(true)
    }

    pub(super) fn check_order(&self) -> Checked {
        let is_ascending = self.leaves.windows(2).all(|pair| pair[0].index < pair[1].index);
        need(is_ascending, "order", "an outcome is in the log before what it follows")
    }

    fn occurred(&self) -> Vec<Stated> {
        let told =
            |(at, outcome): (usize, &Told)| Stated::of(&format!("outcome {}", at + 1), outcome.occurred);
        self.outcomes.iter().enumerate().map(told).collect()
    }

    /// Stamps over a checkpoint in this bundle, and the message's own.
    fn stamped(&self) -> Vec<Stated> {
        let tokens = [("constancia.tsr", self.leaves.first()), ("message-constancia.tsr", None)];
        let of_outcomes = self.outcomes.iter().zip(self.leaves.iter().skip(1));
        let of_outcomes = of_outcomes.filter_map(|(told, leaf)| Some((told.token.as_deref()?, Some(leaf))));
        let found = tokens.into_iter().chain(of_outcomes).filter_map(|(token, leaf)| {
            let at = *self.stamps.get(token)?;
            Some(Stated { what: token.to_owned(), at, size: leaf.map_or(0, |leaf| leaf.head.size) })
        });
        found.collect()
    }

    fn renewed(&self) -> Vec<Stated> {
        let of_renewal = self.stamps.iter().filter(|(name, _)| name.starts_with("renewal/"));
        of_renewal.map(|(name, at)| Stated::of(name, *at)).collect()
    }

    fn sealed(&self) -> Option<Stated> {
        self.stamps.get("constancia.tsr").map(|at| Stated::of("constancia.tsr", *at))
    }

    fn all(&self) -> Vec<Stated> {
        let mut all = vec![Stated::of("the acceptance", self.accepted)];
        all.extend(self.occurred());
        all.extend(self.stamped());
        all.extend(self.renewed());
        all.extend(self.counted.map(|at| Stated::of("the count of outcomes", at)));
        all
    }

    /// No time contradicts another. Those of time-stamps are as the tokens state them.
    pub(super) fn check_times(&self) -> Checked {
        let accepted = Stated::of("the acceptance", self.accepted);
        let (stamped, sealed) = (self.stamped(), self.sealed());
        let counted = self.counted.map(|at| Stated::of("the count of outcomes", at));
        for stamp in &stamped {
            accepted.assert_not_after(stamp)?;
        }
        for (outcome, leaf) in self.occurred().iter().zip(self.leaves.iter().skip(1)) {
            accepted.assert_not_after(outcome)?;
            for stamp in stamped.iter().filter(|stamp| stamp.size > leaf.index) {
                outcome.assert_not_after(stamp)?;
            }
            if let Some(counted) = &counted {
                outcome.assert_not_after(counted)?;
            }
        }
        if let (Some(sealed), Some(counted)) = (&sealed, &counted) {
            sealed.assert_not_after(counted)?;
        }
        let links: Vec<Stated> = sealed.into_iter().chain(self.renewed()).collect();
        for pair in links.windows(2) {
            pair[0].assert_not_after(&pair[1])?;
        }
        for each in self.all() {
            need(each.at <= self.now + DAY, "times", &format!("{} is more than a day from now", each.what))?;
        }
        Ok(())
    }

    /// What a log holds came to it before it ended.
    pub(super) fn check_end(&self, ends: &[LogEnd]) -> Checked {
        const CHECK: &str = "log_end";
        let latest = self.outcomes.iter().map(|told| told.occurred).fold(self.accepted, i64::max);
        for end in ends {
            let is_before = latest <= end.at + TOLERANCE;
            need(is_before, CHECK, "accepted, or occurred, after the log had ended")?;
            need(end.at <= self.now + DAY, CHECK, "the end of the log is more than a day from now")?;
        }
        Ok(())
    }

    /// Oddities that break nothing.
    pub(super) fn warnings(&self) -> Vec<Remark> {
        let mut all = self.all();
        all.extend(self.cosigned.iter().map(|at| Stated::of("a cosignature", *at)));
        let occurred = self.occurred();
        let is_late = |(at, outcome): (usize, &Stated)| {
            occurred[at + 1..].iter().any(|later| outcome.at > later.at + TOLERANCE)
        };
        let sealed_late = self.sealed().is_some_and(|sealed| sealed.at > self.accepted + DAY);
        let found = [
            (
                all.iter().any(|each| each.at > self.now + TOLERANCE),
                "clock",
                "a time lies ahead of the clock here: one of the two is wrong",
            ),
            (
                sealed_late,
                "sealed_late",
                "that it was accepted a day before it was sealed is the operator's word",
            ),
            (
                occurred.iter().enumerate().any(is_late),
                "occurred_order",
                "an outcome occurred after one that was recorded later",
            ),
            (
                self.outcomes.iter().any(|outcome| outcome.token.is_none()),
                "outcome_unstamped",
                "when an outcome was recorded is the operator's word",
            ),
            (
                self.counted.is_some_and(|at| at < self.now - OLD_COUNT),
                "outcomes_old",
                "outcomes later than the count are not in this file",
            ),
        ];
        found
            .into_iter()
            .filter(|(applies, ..)| *applies)
            .map(|(_, name, detail)| Remark::of(name, detail))
            .collect()
    }
}

pub(super) fn millis(seconds: u64) -> i64 {
    // Far beyond any clock, and small enough to add to.
    i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000).min(i64::MAX / 2)
}

/// The log that goes on, named by a key of this one that was trusted at its end.
fn successor(end: &[u8], keys: &[Pinned]) -> Option<VerifierKey> {
    let opened = |pinned: &Pinned| {
        let end = LogEnd::read(end, &pinned.key).ok()?;
        pinned.window.holds(end.at).then_some(end.successor)
    };
    keys.iter().find_map(opened)
}

/// The end of a log that cannot go on, signed by it and by the log that does.
pub(super) struct LogEnd {
    /// The tree that it still shows, and the newest that it had published.
    trees: [(u64, Hash); 2],
    at: i64,
    successor: VerifierKey,
}

impl LogEnd {
    pub(super) fn read(data: &[u8], log: &VerifierKey) -> Result<Self, Problem> {
        let note = Note::read(data)?;
        let lines: Vec<&str> = note.text.split('\n').collect();
        let ["acuse/log-end/v1", origin, kept, published, time, successor, reason, ""] = lines[..] else {
            return Err("not the end of a log");
        };
        let successor = VerifierKey::read(successor, KeyKind::Log)?;
        if origin != log.name || successor.name == log.name {
            return Err("the end of another log, or one that follows itself");
        }
        for key in [log, &successor] {
            if note.signers(std::slice::from_ref(key))?.is_empty() {
                return Err("not signed by both logs");
            }
        }
        let length = reason.chars().count();
        if length == 0 || length > REASON_MAX {
            return Err("a reason that is too long, or none");
        }
        let tree = |line: &str| {
            let (size, root) = line.split_once(' ').ok_or("not a size and a root")?;
            Ok::<_, Problem>((decimal(size)?, hash_of(root)?))
        };
        let at = moment(time).ok_or("not a time")?;
        Ok(Self { trees: [tree(kept)?, tree(published)?], at, successor })
    }

    /// True if the log can have published this tree before its end.
    pub(super) fn admits(&self, head: &TreeHead) -> bool {
        let mut same = self.trees.iter().filter(|(size, _)| *size == head.size).peekable();
        self.trees.iter().any(|(size, _)| head.size <= *size)
            && (same.peek().is_none() || same.any(|(_, root)| *root == head.root))
    }
}

#[cfg(test)]
mod tests {
    use super::{LogEnd, TreeHead, VerifierKey};
    use crate::merkle::sha256;
    use crate::notes::KeyKind;

    fn key(name: &str) -> VerifierKey {
        // The id of a key depends on its name.
        let material = [&[1][..], &[9; 32]].concat();
        let id = sha256(&[name.as_bytes(), b"\n", &material].concat());
        let id: String = id[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, material);
        VerifierKey::read(&format!("{name}+{id}+{text}"), KeyKind::Log).unwrap()
    }

    #[test]
    fn no_tree_is_larger_or_other_than_a_log_had_at_its_end() {
        let (kept, published) = (sha256(b"kept"), sha256(b"published"));
        let end = LogEnd { trees: [(3, kept), (5, published)], at: 0, successor: key("next.example") };
        let admits = |size, root| end.admits(&TreeHead { origin: "log".to_owned(), size, root });
        for size in 2..=6 {
            assert_eq!(admits(size, published), matches!(size, 2 | 4 | 5), "{size} leaves");
        }
        assert!(admits(3, kept));
    }

    #[test]
    fn a_host_is_one_however_it_is_written() {
        for name in ["log.example/a", "LOG.example:443/b", "log.example./c"] {
            assert_eq!(key(name).host(), "log.example", "{name}");
        }
    }
}
