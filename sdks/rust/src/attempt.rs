//! One attempt of a call: what is sent, how it ended, and what is told of it.

use std::io::{self, Read};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use serde_json::Value;

use crate::answer::{Headers, Meta};
use crate::call::{Operation, Running};
use crate::client::Acuse;
use crate::decide::{retry_after_ms, Decision, Outcome, Retry};
use crate::error::{ApiError, ConnectionError, Error, Phase, ProtocolError};
use crate::errors_generated::fix_of;
use crate::json::Fault;
use crate::redact::masked;
use crate::sound;
use crate::transport::{Cancel, Incoming, Lost, LostKind, Outgoing};

/// Bytes of a body that give an attempt one second more.
const BODY_PER_SECOND: usize = 256 << 10;
/// Bytes of a JSON answer.
const JSON_SIZE_MAX: u64 = 16 << 20;
/// Bytes of other answers that are kept in memory.
const BYTES_SIZE_MAX: u64 = 160 << 20;
/// Characters of a code.
const CODE_MAX: usize = 64;
/// How long a download may wait between two reads.
const READ_PAUSE: Duration = Duration::from_secs(30);

/// The report to the hook about an attempt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AttemptInfo<'a> {
    /// The resource and the method: `messages.send`.
    pub operation: &'static str,
    /// Its number, from 1.
    pub attempt: u32,
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// The code of a refusal.
    pub code: Option<&'a str>,
    /// The server's name for the request.
    pub request_id: Option<&'a str>,
    /// How long it took.
    pub duration: Duration,
    /// When there will be another attempt.
    pub retry_in: Option<Duration>,
    /// The failure; None after a success.
    pub error: Option<&'a Error>,
}

