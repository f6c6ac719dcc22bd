//! The number of replicas that the metrics of an autoscaler come to: the largest that one of them proposes.

use json_tree::{Value, json};
use schema::quantity::Quantity;

use super::proposal::{Invalid, Proposal, Scaled, amount};
use super::replicas::{self, Answer, Question, Target};
use super::{behavior, custom, external, metrics};
use crate::controller::Context;
use crate::events::EventType;
use crate::object::{self, list};
use crate::resource::HORIZONTAL_POD_AUTOSCALERS;

/// The outcome of all metrics.
pub(super) struct Outcome {
    /// The number of replicas and the metric that it comes of; an error says why there is none.
    pub(super) proposal: Result<(i64, String), Refusal>,
    /// The statuses of the metrics.
    pub(super) statuses: Vec<Value>,
    /// The error that tells what is wrong with some of the metrics.
    pub(super) error: Option<String>,
}

/// The reason and the message of the condition that says why there is no number.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusal {
    pub(super) reason: &'static str,
    pub(super) message: String,
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
        "Pods" => Err(custom::of_pods(spec)),
        "Object" => Err(custom::of_object(spec, object::namespace(scaled.autoscaler))),
        "External" => external::propose(spec, scaled, context).await,
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
