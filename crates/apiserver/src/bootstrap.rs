//! The objects that a new cluster begins with.

mod access;
mod fields;

use kinds::apiregistration::api_service;
use std::sync::Arc;
use std::time::Duration;

use json_tree::{Value, json};
use store::{Guard, Txn};

use crate::context::Shared;
use crate::native::on_host;
use crate::resource::{self, Resource};
use crate::service_range::ServiceRange;
use crate::storage::{Storage, Written};
use crate::stored::Stored;
use crate::{api_services, stored};
use apimachinery::object;
use apimachinery::object::{
    METADATA_ORDER, Object, metadata_mut, set_in_order, set_managed_fields, set_metadata, with_name,
};
use apimachinery::time;
use kinds::flowcontrol::initial;

/// The namespaces that every cluster has, in the order in which kube-apiserver makes them.
const NAMESPACES: &[&str] = &["kube-system", "kube-public", "kube-node-lease", "default"];

/// Objects that need no words of their own, one a line: see [`object::rows`]. [`set_range`] sets other addresses of services.
const OTHERS: &str = include_str!("bootstrap/others.txt");

/// The key of the Service of the API server.
const API_SERVER: &str = "/registry/services/specs/default/kubernetes";

/// Returns the revision before a cluster's first, at which the last of what is in it before its namespaces has been written.
fn revision_before(first_revision: u64) -> u64 {
    first_revision.saturating_sub(1).max(1)
}

/// The kinds of objects that are made again when somebody has deleted them, and how often the server looks: the address range of
/// services, and how to reach the server itself; then the namespaces, and what priority and fairness needs. An IPAddress is made with its
/// Service.
const KEPT: [(Duration, &[&str]); 2] = [
    (Duration::from_secs(10), &["servicecidrs", "ipaddresses", "services", "endpoints", "endpointslices"]),
    (Duration::from_secs(60), &["namespaces", "prioritylevelconfigurations", "flowschemas"]),
];

/// Makes the objects of a new cluster, and compacts what was before its first revision: `resourceVersion=1` is too old
/// everywhere, as it is in a cluster that has run for a while.
///
/// Each object before the namespaces has a revision of its own, up to the one before the first. In a cluster whose first revision
/// leaves too few for that, all of them are written at one.
pub(crate) fn fill(shared: &Shared) {
    let before = revision_before(shared.config.first_revision);
    let objects = objects(shared.service_range).filter_map(|(plural, object)| {
        let (key, resource) = place(plural, &object)?;
        Some((key, resource, complete(shared, resource, object)))
    });
    let mut objects = objects.collect::<Vec<_>>().into_iter();
    let at_once = if objects.len() as u64 <= before { 1 } else { objects.len() };
    {
        let store = &mut shared.storage().store;
        store.skip_to(before - objects.len().div_ceil(at_once) as u64);
        while objects.len() > 0 {
            let txn = objects.by_ref().take(at_once).fold(Txn::new(), |txn, (key, resource, object)| {
                txn.put(&key, Guard::Absent, move |revision| {
                    Arc::new(Stored::new(resource, object, revision))
                })
            });
            // The store is new: nothing can be in the way.
            let _ = store.commit(txn);
        }
    }
    for object in namespaces() {
        create(shared, object);
    }
    shared.announce();
    let mut storage = shared.storage();
    let first = before + 1;
    storage.compact(first, shared.config.clock.now());
    for cache in storage.servers.iter_mut().flat_map(|server| server.caches.iter_mut()) {
        cache.forget(first);
    }
}

/// The work of the server that is due.
pub(crate) struct Due {
    /// The groups of [`KEPT`] of which it is time to look what has been deleted.
    groups: [bool; 2],
    /// The cluster IPs to look at: see [`Written::cluster_ips`].
    cluster_ips: Vec<String>,
}

/// Returns what is due, and notes that somebody does it.
pub(crate) fn due(storage: &mut Storage, now: Duration) -> Due {
    let groups = storage.maintenance.due(KEPT.map(|(every, _)| every), now);
    Due { groups, cluster_ips: storage.repairs.due(now) }
}

/// Makes again what has been deleted of the groups of [`KEPT`] that are due, and repairs cluster IPs.
pub(crate) fn make_again(shared: &Shared, due: Due) {
    let mut made = false;
    for ((_, plurals), _) in KEPT.iter().zip(due.groups).filter(|(_, due)| *due) {
        let kept = namespaces().chain(initial::objects()).chain(others(shared.service_range));
        for object in kept.filter(|(plural, _)| plurals.contains(plural)) {
            if object.0 != "ipaddresses" || shared.find(API_SERVER).is_none() {
                made |= create(shared, object);
            }
        }
    }
    if !due.cluster_ips.is_empty() {
        let written = Written { groups: Some(Vec::new()), flows: false, cluster_ips: due.cluster_ips };
        let mut storage = shared.storage();
        let before = storage.store.revision();
        (shared.config.writes.define)(&mut storage, shared.config.sources(), &written);
        made |= storage.store.revision() > before;
    }
    if made {
        shared.announce();
    }
}

