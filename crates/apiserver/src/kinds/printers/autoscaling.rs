//! HorizontalPodAutoscalers, and the scale of what they scale.
//!
//! <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/>

use json_tree::Value;

use crate::printing::row::{Row, get, text};

/// How many metrics are shown.
const SHOWN: usize = 2;

pub(crate) fn horizontal_pod_autoscaler(row: &Row<'_>) -> Vec<Value> {
    let target =
        format!("{}/{}", row.text("/spec/scaleTargetRef/kind"), row.text("/spec/scaleTargetRef/name"));
    let least = get(row.object, "/spec/minReplicas").map_or_else(|| "<unset>".to_owned(), Value::to_string);
    vec![
        row.name(),
        target.into(),
        metrics(row.list("/spec/metrics"), row.list("/status/currentMetrics")).into(),
        least.into(),
        row.count("/spec/maxReplicas"),
        row.count("/status/currentReplicas"),
        row.age(),
    ]
}

pub(crate) fn scale(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.count("/spec/replicas"), row.count("/status/replicas"), row.age()]
}

/// The current value of each metric, and the one that is aimed at. The statuses are in the order of the specs.
fn metrics(specs: &[Value], statuses: &[Value]) -> String {
    if specs.is_empty() {
        return "<none>".to_owned();
    }
    let metrics: Vec<_> = specs
        .iter()
        .enumerate()
        .take(SHOWN)
        .map(|(index, spec)| metric(spec, statuses.get(index).unwrap_or(&Value::Null)))
        .collect();
    let metrics = metrics.join(", ");
    if specs.len() > SHOWN { format!("{metrics} + {} more...", specs.len() - SHOWN) } else { metrics }
}

fn metric(spec: &Value, status: &Value) -> String {
    match text(spec, "/type") {
        "External" => value_or_average(&spec["external"], get(status, "/external")),
        "Object" => value_or_average(&spec["object"], get(status, "/object")),
        "Pods" => {
            let current = get(status, "/pods").map(|status| quantity(status, "/current/averageValue"));
            format!("{}/{}", known(current), quantity(&spec["pods"], "/target/averageValue"))
        }
        "Resource" => resource(&spec["resource"], get(status, "/resource")),
        "ContainerResource" => resource(&spec["containerResource"], get(status, "/containerResource")),
        _ => "<unknown type>".to_owned(),
    }
}

/// A metric that is one number, or one for each pod on average.
fn value_or_average(spec: &Value, status: Option<&Value>) -> String {
    if get(spec, "/target/averageValue").is_some() {
        let current = status.and_then(|status| get(status, "/current/averageValue")).and_then(Value::as_str);
        return format!(
            "{}/{} (avg)",
            current.unwrap_or("<unknown>"),
            quantity(spec, "/target/averageValue")
        );
    }
    let current = status.map(|status| quantity(status, "/current/value"));
    format!("{}/{}", known(current), quantity(spec, "/target/value"))
}

/// How much of a resource pods use on average, as such or in per cent of what they request.
fn resource(spec: &Value, status: Option<&Value>) -> String {
    let name = text(spec, "/name");
    if get(spec, "/target/averageValue").is_some() {
        let current = status.map(|status| quantity(status, "/current/averageValue"));
        return format!("{name}: {}/{}", known(current), quantity(spec, "/target/averageValue"));
    }
    let percent = |value: &Value| format!("{value}%");
    let current = status.and_then(|status| get(status, "/current/averageUtilization")).map(percent);
    let target = get(spec, "/target/averageUtilization").map(percent);
    format!("{name}: {}/{}", current.as_deref().unwrap_or("<unknown>"), target.as_deref().unwrap_or("<auto>"))
}

/// A quantity, as Go prints one that is a pointer.
fn quantity<'a>(value: &'a Value, path: &str) -> &'a str {
    get(value, path).and_then(Value::as_str).unwrap_or("<nil>")
}

fn known(current: Option<&str>) -> &str {
    current.unwrap_or("<unknown>")
}
