//! Many messages at once: requests of the size that the server takes, one result for each item.

use std::time::Duration;

use crate::answer::Meta;
use crate::call::{check_key, Request};
use crate::client::Acuse;
use crate::decide::{Outcome, Situation};
use crate::error::{ApiError, Error, ProtocolError};
use crate::errors_generated::{code, fix_of, status_of};
use crate::messages::made;
use crate::operations_generated as op;
use crate::redact::masked;
use crate::resources_generated::Messages;
use crate::settings::millis_since;
use crate::types::{BatchItem, BatchItemResult, BatchResult, Message};
use crate::values::OneOrMany;

/// Items of a request (docs/limits.md of the project).
const ITEMS_MAX: usize = 100;
/// Addresses in `to`, `cc` and `bcc` of all items of a request.
const RECIPIENTS_MAX: usize = 1_000;
/// Bytes of a request; the server takes 64 MiB.
const SIZE_MAX: usize = 60 << 20;
const START: &[u8] = b"{\"messages\":[";
const END: &[u8] = b"]}";

/// How an item of a batch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchStatus {
    /// It is a message now.
    Created,
    /// Its key had made a message before.
    Replayed,
    /// It was refused.
    Failed,
    /// Its request was lost for good: send it again under its key.
    Unknown,
}

impl BatchStatus {
    /// `created`, `replayed`, `failed` or `unknown`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Replayed => "replayed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// The outcome of one item, in the caller's order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchEntry {
    /// Its place among the items.
    pub index: usize,
    /// How it ended.
    pub status: BatchStatus,
    /// Its key, given or made.
    pub idempotency_key: String,
    /// The message, unless there is an error.
    pub message: Option<Message>,
    /// Why it failed, or why nothing is known of it.
    pub error: Option<Error>,
}

impl Messages<'_> {
    /// Sends many messages: `POST /v1/messages/batch`, in requests of at most 100 items and 60 MiB. Items
    /// without a key (`BatchItem::from(send)`, or an empty one) get one. Each item has its own result.
    ///
    /// # Errors
    ///
    /// None: an item that cannot be sent has an error of its own.
    pub fn send_batch<I>(&self, items: I) -> Result<Vec<BatchEntry>, Error>
    where
        I: IntoIterator,
        I::Item: Into<BatchItem>,
    {
        let mut batch = Batch { client: self.client, items: Vec::new(), entries: Vec::new() };
        for item in items {
            batch.add(item.into());
        }
        for part in batch.cut() {
            batch.send(part);
        }
        Ok(batch.entries)
    }
}

struct Batch<'a> {
    client: &'a Acuse,
    items: Vec<Item>,
    entries: Vec<BatchEntry>,
}

/// `text`: of no bytes where it cannot be sent.
struct Item {
    text: Vec<u8>,
    recipients: usize,
}

