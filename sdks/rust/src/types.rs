//! The types of the contract: the bodies of requests and answers.

pub use crate::types_generated::*;
pub use crate::types_more_generated::*;
pub use crate::values::{OneOrMany, Timestamp};
