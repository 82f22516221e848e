//! Every way in which Rust prints a value, and what the libraries below write to the log meanwhile.

use std::fmt::{Debug, Display};
use std::mem;
use std::sync::Mutex;

use log::{LevelFilter, Log, Metadata, Record};
use serde_json::json;

use crate::calls::Outcome;
use crate::clients::client_of;
use crate::failures::shim;
use crate::ops::{message, verify_webhook};
use crate::Call;

struct Kept(Mutex<String>);

impl Log for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let mut lines = self.0.lock().unwrap();
        lines.push_str(&format!("{} {}\n", record.level(), record.args()));
    }

    fn flush(&self) {}
}

static LOG: Kept = Kept(Mutex::new(String::new()));

pub fn install() {
    let _ = log::set_logger(&LOG);
}

fn debugged(value: &impl Debug) -> Vec<String> {
    vec![format!("{value:?}"), format!("{value:#?}")]
}

fn displayed<T: Debug + Display>(value: &T) -> Vec<String> {
    let mut texts = debugged(value);
    texts.push(format!("{value}"));
    texts.push(format!("{value:#}"));
    texts
}

pub fn texts(call: &Call) -> Outcome {
    log::set_max_level(LevelFilter::Trace);
    let texts = match call.args["what"].as_str() {
        Some("client") => {
            let client = client_of(call)?;
            let mut texts = debugged(&client);
            texts.extend(debugged(&client.messages()));
            texts.extend(debugged(&client.messages().list().subject("a subject")));
            texts
        }
        Some("request") => debugged(&message(&call.args)?),
        Some("event") => debugged(&verify_webhook(&call.args)?),
        Some("error") => match client_of(call)?.messages().send(&message(&call.args)?, acuse::Key::Auto) {
            Ok(_) => return shim("the send succeeded"),
            Err(error) => displayed(&error),
        },
        _ => return shim("nothing prints this"),
    };
    log::set_max_level(LevelFilter::Off);
    let mut texts = texts;
    texts.push(mem::take(&mut LOG.0.lock().unwrap()));
    Ok(json!({ "texts": texts }))
}
