//! ResourceSlice.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#resourceslice>.

use json_tree::Value;

use super::checks::{driver_name, go_value, named};
use super::node_selector;
use super::read::{at, get, integer, list, same, text};
use super::resource_claim::{duplicates, pool_name};
use crate::validation::name;
use field::{Error, Path};

/// What is wrong with a slice of a driver's devices.
pub(super) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = driver_name(text(spec, "driver"), &path.child("driver"));
    let (pool, at_pool) = (at(spec, "/pool"), path.child("pool"));
    errors.extend(pool_name(text(pool, "name"), &at_pool.child("name")));
    let count = integer(pool, "resourceSliceCount").unwrap_or_default();
    if count <= 0 {
        let at = at_pool.child("resourceSliceCount");
        errors.push(Error::invalid(&at, count, "must be greater than zero"));
    }
    let generation = integer(pool, "generation").unwrap_or_default();
    if generation < 0 {
        let why = "must be greater than or equal to zero";
        errors.push(Error::invalid(&at_pool.child("generation"), generation, why));
    }
    if let Some(node) = get(spec, "nodeName").and_then(Value::as_str) {
        errors.extend(named(node, name::subdomain, &path.child("nodeName")));
    }
    if let Some(selector) = get(spec, "nodeSelector") {
        errors.extend(node_selector::validate(selector, &path.child("nodeSelector")));
    }
    let devices = list(spec, "devices");
    for (index, device) in devices.iter().enumerate() {
        let at = path.child("devices").index(index).child("name");
        errors.extend(named(text(device, "name"), name::label, &at));
    }
    errors.extend(duplicates(devices, &path.child("devices")));
    errors
}

/// What is wrong with a changed slice: the driver, the pool and the node stay.
pub(super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = create(object);
    let stays = |spec: &Value, was: &Value, field: &str, at: Path| {
        let changed = !same(get(spec, field), get(was, field));
        changed.then(|| Error::invalid(&at, go_value(spec, field), "field is immutable"))
    };
    errors.extend(stays(spec, was, "driver", path.child("driver")));
    errors.extend(stays(at(spec, "/pool"), at(was, "/pool"), "name", path.child("pool").child("name")));
    errors.extend(stays(spec, was, "nodeName", path.child("nodeName")));
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn slices() {
        let slice = |pool: &str, count: i64| {
            json!({"spec": {"driver": "d.io", "pool": {"name": pool, "resourceSliceCount": count}, "nodeName": "n",
                "devices": [{"name": "a"}]}})
        };
        check(&create(&slice("a/b", 1)), "");
        check(
            &create(&slice("", 0)),
            "[spec.pool.name: Required value, spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero]",
        );
        check(
            &update(&slice("a", 1), &slice("b", 1)),
            "spec.pool.name: Invalid value: \"a\": field is immutable",
        );
    }
}
