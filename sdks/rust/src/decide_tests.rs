//! The vectors that hold in every language: contract/vectors/client-decisions.json.

use serde_json::Value;

use super::{decide, delay_ms, http_date_ms, retry_after_ms, Decision, Outcome, Retry, Situation};
use crate::budget::Budget;
use crate::call::is_deleted;

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/client-decisions.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn class_of(name: &Value) -> Retry {
    match name.as_str().unwrap() {
        "safe" => Retry::Safe,
        "keyed" => Retry::Keyed,
        "repeatable" => Retry::Repeatable,
        "once" => Retry::Once,
        other => panic!("{other} is not a class"),
    }
}

fn outcome_of(given: &Value) -> Outcome {
    match given["kind"].as_str().unwrap() {
        "no_connection" => Outcome::NoConnection,
        "tls" => Outcome::Tls,
        "lost_answer" => Outcome::LostAnswer,
        "timeout" => Outcome::Timeout,
        "malformed" => Outcome::Malformed,
        "cancelled" => Outcome::Cancelled,
        "answer" => Outcome::Answer {
            status: u16::try_from(given["status"].as_u64().unwrap()).unwrap(),
            code: given["code"].as_str().map(str::to_owned),
        },
        other => panic!("{other} is not an outcome"),
    }
}

fn header<'a>(given: &'a Value, name: &str) -> Option<&'a str> {
    let fields = given["headers"].as_object()?;
    fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str()
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn decisions_are_those_of_every_language() {
    let all = vectors();
    let cases = all["decisions"].as_array().unwrap();
    assert!(cases.len() > 300);
    for case in cases {
        let (given, out) = (&case["in"], &case["out"]);
        let outcome = outcome_of(&given["outcome"]);
        let decision = decide(&Situation {
            class: class_of(&given["class"]),
            outcome: &outcome,
            attempt: number(&given["attempt"]),
            max_retries: number(&given["max_retries"]),
            retry_after: header(given, "retry-after"),
            date: header(given, "date"),
            u: given["u"].as_f64().unwrap(),
            budget: given["budget"].as_i64().unwrap(),
            time_left: given["time_left"].as_i64().unwrap(),
            now: given["now"].as_i64().unwrap(),
        });
        let Decision { delay, budget, retry_after, unknown, because } = decision;
        assert_eq!(delay.is_some(), out["retry"], "{}", case["name"]);
        assert_eq!(delay, out["delay"].as_i64(), "{}", case["name"]);
        assert_eq!(budget, out["budget"], "{}", case["name"]);
        assert_eq!(retry_after, out["retry_after"].as_i64(), "{}", case["name"]);
        assert_eq!(unknown, out["unknown"], "{}", case["name"]);
        assert_eq!(because, out["because"].as_str(), "{}", case["name"]);
    }
}

#[test]
fn retry_after_is_read_to_the_letter() {
    for case in vectors()["retry_after"].as_array().unwrap() {
        let value = case["value"].as_str().unwrap();
        let found = retry_after_ms(value, None, case["now"].as_i64().unwrap());
        assert_eq!(found, case["ms"].as_i64(), "{value}");
        if !case["moment"].is_null() {
            assert_eq!(http_date_ms(value.trim()), case["moment"].as_i64(), "{value}");
        }
    }
}

#[test]
fn delays_grow_and_are_spread() {
    for case in vectors()["delays"].as_array().unwrap() {
        let found = delay_ms(number(&case["retry"]), case["u"].as_f64().unwrap());
        assert_eq!(found, case["delay"], "{case}");
    }
}

#[test]
fn budgets_are_paid_and_given_back() {
    for case in vectors()["budgets"].as_array().unwrap() {
        let budget = Budget::starting_with(case["start"].as_i64().unwrap());
        let mut spent = 0;
        for event in case["events"].as_array().unwrap() {
            let outcome = match event["event"].as_str().unwrap() {
                "lost" => Outcome::LostAnswer,
                "timeout" => Outcome::Timeout,
                ended @ ("ok" | "ok after retry") => {
                    budget.succeeded(if ended == "ok" { 1 } else { 2 }, spent);
                    spent = 0;
                    assert_eq!(budget.left(), event["budget"], "{}", case["name"]);
                    continue;
                }
                other => panic!("{other} is not an event"),
            };
            let (decision, cost) = budget.decide(Situation {
                class: Retry::Safe,
                outcome: &outcome,
                attempt: 1,
                max_retries: 3,
                retry_after: None,
                date: None,
                u: 0.0,
                budget: 0,
                time_left: 180_000,
                now: 0,
            });
            assert_eq!(decision.delay.is_some(), event["paid"], "{}", case["name"]);
            spent += cost;
            assert_eq!(budget.left(), event["budget"], "{}", case["name"]);
        }
    }
}

#[test]
fn a_deletion_that_finds_nothing_afterwards_has_succeeded() {
    for case in vectors()["deletions"].as_array().unwrap() {
        let mut unknown = false;
        let mut ended = "failed";
        for outcome in case["outcomes"].as_array().unwrap().iter().map(outcome_of) {
            let is_good = matches!(outcome, Outcome::Answer { status: 204, .. });
            if is_good || is_deleted("DELETE", unknown, &outcome) {
                ended = "deleted";
            }
            unknown |= outcome.is_unknown();
        }
        assert_eq!(ended, case["ended"], "{}", case["name"]);
    }
}
