//! The watch cache: what one API server knows of one resource.
//!
//! It stands between the store and the handlers, as in kube-apiserver. It follows the store's log, keeps the objects
//! as of the revision that it has reached, and a [`Window`] of the events that led there. Lists and watches are
//! answered from it. It may lag behind the store, and so differ from the cache of another API server: that is what
//! tells `resourceVersion=""`, `"0"`, `NotOlderThan` and `Exact` apart.
//!
//! Of the snapshots that kube-apiserver keeps for lists at exact versions it knows only which there are: what stood
//! in them is read from the store, which has every kept revision.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>

pub(crate) mod cache_watcher;
pub(crate) mod caches;
pub(crate) mod commits;
pub(crate) mod window;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use apimachinery::small_map::SmallMap;
use store::{Event, Key, KeyRange, Revision, Store};

use crate::stored::Stored;

use cache_watcher::CacheWatcher;
use commits::Commits;
use window::{CacheEvent, Position, Window};

/// The watch cache of one resource in one API server.
#[derive(Debug)]
pub(crate) struct WatchCache {
    /// `configmaps`, `deployments.apps`.
    pub resource: String,
    /// Group, version and resource of the storage version: `/v1/configmaps`, `apps/v1/deployments`.
    pub storage: String,
    /// The prefix of its objects' keys.
    prefix: String,
    objects: BTreeMap<Key, Arc<Stored>>,
    /// The newest events.
    pub window: Window,
    /// The revision that it has reached: it knows of everything up to there.
    pub revision: Revision,
    /// The revision of the list that it was last filled with.
    pub list_revision: Revision,
    /// A revision up to which it was told to forget; 0 if it was not.
    floor: Revision,
    /// How long it takes until it hears of a write.
    pub lag: Duration,
    /// True if it receives no events.
    pub stopped: bool,
    /// True once its resource is not served any more: who watches gets what happened before, and no more.
    pub closed: bool,
    /// When it next hears of something, as its watchers have been told.
    due: Option<Duration>,
    /// The watches that it serves, by their numbers.
    pub watchers: SmallMap<u64, Arc<CacheWatcher>>,
}

impl WatchCache {
    /// A cache that is filled with the present state.
    pub(crate) fn new(resource: String, storage: String, prefix: String, store: &Store<Arc<Stored>>) -> Self {
        let mut cache = Self {
            resource,
            storage,
            prefix,
            objects: BTreeMap::new(),
            window: Window::new(),
            revision: 0,
            list_revision: 0,
            floor: 0,
            lag: Duration::ZERO,
            stopped: false,
            closed: false,
            due: None,
            watchers: SmallMap::new(),
        };
        cache.list(store);
        cache
    }

    /// Fills it anew with the present state. Its events are gone, and who watches has to begin again.
    fn list(&mut self, store: &Store<Arc<Stored>>) -> Vec<Waker> {
        let entries = store.range(&KeyRange::prefix(&self.prefix));
        self.objects.clear();
        self.objects.extend(entries.map(|entry| (entry.key.clone(), Arc::clone(&entry.value))));
        self.window.clear();
        self.revision = store.revision();
        self.list_revision = self.revision;
        std::mem::take(&mut self.watchers).values().filter_map(|watcher| watcher.end()).collect()
    }

    /// Takes in all that has happened, and is closed. Says whom to wake.
    fn close(&mut self, store: &Store<Arc<Stored>>) -> Vec<Waker> {
        let mut wakers = Vec::new();
        if self.watchers.is_empty() {
            self.window.clear();
        } else {
            // Nobody sees how old its last events are.
            self.follow(store, store.revision(), Duration::ZERO, &mut wakers);
        }
        self.closed = true;
        self.objects.clear();
        wakers.extend(self.watchers.values().filter_map(|watcher| watcher.wake()));
        wakers
    }

    /// Returns whether it receives every write at once.
    pub(crate) fn is_prompt(&self) -> bool {
        self.lag.is_zero() && !self.stopped
    }

    /// Takes in an event, and says who has to be woken.
    fn apply(&mut self, event: &Event<'_, Arc<Stored>>, now: Duration, wakers: &mut Vec<Waker>) {
        let object = event.value.map(|entry| Arc::clone(&entry.value));
        let previous = event.previous.map(|entry| Arc::clone(&entry.value));
        match &object {
            Some(object) => drop(self.objects.insert(event.key.clone(), Arc::clone(object))),
            None => drop(self.objects.remove(event.key)),
        }
        wakers.extend(self.watchers.values().filter_map(|watcher| watcher.interested(event.key)));
        self.window.push(CacheEvent::new(event.revision, event.key.clone(), object, previous, now));
    }

