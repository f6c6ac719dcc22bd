//! HorizontalPodAutoscalers, which are stored as `autoscaling/v2`. What v1 has no fields for travels in annotations.
//!
//! <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#api-object>

mod behavior;
mod metrics;

use json_tree::{Value, json};

use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::typed_object::renamed;
use apimachinery::typed_object::{TypedObject, insert_sorted};

const V1: &str = "k8s.io/api/autoscaling/v1";
const V2: &str = "k8s.io/api/autoscaling/v2";

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// Fields that both versions have, and that mean the same.
const SPEC: &[&str] = &["scaleTargetRef", "minReplicas", "maxReplicas"];
const STATUS: &[&str] = &["observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"];

pub(crate) fn to_storage(hpa: &mut Object) {
    let (spec, status) = (part(hpa, "spec"), part(hpa, "status"));
    let [metrics, current, conditions, behavior] =
        [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR].map(|key| take_annotation(hpa, key));
    let mut new_spec = common(V2, "HorizontalPodAutoscalerSpec", &spec, SPEC);
    let mut new_status = common(V2, "HorizontalPodAutoscalerStatus", &status, STATUS);
    let cpu = spec.get("targetCPUUtilizationPercentage").filter(|percentage| !percentage.is_null());
    let cpu = cpu.map(|percentage| {
        json!({
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percentage}},
        })
    });
    let mut all = metrics::to_v2(metrics, metrics::SPEC);
    all.extend(cpu);
    if let Some(mut fields) = TypedObject::builtin(V2, "HorizontalPodAutoscalerSpec", &mut new_spec) {
        if !all.is_empty() {
            fields.set("metrics", all);
        }
        if let Some(behavior) = behavior {
            fields.set("behavior", behavior::to_v2(&behavior));
        }
    }
    let mut current: Vec<Value> = metrics::to_v2(current, metrics::STATUS);
    if let Some(percentage) = status.get("currentCPUUtilizationPercentage")
        && !current.iter().any(is_cpu)
    {
        current.insert(
            0,
            json!({
                "type": "Resource",
                "resource": {"name": "cpu", "current": {"averageUtilization": percentage}},
            }),
        );
    }
    if let Some(mut fields) = TypedObject::builtin(V2, "HorizontalPodAutoscalerStatus", &mut new_status) {
        if !current.is_empty() {
            fields.set("currentMetrics", current);
        }
        if let Some(conditions) = conditions {
            fields.set("conditions", conditions);
        }
    }
    finish(hpa, new_spec, new_status);
}

pub(crate) fn from_storage(hpa: &mut Object) {
    let (spec, status) = (part(hpa, "spec"), part(hpa, "status"));
    let mut new_spec = common(V1, "HorizontalPodAutoscalerSpec", &spec, SPEC);
    let mut new_status = common(V1, "HorizontalPodAutoscalerStatus", &status, STATUS);
    let list = |holder: &Object, field: &str| holder.get(field).and_then(Value::as_array).cloned();
    let (cpu, others): (Vec<_>, Vec<_>) = list(&spec, "metrics")
        .unwrap_or_default()
        .into_iter()
        .partition(|metric| is_cpu(metric) && utilization(metric, "target").is_some());
    let current = list(&status, "currentMetrics").unwrap_or_default();
    if let Some(percentage) = cpu.iter().rev().find_map(|metric| utilization(metric, "target"))
        && let Some(mut fields) = TypedObject::builtin(V1, "HorizontalPodAutoscalerSpec", &mut new_spec)
    {
        fields.set("targetCPUUtilizationPercentage", percentage.clone());
    }
    let measured = current.iter().filter(|metric| is_cpu(metric)).rev();
    if let Some(percentage) = measured.filter_map(|metric| utilization(metric, "current")).next()
        && let Some(mut fields) = TypedObject::builtin(V1, "HorizontalPodAutoscalerStatus", &mut new_status)
    {
        fields.set("currentCPUUtilizationPercentage", percentage.clone());
    }
    let conditions = list(&status, "conditions").filter(|conditions| !conditions.is_empty());
    let added = [
        (METRICS, metrics::to_v1(&others, metrics::SPEC)),
        (CURRENT_METRICS, metrics::to_v1(&current, metrics::STATUS)),
        (CONDITIONS, conditions.map(Value::from)),
        (BEHAVIOR, spec.get("behavior").map(behavior::to_v1)),
    ];
    for (key, value) in added {
        take_annotation(hpa, key);
        if let Some(value) = value {
            annotate(hpa, key, &value);
        }
    }
    finish(hpa, new_spec, new_status);
}

fn part(hpa: &Object, field: &str) -> Object {
    hpa.get(field).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn common(package: &str, name: &str, other: &Object, fields: &'static [&'static str]) -> Object {
    renamed(package, name, other, fields.iter().map(|field| (*field, *field)))
}

fn finish(hpa: &mut Object, spec: Object, status: Object) {
    for (field, value) in [("spec", spec), ("status", status)] {
        hpa.shift_remove(field);
        hpa.insert(field.to_owned(), value.into());
    }
}

fn is_cpu(metric: &Value) -> bool {
    metric["type"] == "Resource" && metric["resource"]["name"] == "cpu"
}

fn utilization<'a>(metric: &'a Value, holder: &str) -> Option<&'a Value> {
    metric.get("resource")?.get(holder)?.get("averageUtilization").filter(|percentage| !percentage.is_null())
}

/// The JSON in an annotation, which is removed. What is not JSON is lost, as it is in kube-apiserver.
fn take_annotation(hpa: &mut Object, key: &str) -> Option<Value> {
    let metadata = metadata_mut(hpa);
    let Some(Value::Object(annotations)) = metadata.get_mut("annotations") else { return None };
    let text = annotations.shift_remove(key);
    if annotations.is_empty() {
        metadata.shift_remove("annotations");
    }
    text?.as_str()?.parse().ok()
}

fn annotate(hpa: &mut Object, key: &str, value: &Value) {
    let metadata = metadata_mut(hpa);
    let mut annotations = match metadata.get("annotations") {
        Some(Value::Object(annotations)) => annotations.clone(),
        _ => Object::new(),
    };
    let json = codec::json::to_vec(value);
    insert_sorted(&mut annotations, key, String::from_utf8_lossy(&json).into());
    set_in_order(metadata, "annotations", annotations.into(), METADATA_ORDER);
}
