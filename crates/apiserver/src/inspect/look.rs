//! Looking at a cluster.

use store::KeyRange;

use super::{CacheInfo, Change, Delivery, Inspect, Overview, Served, Snapshot, Write};
use crate::handlers::Waiter;
use crate::storage;

impl Inspect {
    /// Where the cluster stands now.
    pub fn overview(&self) -> Overview {
        self.tick();
        let storage = self.shared().storage();
        let server = storage.servers.get(self.server());
        let rows = schema::resources().iter().filter(|row| row.allows("list"));
        let count = |row: &schema::Resource| {
            let caches = &server?.caches;
            Some(caches.get(caches.find(row)?)?.len())
        };
        let counts = rows
            .map(|row| (format!("{}/{}/{}", row.group, row.version, row.name), count(row).unwrap_or(0)))
            .collect();
        Overview {
            revision: storage.store.revision(),
            compact_revision: storage.store.compact_revision(),
            watches: storage.watches.values().map(|watcher| watcher.info()).collect(),
            counts,
        }
    }

    /// The watch caches of all API servers, in the order of discovery.
    pub fn caches(&self) -> Vec<CacheInfo> {
        self.tick();
        let storage = self.shared().storage();
        let mut infos = Vec::new();
        for (number, server) in storage.servers.iter().enumerate() {
            infos.extend(server.caches.iter().map(|cache| CacheInfo {
                server: number,
                resource: cache.resource.clone(),
                revision: cache.revision,
                oldest: cache.oldest_start(),
                objects: cache.len(),
                events: cache.window.len(),
                capacity: cache.window.capacity(),
                watches: cache.watchers.len(),
                lag: cache.lag,
                stopped: cache.stopped,
            }));
        }
        infos
    }

    /// What became of the last events on their way to the watch `id`, oldest first; nothing if it is not open.
    pub fn deliveries(&self, id: u64) -> Vec<Delivery> {
        self.shared().storage().watches.get(&id).map(|watcher| watcher.recent()).unwrap_or_default()
    }

    /// The snapshots that continue tokens have pinned, in the order in which the tokens were given out.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        let storage = self.shared().storage();
        let floor = storage.store.compact_revision();
        let pins = storage.snapshots.iter().map(|pin| Snapshot {
            revision: pin.revision,
            collection: pin.prefix.clone(),
            start: pin.start.clone(),
            remaining: pin.remaining,
            at: pin.at,
            expired: pin.revision < floor,
        });
        pins.collect()
    }

    /// The answered requests whose number is above `after`, oldest first, at most `limit`.
    pub fn served(&self, after: u64, limit: usize) -> Vec<Served> {
        let storage = self.shared().storage();
        let first = storage.served.partition_point(|served| served.id <= after);
        storage.served.iter().skip(first).take(limit).cloned().collect()
    }

    /// The kept writes with a revision above `after`, oldest first, at most `limit`.
    pub fn writes(&self, after: u64, limit: usize) -> Vec<Write> {
        let storage = self.shared().storage();
        let after = after.max(storage.store.compact_revision());
        let Ok(events) = storage.store.events(after) else { return Vec::new() };
        events
            .take(limit)
            .filter_map(|event| {
                let (entry, change) = match (event.value, event.previous) {
                    (Some(entry), None) => (entry, Change::Created),
                    (Some(entry), Some(_)) => (entry, Change::Updated),
                    (None, Some(entry)) => (entry, Change::Deleted),
                    (None, None) => return None,
                };
                let stored = &entry.value;
                Some(Write {
                    revision: event.revision,
                    change,
                    group: stored.group.clone(),
                    resource: stored.resource.clone(),
                    namespace: stored.namespace.clone(),
                    name: stored.name.clone(),
                    labels: stored.labels.clone(),
                })
            })
            .collect()
    }

    /// The JSON of every object of a resource (`configmaps`, `deployments.apps`) as it was at `revision`, in the order
    /// of keys, without `kind` and `apiVersion`; `None` if that revision is not kept or there is no such resource.
    pub fn state_at(&self, resource: &str, revision: u64) -> Option<Vec<bytes::Bytes>> {
        let storage = self.shared().storage();
        let caches = &storage.servers.get(self.server())?.caches;
        let prefix = caches.iter().find(|cache| cache.resource == resource)?.prefix();
        let entries = storage.store.range_at(&KeyRange::prefix(prefix), revision).ok()?;
        Some(entries.map(|entry| entry.value.json.clone()).collect())
    }

    /// Waits until the newest revision is above `after`.
    pub async fn changed(&self, after: u64) {
        let waiter = Waiter::new(self.shared());
        waiter.until(|storage: &storage::Storage| storage.store.revision() > after).await;
    }
}
