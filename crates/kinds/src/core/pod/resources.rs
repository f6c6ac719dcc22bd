//! Validation of the resource requests and limits of containers and pods.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/>.

use std::collections::{HashMap, HashSet};

use apimachinery::pod::needs;
use json_tree::Value;
use schema::quantity::Quantity;

use super::check::{Errors, each, well_formed};
use crate::core::resource_names;
use crate::validation::name;
use crate::validation::read::{at, get, list, map, text};
use field::{AddError, Error, Path};

const HUGE_PAGES: &str = "hugepages-";
/// The resources that can be stated at pod level, besides huge pages of any size.
const OF_PODS: [&str; 3] = ["cpu", "hugepages-", "memory"];
/// Checks the name of a resource at a place.
type NameCheck = fn(&str, &Path) -> Vec<Error>;

/// The resources of a container; `claims` are the names of the claims of its pod.
pub(super) fn of_container(resources: &Value, claims: &[&str], path: &Path, errors: &mut Errors) {
    requirements(resources, resource_names::of_container, path, errors);
    claim_names(list(resources, "claims"), claims, &path.child("claims"), errors);
}

/// Validates the overhead: the resources that running the pod takes besides its containers.
pub(crate) fn overhead(spec: &Value, path: &Path, errors: &mut Errors) {
    if let Some(overhead) = get(spec, "overhead") {
        let resources = json_tree::json!({ "limits": overhead });
        requirements(&resources, resource_names::of_container, &path.child("overhead"), errors);
    }
}

/// The resources of a pod as a whole; `claims` are the names of its claims.
pub(super) fn of_pod(spec: &Value, claims: &[&str], path: &Path, errors: &mut Errors) {
    let Some(resources) = get(spec, "resources") else { return };
    let path = path.child("resources");
    if text(at(spec, "/os"), "name") == "windows" {
        errors.forbidden(&path, "may not be set for a windows pod");
        return;
    }
    let at_claims = path.child("claims");
    if get(resources, "claims").is_some() {
        let why = "claims may not be set for Resources at pod-level";
        errors.forbidden(&at_claims, why);
    }
    requirements(resources, pod_resource, &path, errors);
    claim_names(list(resources, "claims"), claims, &at_claims, errors);
    let (containers, first) = (list(spec, "containers"), list(spec, "initContainers"));
    let amount = |kind: &str, name: &str| quantity(at(resources, &format!("/{kind}")), name);
    for kind in ["requests", "limits"] {
        for (name, needed) in needs(containers, first, kind) {
            // The containers together are held to the pod's limit only where they cannot share.
            let compared = kind == "requests" || name.starts_with(HUGE_PAGES);
            if let Some(own) = amount(kind, &name).filter(|own| compared && needed.exceeds(own)) {
                let needed = needed.to_string();
                let why = format!("must be greater than or equal to aggregate container {kind} of {needed}");
                errors.invalid(path.child(kind).key(&name), own.to_string(), why);
            }
        }
    }
    for (index, container) in containers.iter().enumerate() {
        for (name, limit) in amounts(at(container, "/resources/limits")) {
            if let Some(own) = amount("limits", name).filter(|own| limit.exceeds(own)) {
                let path = path.child("containers").index(index).key(name).child("limits");
                let why = format!("must be less than or equal to pod limits of {own}");
                errors.invalid(&path, limit.to_string(), why);
            }
        }
    }
}

