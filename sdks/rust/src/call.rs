//! A call: an operation with what the caller gave, and its attempts.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::answer::{Answer, Headers, Meta};
use crate::attempt::{Ended, Take};
use crate::client::Acuse;
use crate::decide::{Decision, Outcome, Situation};
use crate::error::Error;
use crate::json::{Fault, Wire};
use crate::settings::millis_since;
use crate::{sound, url};

pub(crate) use crate::decide::Retry;

/// Characters of an idempotency key (docs/limits.md of the project).
const KEY_LENGTH_MAX: usize = 255;

/// A row of the contract.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) retry: Retry,
    pub(crate) accept: &'static str,
    pub(crate) media: &'static str,
    pub(crate) success: &'static [u16],
}

/// An operation with what the caller gave.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) operation: &'static Operation,
    path: Vec<String>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Result<Option<Vec<u8>>, String>,
    pub(crate) key: Option<String>,
}

impl Request {
    pub(crate) fn new(operation: &'static Operation) -> Self {
        Self { operation, path: Vec::new(), query: Vec::new(), body: Ok(None), key: None }
    }

    pub(crate) fn path(mut self, values: &[&str]) -> Self {
        self.path = values.iter().map(|&value| value.to_owned()).collect();
        self
    }

    pub(crate) fn bytes(mut self, body: &[u8]) -> Self {
        self.body = Ok(Some(body.to_vec()));
        self
    }

    pub(crate) fn json<T: Serialize>(mut self, body: &T) -> Self {
        self.body = serde_json::to_vec(body).map(Some).map_err(|fault| fault.to_string());
        self
    }

    pub(crate) fn key(mut self, key: String) -> Self {
        self.key = Some(key);
        self
    }

    fn url(&self, base: &str) -> Result<String, Error> {
        let mut text = format!("{base}{}", url::fill(self.operation.path, &self.path)?);
        for (at, (name, value)) in self.query.iter().enumerate() {
            text.push(if at == 0 { '?' } else { '&' });
            text.push_str(&format!("{name}={}", url::escape(value)));
        }
        Ok(text)
    }
}

pub(crate) fn check_key(key: &str) -> Result<(), Error> {
    let fits = key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if key.is_empty() || key.len() > KEY_LENGTH_MAX || !fits {
        return Err(Error::refused("an idempotency key is 1 to 255 printable ASCII characters"));
    }
    Ok(())
}

/// The state of a call between its attempts.
pub(crate) struct Running<'a> {
    pub(crate) request: &'a Request,
    pub(crate) body: Option<&'a [u8]>,
    pub(crate) url: String,
    pub(crate) deadline: SystemTime,
    pub(crate) attempt: u32,
    /// An earlier attempt may have had its effect.
    pub(crate) unknown: bool,
    /// Tokens that its retries have cost.
    spent: i64,
}

impl Acuse {
    pub(crate) fn json<T: Wire>(&self, request: Request) -> Result<Answer<T>, Error> {
        let mut value = None;
        let meta = self.run(
            &request,
            &mut Take::Json(&mut |bytes| {
                let read = sound::parse(bytes).ok_or_else(|| Fault::new("it is not JSON"))?;
                value = Some(T::from_json(read)?);
                Ok(())
            }),
        )?;
        match value {
            Some(value) => Ok(Answer::new(value, meta)),
            None => Err(Error::refused("the call ended without an answer")),
        }
    }

    pub(crate) fn bytes(&self, request: Request) -> Result<Answer<Vec<u8>>, Error> {
        let mut bytes = Vec::new();
        let meta = self.run(&request, &mut Take::Bytes(&mut bytes))?;
        Ok(Answer::new(bytes, meta))
    }

    pub(crate) fn text(&self, request: Request) -> Result<Answer<String>, Error> {
        let (bytes, meta) = self.bytes(request)?.into_parts();
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|fault| String::from_utf8_lossy(fault.as_bytes()).into_owned());
        Ok(Answer::new(text, meta))
    }

    pub(crate) fn nothing(&self, request: Request) -> Result<Answer<()>, Error> {
        let meta = self.run(&request, &mut Take::Nothing)?;
        Ok(Answer::new((), meta))
    }

    /// The attempts of a call, until one succeeds or none is left.
    pub(crate) fn run(&self, request: &Request, take: &mut Take<'_>) -> Result<Meta, Error> {
        let mut running = self.prepare(request)?;
        if self.settings.is_cancelled() {
            let ended = Ended::cancelled(None);
            return Err(self.failure(&running, &ended));
        }
        loop {
            running.attempt += 1;
            let began = self.settings.now();
            let mut ended = self.attempt(&running, take);
            ended.took = self.settings.now().duration_since(began).unwrap_or_default();
            let next = self.judge(&mut running, &ended);
            self.tell(&running, &ended, next.as_ref());
            let Some(next) = next else {
                self.shared.budget.succeeded(running.attempt, running.spent);
                let Ended { mut meta, .. } = ended;
                meta.attempts = running.attempt;
                return Ok(meta);
            };
            let Some(delay) = next.delay else {
                return Err(self.failure(&running, &ended));
            };
            self.settings.sleep(Duration::from_millis(u64::try_from(delay).unwrap_or_default()));
            if self.settings.is_cancelled() {
                return Err(self.failure(&running, &Ended::cancelled(Some(&ended))));
            }
        }
    }

    fn prepare<'a>(&self, request: &'a Request) -> Result<Running<'a>, Error> {
        let settings = &self.settings;
        if let Some(key) = &request.key {
            check_key(key)?;
        }
        let body = match &request.body {
            Ok(body) => body.as_deref(),
            Err(fault) => return Err(Error::refused(format!("the request cannot be written: {fault}"))),
        };
        Ok(Running {
            request,
            body,
            url: request.url(&settings.base.text)?,
            deadline: settings.now() + settings.options.deadline,
            attempt: 0,
            unknown: false,
            spent: 0,
        })
    }

    /// The next step; None: the call has succeeded.
    fn judge(&self, running: &mut Running<'_>, ended: &Ended) -> Option<Decision> {
        let operation = running.request.operation;
        if ended.ok || is_deleted(operation.method, running.unknown, &ended.outcome) {
            return None;
        }
        let now = self.settings.now();
        let headers: &Headers = &ended.meta.headers;
        let (decision, cost) = self.shared.budget.decide(Situation {
            class: operation.retry,
            outcome: &ended.outcome,
            attempt: running.attempt,
            max_retries: self.settings.options.max_retries,
            retry_after: headers.get("Retry-After"),
            date: headers.get("Date"),
            u: (self.settings.options.random)(),
            budget: 0,
            time_left: millis_since(now, running.deadline),
            now: millis_since(SystemTime::UNIX_EPOCH, now),
        });
        running.unknown |= ended.may_have_done(running.request.operation);
        running.spent += cost;
        Some(decision)
    }
}

/// A DELETE that finds nothing after an attempt of unknown outcome has succeeded.
pub(crate) fn is_deleted(method: &str, unknown: bool, outcome: &Outcome) -> bool {
    method == "DELETE" && unknown && matches!(outcome, Outcome::Answer { status: 404, .. })
}
