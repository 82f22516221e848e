//! A transport in memory, and the vectors.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex};

use acuse::{Acuse, Headers, Incoming, Lost, LostKind, Options, Outgoing, Phase, Transport};
use serde_json::Value;

pub const KEY: &str = "acuse_0193abcd_canary";

pub fn vectors(name: &str) -> Value {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/");
    serde_json::from_slice(&std::fs::read(format!("{root}{name}")).unwrap()).unwrap()
}

/// What a request was.
#[derive(Clone, Debug)]
pub struct Seen {
    pub line: String,
    pub headers: Headers,
    pub body: Vec<u8>,
}

/// The acts of a scripted transport.
pub enum Step {
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// The header comes, and this much of the body.
    Cut(u16, Vec<u8>),
    Lose(LostKind, Phase),
}

pub fn answer(status: u16, body: &Value) -> Step {
    Step::Answer(status, Vec::new(), body.to_string().into_bytes())
}

#[derive(Default)]
pub struct Script {
    steps: Mutex<VecDeque<Step>>,
    pub seen: Mutex<Vec<Seen>>,
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof))
    }
}

impl Transport for Script {
    fn exchange(
        &self,
        request: &Outgoing<'_>,
        take: &mut dyn FnMut(Incoming<'_>) -> io::Result<()>,
    ) -> Result<(), Lost> {
        self.seen.lock().unwrap().push(Seen {
            line: format!("{} {}", request.method, request.url),
            headers: request.headers.clone(),
            body: request.body.unwrap_or_default().to_vec(),
        });
        let step = self.steps.lock().unwrap().pop_front().expect("no further request");
        let lost = |_| Lost::new(LostKind::Answer, Phase::Receive, "cut");
        match step {
            Step::Lose(kind, phase) => Err(Lost::new(kind, phase, format!("lost with {KEY}"))),
            Step::Answer(status, headers, body) => {
                take(Incoming::new(status, headers.into_iter().collect(), &mut body.as_slice())).map_err(lost)
            }
            Step::Cut(status, body) => {
                let mut cut = body.as_slice().chain(Broken);
                take(Incoming::new(status, Headers::default(), &mut cut)).map_err(lost)
            }
        }
    }
}

/// A client whose requests are answered so, one after the other.
pub fn client(steps: Vec<Step>) -> (Acuse, Arc<Script>) {
    let script = Arc::new(Script { steps: Mutex::new(steps.into()), ..Script::default() });
    let options = Options::new()
        .api_key(KEY)
        .base_url("http://localhost:8025/base/")
        .transport(script.clone())
        .sleep(|_| ())
        .random(|| 0.0);
    (Acuse::new(options).unwrap(), script)
}

pub fn example(schema: &str) -> Value {
    vectors("examples.json")[schema]["full"].clone()
}
