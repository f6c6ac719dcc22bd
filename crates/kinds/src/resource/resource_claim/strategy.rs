//! Claims of devices: what drivers say of devices that are given back, and who may have more than others.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>

use std::time::Duration;

use json_tree::Value;
use schema::Resource;

use crate::kind::{ANSWERS_OBJECT, Objects, Strategy, keep_metadata};
use crate::validation::Change;
use apimachinery::object::Object;
use field::{Error, Path};

/// The label of a namespace whose claims may ask for devices that others use.
const ADMIN: &str = "resource.kubernetes.io/admin-access";

pub(crate) const STRATEGY: Strategy = Strategy { prepare_for_status_update, ..TEMPLATE };

/// The strategy of templates of claims.
pub(crate) const TEMPLATE: Strategy = Strategy { validate_with_others: Some(admin_access), ..ANSWERS_OBJECT };

/// Removes the status of devices that the claim no longer has.
fn prepare_for_status_update(claim: &mut Object, old: &Object, now: Duration) {
    keep_metadata(claim, old, now);
    let (had, has) = (results(old), results(claim));
    let gone: Vec<_> =
        had.iter().map(identity).filter(|one| !has.iter().map(identity).any(|other| other == *one)).collect();
    let Some(status) = claim.get_mut("status").and_then(Value::as_object_mut) else { return };
    let Some(devices) = status.get_mut("devices").and_then(Value::as_array_mut) else { return };
    devices.retain(|device| !gone.contains(&identity(device)));
    if devices.is_empty() {
        status.shift_remove("devices");
    }
}

fn results(claim: &Object) -> Vec<Value> {
    let results = claim.get("status").and_then(|status| status.pointer("/allocation/devices/results"));
    results.and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Returns the fields that tell a device, or a share of one, from others.
fn identity(of: &Value) -> [String; 4] {
    ["driver", "pool", "device", "shareID"].map(|field| of[field].as_str().unwrap_or_default().to_owned())
}

/// The error of a claim, or of a template of claims, that asks for devices that others use, or got them, in a namespace
/// where that may not be.
fn admin_access(objects: &dyn Objects, resource: &Resource, change: &Change<'_>) -> Option<Error> {
    const ASKED: (&str, &str) = ("/spec/devices/requests", "/exactly/adminAccess");
    const GOT: (&str, &str) = ("/status/allocation/devices/results", "/adminAccess");
    // Where they are looked for, and where the API server says that they are: of templates it names the claim's fields.
    let (object, list, (shown, field)) = match (resource.storage.resource.as_str(), *change) {
        ("resourceclaims", Change::New(claim)) => (claim, ASKED.0, ASKED),
        ("resourceclaimtemplates", Change::New(template)) => (template, "/spec/spec/devices/requests", ASKED),
        ("resourceclaims", Change::Part { subresource: "status", object, old }) => {
            if first(old, GOT.0, GOT.1).is_some() {
                return None;
            }
            (object, GOT.0, GOT)
        }
        _ => return None,
    };
    let index = first(object, list, field)?;
    let key = ["/registry/namespaces/", object["metadata"]["namespace"].as_str()?].concat();
    let namespace = objects.get(&key)?;
    if namespace.get("metadata").is_some_and(|metadata| metadata["labels"][ADMIN] == "true") {
        return None;
    }
    let mut parts = shown.split('/').skip(1);
    let start = Path::new(parts.next().unwrap_or_default());
    let path = parts.fold(start, |path, part| path.named(part)).index(index).child("adminAccess");
    let why =
        format!("admin access to devices requires the `{ADMIN}: true` label on the containing namespace");
    Some(Error::forbidden(&path, why))
}

/// The first item of a list in which the field is true.
fn first(object: &Value, list: &str, field: &str) -> Option<usize> {
    let items = object.pointer(list)?.as_array()?;
    items.iter().position(|item| item.pointer(field) == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn devices_that_are_given_back_are_forgotten() {
        let device = |name: &str| json!({"driver": "d.io", "pool": "p", "device": name});
        let claim = |allocation: Value, devices: Value| json!({"metadata": {"name": "c"}, "status": {"allocation": allocation, "devices": devices}});
        let allocation = |names: &[&str]| {
            let results: Vec<Value> = names.iter().map(|name| device(name)).collect();
            json!({"devices": {"results": results}})
        };
        let check = |new: Value, expected: Value| {
            let old = claim(allocation(&["a", "b"]), json!([device("a"), device("b")]));
            let (Value::Object(mut new), Value::Object(old)) = (new, old) else { return };
            prepare_for_status_update(&mut new, &old, Duration::ZERO);
            assert_eq!(new["status"].get("devices").cloned().unwrap_or_default(), expected);
        };
        let both = json!([device("a"), device("b")]);
        check(claim(allocation(&["a", "b"]), both.clone()), both.clone());
        check(claim(allocation(&["a"]), both.clone()), json!([device("a")]));
        check(claim(Value::Null, both), Value::Null);
    }
}
