//! The state that all API servers of a cluster share: the store, and who follows it.

mod compaction;
pub(crate) mod repairs;
mod snapshots;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use apimachinery::small_map::SmallMap;
use compaction::Round;
use store::{KeyRange, Revision, Store};

use crate::clock::{Clock, Random};
use crate::rbac::{Index, Rules};
use crate::resources::Resources;
use crate::stored::Stored;
use crate::watch_cache::WatchCache;
use crate::watch_cache::cache_watcher::CacheWatcher;
use crate::watch_cache::caches::{CacheId, Caches};
use crate::watch_cache::commits::Commits;
use kinds::kind::{Found, Objects};
use protocol::trace::{Fault, RequestRecord};

pub use compaction::Compaction;
pub(crate) use compaction::Compactor;
pub(crate) use repairs::{Repairs, Reported};
pub(crate) use snapshots::{Pin, Snapshots};

/// How often a watch that wants bookmarks gets one, unless it is told otherwise.
const BOOKMARK_INTERVAL: Duration = Duration::from_secs(60);
/// How many answered requests are remembered.
const REMEMBERED: usize = 4_096;
/// How many watches that have ended are remembered.
const ENDED: usize = 256;

/// One of a cluster's API servers.
pub(crate) struct Server {
    /// The server's watch caches, which follow the store.
    pub caches: Caches,
    /// The faults with which the server's next requests are to fail.
    pub faults: VecDeque<Fault>,
}

/// How many there have been in all.
#[derive(Default)]
pub(crate) struct Totals {
    pub requests: u64,
    pub ended_watches: u64,
}

/// The time and the randomness of what the server writes by itself.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) random: &'a dyn Random,
}

impl Sources<'_> {
    /// Makes up a uid: a random UUID.
    pub(crate) fn uid(self) -> String {
        clock::uuid(self.random)
    }
}

/// When the server last looked for what it makes again, since the Unix epoch; for each group of it.
pub(crate) struct Maintenance([Duration; 2]);

impl Maintenance {
    /// All of it is there at `now`.
    fn new(now: Duration) -> Self {
        Self([now; 2])
    }

    /// Reports for which groups it is time to look at `now`, and notes that somebody does. A clock that was set back does not put it off.
    pub(crate) fn due(&mut self, every: [Duration; 2], now: Duration) -> [bool; 2] {
        [0, 1].map(|group| {
            let due = now < self.0[group] || now - self.0[group] >= every[group];
            if due {
                self.0[group] = now;
            }
            due
        })
    }
}

/// News of aggregated API servers: of their APIServices, and of the services and EndpointSlices that lead to them.
#[derive(Default)]
pub(crate) struct Aggregation {
    /// True if one was written since somebody looked.
    pub(crate) changed: bool,
    /// Who waits for that.
    pub(crate) waiting: Option<Waker>,
}

