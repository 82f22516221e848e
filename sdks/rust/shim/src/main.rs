//! The Rust library in the conformance suite: sdks/conformance/README.md has the protocol. It only
//! translates.

mod calls;
mod clients;
mod evidence;
mod failures;
mod ops;
mod print;

#[rustfmt::skip]
mod dispatch_generated;
#[rustfmt::skip]
mod roundtrip_generated;

use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use acuse::Cancel;
use serde_json::{json, Value};

use crate::clients::Record;
use crate::failures::{described, Failure};

fn main() -> io::Result<()> {
    print::install();
    let out = Arc::new(Mutex::new(io::stdout()));
    let mut running = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let out = out.clone();
        running.push(thread::spawn(move || {
            let mut text = handle(&line).to_string();
            text.push('\n');
            let mut out = out.lock().unwrap();
            if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                eprintln!("{error}");
            }
        }));
        running.retain(|each| !each.is_finished());
    }
    for each in running {
        let _ = each.join();
    }
    Ok(())
}

/// A request of the suite, while it is worked on.
pub struct Call {
    pub args: Value,
    pub options: Value,
    pub record: Arc<Mutex<Record>>,
    pub cancel: Cancel,
}

fn handle(line: &str) -> Value {
    let request: Value = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(fault) => {
            let failure = Failure::Shim(format!("the line is not a request: {fault}"));
            return json!({ "id": null, "error": described(&failure) });
        }
    };
    let args = if request["args"].is_null() { json!({}) } else { request["args"].clone() };
    let call =
        Call { args, options: request["options"].clone(), record: Arc::default(), cancel: Cancel::new() };
    let ended = Arc::new(Mutex::new(None));
    if let Some(wait) = call.args["cancel_after_ms"].as_u64() {
        let (cancel, ended) = (call.cancel.clone(), ended.clone());
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(wait));
            *ended.lock().unwrap() = Some(Instant::now());
            cancel.cancel();
        });
    }
    let op = request["op"].as_str().unwrap_or_default();
    let result = catch_unwind(AssertUnwindSafe(|| ops::run(op, &call)))
        .unwrap_or_else(|_| Err(Failure::Shim("the shim panicked".to_owned())));
    let record = call.record.lock().unwrap();
    let mut answer = json!({
        "id": request["id"], "attempts": record.attempts, "sleeps": record.sleeps,
    });
    match result {
        Ok(value) => answer["result"] = value,
        Err(failure) => {
            answer["error"] = described(&failure);
            if let Some(at) = *ended.lock().unwrap() {
                answer["error"]["elapsed_ms"] = json!(at.elapsed().as_millis());
            }
        }
    }
    answer
}
