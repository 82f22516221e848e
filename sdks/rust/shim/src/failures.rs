//! Errors as the suite has them.

use acuse::webhook::WebhookError;
use acuse::{ApiErrorKind, Error};
use serde_json::{json, Value};

pub enum Failure {
    Acuse(Error),
    Webhook(WebhookError),
    Verify(String),
    Shim(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Acuse(error)
    }
}

impl From<WebhookError> for Failure {
    fn from(error: WebhookError) -> Self {
        Self::Webhook(error)
    }
}

pub fn shim<T>(text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Shim(text.into()))
}

pub fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Configuration(_) => "ConfigurationError",
        Error::Connection(_) => "ConnectionError",
        Error::Timeout(_) => "TimeoutError",
        Error::Cancelled(_) => "Cancelled",
        Error::Protocol(_) => "ProtocolError",
        Error::Log(_) => "LogError",
        Error::Api(error) => match error.kind() {
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
        _ => "ShimError",
    }
}

pub fn described(failure: &Failure) -> Value {
    match failure {
        Failure::Acuse(error) => of_acuse(error),
        Failure::Webhook(error) => json!({
            "class": "WebhookError", "text": error.to_string(), "reason": error.reason.as_str(),
        }),
        Failure::Verify(text) => json!({ "class": "VerifyError", "text": text }),
        Failure::Shim(text) => json!({ "class": "ShimError", "text": text }),
    }
}

pub fn of_acuse(error: &Error) -> Value {
    let mut out = json!({
        "class": class_of(error),
        "text": error.to_string(),
        "message": error.to_string(),
        "outcome_unknown": error.outcome_unknown(),
        "idempotency_key": error.idempotency_key(),
        "request_id": error.request_id(),
    });
    if let Some(lost) = error.connection() {
        out["phase"] = json!(lost.phase.as_str());
        out["attempts"] = json!(lost.attempts);
    }
    match error {
        Error::Protocol(error) => {
            out["status"] = json!(error.status);
            out["message"] = json!(error.message);
            out["attempts"] = json!(error.attempts);
        }
        Error::Api(error) => {
            out["status"] = json!(error.status);
            out["code"] = json!(Some(&error.code).filter(|code| !code.is_empty()));
            out["message"] = json!(error.message);
            out["fix"] = json!(error.fix);
            out["attempts"] = json!(error.attempts);
            out["retry_after"] = json!(error.retry_after.map(|wait| wait.as_secs_f64()));
        }
        Error::Log(error) => out["reason"] = json!(error.reason.as_str()),
        _ => {}
    }
    out
}
