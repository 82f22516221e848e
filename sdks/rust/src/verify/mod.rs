//! Verification of proof bundles, without any network: with the bytes of a bundle and whom to trust.
//!
//! ```no_run
//! use acuse::verify::{self, Options, Policy};
//!
//! # fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = Policy::load("policy.json")?; // whom you trust: log keys, witnesses, authorities
//! let report = verify::bundle(&std::fs::read("proof.zip")?, &policy, Options::default())?;
//! println!("{:?}", report.verdict);
//! # Ok(())
//! # }
//! ```
//!
//! Every check stands in [`Report::checks`]. One that this library does not make is listed as not checked:
//! then [`Report::valid`] is false, `not_checked` is one of the reasons, and the verdict is never
//! [`Verdict::Verified`]. This version checks the container, the statement, what it opens, the log, its
//! witnesses and the outcomes; it checks no time-stamps, revocation data and received copies yet, and only
//! that no times contradict each other as they are stated, so that a good bundle is `Incomplete` under a
//! policy of yours: the command `acuse verify` checks everything.

mod base;
mod container;
mod content;
mod documents;
mod inflate;
mod json;
mod line;
mod mime;
mod params;
mod reply;
mod stated;
mod steps;
#[cfg(test)]
mod vectors_tests;
mod window;

use std::fmt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use self::base::Stop;
use self::documents::Trusted;
use self::json::Json;
use self::steps::{Found, Verification};
use crate::error::Error;

/// A policy of your own: whom to trust.
#[derive(Clone, Debug)]
pub struct Policy(Trusted);

impl Policy {
    /// Reads a file in the form of policy.json.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a policy.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let data = std::fs::read(path)
            .map_err(|error| Error::refused(format!("the policy cannot be read: {error}")))?;
        Self::read(&data)
    }

    /// Reads the text of such a file.
    ///
    /// # Errors
    ///
    /// The text is not a policy.
    pub fn read(data: &[u8]) -> Result<Self, Error> {
        let value = Json::read(data).ok_or_else(|| Error::refused("the policy is not JSON"))?;
        match Trusted::read(&value) {
            // A policy of the verifier's own demands its whole quorum.
            Ok(trusted) => Ok(Self(Trusted { reached: None, ..trusted })),
            Err(Stop::Refused { detail, .. } | Stop::Unchecked(detail)) => {
                Err(Error::refused(format!("this is not a policy: {detail}")))
            }
        }
    }
}

/// Believe the policy in the bundle, which whoever made the bundle wrote: it proves nothing until you have
/// compared its keys and roots with what you got elsewhere.
pub const TRUST_BUNDLE: TrustBundle = TrustBundle;

/// The type of [`TRUST_BUNDLE`].
#[derive(Clone, Copy, Debug)]
pub struct TrustBundle;

/// Whom to trust: a policy of your own, or [`TRUST_BUNDLE`], written out.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Trust<'a> {
    /// A policy of your own.
    Pinned(&'a Policy),
    /// The one in the bundle.
    Bundle,
}

impl<'a> From<&'a Policy> for Trust<'a> {
    fn from(policy: &'a Policy) -> Self {
        Self::Pinned(policy)
    }
}

impl From<&TrustBundle> for Trust<'_> {
    fn from(_: &TrustBundle) -> Self {
        Self::Bundle
    }
}

impl From<TrustBundle> for Trust<'_> {
    fn from(_: TrustBundle) -> Self {
        Self::Bundle
    }
}

/// Further things to look at.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    has_copy: bool,
    now: Option<SystemTime>,
}

impl Options {
    /// A received copy of the message, which this version does not compare: it is listed as not checked.
    pub fn received(mut self, _: &[u8]) -> Self {
        self.has_copy = true;
        self
    }

    /// The reader's clock, if it is not the system's: what lies a day ahead of it is refused.
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }
}

/// The meaning of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// All holds and is whole, under keys of yours.
    Verified,
    /// It holds together, and nobody whom you trust vouches for it.
    Unproven,
    /// Genuine, and not the whole, or not all of it was checked.
    Incomplete,
    /// A check does not hold.
    Rejected,
}

