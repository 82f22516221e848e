//! The library from outside: against the vectors of every language, and against a transport that is scripted.

#[cfg(feature = "verify")]
mod bundles;
mod calls;
mod examples;
mod exchanges;
mod secrets;
mod support;
mod webhooks;

#[rustfmt::skip]
mod roundtrip_generated;
