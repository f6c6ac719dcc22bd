//! The pretended provisioner: it makes volumes for claims, and deletes them, as a CSI driver's does. There is nothing behind them.
//!
//! See <https://kubernetes.io/docs/concepts/storage/dynamic-provisioning/>.

use futures::FutureExt;
use json_tree::{Value, json};

use super::matching::class_of;
use super::{PROVISIONED_BY, PROVISIONERS, SELECTED_NODE};
use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::node_affinity::HOSTNAME;
use crate::object::{self, list};
use crate::resource::{NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, Resource, STORAGE_CLASSES};

/// The name by which classes ask for it, and the source of its events.
pub(crate) const NAME: &str = "pretended.kubeglass.dev";

/// The finalizer of the volumes that it is to delete.
const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";

/// The provisioner. Its keys are those of claims, and of volumes, which have no slash.
pub(crate) struct Provisioner;

impl Provisioner {
    /// Makes the volume of a claim, unless it has one or is to wait for a node.
    async fn provision(&self, key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
        let known = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).get(key).cloned();
        let Some(claim) = known.filter(|claim| is_asked(claim)) else { return Ok(Outcome::Done) };
        let Some(class) = context.stores.of(&STORAGE_CLASSES).get(class_of(&claim)).cloned() else {
            return Ok(Outcome::Done);
        };
        let selected = object::annotation(&claim, SELECTED_NODE).unwrap_or_default();
        let waits = class.text("volumeBindingMode") == "WaitForFirstConsumer";
        let node = context.stores.of(&NODES).get(selected).cloned();
        if class.text("provisioner") != NAME || (waits && node.is_none()) {
            return Ok(Outcome::Done);
        }
        let name = ["pvc-", object::uid(&claim)].concat();
        if context.stores.of(&PERSISTENT_VOLUMES).get(&name).is_some() {
            return Ok(Outcome::Done);
        }
        let mut report = |kind, reason, text| {
            context.recorder.report(&PERSISTENT_VOLUME_CLAIMS, &claim, kind, reason, text);
        };
        let text = format!("External provisioner is provisioning volume for claim {key:?}");
        report(EventType::Normal, "Provisioning", text);
        let volume = volume(&name, &claim, &class, node.as_deref().filter(|_| waits));
        match context.client.create(&PERSISTENT_VOLUMES, "", &volume).await {
            Err(error) if !error.is_already_exists() => {
                let text = format!(
                    "failed to provision volume with StorageClass {:?}: {error}",
                    object::name(&class)
                );
                report(EventType::Warning, "ProvisioningFailed", text);
                return Err(error);
            }
            _ => {
                let text = format!("Successfully provisioned volume {name}");
                report(EventType::Normal, "ProvisioningSucceeded", text);
            }
        }
        Ok(Outcome::Done)
    }

    /// Deletes a volume that nobody claims any more.
    async fn reclaim(&self, name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
        let known = context.stores.of(&PERSISTENT_VOLUMES).get(name).cloned();
        let Some(volume) = known.filter(|volume| is_reclaimed(volume)) else { return Ok(Outcome::Done) };
        if !object::is_being_deleted(&volume) {
            let options = json!({"preconditions": {"uid": object::uid(&volume)}});
            return match context.client.delete(&PERSISTENT_VOLUMES, "", name, &options).await {
                Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
                _ => Ok(Outcome::Done),
            };
        }
        let others: Vec<Value> =
            object::finalizers(&volume).filter(|own| *own != FINALIZER).map(Value::from).collect();
        if others.len() < object::finalizers(&volume).count() {
            let mut changed = Value::clone(&volume);
            object::set(object::child(&mut changed, "metadata"), "finalizers", Value::Array(others));
            context.client.update(&PERSISTENT_VOLUMES, &changed, "").await?;
        }
        Ok(Outcome::Done)
    }
}

impl Controller for Provisioner {
    fn resources(&self) -> Vec<(Resource, View)> {
        [PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES, NODES]
            .map(|resource| (resource, View::Whole))
            .to_vec()
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let Some(object) = &change.new else { return };
        match &*change.resource.kind {
            "PersistentVolumeClaim" if is_asked(object) => context.queue.add(object::key(object)),
            "PersistentVolume" if is_reclaimed(object) => context.queue.add(object::name(object)),
            _ => {}
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        if key.contains('/') {
            self.provision(key, context).boxed()
        } else {
            self.reclaim(key, context).boxed()
        }
    }
}

/// Reports whether the provisioner is asked to make the volume of a claim.
fn is_asked(claim: &Value) -> bool {
    claim.text_at("/spec/volumeName").is_empty()
        && !object::is_being_deleted(claim)
        && object::annotation(claim, PROVISIONERS[1]) == Some(NAME)
}

/// Reports whether a volume is one of the provisioner's, and is to be deleted.
fn is_reclaimed(volume: &Value) -> bool {
    let is_own = object::annotation(volume, PROVISIONED_BY) == Some(NAME);
    is_own
        && (object::is_being_deleted(volume)
            || (volume.text_at("/spec/persistentVolumeReclaimPolicy") == "Delete"
                && volume.text_at("/status/phase") == "Released"))
}

/// Makes the volume of a claim. Where it waits for a pod, it can be reached from that pod's node alone.
fn volume(name: &str, claim: &Value, class: &Value, node: Option<&Value>) -> Value {
    let policy = Some(class.text("reclaimPolicy")).filter(|policy| !policy.is_empty()).unwrap_or("Delete");
    let mut spec = json!({
        "capacity": {"storage": claim.pointer("/spec/resources/requests/storage").cloned().unwrap_or_default()},
        "accessModes": list(claim, "/spec/accessModes").to_vec(),
        "claimRef": object::reference(&PERSISTENT_VOLUME_CLAIMS, claim),
        "csi": {"driver": NAME, "volumeHandle": name},
        "persistentVolumeReclaimPolicy": policy,
        "storageClassName": object::name(class)
    });
    let copied = [
        ("volumeMode", claim.pointer("/spec/volumeMode")),
        ("volumeAttributesClassName", claim.pointer("/spec/volumeAttributesClassName")),
        ("mountOptions", class.get("mountOptions")),
    ];
    for (field, value) in copied {
        if let Some(value) = value {
            object::set(&mut spec, field, value.clone());
        }
    }
    if let Some(host) = node.and_then(|node| object::meta(node, "labels").get(HOSTNAME)) {
        let only = json!({"key": HOSTNAME, "operator": "In", "values": [host.clone()]});
        let affinity = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [only]}]}});
        object::set(&mut spec, "nodeAffinity", affinity);
    }
    let mut metadata = json!({"name": name, "annotations": {PROVISIONED_BY: NAME}});
    if policy == "Delete" {
        object::set(&mut metadata, "finalizers", json!([FINALIZER]));
    }
    json!({"metadata": metadata, "spec": spec})
}
