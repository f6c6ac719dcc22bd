//! The resource usage of an object, by the names that quotas have for it.
//!
//! See <https://kubernetes.io/docs/concepts/policy/resource-quotas/#compute-resource-quota>

use std::time::Duration;

use golang::time::{Layout, parse};
use json_tree::Value;
use schema::Resource;
use schema::quantity::Quantity;

use super::Object;
use crate::amounts::{Amounts, amounts};
use crate::pod;
use crate::small_map::SmallMap;
use crate::storage_class;

/// Resources of the core group that have a name of their own in quotas, besides `count/...`.
const COUNTED: &[&str] = &[
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
];

/// Resources of which each container of a pod must state how much it uses, if a quota limits them.
const REQUIRED: &[&str] =
    &["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/// The most devices that a request for all of a class can be given.
const ALL_DEVICES: i64 = 32;
/// The suffix of what quotas limit of the devices of a class.
pub const DEVICE_CLASS: &str = ".deviceclass.resource.k8s.io/devices";
const STORAGE_CLASS: &str = ".storageclass.storage.k8s.io/";

fn is_core(resource: &Resource, name: &str) -> bool {
    resource.storage.group.is_empty() && resource.storage.resource == name
}

fn count_name(resource: &Resource) -> String {
    let storage = &resource.storage;
    let dot = if storage.group.is_empty() { "" } else { "." };
    format!("count/{}{dot}{}", storage.resource, storage.group)
}

/// Reports whether objects of the resource use what a quota limits by `name`.
pub fn covers(resource: &Resource, name: &str) -> bool {
    if name == count_name(resource) || COUNTED.contains(&name) && is_core(resource, name) {
        return true;
    }
    let compute = |name: &str| matches!(name, "cpu" | "memory" | "ephemeral-storage");
    if is_core(resource, "pods") {
        let qualified = name.strip_prefix("requests.").filter(|rest| *rest != "storage");
        return compute(name)
            || name.starts_with("hugepages-")
            || qualified.is_some_and(|rest| compute(rest) || rest.contains(['/', '-']))
            || name.strip_prefix("limits.").is_some_and(compute);
    }
    if is_core(resource, "services") {
        return matches!(name, "services.nodeports" | "services.loadbalancers");
    }
    if is_claim_of_devices(resource) {
        return name.ends_with(DEVICE_CLASS);
    }
    is_core(resource, "persistentvolumeclaims")
        && (name == "requests.storage" || name.contains(STORAGE_CLASS))
}

/// Returns the usage of the object. A pod that has ended at `now` is only counted.
pub fn of(resource: &Resource, object: &Object, now: Duration) -> Amounts {
    let one = || Quantity::count(1);
    let mut amounts = Amounts::new();
    amounts.insert(count_name(resource), one());
    if is_core(resource, "pods") && has_ended(object, now) {
        return amounts;
    }
    let spec = object.get("spec").unwrap_or(&Value::Null);
    for name in COUNTED.iter().filter(|name| is_core(resource, name)) {
        amounts.insert((*name).to_owned(), one());
    }
    if is_core(resource, "pods") {
        amounts.extend(
            compute(&pod::resources(spec, "requests"), &pod::resources(spec, "limits")).into_entries(),
        );
    } else if is_core(resource, "services") {
        amounts.extend(service(spec).into_entries());
    } else if is_core(resource, "persistentvolumeclaims") {
        amounts.extend(claim(object, spec).into_entries());
    } else if is_claim_of_devices(resource) {
        amounts.extend(devices(spec).into_entries());
    }
    amounts
}

/// Reports whether a pod has ended, or should have by now: its node may be lost.
fn has_ended(pod: &Object, now: Duration) -> bool {
    let phase = pod.get("status").map_or("", |status| status.text("phase"));
    let metadata = |field: &str| pod.get("metadata").and_then(|metadata| metadata.get(field));
    let deleted = metadata("deletionTimestamp").and_then(Value::as_str);
    let deleted = deleted.and_then(|text| parse(Layout::Rfc3339, text).ok()?.since_epoch());
    let grace = metadata("deletionGracePeriodSeconds").and_then(Value::as_u64);
    matches!(phase, "Succeeded" | "Failed")
        || deleted.zip(grace).is_some_and(|(end, grace)| now > end.saturating_add(Duration::from_secs(grace)))
}

/// Returns the items of a list; none if there is none.
fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Reports whether objects of the resource are claims of devices.
pub fn is_claim_of_devices(resource: &Resource) -> bool {
    let storage = &resource.storage;
    storage.group == "resource.k8s.io" && storage.resource == "resourceclaims"
}

/// Returns the devices that a claim may be given, by their classes: of alternatives the most of each class.
fn devices(spec: &Value) -> Amounts {
    let count = |of: &Value| match of["allocationMode"].as_str() {
        Some("ExactCount") => of["count"].as_i64().unwrap_or_default(),
        Some("All") => ALL_DEVICES,
        _ => 0,
    };
    let asked = |of: &Value| (of.text("deviceClassName").to_owned(), count(of));
    let mut amounts = Amounts::new();
    for request in list(&spec["devices"], "requests") {
        let alternatives = list(request, "firstAvailable");
        let mut most = SmallMap::<String, i64>::new();
        for (class, count) in alternatives.iter().map(asked).filter(|(_, count)| *count > 0) {
            let before = most.get(&class).copied().unwrap_or_default();
            most.insert(class, count.max(before));
        }
        if alternatives.is_empty() && !request["exactly"].is_null() {
            let (class, count) = asked(&request["exactly"]);
            most.insert(class, count);
        }
        for (class, count) in most.into_entries() {
            let (name, count) = (class + DEVICE_CLASS, Quantity::count(count));
            let sum = amounts.get(&name).map(|amount| amount.plus(&count));
            amounts.insert(name, sum.unwrap_or(count));
        }
    }
    amounts
}

fn compute(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut amounts = Amounts::new();
    for (name, amount) in requests.entries() {
        if !name.contains('/') {
            amounts.insert(name.clone(), amount.clone());
        }
        amounts.insert(format!("requests.{name}"), amount.clone());
    }
    amounts.extend(limits.entries().iter().map(|(name, amount)| (format!("limits.{name}"), amount.clone())));
    amounts
}

fn service(spec: &Value) -> Amounts {
    let ports = spec.get("ports").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let bound = ports.iter().filter(|port| port["nodePort"].as_i64().is_some_and(|port| port != 0)).count();
    let (nodes, balancers) = match spec.get("type").and_then(Value::as_str) {
        Some("NodePort") => (ports.len(), 0),
        Some("LoadBalancer") if spec["allocateLoadBalancerNodePorts"] == false => (bound, 1),
        Some("LoadBalancer") => (ports.len(), 1),
        _ => (0, 0),
    };
    let count = |number: usize| Quantity::count(i64::try_from(number).unwrap_or(i64::MAX));
    let mut amounts = Amounts::new();
    amounts.insert("services.nodeports".to_owned(), count(nodes));
    amounts.insert("services.loadbalancers".to_owned(), count(balancers));
    amounts
}

/// Returns the usage of a claim: what it asks for, or was given if that is more.
fn claim(object: &Object, spec: &Value) -> Amounts {
    let class = storage_class::named(object).filter(|class| !class.is_empty());
    let amount = |holder: Option<&Value>, pointer: &str| {
        holder.and_then(|holder| holder.pointer(pointer)).and_then(Quantity::of)
    };
    let given = amount(object.get("status"), "/allocatedResources/storage");
    let asked = amount(Some(spec), "/resources/requests/storage");
    let storage = match (asked, given) {
        (Some(asked), Some(given)) => Some(asked.max(&given)),
        (asked, _) => asked,
    };
    let mut amounts = Amounts::new();
    if let Some(class) = class {
        amounts.insert(format!("{class}{STORAGE_CLASS}persistentvolumeclaims"), Quantity::count(1));
    }
    if let Some(storage) = storage {
        amounts.insert("requests.storage".to_owned(), storage.clone());
        if let Some(class) = class {
            amounts.insert(format!("{class}{STORAGE_CLASS}requests.storage"), storage);
        }
    }
    amounts
}

/// Returns the resources that a quota limits but containers of a pod do not state:
/// `requests.cpu for: a,b; limits.cpu for: b`.
pub fn missing(resource: &Resource, object: &Object, restricted: &[&str]) -> Option<String> {
    let required: Vec<&&str> = restricted.iter().filter(|name| REQUIRED.contains(name)).collect();
    let spec = object.get("spec").filter(|_| is_core(resource, "pods") && !required.is_empty())?;
    let list = |field: &str| spec.get(field).and_then(Value::as_array).into_iter().flatten();
    let mut missing: Vec<(&str, Vec<&str>)> = required.iter().map(|name| (**name, Vec::new())).collect();
    for container in list("containers").chain(list("initContainers")) {
        let stated = |kind: &str| amounts(container.get("resources").and_then(|own| own.get(kind)));
        let own = compute(&stated("requests"), &stated("limits"));
        let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
        for (resource, names) in &mut missing {
            if !own.contains_key(*resource) {
                names.push(name);
            }
        }
    }
    let one = |(resource, mut names): (&str, Vec<&str>)| {
        schema::sort_by(&mut names, Ord::cmp);
        format!("{resource} for: {}", names.join(","))
    };
    let all: Vec<String> = missing.into_iter().filter(|(_, names)| !names.is_empty()).map(one).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
