//! Errors, and the advice about each.

use std::fmt;
use std::time::Duration;

use crate::errors_generated::code;

/// Every error of a client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A client or a call was not set up rightly. Nothing was requested.
    Configuration(ConfigurationError),
    /// No whole answer came.
    Connection(Box<ConnectionError>),
    /// No whole answer came in time.
    Timeout(Box<ConnectionError>),
    /// The caller ended the call, by its [`Cancel`](crate::Cancel).
    Cancelled(Box<ConnectionError>),
    /// An answer is not what the contract says.
    Protocol(Box<ProtocolError>),
    /// The server refused; [`ApiError::kind`] says how.
    Api(Box<ApiError>),
    /// The log is not what it promised to be.
    Log(LogError),
}

impl Error {
    /// The refusal of the server, if it is one.
    #[must_use]
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            _ => None,
        }
    }

    /// The connection that failed, if that is what happened.
    #[must_use]
    pub fn connection(&self) -> Option<&ConnectionError> {
        match self {
            Self::Connection(error) | Self::Timeout(error) | Self::Cancelled(error) => Some(error),
            _ => None,
        }
    }

    /// The code of a refusal: one of [`code`](crate::code), or one that a later server knows.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.api().map(|error| error.code.as_str()).filter(|code| !code.is_empty())
    }

    /// Advice, for refusals whose code this library knows.
    #[must_use]
    pub fn fix(&self) -> Option<&'static str> {
        self.api().map(|error| error.fix).filter(|fix| !fix.is_empty())
    }

    /// True if the request may have had its effect. After a send, send again with
    /// [`Error::idempotency_key`].
    #[must_use]
    pub fn outcome_unknown(&self) -> bool {
        match self {
            Self::Connection(error) | Self::Timeout(error) | Self::Cancelled(error) => error.outcome_unknown,
            Self::Protocol(error) => error.outcome_unknown,
            Self::Api(error) => error.outcome_unknown,
            _ => false,
        }
    }

    /// The key of a send, given or made.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        match self {
            Self::Connection(error) | Self::Timeout(error) | Self::Cancelled(error) => {
                error.idempotency_key.as_deref()
            }
            Self::Protocol(error) => error.idempotency_key.as_deref(),
            Self::Api(error) => error.idempotency_key.as_deref(),
            _ => None,
        }
    }

    /// The server's name for the request: quote it to the operator.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Protocol(error) => Some(error.request_id.as_str()),
            Self::Api(error) => Some(error.request_id.as_str()),
            _ => None,
        }
        .filter(|id| !id.is_empty())
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::Configuration(ConfigurationError { message: message.into() })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(error) => error.fmt(out),
            Self::Connection(error) | Self::Timeout(error) | Self::Cancelled(error) => error.fmt(out),
            Self::Protocol(error) => error.fmt(out),
            Self::Api(error) => error.fmt(out),
            Self::Log(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Error {}

/// A client or a call was not set up rightly. Nothing was requested.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfigurationError {
    /// The fault.
    pub message: String,
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "acuse: {}", self.message)
    }
}

/// How far a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// The connection was being made.
    Connect,
    /// The peer was being authenticated.
    Tls,
    /// The request was being sent.
    Send,
    /// The answer was awaited, or being received.
    Receive,
}

impl Phase {
    /// `connect`, `tls`, `send` or `receive`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Send => "send",
            Self::Receive => "receive",
        }
    }
}

/// No whole answer came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConnectionError {
    /// How far the last attempt came.
    pub phase: Phase,
    /// The request may have had its effect.
    pub outcome_unknown: bool,
    /// The key of a send, given or made.
    pub idempotency_key: Option<String>,
    /// How many attempts were made.
    pub attempts: u32,
    /// The resource and the method: `messages.send`.
    pub operation: &'static str,
    /// The network's error.
    pub message: String,
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, phase, message, .. } = self;
        write!(out, "acuse: {operation}: no answer ({}): {message}", phase.as_str())?;
        match &self.idempotency_key {
            Some(key) if self.outcome_unknown => {
                write!(out, "; it may have been accepted: send it again with the key {key}")
            }
            None if self.outcome_unknown => out.write_str("; it may have been done"),
            _ => Ok(()),
        }
    }
}

