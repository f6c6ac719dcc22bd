//! CSIDriver, CSINode and CSIStorageCapacity.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/csi-driver-v1/>.

use std::collections::{HashMap, HashSet};

use json_tree::{Value, json};

use crate::kinds::resource::names::negative;
use crate::validation::checks::{driver_name, go_value, named, repeated, subdomain, texts, unchanged};
use crate::validation::read::{at, get, integer, list, same, text};
use crate::validation::values::{not_negative, one_of};
use crate::validation::{label_selector, name};
use field::{AddError, Error, Path};

const MAX_NODE_ID: usize = 192;
const MODES: [&str; 2] = ["Persistent", "Ephemeral"];
const GROUP_POLICIES: [&str; 3] = ["File", "None", "ReadWriteOnceWithFSType"];

/// Validates a CSIDriver.
pub(crate) fn create_driver(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    for (field, called) in [
        ("attachRequired", "attachedRequired"),
        ("podInfoOnMount", "podInfoOnMount"),
        ("storageCapacity", "storageCapacity"),
    ] {
        if get(spec, field).is_none() {
            errors.required(path.child(called), "");
        }
    }
    errors.extend(one_of(spec, "fsGroupPolicy", &GROUP_POLICIES, &path));
    errors.extend(token_requests(spec, &path.child("tokenRequests")));
    for mode in texts(spec, "volumeLifecycleModes") {
        if !MODES.contains(&mode) {
            errors.not_supported(path.child("volumeLifecycleModes"), mode, &MODES);
        }
    }
    if get(spec, "seLinuxMount").is_none() {
        errors.required(path.child("seLinuxMount"), "");
    }
    errors.extend(period(spec, &path));
    if let Some(value) =
        get(spec, "serviceAccountTokenInSecrets").filter(|_| list(spec, "tokenRequests").is_empty())
    {
        let why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.invalid(path.child("serviceAccountTokenInSecrets"), value.clone(), why);
    }
    errors
}

