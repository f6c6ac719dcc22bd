//! The controller of HorizontalPodAutoscalers: as many pods as use what they are to use.
//!
//! See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/>.

mod behavior;
mod compute;
mod custom;
mod external;
mod limits;
mod memory;
mod metrics;
mod proposal;
mod replicas;
mod requests;
mod selectors;
mod status;
mod target;
mod usage;

use std::collections::BTreeMap;
use std::time::Duration;

use apimachinery::selector::LabelSelector;
use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::pace::Doubling;
use crate::resource::{HORIZONTAL_POD_AUTOSCALERS, PODS, Resource};
use crate::store::Shared;
use compute::Refusal;
use limits::Numbers;
use memory::Memory;
use proposal::Scaled;
use selectors::Selectors;
use status::Status;
use target::{Kinds, Target};

/// The time after which an autoscaler is looked at, and is looked at again.
const PERIOD: Duration = Duration::from_secs(15);

const ABLE: &str = "AbleToScale";
const ACTIVE: &str = "ScalingActive";
const LIMITED: &str = "ScalingLimited";

/// The condition of those who have scaled to zero, which none does by default.
const SCALED_TO_ZERO: &str = "ScaledToZero";

/// The controller. Its keys are those of autoscalers.
#[derive(Default)]
pub(crate) struct HorizontalPodAutoscalers {
    kinds: Kinds,
    selectors: Selectors,
    memories: BTreeMap<String, Memory>,
}

impl Controller for HorizontalPodAutoscalers {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(HORIZONTAL_POD_AUTOSCALERS, View::Whole), (PODS, View::Whole)]
    }

    fn delays(&self) -> Doubling {
        Doubling { first: PERIOD, longest: PERIOD }
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource != HORIZONTAL_POD_AUTOSCALERS {
            return;
        }
        let Some(autoscaler) = change.object() else { return };
        let key = object::key(autoscaler);
        if change.new.is_none() {
            return self.selectors.end(&key);
        }
        self.selectors.begin(&key);
        let at = context.now().saturating_add(PERIOD);
        context.queue.add_at(key, at);
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            let Some(autoscaler) = context.stores.of(&HORIZONTAL_POD_AUTOSCALERS).get(key).cloned() else {
                self.memories.remove(key);
                return Ok(Outcome::Done);
            };
            let outcome = self.look(key, &autoscaler, context).await;
            // Who fails is looked at as often as all others.
            context.queue.add_at(key, context.now().saturating_add(PERIOD));
            outcome.map(|()| Outcome::After(PERIOD))
        }
        .boxed()
    }
}

impl HorizontalPodAutoscalers {
    /// Looks at an autoscaler: scales its target, and writes its status if that says something else.
    async fn look(&mut self, key: &str, autoscaler: &Shared, context: &mut Context<'_>) -> Result<(), Error> {
        let mut status = Status::of(autoscaler, context.now());
        let outcome = match self.kinds.target(autoscaler, context.client).await {
            Ok(mut target) => {
                let message = "the HPA controller was able to get the target's current scale";
                status.set_condition(ABLE, true, "SucceededGetScale", message);
                self.scale(key, autoscaler, &mut target, &mut status, context).await
            }
            Err(why) => {
                let message =
                    format!("the HPA controller was unable to get the target's current scale: {why}");
                status.set_condition(ABLE, false, "FailedGetScale", &message);
                warn(autoscaler, "FailedGetScale", why.clone(), context);
                Err(Failed { error: Error::Other(why), event: None })
            }
        };
        let written = write(autoscaler, status, context).await;
        match outcome {
            Ok(error) => written.and(error.map_or(Ok(()), |error| Err(Error::Other(error)))),
            Err(Failed { error, event }) => {
                if let Some(reason) = event {
                    warn(autoscaler, reason, error.to_string(), context);
                }
                Err(error)
            }
        }
    }

    /// Scales a target, if it has to be. Returns what is wrong with some of the metrics.
    async fn scale(
        &mut self,
        key: &str,
        autoscaler: &Shared,
        target: &mut Target,
        status: &mut Status,
        context: &mut Context<'_>,
    ) -> Result<Option<String>, Failed> {
        let (now, current) = (context.now(), target.replicas());
        self.memories.entry(key.to_owned()).or_default().begin(current, now);
        let least = autoscaler.pointer("/spec/minReplicas").and_then(Value::as_i64).unwrap_or(1);
        let most = object::int(autoscaler, "/spec/maxReplicas");
        let mut plan = Plan { desired: current, reason: String::new(), statuses: None, error: None };
        if current == 0 {
            let message = "scaling is disabled since the replica count of the target is zero";
            status.set_condition(ACTIVE, false, "ScalingDisabled", message);
            status.remove_condition(SCALED_TO_ZERO);
        } else if current > most {
            plan.desired = most;
            plan.reason = "Current number of replicas above Spec.MaxReplicas".to_owned();
        } else if current < least {
            plan.desired = least;
            plan.reason = "Current number of replicas below Spec.MinReplicas".to_owned();
        } else {
            plan = self.plan(key, autoscaler, target, (least, most), status, context).await?;
        }
        let Plan { desired, reason, statuses, error } = plan;
        let is_rescaled = desired != current;
        if is_rescaled {
            if let Err(error) = target.set_replicas(desired, context.client).await {
                let message = format!("New size: {desired}; reason: {reason}; error: {error}");
                warn(autoscaler, "FailedRescale", message, context);
                let message = format!("the HPA controller was unable to update the target scale: {error}");
                status.set_condition(ABLE, false, "FailedUpdateScale", &message);
                status.set((current, status.desired()), statuses, false);
                return Err(Failed { error, event: None });
            }
            let message = format!("the HPA controller was able to update the target scale to {desired}");
            status.set_condition(ABLE, true, "SucceededRescale", &message);
            let message = format!("New size: {desired}; reason: {reason}");
            let kind = EventType::Normal;
            context.recorder.report(
                &HORIZONTAL_POD_AUTOSCALERS,
                autoscaler,
                kind,
                "SuccessfulRescale",
                message,
            );
            if let Some(behavior) = behavior::of(autoscaler) {
                let memory = self.memories.entry(key.to_owned()).or_default();
                memory.scaled(current, desired, &behavior, now);
            }
            status.remove_condition(SCALED_TO_ZERO);
        }
        status.set((current, desired), statuses, is_rescaled);
        Ok(error)
    }

