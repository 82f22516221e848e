//! The outbox: messages that are written in the caller's own transaction and sent afterwards, each once.
//!
//! The statements are for PostgreSQL and for any driver, with or without `async`: this library depends on none.
//! README shows the whole of it.

use crate::answer::Answer;
use crate::call::Request;
use crate::client::Acuse;
use crate::error::Error;
use crate::operations_generated as op;
use crate::outbox_generated::{ACCEPTED, REFUSED};
pub use crate::outbox_generated::{ADD, CLAIM, RECORD, TABLE};
use crate::types::{Message, Send};

/// Characters of an error that the table keeps.
const ERROR_MAX_CHARS: usize = 1_000;
/// Characters of a key (docs/limits.md).
const KEY_MAX_CHARS: usize = 255;

/// The values of [`ADD`]: the key, and the message as JSON.
///
/// # Errors
///
/// The key cannot be one, or the message cannot be written.
pub fn values(message: &Send, key: &str) -> Result<(String, String), Error> {
    if key.is_empty() || key.len() > KEY_MAX_CHARS || !key.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(Error::refused("an idempotency key is 1 to 255 printable ASCII characters"));
    }
    let text = serde_json::to_string(message).map_err(|fault| Error::refused(fault.to_string()))?;
    Ok((key.to_owned(), text))
}

/// A row of [`CLAIM`]: a message that is to be sent.
#[derive(Clone)]
#[allow(clippy::exhaustive_structs)]
pub struct Claimed {
    /// Column `id`.
    pub id: i64,
    /// Column `idempotency_key`.
    pub idempotency_key: String,
    /// Column `message`: the bytes that are sent, whoever sends them.
    pub message: String,
    /// Column `attempts`, this one with them.
    pub attempts: i32,
}

/// The outcome of an attempt, as [`RECORD`] takes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Came {
    /// `sent`, `refused`, or `waiting`: then what stopped it would stop the next, too.
    pub state: &'static str,
    /// The id of the message that was accepted.
    pub message_id: Option<String>,
    /// Why it was refused or waits.
    pub error: Option<String>,
    /// How long the server asks to wait.
    pub seconds: f64,
}

impl Came {
    fn new(state: &'static str, message_id: Option<String>) -> Self {
        Self { state, message_id, error: None, seconds: 0.0 }
    }
}

impl Acuse {
    /// Sends a message of the outbox, once, however often and from wherever it is sent.
    #[must_use]
    pub fn send_claimed(&self, row: &Claimed) -> Came {
        let request = Request::new(&op::SEND_MESSAGE).bytes(row.message.as_bytes());
        let answer: Result<Answer<Message>, Error> = self.json(request.key(row.idempotency_key.clone()));
        let error = match answer {
            Ok(answer) => return Came::new("sent", Some(answer.into_inner().id)),
            Err(error) => error,
        };
        let (mut came, mut text) = (Came::new("waiting", None), error.to_string());
        if let Some(refusal) = error.api() {
            if refusal.code == ACCEPTED {
                return Came::new("sent", None);
            }
            if REFUSED.contains(&refusal.status) && !refusal.code.starts_with("http_") {
                came.state = "refused";
            }
            text = format!("{}: {}", refusal.code, refusal.message);
            came.seconds = refusal.retry_after.unwrap_or_default().as_secs_f64();
        }
        came.error = Some(text.chars().take(ERROR_MAX_CHARS).collect());
        came
    }
}
