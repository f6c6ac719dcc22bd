//! The controller that makes claims for the volumes that live as long as their pods.
//!
//! See <https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes>.

use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::pod_claims::{ClaimedVolume, claimed, not_of_pod};
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PODS, Resource};
use crate::store::Shared;

/// The controller. Its keys are those of pods.
pub(crate) struct EphemeralVolumes;

impl EphemeralVolumes {
    /// Makes the claims of a pod, up to the first that cannot be made.
    async fn make_claims(&self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let known = context.stores.of(&PODS).get(key).cloned();
        let Some(pod) = known.filter(|pod| !object::is_being_deleted(pod)) else { return Ok(Outcome::Done) };
        for volume in claimed(&pod).filter(|volume| volume.is_ephemeral) {
            if let Err(error) = make_claim(&pod, &volume, context).await {
                let message = format!("ephemeral volume {}: {error}", volume.volume.text("name"));
                let text = format!("pod {key}, {message}");
                context.recorder.report(&PODS, &pod, EventType::Warning, "FailedBinding", message);
                return Err(Error::Other(text));
            }
        }
        Ok(Outcome::Done)
    }
}

impl Controller for EphemeralVolumes {
    fn resources(&self) -> Vec<(Resource, View)> {
        [PODS, PERSISTENT_VOLUME_CLAIMS].map(|resource| (resource, View::Whole)).to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        match (&change.old, &change.new) {
            (old, Some(pod)) if change.resource == PODS => {
                // Whoever takes the place of another one of its name is new, too.
                let is_new = old.as_ref().is_none_or(|old| object::uid(old) != object::uid(pod));
                if is_new && claimed(pod).any(|volume| volume.is_ephemeral) {
                    context.queue.add(object::key(pod));
                }
            }
            (Some(claim), None) if change.resource == PERSISTENT_VOLUME_CLAIMS => {
                let pods = context.stores.of(&PODS).in_namespace(object::namespace(claim));
                let names_it = |pod: &&Shared| {
                    claimed(pod).any(|volume| volume.is_ephemeral && volume.claim == object::name(claim))
                };
                for pod in pods.filter(names_it) {
                    context.queue.add(object::key(pod));
                }
            }
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.make_claims(key, context).boxed()
    }
}

/// Makes the claim of a volume, unless it is there. One of this name that is another's is an error.
async fn make_claim(pod: &Value, volume: &ClaimedVolume<'_>, context: &Context<'_>) -> Result<(), Error> {
    let namespace = object::namespace(pod);
    let key = object::join_key(namespace, &volume.claim);
    if let Some(claim) = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).get(&key) {
        return not_of_pod(pod, claim).map_or(Ok(()), |why| Err(Error::Other(why)));
    }
    let template = volume.volume.pointer("/ephemeral/volumeClaimTemplate").unwrap_or(&Value::Null);
    let owner = object::controller_reference(pod, "v1", "Pod");
    let metadata = json!({"name": volume.claim.as_str(), "ownerReferences": [owner]});
    let claim = object::of_template(template, metadata);
    let created = context.client.create(&PERSISTENT_VOLUME_CLAIMS, namespace, &claim).await;
    created.map(drop).map_err(|error| error.context(&["create PVC ", &volume.claim].concat()))
}
