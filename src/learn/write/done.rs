//! The requests that were sent from this tab, as a draft has them.

use bytes::Bytes;
use document::draft::{Came, Done, Object, Wrote};
use document::message::Request;
use json_tree::Value;
use leptos::prelude::*;
use protocol::trace::Stored;

use crate::cluster::trace::{Exchange, Outcome, Reply};
use crate::cluster::{self, Which, status};
use crate::kept::export;
use crate::learn::lesson;
use crate::state::pinned::same;
use crate::state::{Model, Page};

/// A request that can be written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The number of the exchange; `None` for a request that is pinned and was not sent in this tab.
    pub(super) id: Option<u64>,
    /// The request.
    pub(super) request: cluster::Request,
    /// The status code of the response; 0 if there was none.
    pub(super) status: u16,
    /// True if the request is pinned.
    pub(super) is_pinned: bool,
    /// True if it is written.
    pub(super) is_taken: bool,
    /// True if it is a step of a lesson.
    pub(super) is_step: bool,
}

/// Returns what was sent by hand to the cluster of this tab, the oldest first, behind the pinned requests that were not. All of it
/// is taken from an exchange on.
pub(super) fn rows(page: Page, pinned: &[cluster::Request], from: u64) -> Vec<Row> {
    let mut rows: Vec<Row> = untrack(|| page.read(|model| lesson::of_reader(model, 0).map(row).collect()));
    rows.reverse();
    for row in &mut rows {
        row.is_taken = row.id.is_some_and(|id| id >= from);
        row.is_pinned = pinned.iter().any(|pin| same(&row.request, pin));
    }
    let unsent = pinned.iter().rev().filter(|pin| !rows.iter().any(|row| same(&row.request, pin)));
    let unsent = unsent.map(|pin| Row {
        id: None,
        request: pin.clone(),
        status: 0,
        is_pinned: true,
        is_taken: false,
        is_step: is_step(pin),
    });
    let mut all: Vec<Row> = unsent.collect();
    all.extend(rows);
    all
}

fn row(sent: &Exchange) -> Row {
    Row {
        id: Some(sent.id),
        request: typed(sent),
        status: reply(sent).map_or(0, |reply| reply.status),
        is_pinned: false,
        is_taken: true,
        is_step: is_step(&sent.request),
    }
}

/// Returns whether a request is something to do, and not only to look at.
fn is_step(request: &cluster::Request) -> bool {
    request.method != "GET" || request.watches()
}

/// Returns a request as it was typed.
fn typed(sent: &Exchange) -> cluster::Request {
    cluster::Request { encoded: None, json: None, ..sent.request.clone() }
}

fn reply(sent: &Exchange) -> Option<&Reply> {
    match &sent.outcome {
        Outcome::Answered(reply) => Some(reply),
        Outcome::Pending | Outcome::Failed(_) => None,
    }
}

/// Returns the exchanges of rows, and the revision before all of them.
pub(super) fn done(page: Page, rows: &[Row]) -> (Vec<Done>, Option<u64>) {
    untrack(|| {
        page.read(|model| {
            let sent = |row: &Row| model.trace.get(row.id?);
            let before = rows.iter().filter_map(sent).filter_map(before).min();
            let done = rows.iter().map(|row| {
                let done = Done {
                    request: requested(&row.request),
                    sent: json(row.request.body.as_bytes()),
                    is_step: row.is_step,
                    ..Done::default()
                };
                match sent(row) {
                    Some(sent) => Done {
                        sent: sent.request.json.as_ref().map_or(done.sent, |body| json(body)),
                        came: reply(sent).map(|reply| came(model, sent, reply)),
                        wrote: reply(sent).map(|reply| wrote(model, reply)).unwrap_or_default(),
                        ..done
                    },
                    None => done,
                }
            });
            (done.collect(), before)
        })
    })
}

fn requested(request: &cluster::Request) -> Request {
    Request {
        method: request.method.clone(),
        target: request.target.clone(),
        headers: request.headers.clone(),
        body: request.body.clone().into(),
    }
}

fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

/// Returns the revision of the cluster before an exchange.
fn before(sent: &Exchange) -> Option<u64> {
    let served = reply(sent)?.served.as_ref();
    let first = served.and_then(|served| served.wrote.iter().min().copied());
    first.map(|first| first.saturating_sub(1)).or(sent.head)
}

fn came(model: &Model, sent: &Exchange, reply: &Reply) -> Came {
    let header =
        |(name, value): &(String, String)| name.eq_ignore_ascii_case("Content-Type").then(|| value.clone());
    let bodies = match reply.watch {
        None => reply.decoded.iter().chain(&reply.body).next().cloned().into_iter().collect(),
        Some(_) => lesson::watched(model, sent).map(|event| Bytes::from(event.clone())).collect(),
    };
    Came {
        status: reply.status,
        reason: status::words(reply.status).to_owned(),
        content_type: reply.headers.iter().find_map(header).unwrap_or_default(),
        bodies,
    }
}

/// Returns the writes that a request has made, as far as they are known.
fn wrote(model: &Model, reply: &Reply) -> Vec<Wrote> {
    let glass = model.glass(Which::ThisTab);
    let history = glass.history();
    let object = |stored: Option<&Stored>| stored.map(|stored| json(&stored.json)).unwrap_or_default();
    let revisions = reply.served.iter().flat_map(|served| served.wrote.iter().copied());
    let written = revisions.filter_map(|revision| {
        let write = history.write(revision)?;
        let key = &history.object(write.object)?.known;
        let (before, after) = glass.versions().around(key, revision)?;
        Some(Wrote {
            write: lesson::told(&write, key),
            before: object(before.flatten()),
            after: object(after),
        })
    });
    written.collect()
}

/// Returns the objects of the cluster of this tab as of a revision, as a scene has them.
///
/// # Errors
/// The engine does not respond.
pub(super) async fn objects(page: Page, revision: u64) -> Result<Vec<Object>, String> {
    let objects = export::objects_at(page, revision).await?;
    let object =
        |(value, yaml): (Value, Vec<u8>)| Object { value, yaml: String::from_utf8_lossy(&yaml).into_owned() };
    Ok(objects.into_iter().map(object).collect())
}
