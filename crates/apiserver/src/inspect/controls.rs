//! Interfering with a cluster.

use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use super::Fault;
use crate::context::Shared;
use crate::storage::Storage;
use crate::watch_cache::WatchCache;

/// A cluster as one of its API servers sees it, to look at and to interfere with. Cheap to clone.
#[derive(Clone)]
pub struct Inspect {
    shared: Arc<Shared>,
    server: usize,
}

impl Inspect {
    pub(crate) fn new(shared: &Arc<Shared>, server: usize) -> Self {
        Self { shared: Arc::clone(shared), server }
    }

    /// The number of the API server.
    pub fn server(&self) -> usize {
        self.server
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Does what has become due.
    pub(super) fn tick(&self) {
        self.shared.tick();
    }

    /// Forgets what is older than `revision`: see [`Overview::compact_revision`](super::Overview::compact_revision).
    /// Nothing happens if that is not newer than the last compaction; a revision that is still to come counts as the
    /// newest.
    ///
    /// This is the store's compaction. Watch caches keep their windows: a watch may still begin at a revision that no
    /// list can be read at.
    pub fn compact(&self, revision: u64) {
        let now = self.shared.config.clock.now();
        self.change(|storage| storage.compact(revision, now));
    }

    /// Lets the API server's watch caches forget the events up to `revision`, as they do by themselves when newer ones
    /// need the room. Watches that have not seen them end.
    pub fn forget(&self, revision: u64) {
        self.caches_of(None, |cache| {
            cache.forget(revision);
            cache.watchers.values().filter_map(|watcher| watcher.wake()).collect()
        });
    }

    /// Sets how long a resource's cache (`configmaps`, `deployments.apps`; `None`: every one) of the API server
    /// takes until it hears of a write.
    pub fn set_lag(&self, resource: Option<&str>, lag: Duration) {
        self.caches_of(resource, |cache| {
            cache.lag = lag;
            Vec::new()
        });
    }

    /// Lets a resource's cache (`None`: every one) of the API server hear of nothing, as if the network between it
    /// and the store were down, or hear again. If what it missed has been compacted, it lists anew, which ends its
    /// watches.
    pub fn set_stopped(&self, resource: Option<&str>, stopped: bool) {
        self.caches_of(resource, |cache| {
            cache.stopped = stopped;
            Vec::new()
        });
    }

    /// Ends an open watch, as a network that breaks would.
    pub fn drop_watch(&self, id: u64) {
        self.change(|storage| {
            storage.watches.get(&id).and_then(|watcher| watcher.end()).into_iter().collect()
        });
    }

    /// Lets the next `count` requests to the API server fail, of those that `fault` is meant for: reads, writes and
    /// watches, but for [`Fault::Conflict`].
    pub fn fail_next(&self, count: usize, fault: Fault) {
        self.change(|storage| {
            if let Some(server) = storage.servers.get_mut(self.server) {
                server.faults.extend(std::iter::repeat_n(fault, count));
            }
            Vec::new()
        });
    }

    /// How many requests to the API server are still to fail.
    pub fn faults(&self) -> usize {
        self.shared.storage().servers.get(self.server).map_or(0, |server| server.faults.len())
    }

    /// Lets no more requests to the API server fail.
    pub fn clear_faults(&self) {
        if let Some(server) = self.shared.storage().servers.get_mut(self.server) {
            server.faults.clear();
        }
    }

    /// Sets how often a watch that wants bookmarks gets one: a minute, unless it is set. Open watches keep to it from
    /// their next bookmark on.
    pub fn set_bookmark_interval(&self, interval: Duration) {
        self.shared.storage().bookmark_interval = interval;
    }

    /// Changes the API server's caches of `resource`, or all; then they follow the store as far as they may.
    fn caches_of(&self, resource: Option<&str>, mut change: impl FnMut(&mut WatchCache) -> Vec<Waker>) {
        let now = self.shared.config.clock.now();
        self.change(|storage| {
            let mut wakers = storage.settle(now);
            if let Some(server) = storage.servers.get_mut(self.server) {
                let named = |cache: &&mut WatchCache| resource.is_none_or(|name| name == cache.resource);
                for cache in server.caches.iter_mut().filter(named) {
                    wakers.extend(change(cache));
                }
            }
            wakers.extend(storage.settle(now));
            wakers
        });
    }

    /// Changes something, and wakes whom that concerns once the lock is released.
    fn change(&self, change: impl FnOnce(&mut Storage) -> Vec<Waker>) {
        let wakers = change(&mut self.shared.storage());
        wakers.into_iter().for_each(Waker::wake);
        self.shared.listeners.wake();
    }
}