impl Batch<'_> {
    fn add(&mut self, mut item: BatchItem) {
        let index = self.items.len();
        let (text, status, error) = match written(&mut item, index) {
            Ok(text) => (text, BatchStatus::Unknown, None),
            Err(error) => (Vec::new(), BatchStatus::Failed, Some(error)),
        };
        let copies = [item.cc.get(), item.bcc.get()].into_iter().flatten();
        let recipients = std::iter::once(&item.to).chain(copies).map(count).sum();
        self.items.push(Item { text, recipients });
        let idempotency_key = item.idempotency_key;
        self.entries.push(BatchEntry { index, status, idempotency_key, message: None, error });
    }

    /// The items of each request.
    fn cut(&self) -> Vec<Vec<usize>> {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let (mut size, mut recipients) = (0, 0);
        for (at, item) in self.items.iter().enumerate().filter(|(_, item)| !item.text.is_empty()) {
            let next = item.text.len() + 1;
            let is_full = parts.last().is_none_or(|part| part.len() == ITEMS_MAX);
            if is_full || size + next > SIZE_MAX || recipients + item.recipients > RECIPIENTS_MAX {
                parts.push(Vec::new());
                (size, recipients) = (START.len() + END.len(), 0);
            }
            if let Some(part) = parts.last_mut() {
                part.push(at);
            }
            size += next;
            recipients += item.recipients;
        }
        parts
    }

    /// Sends one request, and again the items that the server was too busy for.
    fn send(&mut self, mut part: Vec<usize>) {
        let settings = self.client.settings.clone();
        let deadline = settings.now() + settings.options.deadline;
        for attempt in 1.. {
            part = self.send_once(&part);
            if part.is_empty() {
                return;
            }
            let busy = Outcome::Answer { status: 503, code: Some(code::UNAVAILABLE.to_owned()) };
            let (next, _) = self.client.shared.budget.decide(Situation {
                class: op::SEND_BATCH.retry,
                outcome: &busy,
                attempt,
                max_retries: settings.options.max_retries,
                retry_after: None,
                date: None,
                u: (settings.options.random)(),
                budget: 0,
                time_left: millis_since(settings.now(), deadline),
                now: settings.now_ms(),
            });
            let Some(delay) = next.delay else { return };
            settings.sleep(Duration::from_millis(u64::try_from(delay).unwrap_or_default()));
            if settings.is_cancelled() {
                return;
            }
        }
    }

    /// Returns the items that are worth another request.
    fn send_once(&mut self, part: &[usize]) -> Vec<usize> {
        let request = Request::new(&op::SEND_BATCH).bytes(&self.body(part));
        let answer = self.client.json::<BatchResult>(request);
        let answer = answer.and_then(|answer| checked(answer.into_parts(), part));
        let (results, meta) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                self.lose(part, &error);
                return Vec::new();
            }
        };
        let mut again = Vec::new();
        for (at, result) in results {
            let text = result.error.as_ref().map_or("", |error| error.code.as_str());
            if text == code::UNAVAILABLE || text == code::INTERNAL_ERROR {
                again.push(at);
            }
            self.settle(at, result, &meta);
        }
        again
    }

    fn body(&self, part: &[usize]) -> Vec<u8> {
        let size: usize = part.iter().map(|&at| self.items[at].text.len() + 1).sum();
        let mut body = Vec::with_capacity(size + START.len() + END.len());
        body.extend_from_slice(START);
        for (place, &at) in part.iter().enumerate() {
            if place > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&self.items[at].text);
        }
        body.extend_from_slice(END);
        body
    }

    fn settle(&mut self, at: usize, result: BatchItemResult, meta: &Meta) {
        let entry = &mut self.entries[at];
        if let Some(message) = result.message {
            let is_new = result.status == "created";
            entry.status = if is_new { BatchStatus::Created } else { BatchStatus::Replayed };
            entry.message = Some(message);
            entry.error = None;
            return;
        }
        let detail = result.error;
        let code = detail.as_ref().map_or("", |error| error.code.as_str()).to_owned();
        let words = detail.as_ref().map_or("", |error| error.message.as_str());
        entry.status = BatchStatus::Failed;
        entry.error = Some(Error::Api(Box::new(ApiError {
            status: status_of(&code),
            fix: fix_of(&code),
            code,
            message: masked(words, &self.client.settings.api_key),
            request_id: meta.request_id.clone(),
            retry_after: None,
            idempotency_key: Some(entry.idempotency_key.clone()),
            attempts: meta.attempts,
            operation: op::SEND_BATCH.name,
            outcome_unknown: false,
        })));
    }

    /// Gives the items of a lost request their error: unknown when it may have been accepted. An item that
    /// was refused before keeps its refusal unless it may have been accepted since.
    fn lose(&mut self, part: &[usize], error: &Error) {
        let unknown = error.outcome_unknown();
        for &at in part {
            let entry = &mut self.entries[at];
            if unknown || entry.error.is_none() {
                entry.status = if unknown { BatchStatus::Unknown } else { BatchStatus::Failed };
                entry.error = Some(error.clone());
            }
        }
    }
}

fn written(item: &mut BatchItem, at: usize) -> Result<Vec<u8>, Error> {
    if item.idempotency_key.is_empty() {
        item.idempotency_key = made()?;
    }
    check_key(&item.idempotency_key).map_err(|error| Error::refused(format!("item {at}: {error}")))?;
    serde_json::to_vec(&item).map_err(|fault| Error::refused(format!("item {at} cannot be written: {fault}")))
}

fn count(addresses: &OneOrMany) -> usize {
    match addresses {
        OneOrMany::One(_) => 1,
        OneOrMany::Many(all) => all.len(),
    }
}

type Checked = (Vec<(usize, BatchItemResult)>, Meta);

/// The results by the places of their items, if the answer has each item once.
fn checked((answer, meta): (BatchResult, Meta), part: &[usize]) -> Result<Checked, Error> {
    let mut places: Vec<Option<BatchItemResult>> = part.iter().map(|_| None).collect();
    let mut is_whole = answer.results.len() == part.len();
    for result in answer.results {
        let place = usize::try_from(result.index).ok().and_then(|index| places.get_mut(index));
        match place {
            Some(place) if place.is_none() && (result.message.is_some() || result.error.is_some()) => {
                *place = Some(result);
            }
            _ => is_whole = false,
        }
    }
    let results: Vec<_> = part.iter().zip(places).filter_map(|(&at, result)| Some((at, result?))).collect();
    if is_whole && results.len() == part.len() {
        return Ok((results, meta));
    }
    Err(Error::Protocol(Box::new(ProtocolError {
        message: "the answer to a batch lacks items, or has one twice".to_owned(),
        status: meta.status,
        request_id: meta.request_id,
        outcome_unknown: true,
        idempotency_key: None,
        attempts: meta.attempts,
        operation: op::SEND_BATCH.name,
    })))
}
