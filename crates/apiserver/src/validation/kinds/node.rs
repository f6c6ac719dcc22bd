//! Node, PersistentVolume and PersistentVolumeClaim.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/nodes/> and
//! <https://kubernetes.io/docs/concepts/storage/persistent-volumes/>.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    pod::TAINT_EFFECTS,
    read::{at, get, list, map, same, text},
    values::one_of,
};
use crate::field::{Error, Path};
use crate::validation::name;

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// The sources of a volume, in the order in which the API server looks for them.
const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "portworxVolume",
    "photonPersistentDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// What is wrong with a node: its taints, which the messages place in the metadata.
pub(super) fn create(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for (index, taint) in list(at(object, "/spec"), "taints").iter().enumerate() {
        let path = Path::new("metadata").child("taints").index(index);
        let (key, value, effect) = (text(taint, "key"), text(taint, "value"), text(taint, "effect"));
        let at_key = path.child("key");
        errors.extend(name::qualified_name(key).into_iter().map(|why| Error::invalid(&at_key, key, why)));
        let complaints = name::label_value(value);
        if !complaints.is_empty() {
            errors.push(Error::invalid(&path.child("value"), value, complaints.join(";")));
        }
        if effect.is_empty() {
            errors.push(Error::required(&path.child("effect"), ""));
        }
        errors.extend(one_of(taint, "effect", &TAINT_EFFECTS, &path));
        if !seen.insert((key, effect)) {
            let value = json!({"Key": key, "Value": value, "Effect": effect,
                "TimeAdded": get(taint, "timeAdded").cloned().unwrap_or_default()});
            let mut error = Error::duplicate(&path, value);
            error.detail = "taints must be unique by key and effect pair".to_owned();
            errors.push(error);
        }
    }
    errors
}

/// What is wrong with the change of a node.
pub(super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let changed = |field: &str| get(was, field).is_some() && !same(get(spec, field), get(was, field));
    let mut errors = create(object);
    if changed("podCIDRs") {
        let why = "node updates may not change podCIDR except from \"\" to valid";
        errors.push(Error::forbidden(&path.child("podCIDRs"), why));
    }
    if changed("providerID") {
        let why = "node updates may not change providerID except from \"\" to valid";
        errors.push(Error::forbidden(&path.child("providerID"), why));
    }
    errors
}

/// What is wrong with a persistent volume.
pub(super) fn create_volume(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = access_modes(spec, "", &path);
    let (capacity, at_capacity) = (map(spec, "capacity"), path.child("capacity"));
    if capacity.is_none_or(serde_json::Map::is_empty) {
        errors.push(Error::required(&at_capacity, ""));
    }
    if !capacity.is_some_and(|capacity| capacity.contains_key("storage") && capacity.len() == 1) {
        let value = get(spec, "capacity").cloned().unwrap_or_default();
        errors.push(Error::not_supported(&at_capacity, value, &["storage"]));
    }
    let mut given = SOURCES.into_iter().filter(|source| get(spec, source).is_some());
    let Some(first) = given.next() else {
        errors.push(Error::required(&path, "must specify a volume type"));
        return errors;
    };
    if first == "hostPath" {
        let (place, at) = (text(at(spec, "/hostPath"), "path"), path.child("hostPath").child("path"));
        if place.is_empty() {
            errors.push(Error::required(&at, ""));
        } else if place.split('/').any(|part| part == "..") {
            errors.push(Error::invalid(&at, place, "must not contain '..'"));
        }
    }
    let why = "may not specify more than 1 volume type";
    errors.extend(given.map(|another| Error::forbidden(&path.child(another), why)));
    errors
}

/// What is wrong with a claim.
pub(super) fn create_claim(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = access_modes(spec, "at least 1 access mode is required", &path);
    if text(at(spec, "/resources/requests"), "storage").is_empty() {
        errors.push(Error::required(&path.child("resources").key("storage"), ""));
    }
    errors
}

fn access_modes(spec: &Value, missing: &str, path: &Path) -> Vec<Error> {
    let (modes, path) = (list(spec, "accessModes"), path.child("accessModes"));
    if modes.is_empty() {
        return vec![Error::required(&path, missing)];
    }
    let unknown = modes.iter().filter(|mode| !mode.as_str().is_some_and(|mode| ACCESS_MODES.contains(&mode)));
    unknown.map(|mode| Error::not_supported(&path, mode.clone(), &ACCESS_MODES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn taints() {
        let node = |taints: Value| json!({"spec": {"taints": taints}});
        check(&create(&node(json!([{"key": "k", "effect": "NoSchedule"}]))), "");
        check(
            &create(&node(json!([{"key": "k", "effect": "Bogus"}]))),
            "metadata.taints[0].effect: Unsupported value: \"Bogus\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
        );
        check(
            &create(&node(
                json!([{"key": "k", "effect": "NoSchedule"}, {"key": "k", "effect": "NoSchedule"}]),
            )),
            "metadata.taints[1]: Duplicate value: {\"Key\":\"k\",\"Value\":\"\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key and effect pair",
        );
        check(
            &update(&json!({"spec": {"providerID": "x://2"}}), &json!({"spec": {"providerID": "x://1"}})),
            "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid",
        );
    }

    #[test]
    fn volumes() {
        check(
            &create_volume(&json!({})),
            "[spec.accessModes: Required value, spec.capacity: Required value, \
             spec.capacity: Unsupported value: null: supported values: \"storage\", \
             spec: Required value: must specify a volume type]",
        );
        let volume = |more: Value| {
            let mut spec = json!({"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
            if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
                spec.extend(more);
            }
            create_volume(&json!({"spec": spec}))
        };
        check(&volume(json!({"hostPath": {"path": "/x"}})), "");
        check(
            &volume(json!({"hostPath": {"path": "/../x"}})),
            "spec.hostPath.path: Invalid value: \"/../x\": must not contain '..'",
        );
        check(
            &volume(json!({"hostPath": {"path": "/x"}, "nfs": {"server": "s", "path": "/"}})),
            "spec.nfs: Forbidden: may not specify more than 1 volume type",
        );
    }

    #[test]
    fn claims() {
        check(
            &create_claim(
                &json!({"spec": {"accessModes": ["Nope"], "resources": {"requests": {"storage": "1Gi"}}}}),
            ),
            "spec.accessModes: Unsupported value: \"Nope\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"",
        );
    }
}
