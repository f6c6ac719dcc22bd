//! Informers: each lists a collection, watches it from there, and lists it again when its resource version is too old.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{FuturesUnordered, StreamFuture};
use futures::{FutureExt, StreamExt};
use json_tree::Value;

use crate::change::Change;
use crate::client::{Client, Frames, View};
use crate::error::Error;
use crate::object;
use crate::pace::{Doubling, has_come};
use crate::resource::Resource;
use crate::store::Stores;

/// The delays after failures, as client-go's reflector has them.
const DELAYS: Doubling = Doubling { first: Duration::from_millis(800), longest: Duration::from_secs(30) };

/// The state of one informer.
struct Informer {
    view: View,
    /// The resource version to go on from; `None` before the first list, and where it was too old.
    version: Option<String>,
    /// True once it has listed. The first list need not be fresh.
    has_listed: bool,
    failures: u32,
    /// The number of the watch that is open. Frames of an earlier one are dropped.
    watch: u64,
}

/// The next frame of a watch.
struct Reading {
    resource: Resource,
    watch: u64,
    next: StreamFuture<Frames>,
}

impl Future for Reading {
    type Output = (Resource, u64, Option<Bytes>, Frames);

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (frame, frames) = std::task::ready!(self.next.poll_unpin(cx));
        Poll::Ready((self.resource.clone(), self.watch, frame, frames))
    }
}

/// All informers, and their copies.
pub(crate) struct Informers {
    client: Client,
    informers: BTreeMap<Resource, Informer>,
    pub(crate) stores: Stores,
    reading: FuturesUnordered<Reading>,
    /// The informers that are to list or watch again, by when.
    due: BTreeSet<(Duration, Resource)>,
    next_watch: u64,
}

