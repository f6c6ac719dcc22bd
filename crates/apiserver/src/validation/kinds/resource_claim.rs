//! ResourceClaim, ResourceClaimTemplate and DeviceClass, but for what their expressions mean.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>.

use std::collections::HashSet;

use json_tree::Value;

use super::checks::{driver_name, named, required_choice, required_name, texts};
use super::node_selector;
use super::read::{at, get, integer, list, map, same, text};
use crate::validation::{internal, metadata, name};
use field::{Error, Path};

const PACKAGE: &str = "k8s.io/api/resource/v1";
const MAX_ITEMS: usize = 32;
const MAX_FIRST: usize = 8;
const MAX_EXPRESSION: usize = 10 * 1024;
const MAX_PARAMETERS: usize = 10 * 1024;
const MAX_RESERVED: usize = 256;
const MAX_POOL: usize = 253;
const ALLOCATION_MODES: [&str; 2] = ["All", "ExactCount"];
const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];
const NO_REQUEST: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/// What is wrong with a claim.
pub(super) fn create(object: &Value) -> Vec<Error> {
    devices(at(object, "/spec/devices"), &Path::new("spec").child("devices"))
}

/// What is wrong with a changed claim: what it asks for stays.
pub(super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    spec_changed(object, old, "ResourceClaimSpec").into_iter().collect()
}

/// What is wrong with a template of claims.
pub(super) fn create_template(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    for field in ["annotations", "labels"] {
        let Some(entries) = map(at(spec, "/metadata"), field) else { continue };
        let at = path.child("metadata").child(field);
        errors.extend(match field {
            "labels" => metadata::labels(entries, &at),
            _ => metadata::annotations(entries, &at),
        });
    }
    errors.extend(devices(at(spec, "/spec/devices"), &path.child("spec").child("devices")));
    errors
}

/// What is wrong with a changed template: it may not change.
pub(super) fn update_template(object: &Value, old: &Value) -> Vec<Error> {
    spec_changed(object, old, "ResourceClaimTemplateSpec").into_iter().collect()
}

fn spec_changed(object: &Value, old: &Value, ty: &str) -> Option<Error> {
    if same(get(object, "spec"), get(old, "spec")) {
        return None;
    }
    let value = internal::form(PACKAGE, ty, at(object, "/spec"));
    Some(Error::invalid(&Path::new("spec"), value, "field is immutable"))
}

/// What is wrong with a class of devices.
pub(super) fn create_class(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = selectors(spec, &path);
    errors.extend(too_many(list(spec, "config"), MAX_ITEMS, &path.child("config")));
    for (index, config) in list(spec, "config").iter().enumerate() {
        errors.extend(configuration(config, &path.child("config").index(index)));
    }
    errors
}

/// What is wrong with a changed class.
pub(super) fn update_class(object: &Value, _: &Value) -> Vec<Error> {
    create_class(object)
}

fn too_many(items: &[Value], max: usize, path: &Path) -> Option<Error> {
    (items.len() > max).then(|| Error::too_many(path, items.len(), max))
}

/// The errors of names that come twice.
pub(super) fn duplicates(items: &[Value], path: &Path) -> Vec<Error> {
    let mut seen = HashSet::new();
    let twice = items.iter().enumerate().filter(|(_, item)| !seen.insert(text(item, "name")));
    twice.map(|(index, item)| Error::duplicate(&path.index(index), text(item, "name"))).collect()
}

fn devices(of: &Value, path: &Path) -> Vec<Error> {
    let (requests, at_requests) = (list(of, "requests"), path.child("requests"));
    let mut errors: Vec<Error> = too_many(requests, MAX_ITEMS, &at_requests).into_iter().collect();
    for (index, one) in requests.iter().enumerate() {
        errors.extend(request(one, &at_requests.index(index)));
    }
    errors.extend(duplicates(requests, &at_requests));
    for (field, rule) in
        [("constraints", constraint as fn(&Value, &Path) -> Vec<Error>), ("config", configuration)]
    {
        let (items, path) = (list(of, field), path.child(field));
        errors.extend(too_many(items, MAX_ITEMS, &path));
        for (index, one) in items.iter().enumerate() {
            let path = path.index(index);
            errors.extend(references(one, requests, &path.child("requests")));
            errors.extend(rule(one, &path));
        }
    }
    errors
}

