//! Every schema of the contract comes back as it was: what is known, and what a later server may add.

use crate::roundtrip_generated::{roundtrip, SCHEMAS};
use crate::support::vectors;
use acuse::types::{Message, MessageStatus, Send};
use serde_json::{json, Value};

#[test]
fn examples_of_every_schema_come_back() {
    let all = vectors("examples.json");
    let names: Vec<&str> = all.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names.len(), SCHEMAS.len());
    for name in names {
        let each = &all[name];
        let others = each["others"].as_array().into_iter().flatten();
        for value in others.chain([&each["full"], &each["minimal"], &each["future"]]) {
            if !value.is_null() {
                let back = roundtrip(name, value.clone()).expect(name).expect(name);
                assert!(same(value, &back), "{name}: {value} came back as {back}");
            }
        }
    }
}

/// Numbers are compared by what they are worth: 1 and 1.0 are one.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let known =
                |(name, value): (&String, &Value)| other.get(name).is_some_and(|found| same(value, found));
            one.len() == other.len() && one.iter().all(known)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

#[test]
fn a_missing_field_is_an_error_and_an_unknown_one_is_kept() {
    let whole = vectors("examples.json")["Message"]["full"].clone();
    for wrong in [json!({}), json!([]), json!(null), json!("x"), json!({ "id": null })] {
        assert!(serde_json::from_value::<Message>(wrong).is_err());
    }
    let mut short = whole.clone();
    short.as_object_mut().unwrap().remove("id");
    let fault = serde_json::from_value::<Message>(short).unwrap_err().to_string();
    assert!(fault.contains("Message.id: the field is missing"), "{fault}");
    // An older server: all but what carries the meaning may be missing.
    let least: Message = serde_json::from_value(json!({ "id": "m1" })).unwrap();
    assert_eq!((least.id.as_str(), least.subject.as_str(), least.sealed_at), ("m1", "", None));
    let mut later = whole;
    later["status"] = json!("teleported");
    later["mood"] = json!("good");
    let message: Message = serde_json::from_value(later).unwrap();
    assert_eq!(message.status, MessageStatus::Other("teleported".to_owned()));
    assert_eq!(message.status, "teleported");
    assert_eq!(message.extra["mood"], "good");
    assert!(message.created_at.to_system_time().is_some());
}

#[test]
fn what_is_not_set_is_not_sent() {
    let send = Send::new("a@sandbox.test", ["b@sandbox.test", "c@sandbox.test"])
        .subject("Invoice 1")
        .certified(false)
        .tags(["bills"])
        .variables([("n", 1)])
        .metadata([("invoice", "1")]);
    let expected = json!({
        "from": "a@sandbox.test", "to": ["b@sandbox.test", "c@sandbox.test"],
        "subject": "Invoice 1", "certified": false, "tags": ["bills"], "variables": { "n": 1 },
        "metadata": { "invoice": "1" },
    });
    assert_eq!(serde_json::to_value(&send).unwrap(), expected);
}
