//! What containers and pods ask for, and what they are held to.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/>.

use serde_json::{Map, Value};

use super::check::{Errors, each, well_formed};
use crate::defaults::{pod::needs, quantity::Quantity};
use crate::field::{Error, Path};
use crate::validation::{
    kinds::read::{at, get, list, map, text},
    name,
};

const HUGE_PAGES: &str = "hugepages-";
const OF_CONTAINERS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// What a pod as a whole may state, besides huge pages of any size.
const OF_PODS: [&str; 3] = ["cpu", "hugepages-", "memory"];
/// What is counted in whole numbers.
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
/// The other names without a prefix that are known somewhere in Kubernetes.
const STANDARD: [&str; 11] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "requests.storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
];

/// Checks the name of a resource at a place.
type NameCheck = fn(&str, &Path, &mut Errors);

/// The resources of a container; `claims` are the names of the claims of its pod.
pub(super) fn of_container(resources: &Value, claims: &[&str], path: &Path, errors: &mut Errors) {
    requirements(resources, container_resource, path, errors);
    claim_names(list(resources, "claims"), claims, &path.child("claims"), errors);
}

/// What running the pod takes besides its containers.
pub(super) fn overhead(spec: &Value, path: &Path, errors: &mut Errors) {
    if let Some(overhead) = get(spec, "overhead") {
        let resources = serde_json::json!({ "limits": overhead });
        requirements(&resources, container_resource, &path.child("overhead"), errors);
    }
}

/// The resources of a pod as a whole.
pub(super) fn of_pod(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some(resources) = get(spec, "resources") else { return };
    let path = path.child("resources");
    if get(resources, "claims").is_some() {
        let why = "claims cannot be set for Resources at pod-level";
        errors.push(Error::forbidden(&path.child("claims"), why));
    }
    requirements(resources, pod_resource, &path, errors);
    let (containers, first) = (list(spec, "containers"), list(spec, "initContainers"));
    let amount = |kind: &str, name: &str| quantity(at(resources, &format!("/{kind}")), name);
    for (name, needed) in needs(containers, first, "requests") {
        let own = amount("requests", &name);
        if own.map_or(needed.is_positive(), |own| needed.exceeds(own)) {
            let why = format!(
                "must be greater than or equal to aggregate container requests of {}",
                needed.to_text()
            );
            let own = own.map_or_else(|| "0".to_owned(), Quantity::to_text);
            errors.push(Error::invalid(&path.child("requests").key(&name), own, why));
        }
    }
    for (index, container) in containers.iter().enumerate() {
        for (name, limit) in amounts(at(container, "/resources/limits")) {
            if let Some(own) = amount("limits", name).filter(|own| limit.exceeds(*own)) {
                let path = path.child("containers").index(index).key(name).child("limits");
                let why = format!("must be less than or equal to pod limits of {}", own.to_text());
                errors.push(Error::invalid(&path, limit.to_text(), why));
            }
        }
    }
}

fn requirements(resources: &Value, check: NameCheck, path: &Path, errors: &mut Errors) {
    let (limits, requests) = (map(resources, "limits"), map(resources, "requests"));
    let (at_limits, at_requests) = (path.child("limits"), path.child("requests"));
    for (name, amount) in entries(limits) {
        value(name, amount, check, &at_limits.key(name), errors);
    }
    for (name, amount) in entries(requests) {
        let path = at_requests.key(name);
        check(name, &path, errors);
        quantity_value(name, amount, &path, errors);
        let limit = at(resources, "/limits").get(name).and_then(Value::as_str).and_then(Quantity::parse);
        let overcommit = is_native(name) && !name.starts_with(HUGE_PAGES);
        match (limit, amount) {
            (Some(limit), Some(amount)) if !amount.equals(limit) && !overcommit => {
                let why = format!("must be equal to {name} limit of {}", limit.to_text());
                errors.push(Error::invalid(&at_requests, amount.to_text(), why));
            }
            (Some(limit), Some(amount)) if amount.exceeds(limit) => {
                let why = format!("must be less than or equal to {name} limit of {}", limit.to_text());
                errors.push(Error::invalid(&at_requests, amount.to_text(), why));
            }
            (None, _) if !overcommit => {
                let why = "Limit must be set for non overcommitable resources";
                errors.push(Error::required(&at_limits, why));
            }
            _ => {}
        }
        huge_page_value(name, amount, &path, errors);
    }
    let any = |wanted: fn(&str) -> bool| {
        [limits, requests].into_iter().flatten().any(|map| map.keys().any(|name| wanted(name)))
    };
    if any(|name| name.starts_with(HUGE_PAGES)) && !any(|name| matches!(name, "cpu" | "memory")) {
        errors.push(Error::forbidden(path, "HugePages require cpu or memory"));
    }
}

fn value(name: &str, amount: Option<Quantity>, check: NameCheck, path: &Path, errors: &mut Errors) {
    check(name, path, errors);
    quantity_value(name, amount, path, errors);
    huge_page_value(name, amount, path, errors);
}

/// An amount of a resource: at least nothing, and whole where things are counted.
pub(in crate::validation::kinds) fn quantity_value(
    name: &str,
    amount: Option<Quantity>,
    path: &Path,
    errors: &mut Errors,
) {
    let Some(amount) = amount else { return };
    if Quantity::count(0).exceeds(amount) {
        errors.push(Error::invalid(path, amount.to_text(), "must be greater than or equal to 0"));
    }
    if (COUNTED.contains(&name) || is_extended(name)) && !amount.is_whole() {
        errors.push(Error::invalid(path, amount.to_text(), "must be an integer"));
    }
}

