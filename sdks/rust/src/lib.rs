//! Client of Acuse: transactional email with evidence.
#![doc = include_str!("../README.md")]

mod answer;
mod attempt;
mod batch;
mod budget;
mod call;
mod client;
mod decide;
mod error;
mod files;
mod json;
mod lists;
mod log;
#[cfg_attr(not(feature = "verify"), allow(dead_code))]
mod merkle;
mod messages;
#[cfg_attr(not(feature = "verify"), allow(dead_code))]
mod notes;
mod redact;
mod settings;
mod sound;
mod transport;
mod url;
mod values;
mod wire;

#[rustfmt::skip]
mod errors_generated;
#[rustfmt::skip]
mod events_generated;
#[rustfmt::skip]
mod operations_generated;
#[rustfmt::skip]
mod outbox_generated;
#[rustfmt::skip]
mod requests_generated;
#[rustfmt::skip]
mod resources_generated;
#[rustfmt::skip]
mod types_generated;
#[rustfmt::skip]
mod types_more_generated;

pub mod outbox;
pub mod testing;
pub mod types;
#[cfg(feature = "verify")]
pub mod verify;
pub mod webhook;

/// The resources of the API: each has its operations as methods.
pub mod resources {
    pub use crate::resources_generated::*;
}

/// Lists and other questions with parameters, as the resources return them.
pub mod requests {
    pub use crate::lists::{Items, Paged, Pages};
    pub use crate::requests_generated::*;
}

pub use answer::{Answer, Headers, Meta};
pub use attempt::AttemptInfo;
pub use batch::{BatchEntry, BatchStatus};
pub use client::Acuse;
pub use error::{
    ApiError, ApiErrorKind, ConfigurationError, ConnectionError, Error, LogError, LogReason, Phase,
    ProtocolError,
};
pub use errors_generated::code;
pub use json::{Extra, Fault, Maybe, Wire};
pub use log::{LogCheckpoint, PromiseState};
pub use messages::{Key, Sent};
pub use operations_generated::CONTRACT_VERSION;
pub use redact::Secret;
pub use settings::Options;
pub use transport::{Cancel, Incoming, Lost, LostKind, Outgoing, Transport};
pub use types::{Attachment, BatchItem, Message, Send};