/// The use of the body of a success.
pub(crate) enum Take<'a> {
    Nothing,
    Json(&'a mut dyn FnMut(&[u8]) -> Result<(), Fault>),
    Bytes(&'a mut Vec<u8>),
    Stream(&'a mut dyn FnMut(&mut dyn Read) -> Result<(), Streamed>),
}

/// Why a stream ended too early.
pub(crate) enum Streamed {
    Network(io::Error),
    /// This machine's disk: repeating the request helps nobody.
    Disk(io::Error),
}

/// How an attempt ended.
pub(crate) struct Ended {
    pub(crate) ok: bool,
    pub(crate) outcome: Outcome,
    pub(crate) meta: Meta,
    pub(crate) took: Duration,
    /// The server's words, or what is wrong.
    message: String,
    phase: Phase,
    late: bool,
    unsent: bool,
}

impl Ended {
    fn new(outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            ok: false,
            outcome,
            meta: Meta::default(),
            took: Duration::ZERO,
            message: message.into(),
            phase: Phase::Receive,
            late: false,
            unsent: false,
        }
    }

    /// By the caller, before the first attempt or after one.
    pub(crate) fn cancelled(after: Option<&Ended>) -> Self {
        let mut ended = Self::new(Outcome::Cancelled, "the call was cancelled");
        ended.phase = after.map_or(Phase::Connect, |last| last.phase);
        ended.unsent = true;
        ended
    }

    fn lost(lost: Lost, base: &str) -> Self {
        let outcome = match lost.kind {
            LostKind::NoConnection | LostKind::ConnectTimeout => Outcome::NoConnection,
            LostKind::Tls => Outcome::Tls,
            LostKind::Answer => Outcome::LostAnswer,
            LostKind::Timeout => Outcome::Timeout,
            LostKind::Cancelled => Outcome::Cancelled,
        };
        // What the operating system says does not have the address.
        let message = match outcome {
            Outcome::NoConnection => format!("{base}: {}", lost.message),
            _ => lost.message,
        };
        let mut ended = Self::new(outcome, message);
        ended.phase = lost.phase;
        ended.late = matches!(lost.kind, LostKind::Timeout | LostKind::ConnectTimeout);
        ended.unsent = matches!(lost.phase, Phase::Connect | Phase::Tls);
        ended
    }

    /// True if the request may have had its effect, although nobody knows.
    pub(crate) fn is_unknown(&self) -> bool {
        self.outcome.is_unknown() && !self.unsent
    }

    /// True if the request may have been carried out. A read changes nothing.
    pub(crate) fn may_have_done(&self, operation: &Operation) -> bool {
        operation.retry != Retry::Safe && self.is_unknown()
    }
}

impl Acuse {
    pub(crate) fn attempt(&self, running: &Running<'_>, take: &mut Take<'_>) -> Ended {
        let options = &self.settings.options;
        let never = Cancel::new();
        let cancel = options.cancel.as_ref().unwrap_or(&never);
        let Some(_slot) = self.shared.slots.take(cancel) else {
            return Ended::cancelled(None);
        };
        let extra = running.body.map_or(0, |body| body.len() / BODY_PER_SECOND);
        let left = running.deadline.duration_since(self.settings.now()).unwrap_or_default();
        let time = options.timeout + Duration::from_secs(extra as u64);
        let headers = self.headers(running);
        let request = Outgoing {
            method: running.request.operation.method,
            url: &running.url,
            headers: &headers,
            body: running.body,
            time: time.min(left).max(Duration::from_millis(1)),
            pause: matches!(take, Take::Stream(_)).then_some(READ_PAUSE),
            cancel,
        };
        let mut ended = None;
        let lost = self.shared.transport().exchange(&request, &mut |incoming| {
            ended = Some(receive(running.request.operation.success, incoming, take)?);
            Ok(())
        });
        match (lost, ended) {
            (Err(lost), _) => Ended::lost(lost, &self.settings.base.text),
            (Ok(()), Some(ended)) => ended,
            (Ok(()), None) => Ended::new(Outcome::LostAnswer, "the transport brought no answer"),
        }
    }

    fn headers(&self, running: &Running<'_>) -> Headers {
        let operation = running.request.operation;
        let mut headers = Headers::default();
        headers.push("Authorization", format!("Bearer {}", self.settings.api_key));
        headers.push("User-Agent", self.user_agent());
        headers.push("Acuse-Attempt", running.attempt.to_string());
        if !operation.accept.is_empty() {
            headers.push("Accept", operation.accept);
        }
        if running.body.is_some() {
            headers.push("Content-Type", operation.media);
        }
        if let Some(key) = &running.request.key {
            headers.push("Idempotency-Key", key.as_str());
        }
        headers
    }

    /// Calls the hook; what it panics with changes nothing.
    pub(crate) fn tell(&self, running: &Running<'_>, ended: &Ended, next: Option<&Decision>) {
        let Some(hook) = &self.settings.options.on_attempt else {
            return;
        };
        let error = next.map(|_| self.failure(running, ended));
        let delay = next.and_then(|next| next.delay);
        let given = |text: &'_ str| !text.is_empty();
        let info = AttemptInfo {
            operation: running.request.operation.name,
            attempt: running.attempt,
            status: Some(ended.meta.status).filter(|status| *status != 0),
            code: match &ended.outcome {
                Outcome::Answer { code, .. } => code.as_deref(),
                _ => None,
            },
            request_id: Some(ended.meta.request_id.as_str()).filter(|text| given(text)),
            duration: ended.took,
            retry_in: delay.and_then(|wait| u64::try_from(wait).ok()).map(Duration::from_millis),
            error: error.as_ref(),
        };
        let _ = catch_unwind(AssertUnwindSafe(|| hook(&info)));
    }

    /// The error of a call whose last attempt ended so.
    pub(crate) fn failure(&self, running: &Running<'_>, ended: &Ended) -> Error {
        let outcome_unknown = running.unknown || ended.may_have_done(running.request.operation);
        let operation = running.request.operation.name;
        let idempotency_key = running.request.key.clone();
        let attempts = running.attempt;
        let message = masked(&ended.message, &self.settings.api_key);
        let Meta { status, request_id, .. } = ended.meta.clone();
        match &ended.outcome {
            Outcome::Malformed => Error::Protocol(Box::new(ProtocolError {
                message,
                status,
                request_id,
                outcome_unknown,
                idempotency_key,
                attempts,
                operation,
            })),
            Outcome::Answer { code, .. } => {
                let code = code.clone().unwrap_or_default();
                let fix = fix_of(&code);
                Error::Api(Box::new(ApiError {
                    status,
                    code,
                    message,
                    fix,
                    request_id,
                    retry_after: self.retry_after(&ended.meta.headers),
                    idempotency_key,
                    attempts,
                    operation,
                    outcome_unknown,
                }))
            }
            outcome => {
                let lost = Box::new(ConnectionError {
                    phase: ended.phase,
                    outcome_unknown,
                    idempotency_key,
                    attempts,
                    operation,
                    message,
                });
                match outcome {
                    Outcome::Cancelled => Error::Cancelled(lost),
                    _ if ended.late => Error::Timeout(lost),
                    _ => Error::Connection(lost),
                }
            }
        }
    }

    fn retry_after(&self, headers: &Headers) -> Option<Duration> {
        let now = self.settings.now_ms();
        let wait = retry_after_ms(headers.get("Retry-After")?, headers.get("Date"), now)?;
        u64::try_from(wait).ok().map(Duration::from_millis)
    }
}

/// Reads an answer. The error is that of a body that broke off.
fn receive(success: &[u16], incoming: Incoming<'_>, take: &mut Take<'_>) -> io::Result<Ended> {
    let Incoming { status, headers, body } = incoming;
    let meta = Meta {
        status,
        request_id: masked(headers.get("Request-Id").unwrap_or_default(), ""),
        headers,
        attempts: 0,
    };
    let is_good = success.contains(&status);
    let mut ended = Ended::new(Outcome::Answer { status, code: None }, "");
    ended.meta = meta;
    if let (true, Take::Stream(stream)) = (is_good, &mut *take) {
        match stream(body) {
            Ok(()) => ended.ok = true,
            Err(Streamed::Network(error)) => return Err(error),
            Err(Streamed::Disk(error)) => {
                ended.outcome = Outcome::Tls;
                ended.message = error.to_string();
            }
        }
        return Ok(ended);
    }
    let limit = if is_good && !matches!(take, Take::Json(_)) { BYTES_SIZE_MAX } else { JSON_SIZE_MAX };
    let mut content = Vec::new();
    body.take(limit + 1).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        ended.outcome = Outcome::Malformed;
        ended.message = format!("the answer is over {} MiB", limit >> 20);
    } else if is_good {
        accept(&mut ended, content, take);
    } else if status < 400 {
        ended.outcome = Outcome::Malformed;
        ended.message = format!("the status {status} is not one that the contract has here");
    } else {
        refuse(&mut ended, &content);
    }
    Ok(ended)
}