fn huge_page_value(name: &str, amount: Option<Quantity>, path: &Path, errors: &mut Errors) {
    let (Some(size), Some(amount)) = (name.strip_prefix(HUGE_PAGES), amount) else { return };
    let divisible = Quantity::parse(size).is_some_and(|size| amount.is_multiple_of(size));
    if !divisible {
        let text = amount.to_text();
        let why = format!("{text} is not positive integer multiple of {name}");
        errors.push(Error::invalid(path, text, why));
    }
}

/// A name that is known, or has a prefix. Whether it was.
fn known_resource(name: &str, path: &Path, errors: &mut Errors) -> bool {
    let before = errors.len();
    well_formed(name, name::qualified_name, path, errors);
    let is_known = STANDARD.contains(&name)
        || COUNTED.contains(&name)
        || name.starts_with(HUGE_PAGES)
        || name.contains('/');
    if errors.len() == before && !is_known {
        let why = "must be a standard resource type or fully qualified";
        errors.push(Error::invalid(path, name, why));
    }
    errors.len() == before
}

fn container_resource(name: &str, path: &Path, errors: &mut Errors) {
    known_resource(name, path, errors);
    if !name.contains('/') {
        if !OF_CONTAINERS.contains(&name) && !name.starts_with(HUGE_PAGES) {
            errors.push(Error::invalid(path, name, "must be a standard resource for containers"));
        }
    } else if !is_native(name) && !is_extended(name) {
        errors.push(Error::invalid(path, name, "doesn't follow extended resource name standard"));
    }
}

fn pod_resource(name: &str, path: &Path, errors: &mut Errors) {
    let is_known = known_resource(name, path, errors);
    if is_known && !matches!(name, "cpu" | "memory") && !name.starts_with(HUGE_PAGES) {
        errors.push(Error::not_supported(path, name, &OF_PODS));
    }
}

/// Whether the resource is one of Kubernetes' own.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether the resource is one that somebody else has added.
fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && name::qualified_name(&format!("requests.{name}")).is_empty()
}

/// The claims that a container uses, which are among those of its pod.
fn claim_names(uses: &[Value], claims: &[&str], path: &Path, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for (index, one) in uses.iter().enumerate() {
        let (path, name, request) = (path.index(index), text(one, "name"), text(one, "request"));
        if name.is_empty() {
            errors.push(Error::required(&path, ""));
            continue;
        }
        if seen.iter().any(|other| other == name) {
            errors.push(Error::duplicate(&path, name));
        } else {
            let mut key = name.to_owned();
            if !request.is_empty() {
                well_formed(request, name::label, &path.child("request"), errors);
                key = format!("{name}/{request}");
            }
            if seen.contains(&key) {
                errors.push(Error::duplicate(&path, key.as_str()));
            } else if request.is_empty() {
                let of_name = |other: &&String| other.split_once('/').is_some_and(|(first, _)| first == name);
                errors.extend(seen.iter().filter(of_name).map(|_| Error::duplicate(&path, name)));
            }
            seen.push(key);
        }
        if !claims.contains(&name) {
            let mut error = Error::not_found(&path, name);
            error.detail = "must be one of the names in pod.spec.resourceClaims".to_owned();
            if claims.is_empty() {
                error.detail.push_str(" which is empty");
            } else {
                let mut sorted: Vec<&&str> = claims.iter().collect();
                schema::sort_by(&mut sorted, Ord::cmp);
                sorted.dedup();
                for (index, claim) in sorted.into_iter().enumerate() {
                    error.detail.push_str(if index == 0 { ": " } else { ", " });
                    error.detail.push_str(claim);
                }
            }
            errors.push(error);
        }
    }
}

/// When a container restarts for a change of its resources.
pub(super) fn resize_policy(container: &Value, pod_restarts: &str, path: &Path, errors: &mut Errors) {
    let at = path.child("resizePolicy");
    let mut seen: Vec<&str> = Vec::new();
    for (policy, path) in each(container, "resizePolicy", path) {
        let (resource, restart) = (text(policy, "resourceName"), text(policy, "restartPolicy"));
        if seen.contains(&resource) {
            errors.push(Error::duplicate(&path, resource));
        }
        seen.push(resource);
        for (chosen, supported) in
            [(resource, ["cpu", "memory"]), (restart, ["NotRequired", "RestartContainer"])]
        {
            if chosen.is_empty() {
                errors.push(Error::required(&at, ""));
            } else if !supported.contains(&chosen) {
                errors.push(Error::not_supported(&at, chosen, &supported));
            }
        }
        if pod_restarts == "Never" && restart != "NotRequired" {
            let why = "must be 'NotRequired' when `restartPolicy` is 'Never'";
            errors.push(Error::invalid(&at, restart, why));
        }
    }
}

fn entries(map: Option<&Map<String, Value>>) -> impl Iterator<Item = (&str, Option<Quantity>)> {
    let amount = |(name, amount): (_, &Value)| (name, amount.as_str().and_then(Quantity::parse));
    map.into_iter().flatten().map(move |(name, value)| amount((name.as_str(), value)))
}

fn amounts(list: &Value) -> impl Iterator<Item = (&str, Quantity)> {
    entries(list.as_object()).filter_map(|(name, amount)| Some((name, amount?)))
}

fn quantity(list: &Value, name: &str) -> Option<Quantity> {
    list.get(name)?.as_str().and_then(Quantity::parse)
}
