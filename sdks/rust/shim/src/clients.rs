//! Clients, one for each different text of options, and what a call records.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use acuse::{Acuse, AttemptInfo, Options};
use serde_json::{json, Value};

use crate::failures::{class_of, Failure};
use crate::Call;

/// The calls of the hook and the sleeps.
#[derive(Default)]
pub struct Record {
    pub attempts: Vec<Value>,
    pub sleeps: Vec<u64>,
}

fn kept() -> &'static Mutex<HashMap<String, Acuse>> {
    static CLIENTS: OnceLock<Mutex<HashMap<String, Acuse>>> = OnceLock::new();
    CLIENTS.get_or_init(Mutex::default)
}

type Set<T> = fn(Options, T) -> Options;

fn options_of(given: &Value) -> Options {
    let random = given["random"].as_f64().unwrap_or_default();
    let mut options = Options::new().random(move || random);
    let texts: [(&str, Set<String>); 5] = [
        ("api_key", Options::api_key),
        ("base_url", Options::base_url),
        ("app_info", Options::app_info),
        ("ca_file", Options::ca_file),
        ("proxy", Options::proxy),
    ];
    for (name, set) in texts {
        if let Some(text) = given[name].as_str() {
            options = set(options, text.to_owned());
        }
    }
    let times: [(&str, Set<Duration>); 3] = [
        ("connect_timeout_ms", Options::connect_timeout),
        ("timeout_ms", Options::timeout),
        ("deadline_ms", Options::deadline),
    ];
    for (name, set) in times {
        if let Some(ms) = given[name].as_u64() {
            options = set(options, Duration::from_millis(ms));
        }
    }
    if given["allow_insecure"] == true {
        options = options.allow_insecure();
    }
    if let Some(retries) = given["max_retries"].as_u64() {
        options = options.max_retries(u32::try_from(retries).unwrap_or(u32::MAX));
    }
    if let Some(ms) = given["now_ms"].as_u64() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
        options = options.clock(move || now);
    }
    options
}

/// A view of the client of these options that records what this call is told.
pub fn client_of(call: &Call) -> Result<Acuse, Failure> {
    let text = call.options.to_string();
    let client = {
        let mut clients = kept().lock().unwrap();
        match clients.get(&text) {
            Some(client) => client.clone(),
            None => {
                let client = Acuse::new(options_of(&call.options))?;
                clients.insert(text, client.clone());
                client
            }
        }
    };
    let throws = call.options["hook"] == "throw";
    let is_real = call.options["sleep"] == "real";
    let (hooked, slept) = (call.record.clone(), call.record.clone());
    let cancel = call.cancel.clone();
    let sleep = move |pause: Duration| slept.lock().unwrap().sleeps.push(millis(pause));
    let hook = move |info: &AttemptInfo<'_>| {
        let mut record = hooked.lock().unwrap();
        record.attempts.push(told(info));
        // The library sleeps itself then, so that cancelling can end it.
        if is_real {
            record.sleeps.extend(info.retry_in.map(millis));
        }
        drop(record);
        assert!(!throws, "the hook throws");
    };
    let view = client.with_options(|options| {
        let options = options.on_attempt(hook).cancel(&cancel);
        if is_real {
            options
        } else {
            options.sleep(sleep)
        }
    });
    Ok(view?)
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn told(info: &AttemptInfo<'_>) -> Value {
    json!({
        "operation": info.operation,
        "attempt": info.attempt,
        "status": info.status,
        "code": info.code,
        "request_id": info.request_id,
        "duration_ms": info.duration.as_millis(),
        "retry_in_ms": info.retry_in.map(|wait| wait.as_millis()),
        "error": info.error.map(class_of),
    })
}
