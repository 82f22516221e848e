//! What the generated dispatch is written with: arguments in, JSON out.

use acuse::requests::{Paged, Pages};
use acuse::{Acuse, Answer, Error, Key, Sent};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::{json, Value};

use crate::failures::{shim, Failure};

pub type Outcome = Result<Value, Failure>;
pub type Asked<T> = Result<T, Failure>;
/// How many items or pages are wanted.
pub type Take = Option<usize>;

/// The arguments of `call`, `list` and `pages`.
pub struct Given<'a>(pub &'a Value);

impl Given<'_> {
    fn param(&self, name: &str) -> &Value {
        &self.0["params"][name]
    }

    pub fn text(&self, name: &str) -> Asked<String> {
        self.maybe(name)?.map_or_else(|| shim(format!("the parameter {name} is missing")), Ok)
    }

    pub fn maybe(&self, name: &str) -> Asked<Option<String>> {
        Ok(match self.param(name) {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        })
    }

    pub fn many(&self, name: &str) -> Vec<String> {
        match self.param(name) {
            Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Value::String(text) => vec![text.clone()],
            _ => Vec::new(),
        }
    }

    pub fn integer(&self, name: &str) -> Asked<Option<i64>> {
        let number = self.maybe(name)?.map(|text| text.parse());
        number.transpose().or_else(|_| shim(format!("{name} is not a number")))
    }

    pub fn boolean(&self, name: &str) -> Asked<Option<bool>> {
        let value = self.maybe(name)?.map(|text| text.parse());
        value.transpose().or_else(|_| shim(format!("{name} is not a boolean")))
    }

    pub fn body<T: DeserializeOwned>(&self) -> Asked<T> {
        serde_json::from_value(self.0["body"].clone()).or_else(|fault| shim(format!("the body: {fault}")))
    }

    pub fn bytes(&self) -> Vec<u8> {
        let body = &self.0["body"];
        let text = body.as_str().or(body["text"].as_str());
        let coded = body["base64"].as_str().unwrap_or_default();
        text.map_or_else(|| STANDARD.decode(coded).unwrap_or_default(), |text| text.as_bytes().to_vec())
    }

    pub fn key(&self) -> Key {
        self.0["idempotency_key"].as_str().map_or(Key::Auto, Key::given)
    }
}

pub fn written<T: Serialize>(value: &T) -> Outcome {
    serde_json::to_value(value).or_else(|fault| shim(format!("the result: {fault}")))
}

pub fn json<T: Serialize>(answer: Result<Answer<T>, Error>) -> Outcome {
    written(&*answer?)
}

pub fn bytes(answer: Result<Answer<Vec<u8>>, Error>) -> Outcome {
    Ok(json!({ "base64": STANDARD.encode(&*answer?) }))
}

pub fn text(answer: Result<Answer<String>, Error>) -> Outcome {
    Ok(json!({ "text": *answer? }))
}

pub fn none(answer: Result<Answer<()>, Error>) -> Outcome {
    answer?;
    Ok(Value::Null)
}

pub fn sent(result: Result<Sent, Error>) -> Outcome {
    written(&result?.message)
}

pub fn batch(client: &Acuse, _: &Given<'_>) -> Outcome {
    // That it is there; its results have an op of their own.
    let _ = client.messages().send_batch(Vec::<acuse::BatchItem>::new())?;
    shim("use send_batch")
}

pub fn first_page<P: Paged + Serialize>(mut pages: Pages<'_, P>) -> Outcome {
    match pages.next() {
        Some(page) => json(page),
        None => shim("there is no page"),
    }
}

pub fn items<T, L>(list: L, take: Take) -> Outcome
where
    T: Serialize,
    L: IntoIterator<Item = Result<T, Error>>,
{
    let mut items = Vec::new();
    for item in list {
        items.push(written(&item?)?);
        if take == Some(items.len()) {
            return Ok(json!({ "items": items, "more": true }));
        }
    }
    Ok(json!({ "items": items, "more": false }))
}

pub fn pages<P>(list: Pages<'_, P>, take: Take) -> Outcome
where
    P: Paged,
    P::Item: Serialize,
{
    let mut pages = Vec::new();
    for page in list.take(take.unwrap_or(usize::MAX)) {
        pages.push(written(&page?.into_inner().into_items())?);
    }
    Ok(json!({ "pages": pages }))
}

pub fn unknown(name: &str, what: &str) -> Outcome {
    shim(format!("{name} is {what} of this library"))
}
