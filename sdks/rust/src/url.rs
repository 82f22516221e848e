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
    port: u16,
}

impl BaseUrl {
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let refused = |what| Error::refused(format!("the base URL (Options::base_url, or ACUSE_URL) {what}"));
        let wrong = || refused("must be like https://mail.example.com");
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let (scheme, authority) = (uri.scheme_str(), uri.authority());
        let (Some(scheme @ ("http" | "https")), Some(authority)) = (scheme, authority) else {
            return Err(wrong());
        };
        if authority.as_str().contains('@') || text.contains(['?', '#']) {
            return Err(refused("must have no credentials, no query and no fragment"));
        }
        if authority.host().is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            is_https: scheme == "https",
            text: text.trim_end_matches('/').to_owned(),
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().unwrap_or(443),
        })
    }

    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// What `HTTPS_PROXY` and `NO_PROXY` say for an address; contract/vectors/README.md of the project has the rule.
pub(crate) fn environment_proxy(
    base: &BaseUrl,
    environment: &dyn Fn(&str) -> String,
) -> Result<Option<String>, Error> {
    if !base.is_https || base.is_loopback() {
        return Ok(None);
    }
    let first = |names: [&str; 2]| names.into_iter().map(environment).find(|text| !text.is_empty());
    let named = first(["https_proxy", "HTTPS_PROXY"]).unwrap_or_default();
    let list = first(["no_proxy", "NO_PROXY"]).unwrap_or_default();
    if named.trim().is_empty() || is_excepted(base, &list) {
        return Ok(None);
    }
    let proxy = match named.trim() {
        whole if whole.contains("://") => whole.to_owned(),
        host => format!("http://{host}"),
    };
    match proxy.strip_prefix("http://") {
        Some(host) if !host.is_empty() && !host.starts_with('/') => Ok(Some(proxy)),
        _ => Err(Error::refused("HTTPS_PROXY must be like http://proxy.example.com:3128")),
    }
}

fn is_excepted(base: &BaseUrl, list: &str) -> bool {
    let list = list.to_lowercase();
    list.split([',', ' ', '\t', '\n']).any(|entry| {
        if entry == "*" {
            return true;
        }
        let bare = entry.strip_prefix('*').unwrap_or(entry);
        let bare = bare.strip_prefix('.').unwrap_or(bare);
        let (name, port) = bare.split_once(':').unwrap_or((bare, ""));
        let fits = port.is_empty() || port == base.port.to_string();
        let is_below =
            base.host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        !name.is_empty() && fits && is_below
    })
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
    use super::{environment_proxy, fill, BaseUrl};
    use crate::settings::address;
    use crate::Options;

    fn vectors() -> Option<serde_json::Value> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/client-settings.json");
        Some(serde_json::from_slice(&std::fs::read(file).ok()?).unwrap())
    }

    #[test]
    fn settings_of_the_environment() {
        let Some(file) = vectors() else { return };
        for case in file["addresses"].as_array().unwrap() {
            let of = |name: &str| case["env"][name].as_str().unwrap_or_default().to_owned();
            let found = case["given"].as_str().map(str::to_owned).or_else(|| address(&of));
            assert_eq!(found.as_deref(), case["out"].as_str(), "{case}");
        }
        for case in file["proxies"].as_array().unwrap() {
            let of = |name: &str| case["env"][name].as_str().unwrap_or_default().to_owned();
            let base = BaseUrl::read(case["address"].as_str().unwrap()).unwrap();
            let found = environment_proxy(&base, &of).unwrap_or_else(|_| Some("refused".to_owned()));
            assert_eq!(found.as_deref(), case["out"].as_str(), "{case}");
        }
    }

    #[test]
    fn a_proxy_sees_no_key_in_plain_http() {
        let plain = || {
            let options = Options::new().api_key("acuse_a_b").base_url("http://localhost:8025");
            options.proxy("http://proxy.example.com:3128")
        };
        assert!(crate::Acuse::new(plain()).is_err());
        assert!(crate::Acuse::new(plain().allow_insecure()).is_ok());
    }

    #[test]
    fn addresses_of_servers() {
        let good = ["http://localhost:8025", "https://mail.example.com/acuse/", "http://[::1]:1/"];
        for text in good {
            assert!(BaseUrl::read(text).is_ok(), "{text}");
        }
        let bad = ["", "mail.example.com", "ftp://x", "https://a:b@c", "http://x/?q", "https://x#"];
        for text in bad.into_iter().chain(["u:secret@x", "https://u:secret@["]) {
            let said = BaseUrl::read(text).err().unwrap().to_string();
            assert!(said.contains("Options::base_url, or ACUSE_URL"), "{said}");
            assert!(!said.contains("secret"), "{said}");
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
