//! The parts of an answer besides its content.

use std::fmt;
use std::ops::Deref;

/// Header fields; their names are compared in any case.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// The first value of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let same = |field: &&(String, String)| field.0.eq_ignore_ascii_case(name);
        self.0.iter().find(same).map(|(_, value)| value.as_str())
    }

    /// All fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Adds a field.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        Self(fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// The answer of a result.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Meta {
    /// The HTTP status.
    pub status: u16,
    /// The server's name for the request: quote it to the operator.
    pub request_id: String,
    /// All header fields of the answer.
    pub headers: Headers,
    /// How many attempts the call took.
    pub attempts: u32,
}

/// A result, and the answer that it came in. It can be used as the result itself.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    value: T,
    meta: Meta,
}

impl<T> Answer<T> {
    pub(crate) fn new(value: T, meta: Meta) -> Self {
        Self { value, meta }
    }

    /// The result alone.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.meta.status
    }

    /// The server's name for the request: quote it to the operator.
    pub fn request_id(&self) -> &str {
        &self.meta.request_id
    }

    /// All header fields of the answer.
    pub fn headers(&self) -> &Headers {
        &self.meta.headers
    }

    /// Status and request id.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(crate) fn into_parts(self) -> (T, Meta) {
        (self.value, self.meta)
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
