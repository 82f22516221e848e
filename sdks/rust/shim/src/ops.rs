//! The operations of the shim.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, SystemTime};

use acuse::types::{Attachment, BatchItem, Send};
use acuse::webhook::{self, Event, Reason, Tolerance, WebhookError};
use acuse::{Acuse, BatchEntry, Key, Maybe, Options, Sent};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde_json::{json, Value};

use crate::calls::{written, Given, Outcome};
use crate::clients::client_of;
use crate::dispatch_generated as dispatch;
use crate::evidence;
use crate::failures::{of_acuse, shim, Failure};
use crate::print;
use crate::roundtrip_generated::roundtrip;
use crate::Call;

pub fn run(op: &str, call: &Call) -> Outcome {
    let args = &call.args;
    match op {
        "info" => info(),
        "verify_webhook" => verify_webhook(args).and_then(|event| event_of(&event)),
        "verify_bundle" => evidence::verify_bundle(args),
        "roundtrip" => through(args),
        "send" => sent(client_of(call)?.messages().send(&message(args)?, key(args))),
        "send_raw" => sent(client_of(call)?.messages().send_raw(decoded(&args["content"])?, key(args))),
        "send_many" => send_many(&client_of(call)?, args),
        "send_file" => send_file(&client_of(call)?, args),
        "send_batch" => send_batch(&client_of(call)?, args),
        "call" => dispatch::call(&client_of(call)?, operation(args)?, &Given(args)),
        "list" => dispatch::list(&client_of(call)?, operation(args)?, &Given(args), take(args)),
        "pages" => dispatch::pages(&client_of(call)?, operation(args)?, &Given(args), take(args)),
        "download_bundle" => download(&client_of(call)?, args),
        "wait_until_sealed" => {
            let within = Duration::from_millis(args["within_ms"].as_u64().unwrap_or_default());
            let id = text(args, "message_id")?;
            written(&client_of(call)?.evidence().wait_until_sealed(id, within)?)
        }
        "log_checkpoint" => evidence::checkpoint(&client_of(call)?, args),
        "log_follow" => evidence::follow(&client_of(call)?, args),
        "check_promise" => evidence::check_promise(&client_of(call)?, args),
        "print" => print::texts(call),
        _ => shim(format!("the op {op} is not known")),
    }
}

pub fn text<'a>(args: &'a Value, name: &str) -> Result<&'a str, Failure> {
    args[name].as_str().map_or_else(|| shim(format!("{name} is missing")), Ok)
}

fn operation(args: &Value) -> Result<&str, Failure> {
    text(args, "operation")
}

fn take(args: &Value) -> Option<usize> {
    args["take"].as_u64().and_then(|take| usize::try_from(take).ok())
}

fn key(args: &Value) -> Key {
    args["idempotency_key"].as_str().map_or(Key::Auto, Key::given)
}

fn decoded(value: &Value) -> Result<Vec<u8>, Failure> {
    let text = value.as_str().unwrap_or_default();
    STANDARD.decode(text).or_else(|fault| shim(format!("base64: {fault}")))
}

pub fn message(args: &Value) -> Result<Send, Failure> {
    serde_json::from_value(args["message"].clone()).or_else(|fault| shim(format!("the message: {fault}")))
}

fn info() -> Outcome {
    let client = Acuse::new(Options::new().api_key("acuse_info_x").base_url("http://localhost"))?;
    Ok(json!({
        "language": "rust",
        "version": env!("CARGO_PKG_VERSION"),
        "user_agent": client.user_agent(),
        "level": evidence::LEVEL,
        "operations": dispatch::OPERATIONS,
    }))
}

fn sent(result: Result<Sent, acuse::Error>) -> Outcome {
    let sent = result?;
    Ok(json!({
        "message": written(&sent.message)?,
        "replayed": sent.replayed,
        "idempotency_key": sent.idempotency_key,
        "attempts": sent.attempts,
        "request_id": sent.meta.request_id,
    }))
}

fn send_file(client: &Acuse, args: &Value) -> Outcome {
    let mut message = message(args)?;
    let mut all = message.attachments.get().cloned().unwrap_or_default();
    all.push(Attachment::from_file(text(args, "path")?)?);
    message = message.attachments(all);
    sent(client.messages().send(&message, key(args)))
}

