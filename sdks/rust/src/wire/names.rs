//! Names of hosts and their addresses. ureq asks for every request; they are kept for a while.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;
use ureq::Error;

use super::socket::aside;
use super::watch::current;

/// How long addresses are kept; a connection that cannot be made forgets them.
const KEPT: Duration = Duration::from_secs(30);
/// Addresses of one name that are tried: what ureq has room for.
const ADDRESSES_MAX: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Names(Mutex<HashMap<String, (Instant, Vec<SocketAddr>)>>);

impl Names {
    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn kept(&self, name: &str) -> Option<Vec<SocketAddr>> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(name).filter(|(at, _)| at.elapsed() < KEPT).map(|(_, found)| found.clone())
    }

    fn find(&self, name: String) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = name.parse() {
            return Ok(vec![address]);
        }
        if let Some(found) = self.kept(&name) {
            return Ok(found);
        }
        let watch = current()?;
        watch.connecting();
        let wanted = name.clone();
        let found = aside(&watch, move || Ok(wanted.to_socket_addrs()?.collect::<Vec<_>>()))?;
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name, (Instant::now(), found.clone()));
        Ok(found)
    }
}

#[derive(Debug)]
pub(super) struct Shared(pub(super) Arc<Names>);

impl Resolver for Shared {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let place = uri.scheme().zip(uri.authority());
        let name = place.and_then(|(scheme, host)| DefaultResolver::host_and_port(scheme, host));
        let found = self.0.find(name.ok_or(Error::HostNotFound)?)?;
        let mut addresses = self.empty();
        for address in found.into_iter().take(ADDRESSES_MAX) {
            addresses.push(address);
        }
        if addresses.is_empty() {
            return Err(Error::HostNotFound);
        }
        Ok(addresses)
    }
}
