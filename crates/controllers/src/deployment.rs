//! The controller of Deployments: it makes a ReplicaSet for each pod template, and moves the pods from one to the next.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/>.

mod annotations;
mod conditions;
mod history;
mod progress;
mod replica_sets;
mod rollback;
mod rollout;
mod scale;
mod size;
mod status;

use std::collections::BTreeMap;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::claim::Claimant;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::resource::{DEPLOYMENTS, PODS, REPLICA_SETS, Resource};
use crate::store::Shared;
use crate::{dependents, object};
use size::Count;

/// The number of failures after which a Deployment is left alone until it changes.
const MOST_FAILURES: u32 = 15;

/// The controller. Its keys are those of Deployments.
pub(crate) struct Deployments;

/// A Deployment that is being looked at: as it was, with what was changed of it since.
struct Rollout {
    deployment: Value,
    /// The ReplicaSets that it manages, the oldest first.
    sets: Vec<Shared>,
}

/// The ReplicaSet of the current template, if there is one, and all others.
#[derive(Clone, Default)]
struct Sets {
    new: Option<Shared>,
    old: Vec<Shared>,
}

impl Sets {
    /// Returns all of them, the new one last.
    fn all(&self) -> impl Iterator<Item = &Shared> {
        self.old.iter().chain(&self.new)
    }
}

impl Controller for Deployments {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(DEPLOYMENTS, View::Whole), (REPLICA_SETS, View::Whole), (PODS, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == DEPLOYMENTS {
            if let Some(deployment) = change.object() {
                context.queue.add(object::key(deployment));
            }
        } else if change.resource == REPLICA_SETS {
            dependents::queue_owners(&DEPLOYMENTS, change, context);
        } else if let (Some(old), None) = (&change.old, &change.new) {
            pod_deleted(old, context);
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            match sync(key, context).await {
                Err(error) if error.is_namespace_terminating() => Ok(Outcome::Done),
                Err(_) if context.queue.failures(key) >= MOST_FAILURES => Ok(Outcome::Done),
                Err(error) => Err(error),
                Ok(()) => Ok(Outcome::Done),
            }
        }
        .boxed()
    }
}

/// Looks at a Deployment that recreates its pods once the last of them has gone.
fn pod_deleted(pod: &Value, context: &mut Context<'_>) {
    let Some(reference) =
        object::controller_of(pod).filter(|reference| reference.text("kind") == "ReplicaSet")
    else {
        return;
    };
    let (stores, namespace) = (context.stores, object::namespace(pod));
    let sets = stores.of(&REPLICA_SETS);
    let Some(set) = sets.get(&object::join_key(namespace, reference.text("name"))) else { return };
    if object::uid(set) != reference.text("uid") {
        return;
    }
    let Some(deployment) =
        dependents::manager(&DEPLOYMENTS, set, stores).filter(|deployment| !size::is_rolling(deployment))
    else {
        return;
    };
    let Some(selector) = dependents::selector(deployment) else { return };
    let is_own = |set: &&Shared| object::is_controlled_by(set, deployment) && object::selects(&selector, set);
    let mut own = sets.in_namespace(namespace).filter(is_own);
    if own.all(|set| stores.of(&PODS).managed_by(&REPLICA_SETS.kind, set).next().is_none()) {
        context.queue.add(object::key(deployment));
    }
}

async fn sync(key: &str, context: &mut Context<'_>) -> Result<(), Error> {
    let Some(deployment) = context.stores.of(&DEPLOYMENTS).get(key) else { return Ok(()) };
    let mut deployment = Value::clone(deployment);
    let Some(selector) = dependents::selector(&deployment) else {
        return Err(Error::Other(format!("deployment {key} has invalid label selector")));
    };
    if selector.is_empty() {
        return refuse_to_select_all(&mut deployment, context).await;
    }
    let sets =
        context.stores.of(&REPLICA_SETS).in_namespace(object::namespace(&deployment)).cloned().collect();
    let claimant =
        Claimant { owner: &deployment, owners: &DEPLOYMENTS, selector: &selector, dependents: &REPLICA_SETS };
    let mut sets = claimant.claim(sets, context).await?;
    replica_sets::sort_by_age(&mut sets);
    let mut rollout = Rollout { deployment, sets };
    if object::is_being_deleted(&rollout.deployment) {
        let sets = rollout.replica_sets(false, context).await?;
        return rollout.sync_status(&sets, context).await;
    }
    rollout.check_paused(context).await?;
    if rollout.is_paused() {
        return rollout.sync_scale(context).await;
    }
    if rollback::revision(&rollout.deployment).is_some() {
        return rollout.rollback(context).await;
    }
    if rollout.is_scaling(context).await? {
        return rollout.sync_scale(context).await;
    }
    match rollout.deployment.text_at("/spec/strategy/type") {
        "RollingUpdate" => rollout.roll(context).await,
        "Recreate" => rollout.recreate(context).await,
        other => Err(Error::Other(format!("unexpected deployment strategy type: {other}"))),
    }
}

/// Says that a Deployment that selects everything is not acted on.
async fn refuse_to_select_all(deployment: &mut Value, context: &mut Context<'_>) -> Result<(), Error> {
    let message = "This deployment is selecting all pods. A non-empty selector is required.";
    context.recorder.report(&DEPLOYMENTS, deployment, EventType::Warning, "SelectingAll", message.to_owned());
    let generation = object::generation(deployment);
    if object::int(deployment, "/status/observedGeneration") < generation {
        object::set(object::child(deployment, "status"), "observedGeneration", generation.into());
        // It is tried again when it changes.
        let _ = context.client.update(&DEPLOYMENTS, deployment, "status").await;
    }
    Ok(())
}

impl Rollout {
    fn is_paused(&self) -> bool {
        self.deployment.pointer("/spec/paused") == Some(&Value::Bool(true))
    }

    fn replicas(&self) -> Count {
        size::replicas(&self.deployment)
    }

    /// Returns the pods of the ReplicaSets, by the uids of these.
    fn pods<'a>(&self, context: &'a Context<'_>) -> BTreeMap<String, Vec<&'a Shared>> {
        let pods = |set: &Shared| context.stores.of(&PODS).managed_by(&REPLICA_SETS.kind, set).collect();
        self.sets.iter().map(|set| (object::uid(set).to_owned(), pods(set))).collect()
    }

    /// Writes the status and the annotations. The Deployment stays as it was read: a second write is refused if somebody else has
    /// written it meanwhile.
    async fn write_status(&self, context: &Context<'_>) -> Result<Value, Error> {
        context.client.update(&DEPLOYMENTS, &self.deployment, "status").await
    }

    fn report(&self, kind: EventType, reason: &'static str, message: String, context: &mut Context<'_>) {
        context.recorder.report(&DEPLOYMENTS, &self.deployment, kind, reason, message);
    }
}
