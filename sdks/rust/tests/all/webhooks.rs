//! Deliveries: contract/vectors/webhooks.json.

use std::time::{Duration, SystemTime};

use crate::support::vectors;
use acuse::webhook::{verify, EventData, Tolerance};
use ring::hmac;
use serde_json::Value;

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn fields(case: &Value) -> Vec<(&str, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let headers = case["headers"].as_object().unwrap();
    headers.iter().map(|(name, value)| (name.as_str(), text(value))).collect()
}

#[test]
fn deliveries_are_those_of_every_language() {
    let all = vectors("webhooks.json");
    let cases = all["cases"].as_array().unwrap();
    for case in cases {
        let headers = fields(case);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(case["now"].as_u64().unwrap());
        let mut tolerance = Tolerance::seconds(case["tolerance"].as_u64().unwrap()).at(now);
        if case["accept_unstamped"] == true {
            tolerance = tolerance.accept_unstamped();
        }
        let body = case["body"].as_str().unwrap().as_bytes();
        let result = verify(body, &headers, &texts(&case["secrets"]), tolerance);
        let out = &case["out"];
        match result {
            Ok(event) => {
                let expected = &out["event"];
                assert_eq!(event.kind, expected["type"], "{}", case["name"]);
                assert_eq!(event.created_at.as_str(), expected["created_at"], "{}", case["name"]);
                assert_eq!(event.data, expected["data"], "{}", case["name"]);
                assert_eq!(event.event_id, expected["event_id"], "{}", case["name"]);
                assert_eq!(event.replay_protected, expected["replay_protected"]);
            }
            Err(error) => assert_eq!(error.reason.as_str(), out["reason"], "{}", case["name"]),
        }
    }
}

#[test]
fn an_unstamped_event_without_an_id_has_none() {
    let secret = "whsec_gqt1+L1O3uCyOBXWUFwJvfT+SRWzoxpGBBm1p0Kz9GY=";
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    for (data, id) in [("{}", ""), (r#"{"event_id":7}"#, ""), (r#"{"event_id":"e1"}"#, "e1")] {
        let body =
            format!(r#"{{"type":"email.sent","created_at":"2026-11-20T09:30:00.000Z","data":{data}}}"#);
        let tag = hmac::sign(&key, body.as_bytes());
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let headers = [("service-signature", format!("sha256={hex}"))];
        let event =
            verify(body.as_bytes(), &headers[..], &[secret], Tolerance::DEFAULT.accept_unstamped()).unwrap();
        assert_eq!((event.event_id.as_str(), event.replay_protected), (id, false), "{data}");
    }
}

#[test]
fn the_data_of_an_event_has_a_type() {
    let all = vectors("webhooks.json");
    let case = &all["cases"][0];
    let headers = fields(case);
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(case["now"].as_u64().unwrap());
    let body = case["body"].as_str().unwrap().as_bytes();
    let tolerance = Tolerance::DEFAULT.at(now);
    let event = verify(body, &headers, &texts(&case["secrets"]), tolerance).unwrap();
    let EventData::EmailQueued(data) = event.typed().unwrap() else {
        panic!("{event:?} is not of its type");
    };
    assert_eq!(data.message_id, case["out"]["event"]["data"]["message_id"]);
    let mut later = event;
    later.kind = "email.teleported".to_owned();
    assert!(matches!(later.typed().unwrap(), EventData::Other(_)));
}
