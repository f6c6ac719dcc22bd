//! What is wrong with a write of `resize`: the CPU and the memory of containers change, and nothing else.
//!
//! See <https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/>.

use json_tree::{Map, Value};

use super::check::Errors;
use super::containers::is_sidecar;
use super::{annotations, update};
use crate::registry::quality_of_service;
use crate::validation::kinds::read::{at, get, list, map, text};
use field::{Error, Path};

const MUTABLE: [&str; 2] = ["cpu", "memory"];

/// The class of service stays, and so does what only a new pod can say.
pub(in crate::validation::kinds) fn update_resize(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = update::common(object, old);
    let refusal = if annotations::is_mirror(old) {
        Some("static pods cannot be resized")
    } else {
        (text(at(old, "/spec/os"), "name") == "windows").then_some("windows pods cannot be resized")
    };
    if let Some(why) = refusal {
        return vec![Error::forbidden(&Path::default(), why)];
    }
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let before = errors.len();
    for field in ["containers", "initContainers"] {
        same_containers(list(spec, field), list(was, field), field, &path.child(field), &mut errors);
    }
    if errors.len() > before {
        return errors;
    }
    let class = text(at(old, "/status"), "qosClass");
    let class = if class.is_empty() { quality_of_service(was) } else { class };
    if class != quality_of_service(spec) {
        let why = "Pod QOS Class may not change as a result of resizing";
        errors.push(Error::invalid(&path, text(at(object, "/status"), "qosClass"), why));
    }
    let running = list(at(old, "/status"), "containerStatuses").iter();
    let mut running = running.filter(|status| !at(status, "/state/running").is_null());
    if running.next().is_some_and(|status| get(status, "resources").is_none()) {
        errors.push(Error::forbidden(&path, "Pod running on node without support for resize"));
    }
    for field in ["initContainers", "containers"] {
        let pairs = list(spec, field).iter().zip(list(was, field));
        for (index, (new, old)) in pairs.enumerate() {
            if field == "containers" || is_sidecar(old) {
                kept(new, old, &path.child(field).index(index).child("resources"), &mut errors);
            }
        }
    }
    kept(spec, was, &path.child("resources"), &mut errors);
    others(spec, was, &path, &mut errors);
    errors
}

fn same_containers(new: &[Value], old: &[Value], what: &str, path: &Path, errors: &mut Errors) {
    if new.len() != old.len() {
        errors.push(Error::forbidden(path, format!("{what} may not be added or removed on resize")));
        return;
    }
    for (index, (new, old)) in new.iter().zip(old).enumerate() {
        if text(new, "name") != text(old, "name") {
            let why = format!("{what} may not be renamed or reordered on resize");
            errors.push(Error::forbidden(&path.index(index).child("name"), why));
        }
    }
}

/// What was asked for is asked for still, more or less of it.
fn kept(new: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    for kind in ["requests", "limits"] {
        let of = |holder| map(at(holder, "/resources"), kind);
        let (new, old) = (of(new), of(old));
        let stays = |name: &String| new.is_some_and(|new| new.contains_key(name));
        if !old.is_none_or(|old| old.keys().all(stays)) {
            errors.push(Error::forbidden(&path.child(kind), format!("resource {kind} cannot be removed")));
        }
    }
}

/// Nothing but CPU and memory changes.
fn others(spec: &Value, was: &Value, path: &Path, errors: &mut Errors) {
    let mut rest = spec.clone();
    let before = errors.len();
    for field in ["containers", "initContainers"] {
        let items = rest.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
        for (container, old) in items.zip(list(was, field)) {
            let why = match (field, is_sidecar(container)) {
                ("containers", _) => "only cpu and memory resources are mutable",
                (_, true) => "only cpu and memory resources for sidecar containers are mutable",
                (_, false) => "resources for non-sidecar init containers are immutable",
            };
            if field == "containers" || is_sidecar(container) {
                restore(container, old);
            }
            if !update::same_type("Container", container, old) {
                errors.push(Error::forbidden(path, why));
            }
        }
    }
    if get(was, "resources").is_some() {
        restore(&mut rest, was);
    }
    if errors.is_empty() && before == 0 && !update::is_same(&rest, was) {
        errors.push(Error::forbidden(path, "only cpu and memory resources are mutable"));
    }
}

/// Sets the CPU and the memory to what they were.
fn restore(holder: &mut Value, old: &Value) {
    let mut resources = Map::new();
    for kind in ["limits", "requests"] {
        let Some(old) = map(at(old, "/resources"), kind) else { continue };
        let mut amounts = map(at(holder, "/resources"), kind).cloned().unwrap_or_default();
        for name in MUTABLE {
            match old.get(name) {
                Some(amount) => {
                    amounts.insert(name.to_owned(), amount.clone());
                }
                None => {
                    amounts.shift_remove(name);
                }
            }
        }
        resources.insert(kind.to_owned(), amounts.into());
    }
    if let Some(holder) = holder.as_object_mut() {
        holder.insert("resources".to_owned(), resources.into());
    }
}
