//! Which objects a quota counts, by its scopes.
//!
//! See <https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes>

use json_tree::Value;
use schema::Resource;

use super::Object;
use crate::pod::quality_of_service;

/// Reports whether a quota has scopes.
pub fn has_any(quota: &Object) -> bool {
    let list = |pointer: &str| quota.get("spec").and_then(|spec| spec.pointer(pointer)?.as_array());
    let has = |pointer: &str| list(pointer).is_some_and(|list| !list.is_empty());
    has("/scopes") || has("/scopeSelector/matchExpressions")
}

/// Reports whether the object is in all scopes of the quota. Only pods and claims are in any.
pub fn match_all(quota: &Object, resource: &Resource, object: &Object) -> bool {
    let Some(spec) = quota.get("spec") else { return true };
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let scopes = list(spec.get("scopes"));
    let expressions = list(spec.pointer("/scopeSelector/matchExpressions"));
    if scopes.is_empty() && expressions.is_empty() {
        return true;
    }
    if resource.group.is_empty() && resource.name == "persistentvolumeclaims" {
        let classes = attributes_classes(object);
        let only = |scope: &str| scope == "VolumeAttributesClass";
        return scopes.iter().filter_map(Value::as_str).all(|scope| only(scope) && !classes.is_empty())
            && expressions.iter().all(|expression| {
                only(expression["scopeName"].as_str().unwrap_or_default()) && names(expression, &classes)
            });
    }
    let Some(pod) = object.get("spec").filter(|_| resource.group.is_empty() && resource.name == "pods")
    else {
        return false;
    };
    scopes.iter().filter_map(Value::as_str).all(|scope| is_in(scope, pod))
        && expressions.iter().all(|expression| selects(expression, pod))
}

/// Reports whether a pod, by its spec, ends by itself: it is in the scope `Terminating`.
pub fn is_terminating(pod: &Value) -> bool {
    pod.get("activeDeadlineSeconds").and_then(Value::as_i64).is_some_and(|seconds| seconds >= 0)
}

fn is_in(scope: &str, pod: &Value) -> bool {
    match scope {
        "Terminating" => is_terminating(pod),
        "NotTerminating" => !is_terminating(pod),
        "BestEffort" => quality_of_service(pod) == "BestEffort",
        "NotBestEffort" => quality_of_service(pod) != "BestEffort",
        "PriorityClass" => !priority_class(pod).is_empty(),
        "CrossNamespacePodAffinity" => crosses_namespaces(pod),
        _ => false,
    }
}

fn selects(expression: &Value, pod: &Value) -> bool {
    let scope = expression["scopeName"].as_str().unwrap_or_default();
    if scope != "PriorityClass" {
        return is_in(scope, pod);
    }
    let class = priority_class(pod);
    names(expression, if class.is_empty() { &[] } else { std::slice::from_ref(&class) })
}

/// Reports whether an expression holds for one of the classes, or for there being none.
fn names(expression: &Value, classes: &[&str]) -> bool {
    let values = expression["values"].as_array().map_or(&[][..], Vec::as_slice);
    let listed = |class: &&str| values.iter().any(|value| value == *class);
    match expression["operator"].as_str() {
        Some("Exists") => !classes.is_empty(),
        Some("DoesNotExist") => classes.is_empty(),
        Some("In") => classes.iter().any(listed),
        Some("NotIn") => classes.is_empty() || !classes.iter().all(listed),
        _ => false,
    }
}

/// Returns the VolumeAttributesClasses that a claim has, wants, or is about to have.
fn attributes_classes(claim: &Object) -> Vec<&str> {
    let text = |part: &str, pointer: &str| claim.get(part)?.pointer(pointer)?.as_str();
    let all = [
        text("spec", "/volumeAttributesClassName"),
        text("status", "/currentVolumeAttributesClassName"),
        text("status", "/modifyVolumeStatus/targetVolumeAttributesClassName"),
    ];
    all.into_iter().flatten().filter(|class| !class.is_empty()).collect()
}

fn priority_class(pod: &Value) -> &str {
    pod.get("priorityClassName").and_then(Value::as_str).unwrap_or_default()
}

/// Reports whether the affinity terms of a pod refer to pods of other namespaces.
fn crosses_namespaces(pod: &Value) -> bool {
    let terms = |kind: &str| {
        let own = &pod["affinity"][kind];
        let required =
            own["requiredDuringSchedulingIgnoredDuringExecution"].as_array().cloned().unwrap_or_default();
        let preferred = own["preferredDuringSchedulingIgnoredDuringExecution"].as_array().cloned();
        let preferred =
            preferred.unwrap_or_default().into_iter().map(|mut term| term["podAffinityTerm"].take());
        required.into_iter().chain(preferred).collect::<Vec<Value>>()
    };
    let crosses = |term: &Value| {
        term["namespaces"].as_array().is_some_and(|names| !names.is_empty())
            || !term["namespaceSelector"].is_null()
    };
    ["podAffinity", "podAntiAffinity"].into_iter().flat_map(terms).any(|term| crosses(&term))
}
