//! The operations on watches, and the handling of what the watches bring.

use apimachinery::target;
use futures::StreamExt;
use futures::future::abortable;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::command::Command;
use protocol::trace::{Delivery, RequestRecord};

use crate::cluster::told::told;
use crate::cluster::trace::stream::End;
use crate::cluster::trace::{Origin, Outcome};
use crate::cluster::{Request, Stream, Which, catalog};
use crate::model::messages;
use crate::model::watch::{Connection, EventType, Watch, version_of};
use crate::state::{Page, Shown};
use crate::ui::dom;

/// The revision after which a watch that has just been opened begins: the one that its request names, or else how far
/// the server has looked for it.
fn start(request: &Request, served: Option<&RequestRecord>) -> Option<u64> {
    let named = version_of(request).and_then(|version| version.parse().ok());
    named.or_else(|| Some(served?.source?.revision))
}

impl Page {
    /// Adds a watch that has just been opened, or notes that the watch `again` has been opened anew. Returns the watch's number, or
    /// `None` if `again` has been dismissed.
    pub(super) fn opened(
        self,
        which: Which,
        request: &Request,
        served: Option<&RequestRecord>,
        again: Option<u64>,
    ) -> Option<u64> {
        let id = self.update(|model| {
            let id = again.unwrap_or(model.next_watch);
            if again.is_none() {
                model.next_watch += 1;
                model.watches.push(Watch::new(id, which, request.clone()));
            } else {
                model.watches.iter_mut().find(|watch| watch.id == id)?.resumed(request);
            }
            let number = served.and_then(|served| served.watch);
            let server = served.map(|served| served.server);
            model.glass_mut(which).open_lane(id, number, server, start(request, served));
            Some(id)
        });
        id.flatten()
    }

    /// Takes in what a watch's stream brings, until it ends or is stopped.
    pub(super) fn follow(self, id: u64, mut stream: Stream) {
        let (read, handle) = abortable(async move {
            let mut broken = None;
            while let Some(chunk) = stream.next().await {
                match chunk {
                    Ok(chunk) => self.brought(id, &chunk),
                    Err(why) => broken = Some(why),
                }
            }
            self.close(id, broken.map_or(End::Closed, End::Broken));
        });
        self.update(|model| model.streams.insert(id, handle));
        spawn_local(async move {
            let _ = read.await;
        });
    }

    /// Takes in a chunk of a watch's stream.
    fn brought(self, id: u64, chunk: &[u8]) {
        let said = self.update(|model| {
            let watch = model.watches.iter_mut().find(|watch| watch.id == id)?;
            let events = watch.chunk(chunk, dom::now());
            if watch.cluster == Which::Remote {
                let path = target::split(&watch.request.target).0;
                let resource = catalog::of_path(&path);
                let history = model.remote.history_mut();
                for event in &events {
                    let write = resource.and_then(|(group, name)| told(event, group, name));
                    write
                        .into_iter()
                        .for_each(|(revision, change, object)| history.push(revision, change, object));
                }
            }
            // The embedded cluster says itself what it has sent, and what it has not.
            if watch.cluster == Which::Remote
                && let Some(lane) = model.remote.lane_mut(id)
            {
                lane.gone |= events.iter().any(|event| event.kind == EventType::Error);
                let versions =
                    events.iter().filter_map(|event| Some((event.version.parse().ok()?, event.kind)));
                versions.for_each(|(revision, kind)| lane.push(Delivery { revision, sent: Some(kind) }));
            }
            if let Some(stream) = model.trace.stream_of(id) {
                stream.brought(dom::monotonic(), chunk.len(), events.iter().map(AsRef::as_ref));
            }
            let last = events.last()?;
            // Once a second is enough for who listens.
            let now = dom::monotonic();
            (now - model.said_at > 1000.0).then(|| {
                model.said_at = now;
                messages::brought(&watch.letter(), last.kind.name(), &last.name, &last.version)
            })
        });
        if let Some(said) = said.flatten() {
            self.say(&said);
        }
    }

