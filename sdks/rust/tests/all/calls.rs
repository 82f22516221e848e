//! Calls against a transport that is scripted: what no vector has; exchanges and sdks/conformance have the rest.

use std::time::Duration;

use crate::support::{client, example, Step, KEY};
use acuse::types::Send;
use acuse::{Acuse, Attachment, Error, LostKind, Options, Phase};

#[test]
fn a_keyed_send_is_the_send_and_its_key() {
    let mut full = example("BatchItem");
    full["idempotency_key"] = "k".into();
    let mut less = full.clone();
    less.as_object_mut().unwrap().remove("idempotency_key");
    let send: Send = serde_json::from_value(less).unwrap();
    assert_eq!(serde_json::to_value(send.keyed("k")).unwrap(), full);
}

fn send() -> Send {
    Send::new("billing@sandbox.test", "delivered@sandbox.test").subject("Invoice 1").text("Hello.")
}

#[test]
fn a_send_has_its_key_its_headers_and_one_body() {
    let (acuse, script) = client(vec![
        Step::Lose(LostKind::Answer, Phase::Receive),
        Step::Cut(201, b"{\"id\":".to_vec()),
        Step::Answer(
            200,
            vec![("idempotent-replayed", "true".to_owned()), ("request-id", "r1".to_owned())],
            example("Message").to_string().into_bytes(),
        ),
    ]);
    let sent = acuse.messages().send(&send(), "invoice-1").unwrap();
    assert!(sent.replayed);
    assert_eq!((sent.attempts, sent.idempotency_key.as_str()), (3, "invoice-1"));
    assert_eq!((sent.meta.request_id.as_str(), sent.meta.status), ("r1", 200));
    let seen = script.seen.lock().unwrap();
    for (at, each) in seen.iter().enumerate() {
        assert_eq!(each.line, "POST http://localhost:8025/base/v1/messages");
        assert_eq!(each.body, seen[0].body);
        assert_eq!(each.headers.get("idempotency-key"), Some("invoice-1"));
        assert_eq!(each.headers.get("acuse-attempt"), Some((at + 1).to_string().as_str()));
        assert_eq!(each.headers.get("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert!(each.headers.get("user-agent").unwrap().starts_with("acuse-rust/"));
    }
}

#[test]
fn keys_that_are_none_and_options_that_make_no_sense_are_refused_before_any_request() {
    let (acuse, script) = client(Vec::new());
    for key in ["", "with\r\nline", "é", &"x".repeat(256)] {
        let error = acuse.messages().send(&send(), key).unwrap_err();
        assert!(matches!(error, Error::Configuration(_)), "{key}");
    }
    assert!(acuse.messages().get("..").is_err());
    assert!(script.seen.lock().unwrap().is_empty());
    let bad = |options: Options| matches!(Acuse::new(options), Err(Error::Configuration(_)));
    let good = || Options::new().api_key("k");
    assert!(bad(Options::new().api_key("")) && bad(Options::new().api_key("a b")));
    assert!(bad(good().base_url("http://mail.example.com")));
    assert!(!bad(good().base_url("http://mail.example.com").allow_insecure()));
    assert!(bad(good().base_url("https://u:p@mail.example.com")));
    assert!(bad(good().timeout(Duration::ZERO)) && bad(good().app_info("a\nb")));
    assert!(bad(good().base_url("https://localhost").ca_file("/there/is/none.pem")));
    assert!(bad(good().proxy("socks5://proxy")));
    assert!(acuse.with_options(|options| options.proxy("http://proxy:1")).is_err());
}

#[test]
fn an_address_that_cannot_be_reached_is_named() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", unused.local_addr().unwrap());
    drop(unused);
    let acuse = Acuse::new(Options::new().api_key("k").base_url(&address).max_retries(0)).unwrap();
    let said = acuse.messages().get("x").unwrap_err().to_string();
    assert!(said.contains(&format!("no answer (connect): {address}: ")), "{said}");
}

#[test]
fn attachments_have_the_type_of_their_extension() {
    let attachment = Attachment::from_bytes("Invoice.PDF", b"%PDF");
    assert_eq!(attachment.content_type.get().map_or("", String::as_str), "application/pdf");
    assert_eq!(attachment.content, "JVBERg==");
    assert!(matches!(Attachment::from_file("/there/is/none"), Err(Error::Configuration(_))));
}
