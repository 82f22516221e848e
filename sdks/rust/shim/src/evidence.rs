//! Proof bundles and the log.

use std::fs;

use acuse::types::Timestamp;
use acuse::verify::{self, Check, Options, Policy, Remark, TRUST_BUNDLE};
use acuse::{Acuse, LogCheckpoint, Message};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde_json::{json, Value};

use crate::calls::Outcome;
use crate::failures::{shim, Failure};
use crate::ops::text;

/// The level of offline verification: all but time-stamps and revocation.
pub const LEVEL: u32 = 1;

pub fn verify_bundle(args: &Value) -> Outcome {
    let unreadable = |error: std::io::Error| Failure::Verify(error.to_string());
    let data = fs::read(text(args, "path")?).map_err(unreadable)?;
    let mut options = Options::default();
    if let Some(path) = args["eml"].as_str() {
        options = options.received(&fs::read(path).map_err(unreadable)?);
    }
    if let Some(now) = args["now"].as_str() {
        let now = Timestamp::from(now).to_system_time();
        options = options.now(now.ok_or_else(|| Failure::Verify("now is not a time".to_owned()))?);
    }
    let report = match text(args, "policy")? {
        "TRUST_BUNDLE" => verify::bundle(&data, TRUST_BUNDLE, options),
        path => verify::bundle(&data, &Policy::load(path)?, options),
    };
    let report = report.map_err(|not| Failure::Verify(not.to_string()))?;
    let check = |check: &Check| json!({ "name": check.name, "ok": check.ok, "detail": check.detail });
    Ok(json!({
        "verdict": report.verdict.as_str(),
        "valid": report.valid,
        "reasons": names(&report.reasons),
        "warnings": names(&report.warnings),
        "trust": if report.pinned { "pinned" } else { "bundle" },
        "sealed_at": report.sealed_at,
        "development": report.development,
        "checks": report.checks.iter().map(check).collect::<Vec<_>>(),
    }))
}

fn names(remarks: &[Remark]) -> Vec<&str> {
    remarks.iter().map(|remark| remark.name.as_str()).collect()
}

fn told(checkpoint: &LogCheckpoint) -> Value {
    json!({
        "origin": checkpoint.origin,
        "tree_size": checkpoint.tree_size,
        "root_hash": STANDARD.encode(checkpoint.root_hash),
        "saved": checkpoint.note,
    })
}

pub fn checkpoint(client: &Acuse, args: &Value) -> Outcome {
    Ok(told(&client.log().pinned_checkpoint(text(args, "pinned_key")?)?))
}

pub fn follow(client: &Acuse, args: &Value) -> Outcome {
    Ok(told(&client.log().follow(text(args, "pinned_key")?, text(args, "saved")?)?))
}

pub fn check_promise(client: &Acuse, args: &Value) -> Outcome {
    let message: Message = serde_json::from_value(args["message"].clone())
        .or_else(|fault| shim(format!("the message: {fault}")))?;
    let state = client.log().check_promise(&message, text(args, "pinned_key")?)?;
    Ok(json!({ "state": state.as_str() }))
}