fn request(of: &Value, path: &Path) -> Vec<Error> {
    const ONE: &str = "exactly one of `exactly` or `firstAvailable` is required";
    let mut errors = named(text(of, "name"), name::label, &path.child("name"));
    let (first, at_first) = (list(of, "firstAvailable"), path.child("firstAvailable"));
    match (get(of, "exactly"), first.is_empty()) {
        (None, true) => errors.push(Error::required(path, ONE)),
        (Some(_), false) => {
            let why = format!("{ONE}, but multiple fields are set");
            errors.push(Error::invalid(path, Value::Null, why));
        }
        (Some(exactly), true) => errors.extend(exact(exactly, &path.child("exactly"))),
        (None, false) => {
            errors.extend(too_many(first, MAX_FIRST, &at_first));
            for (index, one) in first.iter().enumerate() {
                let path = at_first.index(index);
                errors.extend(named(text(one, "name"), name::label, &path.child("name")));
                errors.extend(exact(one, &path));
            }
            errors.extend(duplicates(first, &at_first));
        }
    }
    errors
}

fn exact(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = required_name(of, "deviceClassName", name::subdomain, path);
    errors.extend(selectors(of, path));
    let (mode, count) = (text(of, "allocationMode"), integer(of, "count").unwrap_or_default());
    let at_count = path.child("count");
    match mode {
        "All" if count != 0 => {
            let why = "must not be specified when allocationMode is 'All'";
            errors.push(Error::invalid(&at_count, count, why));
        }
        "ExactCount" if count <= 0 => {
            errors.push(Error::invalid(&at_count, count, "must be greater than zero"));
        }
        "All" | "ExactCount" => {}
        _ => {
            let at = path.child("allocationMode");
            errors.push(Error::not_supported(&at, mode, &ALLOCATION_MODES));
        }
    }
    for (index, one) in list(of, "tolerations").iter().enumerate() {
        errors.extend(toleration(one, &path.child("tolerations").index(index)));
    }
    errors
}

fn selectors(of: &Value, path: &Path) -> Vec<Error> {
    let (selectors, path) = (list(of, "selectors"), path.child("selectors"));
    let mut errors: Vec<Error> = too_many(selectors, MAX_ITEMS, &path).into_iter().collect();
    for (index, selector) in selectors.iter().enumerate() {
        let path = path.index(index).child("cel");
        match get(selector, "cel") {
            None => errors.push(Error::required(&path, "")),
            Some(cel) if text(cel, "expression").len() > MAX_EXPRESSION => {
                errors.push(Error::too_long(&path.child("expression"), MAX_EXPRESSION));
            }
            Some(_) => {}
        }
    }
    errors
}

fn toleration(of: &Value, path: &Path) -> Vec<Error> {
    let (key, value, effect) = (text(of, "key"), text(of, "value"), text(of, "effect"));
    let mut errors = Vec::new();
    if !key.is_empty() {
        errors.extend(named(key, name::qualified_name, &path.child("key")));
    }
    match text(of, "operator") {
        "Exists" if !value.is_empty() => {
            let why = "must be empty for operator `Exists`";
            errors.push(Error::invalid(&path.child("value"), value, why));
        }
        "Exists" => {}
        "Equal" => {
            if key.is_empty() {
                errors.push(Error::required(&path.child("key"), ""));
            }
            errors.extend(named(value, name::label_value, &path.child("value")));
        }
        _ => errors.extend(required_choice(of, "operator", &["Equal", "Exists"], path)),
    }
    if !effect.is_empty() {
        errors.extend(required_choice(of, "effect", &EFFECTS, path));
    }
    errors
}

