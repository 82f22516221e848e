//! contract/vectors/exchanges.json, played by a raw server.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use acuse::types::{BatchItem, NewApiKey, Send as Draft};
use acuse::{Acuse, ApiErrorKind, Cancel, Error, Options};
use base64::prelude::{Engine, BASE64_STANDARD};
use serde_json::Value;

use crate::support::vectors;

/// Plays the answers of a case.
struct Peer {
    case: Value,
    requests: AtomicUsize,
    taken: AtomicUsize,
    gone: AtomicBool,
}

fn start(case: &Value) -> (Arc<Peer>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let scheme = if case["tls"] == true { "https" } else { "http" };
    let url = format!("{scheme}://{}", listener.local_addr().unwrap());
    let peer = Arc::new(Peer {
        case: case.clone(),
        requests: AtomicUsize::new(0),
        taken: AtomicUsize::new(0),
        gone: AtomicBool::new(false),
    });
    let shared = peer.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let peer = shared.clone();
            thread::spawn(move || while peer.read(&stream) && peer.play(&stream) {});
        }
    });
    (peer, url)
}

impl Peer {
    /// A connection that is closed with bytes unread is reset.
    fn resets(&self) -> bool {
        self.case["answers"][0]["end"] == "reset"
    }

    fn take(&self, mut stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        if self.resets() {
            thread::sleep(Duration::from_millis(5));
            stream.peek(buffer)
        } else {
            stream.read(buffer)
        }
    }

    fn read(&self, stream: &TcpStream) -> bool {
        let _ = stream.set_nodelay(true);
        let (mut data, mut buffer) = (Vec::new(), vec![0; 65_536]);
        while !self.is_whole(&data) {
            match self.take(stream, &mut buffer) {
                Ok(0) | Err(_) => return false,
                Ok(count) if self.resets() => data = buffer[..count].to_vec(),
                Ok(count) => data.extend_from_slice(&buffer[..count]),
            }
        }
        self.requests.fetch_add(1, Ordering::SeqCst);
        true
    }

    fn is_whole(&self, data: &[u8]) -> bool {
        if self.case["tls"] == true {
            return !data.is_empty();
        }
        let text = String::from_utf8_lossy(data).to_lowercase();
        let Some((head, rest)) = text.split_once("\r\n\r\n") else {
            return false;
        };
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        rest.len() >= length.map_or(0, |length| length.parse().unwrap())
    }

    fn play(&self, stream: &TcpStream) -> bool {
        let answers = self.case["answers"].as_array().unwrap();
        let turn = self.requests.load(Ordering::SeqCst).min(answers.len()) - 1;
        for step in answers[turn]["steps"].as_array().unwrap() {
            if !self.say(stream, step) {
                return false;
            }
        }
        match answers[turn]["end"].as_str().unwrap() {
            "keep" => return true,
            "hold" => {
                while !self.gone.load(Ordering::SeqCst) {
                    thread::sleep(Duration::from_millis(20));
                }
            }
            _ => {}
        }
        false
    }

    fn say(&self, mut stream: &TcpStream, step: &Value) -> bool {
        let bytes = match step["base64"].as_str() {
            Some(text) => BASE64_STANDARD.decode(text).unwrap(),
            None => step["text"].as_str().unwrap().as_bytes().to_vec(),
        };
        let times = step["times"].as_u64().unwrap_or(1);
        let mut count = 0;
        while (times == 0 || count < times) && !self.gone.load(Ordering::SeqCst) {
            if stream.write_all(&bytes).is_err() {
                return false;
            }
            self.taken.fetch_add(bytes.len(), Ordering::SeqCst);
            thread::sleep(Duration::from_millis(step["every_ms"].as_u64().unwrap_or(0)));
            count += 1;
        }
        true
    }
}

fn class_of(error: Option<&Error>) -> &'static str {
    match error {
        None => "ok",
        Some(Error::Configuration(_)) => "ConfigurationError",
        Some(Error::Connection(_)) => "ConnectionError",
        Some(Error::Timeout(_)) => "TimeoutError",
        Some(Error::Cancelled(_)) => "Cancelled",
        Some(Error::Protocol(_)) => "ProtocolError",
        Some(Error::Api(error)) => match error.kind() {
            ApiErrorKind::InvalidRequest => "InvalidRequestError",
            ApiErrorKind::Authentication => "AuthenticationError",
            ApiErrorKind::Permission => "PermissionError",
            ApiErrorKind::NotFound => "NotFoundError",
            ApiErrorKind::Conflict => "ConflictError",
            ApiErrorKind::Refused => "RefusedError",
            ApiErrorKind::QuotaExceeded => "QuotaExceededError",
            ApiErrorKind::RateLimited => "RateLimitedError",
            ApiErrorKind::Server => "ServerError",
            ApiErrorKind::Unavailable => "UnavailableError",
            _ => "ApiError",
        },
        Some(_) => "another",
    }
}