impl Informers {
    /// Makes none.
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            informers: BTreeMap::new(),
            stores: Stores::default(),
            reading: FuturesUnordered::new(),
            due: BTreeSet::new(),
            next_watch: 0,
        }
    }

    /// Starts an informer, unless there is one that has at least this view.
    pub(crate) fn start(&mut self, resource: &Resource, view: View) {
        if self.informers.contains_key(resource) {
            return;
        }
        let informer = Informer { view, version: None, has_listed: false, failures: 0, watch: 0 };
        self.informers.insert(resource.clone(), informer);
        self.due.insert((Duration::ZERO, resource.clone()));
    }

    /// Stops the informer of a resource, and forgets its copy.
    pub(crate) fn stop(&mut self, resource: &Resource) {
        self.informers.remove(resource);
        self.stores.forget(resource);
        self.due.retain(|(_, due)| due != resource);
        let others = std::mem::take(&mut self.reading);
        self.reading = others.into_iter().filter(|reading| reading.resource != *resource).collect();
    }

    /// Returns the time at which the next informer is to do something by itself.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.due.first().map(|(at, _)| *at).filter(|at| *at < Duration::MAX)
    }

    /// Reports whether the copy of a collection was complete once. Before that, what is missing in it may be there.
    pub(crate) fn has_listed(&self, resource: &Resource) -> bool {
        self.informers.get(resource).is_some_and(|informer| informer.has_listed)
    }

    /// Does what is due, takes all frames that are there, and appends the changes.
    pub(crate) async fn advance(&mut self, now: Duration, changes: &mut VecDeque<Change>) {
        loop {
            while let Some((_, resource)) = self.due.first().filter(|(at, _)| has_come(*at, now)).cloned() {
                self.due.pop_first();
                self.sync(&resource, now, changes).await;
            }
            let Some(Some((resource, watch, frame, frames))) = self.reading.next().now_or_never() else {
                return;
            };
            self.take(resource, watch, frame, frames, now, changes);
        }
    }

    /// Waits until a watch has a frame. What it is [`Self::advance`] finds out.
    pub(crate) async fn changed(&mut self) {
        if self.reading.is_empty() {
            return std::future::pending().await;
        }
        if let Some((resource, watch, frame, frames)) = self.reading.next().await {
            // It is put back in front, with the frame that it has.
            let next: Frames = match frame {
                Some(frame) => Box::pin(futures::stream::iter([frame]).chain(frames)),
                None => Box::pin(futures::stream::empty()),
            };
            self.reading.push(Reading { resource, watch, next: next.into_future() });
        }
    }

    /// Lists, if there is no version to go on from, and watches.
    async fn sync(&mut self, resource: &Resource, now: Duration, changes: &mut VecDeque<Change>) {
        let Some(informer) = self.informers.get(resource) else { return };
        let view = informer.view;
        let version = match informer.version.clone() {
            Some(version) => Ok(version),
            None => self.list(resource, view, changes).await,
        };
        let opened = match version {
            Ok(version) => {
                let frames = self.client.watch(resource, view, &version).await;
                if let Some(informer) = self.informers.get_mut(resource) {
                    informer.version = Some(version);
                }
                frames
            }
            Err(error) => Err(error),
        };
        match opened {
            Ok(frames) => {
                self.next_watch += 1;
                if let Some(informer) = self.informers.get_mut(resource) {
                    informer.watch = self.next_watch;
                }
                self.read(resource.clone(), self.next_watch, frames);
            }
            Err(error) => self.fail(resource, &error, now),
        }
    }

    /// Lists a collection, tells how it differs from the copy, and returns its resource version.
    async fn list(
        &mut self,
        resource: &Resource,
        view: View,
        changes: &mut VecDeque<Change>,
    ) -> Result<String, Error> {
        let query = if self.has_listed(resource) { "" } else { "resourceVersion=0" };
        let mut list = self.client.list(resource, "", view, query).await?;
        let version = list.text_at("/metadata/resourceVersion").to_owned();
        let items =
            list.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
        let store = self.stores.of_mut(resource);
        let mut gone: BTreeSet<String> = store.iter().map(|(key, _)| key.clone()).collect();
        for item in items {
            gone.remove(&object::key(&item));
            let new = Arc::new(item);
            let old = store.put(Arc::clone(&new));
            if old.as_ref().is_none_or(|old| object::version(old) != object::version(&new)) {
                changes.push_back(Change { resource: resource.clone(), old, new: Some(new) });
            }
        }
        for key in gone {
            let old = store.remove(&key);
            changes.push_back(Change { resource: resource.clone(), old, new: None });
        }
        if let Some(informer) = self.informers.get_mut(resource) {
            informer.has_listed = true;
        }
        Ok(version)
    }

    fn read(&mut self, resource: Resource, watch: u64, frames: Frames) {
        self.reading.push(Reading { resource, watch, next: frames.into_future() });
    }

    /// Takes a frame of a watch, or its end.
    fn take(
        &mut self,
        resource: Resource,
        watch: u64,
        frame: Option<Bytes>,
        frames: Frames,
        now: Duration,
        changes: &mut VecDeque<Change>,
    ) {
        let Some(informer) = self.informers.get_mut(&resource).filter(|informer| informer.watch == watch)
        else {
            return;
        };
        // A frame that cannot be read ends it, too.
        let Some(mut event) = frame.and_then(|frame| serde_json::from_slice::<Value>(&frame).ok()) else {
            // A watch that ends goes on where it was, and not sooner than after a rest where nothing comes of it.
            let pause = if informer.failures == 0 { Duration::ZERO } else { DELAYS.after(informer.failures) };
            informer.failures = informer.failures.saturating_add(1);
            self.due.insert((now.saturating_add(pause), resource));
            return;
        };
        let kind = event.text("type").to_owned();
        let object = event.get_mut("object").map(Value::take).unwrap_or_default();
        if kind == "ERROR" {
            let code = object.get("code").and_then(Value::as_u64).unwrap_or_default();
            let error = Error::of_status(u16::try_from(code).unwrap_or_default(), &object);
            return self.fail(&resource, &error, now);
        }
        informer.failures = 0;
        informer.version = Some(object::version(&object).to_owned());
        if kind != "BOOKMARK" {
            let store = self.stores.of_mut(&resource);
            let change = if kind == "DELETED" {
                store.remove(&object::key(&object));
                Change { resource: resource.clone(), old: Some(Arc::new(object)), new: None }
            } else {
                let new = Arc::new(object);
                Change { resource: resource.clone(), old: store.put(Arc::clone(&new)), new: Some(new) }
            };
            changes.push_back(change);
        }
        self.read(resource, watch, frames);
    }

    /// Has an informer try again later; from a new list, if its version is too old.
    fn fail(&mut self, resource: &Resource, error: &Error, now: Duration) {
        let Some(informer) = self.informers.get_mut(resource) else { return };
        let expired = error.is_expired() && informer.version.take().is_some();
        let is_first = informer.failures == 0;
        let pause = if expired && is_first { Duration::ZERO } else { DELAYS.after(informer.failures) };
        informer.failures = informer.failures.saturating_add(1);
        self.due.insert((now.saturating_add(pause), resource.clone()));
    }
}

#[cfg(test)]
mod tests {
    use apiserver::{ApiServer, Config};
    use clock::{ManualClock, SeededRandom};
    use futures::executor::block_on;

    use super::*;
    use crate::resource::PODS;

    #[test]
    fn a_frame_that_cannot_be_read_ends_a_watch() {
        let server =
            ApiServer::new(Config::new(Arc::new(ManualClock::default()), Arc::new(SeededRandom::new(1))));
        let mut informers = Informers::new(Client::of_manager(&server, "test"));
        let (now, mut changes) = (Duration::from_secs(1), VecDeque::new());
        informers.start(&PODS, View::Whole);
        assert!(!informers.has_listed(&PODS));
        block_on(informers.advance(now, &mut changes));
        assert!(informers.has_listed(&PODS) && informers.next_due().is_none());
        let version = informers.informers[&PODS].version.clone();
        let frames: Frames = Box::pin(futures::stream::empty());
        informers.take(PODS, 1, Some(Bytes::from_static(b"{")), frames, now, &mut changes);
        // It is opened again, from the version that it had.
        assert_eq!(informers.next_due(), Some(now));
        block_on(informers.advance(now, &mut changes));
        let informer = &informers.informers[&PODS];
        assert_eq!((informer.watch, &informer.version, changes.len()), (2, &version, 0));
    }
}