    /// Holds a watch's events back from being shown, or shows those that were held back.
    pub(crate) fn pause(self, id: u64, paused: bool) {
        self.update(|model| {
            let watch = model.watches.iter_mut().find(|watch| watch.id == id);
            watch.map(|watch| watch.pause(paused))
        });
    }

    /// Closes a watch's connection.
    pub(crate) fn stop(self, id: u64) {
        self.close(id, End::Stopped);
    }

    /// Stops reading a watch's stream, and notes how it has ended, in the watch and in the exchange that opened it.
    fn close(self, id: u64, end: End) {
        self.update(|model| {
            if let Some(handle) = model.streams.remove(&id) {
                handle.abort();
            }
            model.trace.ended(id, dom::monotonic(), end.clone());
            if let Some(watch) = model.watches.iter_mut().find(|watch| watch.id == id) {
                match end {
                    End::Stopped => watch.stop(),
                    End::Closed => watch.ended(None),
                    End::Broken(why) => watch.ended(Some(why)),
                }
            }
        });
    }

    /// Breaks a watch's connection, as a network would.
    pub(crate) fn cut(self, id: u64) {
        if let Some(number) = self.theirs(id) {
            return self.command(Command::DropWatch { watch: number });
        }
        self.close(id, End::Broken(messages::lab::CUT_HERE.to_owned()));
    }

    /// Returns the server's number of a watch of another client.
    fn theirs(self, id: u64) -> Option<u64> {
        let number = |watch: &Watch| watch.theirs.as_ref().map(|theirs| theirs.number);
        self.model.with_value(|model| model.watches.iter().find(|watch| watch.id == id).and_then(number))
    }

    /// Opens a watch anew, from the last version it has seen, or from the last that it has seen by something else than
    /// a bookmark.
    pub(crate) fn resume(self, id: u64, bookmarks: bool) {
        self.resume_as(id, bookmarks, Origin::User);
    }

    /// Opens a watch anew, as [`Self::resume`] does, in the name of who has opened it.
    pub(super) fn resume_as(self, id: u64, bookmarks: bool, origin: Origin) {
        let found = self.update(|model| {
            let closed = |watch: &&mut Watch| watch.id == id && watch.connection != Connection::Open;
            let watch = model.watches.iter_mut().find(closed).filter(|watch| !watch.is_resuming)?;
            watch.is_resuming = true;
            Some((watch.cluster, watch.resumption(bookmarks)))
        });
        let Some((which, request)) = found.flatten() else { return };
        spawn_local(async move {
            let begun = dom::monotonic();
            let exchange = self.update(|model| model.trace.sent(which, origin, request.clone(), begun));
            let Some(exchange) = exchange else { return };
            let answer = self.transport(which).send(request.clone()).await;
            let took = dom::monotonic() - begun;
            self.update(|model| {
                if let Some(watch) = model.watches.iter_mut().find(|watch| watch.id == id) {
                    watch.is_resuming = false;
                }
            });
            let revision = answer.as_ref().ok().and_then(|answer| answer.revision);
            let outcome = match answer {
                Ok(answer) => {
                    let reply = self.take_in(which, exchange, &request, answer, took, Some(id)).await;
                    if reply.body.is_some() {
                        self.show(Shown::Exchange(exchange, false));
                    }
                    Outcome::Answered(reply)
                }
                Err(why) => Outcome::Failed(why),
            };
            self.settle(exchange, outcome, revision);
        });
    }

    /// Takes a watch that is closed out of the list.
    pub(crate) fn dismiss(self, id: u64) {
        self.stop(id);
        self.update(|model| {
            model.watches.retain(|watch| watch.id != id);
            model.here.close_lane(id);
            model.remote.close_lane(id);
        });
    }
}
