//! Addresses: the base of a server, and what is put into paths and queries.

use std::net::IpAddr;

use ureq::http::Uri;

use crate::error::Error;

#[derive(Clone)]
pub(crate) struct BaseUrl {
    pub(crate) is_https: bool,
    /// Without a slash at its end.
    pub(crate) text: String,
    host: String,
}

impl BaseUrl {
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let wrong = || Error::refused("the base URL must be like https://mail.example.com");
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let (scheme, authority) = (uri.scheme_str(), uri.authority());
        let (Some(scheme @ ("http" | "https")), Some(authority)) = (scheme, authority) else {
            return Err(wrong());
        };
        if authority.as_str().contains('@') || text.contains(['?', '#']) {
            return Err(Error::refused("the base URL must have no credentials, no query and no fragment"));
        }
        if authority.host().is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            is_https: scheme == "https",
            text: text.trim_end_matches('/').to_owned(),
            host: authority.host().to_ascii_lowercase(),
        })
    }

    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Percent-encodes all but what RFC 3986 §2.3 calls unreserved.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Puts values into a path, in the order of its parameters. That of a tile has slashes of its own.
pub(crate) fn fill(path: &str, values: &[String]) -> Result<String, Error> {
    let mut out = String::new();
    let mut rest = path;
    for value in values {
        let (before, after) = rest.split_once('{').unwrap_or((rest, "}"));
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        if value.is_empty() {
            return Err(Error::refused(format!("the parameter {name} is empty")));
        }
        let pieces: Vec<&str> =
            if name == "path" { value.split('/').collect() } else { vec![value.as_str()] };
        if pieces.iter().any(|piece| matches!(*piece, "" | "." | "..")) {
            return Err(Error::refused(format!("the parameter {name} would name another path")));
        }
        out.push_str(before);
        out.push_str(&pieces.iter().map(|piece| escape(piece)).collect::<Vec<_>>().join("/"));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{fill, BaseUrl};

    #[test]
    fn addresses_of_servers() {
        let good = ["http://localhost:8025", "https://mail.example.com/acuse/", "http://[::1]:1/"];
        for text in good {
            assert!(BaseUrl::read(text).is_ok(), "{text}");
        }
        let bad = ["", "mail.example.com", "ftp://x", "https://a:b@c", "http://x/?q", "https://x#"];
        for text in bad {
            assert!(BaseUrl::read(text).is_err(), "{text}");
        }
        let is_loopback = |text| BaseUrl::read(text).unwrap().is_loopback();
        assert!(is_loopback("http://127.0.0.9") && is_loopback("http://[::1]:8025"));
        assert!(is_loopback("http://a.localhost") && !is_loopback("http://localhost.example.com"));
    }

    #[test]
    fn parameters_of_paths() {
        let fill = |path, value: &str| fill(path, &[value.to_owned()]);
        assert_eq!(fill("/v1/messages/{id}/raw", "a/b é").unwrap(), "/v1/messages/a%2Fb%20%C3%A9/raw");
        assert_eq!(fill("/log/tile/{path}", "0/x001/002.p/3").unwrap(), "/log/tile/0/x001/002.p/3");
        for value in ["", ".", ".."] {
            assert!(fill("/v1/messages/{id}", value).is_err(), "{value}");
        }
        assert!(fill("/log/tile/{path}", "0/../x").is_err());
    }
}
