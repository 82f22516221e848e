//! For tests of a program that uses Acuse: a service in memory, signed deliveries, the addresses of the
//! sandbox.
//!
//! ```
//! use acuse::testing::FakeAcuse;
//! use acuse::{Acuse, Send};
//!
//! # fn run() -> Result<(), acuse::Error> {
//! let fake = FakeAcuse::new();
//! let acuse = Acuse::new(fake.options())?;
//! fake.refuse(503, acuse::code::UNAVAILABLE); // the next request; it is tried again
//! let message = Send::new("billing@sandbox.test", "delivered@sandbox.test").text("Hello.");
//! assert!(!acuse.messages().send(&message, "invoice-1")?.replayed);
//! assert!(acuse.messages().send(&message, "invoice-1")?.replayed);
//! assert_eq!(fake.sent().len(), 1);
//! # Ok(())
//! # }
//! # run().unwrap();
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use ring::hmac;
use serde_json::{json, Value};

use crate::answer::Headers;
use crate::errors_generated::code;
use crate::json::Wire;
use crate::messages::made;
use crate::settings::{millis_since, Options};
use crate::transport::{Incoming, Lost, LostKind, Outgoing, Transport};
use crate::types::Message;
use crate::values::Timestamp;
use crate::webhook::{Reason, WebhookError};
use crate::Phase;

/// A service in memory that takes sends and batches and gives messages back: it knows keys, replays, and the refusals
/// that a test scripts. A clone is the same service.
#[derive(Clone, Default)]
pub struct FakeAcuse(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    refusals: VecDeque<(u16, String)>,
    /// By key: what was given, and the message.
    by_key: BTreeMap<String, (Value, Value)>,
    order: Vec<Value>,
}

struct Reply {
    status: u16,
    replayed: bool,
    body: Value,
}

fn refusal(status: u16, code: &str, message: &str) -> Reply {
    let body = json!({ "error": { "code": code, "message": message } });
    Reply { status, replayed: false, body }
}

impl FakeAcuse {
    /// An empty service.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A client that speaks to it, and never waits between its attempts.
    pub fn options(&self) -> Options {
        Options::new()
            .api_key("acuse_00000000_fake")
            .base_url("http://localhost:8025")
            .transport(Arc::new(self.clone()))
            .sleep(|_| ())
    }

    /// Refuses the next request that has not been given an answer yet.
    pub fn refuse(&self, status: u16, code: impl Into<String>) {
        self.state(|state| state.refusals.push_back((status, code.into())));
    }

    /// The bodies of the messages that were accepted, each once, in order; a composed message as `raw`.
    #[must_use]
    pub fn sent(&self) -> Vec<Value> {
        self.state(|state| state.order.clone())
    }

    fn state<T>(&self, use_it: impl FnOnce(&mut State) -> T) -> T {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for FakeAcuse {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "FakeAcuse {{ {} sent }}", self.state(|state| state.order.len()))
    }
}

impl Transport for FakeAcuse {
    fn exchange(
        &self,
        request: &Outgoing<'_>,
        take: &mut dyn FnMut(Incoming<'_>) -> io::Result<()>,
    ) -> Result<(), Lost> {
        let reply = self.state(|state| state.answer(request));
        let mut headers = Headers::default();
        headers.push("Request-Id", "fake");
        if reply.replayed {
            headers.push("Idempotent-Replayed", "true");
        }
        let body = reply.body.to_string();
        take(Incoming::new(reply.status, headers, &mut body.as_bytes()))
            .map_err(|error| Lost::new(LostKind::Answer, Phase::Receive, error.to_string()))
    }
}

impl State {
    fn answer(&mut self, request: &Outgoing<'_>) -> Reply {
        if let Some((status, code)) = self.refusals.pop_front() {
            return refusal(status, &code, "The test refuses this.");
        }
        let path = request.url.strip_prefix("http://localhost:8025/v1/messages").unwrap_or("-");
        match (request.method, path, path.strip_prefix('/')) {
            ("POST", "", _) => self.send(request),
            ("POST", "/batch", _) => self.batch(request),
            ("GET", _, Some(id)) => match self.by_key.values().find(|(_, message)| message["id"] == *id) {
                Some((_, message)) => Reply { status: 200, replayed: false, body: message.clone() },
                None => refusal(404, code::NOT_FOUND, "No such message."),
            },
            _ => refusal(404, code::NOT_FOUND, "The fake service has no such thing."),
        }
    }

