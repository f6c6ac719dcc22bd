//! ResourceSlices: the taints of devices say since when they are there.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#device-taints-and-tolerations>

use std::time::Duration;

use crate::kind::{Strategy, TRACKED};
use crate::resource::device::PACKAGE;
use apimachinery::object::Object;
use apimachinery::time;
use apimachinery::typed_object::TypedObject;

pub(super) const STRATEGY: Strategy =
    Strategy { delete_answers_object: true, stamp: Some(stamp_taints), ..TRACKED };

/// Sets the time of those taints whose writer does not say it.
fn stamp_taints(slice: &mut Object, now: Duration) {
    let now = time::rfc3339(now);
    let Some(mut slice) = TypedObject::builtin(PACKAGE, "ResourceSlice", slice) else { return };
    let Some(mut spec) = slice.child("spec") else { return };
    spec.for_each("devices", |device| {
        device.for_each("taints", |taint| {
            if taint.get("timeAdded").is_none() {
                taint.set("timeAdded", now.as_str());
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use json_tree::{Value, json};

    use super::*;

    #[test]
    fn taints_without_a_time_get_one() {
        let taints = json!([{"key": "a", "effect": "NoExecute"}, {"key": "b", "timeAdded": "then"}]);
        let Value::Object(mut slice) = json!({"spec": {"devices": [{"name": "d", "taints": taints}]}}) else {
            panic!("no object")
        };
        stamp_taints(&mut slice, Duration::from_secs(1_000_000_000));
        assert_eq!(
            slice["spec"]["devices"][0]["taints"].to_string(),
            r#"[{"key":"a","effect":"NoExecute","timeAdded":"2001-09-09T01:46:40Z"},{"key":"b","timeAdded":"then"}]"#
        );
    }
}