fn send_many(client: &Acuse, args: &Value) -> Outcome {
    let count = usize::try_from(args["count"].as_u64().unwrap_or_default()).unwrap_or_default();
    let threads = args["threads"].as_u64().unwrap_or(1).max(1);
    let message = message(args)?;
    let keys = args["keys"].as_str();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![Value::Null; count]);
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return;
        }
        let subject = message.subject.get().map_or("", String::as_str);
        let mut numbered = message.clone();
        numbered.subject = Maybe::Value(format!("{subject} {number}").trim_start().to_owned());
        let key = keys.map_or(Key::Auto, |prefix| Key::given(format!("{prefix}{number}")));
        let result = match client.messages().send(&numbered, key) {
            Ok(sent) => json!({ "id": sent.message.id, "replayed": sent.replayed }),
            Err(error) => json!({ "error": of_acuse(&error) }),
        };
        results.lock().unwrap()[number] = result;
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    Ok(json!({ "results": results.into_inner().unwrap() }))
}

fn send_batch(client: &Acuse, args: &Value) -> Outcome {
    let given = args["items"].as_array().cloned().unwrap_or_default();
    let items: Result<Vec<BatchItem>, Failure> = given.into_iter().map(item).collect();
    let entries = client.messages().send_batch(items?)?;
    let results: Result<Vec<Value>, Failure> = entries.iter().map(entry).collect();
    Ok(json!({ "results": results? }))
}

/// An item without a key is a send.
fn item(value: Value) -> Result<BatchItem, Failure> {
    let wrong = |fault: serde_json::Error| Failure::Shim(format!("an item: {fault}"));
    if value["idempotency_key"].is_string() {
        return serde_json::from_value(value).map_err(wrong);
    }
    serde_json::from_value::<Send>(value).map(BatchItem::from).map_err(wrong)
}

fn entry(entry: &BatchEntry) -> Outcome {
    Ok(json!({
        "status": entry.status.as_str(),
        "idempotency_key": entry.idempotency_key,
        "message": written(&entry.message)?,
        "error": entry.error.as_ref().map(of_acuse),
    }))
}

fn download(client: &Acuse, args: &Value) -> Outcome {
    let before = memory("VmRSS:");
    let _ = fs::write("/proc/self/clear_refs", "5");
    let id = text(args, "message_id")?;
    let bytes = client.evidence().download_bundle(id, text(args, "path")?)?;
    let peak = before.zip(memory("VmHWM:")).map(|(before, most)| most.saturating_sub(before));
    let mut result = json!({ "bytes": bytes });
    if let Some(peak) = peak {
        result["peak_bytes"] = json!(peak);
    }
    Ok(result)
}

/// Bytes of memory, where the system tells.
fn memory(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

pub fn verify_webhook(args: &Value) -> Result<Event, Failure> {
    if !args["parsed"].is_null() {
        // Bytes are bytes in Rust: a value that was parsed before does not compile in their place.
        return Err(Failure::Webhook(parsed()));
    }
    let headers: Vec<(String, String)> = args["headers"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    let secrets: Vec<&str> =
        args["secrets"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut tolerance = args["tolerance"].as_u64().map_or(Tolerance::DEFAULT, Tolerance::seconds);
    if args["accept_unstamped"] == true {
        tolerance = tolerance.accept_unstamped();
    }
    let now = Duration::from_secs(args["now"].as_u64().unwrap_or_default());
    let body = match args["body"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => decoded(&args["body_base64"])?,
    };
    let tolerance = tolerance.at(SystemTime::UNIX_EPOCH + now);
    Ok(webhook::verify(&body, &headers, &secrets, tolerance)?)
}

fn parsed() -> WebhookError {
    WebhookError::from(Reason::ParsedBody)
}

fn event_of(event: &Event) -> Outcome {
    Ok(json!({
        "type": event.kind,
        "created_at": event.created_at.as_str(),
        "data": event.data,
        "event_id": event.event_id,
        "replay_protected": event.replay_protected,
    }))
}

fn through(args: &Value) -> Outcome {
    let schema = text(args, "schema")?;
    match roundtrip(schema, args["value"].clone()) {
        Some(Ok(value)) => Ok(value),
        Some(Err(fault)) => shim(fault),
        None => shim(format!("the schema {schema} is not known")),
    }
}
