//! Pods, and the templates that workloads make them from.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/>.

mod container;
mod part;
mod volume;

pub(super) use part::{update_ephemeral, update_resize, update_status};

use std::collections::HashSet;

use serde_json::Value;

use super::{
    read::{at, get, integer, list, map, text},
    values::one_of,
};
use crate::field::{Error, Path};
use crate::validation::{metadata, name};

const RESTART_POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];
const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
pub(super) const TAINT_EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// What is wrong with a pod.
pub(super) fn create(object: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), &Path::new("spec"))
}

/// What a pod gets only later.
pub(super) fn only_new(object: &Value) -> Vec<Error> {
    if list(at(object, "/spec"), "ephemeralContainers").is_empty() {
        return Vec::new();
    }
    vec![Error::forbidden(&Path::new("spec").child("ephemeralContainers"), "cannot be set on create")]
}

/// What is wrong with a pod template.
pub(super) fn template(template: &Value, path: &Path) -> Vec<Error> {
    let meta = at(template, "/metadata");
    let mut errors =
        map(meta, "labels").map(|labels| metadata::labels(labels, &path.child("labels"))).unwrap_or_default();
    if let Some(annotations) = map(meta, "annotations") {
        errors.extend(metadata::annotations(annotations, &path.child("annotations")));
    }
    let path = path.child("spec");
    errors.extend(spec(at(template, "/spec"), &path));
    if !list(at(template, "/spec"), "ephemeralContainers").is_empty() {
        let why = "ephemeral containers not allowed in pod template";
        errors.push(Error::forbidden(&path.child("ephemeralContainers"), why));
    }
    errors
}

/// What is wrong with the spec of a pod.
fn spec(spec: &Value, path: &Path) -> Vec<Error> {
    let (mut errors, volumes) = volume::validate(list(spec, "volumes"), &path.child("volumes"));
    errors.extend(containers(spec, &volumes, path));
    errors.extend(one_of(spec, "restartPolicy", &RESTART_POLICIES, path));
    errors.extend(one_of(spec, "dnsPolicy", &DNS_POLICIES, path));
    if let Some(labels) = map(spec, "nodeSelector") {
        errors.extend(metadata::labels(labels, &path.child("nodeSelector")));
    }
    if text(spec, "dnsPolicy") == "None" && get(spec, "dnsConfig").is_none() {
        let why = "must provide `dnsConfig` when `dnsPolicy` is None";
        errors.push(Error::required(&path.child("dnsConfig"), why));
    }
    for field in ["serviceAccountName", "nodeName"] {
        errors.extend(named(spec, field, name::subdomain, path));
    }
    if let Some(seconds) = integer(spec, "activeDeadlineSeconds")
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let why = "must be between 1 and 2147483647, inclusive";
        errors.push(Error::invalid(&path.child("activeDeadlineSeconds"), seconds, why));
    }
    for field in ["hostname", "subdomain"] {
        errors.extend(named(spec, field, name::label, path));
    }
    for (index, one) in list(spec, "tolerations").iter().enumerate() {
        errors.extend(toleration(one, &path.child("tolerations").index(index)));
    }
    errors
}

fn containers(spec: &Value, volumes: &HashSet<&str>, path: &Path) -> Vec<Error> {
    let (containers, at) = (list(spec, "containers"), path.child("containers"));
    let mut errors = Vec::new();
    if containers.is_empty() {
        errors.push(Error::required(&at, ""));
    }
    let mut names: HashSet<&str> = HashSet::new();
    for (index, one) in containers.iter().enumerate() {
        let at = at.index(index);
        errors.extend(container::validate(one, volumes, &at));
        if !names.insert(text(one, "name")) && !text(one, "name").is_empty() {
            errors.push(Error::duplicate(&at.child("name"), text(one, "name")));
        }
        errors.extend(container::probes(one, &at));
    }
    for (index, one) in list(spec, "initContainers").iter().enumerate() {
        let at = path.child("initContainers").index(index);
        errors.extend(container::validate(one, volumes, &at));
        if !names.insert(text(one, "name")) && !text(one, "name").is_empty() {
            errors.push(Error::duplicate(&at.child("name"), text(one, "name")));
        }
    }
    let names: Vec<&str> = names.into_iter().collect();
    errors.extend(part::ephemeral_containers(spec, &names, path));
    errors
}

fn named(value: &Value, field: &str, check: fn(&str) -> Vec<String>, path: &Path) -> Vec<Error> {
    let name = text(value, field);
    if name.is_empty() {
        return Vec::new();
    }
    let path = path.child(field);
    check(name).into_iter().map(|why| Error::invalid(&path, name, why)).collect()
}

fn toleration(toleration: &Value, path: &Path) -> Vec<Error> {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
    let mut errors = Vec::new();
    let at = path.child("operator");
    if key.is_empty() {
        if operator != "Exists" {
            let why =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.push(Error::invalid(&at, operator, why));
        }
    } else {
        errors.extend(named(toleration, "key", name::qualified_name, path));
    }
    if get(toleration, "tolerationSeconds").is_some() && effect != "NoExecute" {
        let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.push(Error::invalid(&path.child("effect"), effect, why));
    }
    match operator {
        "" | "Equal" => {
            let complaints = name::label_value(value);
            if !complaints.is_empty() {
                errors.push(Error::invalid(&at, value, complaints.join(";")));
            }
        }
        "Exists" if !value.is_empty() => {
            errors.push(Error::invalid(&at, value, "value must be empty when `operator` is 'Exists'"));
        }
        "Exists" => {}
        _ => errors.push(Error::not_supported(&at, operator, &["Equal", "Exists"])),
    }
    errors.extend(one_of(toleration, "effect", &TAINT_EFFECTS, path));
    errors
}

#[cfg(test)]
mod tests;
