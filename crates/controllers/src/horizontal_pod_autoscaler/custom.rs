//! Metrics of pods and of other objects, which only programs serve that run elsewhere.

use json_tree::Value;

use super::metrics;
use super::proposal::Invalid;

/// Returns why there are no custom metrics.
fn none() -> String {
    metrics::unable("custom", "no custom metrics API (custom.metrics.k8s.io) registered")
}

/// Refuses a metric of pods.
pub(super) fn of_pods(spec: &Value) -> Invalid {
    let why = format!("unable to get metric {}: {}", spec.text_at("/pods/metric/name"), none());
    Invalid { reason: "FailedGetPodsMetric", error: format!("failed to get pods metric value: {why}"), why }
}

/// Refuses a metric of another object. The kind stands where the reason is to be, as in kube-controller-manager's words.
pub(super) fn of_object(spec: &Value, namespace: &str) -> Invalid {
    let text = |field: &str| spec.text_at(&["/object/", field].concat());
    let metric = text("metric/name");
    let (kind, name) = (text("describedObject/kind"), text("describedObject/name"));
    let why = format!("unable to get metric {metric}: {kind} on {namespace} {name}/{}", none());
    let error = match text("target/type") {
        "AverageValue" => {
            format!("failed to get object metric value: failed to get {metric} object metric: {why}")
        }
        _ => format!("failed to get object metric value: {why}"),
    };
    Invalid { reason: "FailedGetObjectMetric", why, error }
}