    /// Follows the store as far as its lag allows. If what it has not seen has been compacted, it is filled anew.
    ///
    /// As long as there is more to come, everybody who watches is woken, to find out when that will be.
    fn catch_up(
        &mut self,
        store: &Store<Arc<Stored>>,
        commits: &Commits,
        now: Duration,
        wakers: &mut Vec<Waker>,
    ) {
        self.hear(store, commits, now, wakers);
        let due = if self.revision < store.revision() { self.due(commits) } else { None };
        // Only a watcher that does not know when is to ask again.
        if due != std::mem::replace(&mut self.due, due) && due.is_some() {
            wakers.extend(self.watchers.values().filter_map(|watcher| watcher.wake()));
        }
    }

    /// Takes in what it has heard of by now.
    fn hear(
        &mut self,
        store: &Store<Arc<Stored>>,
        commits: &Commits,
        now: Duration,
        wakers: &mut Vec<Waker>,
    ) {
        let target = if self.stopped || self.closed {
            None
        } else if self.lag.is_zero() {
            Some(store.revision())
        } else {
            now.checked_sub(self.lag).and_then(|at| commits.at(at))
        };
        let Some(target) = target.filter(|target| *target > self.revision) else { return };
        self.follow(store, target, now, wakers);
    }

    /// Takes in what has happened up to a revision.
    fn follow(
        &mut self,
        store: &Store<Arc<Stored>>,
        target: Revision,
        now: Duration,
        wakers: &mut Vec<Waker>,
    ) {
        let Ok(events) = store.events(self.revision) else {
            wakers.extend(self.list(store));
            return;
        };
        for event in events.take_while(|event| event.revision <= target) {
            if event.key.starts_with(&self.prefix) {
                self.apply(&event, now, wakers);
            }
        }
        self.revision = target;
    }

    /// When it will next hear of something that has happened already.
    pub(crate) fn due(&self, commits: &Commits) -> Option<Duration> {
        if self.stopped || self.closed {
            return None;
        }
        Some(commits.first_above(self.revision)?.saturating_add(self.lag))
    }

    /// Returns the prefix of its objects' keys.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// How many objects it has.
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// An object, as of the revision that it has reached.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Stored>> {
        self.objects.get(key)
    }

    /// The objects of a range, in byte order of their keys, as of the revision that it has reached.
    pub(crate) fn range(&self, range: &KeyRange) -> impl Iterator<Item = (&str, &Arc<Stored>)> {
        let found = range.bounds().map(|bounds| self.objects.range::<str, _>(bounds));
        found.into_iter().flatten().map(|(key, object)| (key.as_ref(), object))
    }

    /// Returns whether there is a snapshot that a list at `revision` can be served from: kube-apiserver takes one with
    /// every event, and drops those of events that have left the window or were made before `compact_revision`.
    pub(crate) fn has_snapshot(&self, revision: Revision, compact_revision: Revision) -> bool {
        let listed = (!self.window.has_dropped()).then_some(self.list_revision);
        let newest = self.window.newest_at(revision).or(listed.filter(|listed| *listed <= revision));
        newest.is_some_and(|snapshot| snapshot >= compact_revision)
    }

    /// Lets go of the events up to `revision`, as if as many newer ones had come as the window holds.
    pub(crate) fn forget(&mut self, revision: Revision) {
        self.floor = self.floor.max(revision.min(self.revision));
        self.window.forget(self.floor);
    }

    /// The oldest revision after which a watch can begin: that of the last list, or up to which it was let go of events, as long as no
    /// event since then has left the window; else the one before the oldest event.
    pub(crate) fn oldest_start(&self) -> Revision {
        let oldest = match self.window.oldest() {
            _ if !self.window.has_dropped() => self.list_revision,
            _ if !self.window.has_dropped_after(self.floor) => self.floor,
            Some(oldest) => oldest - 1,
            None => self.floor,
        };
        oldest.max(self.floor)
    }

    /// Returns the position where a watch of the events after `revision` begins.
    ///
    /// # Errors
    /// The oldest revision after which one can begin, if it is newer.
    pub(crate) fn position_after(&self, revision: Revision) -> Result<Position, Revision> {
        let oldest = self.oldest_start();
        if revision < oldest { Err(oldest) } else { Ok(self.window.position_after(revision)) }
    }
}
