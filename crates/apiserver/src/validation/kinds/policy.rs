//! PodDisruptionBudget and HorizontalPodAutoscaler.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/disruptions/> and
//! <https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/>.

use serde_json::{Value, json};

use super::{
    label_selector,
    numbers::{above_hundred, int_or_percent},
    pod::one_of,
    read::{at, get, integer, list, text},
};
use crate::field::{Error, Path};

pub(super) fn create_budget(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    if get(spec, "minAvailable").is_some() && get(spec, "maxUnavailable").is_some() {
        let field = |name: &str| get(spec, name).cloned().unwrap_or_default();
        let value = json!({"MinAvailable": field("minAvailable"), "Selector": field("selector"),
            "MaxUnavailable": field("maxUnavailable"),
            "UnhealthyPodEvictionPolicy": field("unhealthyPodEvictionPolicy")});
        errors.push(Error::invalid(&path, value, "minAvailable and maxUnavailable cannot be both set"));
    }
    for field in ["minAvailable", "maxUnavailable"] {
        errors.extend(int_or_percent(spec, field, &path));
        errors.extend(above_hundred(spec, field, &path));
    }
    errors.extend(label_selector::validate(at(spec, "/selector"), &path.child("selector")));
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    errors.extend(one_of(spec, "unhealthyPodEvictionPolicy", &policies, &path));
    errors
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
    use crate::field::aggregate;

    #[track_caller]
    fn check(errors: &[Error], expected: &str) {
        assert_eq!(if errors.is_empty() { String::new() } else { aggregate(errors) }, expected);
    }

    #[test]
    fn budgets() {
        let budget = |spec: Value| create_budget(&json!({"spec": spec}));
        check(&budget(json!({"selector": {}, "minAvailable": "50%"})), "");
        check(
            &budget(json!({"selector": {"matchLabels": {"a": "b"}}, "minAvailable": 1, "maxUnavailable": 1})),
            "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{\"matchLabels\":{\"a\":\"b\"}},\"MaxUnavailable\":1,\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
        );
        check(
            &budget(json!({"minAvailable": "150%"})),
            "spec.minAvailable: Invalid value: \"150%\": must not be greater than 100%",
        );
        check(
            &budget(json!({"maxUnavailable": -1, "unhealthyPodEvictionPolicy": "Whenever"})),
            "[spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0, \
             spec.unhealthyPodEvictionPolicy: Unsupported value: \"Whenever\": supported values: \"AlwaysAllow\", \"IfHealthyBudget\"]",
        );
    }

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
}
