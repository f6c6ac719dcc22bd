//! Metrics of something outside of the cluster, each of which is a resource of the API of external metrics.
//!
//! See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough/#autoscaling-on-metrics-not-related-to-kubernetes-objects>.

use std::borrow::Cow;

use apimachinery::selector::LabelSelector;
use json_tree::{Value, json};
use schema::quantity::Quantity;

use super::proposal::{Invalid, Proposal, Scaled, decimal};
use super::replicas::{Tolerances, whole};
use super::{behavior, metrics};
use crate::client::View;
use crate::controller::Context;
use crate::object::{self, list};
use crate::resource::Resource;
use crate::store::Shared;
use crate::{label_selector, pod};

const GROUP: &str = "external.metrics.k8s.io";

/// Proposes a number of replicas by an external metric.
pub(super) async fn propose(
    spec: &Value,
    scaled: &Scaled<'_>,
    context: &Context<'_>,
) -> Result<Proposal, Invalid> {
    let source = spec.get("external").unwrap_or(&Value::Null);
    let name = source.text_at("/metric/name");
    let target =
        |field: &str| source.get("target").and_then(|target| target.get(field)).and_then(Quantity::of);
    let (average, value) = (target("averageValue"), target("value"));
    let invalid = |why: String, error: String| Invalid {
        reason: "FailedGetExternalMetric",
        error: format!("failed to get {name} external metric value: {error}"),
        why,
    };
    if average.is_none() && value.is_none() {
        let why =
            "invalid external metric source: neither a value target nor an average value target was set";
        return Err(invalid(why.to_owned(), why.to_owned()));
    }
    let tolerances = behavior::tolerances(scaled.autoscaler);
    let measured = measure(source, object::namespace(scaled.autoscaler), context).await;
    let (field, found) = match (average, value) {
        (Some(average), _) => {
            let by_average = |used| by_average(used, average.thousandths(), scaled.observed, tolerances);
            let found = measured.map(by_average);
            let error = |why: &str| format!("failed to get {name} external metric: {why}");
            ("averageValue", found.map_err(|why| (error(&why), why)))
        }
        (None, value) => {
            let value = value.map(|value| value.thousandths()).unwrap_or_default();
            let by_value = |used| by_value(used, value, scaled.current, scaled.pods, tolerances);
            let found = measured.and_then(by_value);
            let error = |why: &str| format!("failed to get external metric {name}: {why}");
            ("value", found.map_err(|why| (error(&why), why)))
        }
    };
    let (replicas, used) = found.map_err(|(error, why)| invalid(why, error))?;
    let selector = source.pointer("/metric/selector");
    let mut metric = json!({"name": name});
    if let Some(selector) = selector {
        object::set(&mut metric, "selector", selector.clone());
    }
    let mut current = json!({});
    object::set(&mut current, field, decimal(used).into());
    Ok(Proposal {
        replicas,
        name: format!("external metric {name}({})", label_selector::go_text(selector)),
        status: json!({"type": "External", "external": {"metric": metric, "current": current}}),
    })
}

/// Returns the sum of all values of a metric.
async fn measure(source: &Value, namespace: &str, context: &Context<'_>) -> Result<i64, String> {
    let name = source.text_at("/metric/name");
    let selector = source.pointer("/metric/selector");
    let unable = |why: String| {
        let selector = label_selector::go_text(selector);
        format!("unable to get external metric {namespace}/{name}/{selector}: {why}")
    };
    let resource = Resource {
        group: Cow::Borrowed(GROUP),
        version: Cow::Borrowed("v1beta1"),
        plural: Cow::Owned(name.to_owned()),
        kind: Cow::Borrowed("ExternalMetricValue"),
        namespaced: true,
    };
    let selector = selector.and_then(LabelSelector::of).filter(|selector| !selector.is_empty());
    let query = selector.map(|selector| metrics::query(&selector));
    let listed = context.client.list(&resource, namespace, View::Whole, &query.unwrap_or_default()).await;
    let listed = listed.map_err(|error| {
        let why = metrics::text(&error, &[name, ".", GROUP].concat());
        unable(metrics::unable("external", &why))
    })?;
    let values = list(&listed, "/items").iter();
    let values = values.map(|item| item.get("value").and_then(Quantity::of));
    let values = values.map(|value| value.map(|value| value.thousandths()).unwrap_or_default());
    let sum = values.reduce(i64::saturating_add);
    sum.ok_or_else(|| unable("no metrics returned from external metrics API".to_owned()))
}

/// Returns as many replicas as each is about so much of a metric, and how much is about one now.
fn by_average(used: i64, target: i64, observed: i64, tolerances: Tolerances) -> (i64, i64) {
    let (used, target) = (used as f64, target as f64);
    let is_near = tolerances.allow(used / (target * observed as f64));
    let replicas = if is_near { observed } else { whole(used / target) };
    (replicas, (used / observed as f64).ceil() as i64)
}

/// Returns as many replicas as bring a metric to a value, if that is less the more are ready.
fn by_value(
    used: i64,
    target: i64,
    current: i64,
    pods: &[Shared],
    tolerances: Tolerances,
) -> Result<(i64, i64), String> {
    let ratio = used as f64 / target as f64;
    if tolerances.allow(ratio) {
        return Ok((current, used));
    }
    if pods.is_empty() {
        let why = "no pods returned by selector while calculating replica count";
        return Err(["unable to calculate ready pods: ", why].concat());
    }
    let is_ready = |pod: &&Shared| pod::phase(pod) == "Running" && pod::is_ready(pod);
    let ready = pods.iter().filter(is_ready).count();
    Ok((whole(ratio * ready as f64), used))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const TOLERANCES: Tolerances = Tolerances { down: 0.1, up: 0.1 };

    #[test]
    fn averages_are_compared_with_the_target() {
        let check = |(used, target, observed): (i64, i64, i64), expected: (i64, i64)| {
            let found = by_average(used, target, observed, TOLERANCES);
            assert_eq!(found, expected, "{used} {target} {observed}");
        };
        check((20_000, 5000, 2), (4, 10_000));
        check((10_500, 5000, 2), (2, 5250));
        check((3000, 5000, 2), (1, 1500));
        check((0, 5000, 2), (0, 0));
        check((i64::MAX, 1, 1), (i32::MAX.into(), i64::MAX));
        check((5, 0, 0), (i32::MAX.into(), i64::MAX));
    }

    #[test]
    fn values_are_compared_with_the_target() {
        let pod = |phase: &str, ready: &str| {
            let condition = json!({"type": "Ready", "status": ready});
            Arc::new(json!({"status": {"phase": phase, "conditions": [condition]}}))
        };
        let pods =
            [pod("Running", "True"), pod("Running", "True"), pod("Running", "False"), pod("Pending", "True")];
        let check = |(used, pods): (i64, &[Shared]), expected: Result<i64, &str>| {
            let found = by_value(used, 1000, 4, pods, TOLERANCES).map(|(replicas, _)| replicas);
            assert_eq!(found, expected.map_err(str::to_owned), "{used}");
        };
        check((3000, &pods), Ok(6));
        check((1050, &pods), Ok(4));
        check((100, &pods), Ok(1));
        check((i64::MAX, &pods), Ok(i32::MAX.into()));
        check((1050, &[]), Ok(4));
        check(
            (3000, &[]),
            Err(
                "unable to calculate ready pods: no pods returned by selector while calculating replica count",
            ),
        );
    }
}
