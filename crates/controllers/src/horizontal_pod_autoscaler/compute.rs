//! The number of replicas that the metrics of an autoscaler come to: the largest that one of them proposes.

use apimachinery::selector::LabelSelector;
use json_tree::{Value, json};
use schema::quantity::Quantity;

use super::behavior;
use super::metrics;
use super::replicas::{self, Answer, Question, Target};
use crate::controller::Context;
use crate::events::EventType;
use crate::label_selector;
use crate::object::{self, list};
use crate::resource::HORIZONTAL_POD_AUTOSCALERS;
use crate::store::Shared;

/// What is the same for all metrics of an autoscaler.
pub(super) struct Scaled<'a> {
    pub(super) autoscaler: &'a Value,
    pub(super) selector: &'a LabelSelector,
    /// The pods that are selected.
    pub(super) pods: &'a [Shared],
    pub(super) current: i64,
}

/// The outcome of all metrics.
pub(super) struct Outcome {
    /// The number of replicas and the metric that it comes of; an error says why there is none.
    pub(super) proposal: Result<(i64, String), Refusal>,
    /// The statuses of the metrics.
    pub(super) statuses: Vec<Value>,
    /// What is wrong with some of the metrics.
    pub(super) error: Option<String>,
}

/// The reason and the message of the condition that says why there is no number.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusal {
    pub(super) reason: &'static str,
    pub(super) message: String,
}

/// The number that one metric comes to.
struct Proposal {
    replicas: i64,
    name: String,
    status: Value,
}

/// A metric that cannot be had: what is said of it, and the same with its type.
struct Invalid {
    reason: &'static str,
    why: String,
    error: String,
}

/// Looks at all metrics of an autoscaler, and reports those that cannot be had.
pub(super) async fn replicas(scaled: &Scaled<'_>, context: &mut Context<'_>) -> Outcome {
    let specs = list(scaled.autoscaler, "/spec/metrics");
    let (mut best, mut statuses) = (None::<(i64, String)>, Vec::new());
    let (mut first, mut invalid) = (None, 0);
    for spec in specs {
        match propose(spec, scaled, context).await {
            Ok(Proposal { replicas, name, status }) => {
                statuses.push(status);
                // A number of 0 gives way to any.
                if best.as_ref().is_none_or(|(most, _)| *most == 0 || replicas > *most) {
                    best = Some((replicas, name));
                }
            }
            Err(Invalid { reason, why, error }) => {
                statuses.push(json!({"type": ""}));
                invalid += 1;
                let message = format!("the HPA was unable to compute the replica count: {why}");
                context.recorder.report(
                    &HORIZONTAL_POD_AUTOSCALERS,
                    scaled.autoscaler,
                    EventType::Warning,
                    reason,
                    why,
                );
                first = first.or(Some((Refusal { reason, message }, error)));
            }
        }
    }
    let (refusal, error) = first.unwrap_or_default();
    let error = (invalid > 0 || best.is_none()).then(|| {
        format!("invalid metrics ({invalid} invalid out of {}), first error is: {error}", specs.len())
    });
    // Fewer replicas need all metrics.
    let proposal = best.filter(|(most, _)| invalid == 0 || *most >= scaled.current).ok_or(refusal);
    Outcome { proposal, statuses, error }
}

async fn propose(spec: &Value, scaled: &Scaled<'_>, context: &Context<'_>) -> Result<Proposal, Invalid> {
    let namespace = object::namespace(scaled.autoscaler);
    match spec.text("type") {
        "Resource" => {
            let source = spec.get("resource").unwrap_or(&Value::Null);
            let name = source.text("name");
            let (answer, text) =
                of_resource(source, false, scaled, context).await.map_err(|why| Invalid {
                    reason: "FailedGetResourceMetric",
                    error: format!("failed to get {name} resource metric value: {why}"),
                    why,
                })?;
            let status = json!({"name": name, "current": current(name, &answer)});
            let status = json!({"type": "Resource", "resource": status});
            Ok(Proposal { replicas: answer.replicas, name: text, status })
        }
        "ContainerResource" => {
            let source = spec.get("containerResource").unwrap_or(&Value::Null);
            let (name, container) = (source.text("name"), source.text("container"));
            let (answer, text) = of_resource(source, true, scaled, context).await.map_err(|why| Invalid {
                reason: "FailedGetContainerResourceMetric",
                error: format!("failed to get {container} container metric value: {why}"),
                why,
            })?;
            let status = json!({"name": name, "current": current(name, &answer), "container": container});
            let status = json!({"type": "ContainerResource", "containerResource": status});
            Ok(Proposal { replicas: answer.replicas, name: text, status })
        }
        "Pods" => Err(of_pods(spec)),
        "Object" => Err(of_object(spec, namespace)),
        "External" => Err(of_nothing(spec, namespace)),
        other => {
            let why = format!("unknown metric source type {}", golang::strconv::quote(other));
            Err(Invalid { reason: "InvalidMetricSourceType", error: why.clone(), why })
        }
    }
}

