//! The status of StatefulSets.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/stateful-set-v1/#StatefulSetStatus>.

use json_tree::{Value, json};

use super::revisions::Revisions;
use super::{Set, identity};
use crate::client::View;
use crate::controller::Context;
use crate::error::Error;
use crate::object;
use crate::pod;
use crate::resource::STATEFUL_SETS;

/// The fields that a new status is compared by.
const COMPARED: [&str; 7] = [
    "replicas",
    "currentReplicas",
    "readyReplicas",
    "updatedReplicas",
    "currentRevision",
    "availableReplicas",
    "updateRevision",
];

impl Set {
    /// Calculates the status. `replaced` pods were deleted just now.
    fn status(&self, revisions: &Revisions, replaced: i64, context: &Context<'_>) -> Value {
        let (current, update) = (object::name(&revisions.current), object::name(&revisions.update));
        let (mut replicas, mut ready, mut available) = (0, 0, 0);
        let (mut of_current, mut of_update) = (0, 0);
        for pod in self.pods.iter().filter(|pod| identity::ordinal(pod).is_some()) {
            replicas += 1;
            if pod::phase(pod) == "Running" && pod::is_ready(pod) {
                ready += 1;
                available += i64::from(self.is_available(pod, context));
            }
            if !object::is_being_deleted(pod) {
                let own = identity::pod_revision(pod);
                of_current += i64::from(own == current);
                of_update += i64::from(own == update);
            }
        }
        of_current = (of_current - replaced).max(0);
        let wanted = object::replicas(&self.owner);
        let is_rolling = self.owner.text_at("/spec/updateStrategy/type") == "RollingUpdate";
        let is_complete = is_rolling && of_update == wanted && ready == wanted && replicas == wanted;
        json!({
            "observedGeneration": object::generation(&self.owner),
            "replicas": replicas,
            "readyReplicas": ready,
            "availableReplicas": available,
            "currentReplicas": if is_complete { of_update } else { of_current },
            "updatedReplicas": of_update,
            "currentRevision": if is_complete { update } else { current },
            "updateRevision": update,
            "collisionCount": revisions.collisions
        })
    }

    /// Writes the status, unless it is there already. If somebody else has written the object meanwhile, it is tried once more.
    pub(super) async fn update_status(
        &self,
        revisions: &Revisions,
        replaced: i64,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let status = self.status(revisions, replaced, context);
        let owner = &self.owner;
        let known = owner.get("status").unwrap_or(&Value::Null);
        let same = |field: &&str| {
            let (known, new) = (known.get(*field), status.get(*field));
            // A number that is not there is none.
            known == new || known.is_none() && new.and_then(Value::as_i64) == Some(0)
        };
        let generation = object::int(known, "/observedGeneration");
        if object::generation(owner) <= generation && COMPARED.iter().all(same) {
            return Ok(());
        }
        let mut new = Value::clone(owner);
        object::set(&mut new, "status", status.clone());
        match context.client.update(&STATEFUL_SETS, &new, "status").await {
            Err(error) if error.is_conflict() => {}
            written => return written.map(drop),
        }
        let (namespace, name) = (object::namespace(owner), object::name(owner));
        let mut latest = context.client.get(&STATEFUL_SETS, namespace, name, View::Whole).await?;
        object::set(&mut latest, "status", status);
        context.client.update(&STATEFUL_SETS, &latest, "status").await.map(drop)
    }
}
