//! Looking at a cluster.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use store::KeyRange;

use protocol::trace::Stored as StoredObject;

use super::{
    CacheInfo, Change, Delivery, Inspect, ObjectKey, Overview, RequestRecord, ServerInfo, Snapshot, Write,
};
use crate::context::ApiServer;
use crate::handlers::Waiter;
use crate::stored::Stored;
use crate::{Body, storage};

impl Inspect {
    /// Returns the state of the cluster now.
    pub fn overview(&self) -> Overview {
        self.tick();
        let storage = self.shared().storage();
        let caches = storage.servers.get(self.server()).into_iter().flat_map(|server| server.caches.iter());
        let counts = caches.filter(|cache| cache.len() > 0).map(|cache| (cache.storage.clone(), cache.len()));
        Overview {
            revision: storage.store.revision(),
            compact_revision: storage.store.compact_revision(),
            watches: storage.watches.values().map(|watcher| watcher.info()).collect(),
            counts: counts.collect(),
        }
    }

    /// Returns the newest revision of the store.
    pub fn revision(&self) -> u64 {
        self.shared().storage().store.revision()
    }

    /// Returns the newest revision of the store, and the one up to which it has been compacted, once what is due is done.
    pub fn revisions(&self) -> (u64, u64) {
        self.tick();
        let storage = self.shared().storage();
        (storage.store.revision(), storage.store.compact_revision())
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

    /// The API servers of the cluster, by their numbers.
    pub fn servers(&self) -> Vec<ServerInfo> {
        self.tick();
        let storage = self.shared().storage();
        let head = storage.store.revision();
        let info = |(number, server): (usize, &storage::Server)| {
            let lag = server.caches.longest_lag();
            let oldest = server.caches.iter().map(|cache| cache.oldest_start()).min().unwrap_or_default();
            let mut info = ServerInfo { number, lag, oldest, ..ServerInfo::default() };
            for cache in server.caches.iter() {
                info.revision = info.revision.max(cache.revision);
                if cache.revision < head {
                    info.behind.push((cache.resource.clone(), cache.revision));
                }
                if cache.oldest_start() > oldest {
                    info.forgot.push((cache.resource.clone(), cache.oldest_start()));
                }
                info.stopped |= cache.stopped;
                info.watches += cache.watchers.len();
            }
            info
        };
        storage.servers.iter().enumerate().map(info).collect()
    }

    /// Returns what became of events on their way to the watch `id`, beyond the first `after` deliveries and oldest
    /// first, and how many deliveries there have been in all; `None` if the watch is not open.
    ///
    /// The last 4,096 are remembered (64, if the watch was opened while 256 others were open): whoever has missed more
    /// than that gets these.
    pub fn deliveries(&self, id: u64, after: u64) -> Option<(u64, Vec<Delivery>)> {
        self.shared().storage().watches.get(&id).map(|watcher| watcher.deliveries(after))
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
    pub fn served(&self, after: u64, limit: usize) -> Vec<RequestRecord> {
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
                let object = event.value.map(|entry| stored_object(&entry.value));
                Some(Write { revision: event.revision, change, key: object_key(stored), object })
            })
            .collect()
    }

    /// Returns every object of the cluster as it was at `revision`, with the revision of its last write; `None` if that
    /// revision is not kept.
    pub fn objects_at(&self, revision: u64) -> Option<Vec<(ObjectKey, u64, StoredObject)>> {
        let storage = self.shared().storage();
        let entries = storage.store.range_at(&KeyRange::prefix(""), revision).ok()?;
        let object = |entry: &store::Entry<Arc<Stored>>| {
            (object_key(&entry.value), entry.value.revision(), stored_object(&entry.value))
        };
        Some(entries.map(object).collect())
    }

    /// The JSON of every object of a resource (`configmaps`, `deployments.apps`) as it was at `revision`, in the order
    /// of keys, without `kind` and `apiVersion`; `None` if that revision is not kept or there is no such resource.
    pub fn state_at(&self, resource: &str, revision: u64) -> Option<Vec<Bytes>> {
        let storage = self.shared().storage();
        let caches = &storage.servers.get(self.server())?.caches;
        let prefix = caches.iter().find(|cache| cache.resource == resource)?.prefix();
        let entries = storage.store.range_at(&KeyRange::prefix(prefix), revision).ok()?;
        Some(entries.map(|entry| entry.value.plain()).collect())
    }

    /// The JSON of one object, as [`Self::state_at`] gives it. The namespace is empty for an object that is in none.
    ///
    /// `None` if there was no such object, if that revision is not kept, or if there is no such resource.
    pub fn object_at(&self, resource: &str, namespace: &str, name: &str, revision: u64) -> Option<Bytes> {
        let storage = self.shared().storage();
        let caches = &storage.servers.get(self.server())?.caches;
        let prefix = caches.iter().find(|cache| cache.resource == resource)?.prefix();
        let slash = if namespace.is_empty() { "" } else { "/" };
        let entry = storage.store.get_at(&[prefix, namespace, slash, name].concat(), revision).ok()??;
        Some(entry.value.plain())
    }

    /// Returns the response that a GET of an object or of a collection would have got when `revision` was the newest
    /// one. Nothing is changed by that: no continue token is remembered, and the request is not among those that were
    /// [served](Self::served).
    ///
    /// `resourceVersion` and `resourceVersionMatch` are ignored, and so is a continue token of another revision; selectors, `limit`
    /// and `Accept` are kept.
    /// A table tells ages as of now.
    ///
    /// The response is 404 for what does not exist at that revision, 410 for a revision that is compacted, and 504 for
    /// one that is still to come. Watches, writes and what is passed on to others (the log of a pod) are 405. A path
    /// that is not an object's, such as discovery, is the same at every revision.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>
    pub async fn read_at(&self, request: &Request<Bytes>, revision: u64) -> Response<Body> {
        let server = ApiServer { shared: Arc::clone(self.shared()), number: self.server() };
        server.read_at(request, revision).await
    }

    /// Returns the response that a POST, PUT or PATCH would get now. Nothing is changed by that: it is a dry run,
    /// whether or not it says so itself, it meets no [fault](super::Fault), and it is not among the requests that were
    /// [served](Self::served).
    ///
    /// All else is 405.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run>
    pub async fn try_out(&self, request: &Request<Bytes>) -> Response<Body> {
        let server = ApiServer { shared: Arc::clone(self.shared()), number: self.server() };
        server.try_out(request).await
    }

    /// Waits until the newest revision is above `after`.
    pub async fn changed(&self, after: u64) {
        let waiter = Waiter::new(self.shared());
        waiter.until(|storage: &storage::Storage| storage.store.revision() > after).await;
    }
}

fn object_key(stored: &Stored) -> ObjectKey {
    ObjectKey {
        group: stored.group.clone(),
        resource: stored.resource.clone(),
        namespace: stored.namespace.clone(),
        name: stored.name.clone(),
    }
}

fn stored_object(stored: &Stored) -> StoredObject {
    let fields = stored.fields.iter().map(|(label, value)| (label.to_string(), value.clone()));
    StoredObject { json: stored.plain(), labels: stored.labels.clone(), fields: fields.collect() }
}
