//! HorizontalPodAutoscaler.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/>.

use serde_json::{Value, json};

use super::read::{at, get, integer, list, text};
use crate::field::{Error, Path};

/// The types of metrics, and the field that holds each.
const METRICS: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// What is wrong with the scale of a workload.
pub(super) fn create_scale(object: &Value) -> Vec<Error> {
    let replicas = integer(at(object, "/spec"), "replicas").filter(|replicas| *replicas < 0);
    let path = Path::new("spec").child("replicas");
    let why = "must be greater than or equal to 0";
    replicas.map(|replicas| Error::invalid(&path, replicas, why)).into_iter().collect()
}

pub(super) fn create_autoscaler(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let min = integer(spec, "minReplicas").unwrap_or(1);
    let max = integer(spec, "maxReplicas").unwrap_or_default();
    let mut errors = Vec::new();
    if min < 1 {
        errors.push(Error::invalid(&path.child("minReplicas"), min, "must be greater than or equal to 1"));
    }
    let at_max = path.child("maxReplicas");
    if max < 1 {
        errors.push(Error::required(&at_max, "must be set and greater than 0"));
    }
    if max < min {
        errors.push(Error::invalid(&at_max, max, "must be greater than or equal to `minReplicas`"));
    }
    let (target, at_target) = (at(spec, "/scaleTargetRef"), path.child("scaleTargetRef"));
    for field in ["kind", "name"] {
        if text(target, field).is_empty() {
            errors.push(Error::required(&at_target.child(field), ""));
        }
    }
    let (version, kind) = (text(target, "apiVersion"), text(target, "kind"));
    let has_group = version.contains('/') || (version == "v1" && kind == "ReplicationController");
    if !has_group {
        let why = "apiVersion must specify API group";
        errors.push(Error::invalid(&at_target.child("apiVersion"), version, why));
    }
    if min == 0 {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        let metrics = list(spec, "metrics").iter();
        if !metrics.into_iter().any(|metric| matches!(text(metric, "type"), "Object" | "External")) {
            errors.push(Error::forbidden(&path.child("metrics"), why));
        }
    }
    for (index, one) in list(spec, "metrics").iter().enumerate() {
        errors.extend(metric(one, &path.child("metrics").index(index)));
    }
    // The older version has one metric, and another field for it.
    if let Some(percentage) =
        integer(spec, "targetCPUUtilizationPercentage").filter(|percentage| *percentage < 1)
    {
        let path = path.child("metrics").index(0).child("resource").child("target");
        errors.push(Error::invalid(&path.child("averageUtilization"), percentage, "must be greater than 0"));
    }
    for direction in ["scaleUp", "scaleDown"] {
        if let Some(rules) = get(at(spec, "/behavior"), direction) {
            errors.extend(scaling_rules(rules, &path.child("behavior").child(direction)));
        }
    }
    errors
}

pub(super) fn update_autoscaler(object: &Value, _old: &Value) -> Vec<Error> {
    create_autoscaler(object)
}

fn metric(metric: &Value, path: &Path) -> Vec<Error> {
    let kind = text(metric, "type");
    let Some((_, field)) = METRICS.iter().find(|(known, _)| *known == kind) else {
        if kind.is_empty() {
            return vec![Error::required(&path.child("type"), "must specify a metric source type")];
        }
        let known = METRICS.map(|(known, _)| known);
        let error = Error::not_supported(&path.child("type"), kind, &known);
        // Both the check of the type and the choice by type say so.
        return vec![error.clone(), error];
    };
    let Some(source) = get(metric, field) else {
        return vec![Error::required(
            &path.child(field),
            "must populate information for the given metric source",
        )];
    };
    let mut errors: Vec<Error> = METRICS
        .iter()
        .filter(|(_, other)| other != field && get(metric, other).is_some())
        .map(|(_, other)| Error::forbidden(&path.child(other), "must populate the given metric source only"))
        .collect();
    let path = path.child(field);
    if matches!(kind, "Resource" | "ContainerResource") {
        errors.extend(resource_metric(source, &path));
    }
    errors
}

