//! Writing while a watch is open, so that the documented events come.

use std::time::Duration;

use apimachinery::Place;
use bytes::Bytes;
use json_tree::Value;

use crate::arrange::{self, USER_AGENT};
use crate::examples;
use crate::kinds::Kinds;
use crate::message::{JSON, Request, Response};
use crate::outcome::Note;
use crate::pattern::{Item, Pattern};
use crate::server::Server;

/// The time after which a bookmark comes for sure: the server sends one a minute.
const BOOKMARK: Duration = Duration::from_secs(75);

/// The number of the first renewal for a bookmark: other ones than those for a revision.
const RENEWED: u64 = 1_000_000;

/// The most that is brought about for one watch.
const MOST: usize = 20;

/// Brings about what a watch is documented to tell.
pub(crate) struct Happening<'a, S> {
    pub(crate) server: &'a S,
    pub(crate) kinds: &'a Kinds,
    /// The path of the watch.
    pub(crate) path: &'a str,
}

impl<S: Server> Happening<'_, S> {
    /// Brings about the documented events that have not come, and returns what was done.
    pub(crate) async fn bring_about(
        &self,
        response: &Response,
        documented: &[Item],
    ) -> Result<Vec<Note>, String> {
        let Some(place) = Place::of(self.path) else { return Ok(Vec::new()) };
        let events = documented.iter().filter_map(|item| match item {
            Item::One(event) => Some(event),
            Item::Gap => None,
        });
        let (mut notes, mut at) = (Vec::new(), 0);
        let mut last: Option<String> = None;
        for event in events.take(MOST) {
            let Some(sort) = event.get("type").and_then(Pattern::as_str) else { continue };
            let named = event.at(&["object", "metadata", "name"]).and_then(Pattern::as_str);
            if let Some((found, name)) = self.find(response, at, sort, named).await {
                at = at.max(found + 1);
                last = name.or(last);
                continue;
            }
            if sort == "BOOKMARK" {
                // One is sent when it has something to tell: that others have written elsewhere.
                self.server.arrange((0..2).map(|again| arrange::renewal(RENEWED + again)).collect()).await?;
                self.server.advance(BOOKMARK).await;
                notes.push(Note::Waited(BOOKMARK.as_secs()));
            } else {
                let Some(request) = self.write(&place, sort, named.or(last.as_deref()), notes.len(), event)
                else {
                    continue;
                };
                let done = [&request.method, " ", &*request.target].concat();
                let responses = self.server.arrange(vec![request]).await?;
                if responses.first().is_some_and(|(status, _)| *status < 300) {
                    notes.push(Note::Meanwhile(done));
                }
            }
            if let Some((found, name)) = self.find(response, at, sort, named).await {
                at = found + 1;
                last = name.or(last);
            }
        }
        Ok(notes)
    }

    /// Returns the place of the first event of a type that came behind others, and the name of its object.
    async fn find(
        &self,
        response: &Response,
        from: usize,
        sort: &str,
        named: Option<&str>,
    ) -> Option<(usize, Option<String>)> {
        let events = self.server.body(response).await;
        // What is there from the beginning comes in an order of its own.
        let from = if sort == "ADDED" && named.is_some() { 0 } else { from };
        let mut rest = events.iter().enumerate().skip(from);
        rest.find_map(|(at, event)| {
            let event: Value = serde_json::from_slice(event).ok()?;
            let name = event.pointer("/object/metadata/name").and_then(Value::as_str).map(str::to_owned);
            let fits = event["type"].as_str() == Some(sort) && (named.is_none() || name.as_deref() == named);
            fits.then_some((at, name))
        })
    }

    /// Returns the request by which an event of a type comes about.
    fn write(
        &self,
        place: &Place<'_>,
        sort: &str,
        name: Option<&str>,
        number: usize,
        event: &Pattern,
    ) -> Option<Request> {
        let kind = self.kinds.at(place)?;
        let namespace = match place.namespace {
            "" if kind.namespaced => "default",
            namespace => namespace,
        };
        let collection = kind.path(namespace);
        let request = match (sort, name) {
            ("ADDED", name) => {
                let named = event.at(&["object", "metadata", "name"]).is_some();
                let own = format!("{}-{}", kind.singular, number + 1);
                let mut object =
                    examples::object(kind, namespace, if named { name.unwrap_or(&own) } else { "" });
                if let Some(told) = event.get("object") {
                    examples::documented(&mut object, told);
                }
                if !named && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.remove("name");
                    metadata.insert("generateName".to_owned(), [&kind.singular, "-"].concat().into());
                }
                for (name, value) in [("apiVersion", kind.api_version()), ("kind", kind.kind.clone())] {
                    object.as_object_mut()?.insert(name.to_owned(), value.into());
                }
                Request::new("POST", &collection).carrying(JSON, object.to_string())
            }
            ("MODIFIED", Some(name)) => {
                let patch = format!(r#"{{"metadata":{{"labels":{{"changed":"{number}"}}}}}}"#);
                let target = [&collection, "/", name].concat();
                Request::new("PATCH", &target).carrying("application/merge-patch+json", Bytes::from(patch))
            }
            ("DELETED", Some(name)) => Request::new("DELETE", &[&collection, "/", name].concat()),
            _ => return None,
        };
        Some(request.with("User-Agent", USER_AGENT))
    }
}
