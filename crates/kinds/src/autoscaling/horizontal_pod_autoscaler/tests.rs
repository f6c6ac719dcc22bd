use json_tree::json;

use super::*;
use crate::validation::check;

fn scaled(more: Value) -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let mut spec = json!({"maxReplicas": 3, "scaleTargetRef": target});
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
    json!({ "spec": spec })
}

#[track_caller]
fn check_scaled(more: Value, expected: &str) {
    check(&create(&scaled(more)), expected);
}

#[test]
fn autoscalers() {
    check_scaled(json!({}), "");
    check(
        &create(&json!({})),
        "[spec.maxReplicas: Required value: must be set and greater than 0, \
         spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`, \
         spec.scaleTargetRef.kind: Required value, spec.scaleTargetRef.name: Required value, \
         spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group]",
    );
    check_scaled(
        json!({"minReplicas": 0}),
        "[spec.minReplicas: Invalid value: 0: must be greater than or equal to 1, \
         spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas]",
    );
    let target = |kind: &str, version: &str| json!({"scaleTargetRef": {"kind": kind, "name": "d", "apiVersion": version}});
    check_scaled(target("ReplicationController", "v1"), "");
    check_scaled(
        target("A/b", "a/b/c"),
        "[spec.scaleTargetRef.kind: Invalid value: \"A/b\": may not contain '/', \
         spec.scaleTargetRef.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c]",
    );
}

#[test]
fn fewer_than_no_replicas() {
    check_scaled(
        json!({"maxReplicas": -1}),
        "[spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1, \
         spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`]",
    );
}

#[test]
fn what_was_accepted_stays_acceptable() {
    let old = scaled(json!({"minReplicas": 0, "scaleTargetRef": {"kind": "Deployment", "name": "d"}}));
    let mut new = old.clone();
    new["spec"]["metrics"] = json!([{"type": "External", "external": {"metric": {"name": "m"},
        "target": {"type": "Value", "value": "1"}}}]);
    check(&update(&new, &old), "");
}

#[test]
fn behaviors() {
    check_scaled(
        json!({"behavior": {"scaleUp": {"stabilizationWindowSeconds": 9999, "selectPolicy": "Any", "tolerance": "-1",
            "policies": [{"type": "Cows", "periodSeconds": 1801}]}, "scaleDown": {"policies": []}}}),
        "[spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 9999: must be less than or equal to 3600, \
         spec.behavior.scaleUp.selectPolicy: Unsupported value: \"Any\": supported values: \"Disabled\", \"Max\", \"Min\", \
         spec.behavior.scaleUp.policies[0].type: Unsupported value: \"Cows\": supported values: \"Percent\", \"Pods\", \
         spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero, \
         spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800, \
         spec.behavior.scaleUp.tolerance: Invalid value: \"-1\": must be greater than or equal to 0, \
         spec.behavior.scaleDown.policies: Required value: must specify at least one Policy]",
    );
}

#[test]
fn metrics() {
    let check = |metric: Value, expected: &[&str]| {
        let described = Reference { any_group: true, any_version: false };
        let errors = metric::check(&metric, described, &Path::new("m"));
        assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
    };
    let resource = |target: Value| json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
    check(resource(json!({"type": "Utilization", "averageUtilization": 50})), &[]);
    let unknown = "m.type: Unsupported value: \"Vibes\": supported values: \"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\"";
    check(json!({"type": "Vibes"}), &[unknown, unknown]);
    check(
        json!({"type": "Resource", "pods": {"metric": {"name": "x"}, "target": {"type": "AverageValue", "averageValue": "1"}}}),
        &["m.resource: Required value: must populate information for the given metric source"],
    );
    let neither = "m.resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization";
    check(resource(json!({"type": "Value", "value": "1"})), &[neither]);
    check(
        resource(json!({"type": "Utilization", "averageUtilization": 0, "averageValue": "0"})),
        &[
            "m.resource.target.averageValue: Invalid value: \"0\": must be positive",
            "m.resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
            "m.resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
        ],
    );
    check(
        json!({"type": "ContainerResource", "containerResource": {"name": "beans", "target": {}}, "pods": {}}),
        &[
            "m.pods.metric.name: Required value: must specify a metric name",
            "m.pods.target.type: Required value: must specify a metric target type",
            "m.pods.target.type: Invalid value: \"\": must be either Utilization, Value, or AverageValue",
            "m.pods.target.averageValue: Required value: must specify a positive target averageValue",
            "m.pods: Forbidden: must populate the given metric source only",
        ],
    );
    check(
        json!({"type": "Object", "object": {"describedObject": {"kind": "Service", "apiVersion": "v1"},
            "metric": {"name": "a/b"}, "target": {"type": "Value"}}}),
        &[
            "m.object.describedObject.name: Required value",
            "m.object.metric.name: Invalid value: \"a/b\": may not contain '/'",
            "m.object.target.averageValue: Required value: must set either a target value or averageValue",
        ],
    );
    check(
        json!({"type": "External", "external": {"metric": {"name": "q"},
            "target": {"type": "Value", "value": "1", "averageValue": "1"}}}),
        &[
            "m.external.target.value: Forbidden: may not set both a target value for metric and a per-pod target",
        ],
    );
}
