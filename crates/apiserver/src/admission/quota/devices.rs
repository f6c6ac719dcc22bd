//! Devices that count as extended resources too: a claim uses what its classes stand for.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource>

use json_tree::Value;
use schema::Resource;

use super::usage::{self, DEVICE_CLASS};
use crate::defaults::quantity::Amounts;
use crate::object::{self, Object, metadata_text};
use crate::storage::Storage;
use crate::stored;
use schema::quantity::Quantity;

/// The prefix of what quotas limit of extended resources.
const REQUESTS: &str = "requests.";
/// The prefix of the extended resource that each class is, whatever it says.
const OF_CLASS: &str = "deviceclass.resource.kubernetes.io/";
/// The annotation of the claims that the scheduler makes for pods which ask for extended resources.
const MADE_FOR_POD: &str = "resource.kubernetes.io/extended-resource-claim";

/// Reports whether `name` limits an extended resource that a class of devices stands for.
pub(super) fn covers(storage: &Storage, name: &str) -> bool {
    let Some(resource) = name.strip_prefix(REQUESTS) else { return false };
    match resource.strip_prefix(OF_CLASS) {
        Some(class) => find(storage, "resource.k8s.io", "deviceclasses", "", class).is_some(),
        None => resource.contains('/') && has_class(storage, resource),
    }
}

/// Adds the extended resources that a claim of devices uses, less what its pod is counted for.
pub(super) fn add_extended(storage: &Storage, namespace: &str, claim: &Object, amounts: &mut Amounts) {
    let counted = pod_of(storage, namespace, claim).unwrap_or_default();
    let mut extended = Amounts::new();
    for (name, amount) in amounts.entries() {
        let Some(class) = name.strip_suffix(DEVICE_CLASS).filter(|class| !class.is_empty()) else { continue };
        extended.insert([REQUESTS, OF_CLASS, class].concat(), amount.clone());
        let found = find(storage, "resource.k8s.io", "deviceclasses", "", class);
        if let Some(resource) = found.as_ref().and_then(extended_resource) {
            extended.insert([REQUESTS, resource].concat(), amount.clone());
        }
    }
    for (name, amount) in extended.into_entries() {
        let rest = counted.get(&name).map_or_else(|| amount.clone(), |counted| amount.minus(counted));
        if rest.exceeds(&Quantity::count(0)) {
            amounts.insert(name, rest);
        }
    }
}

fn has_class(storage: &Storage, resource: &str) -> bool {
    let Some(row) = row("resource.k8s.io", "deviceclasses") else { return false };
    let classes = store::KeyRange::prefix(&stored::collection_key(row, ""));
    storage.store.range(&classes).any(|class| extended_resource(&class.value.tree()) == Some(resource))
}

fn extended_resource(class: &Object) -> Option<&str> {
    class.get("spec")?.get("extendedResourceName")?.as_str().filter(|name| !name.is_empty())
}

/// Returns what the pod is counted for that a claim was made for by the scheduler.
fn pod_of(storage: &Storage, namespace: &str, claim: &Object) -> Option<Amounts> {
    let made = object::metadata(claim, "annotations")?.get(MADE_FOR_POD)?;
    let owners = object::metadata(claim, "ownerReferences")?.as_array()?;
    let owner = owners.iter().find(|owner| owner["controller"] == Value::Bool(true))?;
    if made != "true" || owner["kind"] != "Pod" || owner["apiVersion"] != "v1" {
        return None;
    }
    let pod = find(storage, "", "pods", namespace, owner["name"].as_str()?)?;
    let claimed =
        pod.get("status").and_then(|status| status.pointer("/extendedResourceClaimStatus/resourceClaimName"));
    let is_own = claimed.is_none_or(|claimed| claimed == metadata_text(claim, "name"));
    let is_owner = owner["uid"] == metadata_text(&pod, "uid");
    (is_own && is_owner).then(|| row("", "pods").map(|row| usage::of(row, &pod)))?
}

fn row(group: &str, name: &str) -> Option<&'static Resource> {
    schema::resources().iter().map(AsRef::as_ref).find(|row| row.group == group && row.name == name)
}

fn find(storage: &Storage, group: &str, resource: &str, namespace: &str, name: &str) -> Option<Object> {
    let key = stored::object_key(row(group, resource)?, namespace, name);
    Some(storage.store.get(&key)?.value.tree())
}
