//! The controller of StatefulSets: it keeps pods that have names of their own, one after the other.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/>.

mod claims;
mod identity;
mod pods;
mod replicas;
mod revisions;
mod status;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::claim::Claimant;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::resource::{CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, Resource, STATEFUL_SETS};
use crate::store::Shared;
use crate::{dependents, object, pod};

/// The controller. Its keys are those of StatefulSets.
pub(crate) struct StatefulSets;

/// A thing done to a pod or a claim, and the reasons of events when that succeeds or fails.
type Verb = (&'static str, &'static str, &'static str);

const CREATE: Verb = ("Create", "SuccessfulCreate", "FailedCreate");
const UPDATE: Verb = ("Update", "SuccessfulUpdate", "FailedUpdate");
const DELETE: Verb = ("Delete", "SuccessfulDelete", "FailedDelete");

/// A StatefulSet that is being looked at.
struct Set {
    owner: Shared,
    /// The pods that it manages.
    pods: Vec<Shared>,
    /// The first ordinal, and the one after the last.
    start: i64,
    end: i64,
}

impl Set {
    fn new(owner: Shared, pods: Vec<Shared>) -> Self {
        let start = object::int(&owner, "/spec/ordinals/start");
        let end = start.saturating_add(object::replicas(&owner).max(0));
        Self { owner, pods, start, end }
    }

    /// Reports whether an ordinal is one of those that there are to be.
    fn has(&self, ordinal: i64) -> bool {
        (self.start..self.end).contains(&ordinal)
    }

    fn min_ready_seconds(&self) -> i64 {
        object::int(&self.owner, "/spec/minReadySeconds")
    }

    fn is_available(&self, pod: &Value, context: &Context<'_>) -> bool {
        pod::is_available(pod, self.min_ready_seconds(), context.now())
    }

    fn report(&self, kind: EventType, reason: &'static str, message: String, context: &mut Context<'_>) {
        context.recorder.report(&STATEFUL_SETS, &self.owner, kind, reason, message);
    }
}

/// Claims the revisions and the pods of a StatefulSet, makes, deletes and updates pods, and writes the status.
async fn sync(key: &str, context: &mut Context<'_>) -> Result<(), Error> {
    let Some(owner) = context.stores.of(&STATEFUL_SETS).get(key).cloned() else { return Ok(()) };
    let Some(selector) = dependents::selector(&owner) else { return Ok(()) };
    let namespace = object::namespace(&owner);
    let orphans = context.stores.of(&CONTROLLER_REVISIONS).unmanaged(namespace).cloned().collect();
    let claimant = Claimant {
        owner: &owner,
        owners: &STATEFUL_SETS,
        selector: &selector,
        dependents: &CONTROLLER_REVISIONS,
    };
    claimant.claim(orphans, context).await?;
    let store = context.stores.of(&PODS);
    let pods = store.managed_by(&STATEFUL_SETS.kind, &owner).chain(store.unmanaged(namespace)).cloned();
    let claimant = Claimant { dependents: &PODS, ..claimant };
    let pods = claimant.claim_members(pods.collect(), identity::is_member, context).await?;
    let set = Set::new(owner, pods);
    let all = revisions::list(&set.owner, &selector, context);
    let revisions = revisions::find(&set.owner, all, context).await?;
    let (replaced, acted) = set.act(&revisions, context).await;
    let written = set.update_status(&revisions, replaced, context).await;
    let done = acted.and(written);
    let truncated = revisions::truncate(&set, &revisions, context).await;
    done.and(truncated)?;
    let (seconds, now) = (set.min_ready_seconds(), context.now());
    if let Some(next) = set.pods.iter().filter_map(|pod| pod::available_in(pod, seconds, now)).min() {
        context.queue.add_at(key, now.saturating_add(next));
    }
    Ok(())
}

impl Controller for StatefulSets {
    fn resources(&self) -> Vec<(Resource, View)> {
        let resources = [STATEFUL_SETS, PODS, PERSISTENT_VOLUME_CLAIMS, CONTROLLER_REVISIONS];
        resources.map(|resource| (resource, View::Whole)).to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.resource == PODS {
            dependents::queue_owners(&STATEFUL_SETS, change, context);
        } else if change.resource == STATEFUL_SETS
            && let Some(owner) = change.object()
        {
            context.queue.add(object::key(owner));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move { sync(key, context).await.map(|()| Outcome::Done) }.boxed()
    }
}
