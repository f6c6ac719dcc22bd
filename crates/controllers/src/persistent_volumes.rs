//! The controller that binds claims and volumes to each other, and reclaims the volumes that are no longer claimed.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#lifecycle-of-a-volume-and-claim>.

mod bind;
mod claims;
pub(crate) mod matching;
pub(crate) mod provisioner;
mod reclaim;
mod volumes;

pub(crate) use bind::reserved;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking};
use crate::object;
use crate::pod_claims::claimed;
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, Resource, STORAGE_CLASSES};
use matching::{class_of, has_class};

/// The annotations of what is bound: of a claim that it once was, and of both that the controller has chosen the other.
pub(crate) const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
pub(crate) const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";

/// The annotation of a volume that names who has made it.
pub(crate) const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// The annotations of a claim that name who is to make its volume.
pub(crate) const PROVISIONERS: [&str; 2] =
    ["volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"];

/// The annotation of a claim that names the node on which its first pod is to run.
pub(crate) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The controller. Its keys are those of claims, and of volumes, which have no slash.
pub(crate) struct PersistentVolumes;

impl PersistentVolumes {
    /// Queues the claims that wait for a volume, if they are among the chosen ones.
    fn queue_waiting(context: &mut Context<'_>, chosen: impl Fn(&Value) -> bool) {
        let claims = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).iter();
        for (key, _) in claims.filter(|(_, claim)| waits(claim) && chosen(claim)) {
            context.queue.add(key.as_str());
        }
    }

    /// Hears of a volume: a claim may be waiting for it, or have lost it.
    fn volume_changed(change: &Change, context: &mut Context<'_>) {
        if let Some(volume) = &change.new {
            let phase = |volume: &Value| volume.text_at("/status/phase") == "Available";
            if phase(volume) && !change.old.as_ref().is_some_and(|old| phase(old)) {
                let (name, class) = (object::name(volume).to_owned(), class_of(volume).to_owned());
                Self::queue_waiting(context, |claim| {
                    let wanted = claim.text_at("/spec/volumeName");
                    if wanted.is_empty() { class_of(claim) == class } else { wanted == name }
                });
            }
            context.queue.add(object::name(volume));
        } else if let Some(old) = &change.old
            && let Some(claim) = old.pointer("/spec/claimRef")
        {
            context.queue.add(object::join_key(claim.text("namespace"), claim.text("name")));
        }
    }

    /// Hears of a claim: its volume is free if it is gone.
    fn claim_changed(change: &Change, context: &mut Context<'_>) {
        if let Some(claim) = &change.new {
            context.queue.add(object::key(claim));
        }
        if let Some(old) = &change.old {
            let volume = old.text_at("/spec/volumeName");
            let is_gone = change.new.as_ref().is_none_or(|new| object::uid(new) != object::uid(old));
            if is_gone && !volume.is_empty() {
                context.queue.add(volume);
            }
        }
    }
}

/// Reports whether a claim waits for a volume.
fn waits(claim: &Value) -> bool {
    object::annotation(claim, BIND_COMPLETED).is_none()
}

impl Controller for PersistentVolumes {
    fn resources(&self) -> Vec<(Resource, View)> {
        [PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES, PODS]
            .map(|resource| (resource, View::Whole))
            .to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        match &*change.resource.kind {
            "PersistentVolume" => Self::volume_changed(change, context),
            "PersistentVolumeClaim" => Self::claim_changed(change, context),
            "StorageClass" => {
                let name = change.new.as_ref().map(|class| object::name(class).to_owned());
                if let Some(name) = name {
                    Self::queue_waiting(context, |claim| !has_class(claim) || class_of(claim) == name);
                }
            }
            _ => {
                // One that is new may be the first of a claim that waits for it.
                if let (None, Some(pod)) = (&change.old, &change.new) {
                    for volume in claimed(pod) {
                        let key = object::join_key(object::namespace(pod), &volume.claim);
                        let claim = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).get(&key);
                        if claim.is_some_and(|claim| waits(claim)) {
                            context.queue.add(key);
                        }
                    }
                }
            }
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        if key.contains('/') {
            claims::sync(key, context).boxed()
        } else {
            volumes::sync(key, context).boxed()
        }
    }
}
