//! The library's own transport against a server of a few lines.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::support::{example, KEY};
use acuse::{Acuse, Cancel, Error, Options, Phase};

/// A server that does this to each connection, in order, and then is gone; its address, and its end.
fn server(deeds: Vec<fn(&mut TcpStream)>) -> (String, JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let handle = thread::spawn(move || {
        let mut served = 0;
        for deed in deeds {
            let (mut stream, _) = listener.accept().unwrap();
            served += 1;
            deed(&mut stream);
        }
        served
    });
    (address, handle)
}

/// Reads a request without a body.
fn head(stream: &mut TcpStream) {
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).unwrap() == 0 {
            return;
        }
        seen.push(byte[0]);
    }
}

fn whole(stream: &mut TcpStream) {
    head(stream);
    let body = example("Message").to_string();
    let length = body.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
}

fn client(address: &str) -> Acuse {
    let options = Options::new().api_key(KEY).base_url(address).sleep(|_| ());
    Acuse::new(options).unwrap()
}

#[test]
fn a_body_shorter_than_its_length_is_a_lost_answer() {
    let (address, end) = server(vec![
        |stream| {
            head(stream);
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"id\":").unwrap();
        },
        |stream| {
            head(stream);
            let chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"i\r\n";
            stream.write_all(chunk).unwrap();
        },
        whole,
    ]);
    let message = client(&address).messages().get("m1").unwrap();
    assert_eq!(message.meta().attempts, 3);
    assert_eq!(end.join().unwrap(), 3);
}

#[test]
fn nobody_there_is_no_connection_whose_outcome_is_known() {
    // tcpmux, which no machine has.
    let address = "http://127.0.0.1:1";
    let error = client(address).webhooks().ping("w1").unwrap_err();
    let lost = error.connection().unwrap();
    assert_eq!((lost.phase, lost.attempts), (Phase::Connect, 4));
    assert!(!error.outcome_unknown());
}

#[test]
fn silence_ends_by_the_timeout_or_by_the_caller() {
    let silent: fn(&mut TcpStream) = |stream| {
        head(stream);
        // Until the client hangs up.
        let _ = stream.read(&mut [0]);
    };
    let (address, end) = server(vec![silent, silent]);
    let quick = client(&address)
        .with_options(|options| options.timeout(Duration::from_millis(50)).max_retries(0))
        .unwrap();
    let error = quick.messages().get("m1").unwrap_err();
    // Before it connected, on a busy machine, or after.
    assert!(matches!(error, Error::Timeout(_)), "{error}");
    let cancel = Cancel::new();
    let view = client(&address).with_options(|options| options.cancel(&cancel)).unwrap();
    let waiting = thread::spawn(move || view.messages().get("m1").unwrap_err());
    cancel.cancel();
    assert!(matches!(waiting.join().unwrap(), Error::Cancelled(_)));
    // Neither may have connected.
    for _ in 0..2 {
        let _ = TcpStream::connect(address.trim_start_matches("http://"));
    }
    assert_eq!(end.join().unwrap(), 2);
}

#[test]
fn something_else_than_http_is_a_lost_answer() {
    let babble: fn(&mut TcpStream) = |stream| {
        head(stream);
        stream.write_all(b"220 mail.example.com ESMTP\r\n\r\n").unwrap();
    };
    let (address, end) = server(vec![babble, whole]);
    assert_eq!(client(&address).messages().get("m1").unwrap().meta().attempts, 2);
    assert_eq!(end.join().unwrap(), 2);
}
