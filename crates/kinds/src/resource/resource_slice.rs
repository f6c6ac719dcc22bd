//! The kind ResourceSlice.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#resourceslice>.

mod printer;
mod strategy;
mod warnings;

use json_tree::{Map, Value};

use crate::kind::{Checks, Kind, Printer, Strategy};
use crate::resource::device::{self, pool_name};
use crate::validation::checks::{distinct, driver_name, go_value, required_name};
use crate::validation::name;
use crate::validation::read::{at, get, integer, is_true, list, same, text};
use apimachinery::object::Object;
use apimachinery::selector::field::{SelectableFields, Source, Unknown};
use field::{AddError, Error, Path};

/// The kind ResourceSlice.
pub(crate) struct ResourceSlice;

impl Kind for ResourceSlice {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "resourceslices";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields {
        unknown: Unknown::For("resource.k8s.io/v1, Kind=ResourceSlice"),
        ..SelectableFields::of(
            false,
            &[
                ("spec.nodeName", Source::At("/spec/nodeName", "")),
                ("spec.driver", Source::At("/spec/driver", "")),
            ],
        )
    });
    const STRATEGY: Strategy = strategy::STRATEGY;

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        drop_disabled(object, old.and_then(|old| old.get("spec")));
    }

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update).warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Attributes of devices with several values.
const LISTS: [&str; 4] = ["ints", "bools", "strings", "versions"];

/// `DRAListTypeAttributes` and `DRANodeAllocatableResources`: what some device of the slice had before may stay.
fn drop_disabled(slice: &mut Object, before: Option<&Value>) {
    const MAPPINGS: &str = "nodeAllocatableResourceMappings";
    let had = |what: fn(&Value) -> bool| {
        let devices = before.and_then(|spec| spec.get("devices")).and_then(Value::as_array);
        devices.into_iter().flatten().any(what)
    };
    let (lists, mappings) = (had(has_lists), had(|device| device.get(MAPPINGS).is_some()));
    let Some(Value::Object(spec)) = slice.get_mut("spec") else { return };
    let devices = spec.get_mut("devices").and_then(Value::as_array_mut).into_iter().flatten();
    for device in devices.filter_map(Value::as_object_mut) {
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

fn has_lists(device: &Value) -> bool {
    let attributes = device.get("attributes").and_then(Value::as_object);
    let mut attributes = attributes.into_iter().flat_map(|attributes| attributes.iter());
    attributes.any(|(_, attribute)| LISTS.iter().any(|field| attribute.get(field).is_some()))
}

const MAX_DEVICES: usize = 128;
/// As many devices as there may be where some have taints or take from counters.
const MAX_SPECIAL_DEVICES: usize = 64;
const MAX_SETS: usize = 8;

/// Validates a ResourceSlice: a slice of a driver's devices.
fn create(object: &Value) -> Vec<Error> {
    validate(object, None)
}

/// Validates an update of a ResourceSlice: the driver, the name of the pool and the name of the node cannot change.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    validate(object, Some(old))
}

fn validate(object: &Value, old: Option<&Value>) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let was = old.map(|old| at(old, "/spec"));
    let mut errors = driver_name(text(spec, "driver"), &path.child("driver"));
    errors.extend(pool(at(spec, "/pool"), &path.child("pool")));
    if let Some(was) = was {
        let stays = |spec: &Value, was: &Value, field: &'static str, path: &Path| {
            let changed = !same(get(spec, field), get(was, field));
            changed.then(|| Error::invalid(path.child(field), go_value(spec, field), "field is immutable"))
        };
        errors.extend(stays(at(spec, "/pool"), at(was, "/pool"), "name", &path.child("pool")));
        errors.extend(stays(spec, was, "driver", &path));
        errors.extend(stays(spec, was, "nodeName", &path));
    }
    errors.extend(nodes(spec, &path));
    let present = |field: &str| get(spec, field).is_some();
    if present("sharedCounters") && present("devices") {
        errors.invalid(&path, "", "only one of `sharedCounters` or `devices` is allowed");
    }
    let devices = list(spec, "devices");
    let has = |device: &Value, field: &str| !list(device, field).is_empty();
    let special = devices.iter().any(|device| has(device, "taints") || has(device, "consumesCounters"));
    let max = if special { MAX_SPECIAL_DEVICES } else { MAX_DEVICES };
    let before = was.map(|was| list(was, "devices")).unwrap_or_default();
    let own_nodes = is_true(spec, "perDeviceNodeSelection");
    errors.extend(distinct(devices, max, "name", &path.child("devices"), |device, path| {
        let before = before.iter().find(|before| text(before, "name") == text(device, "name"));
        device::device(device, before, own_nodes, path)
    }));
    let sets = list(spec, "sharedCounters");
    errors.extend(distinct(sets, MAX_SETS, "name", &path.child("sharedCounters"), |set, path| {
        let mut errors = required_name(set, "name", name::label, path);
        errors.extend(device::counters(set, path));
        errors
    }));
    errors
}

