//! The watch caches of one API server.

use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use apimachinery::small_map::SmallMap;
use store::{Revision, Store};

use super::WatchCache;
use super::commits::Commits;
use crate::resource::Resource;
use crate::stored::Stored;

/// Which cache of an API server.
pub(crate) type CacheId = usize;

/// An API server's caches: one for each resource that is stored.
#[derive(Debug)]
pub(crate) struct Caches {
    all: Vec<WatchCache>,
    by_prefix: SmallMap<String, CacheId>,
    /// Up to where the caches that do not lag have followed the store.
    seen: Revision,
}

impl Caches {
    /// The caches of an API server that starts now.
    pub(crate) fn new(resources: &[Arc<Resource>], store: &Store<Arc<Stored>>) -> Self {
        let mut caches = Self { all: Vec::new(), by_prefix: SmallMap::new(), seen: store.revision() };
        for row in resources.iter().filter(|row| row.allows("watch")) {
            caches.add(row, store);
        }
        caches
    }

    /// Adds a resource's cache, unless it is there. Says whom to wake who watched one that was taken away.
    fn add(&mut self, row: &Resource, store: &Store<Arc<Stored>>) -> Vec<Waker> {
        let prefix = row.prefix().to_owned();
        if self.by_prefix.contains_key(&prefix) {
            return Vec::new();
        }
        let storage = &row.storage;
        let storage = [&storage.group, "/", &storage.version, "/", &storage.resource].concat();
        let cache = WatchCache::new(name(row), storage, prefix.clone(), store);
        // One that was taken away and comes back has the number that it had.
        let mut wakers = Vec::new();
        let id = match self.all.iter().position(|cache| cache.prefix() == prefix) {
            Some(id) => {
                let last = std::mem::replace(&mut self.all[id], cache);
                wakers.extend(last.watchers.values().filter_map(|watcher| watcher.end()));
                id
            }
            None => {
                self.all.push(cache);
                self.all.len() - 1
            }
        };
        self.by_prefix.insert(prefix, id);
        wakers
    }

    /// Begins the cache of a resource, which is new or not what it was: whoever watches it has to begin again, and
    /// no watch begins before now.
    pub(crate) fn restart(&mut self, row: &Resource, store: &Store<Arc<Stored>>) -> Vec<Waker> {
        let mut wakers = self.add(row, store);
        let id = self.find(row);
        wakers.extend(id.and_then(|id| self.all.get_mut(id)).into_iter().flat_map(|cache| cache.list(store)));
        wakers
    }

    /// Takes the cache of a resource away that is not served any more: who watches gets what happened until now. Its number is not given
    /// to another.
    pub(crate) fn remove(&mut self, row: &Resource, store: &Store<Arc<Stored>>) -> Vec<Waker> {
        let id = self.find(row);
        let wakers = id.and_then(|id| self.all.get_mut(id)).map_or_else(Vec::new, |cache| cache.close(store));
        self.by_prefix.remove(row.prefix());
        wakers
    }

    /// The number of a resource's cache.
    pub(crate) fn find(&self, resource: &Resource) -> Option<CacheId> {
        self.by_prefix.get(resource.prefix()).copied()
    }

    /// A cache by its number.
    pub(crate) fn get(&self, id: CacheId) -> Option<&WatchCache> {
        self.all.get(id)
    }

    /// A cache by its number, to change it.
    pub(crate) fn get_mut(&mut self, id: CacheId) -> Option<&mut WatchCache> {
        self.all.get_mut(id)
    }

    /// All of them, in the order of discovery.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &WatchCache> {
        self.all.iter().filter(|cache| self.by_prefix.contains_key(cache.prefix()))
    }

    /// All of them, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut WatchCache> {
        self.all.iter_mut()
    }

    /// Lets every cache follow the store as far as it may, and says who has to be woken.
    pub(crate) fn follow(
        &mut self,
        store: &Store<Arc<Stored>>,
        commits: &Commits,
        now: Duration,
    ) -> Vec<Waker> {
        let (head, seen) = (store.revision(), self.seen);
        let mut wakers = Vec::new();
        let events = store.events(seen);
        let kept = events.is_ok();
        if seen < head {
            for event in events.into_iter().flatten() {
                // Of all prefixes that are not behind the key, the key's own is the last.
                let found = self.by_prefix.up_to::<str>(event.key);
                let cache = found
                    .filter(|(prefix, _)| event.key.starts_with(prefix.as_str()))
                    .and_then(|(_, id)| self.all.get_mut(*id));
                if let Some(cache) = cache.filter(|cache| cache.is_prompt() && cache.revision >= seen) {
                    cache.apply(&event, now, &mut wakers);
                }
            }
        }
        for cache in &mut self.all {
            if kept && cache.is_prompt() && cache.revision >= seen {
                cache.revision = head;
            } else {
                cache.catch_up(store, commits, now, &mut wakers);
            }
        }
        self.seen = head;
        wakers
    }

    /// The longest time that a cache lags behind.
    pub(crate) fn longest_lag(&self) -> Duration {
        self.all.iter().map(|cache| cache.lag).max().unwrap_or_default()
    }
}

/// A resource as `kubectl` names it: `configmaps`, `deployments.apps`.
fn name(resource: &Resource) -> String {
    let storage = &resource.storage;
    match storage.group.as_str() {
        "" => storage.resource.clone(),
        group => format!("{}.{group}", storage.resource),
    }
}
