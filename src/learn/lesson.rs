//! The steps of a lesson: what was done since one began, and whether that is what its check expects.

use bytes::Bytes;
use document::lesson::{self, Change, Check, Exchange, Seen, Verdict, Write};
use document::message::{Request, Response};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::trace::{EventType, ObjectKey};

use crate::cluster::Which;
use crate::cluster::trace::Exchange as Sent;
use crate::cluster::trace::{Origin, Outcome};
use crate::learn::host::Host;
use crate::learn::reader::Reader;
use crate::learn::{lessons, progress, source};
use crate::model::watch::Watch;
use crate::state::Model;
use crate::ui::messages::lesson::Language;

/// Returns the steps of the document.
pub(super) fn steps(reader: Reader) -> Vec<lesson::Step> {
    reader.document.with_value(|document| lesson::steps(&document.blocks))
}

/// Returns the language of the lesson; of one from elsewhere that of the page.
pub(super) fn language(reader: Reader) -> Language {
    reader.source.with_value(|source| source::language(source)).unwrap_or_else(lessons::language)
}

/// Looks at the check of the step that is to be done whenever the reader has done something, and whenever something happens after
/// that.
pub(crate) fn follow(reader: Reader) {
    progress::follow(reader, steps(reader).len());
    let happened = Memo::new(move |_| {
        let quiet = reader.is_idle();
        let since = reader.since.get();
        quiet.then(|| reader.page.read(|model| (since, happened(model, since.exchange))))
    });
    Effect::new(move |_| {
        if happened.get().is_some_and(|(_, happened)| happened.exchanges > 0) {
            look(reader);
        }
    });
}

/// Looks at the check, once more if something happens meanwhile: one look is under way at a time, so that the last one counts.
fn look(reader: Reader) {
    if reader.looks.get_value().is_some() {
        reader.looks.set_value(Some(true));
        return;
    }
    reader.looks.set_value(Some(false));
    spawn_local(async move {
        loop {
            check(reader).await;
            match reader.looks.try_get_value().flatten() {
                Some(true) => reader.looks.set_value(Some(false)),
                _ => break,
            }
        }
        reader.looks.try_set_value(None);
    });
}

/// The state of what the reader has done since a step began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Happened {
    /// The number of exchanges of the reader that have come to an end.
    exchanges: usize,
    /// The number of events that their watches have received.
    events: u64,
    /// The newest revision.
    revision: u64,
}

/// Returns the exchanges of the reader since a number that have come to an end, newest first.
pub(super) fn of_reader(model: &Model, since: u64) -> impl Iterator<Item = &Sent> {
    let sent = model.trace.newest().take_while(move |sent| sent.id >= since);
    sent.filter(|sent| {
        sent.origin == Origin::User
            && sent.cluster == Which::ThisTab
            && matches!(sent.outcome, Outcome::Answered(_))
    })
}

/// Returns what has happened since an exchange.
fn happened(model: &Model, since: u64) -> Happened {
    let begun = Happened { revision: model.glass(Which::ThisTab).revision(), ..Happened::default() };
    of_reader(model, since).fold(begun, |happened, sent| Happened {
        exchanges: happened.exchanges + 1,
        events: happened.events + watch_of(model, sent).map_or(0, |watch| watch.received),
        ..happened
    })
}

/// Returns the watch that an exchange has opened.
fn watch_of<'m>(model: &'m Model, sent: &Sent) -> Option<&'m Watch> {
    let Outcome::Answered(reply) = &sent.outcome else { return None };
    model.watches.iter().find(|known| Some(known.id) == reply.watch)
}

/// Returns the events of the watch that an exchange has opened, as JSON.
pub(super) fn watched<'m>(model: &'m Model, sent: &Sent) -> impl Iterator<Item = &'m Vec<u8>> {
    watch_of(model, sent).into_iter().flat_map(Watch::events).map(|event| &event.text)
}

/// Returns a write of an object as lessons have it.
pub(super) fn told(write: &glass::Write, key: &ObjectKey) -> Write {
    Write {
        revision: write.revision,
        change: match write.change {
            EventType::Added => Change::Added,
            EventType::Deleted => Change::Deleted,
            _ => Change::Modified,
        },
        group: key.group.clone(),
        resource: key.resource.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    }
}

/// Returns what the reader has seen since the step began.
fn seen(reader: Reader) -> Seen {
    let since = reader.since.get_untracked();
    let exchange = |model: &Model, sent: &Sent| {
        let Outcome::Answered(reply) = &sent.outcome else { return None };
        let request = Request {
            method: sent.request.method.clone(),
            target: sent.request.target.clone(),
            headers: sent.request.headers.clone(),
            body: sent.request.bytes(),
        };
        let body = match reply.watch {
            Some(_) => watched(model, sent).map(|event| Bytes::from(event.clone())).collect(),
            None => reply.body.clone().into_iter().collect(),
        };
        let response =
            Response { status: reply.status, headers: reply.headers.clone(), ..Response::default() };
        Some(Exchange { request, response, body })
    };
    untrack(|| {
        reader.page.read(|model| {
            let mut exchanges: Vec<Exchange> =
                of_reader(model, since.exchange).filter_map(|sent| exchange(model, sent)).collect();
            exchanges.reverse();
            let history = model.history(Which::ThisTab);
            let writes = history.writes().iter().skip(history.place(since.revision + 1));
            let writes = writes.filter_map(|write| Some(told(write, &history.object(write.object)?.known)));
            Seen { exchanges, writes: writes.collect() }
        })
    })
}

/// Looks at the check of the step that is to be done. If it is fulfilled, the next one begins.
pub(super) async fn check(reader: Reader) {
    let words = language(reader).words();
    let (turn, done) = (reader.turn.get_value(), reader.done.get_untracked());
    let all = steps(reader);
    let Some(step) = all.get(done) else { return };
    let read = reader.document.with_value(|document| document.blocks.get(step.check).map(Check::read));
    // What is done while the check is looked at counts for the next step.
    let now = reader.now();
    let verdict = match read {
        None => return,
        Some(Err(problem)) => Err(words.broken(&problem.text)),
        Some(Ok(check)) => {
            let checked = check.check(&Host::of(reader), &seen(reader)).await;
            checked.map_err(|why| words.not_checked(&why))
        }
    };
    // Another cluster may have begun meanwhile.
    if reader.turn.try_get_value() != Some(turn) {
        return;
    }
    match verdict {
        Ok(Verdict::Fulfilled) => {
            reader.told.set(None);
            reader.begin_step(done + 1, now);
            reader.page.say(words.done);
            if done + 1 == all.len() {
                reader.source.with_value(|source| {
                    if let Some((_, name)) = lessons::named(source) {
                        lessons::finish(name);
                    }
                });
            }
        }
        Ok(Verdict::Open { tell, .. }) => {
            reader.told.set(Some(tell.unwrap_or_else(|| words.not_yet.to_owned())));
        }
        Err(why) => reader.told.set(Some(why)),
    }
}
