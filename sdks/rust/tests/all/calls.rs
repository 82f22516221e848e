//! Calls against a transport that is scripted: retries, keys, batches, lists, files, hooks, cancelling.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::support::{answer, client, example, refusal, Step, KEY};
use acuse::types::{BatchItem, Send};
use acuse::{Acuse, ApiErrorKind, Attachment, BatchStatus, Cancel, Error, Key, LostKind, Options, Phase};
use serde_json::{json, Value};

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
fn a_made_key_is_in_the_error_and_the_same_in_every_attempt() {
    let steps = (0..4).map(|_| Step::Lose(LostKind::Timeout, Phase::Receive)).collect();
    let (acuse, script) = client(steps);
    let error = acuse.messages().send(&send(), Key::Auto).unwrap_err();
    assert!(matches!(error, Error::Timeout(_)) && error.outcome_unknown());
    let key = error.idempotency_key().unwrap();
    assert!(key.starts_with("auto_") && error.to_string().contains(key));
    let seen = script.seen.lock().unwrap();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|each| each.headers.get("Idempotency-Key") == Some(key)));
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
fn what_was_made_once_is_not_made_again() {
    let (acuse, script) = client(vec![
        Step::Lose(LostKind::NoConnection, Phase::Connect),
        refusal(429, "rate_limited", vec![("retry-after", "1".to_owned())]),
        Step::Lose(LostKind::Answer, Phase::Receive),
    ]);
    let error = acuse.webhooks().ping("w1").unwrap_err();
    assert!(matches!(&error, Error::Connection(lost) if lost.outcome_unknown && lost.attempts == 3));
    assert!(error.to_string().ends_with("it may have been done"));
    assert_eq!(script.seen.lock().unwrap().len(), 3);
}

#[test]
fn a_deletion_that_is_not_found_after_a_lost_answer_has_succeeded() {
    let gone = || refusal(404, "not_found", Vec::new());
    let (acuse, _) = client(vec![Step::Lose(LostKind::Answer, Phase::Receive), gone(), gone()]);
    assert!(acuse.templates().delete("t1").is_ok());
    let error = acuse.templates().delete("t1").unwrap_err();
    assert_eq!(error.api().map(acuse::ApiError::kind), Some(ApiErrorKind::NotFound));
}

#[test]
fn refusals_have_code_fix_and_retry_after() {
    let (acuse, _) = client(vec![
        refusal(429, "rate_limited", vec![("Retry-After", "3600".to_owned())]),
        refusal(422, "recipient_suppressed", Vec::new()),
        refusal(418, "from_a_later_server", Vec::new()),
        Step::Answer(500, Vec::new(), b"<html>secret page</html>".to_vec()),
    ]);
    let acuse = acuse.with_options(|options| options.max_retries(0)).unwrap();
    let fail = || acuse.messages().send(&send(), Key::Auto).unwrap_err();
    let limited = fail();
    let api = limited.api().unwrap();
    assert_eq!(api.retry_after, Some(Duration::from_secs(3600)));
    assert_eq!(api.kind(), ApiErrorKind::RateLimited);
    let refused = fail();
    assert_eq!(refused.code(), Some(acuse::code::RECIPIENT_SUPPRESSED));
    assert!(refused.fix().unwrap().contains("skip_suppressed"));
    assert_eq!(fail().api().unwrap().kind(), ApiErrorKind::Unknown);
    let page = fail();
    assert_eq!(page.api().unwrap().message, "Internal Server Error");
    assert!(page.outcome_unknown() && !page.to_string().contains("secret page"));
}

#[test]
fn answers_that_the_contract_does_not_know_are_protocol_errors() {
    let whole = example("Message").to_string().into_bytes();
    let (acuse, _) = client(vec![
        answer(200, &json!([])),
        answer(200, &json!({})),
        Step::Answer(200, Vec::new(), b"<html>".to_vec()),
        Step::Answer(307, vec![("location", "http://elsewhere/".to_owned())], whole),
        Step::Answer(200, Vec::new(), vec![b' '; (16 << 20) + 1]),
    ]);
    for _ in 0..5 {
        let error = acuse.messages().get("m1").unwrap_err();
        assert!(matches!(error, Error::Protocol(_)), "{error}");
    }
}

fn page(from: usize, to: usize, next: Option<&str>) -> Step {
    let item = |number| {
        let mut item = example("Message");
        item["id"] = json!(format!("m{number}"));
        item
    };
    answer(
        200,
        &json!({ "data": (from..to).map(item).collect::<Vec<_>>(), "next_cursor": next, "scanned_to": null }),
    )
}

#[test]
fn lists_are_read_as_they_are_needed() {
    let (acuse, script) = client(vec![page(0, 2, Some("c1")), page(2, 3, None), page(0, 2, Some("c1"))]);
    let list = acuse.messages().list().status("bounced").status("sent").limit(2);
    let ids: Vec<String> = list.clone().map(|m| m.unwrap().id).collect();
    assert_eq!(ids, ["m0", "m1", "m2"]);
    assert_eq!(list.take(2).count(), 2);
    let seen = script.seen.lock().unwrap();
    let lines: Vec<&str> = seen.iter().map(|each| each.line.split('?').nth(1).unwrap()).collect();
    let first = "status=bounced%2Csent&limit=2";
    assert_eq!(lines, [first, "status=bounced%2Csent&limit=2&after=c1", first]);
}

#[test]
fn a_cursor_that_comes_back_ends_the_list() {
    let (acuse, _) = client(vec![page(0, 1, Some("c1")), page(1, 2, Some("c1"))]);
    let found: Vec<_> = acuse.messages().list().collect();
    assert_eq!(found.len(), 2);
    assert!(matches!(found[1], Err(Error::Protocol(_))));
}