/// What is wrong with the names of requests that something else is about.
fn references(of: &Value, requests: &[Value], path: &Path) -> Vec<Error> {
    let names = texts(of, "requests");
    let mut errors = Vec::new();
    if names.len() > MAX_ITEMS {
        errors.push(Error::too_many(path, names.len(), MAX_ITEMS));
    }
    for (index, this) in names.iter().enumerate() {
        errors.extend(reference(this, requests, &path.index(index)));
    }
    let twice = names.iter().enumerate().filter(|(index, this)| names[..*index].contains(this));
    errors.extend(twice.map(|(index, this)| Error::duplicate(&path.index(index), *this)));
    errors
}

fn reference(this: &str, requests: &[Value], path: &Path) -> Vec<Error> {
    let (outer, inner) = match this.split_once('/') {
        Some((_, rest)) if rest.contains('/') => return vec![Error::invalid(path, this, NO_REQUEST)],
        Some((outer, inner)) => (outer, Some(inner)),
        None => (this, None),
    };
    let mut errors = named(outer, name::label, path);
    errors.extend(inner.map(|inner| named(inner, name::label, path)).unwrap_or_default());
    let found = requests.iter().any(|request| {
        let parts = list(request, "firstAvailable");
        text(request, "name") == outer
            && inner.is_none_or(|inner| parts.iter().any(|part| text(part, "name") == inner))
    });
    if !found {
        errors.push(Error::invalid(path, this, NO_REQUEST));
    }
    errors
}

fn constraint(of: &Value, path: &Path) -> Vec<Error> {
    for field in ["matchAttribute", "distinctAttribute"] {
        if let Some(attribute) = get(of, field).and_then(Value::as_str) {
            return attribute_name(attribute, &path.child(field));
        }
    }
    let why =
        "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
    vec![Error::required(path, why)]
}

/// What is wrong with the name of an attribute with the domain that it is from.
fn attribute_name(attribute: &str, path: &Path) -> Vec<Error> {
    match attribute.split_once('/') {
        _ if attribute.is_empty() => vec![Error::required(path, "")],
        None => vec![Error::invalid(path, attribute, "must include a domain")],
        Some((domain, id)) => {
            let mut errors = Vec::new();
            if domain.is_empty() {
                errors.push(Error::invalid(path, domain, "the domain must not be empty"));
            } else {
                errors.extend(named(domain, name::subdomain, path));
            }
            if id.is_empty() {
                errors.push(Error::invalid(path, id, "the name must not be empty"));
            }
            errors
        }
    }
}

fn configuration(of: &Value, path: &Path) -> Vec<Error> {
    let path = path.child("opaque");
    let Some(opaque) = get(of, "opaque") else { return vec![Error::required(&path, "")] };
    let mut errors = driver_name(text(opaque, "driver"), &path.child("driver"));
    let at = path.child("parameters");
    match get(opaque, "parameters") {
        None => errors.push(Error::required(&at, "")),
        Some(parameters) => {
            let bytes = codec::json::to_vec(parameters);
            if bytes.len() > MAX_PARAMETERS {
                errors.push(Error::too_long(&at, MAX_PARAMETERS));
            } else if !parameters.is_object() {
                let value = String::from_utf8_lossy(&bytes).into_owned();
                errors.push(Error::invalid(&at, value, "must be a valid JSON object"));
            }
        }
    }
    errors
}

