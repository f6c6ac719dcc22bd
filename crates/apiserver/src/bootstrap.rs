//! What a new cluster has in it.

use std::sync::Arc;

use schema::Types;
use serde_json::json;
use store::Guard;

use crate::defaults;
use crate::field_management;
use crate::handlers::{as_value, prepare};
use crate::server::Shared;
use crate::storage::{self, Object, Stored};

/// The namespaces that every cluster has, in the order in which kube-apiserver makes them.
const NAMESPACES: &[&str] = &["kube-system", "kube-public", "kube-node-lease", "default"];

/// Makes the namespaces of a new cluster, and compacts its first revision: `resourceVersion=1` is too old
/// everywhere, as it is in a cluster that has run for a while.
pub(crate) fn namespaces(shared: &Shared) {
    let row = schema::resources().iter().find(|row| row.group.is_empty() && row.name == "namespaces");
    let Some(resource) = row else { return };
    for name in NAMESPACES {
        let mut namespace = Object::new();
        namespace.insert("metadata".to_owned(), json!({ "name": name }));
        namespace.insert("spec".to_owned(), json!({}));
        if let Some(ty) = resource.ty {
            as_value(&mut namespace, |namespace| defaults::apply(Types::builtin(), ty, namespace));
        }
        let entries =
            field_management::track_own_creation(resource, shared.config.clock.as_ref(), &namespace);
        prepare(shared, resource, &mut namespace);
        field_management::set_entries(&mut namespace, entries);
        let key = storage::object_key(resource, "", name);
        let mut storage = shared.storage();
        // The store is new: nothing can be in the way.
        let _ = storage
            .store
            .put(&key, Guard::Absent, |revision| Arc::new(Stored::new(resource, namespace, revision)));
    }
    shared.announce();
    let mut storage = shared.storage();
    let first = shared.config.first_revision;
    storage.compact(first, shared.config.clock.now());
    for cache in storage.servers.iter_mut().flat_map(|server| server.caches.iter_mut()) {
        cache.forget(first);
    }
}
