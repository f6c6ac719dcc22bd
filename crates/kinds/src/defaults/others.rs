//! The groups that have few computed defaults each.

use json_tree::{Map, Value, json};

use apimachinery::typed_object::TypedObject;

/// See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/>.
pub(super) fn autoscaler_v1(autoscaler: &mut TypedObject<'_>) {
    // Metrics that this version has no fields for are in an annotation.
    let has_metrics = autoscaler
        .get("metadata")
        .and_then(|metadata| metadata.get("annotations"))
        .is_some_and(|annotations| annotations.get("autoscaling.alpha.kubernetes.io/metrics").is_some());
    if !has_metrics && let Some(mut spec) = autoscaler.ensure("spec") {
        spec.default("targetCPUUtilizationPercentage", 80);
    }
}

/// See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#default-behavior>.
pub(super) fn autoscaler_v2_spec(spec: &mut TypedObject<'_>) {
    if spec.list("metrics").is_empty() {
        spec.set(
            "metrics",
            json!([{
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
            }]),
        );
    }
    let Some(mut behavior) = spec.child("behavior") else {
        return;
    };
    let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
    if let Some(mut up) = behavior.ensure("scaleUp") {
        up.default("stabilizationWindowSeconds", 0);
        up.default("selectPolicy", "Max");
        up.default("policies", json!([pods, percent]));
    }
    if let Some(mut down) = behavior.ensure("scaleDown") {
        down.default("selectPolicy", "Max");
        down.default("policies", json!([percent]));
    }
}

/// See <https://kubernetes.io/docs/concepts/services-networking/network-policies/#networkpolicy-resource>.
pub(super) fn network_policy_spec(spec: &mut TypedObject<'_>) {
    if spec.list("policyTypes").is_empty() {
        let mut types = vec!["Ingress"];
        if !spec.list("egress").is_empty() {
            types.push("Egress");
        }
        spec.set("policyTypes", types);
    }
}

/// Users and groups are of the RBAC group, service accounts of the core group.
pub(super) fn subject(subject: &mut TypedObject<'_>) {
    if matches!(subject.text("kind"), "User" | "Group") {
        subject.default("apiGroup", "rbac.authorization.k8s.io");
    }
}

/// See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>.
pub(super) fn device_request(request: &mut TypedObject<'_>) {
    request.default("allocationMode", "ExactCount");
    if request.text("allocationMode") == "ExactCount" {
        request.default("count", 1);
    }
}

/// See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/>.
pub(super) fn custom_resource_definition(definition: &mut TypedObject<'_>) {
    let Some(mut spec) = definition.ensure("spec") else {
        return;
    };
    if let Some(mut names) = spec.ensure("names") {
        let kind = names.text("kind").to_owned();
        if !kind.is_empty() {
            names.default("singular", kind.to_ascii_lowercase());
            names.default("listKind", format!("{kind}List"));
        }
    }
    if !spec.is_set("conversion") {
        spec.set("conversion", json!({"strategy": "None"}));
    }
    let stored = spec
        .list("versions")
        .iter()
        .filter_map(Value::as_object)
        .find(|version| version.get("storage") == Some(&Value::Bool(true)))
        .and_then(version_name);
    if let (Some(stored), Some(mut status)) = (stored, definition.ensure("status")) {
        status.default("storedVersions", vec![stored]);
    }
}

fn version_name(version: &Map<String, Value>) -> Option<String> {
    Some(version.get("name")?.as_str()?.to_owned())
}
