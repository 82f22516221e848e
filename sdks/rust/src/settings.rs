//! How a client is set up.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ring::rand::{SecureRandom, SystemRandom};

use crate::attempt::AttemptInfo;
use crate::error::Error;
use crate::redact::Secret;
use crate::transport::{Cancel, Transport};
use crate::url::BaseUrl;

const DEFAULT_MAX_RETRIES: u32 = 3;
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The limit of one attempt, without what its body adds.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The limit of a call with all its attempts.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(180);

type Hook = Arc<dyn Fn(&AttemptInfo<'_>) + Send + Sync>;
type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;
type Sleep = Arc<dyn Fn(Duration) + Send + Sync>;
type Random = Arc<dyn Fn() -> f64 + Send + Sync>;

/// How a client is set up: [`Acuse::new`](crate::Acuse::new) takes it.
///
/// Options that are not set have a default; key and address come from `ACUSE_API_KEY` and `ACUSE_URL`.
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(crate) api_key: Option<Secret>,
    pub(crate) base_url: Option<String>,
    pub(crate) max_retries: u32,
    pub(crate) timeout: Duration,
    pub(crate) deadline: Duration,
    pub(crate) app_info: String,
    pub(crate) allow_insecure: bool,
    pub(crate) network: Network,
    pub(crate) on_attempt: Option<Hook>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) clock: Clock,
    pub(crate) sleep: Option<Sleep>,
    pub(crate) random: Random,
}

/// Settings of connections: a view shares its client's.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) connect_timeout: Duration,
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) proxy: Option<String>,
    pub(crate) transport: Option<Arc<dyn Transport>>,
    /// Counts the options of this kind that were set.
    pub(crate) changes: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: None,
            max_retries: DEFAULT_MAX_RETRIES,
            timeout: DEFAULT_TIMEOUT,
            deadline: DEFAULT_DEADLINE,
            app_info: String::new(),
            allow_insecure: false,
            network: Network {
                connect_timeout: DEFAULT_CONNECT_TIMEOUT,
                ca_file: None,
                proxy: None,
                transport: None,
                changes: 0,
            },
            on_attempt: None,
            cancel: None,
            clock: Arc::new(SystemTime::now),
            sleep: None,
            random: Arc::new(random),
        }
    }
}

/// Uniform in [0, 1).
fn random() -> f64 {
    let mut bytes = [0; 4];
    // Without randomness the delays are merely not spread.
    let _ = SystemRandom::new().fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The API key, in place of `ACUSE_API_KEY`.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(Secret::from(key.into()));
        self
    }

    /// Where the server is, in place of `ACUSE_URL`.
    pub fn base_url(mut self, address: impl Into<String>) -> Self {
        self.base_url = Some(address.into());
        self
    }

    /// How often a call is tried again; 3 by default.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// How long connecting may take; 10 s by default.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.network.connect_timeout = limit;
        self.network.changes += 1;
        self
    }

    /// How long an attempt may take, and 1 s more for each 256 KiB of its body; 60 s by default.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// How long a call may take with all of its attempts; 180 s by default.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = limit;
        self
    }

    /// Trusts the certificate authorities of a PEM file, and no others.
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.network.ca_file = Some(path.into());
        self.network.changes += 1;
        self
    }

    /// Sends requests through an HTTP proxy: `http://proxy.example.com:3128`. By default that
    /// of `HTTPS_PROXY` is used for https, and none for plain http.
    pub fn proxy(mut self, address: impl Into<String>) -> Self {
        self.network.proxy = Some(address.into());
        self.network.changes += 1;
        self
    }

    /// Adds the name of your program to User-Agent: `billing/2.1`.
    pub fn app_info(mut self, info: impl Into<String>) -> Self {
        self.app_info = info.into();
        self
    }

    /// Lets the API key go over plain http to hosts other than this one.
    pub fn allow_insecure(mut self) -> Self {
        self.allow_insecure = true;
        self
    }

    /// A function that is told of each attempt. When it panics, nothing changes.
    pub fn on_attempt(mut self, hook: impl Fn(&AttemptInfo<'_>) + Send + Sync + 'static) -> Self {
        self.on_attempt = Some(Arc::new(hook));
        self
    }

    /// Ends calls when the handle is used.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }

    /// Another transport than the library's own; connect timeout, CA file and proxy are then its affair.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.network.transport = Some(transport);
        self.network.changes += 1;
        self
    }

    /// Replaces the clock, for tests.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Replaces the waiting between attempts, for tests.
    pub fn sleep(mut self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.sleep = Some(Arc::new(sleep));
        self
    }

    /// Replaces the numbers in [0, 1) that spread retries, for tests.
    pub fn random(mut self, random: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        self.random = Arc::new(random);
        self
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Options").field("api_key", &self.api_key).finish_non_exhaustive()
    }
}

/// Where the environment says that the service is. `ACUSE_BASE_URL` is what it was called before.
pub(crate) fn address(environment: &dyn Fn(&str) -> String) -> Option<String> {
    ["ACUSE_URL", "ACUSE_BASE_URL"].into_iter().map(environment).find(|text| !text.is_empty())
}

/// Options that were checked.
pub(crate) struct Settings {
    pub(crate) api_key: String,
    pub(crate) base: BaseUrl,
    pub(crate) options: Options,
}

impl Settings {
    pub(crate) fn check(options: Options) -> Result<Self, Error> {
        let from_environment = |name: &str| std::env::var(name).unwrap_or_default();
        let api_key = match &options.api_key {
            Some(key) => key.reveal().to_owned(),
            None => from_environment("ACUSE_API_KEY"),
        };
        if api_key.is_empty() {
            return Err(Error::refused("no API key: set ACUSE_API_KEY or use Options::api_key"));
        }
        if !api_key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::refused(
                "the API key has white space, control or non-ASCII characters: copy it again",
            ));
        }
        if !options.app_info.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(Error::refused("app info must be printable ASCII"));
        }
        let connect = options.network.connect_timeout;
        if options.timeout.is_zero() || options.deadline.is_zero() || connect.is_zero() {
            return Err(Error::refused("timeouts must be more than nothing"));
        }
        let Some(address) = options.base_url.clone().or_else(|| address(&from_environment)) else {
            return Err(Error::refused("no address of the service: set ACUSE_URL or use Options::base_url"));
        };
        let base = BaseUrl::read(&address)?;
        if !base.is_https && options.network.proxy.is_some() && !options.allow_insecure {
            return Err(Error::refused(
                "a proxy would see the API key in plain http: use https, or Options::allow_insecure",
            ));
        }
        if !base.is_https && !options.allow_insecure && !base.is_loopback() {
            return Err(Error::refused(
                "plain http would show the API key to others: use https, or Options::allow_insecure",
            ));
        }
        Ok(Self { api_key, base, options })
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.options.clock)()
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        millis_since(SystemTime::UNIX_EPOCH, self.now())
    }

    pub(crate) fn sleep(&self, pause: Duration) {
        match (&self.options.sleep, &self.options.cancel) {
            (Some(sleep), _) => sleep(pause),
            (None, Some(cancel)) => cancel.sleep(pause),
            (None, None) => std::thread::sleep(pause),
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.options.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }
}

/// Milliseconds from one moment to another; negative backwards.
pub(crate) fn millis_since(from: SystemTime, to: SystemTime) -> i64 {
    let whole = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    match to.duration_since(from) {
        Ok(span) => whole(span),
        Err(before) => -whole(before.duration()),
    }
}