/// The objects of a new cluster, but for its namespaces, with the names of their resources.
fn objects(range: ServiceRange) -> impl Iterator<Item = (&'static str, Object)> {
    let services = api_services::built_in_objects().map(|object| ("apiservices", object));
    access::objects().into_iter().chain(initial::objects()).chain(others(range)).chain(services)
}

/// The objects of [`OTHERS`], in a cluster whose services have addresses in a range.
fn others(range: ServiceRange) -> impl Iterator<Item = (&'static str, Object)> {
    let other = on_host(Some(range)).filter(|range| *range != ServiceRange::default());
    object::rows(OTHERS).map(move |(plural, mut object)| {
        if let Some(range) = other {
            set_range(plural, &mut object, range);
        }
        (plural, object)
    })
}

/// Sets the addresses of an object of [`OTHERS`] where services have theirs in another range than the default one.
fn set_range(plural: &str, object: &mut Object, range: ServiceRange) {
    let address = range.api_server().to_string();
    let spec = object.get_mut("spec");
    match (plural, spec) {
        ("servicecidrs", Some(spec)) => spec["cidrs"] = json!([range.to_string()]),
        ("services", Some(spec)) => {
            spec["clusterIP"] = address.as_str().into();
            spec["clusterIPs"] = json!([address]);
        }
        ("ipaddresses", _) => set_metadata(object, "name", address.as_str().into()),
        _ => {}
    }
}

/// The namespaces of a new cluster.
fn namespaces() -> impl Iterator<Item = (&'static str, Object)> {
    NAMESPACES.iter().map(|name| {
        let mut namespace = with_name(name);
        set_metadata(&mut namespace, "labels", json!({ "kubernetes.io/metadata.name": name }));
        ("namespaces", namespace)
    })
}

/// Creates an object, unless there is one of its name; returns whether it did.
fn create(shared: &Shared, (plural, object): (&str, Object)) -> bool {
    let Some((key, resource)) = place(plural, &object) else { return false };
    if shared.find(&key).is_some() {
        return false;
    }
    let object = complete(shared, resource, object);
    let mut storage = shared.storage();
    storage
        .store
        .put(&key, Guard::Absent, |revision| Arc::new(Stored::new(resource, object, revision)))
        .is_ok()
}

/// Returns the key and the resource of an object; `None` if there is no such resource: nothing is made of it.
fn place(plural: &str, object: &Object) -> Option<(String, &'static Resource)> {
    let resource = resource(plural)?;
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
    Some((stored::object_key(resource, text("namespace"), text("name")), resource))
}

/// The resource of this name that the tables are about: one that is stored as it is.
fn resource(plural: &str) -> Option<&'static Resource> {
    let mut rows = resource::built_in().iter();
    let found = rows.find(|row| {
        row.name == plural && row.storage.group == row.group && row.storage.version == row.version
    });
    found.map(|row| &**row)
}

/// Sets what the server sets in an object that it makes itself.
fn complete(shared: &Shared, resource: &Resource, mut object: Object) -> Object {
    let now = time::rfc3339(shared.config.clock.now());
    let entries = fields::entries(resource, &object, &now);
    let metadata = metadata_mut(&mut object);
    set_in_order(metadata, "uid", shared.uid().into(), METADATA_ORDER);
    if resource.name == "apiservices" {
        object.insert("status".to_owned(), api_service::local_status(&now));
    } else if let Some(mut status) = object.shift_remove("status") {
        let conditions = status.get_mut("conditions").and_then(Value::as_array_mut);
        for condition in conditions.into_iter().flatten() {
            condition["lastTransitionTime"] = now.clone().into();
        }
        object.insert("status".to_owned(), status);
    }
    set_in_order(metadata_mut(&mut object), "creationTimestamp", now.into(), METADATA_ORDER);
    set_managed_fields(&mut object, Some(entries));
    if resource.name == "namespaces" {
        // What every namespace begins with is managed by nobody.
        object.insert("spec".to_owned(), json!({ "finalizers": ["kubernetes"] }));
        object.insert("status".to_owned(), json!({ "phase": "Active" }));
    }
    object
}
