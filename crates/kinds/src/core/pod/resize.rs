//! Validation of writes to `resize`, a subresource of pods: only the CPU and the memory of a pod and of its containers
//! may change.
//!
//! See <https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/>.

use apimachinery::pod::quality_of_service;
use json_tree::{Map, Value};

use super::check::Errors;
use super::containers::is_sidecar;
use super::{NAMELESS, RULES, annotations, create, update};
use crate::validation::metadata;
use crate::validation::read::{at, get, list, map, text};
use field::{AddError, Error, Path};

const MUTABLE: [&str; 2] = ["cpu", "memory"];
const KINDS: [&str; 2] = ["requests", "limits"];

/// The class of service stays, and so does what only a new pod can say.
pub(crate) fn update_resize(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = metadata::validate(object, &RULES);
    errors.extend(create(object));
    let refusal = if annotations::is_mirror(old) {
        Some("static pods cannot be resized")
    } else {
        (text(at(old, "/spec/os"), "name") == "windows").then_some("windows pods cannot be resized")
    };
    if let Some(why) = refusal {
        return vec![Error::forbidden(Path::new(NAMELESS), why)];
    }
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let class = text(at(old, "/status"), "qosClass");
    let class = if class.is_empty() { quality_of_service(was) } else { class };
    if class != quality_of_service(spec) {
        let why = "Pod QOS Class may not change as a result of resizing";
        errors.invalid(&path, text(at(object, "/status"), "qosClass"), why);
    }
    let running = list(at(old, "/status"), "containerStatuses").iter();
    let mut running = running.filter(|status| !at(status, "/state/running").is_null());
    if running.next().is_some_and(|status| get(status, "resources").is_none()) {
        errors.forbidden(&path, "Pod running on node without support for resize");
    }
    let mut rest = spec.clone();
    if [spec, was].into_iter().any(states_resources) {
        of_pod(&mut rest, was, &path, &mut errors);
    }
    let before = errors.len();
    for field in ["containers", "initContainers"] {
        same_containers(list(spec, field), list(was, field), field, &path.child(field), &mut errors);
    }
    if errors.len() > before {
        return errors;
    }
    for field in ["initContainers", "containers"] {
        let pairs = list(spec, field).iter().zip(list(was, field));
        for (index, (new, old)) in pairs.enumerate() {
            let path = path.child(field).index(index).child("resources");
            kept(new, old, "resource", &path, &mut errors);
        }
    }
    for (container, old) in items(&mut rest, "containers").zip(list(was, "containers")) {
        restore(container, old);
        if !update::same_type("Container", container, old) {
            errors.forbidden(&path, "only cpu and memory resources are mutable");
        }
    }
    let pairs = items(&mut rest, "initContainers").zip(list(was, "initContainers"));
    for (index, (container, old)) in pairs.enumerate() {
        initial(container, old, &path.child("initContainers").index(index), &mut errors);
    }
    if errors.is_empty() && !update::is_same(&rest, was) {
        errors.forbidden(&path, "only cpu and memory resources are mutable");
    }
    errors
}

fn items<'a>(spec: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    spec.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Returns whether the pod states requests or limits at pod level.
fn states_resources(spec: &Value) -> bool {
    KINDS.iter().any(|kind| map(at(spec, "/resources"), kind).is_some_and(|amounts| !amounts.is_empty()))
}

/// The resources of the pod as a whole, which are then made what they were in `rest`.
fn of_pod(rest: &mut Value, was: &Value, path: &Path, errors: &mut Errors) {
    let (now, before) = (get(rest, "resources"), get(was, "resources"));
    let at_resources = path.child("resources");
    if before.is_some() && now.is_none() {
        errors.forbidden(&at_resources, "pod-level resources cannot be removed");
        return;
    }
    kept(rest, was, "pod-level resource", &at_resources, errors);
    let Some(now) = now else { return };
    let mut resources = masked(now, before.unwrap_or(&Value::Null));
    if let Some(claims) = get(now, "claims") {
        resources.insert("claims".to_owned(), claims.clone());
    }
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let nothing = before.is_none() && resources.values().all(is_empty);
    if let Some(rest) = rest.as_object_mut() {
        if nothing {
            rest.shift_remove("resources");
        } else {
            rest.insert("resources".to_owned(), resources.into());
        }
    }
    let empty = Value::Null;
    let (now, before) = (get(rest, "resources"), before.unwrap_or(&empty));
    let same = now.is_some() != before.is_null()
        && update::same_type("ResourceRequirements", now.unwrap_or(&empty), before);
    if !same {
        errors.forbidden(path, "only cpu and memory resources are mutable at pod-level");
    }
}

fn same_containers(new: &[Value], old: &[Value], what: &str, path: &Path, errors: &mut Errors) {
    if new.len() != old.len() {
        errors.forbidden(path, format!("{what} may not be added or removed on resize"));
        return;
    }
    for (index, (new, old)) in new.iter().zip(old).enumerate() {
        if text(new, "name") != text(old, "name") {
            let why = format!("{what} may not be renamed or reordered on resize");
            errors.forbidden(path.index(index).child("name"), why);
        }
    }
}

/// Validates that no request or limit is removed; its amount may change.
fn kept(new: &Value, old: &Value, what: &str, path: &Path, errors: &mut Errors) {
    for kind in KINDS {
        let of = |holder| map(at(holder, "/resources"), kind);
        let (new, old) = (of(new), of(old));
        let stays = |name: &String| new.is_some_and(|new| new.contains_key(name));
        if !old.is_none_or(|old| old.keys().all(stays)) {
            errors.forbidden(path.child(kind), format!("{what} {kind} cannot be removed"));
        }
    }
}

/// An init container, which is then made what it was but for what may not change.
fn initial(container: &mut Value, old: &Value, path: &Path, errors: &mut Errors) {
    let changed = !update::same_type("Container", container, old);
    restore(container, old);
    if !update::same_type("Container", container, old) {
        let why = "only cpu and memory resources for init or sidecar containers are mutable";
        errors.forbidden(path, why);
    }
    let restarts = |policy: &Value| text(policy, "restartPolicy") == "RestartContainer";
    if changed && !is_sidecar(container) && list(container, "resizePolicy").iter().any(restarts) {
        let why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
        errors.forbidden(path, why);
    }
}

/// Sets the CPU and the memory of a container to what they were.
fn restore(container: &mut Value, old: &Value) {
    let resources = masked(at(container, "/resources"), at(old, "/resources"));
    if let Some(container) = container.as_object_mut() {
        container.insert("resources".to_owned(), resources.into());
    }
}

/// Resources with the CPU and the memory that others have.
fn masked(resources: &Value, old: &Value) -> Map<String, Value> {
    let mut all = Map::new();
    for kind in ["limits", "requests"] {
        let (new, old) = (map(resources, kind), map(old, kind));
        if new.is_none() && old.is_none() {
            continue;
        }
        let mut amounts = new.cloned().unwrap_or_default();
        for name in MUTABLE {
            amounts.shift_remove(name);
            if let Some(amount) = old.and_then(|old| old.get(name)) {
                amounts.insert(name.to_owned(), amount.clone());
            }
        }
        all.insert(kind.to_owned(), amounts.into());
    }
    all
}
