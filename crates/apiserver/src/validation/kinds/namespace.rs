//! Namespace.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/>.

use serde_json::Value;

use super::read::{at, get, list, text};
use crate::field::{Error, Path};
use crate::validation::metadata;

/// What is wrong with a new namespace.
pub(super) fn create(object: &Value) -> Vec<Error> {
    let path = Path::new("spec").child("finalizers");
    let finalizers = list(at(object, "/spec"), "finalizers").iter().enumerate();
    finalizers
        .flat_map(|(index, finalizer)| {
            metadata::finalizer(finalizer.as_str().unwrap_or_default(), &path.index(index))
        })
        .collect()
}

/// What is wrong with a status: its phase is that of the namespace.
pub(super) fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let phase = text(at(object, "/status"), "phase");
    let deleted = get(at(object, "/metadata"), "deletionTimestamp").is_some();
    let (expected, state) = if deleted { ("Terminating", "not empty") } else { ("Active", "empty") };
    if phase == expected {
        return Vec::new();
    }
    let why = format!("may only be '{expected}' if `deletionTimestamp` is {state}");
    vec![Error::invalid(&Path::new("status").child("Phase"), phase, why)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finalizers_are_known_or_qualified() {
        let errors = create(&json!({"spec": {"finalizers": ["kubernetes", "x.example.com/y", "plain"]}}));
        let texts: Vec<String> = errors.iter().map(Error::to_string).collect();
        assert_eq!(
            texts,
            [
                "spec.finalizers[2]: Invalid value: \"plain\": name is neither a standard finalizer name nor is it fully qualified"
            ]
        );
    }
}
