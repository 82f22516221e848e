//! The state of a request at its sockets: its deadline, whether it was cancelled, and how far it came.
//! ureq does all of a request in the thread that asked, so that it is kept there.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::error::Phase;
use crate::transport::{Cancel, Lost, LostKind, Outgoing};

/// How far a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// A connection is looked for.
    Start,
    /// A connection is being made.
    Connect,
    /// The peer is being authenticated.
    Tls,
    /// The request is being sent.
    Send,
    /// The answer is awaited.
    Receive,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<State>>> = const { RefCell::new(None) };
}

pub(super) struct State {
    stage: Cell<Stage>,
    cancel: Cancel,
    deadline: Cell<Instant>,
    connect_timeout: Duration,
    connect_deadline: Cell<Option<Instant>>,
    pause: Option<Duration>,
    is_headed: Cell<bool>,
    stopped: Cell<Option<LostKind>>,
    /// Connections being made for the sake of another, to a proxy.
    depth: Cell<u32>,
}

/// The watch over the request of this thread, until it is dropped.
pub(super) struct Watch(Rc<State>);

impl Watch {
    pub(super) fn begin(request: &Outgoing<'_>, connect_timeout: Duration) -> Self {
        let state = Rc::new(State {
            stage: Cell::new(Stage::Start),
            cancel: request.cancel.clone(),
            deadline: Cell::new(after(request.time)),
            connect_timeout,
            connect_deadline: Cell::new(None),
            pause: request.pause,
            is_headed: Cell::new(false),
            stopped: Cell::new(None),
            depth: Cell::new(0),
        });
        CURRENT.with_borrow_mut(|current| *current = Some(state.clone()));
        Self(state)
    }

    /// The header of the answer is there.
    pub(super) fn headed(&self) {
        self.0.is_headed.set(true);
    }

    /// The outcome of the request, whose connection said this.
    pub(super) fn lost(&self, is_tls: bool, message: String) -> Lost {
        let stage = self.0.stage.get();
        let phase = match stage {
            Stage::Start | Stage::Connect => Phase::Connect,
            Stage::Tls => Phase::Tls,
            Stage::Send => Phase::Send,
            Stage::Receive => Phase::Receive,
        };
        let is_before = matches!(phase, Phase::Connect | Phase::Tls);
        match self.0.stopped.get() {
            Some(LostKind::Timeout) if is_before => {
                Lost::new(LostKind::ConnectTimeout, phase, "connecting took too long")
            }
            Some(kind) => Lost::new(kind, phase, message),
            None if is_before && is_tls => Lost::new(LostKind::Tls, Phase::Tls, message),
            None if is_before => Lost::new(LostKind::NoConnection, Phase::Connect, message),
            None => Lost::new(LostKind::Answer, phase, message),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| *current = None);
    }
}

/// A moment that far away, or as far as the clock goes.
fn after(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(u64::from(u32::MAX)))
}

/// The watch of this thread, for a socket.
pub(super) fn current() -> io::Result<Rc<State>> {
    let found = CURRENT.with_borrow(Clone::clone);
    found.ok_or_else(|| io::Error::other("a socket is used outside of a request"))
}

impl State {
    pub(super) fn set(&self, stage: Stage) {
        if self.depth.get() == 0 {
            self.stage.set(stage);
        }
    }

    /// From here on the time for connecting runs.
    pub(super) fn connecting(&self) {
        if self.connect_deadline.get().is_none() {
            self.connect_deadline.set(Some(after(self.connect_timeout)));
        }
    }

    pub(super) fn nested(&self, change: i32) {
        self.depth.set(self.depth.get().saturating_add_signed(change));
    }

    /// The request is about to be written, maybe to a connection that was there.
    pub(super) fn writing(&self) {
        if self.stage.get() == Stage::Start {
            self.set(Stage::Send);
        }
    }

    /// The answer is about to be read.
    pub(super) fn reading(&self) {
        if self.stage.get() == Stage::Send {
            self.set(Stage::Receive);
        }
        if let (true, Some(pause)) = (self.is_headed.get(), self.pause) {
            self.deadline.set(after(pause));
        }
    }

    /// How much time is left; an error when there is none, or the request was cancelled.
    pub(super) fn left(&self) -> io::Result<Duration> {
        if self.cancel.is_cancelled() {
            return Err(self.stop(LostKind::Cancelled, "the call was cancelled"));
        }
        let is_before = matches!(self.stage.get(), Stage::Start | Stage::Connect | Stage::Tls);
        let connect = self.connect_deadline.get().filter(|_| is_before);
        let deadline = connect.map_or(self.deadline.get(), |at| at.min(self.deadline.get()));
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.stop(LostKind::Timeout, "the time of the attempt ended"));
        }
        Ok(left)
    }

    fn stop(&self, kind: LostKind, words: &'static str) -> io::Error {
        self.stopped.set(Some(kind));
        io::Error::other(words)
    }
}
