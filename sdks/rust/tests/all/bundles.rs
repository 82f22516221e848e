//! The bundles of contract/vectors, good and broken.

use std::fs;
use std::path::PathBuf;

use crate::support::vectors;
use acuse::types::Timestamp;
use acuse::verify::{bundle, NotABundle, Options, Policy, Remark, Report, Verdict, TRUST_BUNDLE};
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

/// True for checks of a time-stamp or of revocation data, which this version leaves out.
fn is_of_time(check: &str) -> bool {
    let covers = check.ends_with(".covers");
    !covers && (check.contains("timestamp") || check.contains("renewal") || check.contains("revocation"))
}

/// The clock of a case.
fn at(case: &Value) -> Options {
    Options::default().now(Timestamp::from(text(&case["now"])).to_system_time().unwrap())
}

fn names(remarks: &[Remark]) -> Vec<&str> {
    remarks.iter().map(|remark| remark.name.as_str()).collect()
}

/// The result of a library that checks no time-stamps: it says so, and nothing of the authority.
fn reasons(case: &Value) -> Vec<&str> {
    let all = case["reasons"].as_array().unwrap().iter().map(text);
    let mut all: Vec<&str> = all.filter(|name| *name != "development").collect();
    let first = all.iter().take_while(|name| **name == "bundle_keys").count();
    all.insert(first, "not_checked");
    all
}

/// Files that break one rule each: whoever refuses one names the same check.
fn is_of_one_rule(file: &str) -> bool {
    let rules =
        ["history", "order", "times", "outcomes", "openings-withheld", "window", "witness-own", "mldsa44"];
    let witness = ["witness-time", "witness-too", "witness-of-outcome"];
    rules.iter().chain(&witness).any(|rule| file.starts_with(&format!("broken/{rule}-")))
}

#[test]
fn good_bundles_are_not_rejected_and_broken_ones_fail_where_they_are_broken() {
    let all = vectors("bundles.json");
    let (mut good, mut broken) = (0, 0);
    for case in all["cases"].as_array().unwrap() {
        let file = text(&case["file"]);
        let expected: Vec<&str> = case["failed"].as_array().unwrap().iter().map(text).collect();
        let report = match bundle(&read(file), TRUST_BUNDLE, at(case)) {
            Ok(report) => report,
            Err(NotABundle) => {
                assert!(case["valid"] == false, "{file} is no bundle");
                continue;
            }
        };
        assert!(!report.valid, "{file}");
        if case["valid"] == true {
            assert_eq!(report.verdict, Verdict::Unproven, "{file}: {:?}", failed(&report));
            assert_eq!(names(&report.reasons), reasons(case), "{file}");
            let warnings = case["warnings"].as_array().unwrap().iter().map(text);
            // Revocation data is not read.
            let warnings: Vec<&str> = warnings.filter(|name| *name != "revoked_later").collect();
            assert_eq!(names(&report.warnings), warnings, "{file}");
            good += 1;
            continue;
        }
        broken += 1;
        match failed(&report) {
            Some(first) => {
                let allowed = if is_of_one_rule(file) { &expected[..1] } else { &expected[..] };
                let is_known = |name: &&str| *name == first || name.starts_with(&format!("{first}."));
                assert!(allowed.iter().any(is_known), "{file}: {first}, expected {expected:?}");
                assert_eq!(
                    (report.verdict, names(&report.reasons)),
                    (Verdict::Rejected, vec![first]),
                    "{file}"
                );
            }
            // Checks that depend on a failed one fail with it.
            None => assert!(is_of_time(expected[0]), "{file}: expected {expected:?}"),
        }
    }
    assert!(good >= 37 && broken >= 220, "{good} good, {broken} broken");
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
    assert_eq!((report.verdict, failed(&report)), (Verdict::Rejected, Some("checkpoint")));
    let refused = |json: &[u8]| Policy::read(json).err().unwrap().to_string();
    assert!(refused(b"{}").ends_with("the field log_keys is missing"));
    let more = own.replacen('{', "{\"quorum\":1,", 1);
    assert!(refused(more.as_bytes()).ends_with("the field \"quorum\" is not known"));
    assert!(Policy::load("/there/is/none.json").is_err());
}

#[test]
fn a_received_copy_is_told_as_not_compared() {
    let report = bundle(&read("good/sealed.zip"), TRUST_BUNDLE, Options::default().received(b"a")).unwrap();
    let copy = report.checks.iter().find(|check| check.name == "received_copy").unwrap();
    assert_eq!((copy.ok, report.verdict, report.valid), (None, Verdict::Unproven, false));
}

#[test]
fn the_verdict_is_that_of_the_policy_which_the_reader_gave() {
    let all = vectors("bundles.json");
    let own = all["pinned"].as_array().unwrap().iter().filter(|case| case["policy"] != "bundle");
    let mut count = 0;
    for case in own {
        let policy = Policy::read(case["policy"].to_string().as_bytes()).unwrap();
        let report = bundle(&read(text(&case["file"])), &policy, at(case)).unwrap();
        if case["verdict"] == "rejected" {
            assert_eq!(report.verdict, Verdict::Rejected, "{case}");
            assert_eq!(Some(text(&case["reasons"][0])), failed(&report), "{case}");
        } else {
            assert_eq!(
                (report.verdict, names(&report.reasons)),
                (Verdict::Incomplete, reasons(case)),
                "{case}"
            );
        }
        count += 1;
    }
    assert!(count > 5);
}

#[test]
fn second_signatures_that_are_not_checked_are_told_of() {
    let all = vectors("bundles.json");
    let cases = all["mldsa44"].as_array().unwrap();
    assert!(cases.len() >= 5);
    for case in cases {
        let report = bundle(&read(text(&case["file"])), TRUST_BUNDLE, at(case)).unwrap();
        let warnings = case["unchecked"]["warnings"].as_array().unwrap().iter().map(text);
        let expected = (Verdict::Unproven, warnings.collect::<Vec<&str>>());
        assert_eq!((report.verdict, names(&report.warnings)), expected, "{case}");
    }
}

#[test]
fn the_clock_is_the_systems_unless_another_is_given() {
    let all = vectors("bundles.json");
    let file = "broken/times-future-count.zip";
    let report = bundle(&read(file), TRUST_BUNDLE, Options::default()).unwrap();
    assert_eq!(report.verdict, Verdict::Unproven);
    let case = all["cases"].as_array().unwrap().iter().find(|case| case["file"] == file).unwrap();
    let report = bundle(&read(file), TRUST_BUNDLE, at(case)).unwrap();
    assert_eq!(names(&report.reasons), ["times"]);
}
