//! Validation that ResourceClaims and ResourceClaimTemplates have in common: requests for devices, and what goes with them.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>.

use json_tree::Value;

use crate::resource::device::{DEVICE_EFFECTS, MAX_ITEMS, PACKAGE, configuration, qualified_name, selectors};
use crate::validation::checks::{distinct, duplicates, each, named, required_choice, required_name, texts};
use crate::validation::read::{at, get, integer, list, same, text};
use crate::validation::{internal, name};
use field::{AddError, Error, Path};

const MAX_FIRST: usize = 8;

const ALLOCATION_MODES: [&str; 2] = ["All", "ExactCount"];

const NO_REQUEST: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/// Returns the error of a spec, of this Go type, that has changed.
pub(super) fn spec_changed(object: &Value, old: &Value, ty: &str) -> Option<Error> {
    if same(get(object, "spec"), get(old, "spec")) {
        return None;
    }
    let value = internal::form(PACKAGE, ty, at(object, "/spec"));
    Some(Error::invalid(Path::new("spec"), value, "field is immutable"))
}

/// Validates the devices that a claim asks for.
pub(super) fn devices(of: &Value, path: &Path) -> Vec<Error> {
    let requests = list(of, "requests");
    let mut errors = distinct(requests, MAX_ITEMS, "name", &path.child("requests"), request);
    for (field, rule) in
        [("constraints", constraint as fn(&Value, &Path) -> Vec<Error>), ("config", configuration)]
    {
        errors.extend(each(list(of, field), MAX_ITEMS, &path.child(field), |one, path| {
            let mut errors = references(one, requests, &path.child("requests"));
            errors.extend(rule(one, path));
            errors
        }));
    }
    errors
}

fn request(of: &Value, path: &Path) -> Vec<Error> {
    const ONE: &str = "exactly one of `exactly` or `firstAvailable` is required";
    let mut errors = named(text(of, "name"), name::label, &path.child("name"));
    let (first, at_first) = (list(of, "firstAvailable"), path.child("firstAvailable"));
    match (get(of, "exactly"), first.is_empty()) {
        (None, true) => errors.required(path, ONE),
        (Some(_), false) => {
            let why = format!("{ONE}, but multiple fields are set");
            errors.invalid(path, Value::Null, why);
        }
        (Some(exactly), true) => errors.extend(exact(exactly, &path.child("exactly"))),
        (None, false) => errors.extend(distinct(first, MAX_FIRST, "name", &at_first, |one, path| {
            let mut errors = named(text(one, "name"), name::label, &path.child("name"));
            errors.extend(exact(one, path));
            errors
        })),
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
            errors.invalid(&at_count, count, why);
        }
        "ExactCount" if count <= 0 => {
            errors.invalid(&at_count, count, "must be greater than zero");
        }
        "All" | "ExactCount" => {}
        _ => {
            let at = path.child("allocationMode");
            errors.not_supported(&at, mode, &ALLOCATION_MODES);
        }
    }
    for (index, one) in list(of, "tolerations").iter().enumerate() {
        errors.extend(toleration(one, &path.child("tolerations").index(index)));
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
            errors.invalid(path.child("value"), value, why);
        }
        "Exists" => {}
        "Equal" => errors.extend(named(value, name::label_value, &path.child("value"))),
        _ => errors.extend(required_choice(of, "operator", &["Equal", "Exists"], path)),
    }
    if !effect.is_empty() {
        errors.extend(required_choice(of, "effect", &DEVICE_EFFECTS, path));
    }
    errors
}

/// Validates the names of the requests that a constraint or a configuration refers to.
pub(super) fn references(of: &Value, requests: &[Value], path: &Path) -> Vec<Error> {
    let names = texts(of, "requests");
    let mut errors = each(&names, MAX_ITEMS, path, |this, path| reference(this, requests, path));
    if names.len() <= MAX_ITEMS {
        errors.extend(duplicates(names.into_iter(), path));
    }
    errors
}

/// Validates the name of a request, or of one and of a part of it.
pub(super) fn reference(this: &str, requests: &[Value], path: &Path) -> Vec<Error> {
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
        errors.invalid(path, this, NO_REQUEST);
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

/// Validates the fully qualified name of an attribute: its domain and its own name.
fn attribute_name(attribute: &str, path: &Path) -> Vec<Error> {
    let mut errors = qualified_name(attribute, path);
    if !attribute.contains('/') {
        let why = "a fully qualified name must be a domain and a name separated by a slash";
        errors.invalid(path, attribute, why);
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(devices: impl Into<Value>, expected: &str) {
        check_errors(&super::devices(&devices.into(), &Path::new("spec").child("devices")), expected);
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
}
