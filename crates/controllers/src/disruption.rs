//! The controller of PodDisruptionBudgets: how many pods may be evicted just now.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets>.

mod scale;
mod status;

use std::time::Duration;

use apimachinery::selector::LabelSelector;
use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object::{self, list};
use crate::resource::{
    DEPLOYMENTS, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource, STATEFUL_SETS,
};
use crate::store::Shared;
use crate::{label_selector, pod};
use scale::Scale;

/// The time within which a pod that was evicted is expected to be deleted, and after which its condition is stale.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The beginning of the keys of pods whose conditions may be stale.
const STALE: &str = "pod/";

const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// The controller. Its keys are those of budgets, and of pods.
pub(crate) struct Disruption;

impl Disruption {
    /// Hears of a pod: its budget has to be looked at.
    fn pod_changed(pod: &Shared, is_there: bool, context: &mut Context<'_>) {
        let budgets = context.stores.of(&POD_DISRUPTION_BUDGETS).in_namespace(object::namespace(pod));
        let budgets: Vec<&Shared> = budgets.filter(|budget| protects(budget, pod)).collect();
        if let Some(first) = budgets.first() {
            context.queue.add(object::key(first));
            if budgets.len() > 1 {
                let quoted = |text| golang::strconv::quote(text);
                let message = format!(
                    "Pod {}/{} matches multiple PodDisruptionBudgets.  Chose {} arbitrarily.",
                    quoted(object::namespace(pod)),
                    quoted(object::name(pod)),
                    quoted(object::name(first))
                );
                let reason = "MultiplePodDisruptionBudgets";
                context.recorder.report(&PODS, pod, EventType::Warning, reason, message);
            }
        }
        if let Some(at) = stale_at(pod).filter(|_| is_there) {
            context.queue.add_at([STALE, &object::key(pod)].concat(), at);
        }
    }

    /// Says that a pod is not about to be disrupted any more, if it should be gone long since.
    async fn sync_pod(&self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(pod) = context.stores.of(&PODS).get(key).cloned() else { return Ok(Outcome::Done) };
        let Some(at) = stale_at(&pod) else { return Ok(Outcome::Done) };
        let now = context.now();
        if at > now {
            return Ok(Outcome::After(at - now));
        }
        let known = list(&pod, "/status/conditions");
        let others = known.iter().filter(|one| one.text("type") != DISRUPTION_TARGET).cloned();
        let condition = pod::condition((DISRUPTION_TARGET, false), ("", ""), &pod, known, now);
        let mut conditions: Vec<Value> = others.collect();
        conditions.push(condition);
        let mut changed = Value::clone(&pod);
        object::set(object::child(&mut changed, "status"), "conditions", Value::Array(conditions));
        context.client.update(&PODS, &changed, "status").await?;
        Ok(Outcome::Done)
    }

    /// Counts the pods of a budget, and writes its status. What cannot be counted allows no disruption.
    async fn sync_budget(&self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(budget) = context.stores.of(&POD_DISRUPTION_BUDGETS).get(key).cloned() else {
            return Ok(Outcome::Done);
        };
        let status = match self.count(&budget, context).await {
            Ok((status, recheck)) => {
                if let Some(recheck) = recheck {
                    context.queue.add_at(key, recheck);
                }
                status
            }
            Err(error) => status::failed(&budget, &error.to_string(), context.now()),
        };
        if budget.get("status") != Some(&status) {
            let mut changed = Value::clone(&budget);
            object::set(&mut changed, "status", status);
            context.client.update(&POD_DISRUPTION_BUDGETS, &changed, "status").await?;
        }
        Ok(Outcome::Done)
    }