fn client(file: &Value, case: &Value, url: &str, cancel: &Cancel) -> Acuse {
    let retries = u32::try_from(case["max_retries"].as_u64().unwrap()).unwrap();
    let mut options = Options::new()
        .api_key(file["api_key"].as_str().unwrap())
        .base_url(url)
        .max_retries(retries)
        .cancel(cancel)
        .sleep(|_| ())
        .random(|| 0.0);
    if let Some(limit) = case["limit_ms"].as_u64().map(Duration::from_millis) {
        options = options.timeout(limit).deadline(limit).connect_timeout(limit);
    }
    Acuse::new(options).unwrap()
}

fn call(acuse: &Acuse, file: &Value, case: &Value) -> Option<Error> {
    let (id, key) = (file["id"].as_str().unwrap(), file["idempotency_key"].as_str().unwrap());
    match case["call"].as_str().unwrap() {
        "send" => {
            acuse.messages().send(&Draft::new("a@sandbox.test", "b@sandbox.test").text("Hi"), key).err()
        }
        "batch" => {
            let item = BatchItem::new(key, "a@sandbox.test", "b@sandbox.test").text("Hi");
            match acuse.messages().send_batch([item]) {
                Ok(mut entries) => entries.remove(0).error,
                Err(error) => Some(error),
            }
        }
        "read" => acuse.messages().get(id).err(),
        "list" => acuse.messages().list().pages().next().and_then(Result::err),
        "create" => acuse.api_keys().create(&NewApiKey::new("a", ["send"])).err(),
        _ => acuse.webhooks().delete(id).err(),
    }
}

fn is_unshown(one: char) -> bool {
    (one.is_control() && one != '\n')
        || matches!(one, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check(file: &Value, case: &Value, peer: &Peer, error: Option<&Error>) {
    let (name, out) = (&case["name"], &case["out"]);
    let class = class_of(error);
    assert!(out["class"] == class || out["or"] == class, "{name}: {class}: {error:?}");
    if let Some(requests) = out["requests"].as_u64() {
        assert_eq!(peer.requests.load(Ordering::SeqCst) as u64, requests, "{name}: requests");
    }
    if let Some(most) = out["taken_max"].as_u64() {
        assert!(peer.taken.load(Ordering::SeqCst) as u64 <= most, "{name}: bytes taken");
    }
    let Some(error) = error else { return };
    if out["key"] == true {
        assert_eq!(error.idempotency_key(), file["idempotency_key"].as_str(), "{name}: key");
    }
    if class != "Cancelled" {
        assert_eq!(error.outcome_unknown(), out["outcome_unknown"] == true, "{name}: outcome unknown");
    }
    if let Some(api) = error.api() {
        assert_eq!(out["status"], api.status, "{name}");
        assert_eq!(out["code"], api.code, "{name}");
        assert_eq!(out["retry_after"].as_f64(), api.retry_after.map(|wait| wait.as_secs_f64()), "{name}");
        let begins = out["message"].as_str().unwrap_or_default();
        assert!(api.message.starts_with(begins), "{name}: {}", api.message);
    }
    for text in [format!("{error}"), format!("{error:?}")] {
        assert!(!text.contains(is_unshown) && !text.contains("canarycanary"), "{name}: {text:?}");
    }
}

#[test]
fn exchanges_come_out_as_the_vectors_say() {
    let file = vectors("exchanges.json");
    for case in file["cases"].as_array().unwrap() {
        let (peer, url) = start(case);
        let cancel = Cancel::new();
        let acuse = client(&file, case, &url, &cancel);
        if let Some(after) = case["cancel_after_ms"].as_u64() {
            let cancel = cancel.clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(after));
                cancel.cancel();
            });
        }
        let error = call(&acuse, &file, case);
        peer.gone.store(true, Ordering::SeqCst);
        check(&file, case, &peer, error.as_ref());
    }
}
