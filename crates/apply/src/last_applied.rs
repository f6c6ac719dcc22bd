//! The configuration that `kubectl apply` noted before it applied on the server.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply>

use json_tree::Value;
use schema::Types;

use crate::conflict::Conflict;
use crate::set::Set;
use crate::shape::Shape;
use crate::typed::Typed;
use crate::value;

/// The annotation in which it is noted.
pub const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The manager that may override what it covers.
pub const KUBECTL: &str = "kubectl";

/// The note in an object's annotations.
pub fn of(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str().filter(|text| !text.is_empty())
}

/// Notes a configuration in the annotations of an object that has any.
pub fn note(object: &mut Value, config: &Value) {
    let mut noted = config.clone();
    if let Some(annotations) = noted.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.shift_remove(ANNOTATION);
    }
    noted.sort_all_objects();
    let mut text = String::new();
    value::write_json(&noted, &mut text);
    text.push('\n');
    if let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.insert(ANNOTATION.to_owned(), text.into());
    }
}

/// The fields of the note that the live object still has as they are noted. `None` if there is no note, or not one
/// in this API version.
pub fn covered(types: &Types, root: Shape<'_>, api_version: &str, live: &Value) -> Option<Set> {
    let noted: Value = of(live)?.parse().ok()?;
    if noted.get("apiVersion").and_then(Value::as_str) != Some(api_version) {
        return None;
    }
    let typed = |value| Typed { types, shape: root, value };
    typed(&noted).validate().ok()?;
    let (of_noted, of_live) = (typed(&noted).to_set(), typed(live).to_set());
    let changed = typed(&noted).compare(live);
    Some(of_noted.intersection(&of_live).difference(&changed.modified).difference(&changed.removed))
}

/// The conflicts that are not about covered fields.
pub fn remaining(conflicts: &[Conflict], covered: &Set) -> Vec<Conflict> {
    let rest = conflicts.iter().map(|conflict| Conflict {
        manager: conflict.manager.clone(),
        set: conflict.set.difference(covered),
    });
    rest.filter(|conflict| !conflict.set.is_empty()).collect()
}
