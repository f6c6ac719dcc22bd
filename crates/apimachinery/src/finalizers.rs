//! Finalizers, and those by which the garbage collector learns what becomes of dependents.
//!
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/>

use json_tree::Value;

use crate::object::{METADATA_ORDER, Object, metadata, metadata_mut, set_in_order};

/// The finalizer by which the dependents of an object lose their owner.
pub const ORPHAN: &str = "orphan";
/// The finalizer by which the dependents of an object are deleted before it.
pub const FOREGROUND: &str = "foregroundDeletion";

/// Adds a finalizer, unless the object has it.
pub fn add_finalizer(object: &mut Object, finalizer: &str) {
    let metadata = metadata_mut(object);
    let mut finalizers = metadata.get("finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    if !finalizers.iter().any(|name| name == finalizer) {
        finalizers.push(finalizer.into());
        set_in_order(metadata, "finalizers", finalizers.into(), METADATA_ORDER);
    }
}

/// Leaves of the finalizers of the garbage collector the one that is wanted. An object that has no other ones of these stays as it is,
/// even if it has that one twice.
pub fn keep_of_collection(object: &mut Object, wanted: Option<&str>) {
    let own: Vec<Value> =
        metadata(object, "finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    let collected = |name: &Value| *name == ORPHAN || *name == FOREGROUND;
    let present: Vec<&Value> = own.iter().filter(|name| collected(name)).collect();
    if present.is_empty() == wanted.is_none()
        && present.iter().all(|name| wanted.is_some_and(|own| **name == own))
    {
        return;
    }
    let mut finalizers: Vec<Value> = own.iter().filter(|name| !collected(name)).cloned().collect();
    finalizers.extend(wanted.map(Value::from));
    let metadata = metadata_mut(object);
    if finalizers.is_empty() {
        metadata.shift_remove("finalizers");
    } else {
        set_in_order(metadata, "finalizers", finalizers.into(), METADATA_ORDER);
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn finalizers_of_the_garbage_collector() {
        let check = |own: &[&str], wanted: Option<&str>, expected: &[&str]| {
            let mut object = Object::new();
            set_in_order(metadata_mut(&mut object), "finalizers", json!(own), METADATA_ORDER);
            keep_of_collection(&mut object, wanted);
            let found = metadata(&object, "finalizers").cloned().unwrap_or_else(|| json!([]));
            assert_eq!(found, json!(expected), "{own:?} {wanted:?}");
        };
        check(&["a/b", ORPHAN], None, &["a/b"]);
        check(&[ORPHAN, "a/b"], Some(FOREGROUND), &["a/b", FOREGROUND]);
        check(&["a/b"], Some(ORPHAN), &["a/b", ORPHAN]);
        check(&[ORPHAN, "a/b"], Some(ORPHAN), &[ORPHAN, "a/b"]);
        check(&[ORPHAN, ORPHAN], Some(ORPHAN), &[ORPHAN, ORPHAN]);
        check(&[ORPHAN, FOREGROUND], Some(ORPHAN), &[ORPHAN]);
        check(&[ORPHAN], None, &[]);
    }
}