fn requirements(resources: &Value, check: NameCheck, path: &Path, errors: &mut Errors) {
    let (limits, requests) = (map(resources, "limits"), map(resources, "requests"));
    let (at_limits, at_requests) = (path.child("limits"), path.child("requests"));
    for (name, value) in limits.into_iter().flatten() {
        let path = at_limits.key(name);
        errors.extend(check(name, &path));
        errors.extend(resource_names::amount(name, value, &path));
        huge_page_value(name, Quantity::of(value), &path, errors);
    }
    for (name, value) in requests.into_iter().flatten() {
        let (path, amount) = (at_requests.key(name), Quantity::of(value));
        errors.extend(check(name, &path));
        errors.extend(resource_names::amount(name, value, &path));
        let limit = at(resources, "/limits").get(name).and_then(Quantity::of);
        let overcommit = resource_names::may_overcommit(name);
        match (limit, &amount) {
            (Some(limit), Some(amount)) if *amount != limit && !overcommit => {
                let why = format!("must be equal to {name} limit of {limit}");
                errors.invalid(&at_requests, amount.to_string(), why);
            }
            (Some(limit), Some(amount)) if amount.exceeds(&limit) => {
                let why = format!("must be less than or equal to {name} limit of {limit}");
                errors.invalid(&at_requests, amount.to_string(), why);
            }
            (None, _) if !overcommit => {
                let why = "Limit must be set for non overcommitable resources";
                errors.required(&at_limits, why);
            }
            _ => {}
        }
        huge_page_value(name, amount, &path, errors);
    }
    let any = |wanted: fn(&str) -> bool| {
        [limits, requests].into_iter().flatten().any(|map| map.keys().any(|name| wanted(name)))
    };
    if any(|name| name.starts_with(HUGE_PAGES)) && !any(|name| matches!(name, "cpu" | "memory")) {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
}

fn huge_page_value(name: &str, amount: Option<Quantity>, path: &Path, errors: &mut Errors) {
    let (Some(size), Some(amount)) = (name.strip_prefix(HUGE_PAGES), amount) else { return };
    let divisible = Quantity::parse(size).is_ok_and(|size| amount.is_multiple_of(&size));
    if !divisible {
        let text = amount.to_string();
        let why = format!("{text} is not positive integer multiple of {name}");
        errors.invalid(path, text, why);
    }
}

fn pod_resource(name: &str, path: &Path) -> Vec<Error> {
    let mut errors = resource_names::any(name, path);
    if errors.is_empty() && !is_of_pod(name) {
        errors.not_supported(path, name, &OF_PODS);
    }
    errors
}

/// Returns whether the resource can be stated at pod level.
fn is_of_pod(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with(HUGE_PAGES)
}

/// The claims that a container uses, which are among those of its pod.
fn claim_names(uses: &[Value], claims: &[&str], path: &Path, errors: &mut Errors) {
    let mut seen: HashSet<String> = HashSet::new();
    // How many requests of each claim are used by name.
    let mut parts: HashMap<String, usize> = HashMap::new();
    for (index, one) in uses.iter().enumerate() {
        let (path, name, request) = (path.index(index), text(one, "name"), text(one, "request"));
        if name.is_empty() {
            errors.required(&path, "");
            continue;
        }
        if seen.contains(name) {
            errors.duplicate(&path, name);
        } else {
            let mut key = name.to_owned();
            if !request.is_empty() {
                well_formed(request, name::label, &path.child("request"), errors);
                key = format!("{name}/{request}");
            }
            if seen.contains(&key) {
                errors.duplicate(&path, key.as_str());
            } else if request.is_empty() {
                let requests = parts.get(name).copied().unwrap_or_default();
                errors.extend((0..requests).map(|_| Error::duplicate(&path, name)));
            }
            if let Some((first, _)) = key.split_once('/') {
                *parts.entry(first.to_owned()).or_insert(0) += 1;
            }
            seen.insert(key);
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
    let mut seen: HashSet<&str> = HashSet::new();
    for (policy, path) in each(container, "resizePolicy", path) {
        let (resource, restart) = (text(policy, "resourceName"), text(policy, "restartPolicy"));
        if seen.contains(&resource) {
            errors.duplicate(&path, resource);
        }
        seen.insert(resource);
        for (chosen, supported) in
            [(resource, ["cpu", "memory"]), (restart, ["NotRequired", "RestartContainer"])]
        {
            if chosen.is_empty() {
                errors.required(&at, "");
            } else if !supported.contains(&chosen) {
                errors.not_supported(&at, chosen, &supported);
            }
        }
        if pod_restarts == "Never" && restart != "NotRequired" {
            let why = "must be 'NotRequired' when `restartPolicy` is 'Never'";
            errors.invalid(&at, restart, why);
        }
    }
}

fn amounts(list: &Value) -> impl Iterator<Item = (&str, Quantity)> {
    let amounts = list.as_object().into_iter().flatten();
    amounts.filter_map(|(name, value)| Some((name.as_str(), Quantity::of(value)?)))
}

fn quantity(list: &Value, name: &str) -> Option<Quantity> {
    Quantity::of(list.get(name)?)
}
