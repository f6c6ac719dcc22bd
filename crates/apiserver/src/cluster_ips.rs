//! The repair of cluster IPs: each has an IPAddress that tells whose it is, and each IPAddress that was made for a Service has that
//! Service. What was written is looked at at once, and everything from time to time, by the clock.
//!
//! <https://kubernetes.io/docs/reference/networking/virtual-ips/#ip-address-objects>

mod events;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;
use store::{Guard, KeyRange};

use crate::deletion::{Deletion, begin};
use crate::resource;
use crate::storage::{Sources, Storage};
use crate::stored::{Stored, object_key};
use crate::{loopback, registry};
use apimachinery::DeleteOptions;
use apimachinery::object::{Object, metadata_text};
use apimachinery::time;
use events::{Regarding, report};
use kinds::core::service::{self, ip_address};

/// How long an IPAddress may be without its Service, which is stored after it.
const GRACE: Duration = Duration::from_secs(60);
/// How long one that is newer than its Service may be another than the Service's: that may be about to change.
const SETTLING: Duration = Duration::from_secs(5);

const FAMILY: &str = "ipaddress.kubernetes.io/ip-family";
const MANAGED_BY: &str = "ipaddress.kubernetes.io/managed-by";
const ALLOCATOR: &str = "ipallocator.k8s.io";

/// Looks at the objects with these keys, and at all with a key that begins with one of them that ends with a slash.
pub(crate) fn repair(storage: &mut Storage, sources: Sources<'_>, keys: &[String]) {
    events::finish(storage, sources);
    for key in keys {
        let found: Vec<Arc<Stored>> = if key.ends_with('/') {
            storage.store.range(&KeyRange::prefix(key)).map(|entry| Arc::clone(&entry.value)).collect()
        } else {
            storage.store.get(key).map(|entry| Arc::clone(&entry.value)).into_iter().collect()
        };
        for stored in found {
            if key.starts_with(service::PREFIX) {
                look_at_service(storage, sources, &stored);
            } else {
                look_at_address(storage, sources, &stored);
            }
        }
    }
}

/// Makes the IPAddresses of a Service what they should be.
fn look_at_service(storage: &mut Storage, sources: Sources<'_>, stored: &Stored) {
    let service = stored.tree();
    let addresses = service::held_addresses(&service);
    let regarding = Regarding { kind: "Service", api_version: "v1", stored };
    let (namespace, name) = (stored.namespace.as_str(), stored.name.as_str());
    for text in addresses {
        let Ok(address) = text.parse::<IpAddr>() else { continue };
        let family = family(address);
        let warn = |storage: &mut Storage, reason, note: String| {
            report(storage, sources, &regarding, (reason, "ClusterIPAllocation"), note);
        };
        if !service::is_in_a_range(storage, address) {
            let note = format!(
                "Cluster IP [{family}]: {address} is not within any configured Service CIDR; please recreate service"
            );
            warn(storage, "ClusterIPOutOfRange", note);
            continue;
        }
        let wrong = format!(
            "the ClusterIP [{family}]: {address} for Service {namespace}/{name} has a wrong reference; repairing"
        );
        let Some(held) = find(storage, "networking.k8s.io", "ipaddresses", "", &address.to_string()) else {
            let note = format!("Cluster IP [{family}]: {address} is not allocated; repairing");
            warn(storage, "ClusterIPNotAllocated", note);
            create(storage, sources, &text, namespace, name);
            continue;
        };
        let tree = held.tree();
        let parent = Parent::of(&tree);
        if !parent.is_service() {
            warn(storage, "ClusterIPNotAllocated", wrong);
            make_anew(storage, sources, &held, namespace, name);
            continue;
        }
        if (parent.namespace, parent.name) != (namespace, name) {
            let Some(other) = find(storage, "", "services", parent.namespace, parent.name) else {
                warn(storage, "ClusterIPNotAllocated", wrong);
                make_anew(storage, sources, &held, namespace, name);
                continue;
            };
            if service::held_addresses(&other.tree()).contains(&held.name) {
                let note = format!(
                    "Cluster IP [{family}]:{address} was assigned to multiple services; please recreate service"
                );
                warn(storage, "ClusterIPAlreadyAllocated", note);
            }
        }
        if held.label(FAMILY) != Some(family) || held.label(MANAGED_BY) != Some(ALLOCATOR) {
            make_anew(storage, sources, &held, namespace, name);
        }
    }
}

