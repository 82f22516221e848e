//! The bundles of contract/vectors, good and broken.

use std::fs;
use std::path::PathBuf;

use crate::support::vectors;
use acuse::verify::{bundle, NotABundle, Options, Policy, Report, Verdict, TRUST_BUNDLE};
use serde_json::Value;

fn read(file: &str) -> Vec<u8> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/bundles"));
    fs::read(root.join(file)).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The first check that does not hold.
fn failed(report: &Report) -> Option<&str> {
    report.checks.iter().find(|check| check.ok == Some(false)).map(|check| check.name.as_str())
}

/// Of a time-stamp or of revocation data: what this version leaves out.
fn is_of_time(check: &str) -> bool {
    let covers = check.ends_with(".covers");
    !covers && (check.contains("timestamp") || check.contains("renewal") || check.contains("revocation"))
        || check == "time_order"
}

#[test]
fn good_bundles_are_not_invalid_and_broken_ones_fail_where_they_are_broken() {
    let all = vectors("bundles.json");
    let (mut good, mut broken) = (0, 0);
    for case in all["cases"].as_array().unwrap() {
        let file = text(&case["file"]);
        let expected: Vec<&str> = case["failed"].as_array().unwrap().iter().map(text).collect();
        let report = match bundle(&read(file), TRUST_BUNDLE, Options::default()) {
            Ok(report) => report,
            Err(NotABundle) => {
                assert!(case["valid"] == false, "{file} is no bundle");
                continue;
            }
        };
        if case["valid"] == true {
            assert_eq!(report.verdict, Verdict::Incomplete, "{file}: {:?}", failed(&report));
            good += 1;
            continue;
        }
        broken += 1;
        assert_ne!(report.verdict, Verdict::Valid, "{file}");
        match failed(&report) {
            Some(first) => {
                let is_known = |name: &&str| *name == first || name.starts_with(&format!("{first}."));
                assert!(expected.iter().any(is_known), "{file}: {first}, expected {expected:?}");
            }
            // What depends on a failed check fails with it.
            None => assert!(is_of_time(expected[0]), "{file}: expected {expected:?}"),
        }
    }
    assert!(good >= 15 && broken >= 96, "{good} good, {broken} broken");
}

#[test]
fn no_single_bit_makes_a_bundle_valid_or_stops_the_library() {
    let sealed = read("good/sealed.zip");
    const BITS: usize = 400;
    for at in 0..BITS {
        let bit = at * sealed.len() * 8 / BITS;
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(report) = bundle(&changed, TRUST_BUNDLE, Options::default()) {
            assert_ne!(report.verdict, Verdict::Valid, "bit {bit}");
        }
    }
    for length in (0..sealed.len()).step_by(997) {
        if let Ok(report) = bundle(&sealed[..length], TRUST_BUNDLE, Options::default()) {
            assert_eq!(report.verdict, Verdict::Invalid, "{length} bytes");
        }
    }
    assert_eq!(bundle(b"something else", TRUST_BUNDLE, Options::default()).unwrap_err(), NotABundle);
}

#[test]
fn a_policy_of_ones_own_decides() {
    let json: Value = serde_json::from_slice(&read("good/sealed.json")).unwrap();
    let entries = json["entries"].as_array().unwrap();
    let own = entries.iter().find(|entry| entry["name"] == "policy.json").unwrap();
    let own = text(&own["text"]);
    let data = read("good/sealed.zip");
    let policy = Policy::read(own.as_bytes()).unwrap();
    let report = bundle(&data, &policy, Options::default()).unwrap();
    assert!(report.pinned && report.verdict == Verdict::Incomplete);
    let mut other: Value = serde_json::from_str(own).unwrap();
    other["log_keys"] = Value::Array(Vec::new());
    let other = Policy::read(other.to_string().as_bytes()).unwrap();
    let report = bundle(&data, &other, Options::default().received(b"a copy")).unwrap();
    assert_eq!((report.verdict, failed(&report)), (Verdict::Invalid, Some("checkpoint")));
    assert!(Policy::read(b"{}").is_err() && Policy::load("/there/is/none.json").is_err());
}

#[test]
fn a_received_copy_is_told_as_not_compared() {
    let report = bundle(&read("good/sealed.zip"), TRUST_BUNDLE, Options::default().received(b"a")).unwrap();
    let copy = report.checks.iter().find(|check| check.name == "received_copy").unwrap();
    assert_eq!((copy.ok, report.verdict), (None, Verdict::Incomplete));
}