    /// Finds out by the metrics how many replicas there are to be.
    async fn plan(
        &mut self,
        key: &str,
        autoscaler: &Shared,
        target: &Target,
        (least, most): (i64, i64),
        status: &mut Status,
        context: &mut Context<'_>,
    ) -> Result<Plan, Failed> {
        let (now, current) = (context.now(), target.replicas());
        let fail = |status: &mut Status, statuses, why| {
            status.set((current, status.desired()), statuses, false);
            Failed { error: Error::Other(why), event: Some("FailedComputeMetricsReplicas") }
        };
        let (selector, pods) = match self.select(key, autoscaler, target, context) {
            Ok(selected) => selected,
            Err(Refused { reason, why, message }) => {
                warn(autoscaler, reason, why.clone(), context);
                let reason = if reason == "SelectorRequired" { "InvalidSelector" } else { reason };
                status.set_condition(ACTIVE, false, reason, &message);
                return Err(fail(status, None, why));
            }
        };
        let scaled = Scaled { autoscaler, selector, pods: &pods, current, observed: target.observed() };
        let compute::Outcome { proposal, statuses, error } = compute::replicas(&scaled, context).await;
        let (proposed, metric) = match proposal {
            Ok(proposal) => proposal,
            Err(Refusal { reason, message }) => {
                status.set_condition(ACTIVE, false, reason, &message);
                return Err(fail(status, Some(statuses), error.unwrap_or_default()));
            }
        };
        let message = format!("the HPA was able to successfully calculate a replica count from {metric}");
        status.set_condition(ACTIVE, true, "ValidMetricFound", &message);
        let proposed = proposed.max(0);
        let reason = match proposed.cmp(&current) {
            std::cmp::Ordering::Greater => [&metric, " above target"].concat(),
            std::cmp::Ordering::Less => "All metrics below target".to_owned(),
            std::cmp::Ordering::Equal => String::new(),
        };
        let memory = self.memories.entry(key.to_owned()).or_default();
        let numbers = Numbers { current, desired: proposed, least, most };
        let limited = limits::limit(numbers, behavior::of(autoscaler).as_ref(), memory, now);
        status.set_condition(ABLE, true, limited.able.0, limited.able.1);
        status.set_condition(LIMITED, limited.is_limited, limited.limit.0, limited.limit.1);
        Ok(Plan { desired: limited.replicas, reason, statuses: Some(statuses), error })
    }

    /// Returns the selector of a target and the pods that it selects, unless another autoscaler selects some of them, too.
    fn select<'a>(
        &mut self,
        key: &str,
        autoscaler: &Value,
        target: &'a Target,
        context: &Context<'_>,
    ) -> Result<(&'a LabelSelector, Vec<Shared>), Refused> {
        let Some(selector) = &target.selector else {
            return Err(Refused {
                reason: "SelectorRequired",
                why: "selector is required".to_owned(),
                message: "the HPA target's scale is missing a selector".to_owned(),
            });
        };
        self.selectors.set(key, selector);
        let namespace = object::namespace(autoscaler);
        let pods = context.stores.of(&PODS).in_namespace(namespace);
        let pods: Vec<Shared> = pods.filter(|pod| object::selects(selector, pod)).cloned().collect();
        let others = self.selectors.of_pods(namespace, &pods);
        if others.len() > 1 {
            let others = others.into_iter().collect::<Vec<_>>().join(" ");
            let why = format!("pods by selector {selector} are controlled by multiple HPAs: [{others}]");
            return Err(Refused { reason: "AmbiguousSelector", message: why.clone(), why });
        }
        Ok((selector, pods))
    }
}

/// The number of replicas that there are to be, and how it came about.
struct Plan {
    desired: i64,
    reason: String,
    /// The statuses of the metrics; `None` if they were not looked at.
    statuses: Option<Vec<Value>>,
    /// The error that tells what is wrong with some of the metrics.
    error: Option<String>,
}

/// A failure, and the reason of the event about it, if that comes after the status.
struct Failed {
    error: Error,
    event: Option<&'static str>,
}

/// A selector that is refused: the reason and the message of the event, and the message of the condition.
struct Refused {
    reason: &'static str,
    why: String,
    message: String,
}

/// Reports something that is amiss.
fn warn(autoscaler: &Value, reason: &'static str, message: String, context: &mut Context<'_>) {
    let kind = EventType::Warning;
    context.recorder.report(&HORIZONTAL_POD_AUTOSCALERS, autoscaler, kind, reason, message);
}

/// Writes a status, if it says something else than before.
async fn write(autoscaler: &Value, status: Status, context: &mut Context<'_>) -> Result<(), Error> {
    let Some(status) = status.changed() else { return Ok(()) };
    let mut changed = autoscaler.clone();
    object::set(&mut changed, "status", status);
    let written = context.client.update(&HORIZONTAL_POD_AUTOSCALERS, &changed, "status").await;
    written.map(drop).map_err(|error| {
        warn(autoscaler, "FailedUpdateStatus", error.to_string(), context);
        error.context(&format!("failed to update status for {}", object::name(autoscaler)))
    })
}