/// What is wrong with the status of a claim: what was allocated, and for whom.
pub(super) fn update_status(object: &Value, old: &Value) -> Vec<Error> {
    let (status, was, path) = (at(object, "/status"), at(old, "/status"), Path::new("status"));
    let (reserved, at_reserved) = (list(status, "reservedFor"), path.child("reservedFor"));
    let mut errors: Vec<Error> = too_many(reserved, MAX_RESERVED, &at_reserved).into_iter().collect();
    for (index, user) in reserved.iter().enumerate() {
        let fields = ["resource", "name", "uid"];
        errors.extend(super::checks::required(user, &fields, &at_reserved.index(index)));
    }
    let (allocation, at_allocation) = (get(status, "allocation"), path.child("allocation"));
    let terminating = get(at(object, "/metadata"), "deletionTimestamp").is_some();
    let before = list(was, "reservedFor");
    if !reserved.is_empty() && allocation.is_none() {
        let why = "may not be specified when `allocated` is not set";
        errors.push(Error::forbidden(&at_reserved, why));
    } else if terminating && reserved.iter().any(|user| !before.contains(user)) {
        let why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
        errors.push(Error::forbidden(&at_reserved, why));
    }
    match (allocation, get(was, "allocation")) {
        (Some(new), Some(old)) if !same(Some(new), Some(old)) => {
            let value = internal::form(PACKAGE, "AllocationResult", new);
            errors.push(Error::invalid(&at_allocation, value, "field is immutable"));
        }
        (Some(allocation), None) => {
            let requests = list(at(object, "/spec/devices"), "requests");
            errors.extend(allocated(allocation, requests, &at_allocation));
        }
        _ => {}
    }
    errors
}

fn allocated(of: &Value, requests: &[Value], path: &Path) -> Vec<Error> {
    let results = list(at(of, "/devices"), "results");
    let at_results = path.child("devices").child("results");
    let mut errors: Vec<Error> = too_many(results, MAX_ITEMS, &at_results).into_iter().collect();
    for (index, result) in results.iter().enumerate() {
        let path = at_results.index(index);
        errors.extend(reference(text(result, "request"), requests, &path.child("request")));
        errors.extend(driver_name(text(result, "driver"), &path.child("driver")));
        errors.extend(pool_name(text(result, "pool"), &path.child("pool")));
        errors.extend(named(text(result, "device"), name::label, &path.child("device")));
    }
    if let Some(selector) = get(of, "nodeSelector") {
        errors.extend(node_selector::validate(selector, &path.child("nodeSelector")));
    }
    errors
}

/// What is wrong with the name of a pool of devices, which has parts like a path.
pub(super) fn pool_name(pool: &str, path: &Path) -> Vec<Error> {
    if pool.is_empty() {
        return vec![Error::required(path, "")];
    }
    let mut errors = Vec::new();
    if pool.len() > MAX_POOL {
        errors.push(Error::too_long(path, MAX_POOL));
    }
    errors.extend(pool.split('/').flat_map(|part| named(part, name::subdomain, path)));
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::kinds::check as check_errors;

    #[track_caller]
    fn check(devices: impl Into<Value>, expected: &str) {
        check_errors(&create(&json!({"spec": {"devices": devices.into()}})), expected);
    }

    fn one(name: &str) -> Value {
        json!({"name": name, "exactly": {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}})
    }

    #[test]
    fn requests() {
        check(json!({"requests": [one("a"), one("b")]}), "");
        check(json!({"requests": [one("a"), one("a")]}), "spec.devices.requests[1]: Duplicate value: \"a\"");
        check(
            json!({"requests": [{"name": "a"}, {"name": "b", "exactly": {"allocationMode": "All", "count": 1,
                "selectors": [{}]}}]}),
            "[spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required, \
             spec.devices.requests[1].exactly.deviceClassName: Required value, \
             spec.devices.requests[1].exactly.selectors[0].cel: Required value, \
             spec.devices.requests[1].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All']",
        );
    }

    #[test]
    fn references_to_requests() {
        check(
            json!({"requests": [one("a")], "constraints": [{"requests": ["b"], "matchAttribute": "x.io/y"}]}),
            "spec.devices.constraints[0].requests[0]: Invalid value: \"b\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
        );
        check(
            json!({"requests": [one("a")], "config": [{"requests": ["a"], "opaque": {"driver": "d"}}]}),
            "spec.devices.config[0].opaque.parameters: Required value",
        );
    }

    #[test]
    fn statuses() {
        check_errors(
            &update_status(
                &json!({"status": {"reservedFor": [{"resource": "pods", "name": "p"}]}}),
                &json!({}),
            ),
            "[status.reservedFor[0].uid: Required value, status.reservedFor: Forbidden: may not be specified when `allocated` is not set]",
        );
    }
}