/// Deletes an IPAddress that was made for a Service and is of none.
fn look_at_address(storage: &mut Storage, sources: Sources<'_>, stored: &Stored) {
    if stored.label(MANAGED_BY) != Some(ALLOCATOR) {
        return;
    }
    let (tree, now) = (stored.tree(), sources.clock.now());
    let (parent, name) = (Parent::of(&tree), stored.name.as_str());
    let regarding = Regarding { kind: "IPAddress", api_version: "networking.k8s.io/v1", stored };
    let clean_up = |storage: &mut Storage, reason, note: String| {
        report(storage, sources, &regarding, (reason, "IPAddressAllocation"), note);
        delete(storage, sources, stored);
    };
    if !parent.is_service() {
        let note = format!(
            "IPAddress {name} appears to have been modified, not referencing a Service {}: cleaning up",
            parent.in_go()
        );
        return clean_up(storage, "IPAddressNotAllocated", note);
    }
    let made = time::parse(metadata_text(&tree, "creationTimestamp")).unwrap_or_default();
    let of = format!("{}/{}", parent.namespace, parent.name);
    let key = address_key(name);
    let Some(service) = find(storage, "", "services", parent.namespace, parent.name) else {
        if now >= made + GRACE {
            let note = format!("IPAddress: {name} for Service {of} appears to have leaked: cleaning up");
            clean_up(storage, "IPAddressNotAllocated", note);
        } else {
            storage.repairs.look_again(&key, made + GRACE);
        }
        return;
    };
    let service = service.tree();
    if service::held_addresses(&service).contains(&stored.name) {
        return;
    }
    if service.get("spec").is_some_and(|spec| spec["type"] == "ExternalName") && now < made + GRACE {
        return storage.repairs.look_again(&key, made + GRACE);
    }
    let service_made = time::parse(metadata_text(&service, "creationTimestamp")).unwrap_or_default();
    if made > service_made && now < made + SETTLING {
        return storage.repairs.look_again(&key, now + SETTLING);
    }
    let note = format!("IPAddress: {name} for Service {of} has a wrong reference; cleaning up");
    clean_up(storage, "IPAddressWrongReference", note);
}

/// The object that an IPAddress is of.
struct Parent<'a> {
    group: &'a str,
    resource: &'a str,
    namespace: &'a str,
    name: &'a str,
}

impl<'a> Parent<'a> {
    fn of(address: &'a Object) -> Self {
        let parent = address.get("spec").map(|spec| &spec["parentRef"]).unwrap_or(&Value::Null);
        let text = |field: &str| parent[field].as_str().unwrap_or_default();
        Self {
            group: text("group"),
            resource: text("resource"),
            namespace: text("namespace"),
            name: text("name"),
        }
    }

    fn is_service(&self) -> bool {
        (self.group, self.resource) == ("", "services")
    }

    /// Returns the text that Go makes of it.
    fn in_go(&self) -> String {
        let Self { group, resource, namespace, name } = self;
        format!("&ParentReference{{Group:{group},Resource:{resource},Namespace:{namespace},Name:{name},}}")
    }
}

fn family(address: IpAddr) -> &'static str {
    if address.is_ipv6() { "IPv6" } else { "IPv4" }
}

fn address_key(name: &str) -> String {
    resource::find("networking.k8s.io", "ipaddresses")
        .map(|row| object_key(row, "", name))
        .unwrap_or_default()
}

fn find(storage: &Storage, group: &str, resource: &str, namespace: &str, name: &str) -> Option<Arc<Stored>> {
    let key = object_key(resource::find(group, resource)?, namespace, name);
    storage.store.get(&key).map(|entry| Arc::clone(&entry.value))
}

/// Makes the IPAddress of a Service.
fn create(storage: &mut Storage, sources: Sources<'_>, address: &str, namespace: &str, name: &str) {
    if let Some(row) = resource::find("networking.k8s.io", "ipaddresses") {
        let object = ip_address(address, namespace, name);
        loopback::create(storage, row, &object_key(row, "", address), object, sources);
    }
}

/// Makes the IPAddress of a Service in place of one of its name. If that has finalizers, it stays until they are done.
fn make_anew(storage: &mut Storage, sources: Sources<'_>, held: &Stored, namespace: &str, name: &str) {
    delete(storage, sources, held);
    create(storage, sources, &held.name, namespace, name);
}

/// Deletes an IPAddress, or begins to.
fn delete(storage: &mut Storage, sources: Sources<'_>, stored: &Stored) {
    let Some(row) = resource::find("networking.k8s.io", "ipaddresses") else { return };
    let (key, guard) = (address_key(&stored.name), Guard::ModRevision(stored.revision()));
    let options = DeleteOptions::default();
    // The lock is held: nobody else has written it.
    match begin(registry::strategy(row), &stored.tree(), &options, sources.clock.now()) {
        Deletion::Now | Deletion::MarkedThenNow(_) => drop(storage.store.delete(&key, guard)),
        Deletion::Pending => {}
        Deletion::Marked(_) if stored.is_terminating() => {}
        Deletion::Marked(marked) => {
            drop(storage.store.put(&key, guard, |revision| Arc::new(Stored::new(row, marked, revision))));
            // That is a write, too.
            storage.repairs.look_again(&key, sources.clock.now());
        }
    }
}
