//! Metrics of pods: those of the API of resource metrics, or what annotations say where nobody serves it.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/>.

use std::collections::BTreeMap;
use std::time::Duration;

use apimachinery::selector::LabelSelector;
use golang::time::parse_duration;
use golang::url::path_escape;
use json_tree::Value;
use schema::quantity::Quantity;

use super::usage;
use crate::client::View;
use crate::controller::Context;
use crate::error::Error;
use crate::object::{self, list};
use crate::resource::POD_METRICS;
use crate::store::Shared;

/// A value that was measured, in thousandths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) at: Duration,
    /// The time for which it was measured.
    pub(super) window: Duration,
    pub(super) value: i64,
}

/// The values of pods, by their names.
pub(super) type Samples = BTreeMap<String, Sample>;

/// Returns how much pods use of a resource, or one of their containers if that is named. `pods` are those of the selector.
pub(super) async fn of_resource(
    (resource, container): (&str, &str),
    namespace: &str,
    selector: &LabelSelector,
    pods: &[Shared],
    context: &Context<'_>,
) -> Result<Samples, String> {
    let listed = context.client.list(&POD_METRICS, namespace, View::Whole, &query(selector)).await;
    let items = match &listed {
        Ok(listed) => list(listed, "/items"),
        Err(error) => {
            let told =
                if is_unserved(error) { told(pods, resource, container, context.now())? } else { None };
            return told.ok_or_else(|| unable("resource", &text(error, "pods.metrics.k8s.io")));
        }
    };
    if items.is_empty() {
        return Err("no metrics returned from resource metrics API".to_owned());
    }
    let read = |item: &Value| Some((object::name(item).to_owned(), measured(item, resource, container)?));
    Ok(items.iter().filter_map(read).collect())
}

/// Returns the query of a list of what a selector selects.
pub(super) fn query(selector: &LabelSelector) -> String {
    ["labelSelector=", &path_escape(&selector.to_string())].concat()
}

/// Says that metrics cannot be had from an API.
pub(super) fn unable(api: &str, why: &str) -> String {
    format!("unable to fetch metrics from {api} metrics API: {why}")
}

/// Says that nobody serves what a request asked for.
fn unserved(resource: &str) -> String {
    format!("the server could not find the requested resource (get {resource})")
}

/// Reports whether nobody serves what was asked for: the answer is no Status.
fn is_unserved(error: &Error) -> bool {
    matches!(error, Error::Status { code: 404, message, .. } if message.is_empty())
}

/// Returns the text of an error: that of client-go, if the answer is no Status.
pub(super) fn text(error: &Error, resource: &str) -> String {
    if is_unserved(error) { unserved(resource) } else { error.to_string() }
}

/// Reads what was measured of a pod; `None` if something is missing.
fn measured(item: &Value, resource: &str, container: &str) -> Option<Sample> {
    let containers = list(item, "/containers");
    let amount = |one: &Value| {
        let amount = one.get("usage").and_then(|usage| usage.get(resource))?;
        Some(Quantity::of(amount)?.thousandths())
    };
    let value = if container.is_empty() {
        let amounts = containers.iter().map(amount).collect::<Option<Vec<i64>>>()?;
        amounts.into_iter().reduce(i64::saturating_add)?
    } else {
        containers.iter().find(|one| one.text("name") == container).and_then(amount)?
    };
    let window = parse_duration(item.text("window")).ok().and_then(|nanos| u64::try_from(nanos).ok());
    Some(Sample {
        at: item.get("timestamp").and_then(object::time).unwrap_or_default(),
        window: Duration::from_nanos(window.unwrap_or_default()),
        value,
    })
}

/// Returns what the annotations of pods say; `None` if there are none.
fn told(pods: &[Shared], resource: &str, container: &str, now: Duration) -> Result<Option<Samples>, String> {
    let (mut samples, mut has_any) = (Samples::new(), false);
    for pod in pods {
        let Some(usage) = usage::of_pod(pod) else { continue };
        has_any = true;
        let name = object::name(pod);
        let usage = usage.map_err(|why| format!("annotation {} of pod {name}: {why}", usage::ANNOTATION))?;
        let is_meant = |own: &str| container.is_empty() || container == own;
        let containers = usage.iter().filter(|(own, _)| is_meant(own));
        let amounts = containers.filter_map(|(_, amounts)| amounts.get(resource).copied());
        if let Some(value) = amounts.reduce(i64::saturating_add) {
            samples.insert(name.to_owned(), Sample { at: now, window: Duration::ZERO, value });
        }
    }
    Ok(has_any.then_some(samples))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(item: &str, container: &str, expected: Option<(u64, u64, i64)>) {
        let found = measured(&serde_json::from_str(item).unwrap(), "cpu", container);
        let found = found.map(|sample| (sample.at.as_secs(), sample.window.as_secs(), sample.value));
        assert_eq!(found, expected, "{item} {container}");
    }

    #[test]
    fn measures_are_read() {
        let item = r#"{
            "timestamp": "1970-01-01T00:01:00Z", "window": "30s",
            "containers": [
                {"name": "app", "usage": {"cpu": "250m", "memory": "1Ki"}},
                {"name": "side", "usage": {"cpu": "1"}}
            ]
        }"#;
        check(item, "", Some((60, 30, 1250)));
        check(item, "app", Some((60, 30, 250)));
        check(item, "other", None);
        check(r#"{"containers": [{"name": "a", "usage": {"cpu": "1"}}, {"name": "b"}]}"#, "", None);
        check(
            r#"{"containers": [{"name": "a", "usage": {"cpu": "1"}}, {"name": "b"}]}"#,
            "a",
            Some((0, 0, 1000)),
        );
        check(r#"{"containers": [], "window": "-5s"}"#, "", None);
        check(r#"{"containers": [{"usage": {"cpu": "x"}}]}"#, "", None);
        check(
            r#"{"containers": [{"usage": {"cpu": "9E"}}, {"usage": {"cpu": "9E"}}]}"#,
            "",
            Some((0, 0, i64::MAX)),
        );
    }

    #[test]
    fn annotations_tell_what_is_used() {
        let pod = |name: &str, usage: Option<&str>| {
            let mut pod = json!({
                "metadata": {"name": name},
                "spec": {"containers": [{"name": "app"}, {"name": "side"}]}
            });
            if let Some(usage) = usage {
                object::set_annotation(&mut pod, usage::ANNOTATION, usage);
            }
            Arc::new(pod)
        };
        let found = |pods: &[Shared], container: &str| {
            let samples = told(pods, "cpu", container, Duration::ZERO)?;
            let values =
                |samples: Samples| samples.into_values().map(|sample| sample.value).collect::<Vec<_>>();
            Ok::<_, String>(samples.map(values))
        };
        let pods = [
            pod("a", Some("cpu=5m")),
            pod("b", Some("app: cpu=1m")),
            pod("c", Some("memory=1")),
            pod("d", None),
        ];
        assert_eq!(found(&pods, ""), Ok(Some(vec![10, 1])));
        assert_eq!(found(&pods, "side"), Ok(Some(vec![5])));
        assert_eq!(found(&pods[3..], ""), Ok(None));
        let error = "annotation kubeglass.dev/usage of pod e: \"cpu\": an amount is a resource, = and a quantity, as cpu=250m";
        assert_eq!(found(&[pod("e", Some("cpu"))], ""), Err(error.to_owned()));
    }
}
