//! Lists: page by page, or item by item.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::vec;

use crate::answer::Answer;
use crate::call::Request;
use crate::client::Acuse;
use crate::error::{Error, ProtocolError};
use crate::json::Wire;

/// A question that is being put together.
#[derive(Clone)]
pub(crate) struct Query<'a> {
    client: &'a Acuse,
    request: Request,
}

impl<'a> Query<'a> {
    pub(crate) fn new(client: &'a Acuse, request: Request) -> Self {
        Self { client, request }
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.request.query.retain(|(known, _)| *known != name);
        self.request.query.push((name, value.to_owned()));
    }

    /// Several are joined by commas.
    pub(crate) fn add(&mut self, name: &'static str, value: &str) {
        match self.request.query.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => {
                values.push(',');
                values.push_str(value);
            }
            None => self.set(name, value),
        }
    }

    pub(crate) fn json<T: Wire>(self) -> Result<Answer<T>, Error> {
        self.client.json(self.request)
    }

    pub(crate) fn text(self) -> Result<Answer<String>, Error> {
        self.client.text(self.request)
    }
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.request.query.iter().map(|(name, _)| *name).collect();
        write!(out, "{} {{ {} }}", self.request.operation.name, names.join(", "))
    }
}

/// A page of a list.
pub trait Paged: Wire {
    /// The items of the list.
    type Item;
    /// Where the next page begins, if there is one.
    fn next_cursor(&self) -> Option<&str>;
    /// The items of the page.
    fn into_items(self) -> Vec<Self::Item>;
}

/// The pages of a list, asked for one after the other. It ends after the first error.
#[derive(Clone, Debug)]
#[must_use = "nothing is requested until it is iterated"]
pub struct Pages<'a, P> {
    query: Option<Query<'a>>,
    seen: HashSet<String>,
    page: PhantomData<P>,
}

impl<'a, P: Paged> Pages<'a, P> {
    pub(crate) fn new(query: Query<'a>) -> Self {
        let first = query.request.query.iter().find(|(name, _)| *name == "after");
        let seen = first.map(|(_, cursor)| cursor.clone()).into_iter().collect();
        Self { query: Some(query), seen, page: PhantomData }
    }

    fn read(&mut self, mut query: Query<'a>) -> Result<Answer<P>, Error> {
        let page: Answer<P> = query.clone().json()?;
        if let Some(cursor) = page.next_cursor() {
            if !self.seen.insert(cursor.to_owned()) {
                return Err(Error::Protocol(Box::new(ProtocolError {
                    message: "the list names a page again that it has shown already".to_owned(),
                    status: page.status(),
                    request_id: page.request_id().to_owned(),
                    outcome_unknown: false,
                    idempotency_key: None,
                    attempts: page.meta().attempts,
                    operation: query.request.operation.name,
                })));
            }
            query.set("after", cursor);
            self.query = Some(query);
        }
        Ok(page)
    }
}

impl<P: Paged> Iterator for Pages<'_, P> {
    type Item = Result<Answer<P>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let query = self.query.take()?;
        Some(self.read(query))
    }
}

/// The items of a list: its pages are asked for as they are needed. It ends after the first error.
#[derive(Clone, Debug)]
#[must_use = "nothing is requested until it is iterated"]
pub struct Items<'a, P: Paged> {
    pages: Pages<'a, P>,
    items: vec::IntoIter<P::Item>,
}

impl<'a, P: Paged> Items<'a, P> {
    pub(crate) fn new(pages: Pages<'a, P>) -> Self {
        Self { pages, items: Vec::new().into_iter() }
    }
}

impl<P: Paged> Iterator for Items<'_, P> {
    type Item = Result<P::Item, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.items.next() {
                return Some(Ok(item));
            }
            match self.pages.next()? {
                Ok(page) => self.items = page.into_inner().into_items().into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
