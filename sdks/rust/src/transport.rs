//! How requests get to the server. The library brings its own transport; tests bring another.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::answer::Headers;
use crate::error::Phase;

/// Ends calls: a call of a client with this handle stops within 100 ms of [`Cancel::cancel`].
///
/// Give it to a view of a client, `acuse.with_options(|options| options.cancel(&cancel))`, and keep the other
/// end wherever the decision is made. It cannot be taken back.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// How long a wait that can be cancelled goes on without looking.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

impl Cancel {
    /// A handle that nobody has used yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the calls.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// True if it was used.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Waits, or returns early when it is used.
    pub(crate) fn sleep(&self, pause: Duration) {
        let until = Instant::now() + pause;
        while !self.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(LOOK));
        }
    }
}

/// A request as it is sent, once.
#[non_exhaustive]
pub struct Outgoing<'a> {
    /// GET, POST, PATCH, DELETE.
    pub method: &'static str,
    /// Where to: the whole address.
    pub url: &'a str,
    /// Header fields, the key among them.
    pub headers: &'a Headers,
    /// The body, where there is one.
    pub body: Option<&'a [u8]>,
    /// How long the attempt may take, from now.
    pub time: Duration,
    /// Set for a download: how long it may wait between two reads, instead of `time`.
    pub pause: Option<Duration>,
    /// Ends the attempt when it is used.
    pub cancel: &'a Cancel,
}

/// An answer whose body is still to be read.
#[non_exhaustive]
pub struct Incoming<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The header fields.
    pub headers: Headers,
    /// The body. That it ends before its length must be an error.
    pub body: &'a mut dyn Read,
}

impl<'a> Incoming<'a> {
    /// An answer.
    pub fn new(status: u16, headers: Headers, body: &'a mut dyn Read) -> Self {
        Self { status, headers, body }
    }
}

/// Why there was no whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostKind {
    /// No connection was made; nothing was sent.
    NoConnection,
    /// No connection was made in time; nothing was sent.
    ConnectTimeout,
    /// The peer could not be trusted or understood; nothing was sent.
    Tls,
    /// The connection broke.
    Answer,
    /// The time ended.
    Timeout,
    /// It was cancelled.
    Cancelled,
}

/// An attempt without a whole answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lost {
    /// Why.
    pub kind: LostKind,
    /// How far it came.
    pub phase: Phase,
    /// The network's error.
    pub message: String,
}

impl Lost {
    /// An attempt without a whole answer.
    pub fn new(kind: LostKind, phase: Phase, message: impl Into<String>) -> Self {
        Self { kind, phase, message: message.into() }
    }
}

/// Sends requests and brings answers: one attempt at a time, from any thread. It must not follow redirects,
/// and must not send anything twice.
pub trait Transport: Send + Sync {
    /// Sends a request, and hands over its answer.
    ///
    /// # Errors
    ///
    /// There was no whole answer: also when `take` fails, which is how it says that the body broke off.
    fn exchange(
        &self,
        request: &Outgoing<'_>,
        take: &mut dyn FnMut(Incoming<'_>) -> io::Result<()>,
    ) -> Result<(), Lost>;
}
