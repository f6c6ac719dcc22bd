//! Node.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/nodes/>.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    pod::TAINT_EFFECTS,
    read::{at, get, list, same, text},
    values::one_of,
};
use crate::field::{Error, Path};
use crate::validation::name;

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
}
