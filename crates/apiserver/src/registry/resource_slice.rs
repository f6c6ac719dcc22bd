//! ResourceSlices: the taints of devices say since when they are there.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#device-taints-and-tolerations>

use schema::Resource;

use crate::defaults::object::Object as Fields;
use crate::object::Object;

/// Sets the time of those taints whose writer does not say it.
pub(crate) fn stamp_taints(resource: &Resource, slice: &mut Object, now: &str) {
    const PACKAGE: &str = "k8s.io/api/resource/v1";
    if resource.group != "resource.k8s.io" || resource.name != "resourceslices" {
        return;
    }
    let Some(mut slice) = Fields::builtin(PACKAGE, "ResourceSlice", slice) else { return };
    let Some(mut spec) = slice.child("spec") else { return };
    spec.for_each("devices", |device| {
        device.for_each("taints", |taint| {
            if taint.get("timeAdded").is_none() {
                taint.set("timeAdded", now);
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
        let resource = schema::resources().iter().find(|row| row.name == "resourceslices");
        let taints = json!([{"key": "a", "effect": "NoExecute"}, {"key": "b", "timeAdded": "then"}]);
        let Value::Object(mut slice) = json!({"spec": {"devices": [{"name": "d", "taints": taints}]}}) else {
            panic!("no object")
        };
        stamp_taints(resource.expect("there are slices"), &mut slice, "now");
        assert_eq!(
            slice["spec"]["devices"][0]["taints"].to_string(),
            r#"[{"key":"a","effect":"NoExecute","timeAdded":"now"},{"key":"b","timeAdded":"then"}]"#
        );
    }
}
