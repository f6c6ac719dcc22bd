//! The devices of drivers: some of what may be said of them is not of use yet.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#resourceslice>

use json_tree::{Map, Value};

use super::{Strategy, TRACKED};
use crate::storage::Object;

/// Attributes with several values.
const LISTS: [&str; 4] = ["ints", "bools", "strings", "versions"];
const MAPPINGS: &str = "nodeAllocatableResourceMappings";

pub(super) const STRATEGY: Strategy = Strategy {
    delete_answers_object: true,
    prepare_for_create: |slice| drop(slice, &Object::new()),
    prepare_for_update: drop,
    ..TRACKED
};

/// Leaves out the fields whose feature gates are off, unless the stored slice has some.
fn drop(slice: &mut Object, old: &Object) {
    let (lists, mappings) = (has_lists(old), devices(old).any(|device| device.get(MAPPINGS).is_some()));
    let found = slice.get_mut("spec").and_then(|spec| spec.get_mut("devices")).and_then(Value::as_array_mut);
    for device in found.into_iter().flatten().filter_map(Value::as_object_mut) {
        if !mappings {
            device.shift_remove(MAPPINGS);
        }
        let attributes = device.get_mut("attributes").and_then(Value::as_object_mut).filter(|_| !lists);
        for attribute in attributes.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
            for field in LISTS {
                attribute.shift_remove(field);
            }
        }
    }
}

fn has_lists(slice: &Object) -> bool {
    let mut attributes = devices(slice).filter_map(|device| device.get("attributes")?.as_object()).flatten();
    attributes.any(|(_, attribute)| LISTS.iter().any(|field| attribute.get(field).is_some()))
}

fn devices(slice: &Object) -> impl Iterator<Item = &Value> {
    let devices = slice.get("spec").and_then(|spec| spec.get("devices")).and_then(Value::as_array);
    devices.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn what_is_not_of_use_yet_is_left_out() {
        let slice = |attributes: Value| {
            let device = json!({"name": "a", "attributes": attributes, "nodeAllocatableResourceMappings": {"cpu": {}}});
            json!({"spec": {"devices": [device]}}).as_object().cloned().unwrap_or_default()
        };
        let lists = json!({"a": {"ints": [1]}, "b": {"int": 1}});
        let mut new = slice(lists.clone());
        drop(&mut new, &Object::new());
        let kept = json!({"name": "a", "attributes": {"a": {}, "b": {"int": 1}}});
        assert_eq!(new["spec"]["devices"][0], kept);
        let mut new = slice(lists.clone());
        let old = slice(lists);
        drop(&mut new, &old);
        assert_eq!(new, old);
    }
}
