//! Restoring a cluster from a backup: its store has the backup's history, and its API server is as one that has been
//! there all the time.

use std::sync::{Arc, Mutex, OnceLock};

use protocol::command::Backup;
use protocol::trace::{Change, ObjectKey, Stored as StoredObject, Write};
use store::{Guard, Txn};

use crate::context::{ApiServer, HostWebhooks, LastModes, Listeners, Shared};
use crate::kubelet::Kubelets;
use crate::native::Native;
use crate::resource::Resource;
use crate::storage::Storage;
use crate::stored::Stored;
use crate::{definitions, stored};

impl ApiServer {
    /// The first API server of a new cluster that has what `backup` tells in place of what a new cluster has. The time, the random
    /// numbers and the rest of the configuration are this one's.
    ///
    /// The watch caches have every write that is in the backup, so that a watch goes on from any revision that they
    /// would have kept. Tokens of before are not valid.
    ///
    /// # Errors
    /// The code of writes is not there, an object of a resource that was not served then, JSON that is no object, or revisions that are out of order or too large: what is
    /// wrong, in words.
    pub fn restore(&self, backup: Backup) -> Result<Self, String> {
        (self.shared.config.writes.restore)(self, backup)
    }
}

/// Makes the cluster that `server`'s backup tells: see [`ApiServer::restore`].
pub(crate) fn restore(server: &ApiServer, backup: Backup) -> Result<ApiServer, String> {
    let Backup { revision, objects, writes, head, numbers } = backup;
    if let Some(revision) = [revision, head].into_iter().find(|revision| i64::try_from(*revision).is_err()) {
        return Err(format!("no store comes to revision {revision}"));
    }
    let config = server.shared.config.with_random(Arc::clone(&server.shared.config.random));
    let now = config.clock.now();
    let mut storage = Storage::new(revision + 1, config.compaction, now, config.writes.define);
    // Objects of what was defined can be read when the definitions are known.
    let (definitions, others): (Vec<_>, Vec<_>) =
        objects.into_iter().partition(|(key, ..)| is_definition(key));
    for objects in [definitions, others] {
        for (key, revision, object) in objects {
            let (path, stored) = stored(&storage, &key, revision, &object)?;
            storage.store.restore(&path, revision, stored).map_err(|error| error.to_string())?;
        }
        definitions::serve(&mut storage);
    }
    let number = storage.join();
    let mut writes = writes.into_iter().peekable();
    while let Some(first) = writes.next() {
        let revision = first.revision;
        let mut together = vec![first];
        while let Some(next) = writes.next_if(|next| next.revision == revision) {
            together.push(next);
        }
        write(&mut storage, revision, together)?;
        // Nobody waits for it yet.
        drop(storage.settle(now));
    }
    storage.store.skip_to(head);
    drop(storage.settle(now));
    storage.number_after(numbers);
    // What the last writes ask for may not have been done.
    storage.defined = 0;
    definitions::follow(&mut storage, config.sources());
    let (storage, issuer) = (Mutex::new(storage), OnceLock::new());
    let shared = Shared {
        config,
        service_range: server.shared.service_range,
        storage,
        issuer,
        authenticator: Native::new(),
        aggregator: Native::new(),
        webhooks: HostWebhooks::default(),
        instruments: Native::new(),
        audit: Native::new(),
        kubelets: Kubelets::default(),
        components: Arc::default(),
        last_modes: LastModes::default(),
        documents: Mutex::default(),
        listeners: Listeners::default(),
        explains: false,
    };
    Ok(ApiServer { shared: Arc::new(shared), number })
}

/// Makes the writes of one revision.
fn write(storage: &mut Storage, revision: u64, writes: Vec<Write>) -> Result<(), String> {
    let mut txn = Txn::new();
    let defines = writes.iter().any(|write| is_definition(&write.key));
    for Write { change, key, object, .. } in writes {
        txn = match object {
            Some(object) => {
                let (path, stored) = stored(storage, &key, revision, &object)?;
                let guard = if change == Change::Created { Guard::Absent } else { Guard::None };
                txn.put(&path, guard, move |_| stored)
            }
            None => txn.delete(&path(storage, &key)?.1, Guard::None),
        };
    }
    if storage.store.revision() >= revision || i64::try_from(revision).is_err() {
        return Err(format!("revision {revision} does not follow revision {}", storage.store.revision()));
    }
    storage.store.skip_to(revision - 1);
    match storage.store.commit(txn).map_err(|error| error.to_string())? {
        None => return Err(format!("revision {revision} deletes what was not there")),
        Some(_) if defines => definitions::serve(storage),
        Some(_) => {}
    }
    Ok(())
}

/// The key of an object and the object, as the store has them.
fn stored(
    storage: &Storage,
    key: &ObjectKey,
    revision: u64,
    object: &StoredObject,
) -> Result<(String, Arc<Stored>), String> {
    let (row, path) = path(storage, key)?;
    let mut object = serde_json::from_slice(&object.json).map_err(|error| format!("{path}: {error}"))?;
    Ok((path, Arc::new(Stored::as_it_is(&row, &mut object, revision))))
}

/// The resource that an object is stored as, and its key.
fn path(storage: &Storage, key: &ObjectKey) -> Result<(Arc<Resource>, String), String> {
    let ObjectKey { group, resource, namespace, name } = key;
    // Which version does not matter: what is stored does not tell its own.
    let row = storage.resources.iter().find(|row| {
        (&row.group, &row.name) == (group, resource)
            && (&row.storage.group, &row.storage.resource) == (group, resource)
    });
    let row = row.ok_or_else(|| format!("the resource {resource} of the group {group:?} is not served"))?;
    Ok((Arc::clone(row), stored::object_key(row, namespace, name)))
}

fn is_definition(key: &ObjectKey) -> bool {
    key.resource == "customresourcedefinitions"
}