/// Follows what was written: see [`definitions::define`](crate::definitions::define).
pub(crate) type Define = fn(&mut Storage, Sources<'_>, &Written);

/// The writes since the last time, of objects on which the server itself acts.
pub(crate) struct Written {
    /// The groups of definitions; `None`: it may be all of them.
    pub(crate) groups: Option<Vec<String>>,
    /// True if FlowSchemas or PriorityLevelConfigurations may be among it.
    pub(crate) flows: bool,
    /// The keys of the Services and the IPAddresses, and the prefixes of those of which it may be all.
    pub(crate) cluster_ips: Vec<String>,
}

/// The store, the API servers that follow it, and who waits for what.
pub(crate) struct Storage {
    /// The objects, in all their kept revisions.
    pub store: Store<Arc<Stored>>,
    /// The resources that are served: the built-in ones, and those that were defined.
    pub resources: Arc<Resources>,
    /// The API servers, by their numbers.
    pub servers: Vec<Server>,
    /// The watches that are open, by their numbers.
    pub watches: SmallMap<u64, Arc<CacheWatcher>>,
    /// The continue tokens that were given out.
    pub snapshots: Snapshots,
    /// The watches that ended last, oldest first.
    pub ended_watches: VecDeque<Arc<CacheWatcher>>,
    /// The requests that were answered last, oldest first.
    pub served: VecDeque<RequestRecord>,
    /// How many requests were answered, and how many watches have ended.
    pub totals: Totals,
    /// How often a watch that wants bookmarks gets one.
    pub bookmark_interval: Duration,
    /// Forgets what is old.
    pub compactor: Compactor,
    /// When the server looks for what it makes again.
    pub(crate) maintenance: Maintenance,
    /// When the server looks at cluster IPs, and what it has told of them.
    pub(crate) repairs: Repairs,
    /// News of aggregated API servers.
    pub(crate) aggregation: Aggregation,
    rules: Rules,
    /// The revision up to which definitions of resources have been followed.
    pub defined: Revision,
    commits: Commits,
    ended: Vec<Waker>,
    waiting: SmallMap<u64, Waker>,
    next_number: u64,
    /// How often everybody was told of a change.
    turn: u64,
    /// How definitions are followed.
    pub(crate) define: Define,
}

impl Storage {
    /// An empty one, whose first write will be `first_revision`.
    pub(crate) fn new(
        first_revision: Revision,
        compaction: Compaction,
        now: Duration,
        define: Define,
    ) -> Self {
        let resources = Arc::new(Resources::builtin());
        Self::with(Store::new(first_revision), resources, compaction, now, define)
    }

    /// One of its own that begins with what is in this one at `revision`, with the same interval of bookmarks, for a
    /// cluster that is looked at as these say. Nobody follows it yet, and its definitions are still to be. `None`: the
    /// revision is not kept.
    pub(crate) fn fork(&self, revision: Revision, compaction: Compaction, now: Duration) -> Option<Self> {
        let store = self.store.fork(revision).ok()?;
        let resources = Arc::clone(&self.resources);
        let mut fork = Self::with(store, resources, compaction, now, self.define);
        // What was defined then may not be what is defined now.
        fork.defined = 0;
        fork.bookmark_interval = self.bookmark_interval;
        Some(fork)
    }

    fn with(
        store: Store<Arc<Stored>>,
        resources: Arc<Resources>,
        compaction: Compaction,
        now: Duration,
        define: Define,
    ) -> Self {
        Self {
            resources,
            servers: Vec::new(),
            watches: SmallMap::new(),
            snapshots: Snapshots::default(),
            ended_watches: VecDeque::new(),
            served: VecDeque::new(),
            totals: Totals::default(),
            bookmark_interval: BOOKMARK_INTERVAL,
            compactor: Compactor::new(compaction, now),
            maintenance: Maintenance::new(now),
            repairs: Repairs::new(now),
            aggregation: Aggregation::default(),
            rules: Rules::default(),
            defined: store.revision(),
            commits: Commits::default(),
            ended: Vec::new(),
            waiting: SmallMap::new(),
            next_number: 0,
            turn: 0,
            define,
            store,
        }
    }

    /// Returns the RBAC rules, as of now.
    pub(crate) fn rules(&self) -> Arc<Index> {
        self.rules.now(&self.store)
    }

    /// Adds an API server, which lists everything; gives its number.
    pub(crate) fn join(&mut self) -> usize {
        self.servers
            .push(Server { caches: Caches::new(&self.resources, &self.store), faults: VecDeque::new() });
        self.servers.len() - 1
    }

    /// A cache of an API server.
    pub(crate) fn cache(&self, server: usize, id: CacheId) -> Option<&WatchCache> {
        self.servers.get(server)?.caches.get(id)
    }

    /// A cache of an API server, to change it.
    pub(crate) fn cache_mut(&mut self, server: usize, id: CacheId) -> Option<&mut WatchCache> {
        self.servers.get_mut(server)?.caches.get_mut(id)
    }

    /// Lets the caches follow the store, and forgets what there is too much of. To be called after every write.
    ///
    /// Gives everybody who waits for a change, to be woken once the lock is released.
    pub(crate) fn settle(&mut self, now: Duration) -> Vec<Waker> {
        self.turn += 1;
        let longest = self.servers.iter().map(|server| server.caches.longest_lag()).max().unwrap_or_default();
        self.commits.note(now, self.store.revision(), longest);
        let waiting = std::mem::take(&mut self.waiting).into_entries();
        let mut wakers: Vec<Waker> = waiting.into_iter().map(|(_, waker)| waker).collect();
        wakers.append(&mut self.ended);
        for server in &mut self.servers {
            wakers.extend(server.caches.follow(&self.store, &self.commits, now));
        }
        if let Some(revision) = self.compactor.by_count(self.store.revision()) {
            self.forget_before(revision);
        }
        wakers
    }

    /// Does what has become due by `now`: compaction by age, and caches that lag hear of what has happened.
    pub(crate) fn tick(&mut self, now: Duration) -> Vec<Waker> {
        if let Some(Round { revision, compact }) = self.compactor.by_age(now, self.store.revision()) {
            self.store.skip_to(revision);
            return match compact {
                Some(compact) => self.compact(compact, now),
                None => self.settle(now),
            };
        }
        let mut wakers = Vec::new();
        for server in &mut self.servers {
            if !server.caches.longest_lag().is_zero() {
                wakers.extend(server.caches.follow(&self.store, &self.commits, now));
            }
        }
        wakers
    }

    /// Forgets what is older than `revision`. Nothing happens if that is not newer than the last compaction; a
    /// revision that is still to come counts as the newest.
    ///
    /// Gives everybody who waits for a change, to be woken once the lock is released.
    pub(crate) fn compact(&mut self, revision: Revision, now: Duration) -> Vec<Waker> {
        // First the caches see what they may.
        let wakers = self.settle(now);
        self.forget_before(revision);
        wakers
    }

    fn forget_before(&mut self, revision: Revision) {
        // An old revision is compacted already, which is all that was asked for.
        let _ = self.store.compact(revision.min(self.store.revision()));
    }

    /// When a cache that lags will next hear of something that has happened already.
    pub(crate) fn due(&self, server: usize, id: CacheId) -> Option<Duration> {
        self.cache(server, id)?.due(&self.commits)
    }

    /// Has these woken with the next who are.
    pub(crate) fn wake_later(&mut self, wakers: impl IntoIterator<Item = Waker>) {
        self.ended.extend(wakers);
    }

    /// Remembers an answered request, and returns the one that is forgotten for it, to be dropped without the lock.
    pub(crate) fn remember(&mut self, served: RequestRecord) -> Option<RequestRecord> {
        let forgotten = if self.served.len() == REMEMBERED { self.served.pop_front() } else { None };
        self.served.push_back(served);
        self.totals.requests += 1;
        forgotten
    }

    /// Remembers a watch that has ended.
    pub(crate) fn note_ended(&mut self, watcher: Arc<CacheWatcher>) {
        if self.ended_watches.len() == ENDED {
            self.ended_watches.pop_front();
        }
        self.ended_watches.push_back(watcher);
        self.totals.ended_watches += 1;
    }

    /// A number that nobody has: of a watch, a request, or somebody who waits.
    pub(crate) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Gives from now on numbers that are larger than `number`.
    pub(crate) fn number_after(&mut self, number: u64) {
        self.next_number = self.next_number.max(number);
    }

    /// How often everybody was told of a change.
    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }

    /// Wakes `waker` at the next change.
    pub(crate) fn wait(&mut self, waiter: u64, waker: &Waker) {
        match self.waiting.get_mut(&waiter) {
            Some(known) => known.clone_from(waker),
            None => {
                self.waiting.insert(waiter, waker.clone());
            }
        }
    }

    /// Forgets a waiter.
    pub(crate) fn forget(&mut self, waiter: u64) {
        self.waiting.remove(&waiter);
    }
}

impl Objects for Storage {
    fn find(&self, key: &str, look: &mut dyn FnMut(&dyn Found)) {
        if let Some(entry) = self.store.get(key) {
            look(entry.value.as_ref());
        }
    }

    fn each(&self, prefix: &str, look: &mut dyn FnMut(&dyn Found)) {
        for entry in self.store.range(&KeyRange::prefix(prefix)) {
            look(entry.value.as_ref());
        }
    }
}