impl Verdict {
    /// `verified`, `unproven`, `incomplete` or `rejected`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unproven => "unproven",
            Self::Incomplete => "incomplete",
            Self::Rejected => "rejected",
        }
    }
}

/// A reason or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// A code, such as `bundle_keys`, or the name of a check.
    pub name: String,
    /// The same as a sentence.
    pub detail: String,
}

impl Remark {
    fn of(name: &str, detail: &str) -> Self {
        Self { name: name.to_owned(), detail: detail.to_owned() }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// Its name in docs/evidence-format.md of the project, section 9.
    pub name: String,
    /// True if it holds; None: not checked.
    pub ok: Option<bool>,
    /// The same in words.
    pub detail: String,
}

/// The outcome of a verification, check by check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is not [`Verdict::Verified`]; of [`Verdict::Rejected`], the check that failed.
    pub reasons: Vec<Remark>,
    /// Oddities that break nothing. Times of time-stamps are as they are stated.
    pub warnings: Vec<Remark>,
    /// True if every check was made and holds, whoever vouches and whatever is left out.
    pub valid: bool,
    /// True if a policy of yours was used.
    pub pinned: bool,
    /// The constancia's time; None while time-stamps are not checked.
    pub sealed_at: Option<String>,
    /// True if a development authority stamped it; None while time-stamps are not checked.
    pub development: Option<bool>,
    /// The checks, up to the first that does not hold.
    pub checks: Vec<Check>,
}

/// The file is something else: it is no evidence, valid or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotABundle;

impl fmt::Display for NotABundle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("acuse: the file is not a proof bundle: it has no entry proof.tlog-proof")
    }
}

impl std::error::Error for NotABundle {}

/// Verifies a bundle, ZIP or JSON. Everything about the bundle is in the report.
///
/// # Errors
///
/// The bytes are no bundle at all.
pub fn bundle<'a>(data: &[u8], trust: impl Into<Trust<'a>>, options: Options) -> Result<Report, NotABundle> {
    if !container::looks_like_bundle(data) {
        return Err(NotABundle);
    }
    let pinned = match trust.into() {
        Trust::Pinned(policy) => Some(&policy.0),
        Trust::Bundle => None,
    };
    let now = millis_of(options.now.unwrap_or_else(SystemTime::now));
    let found = Verification::run(data, pinned, options.has_copy, now);
    let (verdict, reasons) = judge(&found, pinned.is_none());
    let valid = found.checks.iter().all(|check| check.ok == Some(true));
    Ok(Report {
        verdict,
        reasons,
        warnings: found.warnings,
        valid,
        pinned: pinned.is_some(),
        sealed_at: None,
        development: None,
        checks: found.checks,
    })
}

fn millis_of(time: SystemTime) -> i64 {
    let whole = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX / 2);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => whole(since),
        Err(before) => -whole(before.duration()),
    }
}

/// The worst wins.
fn judge(found: &Found, is_bundle: bool) -> (Verdict, Vec<Remark>) {
    let failed = found.checks.iter().filter(|check| check.ok == Some(false));
    let failed: Vec<Remark> = failed.map(|check| Remark::of(&check.name, &check.detail)).collect();
    if !failed.is_empty() {
        return (Verdict::Rejected, failed);
    }
    let is_open = found.checks.iter().any(|check| check.ok.is_none());
    let reasons = [
        (is_bundle, "bundle_keys", "the keys are those that the file itself names"),
        (is_open, "not_checked", "this library does not check all: acuse verify does"),
        (!found.is_counted, "outcomes_not_counted", "it does not show how many outcomes there were"),
        (found.withheld > 0, "outcomes_withheld", "it withholds outcomes that were counted"),
        (!found.is_one_log, "history_not_shown", "it does not show that its trees are one log"),
        (found.is_in_part, "content_disclosed", "it shows a part of the content"),
        (found.content == "erased", "content_erased", "the message's content was erased"),
    ];
    let reasons: Vec<Remark> = reasons
        .into_iter()
        .filter(|(applies, ..)| *applies)
        .map(|(_, name, detail)| Remark::of(name, detail))
        .collect();
    let verdict = match reasons.first() {
        None => Verdict::Verified,
        Some(_) if is_bundle => Verdict::Unproven,
        Some(_) => Verdict::Incomplete,
    };
    (verdict, reasons)
}
