//! The storage class that a claim or a volume names.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class>.

use json_tree::{Map, Value};

/// The annotation by which classes were named before there was a field.
pub const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// The annotations of the class that claims without one get.
pub const DEFAULT: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// Returns the class that a claim or a volume names, which may be the empty one; the annotation counts more than the field.
pub fn named(object: &Map<String, Value>) -> Option<&str> {
    let annotation = || object.get("metadata")?.get("annotations")?.get(OLD_CLASS)?.as_str();
    annotation().or_else(|| object.get("spec")?.get("storageClassName")?.as_str())
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(object: &Value, expected: Option<&str>) {
        assert_eq!(named(object.as_object().unwrap()), expected);
    }

    #[test]
    fn an_annotation_counts_more_than_the_field() {
        check(&json!({}), None);
        check(&json!({"spec": {"storageClassName": ""}}), Some(""));
        check(&json!({"spec": {"storageClassName": "fast"}}), Some("fast"));
        let annotations = json!({OLD_CLASS: "slow"});
        check(
            &json!({"metadata": {"annotations": annotations}, "spec": {"storageClassName": "fast"}}),
            Some("slow"),
        );
    }
}