/// Validates a changed CSIDriver.
pub(crate) fn update_driver(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = create_driver(object);
    for (field, called) in
        [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")]
    {
        if !same(get(spec, field), get(was, field)) {
            let value = go_value(spec, field);
            errors.invalid(path.child(called), value, "field is immutable");
        }
    }
    errors
}

fn period(spec: &Value, path: &Path) -> Option<Error> {
    let field = "nodeAllocatableUpdatePeriodSeconds";
    let seconds = integer(spec, field).filter(|seconds| *seconds < 10)?;
    Some(Error::invalid(path.child(field), seconds, "must be greater than or equal to 10 seconds"))
}

fn token_requests(spec: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut audiences: HashSet<&str> = HashSet::new();
    for (index, request) in list(spec, "tokenRequests").iter().enumerate() {
        let (path, audience) = (path.index(index), text(request, "audience"));
        if audiences.contains(&audience) {
            errors.duplicate(path.child("audience"), audience);
            continue;
        }
        audiences.insert(audience);
        let why = match integer(request, "expirationSeconds") {
            Some(seconds) if seconds < 600 => "may not specify a duration less than 10 minutes",
            Some(seconds) if seconds > 1 << 32 => "may not specify a duration larger than 2^32 seconds",
            _ => continue,
        };
        let value = go_value(request, "expirationSeconds");
        errors.invalid(path.child("expirationSeconds"), value, why);
    }
    errors
}

/// Validates the drivers of a CSINode.
pub(crate) fn create_node(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut names: HashSet<&str> = HashSet::new();
    for (index, driver) in list(at(object, "/spec"), "drivers").iter().enumerate() {
        let path = Path::new("spec").child("drivers").index(index);
        let (this, id) = (text(driver, "name"), text(driver, "nodeID"));
        errors.extend(driver_name(this, &path.child("name")));
        if id.is_empty() {
            errors.required(path.child("nodeID"), "");
        }
        if id.len() > MAX_NODE_ID {
            let why = format!("must be {MAX_NODE_ID} characters or less");
            errors.invalid(path.child("nodeID"), id, why);
        }
        errors.extend(not_negative(at(driver, "/allocatable"), "count", &path.child("allocatable")));
        if names.contains(&this) {
            errors.duplicate(path.child("name"), this);
        }
        names.insert(this);
        let keys = texts(driver, "topologyKeys");
        for (key, repeated) in keys.iter().zip(repeated(&keys)) {
            if key.is_empty() {
                errors.required(&path, "");
            }
            if repeated {
                errors.duplicate(&path, *key);
            }
            errors.extend(named(key, name::qualified_name, &path));
        }
    }
    errors
}

/// Validates changed drivers of a CSINode: what is known of a driver is immutable, except how many volumes it can
/// attach.
pub(crate) fn update_node(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create_node(object);
    let drivers = |object| list(at(object, "/spec"), "drivers");
    let mut by_name: HashMap<&str, Vec<&Value>> = HashMap::new();
    for driver in drivers(object) {
        by_name.entry(text(driver, "name")).or_default().push(driver);
    }
    for was in drivers(old) {
        for driver in by_name.get(text(was, "name")).into_iter().flatten() {
            let fields = ["nodeID", "topologyKeys"];
            let kept = fields.iter().all(|field| same(get(driver, field), get(was, field)));
            if !kept {
                let value = json!({"Name": text(driver, "name"), "NodeID": text(driver, "nodeID"),
                    "TopologyKeys": go_value(driver, "topologyKeys"), "Allocatable": null});
                let path = Path::new("spec").child("drivers");
                errors.invalid(&path, value, "field is immutable");
            }
        }
    }
    errors
}

/// Validates a CSIStorageCapacity, a report of how much storage there is.
pub(crate) fn create_capacity(object: &Value) -> Vec<Error> {
    let root = Path::default();
    let mut errors = get(object, "nodeTopology")
        .map(|topology| label_selector::validate(topology, &root.child("nodeTopology")))
        .unwrap_or_default();
    errors.extend(named(text(object, "storageClassName"), subdomain, &root.child("storageClassName")));
    errors.extend(negative(at(object, "/capacity"), &root.child("capacity")));
    errors
}

/// Validates a changed CSIStorageCapacity: its topology and its storage class are immutable.
pub(crate) fn update_capacity(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &["nodeTopology", "storageClassName"], &Path::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn drivers() {
        let driver = |more: Value| {
            let mut spec = json!({"attachRequired": true, "podInfoOnMount": false, "storageCapacity": false, "seLinuxMount": false});
            if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
                spec.extend(more);
            }
            json!({"metadata": {"name": "d.io"}, "spec": spec})
        };
        check(&create_driver(&driver(json!({}))), "");
        check(
            &create_driver(&driver(json!({"fsGroupPolicy": "Some", "volumeLifecycleModes": ["Never"],
                "tokenRequests": [{"audience": "a", "expirationSeconds": 1}, {"audience": "a"}]}))),
            "[spec.fsGroupPolicy: Unsupported value: \"Some\": supported values: \"File\", \"None\", \"ReadWriteOnceWithFSType\", \
             spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes, \
             spec.tokenRequests[1].audience: Duplicate value: \"a\", \
             spec.volumeLifecycleModes: Unsupported value: \"Never\": supported values: \"Persistent\", \"Ephemeral\"]",
        );
        check(
            &create_driver(&driver(json!({"serviceAccountTokenInSecrets": false}))),
            "spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified",
        );
        check(
            &update_driver(
                &driver(
                    json!({"attachRequired": false, "storageCapacity": true, "volumeLifecycleModes": ["Ephemeral"]}),
                ),
                &driver(json!({})),
            ),
            "[spec.attachedRequired: Invalid value: false: field is immutable, \
             spec.volumeLifecycleModes: Invalid value: [\"Ephemeral\"]: field is immutable]",
        );
    }

    #[test]
    fn nodes() {
        let node = |drivers: Value| json!({"spec": {"drivers": drivers}});
        check(
            &create_node(&node(
                json!([{"name": "d"}, {"name": "d", "nodeID": "x", "topologyKeys": ["k", "k"]}]),
            )),
            "[spec.drivers[0].nodeID: Required value, spec.drivers[1].name: Duplicate value: \"d\", \
             spec.drivers[1]: Duplicate value: \"k\"]",
        );
        let old = node(json!([{"name": "d", "nodeID": "x"}]));
        check(
            &update_node(&node(json!([{"name": "d", "nodeID": "x", "allocatable": {"count": 1}}])), &old),
            "",
        );
        check(
            &update_node(&node(json!([{"name": "d", "nodeID": "y"}])), &old),
            "spec.drivers: Invalid value: {\"Name\":\"d\",\"NodeID\":\"y\",\"TopologyKeys\":null,\"Allocatable\":null}: field is immutable",
        );
    }
}
