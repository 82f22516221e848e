//! The vectors of the evidence format: layers of messages, canonical JSON.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde_json::Value;

use super::base::sha256_hex;
use super::json::Json;
use super::mime::{parts_of, relaxed_body, relaxed_header};

fn vectors(name: &str) -> Value {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/");
    serde_json::from_slice(&std::fs::read(format!("{root}{name}")).unwrap()).unwrap()
}

#[test]
fn layers_of_messages() {
    for case in vectors("messages.json").as_array().unwrap() {
        let name = &case["name"];
        let message = STANDARD.decode(case["message"].as_str().unwrap()).unwrap();
        let (header, body) = (relaxed_header(&message).unwrap(), relaxed_body(&message).unwrap());
        assert_eq!(String::from_utf8_lossy(&header), case["relaxed_header"].as_str().unwrap(), "{name}");
        assert_eq!(sha256_hex(&header), case["header_sha256"], "{name}");
        assert_eq!(sha256_hex(&body), case["body_sha256"], "{name}");
        let parts = parts_of(&message).unwrap();
        let expected = case["parts"].as_array().unwrap();
        assert_eq!(parts.len(), expected.len(), "{name}");
        for (part, fact) in parts.iter().zip(expected) {
            assert_eq!(part.filename.as_deref(), fact["filename"].as_str(), "{name}");
            assert_eq!(part.media_type, fact["media_type"], "{name}");
            assert_eq!(part.content.len() as u64, fact["size"], "{name}");
            assert_eq!(sha256_hex(&part.content), fact["sha256"], "{name}");
        }
    }
}

#[test]
fn charsets_of_parts() {
    let part = |charset: &str, body: &[u8]| {
        let head = format!("Content-Type: text/plain; charset={charset}\r\n\r\n");
        parts_of(&[head.as_bytes(), body].concat()).map(|parts| parts[0].content.clone())
    };
    assert_eq!(part("iso-8859-1", b"a\xf1o \x80").unwrap(), "año €".as_bytes());
    assert_eq!(part("us-ascii", b"\xff").unwrap(), b"\xff");
    assert_eq!(part("UTF-8", b"a \r\nb\r \n").unwrap(), b"a\nb");
    assert!(part("shift_jis", b"a").is_err() && part("koi8-r", b"a").is_err());
}

#[test]
fn hostile_messages_end() {
    let nested = (0..30).rev().fold(b"x".to_vec(), |inner, n| {
        let head = format!("Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n");
        [head.as_bytes(), &inner, format!("\r\n--b{n}--\r\n").as_bytes()].concat()
    });
    assert!(parts_of(&nested).is_err());
    let many = ["Content-Type: multipart/mixed; boundary=b\r\n\r\n", &"--b\r\n\r\n\r\n".repeat(500)].concat();
    assert!(parts_of(many.as_bytes()).is_err());
    assert!(relaxed_header("A: b\r\n".repeat(2001).as_bytes()).is_err());
    for message in [&b""[..], b"\r\n", b"\n", b":", b"A", b" A: b", b"A: b\r\n c", b"A: b\r\n\r\n \t\r\n\r\n"]
    {
        assert!(parts_of(message).is_ok() && relaxed_header(message).is_ok());
        assert_eq!(relaxed_body(message).unwrap(), b"");
    }
}

#[test]
fn canonical_json() {
    let all = vectors("canonical.json");
    for case in all["canonical"].as_array().unwrap() {
        let text = case["canonical"].as_str().unwrap().as_bytes();
        // Documents have ASCII keys and whole numbers below 2^53 only, so that others are refused.
        let is_ours = text.is_ascii() && !text.ends_with(b"1e+21]");
        let is_ours = is_ours || case["name"] == "only what must be escaped is";
        assert_eq!(Json::read_canonical(text).is_some(), is_ours, "{}", case["name"]);
    }
    for case in all["refused"].as_array().unwrap() {
        let text = case["text"].as_str().unwrap().as_bytes();
        assert!(Json::read_canonical(text).is_none(), "{}", case["name"]);
    }
}
