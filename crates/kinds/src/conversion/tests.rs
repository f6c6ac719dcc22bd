#![expect(clippy::needless_pass_by_value, reason = "tests hand over what they write in place")]

use json_tree::json;

use super::*;
use json_tree::Value;

fn resource(group: &str, version: &str, name: &str) -> &'static Resource {
    let row = schema::resources()
        .iter()
        .find(|row| row.group == group && row.version == version && row.name == name);
    row.unwrap_or_else(|| panic!("{group}/{version} has {name}"))
}

/// The object as it is stored, and as it comes back; both as text, for the order of their keys.
#[track_caller]
fn check(resource: &Resource, sent: Value, stored: Value) {
    let mut object = sent.as_object().cloned().unwrap_or_default();
    to_storage(resource, &mut object);
    assert_eq!(Value::Object(object.clone()).to_string(), stored.to_string());
    if is_shown_otherwise(resource) {
        from_storage(resource, &mut object);
    }
    assert_eq!(Value::Object(object).to_string(), sent.to_string());
}

#[test]
fn events() {
    check(
        resource("events.k8s.io", "v1", "events"),
        json!({
            "metadata": {"name": "e"}, "eventTime": "2026-01-01T00:00:00.000000Z",
            "series": {"count": 2, "lastObservedTime": null}, "reportingController": "c", "reportingInstance": "i",
            "action": "a", "reason": "r", "regarding": {"kind": "Pod"}, "note": "n", "type": "Normal",
            "deprecatedSource": {}, "deprecatedFirstTimestamp": null, "deprecatedLastTimestamp": null,
            "deprecatedCount": 3,
        }),
        json!({
            "metadata": {"name": "e"}, "involvedObject": {"kind": "Pod"}, "reason": "r", "message": "n", "source": {},
            "firstTimestamp": null, "lastTimestamp": null, "count": 3, "type": "Normal",
            "eventTime": "2026-01-01T00:00:00.000000Z", "series": {"count": 2, "lastObservedTime": null},
            "action": "a", "reportingComponent": "c", "reportingInstance": "i",
        }),
    );
}

fn autoscaler(annotations: Value, spec: Value, status: Value) -> Value {
    json!({"metadata": {"name": "a", "annotations": annotations}, "spec": spec, "status": status})
}

const TARGET: &str = r#"{"kind":"Deployment","name":"d"}"#;

#[test]
fn a_cpu_target() {
    let target: Value = serde_json::from_str(TARGET).unwrap_or_default();
    check(
        resource("autoscaling", "v1", "horizontalpodautoscalers"),
        autoscaler(
            json!({"x": "y"}),
            json!({"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 3, "targetCPUUtilizationPercentage": 70}),
            json!({"currentReplicas": 0, "desiredReplicas": 0}),
        ),
        autoscaler(
            json!({"x": "y"}),
            json!({"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 3, "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}},
            ]}),
            json!({"desiredReplicas": 0, "currentMetrics": null}),
        ),
    );
}

#[test]
fn what_only_v2_has_travels_in_annotations() {
    let target: Value = serde_json::from_str(TARGET).unwrap_or_default();
    check(
        resource("autoscaling", "v1", "horizontalpodautoscalers"),
        autoscaler(
            json!({
                "autoscaling.alpha.kubernetes.io/behavior": r#"{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}"#,
                "autoscaling.alpha.kubernetes.io/conditions": r#"[{"type":"AbleToScale","status":"True"}]"#,
                "autoscaling.alpha.kubernetes.io/current-metrics": r#"[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":20,"currentAverageValue":"200m"}}]"#,
                "autoscaling.alpha.kubernetes.io/metrics": r#"[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"100Mi"}},{"type":"Object","object":{"target":{"kind":"Service","name":"s"},"metricName":"m","targetValue":"5"}},{"type":"External","external":{"metricName":"q","metricSelector":{"matchLabels":{"a":"b"}},"targetAverageValue":"3"}}]"#,
            }),
            json!({"scaleTargetRef": target, "maxReplicas": 3}),
            json!({"currentReplicas": 1, "desiredReplicas": 1, "currentCPUUtilizationPercentage": 20}),
        ),
        json!({
            "metadata": {"name": "a"},
            "spec": {
                "scaleTargetRef": target,
                "maxReplicas": 3,
                "metrics": [
                    {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "100Mi"}}},
                    {"type": "Object", "object": {"describedObject": {"kind": "Service", "name": "s"}, "target": {"type": "Value", "value": "5"}, "metric": {"name": "m"}}},
                    {"type": "External", "external": {
                        "metric": {"name": "q", "selector": {"matchLabels": {"a": "b"}}}, "target": {"type": "AverageValue", "averageValue": "3"},
                    }},
                ],
                "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60, "selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}},
            },
            "status": {
                "currentReplicas": 1,
                "desiredReplicas": 1,
                "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageValue": "200m", "averageUtilization": 20}}}],
                "conditions": [{"type": "AbleToScale", "status": "True"}],
            },
        }),
    );
}

#[test]
fn ranges_of_pod_addresses() {
    let check = |sent: Value, stored: Value| {
        let mut object = json!({ "spec": sent }).as_object().cloned().unwrap_or_default();
        to_storage(resource("", "v1", "nodes"), &mut object);
        assert_eq!(Value::Object(object).to_string(), json!({ "spec": stored }).to_string());
    };
    let (both, other) =
        (json!({"podCIDR": "a", "podCIDRs": ["a"]}), json!({"podCIDR": "a", "podCIDRs": ["b", "c"]}));
    check(
        json!({"podCIDR": "a", "unschedulable": true}),
        json!({"podCIDR": "a", "podCIDRs": ["a"], "unschedulable": true}),
    );
    check(json!({"podCIDRs": ["a"]}), both.clone());
    check(other, both.clone());
    check(both.clone(), both);
    check(json!({"podCIDRs": ["a", "b"]}), json!({"podCIDR": "a", "podCIDRs": ["a", "b"]}));
    check(json!({}), json!({}));
}