    fn send(&mut self, request: &Outgoing<'_>) -> Reply {
        let body = request.body.unwrap_or_default();
        let is_json =
            request.headers.get("Content-Type").is_some_and(|kind| kind.starts_with("application/json"));
        let given = match serde_json::from_slice(body) {
            Ok(given) if is_json => given,
            _ if is_json => return refusal(400, code::INVALID_BODY, "The body is not JSON."),
            _ => json!({ "raw": String::from_utf8_lossy(body) }),
        };
        self.accept(request.headers.get("Idempotency-Key").unwrap_or_default(), given)
    }

    fn batch(&mut self, request: &Outgoing<'_>) -> Reply {
        let asked = serde_json::from_slice::<Value>(request.body.unwrap_or_default()).unwrap_or_default();
        let Some(items) = asked["messages"].as_array() else {
            return refusal(400, code::INVALID_BODY, "The body is no batch.");
        };
        let mut counts = BTreeMap::from([("created", 0), ("replayed", 0), ("failed", 0)]);
        let mut results = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let mut given = item.clone();
            let key = given.as_object_mut().and_then(|fields| fields.remove("idempotency_key"));
            let reply = self.accept(key.as_ref().and_then(Value::as_str).unwrap_or_default(), given);
            let status = match reply.status {
                200 => "replayed",
                201 => "created",
                _ => "failed",
            };
            *counts.entry(status).or_default() += 1;
            results.push(if status == "failed" {
                json!({ "index": index, "status": status, "error": reply.body["error"] })
            } else {
                json!({ "index": index, "status": status, "message": reply.body })
            });
        }
        let mut body = json!(counts);
        body["results"] = json!(results);
        Reply { status: 200, replayed: false, body }
    }

    fn accept(&mut self, key: &str, given: Value) -> Reply {
        if key.is_empty() {
            return refusal(400, code::MISSING_IDEMPOTENCY_KEY, "Send a key.");
        }
        if let Some((before, message)) = self.by_key.get(key) {
            if *before != given {
                return refusal(422, code::IDEMPOTENCY_KEY_REUSED, "The key was used before.");
            }
            return Reply { status: 200, replayed: true, body: message.clone() };
        }
        let number = self.order.len() + 1;
        let to = given["to"].as_str().or_else(|| given["to"][0].as_str()).unwrap_or_default();
        let now = now();
        let known = json!({
            "id": format!("00000000-0000-7000-8000-{number:012}"), "idempotency_key": key,
            "from": given["from"].as_str().unwrap_or_default(), "to": to, "subject": given["subject"].as_str().unwrap_or_default(),
            "certified": given["certified"].as_bool().unwrap_or(true), "status": "queued",
            "tags": given["tags"].as_array().cloned().unwrap_or_default(),
            "metadata": given["metadata"].as_object().cloned().unwrap_or_default(),
            "size_bytes": given.to_string().len(), "created_at": now, "queued_at": now,
        });
        // Further fields of a message, as the contract says it.
        let message = Message::from_json(known).map(|message| json!(message)).unwrap_or_default();
        self.by_key.insert(key.to_owned(), (given.clone(), message.clone()));
        self.order.push(given);
        Reply { status: 201, replayed: false, body: message }
    }
}

fn now() -> String {
    Timestamp::from(SystemTime::now()).to_string()
}

/// The header fields of a delivery of this body, as the server signs it: for tests of your receiver. Its id is
/// `data.event_id`, or a new one.
///
/// # Errors
///
/// The secret is none, or the body is not an event.
pub fn sign_webhook(body: &[u8], secret: &str, at: SystemTime) -> Result<Headers, WebhookError> {
    let bytes = secret.strip_prefix("whsec_").and_then(|text| STANDARD.decode(text).ok());
    let key = bytes.filter(|bytes| !bytes.is_empty()).ok_or(WebhookError::from(Reason::BadSecret))?;
    let event: Value = serde_json::from_slice(body).map_err(|_| WebhookError::from(Reason::MalformedBody))?;
    let made = made().map_err(|_| WebhookError::from(Reason::MalformedBody))?;
    let id = event["data"]["event_id"].as_str().unwrap_or(&made);
    let stamp = millis_since(SystemTime::UNIX_EPOCH, at).div_euclid(1000).to_string();
    let sum = |key: &[u8], data: &[u8]| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data);
    let signed = [id.as_bytes(), b".", stamp.as_bytes(), b".", body].concat();
    let whole: String =
        sum(secret.as_bytes(), body).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut headers = Headers::default();
    headers.push("webhook-id", id);
    headers.push("webhook-signature", format!("v1,{}", STANDARD.encode(sum(&key, &signed))));
    headers.push("webhook-timestamp", stamp);
    headers.push("Service-Event", event["type"].as_str().unwrap_or_default());
    headers.push("Service-Signature", format!("sha256={whole}"));
    Ok(headers)
}

