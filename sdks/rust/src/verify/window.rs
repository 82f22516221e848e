//! When a key or an authority is trusted: docs/evidence-format.md of the project, section 8.

use super::base::{Checked, Fields};
use crate::notes::{Note, Problem, SecondKey, VerifierKey};

/// From when until when (milliseconds since 1970); None: no bound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    from: Option<i64>,
    until: Option<i64>,
}

impl Window {
    pub(super) fn read(of: &Fields<'_>) -> Checked<Self> {
        let bound = |name: &str| of.has(name).then(|| of.millis(name)).transpose();
        let window = Self { from: bound("from")?, until: bound("until")? };
        let is_empty = window.from.zip(window.until).is_some_and(|(from, until)| from >= until);
        of.need(!is_empty, "until is not after from")?;
        Ok(window)
    }

    pub(super) fn holds(self, at: i64) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
}

/// A key and when it is trusted: at the time of what it signed.
#[derive(Clone, Debug)]
pub(super) struct Pinned {
    pub(super) key: VerifierKey,
    pub(super) window: Window,
}

/// The same of the second key of a log.
#[derive(Clone, Debug)]
pub(super) struct PinnedSecond {
    pub(super) key: SecondKey,
    pub(super) window: Window,
}

/// When each second key of this name that was trusted then signed too (seconds since 1970). At None, none is
/// looked at: the time cannot be read, which is refused anyway.
pub(super) fn second_signed(
    keys: &[PinnedSecond],
    name: &str,
    at: Option<i64>,
    note: &Note,
) -> Result<Vec<u64>, Problem> {
    let is_wanted =
        |pinned: &&PinnedSecond| pinned.key.name == name && at.is_some_and(|at| pinned.window.holds(at));
    keys.iter().filter(is_wanted).map(|pinned| note.second_signed_at(&pinned.key)).collect()
}

/// The same of whoever counted the outcomes of a message: its log, or the one that goes on. The end of a log,
/// which names the latter, has no second signature: it must not spare the count one, whatever time that states.
pub(super) fn counter_second_signed(
    keys: &[PinnedSecond],
    log: &str,
    counter: &str,
    at: i64,
    note: &Note,
) -> Result<Vec<u64>, Problem> {
    let is_known = keys.iter().any(|pinned| pinned.key.name == log && pinned.window.holds(at));
    if counter == log || !is_known {
        return second_signed(keys, counter, Some(at), note);
    }
    let listed: Vec<_> = keys.iter().filter(|pinned| pinned.key.name == counter).collect();
    if listed.is_empty() {
        return Err("counted by a log without a second key");
    }
    listed.into_iter().map(|pinned| note.second_signed_at(&pinned.key)).collect()
}

/// The keys that were trusted then; None: all.
pub(super) fn trusted_at(keys: &[Pinned], at: Option<i64>) -> Vec<VerifierKey> {
    keys.iter()
        .filter(|pinned| at.is_none_or(|at| pinned.window.holds(at)))
        .map(|pinned| pinned.key.clone())
        .collect()
}