/// An answer is not what the contract says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProtocolError {
    /// The fault in it.
    pub message: String,
    /// The HTTP status.
    pub status: u16,
    /// The server's name for the request.
    pub request_id: String,
    /// The request may have had its effect.
    pub outcome_unknown: bool,
    /// The key of a send, given or made.
    pub idempotency_key: Option<String>,
    /// How many attempts were made.
    pub attempts: u32,
    /// The resource and the method: `messages.send`.
    pub operation: &'static str,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, message, status, request_id, .. } = self;
        write!(out, "acuse: {operation}: {message} (status {status}, request {request_id})")
    }
}

/// The kinds of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiErrorKind {
    /// 400, 405, 408, 413, 415: the request must change.
    InvalidRequest,
    /// 401.
    Authentication,
    /// 403.
    Permission,
    /// 404.
    NotFound,
    /// 409.
    Conflict,
    /// 422: the request is well-formed, and what it asks for is refused.
    Refused,
    /// 429 with the code `quota_exceeded`.
    QuotaExceeded,
    /// 429 otherwise.
    RateLimited,
    /// 5xx other than 503.
    Server,
    /// 503.
    Unavailable,
    /// A status that has no kind.
    Unknown,
}

impl ApiErrorKind {
    fn of(status: u16, text: &str) -> Self {
        match status {
            400 | 405 | 408 | 413 | 415 => Self::InvalidRequest,
            401 => Self::Authentication,
            403 => Self::Permission,
            404 => Self::NotFound,
            409 => Self::Conflict,
            422 => Self::Refused,
            429 if text == code::QUOTA_EXCEEDED => Self::QuotaExceeded,
            429 => Self::RateLimited,
            503 => Self::Unavailable,
            500..=599 => Self::Server,
            _ => Self::Unknown,
        }
    }
}

/// A refusal of the server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// One of [`code`](crate::code), or one that a later server knows; empty where there was none.
    pub code: String,
    /// The server's words, for people.
    pub message: String,
    /// Advice; empty for a code that this library does not know.
    pub fix: &'static str,
    /// The server's name for the request.
    pub request_id: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The key of a send, given or made.
    pub idempotency_key: Option<String>,
    /// How many attempts were made.
    pub attempts: u32,
    /// The resource and the method: `messages.send`.
    pub operation: &'static str,
    /// An attempt of the call may have had its effect.
    pub outcome_unknown: bool,
}

impl ApiError {
    /// The kind of refusal, by its status, and 429 by its code.
    #[must_use]
    pub fn kind(&self) -> ApiErrorKind {
        ApiErrorKind::of(self.status, &self.code)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, status, code, message, .. } = self;
        write!(out, "acuse: {operation}: {status} {code}: {message}")?;
        if self.request_id.is_empty() {
            return Ok(());
        }
        write!(out, " (request {})", self.request_id)
    }
}

/// The fault in a log. Keep the checkpoints: two that contradict each other are the proof of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogReason {
    /// It holds less than before.
    WentBack,
    /// It tells two stories.
    Forked,
    /// A statement that its key did not sign.
    BadSignature,
}

impl LogReason {
    /// `went_back`, `forked` or `bad_signature`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WentBack => "went_back",
            Self::Forked => "forked",
            Self::BadSignature => "bad_signature",
        }
    }
}

/// The log is not what it promised to be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LogError {
    /// The fault.
    pub reason: LogReason,
    /// The same in words.
    pub message: String,
}

impl fmt::Display for LogError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "acuse: the log ({}): {}", self.reason.as_str(), self.message)
    }
}
