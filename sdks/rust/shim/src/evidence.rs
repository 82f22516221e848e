//! Proof bundles and the log.

use acuse::Acuse;
use serde_json::Value;

use crate::calls::Outcome;
use crate::failures::shim;

/// Of offline verification: none yet.
pub const LEVEL: u32 = 0;

pub fn verify_bundle(_: &Value) -> Outcome {
    shim("this library verifies no bundles yet")
}

pub fn checkpoint(_: &Acuse, _: &Value) -> Outcome {
    shim("this library does not follow the log yet")
}

pub fn follow(_: &Acuse, _: &Value) -> Outcome {
    shim("this library does not follow the log yet")
}

pub fn check_promise(_: &Acuse, _: &Value) -> Outcome {
    shim("this library does not follow the log yet")
}