fn resource_metric(source: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if text(source, "name").is_empty() {
        errors.push(Error::required(&path.child("name"), "must specify a resource name"));
    }
    let (target, path) = (at(source, "/target"), path.child("target"));
    let at_utilization = path.child("averageUtilization");
    match text(target, "type") {
        "" => errors.push(Error::required(&path.child("type"), "must specify a metric target type")),
        "Utilization" | "Value" | "AverageValue" => {}
        other => {
            let why = "must be either Utilization, Value, or AverageValue";
            errors.push(Error::invalid(&path.child("type"), other, why));
        }
    }
    let utilization = integer(target, "averageUtilization");
    if let Some(percentage) = utilization.filter(|percentage| *percentage < 1) {
        errors.push(Error::invalid(&at_utilization, percentage, "must be greater than 0"));
    }
    match (utilization, get(target, "averageValue")) {
        (None, None) => {
            let why = "must set either a target raw value or a target utilization";
            errors.push(Error::required(&at_utilization, why));
        }
        (Some(_), Some(_)) => {
            let why = "may not set both a target raw value and a target utilization";
            errors.push(Error::forbidden(&path.child("averageValue"), why));
        }
        _ => {}
    }
    errors
}

fn scaling_rules(rules: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let at = path.child("stabilizationWindowSeconds");
    match integer(rules, "stabilizationWindowSeconds") {
        Some(seconds) if seconds < 0 => {
            errors.push(Error::invalid(&at, seconds, "must be greater than or equal to zero"));
        }
        Some(seconds) if seconds > 3600 => {
            errors.push(Error::invalid(&at, seconds, "must be less than or equal to 3600"));
        }
        _ => {}
    }
    let (policies, path) = (get(rules, "policies"), path.child("policies"));
    if policies == Some(&json!([])) {
        errors.push(Error::required(&path, "must specify at least one Policy"));
    }
    for (index, policy) in list(rules, "policies").iter().enumerate() {
        for field in ["value", "periodSeconds"] {
            let number = integer(policy, field).unwrap_or_default();
            if number <= 0 {
                let at = path.index(index).child(field);
                errors.push(Error::invalid(&at, number, "must be greater than zero"));
            }
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn autoscalers() {
        let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
        let scale = |more: Value| {
            let mut spec = json!({"maxReplicas": 3, "scaleTargetRef": target});
            if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
                spec.extend(more);
            }
            create_autoscaler(&json!({"spec": spec}))
        };
        check(&scale(json!({})), "");
        check(
            &create_autoscaler(&json!({})),
            "[spec.maxReplicas: Required value: must be set and greater than 0, \
             spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`, \
             spec.scaleTargetRef.kind: Required value, spec.scaleTargetRef.name: Required value, \
             spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group]",
        );
        check(
            &scale(json!({"minReplicas": 0})),
            "[spec.minReplicas: Invalid value: 0: must be greater than or equal to 1, \
             spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas]",
        );
        check(
            &scale(
                json!({"behavior": {"scaleUp": {"stabilizationWindowSeconds": 9999, "policies": [{"type": "Pods"}]},
                "scaleDown": {"policies": []}}}),
            ),
            "[spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 9999: must be less than or equal to 3600, \
             spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero, \
             spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater than zero, \
             spec.behavior.scaleDown.policies: Required value: must specify at least one Policy]",
        );
    }

    #[test]
    fn metrics() {
        let check = |metric: Value, expected: &[&str]| {
            let errors = super::metric(&metric, &Path::new("metrics"));
            assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
        };
        let target =
            |target: Value| json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
        check(target(json!({"type": "Utilization", "averageUtilization": 50})), &[]);
        let unknown = "metrics.type: Unsupported value: \"Vibes\": supported values: \"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\"";
        check(json!({"type": "Vibes"}), &[unknown, unknown]);
        check(
            json!({"type": "Resource", "pods": {}}),
            &["metrics.resource: Required value: must populate information for the given metric source"],
        );
        check(
            target(json!({"type": "Value", "value": "1"})),
            &[
                "metrics.resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
            ],
        );
        check(
            target(json!({"type": "Utilization", "averageUtilization": 0})),
            &["metrics.resource.target.averageUtilization: Invalid value: 0: must be greater than 0"],
        );
    }
}
