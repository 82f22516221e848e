//! The client.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::budget::Budget;
use crate::error::Error;
use crate::redact::mask;
use crate::settings::{Options, Settings};
use crate::transport::{Cancel, Transport, LOOK};
use crate::wire::Wired;

/// Requests at once, per client.
const REQUESTS_MAX: usize = 100;

/// Speaks to one server with one API key. It serves all threads: make one and keep it; a clone is the same
/// client.
#[derive(Clone)]
pub struct Acuse {
    pub(crate) settings: Arc<Settings>,
    pub(crate) shared: Arc<Shared>,
}

/// Common to a client and its views.
pub(crate) struct Shared {
    transport: Arc<dyn Transport>,
    pub(crate) slots: Slots,
    pub(crate) budget: Budget,
}

impl Shared {
    pub(crate) fn transport(&self) -> &dyn Transport {
        &*self.transport
    }
}

/// Holds requests back while too many run.
#[derive(Default)]
pub(crate) struct Slots {
    running: Mutex<usize>,
    freed: Condvar,
}

impl Slots {
    /// Waits for a place; None: cancelled before there was one.
    pub(crate) fn take(&self, cancel: &Cancel) -> Option<Slot<'_>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            if *running < REQUESTS_MAX {
                *running += 1;
                return Some(Slot(self));
            }
            let waited = self.freed.wait_timeout(running, LOOK);
            running = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

pub(crate) struct Slot<'a>(&'a Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.freed.notify_one();
    }
}

impl Acuse {
    /// A client with what `ACUSE_API_KEY` and `ACUSE_URL` say.
    ///
    /// # Errors
    ///
    /// They are missing, or make no sense. Nothing is requested.
    pub fn from_env() -> Result<Self, Error> {
        Self::new(Options::new())
    }

    /// A client with these options.
    ///
    /// # Errors
    ///
    /// They make no sense. Nothing is requested.
    pub fn new(options: Options) -> Result<Self, Error> {
        let settings = Settings::check(options)?;
        let network = &settings.options.network;
        let transport = match &network.transport {
            Some(given) => given.clone(),
            None => Arc::new(Wired::new(network, &settings.base)?),
        };
        Ok(Self {
            settings: Arc::new(settings),
            shared: Arc::new(Shared { transport, slots: Slots::default(), budget: Budget::default() }),
        })
    }

    /// A view with other options, which shares connections and the budget for retries.
    ///
    /// # Errors
    ///
    /// They make no sense, or concern connections: CA file, proxy, connect timeout and transport need a
    /// client of their own, and so does a server over https for a client over http.
    pub fn with_options(&self, change: impl FnOnce(Options) -> Options) -> Result<Self, Error> {
        let before = self.settings.options.clone();
        let changes = before.network.changes;
        let settings = Settings::check(change(before))?;
        let is_other = settings.base.is_https != self.settings.base.is_https;
        if settings.options.network.changes != changes || is_other {
            return Err(Error::refused(
                "a view shares its connections: CA file, proxy, connect timeout, transport and another \
                 scheme need a client of their own",
            ));
        }
        Ok(Self { settings: Arc::new(settings), shared: self.shared.clone() })
    }

    /// Header fields of each request.
    #[must_use]
    pub fn user_agent(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let mut agent = format!("acuse-rust/{version} (rust/{RUST}; {})", std::env::consts::OS);
        if !self.settings.options.app_info.is_empty() {
            agent.push(' ');
            agent.push_str(&self.settings.options.app_info);
        }
        agent
    }
}

/// The oldest compiler that the library is written for: the one that built it leaves no trace.
const RUST: &str = env!("CARGO_PKG_RUST_VERSION");

impl fmt::Debug for Acuse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { api_key, base, .. } = &*self.settings;
        write!(out, "Acuse {{ {} {} }}", base.text, mask(api_key))
    }
}
