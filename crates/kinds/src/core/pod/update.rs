//! Validation of pod updates: which fields of a pod may change.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/#pod-update-and-replacement>.

use json_tree::{Map, Value};

use super::check::Errors;
use super::scheduling::REQUIRED;
use super::{RULES, annotations, create, scheduling};
use crate::validation::read::{at, get, integer, list, map, text};
use crate::validation::{go_diff, internal, metadata};
use field::{AddError, Error, Path};

const FIELDS: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Validates an update of a pod.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = common(object, old);
    change(at(object, "/spec"), at(old, "/spec"), &mut errors);
    errors
}

/// Makes the checks that are common to all updates of a pod's spec, whatever the endpoint.
pub(super) fn common(object: &Value, old: &Value) -> Errors {
    let mut errors = metadata::validate(object, &RULES);
    errors.extend(create(object));
    annotations::update(object, old, &Path::new("metadata").child("annotations"), &mut errors);
    errors
}

fn change(spec: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::new("spec");
    for field in ["containers", "initContainers"] {
        let (new, at) = (list(spec, field), path.child(field));
        if new.len() != list(old, field).len() {
            errors.forbidden(&at, "pod updates may not add or remove containers");
            return;
        }
        for (index, container) in new.iter().enumerate() {
            let (image, at) = (text(container, "image"), at.index(index).child("image"));
            if image.is_empty() {
                errors.required(&at, "");
            }
            if image.trim() != image {
                errors.invalid(&at, image, "must not have leading or trailing whitespace");
            }
        }
    }
    if !deadline(spec, old, &path.child("activeDeadlineSeconds"), errors) {
        return;
    }
    only_added_tolerations(spec, old, &path, errors);
    only_removed_gates(spec, old, &path, errors);
    let mut rest = spec.clone();
    let Some(fields) = rest.as_object_mut() else { return };
    for field in ["containers", "initContainers"] {
        let items = fields.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
        for (container, old) in items.zip(list(old, field)) {
            if let Some(container) = container.as_object_mut() {
                keep(container, "image", get(old, "image"));
            }
        }
    }
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        keep(fields, field, get(old, field));
    }
    let grace = "terminationGracePeriodSeconds";
    if integer(old, grace) < Some(0) && integer(old, grace).is_some() && integer(spec, grace) == Some(1) {
        keep(fields, grace, get(old, grace));
    }
    if !list(old, "schedulingGates").is_empty() {
        gated(fields, spec, old, &path, errors);
    }
    if !is_same(old, &rest) {
        let difference = go_diff::of(internal::CORE, "PodSpec", old, &rest);
        let why = format!("pod updates may not change fields other than {FIELDS}\n{difference}");
        errors.forbidden(&path, why);
    }
}

/// Sets the field to what it was.
fn keep(fields: &mut Map<String, Value>, field: &str, was: Option<&Value>) {
    match was {
        Some(was) => {
            fields.insert(field.to_owned(), was.clone());
        }
        None => {
            fields.shift_remove(field);
        }
    }
}

/// Returns whether two pod specs mean the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    same_type("PodSpec", one, other)
}

/// Returns whether two values of a type of the core group mean the same: an empty list or map equals a missing one.
pub(super) fn same_type(name: &str, one: &Value, other: &Value) -> bool {
    let inside = |value| internal::form(internal::CORE, name, value);
    one == other || alike(&inside(one), &inside(other))
}

fn alike(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && std::iter::zip(one, other).all(|(one, other)| alike(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| alike(one, other)))
        }
        _ => one == other || (is_empty(one) && is_empty(other)),
    }
}

/// A deadline may be set, and come nearer. Whether the rest is to be looked at.
fn deadline(spec: &Value, old: &Value, path: &Path, errors: &mut Errors) -> bool {
    let field = "activeDeadlineSeconds";
    match (integer(spec, field), integer(old, field)) {
        (Some(new), _) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            errors.invalid(path, new, "must be between 0 and 2147483647, inclusive");
            false
        }
        (Some(new), Some(old)) if old < new => {
            errors.invalid(path, new, "must be less than or equal to previous value");
            false
        }
        (None, Some(_)) => {
            let why = "must not update from a positive integer to nil value";
            errors.invalid(path, Value::Null, why);
            true
        }
        _ => true,
    }
}