/// Calculates by the resources of pods, or of one of their containers, and returns the name of the metric, too.
async fn of_resource(
    source: &Value,
    of_container: bool,
    scaled: &Scaled<'_>,
    context: &Context<'_>,
) -> Result<(Answer, String), String> {
    let resource = source.text("name");
    let container = if of_container { source.text("container") } else { "" };
    let target = |field: &str| source.get("target").and_then(|target| target.get(field));
    let average = target("averageValue").and_then(Quantity::of).map(|average| average.thousandths());
    let percent = target("averageUtilization").and_then(Value::as_i64);
    let (target, what) = match (average, percent) {
        (Some(average), _) => (Target::Average(average), "usage"),
        (None, Some(percent)) => (Target::Utilization(percent), "utilization"),
        (None, None) => {
            return Err("invalid resource metric source: neither an average utilization target nor an average value (usage) target \
                        was set"
                .to_owned());
        }
    };
    let unable = |why: String| format!("failed to get {resource} {what}: {why}");
    let namespace = object::namespace(scaled.autoscaler);
    let samples =
        metrics::of_resource((resource, container), namespace, scaled.selector, scaled.pods, context).await;
    let samples =
        samples.map_err(|why| unable(format!("unable to get metrics for resource {resource}: {why}")))?;
    let question = Question {
        pods: scaled.pods,
        resource,
        container,
        target,
        tolerances: behavior::tolerances(scaled.autoscaler),
        current: scaled.current,
        now: context.now(),
    };
    let answer = replicas::calculate(&question, samples).map_err(unable)?;
    let of = if of_container { "container resource" } else { "resource" };
    let name = match target {
        Target::Average(_) => format!("{resource} resource"),
        Target::Utilization(_) => format!("{resource} {of} utilization (percentage of request)"),
    };
    Ok((answer, name))
}

/// Writes what pods use.
fn current(resource: &str, answer: &Answer) -> Value {
    let mut current = json!({"averageValue": amount(resource, answer.average)});
    if let Some(percent) = answer.utilization {
        object::set(&mut current, "averageUtilization", percent.into());
    }
    current
}

/// Writes an amount of so many thousandths: that of memory in units of 1024, if it has no fraction.
fn amount(resource: &str, thousandths: i64) -> String {
    let decimal = || Quantity::parse(&format!("{thousandths}m")).map(|amount| amount.to_string());
    let bytes = thousandths / 1000;
    if resource != "memory" || thousandths % 1000 != 0 || bytes.abs() < 1024 {
        return decimal().unwrap_or_default();
    }
    Quantity::parse(&format!("{}Ki", bytes / 1024))
        .ok()
        .filter(|_| bytes % 1024 == 0)
        .map_or_else(|| bytes.to_string(), |amount| amount.to_string())
}

/// Returns why there are no custom metrics: no program that runs here has any.
fn no_custom_metrics() -> String {
    metrics::unable("custom", "no custom metrics API (custom.metrics.k8s.io) registered")
}

/// Refuses a metric of pods that nobody measures.
fn of_pods(spec: &Value) -> Invalid {
    let why = format!("unable to get metric {}: {}", spec.text_at("/pods/metric/name"), no_custom_metrics());
    Invalid { reason: "FailedGetPodsMetric", error: format!("failed to get pods metric value: {why}"), why }
}

/// Refuses a metric of another object. The kind stands where the reason is to be, as in kube-controller-manager's words.
fn of_object(spec: &Value, namespace: &str) -> Invalid {
    let text = |field: &str| spec.text_at(&["/object/", field].concat());
    let (metric, kind, name) =
        (text("metric/name"), text("describedObject/kind"), text("describedObject/name"));
    let why = format!("unable to get metric {metric}: {kind} on {namespace} {name}/{}", no_custom_metrics());
    let error = match text("target/type") {
        "AverageValue" => {
            format!("failed to get object metric value: failed to get {metric} object metric: {why}")
        }
        _ => format!("failed to get object metric value: {why}"),
    };
    Invalid { reason: "FailedGetObjectMetric", why, error }
}

/// Refuses a metric of something outside of the cluster.
fn of_nothing(spec: &Value, namespace: &str) -> Invalid {
    let name = spec.text_at("/external/metric/name");
    let selector = label_selector::go_text(spec.pointer("/external/metric/selector"));
    let unserved = metrics::unserved(&[name, ".external.metrics.k8s.io"].concat());
    let why = format!(
        "unable to get external metric {namespace}/{name}/{selector}: {}",
        metrics::unable("external", &unserved)
    );
    let error = match spec.pointer("/external/target/averageValue") {
        Some(_) => format!("failed to get {name} external metric: {why}"),
        None => format!("failed to get external metric {name}: {why}"),
    };
    Invalid {
        reason: "FailedGetExternalMetric",
        error: format!("failed to get {name} external metric value: {error}"),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(resource: &str, thousandths: i64, expected: &str) {
        assert_eq!(amount(resource, thousandths), expected, "{resource} {thousandths}");
    }

    #[test]
    fn amounts_are_written() {
        check("cpu", 90, "90m");
        check("cpu", 2000, "2");
        check("cpu", 1_024_000, "1024");
        check("memory", 1_023_000, "1023");
        check("memory", 1_024_000, "1Ki");
        check("memory", 1_025_000, "1025");
        check("memory", 9 << 20, "9437184m");
        check("memory", 1000 * (109 << 20), "109Mi");
        check("memory", 1_000_000_000, "1000000");
        check("memory", 0, "0");
        check("cpu", i64::MAX, "9223372036854775807m");
    }
}
