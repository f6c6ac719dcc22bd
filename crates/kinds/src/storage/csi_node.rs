//! The kind CSINode.

mod printer;

use std::collections::{HashMap, HashSet};

use json_tree::{Value, json};

use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::{driver_name, go_value, named, repeated, texts};
use crate::validation::name;
use crate::validation::read::{at, get, list, same, text};
use crate::validation::values::not_negative;
use field::{AddError, Error, Path};

/// The kind CSINode.
pub(crate) struct CSINode;

impl Kind for CSINode {
    const GROUP: &'static str = "storage.k8s.io";
    const RESOURCE: &'static str = "csinodes";
    const STRATEGY: Strategy = Strategy { requires_version: true, ..ANSWERS_OBJECT };
    const UPDATE_PASSES: &'static [Pass] = passes::CHANGE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const MAX_NODE_ID: usize = 192;

/// Validates the drivers of a CSINode.
fn create(object: &Value) -> Vec<Error> {
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
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn nodes() {
        let node = |drivers: Value| json!({"spec": {"drivers": drivers}});
        check(
            &create(&node(json!([{"name": "d"}, {"name": "d", "nodeID": "x", "topologyKeys": ["k", "k"]}]))),
            "[spec.drivers[0].nodeID: Required value, spec.drivers[1].name: Duplicate value: \"d\", \
             spec.drivers[1]: Duplicate value: \"k\"]",
        );
        let old = node(json!([{"name": "d", "nodeID": "x"}]));
        check(&update(&node(json!([{"name": "d", "nodeID": "x", "allocatable": {"count": 1}}])), &old), "");
        check(
            &update(&node(json!([{"name": "d", "nodeID": "y"}])), &old),
            "spec.drivers: Invalid value: {\"Name\":\"d\",\"NodeID\":\"y\",\"TopologyKeys\":null,\"Allocatable\":null}: field is immutable",
        );
    }
}