    /// Returns the status of a budget, and the time at which one of its pods should be gone.
    async fn count(
        &self,
        budget: &Shared,
        context: &mut Context<'_>,
    ) -> Result<(Value, Option<Duration>), Error> {
        let pods = context.stores.of(&PODS).in_namespace(object::namespace(budget));
        let pods: Vec<Shared> = pods.filter(|pod| protects(budget, pod)).cloned().collect();
        if pods.is_empty() {
            let message = "No matching pods found".to_owned();
            context.recorder.report(&POD_DISRUPTION_BUDGETS, budget, EventType::Normal, "NoPods", message);
        }
        let scale = match scale::expected(budget, &pods, context).await {
            Ok(scale) => scale,
            Err(error) => {
                let message = format!("Failed to calculate the number of expected pods: {error}");
                let reason = "CalculateExpectedPodCountFailed";
                context.recorder.report(&POD_DISRUPTION_BUDGETS, budget, EventType::Warning, reason, message);
                return Err(error);
            }
        };
        if scale.has_unmanaged {
            let message = format!(
                "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB \
                 cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \
                 \".spec.minAvailable\" field of the PDB to an integer value.",
                label_selector::go_text(budget.pointer("/spec/selector"))
            );
            let reason = "UnmanagedPods";
            context.recorder.report(&POD_DISRUPTION_BUDGETS, budget, EventType::Warning, reason, message);
        }
        Ok(self.status(budget, &pods, &scale, context))
    }

    /// Makes the status of a budget, and tells of pods that were evicted and are still there.
    fn status(
        &self,
        budget: &Shared,
        pods: &[Shared],
        scale: &Scale,
        context: &mut Context<'_>,
    ) -> (Value, Option<Duration>) {
        let now = context.now();
        let (mut disrupted, mut recheck) = (json!({}), None);
        let mut healthy = 0;
        for pod in pods.iter().filter(|pod| !object::is_being_deleted(pod)) {
            let time = budget.pointer("/status/disruptedPods").and_then(|all| all.get(object::name(pod)));
            let until = time.and_then(object::time).map(|time| time.saturating_add(TIMEOUT));
            match (time, until) {
                (Some(time), Some(until)) if until > now => {
                    object::set(&mut disrupted, object::name(pod), time.clone());
                    recheck = Some(recheck.map_or(until, |known: Duration| known.min(until)));
                }
                (Some(_), _) => {
                    let namespace = object::namespace(budget);
                    let message = format!(
                        "Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
                    );
                    context.recorder.report(&PODS, pod, EventType::Warning, "NotDeleted", message);
                }
                _ => {}
            }
            let goes = disrupted.get(object::name(pod)).is_some();
            healthy += i64::from(!goes && pod::is_ready(pod));
        }
        (status::calculate(budget, healthy, scale, disrupted, now), recheck)
    }
}

impl Controller for Disruption {
    fn resources(&self) -> Vec<(Resource, View)> {
        [PODS, POD_DISRUPTION_BUDGETS, REPLICATION_CONTROLLERS, REPLICA_SETS, DEPLOYMENTS, STATEFUL_SETS]
            .map(|resource| (resource, View::Whole))
            .to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let Some(object) = change.object() else { return };
        match &*change.resource.kind {
            "Pod" => Self::pod_changed(object, change.new.is_some(), context),
            "PodDisruptionBudget" => context.queue.add(object::key(object)),
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            match key.strip_prefix(STALE).filter(|rest| rest.contains('/')) {
                Some(pod) => self.sync_pod(pod, context).await,
                None => self.sync_budget(key, context).await,
            }
        }
        .boxed()
    }
}

/// Reports whether a budget is about a pod. One without a selector is about none, one with an empty one about all.
fn protects(budget: &Value, pod: &Value) -> bool {
    let selector = budget.pointer("/spec/selector").and_then(LabelSelector::of);
    selector.is_some_and(|selector| object::selects(&selector, pod))
}

/// Returns the time from which on the condition of a pod is stale that says that it is about to be disrupted.
fn stale_at(pod: &Value) -> Option<Duration> {
    let conditions = list(pod, "/status/conditions");
    let condition = conditions.iter().find(|one| one.text("type") == DISRUPTION_TARGET)?;
    let is_told = condition.text("status") == "True" && condition.text("reason") != "TerminationByKubelet";
    if !is_told || !pod::is_active(pod) {
        return None;
    }
    Some(
        condition
            .get("lastTransitionTime")
            .and_then(object::time)
            .unwrap_or_default()
            .saturating_add(TIMEOUT),
    )
}
