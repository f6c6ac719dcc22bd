//! Small kinds that describe the cluster: StorageClass, CSINode and APIService.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/>.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    read::{at, get, integer, list, map, same, text},
    values::one_of,
};
use crate::field::{Error, Path, quote};
use crate::validation::{metadata::immutable, name};

const STORAGE_FIELDS: [&str; 4] = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"];

pub(super) fn create_storage_class(object: &Value) -> Vec<Error> {
    let (provisioner, path) = (text(object, "provisioner").to_ascii_lowercase(), Path::new("provisioner"));
    let mut errors = Vec::new();
    if provisioner.is_empty() {
        errors.push(Error::required(&path, ""));
    } else {
        let complaints = name::qualified_name(&provisioner);
        errors.extend(complaints.into_iter().map(|why| Error::invalid(&path, provisioner.as_str(), why)));
    }
    if map(object, "parameters").is_some_and(|parameters| parameters.contains_key("")) {
        errors.push(Error::invalid(&Path::new("parameters"), "", "field can not be empty."));
    }
    let root = Path::default();
    errors.extend(one_of(object, "reclaimPolicy", &["Delete", "Retain"], &root));
    errors.extend(one_of(object, "volumeBindingMode", &["Immediate", "WaitForFirstConsumer"], &root));
    errors
}

pub(super) fn update_storage_class(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, &STORAGE_FIELDS)
}

/// What is wrong with the registration of a group's version.
pub(super) fn create_api_service(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let required = format!("{}.{}", text(spec, "version"), text(spec, "group"));
    let this = text(at(object, "/metadata"), "name");
    let mut errors = Vec::new();
    if name::path_segment(this).is_empty() && this != required {
        let why = format!("must be `spec.version+\".\"+spec.group`: {}", quote(&required));
        errors.push(Error::invalid(&Path::new("metadata").child("name"), this, why));
    }
    for (field, max) in [("groupPriorityMinimum", 20000), ("versionPriority", 1000)] {
        let priority = integer(spec, field).unwrap_or_default();
        if !(1..=max).contains(&priority) {
            let why = format!("must be positive and less than {max}");
            errors.push(Error::invalid(&path.child(field), priority, why));
        }
    }
    errors
}

pub(super) fn create_csi_node(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut names = HashSet::new();
    for (index, driver) in list(at(object, "/spec"), "drivers").iter().enumerate() {
        let path = Path::new("spec").child("drivers").index(index);
        let this = text(driver, "name");
        if this.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        }
        if text(driver, "nodeID").is_empty() {
            errors.push(Error::required(&path.child("nodeID"), ""));
        }
        if !names.insert(this) {
            errors.push(Error::duplicate(&path.child("name"), this));
        }
    }
    errors
}

fn unchanged(object: &Value, old: &Value, fields: &[&str]) -> Vec<Error> {
    let changed = fields.iter().filter(|field| !same(get(object, field), get(old, field)));
    changed
        .map(|field| immutable(&Path::new(field), get(object, field).cloned().unwrap_or_default()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn classes() {
        check(&create_storage_class(&json!({"provisioner": "X.io/y"})), "");
        check(
            &create_storage_class(&json!({"reclaimPolicy": "Hoard", "volumeBindingMode": "Never"})),
            "[provisioner: Required value, \
             reclaimPolicy: Unsupported value: \"Hoard\": supported values: \"Delete\", \"Retain\", \
             volumeBindingMode: Unsupported value: \"Never\": supported values: \"Immediate\", \"WaitForFirstConsumer\"]",
        );
        check(
            &update_storage_class(
                &json!({"provisioner": "q", "parameters": {"a": "b"}}),
                &json!({"provisioner": "p"}),
            ),
            "[parameters: Invalid value: {\"a\":\"b\"}: field is immutable, provisioner: Invalid value: \"q\": field is immutable]",
        );
    }

    #[test]
    fn registrations() {
        let service = |name: &str, priority: i64| {
            json!({"metadata": {"name": name}, "spec": {"group": "a.io", "version": "v1",
                "groupPriorityMinimum": priority, "versionPriority": 1}})
        };
        check(&create_api_service(&service("v1.a.io", 1)), "");
        check(
            &create_api_service(&service("x", 0)),
            "[metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`: \"v1.a.io\", \
             spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000]",
        );
        check(
            &create_csi_node(&json!({"spec": {"drivers": [{"name": "d"}, {"name": "d", "nodeID": "x"}]}})),
            "[spec.drivers[0].nodeID: Required value, spec.drivers[1].name: Duplicate value: \"d\"]",
        );
    }
}
