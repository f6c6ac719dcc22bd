//! Annotations of pods that mean something to Kubernetes, and have to agree with fields.
//!
//! See <https://kubernetes.io/docs/reference/labels-annotations-taints/>.

use json_tree::{Map, Value};

use super::all_containers;
use super::check::{Errors, child, descending_path};
use crate::validation::read::{at, get, map, text};
use field::{AddError, Path, quote};

const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
pub(super) const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
pub(super) const SECCOMP_OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
pub(super) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const RUNTIME: &str = "runtime/default";
const UNCONFINED: &str = "unconfined";
const LOCALHOST: &str = "localhost/";

/// The annotations of a pod or of a template; `path` is theirs.
pub(super) fn validate(object: &Value, path: &Path, errors: &mut Errors) {
    let (all, spec) = (of(object), at(object, "/spec"));
    if let Some(value) = value(all, MIRROR).filter(|_| text(spec, "nodeName").is_empty()) {
        let why = "must set spec.nodeName if mirror pod annotation is set";
        errors.invalid(path.key(MIRROR), value, why);
    }
    if let Some(cost) = value(all, DELETION_COST).filter(|cost| !is_cost(cost)) {
        errors.invalid(path.key(DELETION_COST), cost, "must be a 32bit integer");
    }
    if let Some(profile) = value(all, SECCOMP) {
        seccomp(profile, &path.child(SECCOMP), errors);
    }
    for (key, profile) in pairs(all).filter(|(key, _)| key.starts_with(SECCOMP_OF_CONTAINER)) {
        seccomp(profile, &path.named(key), errors);
    }
    for (key, profile) in pairs(all) {
        let Some(container) = key.strip_prefix(APP_ARMOR) else { continue };
        let known = all_containers(spec, path).any(|(one, _)| text(one, "name") == container);
        if !known {
            errors.invalid(path.key(key), container, "container not found");
        }
        if !matches!(profile, "" | RUNTIME | UNCONFINED) && !profile.starts_with(LOCALHOST) {
            let why = format!("invalid AppArmor profile name: {}", quote(profile));
            errors.invalid(path.key(key), profile, why);
        }
    }
}

fn is_cost(text: &str) -> bool {
    let plain = text == "0" || text.starts_with(|c| matches!(c, '-' | '1'..='9'));
    plain && text.parse::<i32>().is_ok()
}

fn seccomp(profile: &str, path: &Path, errors: &mut Errors) {
    match profile.strip_prefix(LOCALHOST) {
        Some(place) => descending_path(place, path, errors),
        None if matches!(profile, RUNTIME | "docker/default" | UNCONFINED) => {}
        None => errors.invalid(path, profile, "must be a valid seccomp profile"),
    }
}

/// Validates an update of a pod's annotations: AppArmor and mirror pod annotations may not change.
pub(super) fn update(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let (new, old) = (of(object), of(old));
    let mut forbid = |key: &str, what: &str| {
        if key.starts_with(APP_ARMOR) {
            errors.forbidden(path.key(key), format!("may not {what} AppArmor annotations"));
        }
        if key == MIRROR {
            errors.forbidden(path.key(key), format!("may not {what} mirror pod annotation"));
        }
    };
    for (key, was) in pairs(old).filter(|(key, was)| value(new, key) != Some(was)) {
        let _ = was;
        forbid(key, "remove or update");
    }
    for (key, _) in pairs(new).filter(|(key, _)| value(old, key).is_none()) {
        forbid(key, "add");
    }
    validate(object, path, errors);
}

/// Annotations and fields that say something of the same container must say the same. `path` is that of the spec.
pub(super) fn match_fields(object: &Value, path: &Path, errors: &mut Errors) {
    let (all, spec) = (of(object), at(object, "/spec"));
    let prefixes = [SECCOMP, SECCOMP_OF_CONTAINER, APP_ARMOR];
    if !pairs(all).any(|(key, _)| prefixes.iter().any(|prefix| key.starts_with(prefix))) {
        return;
    }
    let mut agree = |holder: &Value, key: &str, path: &Path| {
        let Some((context, path)) = child(holder, "securityContext", path) else { return };
        let Some((profile, path)) = child(context, "seccompProfile", &path) else { return };
        if let Some(annotation) = value(all, key) {
            same_profile(annotation, profile, "seccomp", &path, errors);
        }
    };
    agree(spec, SECCOMP, path);
    for (container, path) in all_containers(spec, path) {
        agree(container, &format!("{SECCOMP_OF_CONTAINER}{}", text(container, "name")), &path);
    }
    if text(at(spec, "/os"), "name") == "windows" {
        return;
    }
    let of_pod = get(at(spec, "/securityContext"), "appArmorProfile");
    for (container, path) in all_containers(spec, path) {
        let own = get(at(container, "/securityContext"), "appArmorProfile").or(of_pod);
        let key = format!("{APP_ARMOR}{}", text(container, "name"));
        if let (Some(profile), Some(annotation)) = (own, value(all, &key)) {
            let path = path.child("securityContext").child("appArmorProfile");
            same_profile(annotation, profile, "apparmor", &path, errors);
        }
    }
}

fn same_profile(annotation: &str, profile: &Value, what: &str, path: &Path, errors: &mut Errors) {
    let place = annotation.strip_prefix(LOCALHOST);
    let same_type = match text(profile, "type") {
        "Unconfined" => annotation == UNCONFINED,
        "RuntimeDefault" => annotation == RUNTIME || (what == "seccomp" && annotation == "docker/default"),
        "Localhost" => place.is_some(),
        _ => return,
    };
    if !same_type {
        let why = format!("{what} type in annotation and field must match");
        errors.forbidden(path.child("type"), why);
    } else if text(profile, "type") == "Localhost"
        && get(profile, "localhostProfile").and_then(Value::as_str) != place
    {
        let why = format!("{what} profile in annotation and field must match");
        errors.forbidden(path.child("localhostProfile"), why);
    }
}

fn of(object: &Value) -> Option<&Map<String, Value>> {
    map(at(object, "/metadata"), "annotations")
}

pub(super) fn is_mirror(object: &Value) -> bool {
    value(of(object), MIRROR).is_some()
}

fn value<'a>(all: Option<&'a Map<String, Value>>, key: &str) -> Option<&'a str> {
    all?.get(key)?.as_str()
}

fn pairs(all: Option<&Map<String, Value>>) -> impl Iterator<Item = (&str, &str)> {
    all.into_iter().flatten().map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}
