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
//! Every check stands in [`Report::checks`]. One that this library does not make is listed as not checked,
//! and makes the verdict [`Verdict::Incomplete`], never [`Verdict::Valid`]. This version checks the
//! container, the statement, what it opens, the log, its witnesses and the outcomes; it checks no
//! time-stamps, revocation data and received copies yet, so that a good bundle is `Incomplete`: the command
//! `acuse verify` checks everything.

mod base;
mod container;
mod content;
mod documents;
mod json;
mod mime;
mod params;
mod steps;
#[cfg(test)]
mod vectors_tests;

use std::fmt;
use std::path::Path;

use self::base::Stop;
use self::documents::Trusted;
use self::json::Json;
use self::steps::Verification;
use crate::error::Error;

/// A policy of your own: whom to trust.
#[derive(Clone, Debug)]
pub struct Policy(Trusted);

impl Policy {
    /// Of a file in the form of policy.json.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is none.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let data = std::fs::read(path)
            .map_err(|error| Error::refused(format!("the policy cannot be read: {error}")))?;
        Self::read(&data)
    }

    /// Of the text of such a file.
    ///
    /// # Errors
    ///
    /// It is none.
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

impl From<TrustBundle> for Trust<'_> {
    fn from(_: TrustBundle) -> Self {
        Self::Bundle
    }
}

/// What else to look at.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    has_copy: bool,
}

impl Options {
    /// A received copy of the message, which this version does not compare: it is listed as not checked.
    pub fn received(mut self, _: &[u8]) -> Self {
        self.has_copy = true;
        self
    }
}

/// What came of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Every check holds.
    Valid,
    /// A check does not hold.
    Invalid,
    /// Nothing is wrong, and something was not checked.
    Incomplete,
}

impl Verdict {
    /// `valid`, `invalid` or `incomplete`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Incomplete => "incomplete",
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// Its name in docs/evidence-format.md of the project, section 9.
    pub name: String,
    /// Whether it holds; None: not checked.
    pub ok: Option<bool>,
    /// The same in words.
    pub detail: String,
}

/// What came of a verification, check by check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// All of it.
    pub verdict: Verdict,
    /// Whether a policy of yours was used.
    pub pinned: bool,
    /// The constancia's time; None while time-stamps are not checked.
    pub sealed_at: Option<String>,
    /// Whether a development authority stamped it; None while time-stamps are not checked.
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
    let checks = Verification::run(data, pinned, options.has_copy);
    let verdict = if checks.iter().any(|check| check.ok == Some(false)) {
        Verdict::Invalid
    } else if checks.iter().any(|check| check.ok.is_none()) {
        Verdict::Incomplete
    } else {
        Verdict::Valid
    };
    Ok(Report { verdict, pinned: pinned.is_some(), sealed_at: None, development: None, checks })
}