fn only_added_tolerations(spec: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let parts = |toleration: &Value| {
        ["key", "operator", "value", "effect"].map(|field| text(toleration, field).to_owned())
    };
    let new: Vec<_> = list(spec, "tolerations").iter().map(parts).collect();
    if list(old, "tolerations").iter().any(|old| !new.contains(&parts(old))) {
        let why = "existing toleration can not be modified except its tolerationSeconds";
        errors.forbidden(path.child("tolerations"), why);
        return;
    }
    scheduling::tolerations(spec, path, errors);
}

fn only_removed_gates(spec: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let path = path.child("schedulingGates");
    let was = |name: &str| list(old, "schedulingGates").iter().any(|old| text(old, "name") == name);
    for (index, gate) in list(spec, "schedulingGates").iter().enumerate() {
        let name = text(gate, "name");
        if !was(name) {
            let why = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            errors.forbidden(path.index(index).child("name"), why);
        }
    }
}

/// A pod that is not to be scheduled yet may be given narrower wishes for its node.
///
/// <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/#mutable-pod-scheduling-directives>
fn gated(fields: &mut Map<String, Value>, spec: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let (new, was) = (map(spec, "nodeSelector"), map(old, "nodeSelector"));
    let kept = |key: &String, value: &Value| new.is_some_and(|new| new.get(key) == Some(value));
    if !was.is_none_or(|was| was.iter().all(|(key, value)| kept(key, value))) {
        let value = get(spec, "nodeSelector").cloned().unwrap_or_default();
        let why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        errors.invalid(path.child("nodeSelector"), value, why);
    }
    keep(fields, "nodeSelector", get(old, "nodeSelector"));
    let node = |spec| at(spec, "/affinity/nodeAffinity");
    let (new, was) = (node(spec), node(old));
    let is_same = new.is_null() == was.is_null() && same_type("NodeAffinity", new, was);
    if is_same {
        return;
    }
    let path = path.child("affinity").child("nodeAffinity");
    node_affinity(new, was, &path.child(REQUIRED).child("nodeSelectorTerms"), errors);
    let of_node = (!was.is_null()).then(|| was.clone());
    match (fields.get_mut("affinity").and_then(Value::as_object_mut), of_node) {
        (None, Some(was)) => {
            let affinity = Map::from_iter([("nodeAffinity".to_owned(), was)]);
            fields.insert("affinity".to_owned(), affinity.into());
        }
        (Some(affinity), of_node) => {
            keep(affinity, "nodeAffinity", of_node.as_ref());
            let others = ["podAffinity", "podAntiAffinity"];
            let is_empty = others.iter().all(|field| affinity.get(*field).is_none_or(Value::is_null));
            if is_empty && get(old, "affinity").is_none() {
                fields.shift_remove("affinity");
            }
        }
        (None, None) => {}
    }
}

/// Terms that are there may be narrowed, none may go or come.
fn node_affinity(new: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let terms = |affinity| list(at(affinity, &format!("/{REQUIRED}")), "nodeSelectorTerms").to_vec();
    let (new, old) = (terms(new), terms(old));
    if old.is_empty() {
        return;
    }
    let printed = |term: &Value| internal::form(internal::CORE, "NodeSelectorTerm", term);
    if new.len() != old.len() {
        let value = if new.is_empty() { Value::Null } else { new.iter().map(printed).collect() };
        let why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        errors.invalid(path, value, why);
        return;
    }
    for (index, (new, old)) in new.iter().zip(&old).enumerate() {
        let lists = ["matchExpressions", "matchFields"];
        let was_empty = lists.iter().all(|field| list(old, field).is_empty());
        let is_empty = lists.iter().all(|field| list(new, field).is_empty());
        let only_more = lists.iter().all(|field| list(new, field).starts_with(list(old, field)));
        if !only_more || (was_empty && !is_empty) {
            let why = "only additions are allowed (no mutations or deletions)";
            errors.invalid(path.index(index), printed(new), why);
        }
    }
}