fn pool(pool: &Value, path: &Path) -> Vec<Error> {
    let mut errors = pool_name(text(pool, "name"), &path.child("name"));
    let count = integer(pool, "resourceSliceCount").unwrap_or_default();
    if count <= 0 {
        errors.invalid(path.child("resourceSliceCount"), count, "must be greater than zero");
    }
    let generation = integer(pool, "generation").unwrap_or_default();
    if generation < 0 {
        let why = "must be greater than or equal to zero";
        errors.invalid(path.child("generation"), generation, why);
    }
    errors
}

/// Validates the fields that say which nodes can use the devices.
fn nodes(spec: &Value, path: &Path) -> Vec<Error> {
    const ONE: &str =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    let not_empty = "must be either unset or set to a non-empty string";
    let (mut errors, mut given) = device::node_fields(spec, not_empty, true, path);
    let field = "perDeviceNodeSelection";
    if is_true(spec, field) {
        given.push("`perDeviceNodeSelection`");
    } else if get(spec, field).is_some() {
        errors.invalid(path.child(field), false, "must be either unset or set to true");
    }
    errors.extend(match given.as_slice() {
        [] => Some(Error::required(path, ONE)),
        [_] => None,
        _ => {
            let why = format!("{ONE}, but multiple fields are set");
            Some(Error::invalid(path, format!("{{{}}}", given.join(", ")), why))
        }
    });
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    fn slice(more: Value) -> Value {
        let mut spec = json!({"driver": "d.io", "pool": {"name": "a/b", "resourceSliceCount": 1}});
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
            spec.extend(more);
        }
        json!({ "spec": spec })
    }

    #[test]
    fn slices() {
        check(&create(&slice(json!({"nodeName": "n", "devices": [{"name": "a"}]}))), "");
        let pool = |name: &str, count: i64| {
            slice(json!({"nodeName": "n", "pool": {"name": name, "resourceSliceCount": count}}))
        };
        check(
            &create(&pool("", 0)),
            "[spec.pool.name: Required value, spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero]",
        );
        check(
            &update(&pool("a", 1), &pool("b", 1)),
            "spec.pool.name: Invalid value: \"a\": field is immutable",
        );
        check(
            &create(&slice(json!({"nodeName": "n", "devices": [{"name": "a"}, {"name": "a"}]}))),
            "spec.devices[1]: Duplicate value: \"a\"",
        );
    }

    #[test]
    fn places() {
        const ONE: &str =
            "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
        check(&create(&slice(json!({}))), &format!("spec: Required value: {ONE}"));
        check(
            &create(&slice(json!({"nodeName": "n", "allNodes": true}))),
            &format!(
                "spec: Invalid value: \"{{`nodeName`, `allNodes`}}\": {ONE}, but multiple fields are set"
            ),
        );
        check(
            &create(&slice(
                json!({"nodeName": "n", "allNodes": false, "nodeSelector": {"nodeSelectorTerms": []}}),
            )),
            &format!(
                "[spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term, \
                 spec.nodeSelector.nodeSelectorTerms: Invalid value: []: must have exactly one node selector term, \
                 spec.allNodes: Invalid value: false: must be either unset or set to true, \
                 spec: Invalid value: \"{{`nodeName`, `nodeSelector`}}\": {ONE}, but multiple fields are set]"
            ),
        );
    }

    #[test]
    fn counters() {
        check(
            &create(&slice(
                json!({"allNodes": true, "sharedCounters": [{"counters": {"A": {"value": "1"}}}, {"name": "s"}],
                "devices": []}),
            )),
            "[spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is allowed, \
             spec.sharedCounters[0].name: Required value, \
             spec.sharedCounters[0].counters: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), \
             spec.sharedCounters[1].counters: Required value]",
        );
    }
}