fn results(items: &[(&str, Value)]) -> Step {
    let result = |(index, (status, error)): (usize, &(&str, Value))| {
        let message = if error.is_null() { example("Message") } else { json!(null) };
        json!({ "index": index, "status": status, "message": message, "error": error })
    };
    answer(
        200,
        &json!({
            "created": 0, "replayed": 0, "failed": 0,
            "results": items.iter().enumerate().map(result).collect::<Vec<_>>(),
        }),
    )
}

#[test]
fn a_batch_is_cut_and_busy_items_are_sent_again() {
    let busy = json!({ "code": "unavailable", "message": "busy" });
    let bad = json!({ "code": "invalid_address", "message": "bad" });
    let many: Vec<(&str, Value)> = (0..100).map(|_| ("created", json!(null))).collect();
    let (acuse, script) = client(vec![
        results(&many),
        results(&[("created", json!(null)), ("failed", busy), ("failed", bad)]),
        results(&[("replayed", json!(null))]),
    ]);
    let items = (0..103).map(|_| BatchItem::from(send()));
    let entries = acuse.messages().send_batch(items).unwrap();
    let statuses: Vec<BatchStatus> = entries.iter().skip(100).map(|each| each.status).collect();
    assert_eq!(statuses, [BatchStatus::Created, BatchStatus::Replayed, BatchStatus::Failed]);
    let refused = entries[102].error.as_ref().unwrap();
    assert_eq!(refused.api().unwrap().status, 400);
    assert_eq!(refused.idempotency_key(), Some(entries[102].idempotency_key.as_str()));
    let seen = script.seen.lock().unwrap();
    let again: Value = serde_json::from_slice(&seen[2].body).unwrap();
    assert_eq!(again["messages"][0]["idempotency_key"], entries[101].idempotency_key);
    assert_eq!(again["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn a_batch_whose_answer_lacks_items_is_unknown() {
    let (acuse, _) = client(vec![results(&[("created", json!(null))])]);
    let items = vec![BatchItem::from(send()), BatchItem::from(send())];
    let entries = acuse.messages().send_batch(items).unwrap();
    assert!(entries.iter().all(|each| each.status == BatchStatus::Unknown));
    assert!(matches!(entries[0].error, Some(Error::Protocol(_))));
}

#[test]
fn a_download_that_is_cut_leaves_nothing() {
    let folder = std::env::temp_dir().join(format!("acuse-rust-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let target = folder.join("proof.zip");
    let mut steps: Vec<Step> = (0..4).map(|_| Step::Cut(200, b"half".to_vec())).collect();
    steps.push(Step::Answer(200, Vec::new(), b"whole".to_vec()));
    let (acuse, _) = client(steps);
    let error = acuse.evidence().download_bundle("m1", &target).unwrap_err();
    assert!(matches!(error, Error::Connection(_)));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    assert_eq!(acuse.evidence().download_bundle("m1", &target).unwrap(), 5);
    assert_eq!(std::fs::read(&target).unwrap(), b"whole");
    let nowhere = folder.join("none").join("proof.zip");
    let (acuse, script) = client(vec![Step::Answer(200, Vec::new(), b"whole".to_vec())]);
    assert!(acuse.evidence().download_bundle("m1", nowhere).is_err());
    assert_eq!(script.seen.lock().unwrap().len(), 1);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn attachments_have_the_type_of_their_extension() {
    let attachment = Attachment::from_bytes("Invoice.PDF", b"%PDF");
    assert_eq!(attachment.content_type.get().map_or("", String::as_str), "application/pdf");
    assert_eq!(attachment.content, "JVBERg==");
    assert!(matches!(Attachment::from_file("/there/is/none"), Err(Error::Configuration(_))));
}

#[test]
fn a_hook_is_told_of_each_attempt_and_may_panic() {
    let (acuse, _) = client(vec![
        refusal(503, "unavailable", vec![("request-id", "r1".to_owned())]),
        answer(200, &example("Message")),
    ]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let kept = told.clone();
    let acuse = acuse
        .with_options(|options| {
            options.on_attempt(move |info| {
                let code = info.code.map(str::to_owned);
                kept.lock().unwrap().push((info.attempt, info.status, code, info.retry_in));
                assert!(info.attempt > 1, "hooks may panic");
            })
        })
        .unwrap();
    assert!(acuse.messages().get("m1").is_ok());
    let first = (1, Some(503), Some("unavailable".to_owned()), Some(Duration::from_millis(250)));
    assert_eq!(*told.lock().unwrap(), [first, (2, Some(200), None, None)]);
}

#[test]
fn a_cancelled_call_is_not_tried_again() {
    let (acuse, script) = client(vec![Step::Lose(LostKind::Answer, Phase::Receive)]);
    let cancel = Cancel::new();
    let inside = cancel.clone();
    let acuse =
        acuse.with_options(|options| options.cancel(&cancel).sleep(move |_| inside.cancel())).unwrap();
    let error = acuse.messages().send(&send(), "k").unwrap_err();
    assert!(matches!(&error, Error::Cancelled(lost) if lost.outcome_unknown));
    assert!(matches!(acuse.messages().get("m1"), Err(Error::Cancelled(_))));
    assert_eq!(script.seen.lock().unwrap().len(), 1);
}

#[test]
fn one_client_serves_all_threads() {
    let steps = (0..40).map(|_| answer(200, &example("Message"))).collect();
    let (acuse, _) = client(steps);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..5).for_each(|_| assert!(acuse.messages().get("m1").is_ok())));
        }
    });
}
