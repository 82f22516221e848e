//! Sending: what one message is, is decided by its key.

use std::fmt;
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};

use crate::answer::{Answer, Meta};
use crate::call::Request;
use crate::error::{ApiError, ConnectionError, Error, Phase};
use crate::errors_generated::{code, fix_of, status_of};
use crate::operations_generated as op;
use crate::resources_generated::{Evidence, Messages};
use crate::settings::millis_since;
use crate::types::{Message, Send};

/// Decides what is one message.
///
/// A job that may run twice gives a key of its own, such as the number of its invoice: with the same key the
/// message is sent once, and the second call returns it with [`Sent::replayed`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Key {
    /// One is made: it protects one call and its retries only.
    Auto,
    /// A key of your own: 1 to 255 printable ASCII characters.
    Given(String),
}

impl Key {
    /// A key of yours.
    #[must_use]
    pub fn given(key: impl Into<String>) -> Self {
        Self::Given(key.into())
    }

    pub(crate) fn text(self) -> Result<String, Error> {
        match self {
            Self::Given(key) => Ok(key),
            Self::Auto => made(),
        }
    }
}

impl<T: Into<String>> From<T> for Key {
    fn from(key: T) -> Self {
        Self::Given(key.into())
    }
}

/// A key for one call: `auto_` and a UUIDv4 (RFC 9562 §5.4).
pub(crate) fn made() -> Result<String, Error> {
    let mut id = [0_u8; 16];
    let filled = SystemRandom::new().fill(&mut id);
    filled.map_err(|_| Error::refused("there is no randomness for an idempotency key: give one"))?;
    id[6] = id[6] & 0x0f | 0x40;
    id[8] = id[8] & 0x3f | 0x80;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let parts = [&id[..4], &id[4..6], &id[6..8], &id[8..10], &id[10..]].map(hex);
    Ok(format!("auto_{}", parts.join("-")))
}

/// The result of a send.
#[derive(Clone)]
#[non_exhaustive]
pub struct Sent {
    /// The message: the new one, or, when `replayed`, the one that the key made before.
    pub message: Message,
    /// The key made a message before, and this call sent nothing. With several attempts it is usually this
    /// call's own first attempt that had got through.
    pub replayed: bool,
    /// The key of the call, given or made.
    pub idempotency_key: String,
    /// How many attempts the call took.
    pub attempts: u32,
    /// The answer that it came in.
    pub meta: Meta,
}

impl fmt::Debug for Sent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Sent")
            .field("message", &self.message.id)
            .field("replayed", &self.replayed)
            .field("idempotency_key", &self.idempotency_key)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

/// Seconds between the questions of [`Evidence::wait_until_sealed`]; the last one repeats.
const SEAL_PAUSES: [u64; 4] = [1, 2, 3, 5];

impl Messages<'_> {
    /// Sends a message: `POST /v1/messages`.
    ///
    /// The key decides what is one message: see [`Key`].
    ///
    /// Retried as the class `keyed`.
    ///
    /// # Errors
    ///
    /// Whatever the server refuses, or what the network loses: then [`Error::idempotency_key`] is the key to
    /// send again with.
    pub fn send(&self, message: &Send, key: impl Into<Key>) -> Result<Sent, Error> {
        self.keyed(Request::new(&op::SEND_MESSAGE).json(message), key.into())
    }

    /// Sends a message that is composed already (RFC 5322 §2), with all of its fields.
    ///
    /// Retried as the class `keyed`.
    ///
    /// # Errors
    ///
    /// As those of [`Messages::send`].
    pub fn send_raw(&self, message: impl AsRef<[u8]>, key: impl Into<Key>) -> Result<Sent, Error> {
        self.keyed(Request::new(&op::SEND_RAW_MESSAGE).bytes(message.as_ref()), key.into())
    }

    /// Sends a message again, as a new one: `POST /v1/messages/{id}/resend`.
    ///
    /// Retried as the class `keyed`.
    ///
    /// # Errors
    ///
    /// As those of [`Messages::send`].
    pub fn resend(&self, id: &str, key: impl Into<Key>) -> Result<Sent, Error> {
        self.keyed(Request::new(&op::RESEND_MESSAGE).path(&[id]), key.into())
    }

    fn keyed(&self, request: Request, key: Key) -> Result<Sent, Error> {
        let key = key.text()?;
        let answer: Answer<Message> = self.client.json(request.key(key.clone()))?;
        let (message, meta) = answer.into_parts();
        Ok(Sent {
            message,
            replayed: meta.headers.get("Idempotent-Replayed") == Some("true"),
            idempotency_key: key,
            attempts: meta.attempts,
            meta,
        })
    }
}

impl Evidence<'_> {
    /// Asks until the message has its constancia: after 1, 2, 3, 5, 5 … seconds.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code `not_certified`, at once, for a plain message, and [`Error::Timeout`] when
    /// the time has ended: ask again later.
    pub fn wait_until_sealed(&self, id: &str, within: Duration) -> Result<Message, Error> {
        let settings = &self.client.settings;
        let deadline = settings.now() + within;
        let mut pauses = SEAL_PAUSES.into_iter();
        let mut pause = Duration::ZERO;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let message = self.client.messages().get(id)?.into_inner();
            if message.sealed_at.is_some() {
                return Ok(message);
            }
            if !message.certified {
                return Err(plain(attempts));
            }
            pause = pauses.next().map_or(pause, Duration::from_secs);
            if millis_since(settings.now() + pause, deadline) < 0 {
                return Err(late(within, attempts));
            }
            settings.sleep(pause);
        }
    }
}

const SEAL_WAIT: &str = "evidence.waitUntilSealed";

fn plain(attempts: u32) -> Error {
    Error::Api(Box::new(ApiError {
        status: status_of(code::NOT_CERTIFIED),
        code: code::NOT_CERTIFIED.to_owned(),
        message: "A plain message is never sealed.".to_owned(),
        fix: fix_of(code::NOT_CERTIFIED),
        request_id: String::new(),
        retry_after: None,
        idempotency_key: None,
        attempts,
        operation: SEAL_WAIT,
        outcome_unknown: false,
    }))
}

fn late(within: Duration, attempts: u32) -> Error {
    Error::Timeout(Box::new(ConnectionError {
        phase: Phase::Receive,
        outcome_unknown: false,
        idempotency_key: None,
        attempts,
        operation: SEAL_WAIT,
        message: format!("the message was not sealed within {within:?}: ask again later"),
    }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn made_keys_are_uuids_of_version_4() {
        let (one, other) = (super::made().unwrap(), super::made().unwrap());
        assert_ne!(one, other);
        let id = one.strip_prefix("auto_").unwrap();
        assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_eq!(&id[14..15], "4");
        assert!("89ab".contains(&id[19..20]));
    }
}
