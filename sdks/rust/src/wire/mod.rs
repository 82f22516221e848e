//! The library's own transport: HTTP/1.1 by ureq and rustls, over sockets that look after time and
//! cancelling.

mod names;
mod socket;
mod watch;

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use ureq::config::{AutoHeaderValue, Config};
use ureq::http;
use ureq::tls::{parse_pem, Certificate, PemItem, RootCerts, TlsConfig};
use ureq::unversioned::transport::{Connector, RustlsConnector};
use ureq::{Agent, Proxy};

use self::names::Names;
use self::socket::{Mark, Tcp, Tunnel};
use self::watch::{Stage, Watch};
use crate::answer::Headers;
use crate::error::{Error, Phase};
use crate::settings::Network;
use crate::transport::{Incoming, Lost, LostKind, Outgoing, Transport};
use crate::url::{environment_proxy, BaseUrl};

/// Connections that are kept.
const IDLE_MAX: usize = 100;
/// The server closes idle connections at 72 s.
const IDLE_AGE: Duration = Duration::from_secs(60);
/// Bytes of an answer's header.
const HEADER_SIZE_MAX: usize = 256 << 10;

pub(crate) struct Wired {
    config: Config,
    names: Arc<Names>,
    connect_timeout: Duration,
    /// With the process that made it: after a fork the connections are the parent's.
    agent: Mutex<(u32, Agent)>,
}

impl Wired {
    pub(crate) fn new(network: &Network, base: &BaseUrl) -> Result<Self, Error> {
        let of_environment = environment_proxy(base, &|name| std::env::var(name).unwrap_or_default())?;
        let named = network.proxy.clone().or(of_environment);
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(AutoHeaderValue::None)
            .accept(AutoHeaderValue::None)
            .accept_encoding(AutoHeaderValue::None)
            .max_idle_connections(IDLE_MAX)
            .max_idle_connections_per_host(IDLE_MAX)
            .max_idle_age(IDLE_AGE)
            .max_response_header_size(HEADER_SIZE_MAX)
            .proxy(named.as_deref().map(proxy).transpose()?);
        if base.is_https || named.as_deref().is_some_and(|text| text.starts_with("https:")) {
            config = config.tls_config(tls(network)?);
        }
        let config = config.build();
        let names = Arc::new(Names::default());
        let agent = Mutex::new((std::process::id(), agent(&config, &names)));
        Ok(Self { config, names, connect_timeout: network.connect_timeout, agent })
    }

    fn agent(&self) -> Agent {
        let mut kept = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if kept.0 != process {
            *kept = (process, agent(&self.config, &self.names));
        }
        kept.1.clone()
    }
}

fn agent(config: &Config, names: &Arc<Names>) -> Agent {
    let connector = Tunnel::default()
        .chain(Tcp(names.clone()))
        .chain(Mark(Stage::Tls))
        .chain(RustlsConnector::default())
        .chain(Mark(Stage::Send));
    Agent::with_parts(config.clone(), connector, names::Shared(names.clone()))
}

fn proxy(address: &str) -> Result<Proxy, Error> {
    let wrong = || Error::refused("the proxy must be like http://proxy.example.com:3128");
    if !address.starts_with("http://") && !address.starts_with("https://") {
        return Err(wrong());
    }
    Proxy::new(address).map_err(|_| wrong())
}

fn tls(network: &Network) -> Result<TlsConfig, Error> {
    let roots = match &network.ca_file {
        Some(path) => {
            let pem = std::fs::read(path)
                .map_err(|error| Error::refused(format!("the CA file cannot be read: {error}")))?;
            let wrong = || Error::refused("the CA file has no certificate in PEM");
            let items: Result<Vec<_>, _> = parse_pem(&pem).collect();
            let certificates: Vec<_> =
                items.map_err(|_| wrong())?.into_iter().filter_map(certificate).collect();
            if certificates.is_empty() {
                return Err(wrong());
            }
            certificates
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            found.certs.iter().map(|each| Certificate::from_der(each).to_owned()).collect()
        }
    };
    if roots.is_empty() {
        return Err(Error::refused(
            "this machine has no certificate authorities: install ca-certificates, or set Options::ca_file",
        ));
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(default_provider()))
        .build())
}

fn certificate(item: PemItem<'static>) -> Option<Certificate<'static>> {
    match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    }
}

impl Transport for Wired {
    fn exchange(
        &self,
        request: &Outgoing<'_>,
        take: &mut dyn FnMut(Incoming<'_>) -> io::Result<()>,
    ) -> Result<(), Lost> {
        let watch = Watch::begin(request, self.connect_timeout);
        let mut ask = http::Request::builder().method(request.method).uri(request.url);
        for (name, value) in request.headers.iter() {
            ask = ask.header(name, value);
        }
        // A request without a body says so, as a POST must (RFC 9110 §8.6).
        let has_body = request.body.is_some() || matches!(request.method, "POST" | "PATCH");
        let response = if has_body {
            let ask = ask.body(request.body.unwrap_or_default()).map_err(|fault| unsendable(&fault))?;
            self.agent().run(ask)
        } else {
            let ask = ask.body(()).map_err(|fault| unsendable(&fault))?;
            self.agent().run(ask)
        };
        let response = response.map_err(|error| lost(&watch, &error))?;
        watch.headed();
        let (parts, body) = response.into_parts();
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: Headers =
            parts.headers.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
        let mut reader = body.into_with_config().limit(u64::MAX).reader();
        let incoming = Incoming::new(parts.status.as_u16(), headers, &mut reader as &mut dyn Read);
        take(incoming).map_err(|error| lost_in_body(&watch, &error))
    }
}

fn unsendable(fault: &http::Error) -> Lost {
    Lost::new(LostKind::Tls, Phase::Connect, fault.to_string())
}

fn lost(watch: &Watch, error: &ureq::Error) -> Lost {
    let is_tls = match error {
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::TlsRequired => true,
        ureq::Error::Io(inner) => is_distrust(inner),
        _ => false,
    };
    watch.lost(is_tls, innermost(error))
}

fn lost_in_body(watch: &Watch, error: &io::Error) -> Lost {
    watch.lost(false, error.to_string())
}

/// A peer that cannot be trusted or understood, not a connection that broke.
fn is_distrust(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
}

/// Without what ureq puts before the words of others.
fn innermost(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(inner) => inner.to_string(),
        other => other.to_string(),
    }
}