/// An address of the sandbox whose messages end so: `delivered`, `bounced`, … A tag, which may be empty,
/// tells addresses apart.
#[must_use]
pub fn sandbox_address(outcome: &str, tag: &str) -> String {
    let plus = if tag.is_empty() { "" } else { "+" };
    format!("{outcome}{plus}{tag}@sandbox.test")
}

#[cfg(test)]
mod tests {
    use super::{sandbox_address, sign_webhook, FakeAcuse};
    use crate::webhook::{verify, Tolerance};
    use crate::{code, Acuse, Send};
    use std::time::SystemTime;

    #[test]
    fn the_fake_knows_keys_replays_and_refusals() {
        let fake = FakeAcuse::new();
        let acuse = Acuse::new(fake.options()).unwrap();
        let message = Send::new("a@sandbox.test", ["b@sandbox.test"]).subject("One");
        fake.refuse(503, code::UNAVAILABLE);
        let sent = acuse.messages().send(&message, "k").unwrap();
        assert_eq!((sent.replayed, sent.attempts), (false, 2));
        assert!(acuse.messages().send(&message, "k").unwrap().replayed);
        let other = acuse.messages().send(&message.clone().subject("Two"), "k").unwrap_err();
        assert_eq!(other.code(), Some(code::IDEMPOTENCY_KEY_REUSED));
        assert_eq!(acuse.messages().get(&sent.message.id).unwrap().subject, "One");
        assert_eq!(acuse.messages().get("none").unwrap_err().code(), Some(code::NOT_FOUND));
        assert_eq!(fake.sent().len(), 1);
        assert_eq!(sandbox_address("bounced", "x"), "bounced+x@sandbox.test");
    }

    #[test]
    fn the_fake_takes_batches() {
        let fake = FakeAcuse::new();
        let acuse = Acuse::new(fake.options()).unwrap();
        let message = Send::new("a@sandbox.test", ["b@sandbox.test"]).subject("One");
        let first = acuse.messages().send(&message, "k").unwrap();
        let other = message.clone().subject("Two");
        let items = [message.keyed("k"), other.clone().keyed("k"), other.keyed("l")];
        let done = acuse.messages().send_batch(items).unwrap();
        let statuses: Vec<_> = done.iter().map(|each| each.status.as_str()).collect();
        assert_eq!(statuses, ["replayed", "failed", "created"]);
        assert_eq!(done[0].message.as_ref().unwrap().id, first.message.id);
        assert_eq!(fake.sent().len(), 2);
    }

    #[test]
    fn signed_deliveries_are_verified() {
        let secret = "whsec_bXkgc2VjcmV0";
        let body =
            br#"{"type":"email.sent","created_at":"2026-11-20T09:30:00.000Z","data":{"event_id":"e1"}}"#;
        let headers = sign_webhook(body, secret, SystemTime::now()).unwrap();
        let event = verify(body, &headers, &[secret], Tolerance::DEFAULT).unwrap();
        assert_eq!((event.kind.as_str(), event.event_id.as_str()), ("email.sent", "e1"));
        let body = br#"{"type":"email.sent","created_at":"2026-11-20T09:30:00.000Z","data":{}}"#;
        let headers = sign_webhook(body, secret, SystemTime::now()).unwrap();
        assert!(!verify(body, &headers, &[secret], Tolerance::DEFAULT).unwrap().event_id.is_empty());
        assert!(verify(b"{}", &headers, &[secret], Tolerance::DEFAULT).is_err());
        assert!(sign_webhook(body, "nothing", SystemTime::now()).is_err());
    }
}