fn accept(ended: &mut Ended, content: Vec<u8>, take: &mut Take<'_>) {
    match take {
        Take::Json(read) => {
            if let Err(fault) = read(&content) {
                ended.outcome = Outcome::Malformed;
                ended.message = format!("the answer is not what the contract says: {fault}");
                return;
            }
        }
        Take::Bytes(into) => **into = content,
        Take::Nothing | Take::Stream(_) => {}
    }
    ended.ok = true;
}

/// Reads the envelope of an error; anything else, such as a proxy's page, is not shown.
fn refuse(ended: &mut Ended, content: &[u8]) {
    let envelope: Value = sound::parse(content).unwrap_or_default();
    let error = &envelope["error"];
    let status = ended.meta.status;
    let code = error["code"].as_str().filter(|code| is_code(code));
    match code.zip(error["message"].as_str()) {
        Some((code, message)) => {
            ended.outcome = Outcome::Answer { status, code: Some(code.to_owned()) };
            message.clone_into(&mut ended.message);
        }
        None => {
            ended.outcome = Outcome::Answer { status, code: Some(format!("http_{status}")) };
            let known = ureq::http::StatusCode::from_u16(status).ok();
            let reason = known.and_then(|status| status.canonical_reason());
            ended.message = reason.unwrap_or("the server refused").to_owned();
        }
    }
}

/// The form of a code of the API.
fn is_code(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.len() <= CODE_MAX
        && text.bytes().all(fits)
}
