//! Claims: each gets the volume that it names, or the one that suits it best, or waits for one that is made for it.

use apimachinery::storage_class;
use json_tree::Value;

use super::bind::{bind, set_claim_status};
use super::matching::{class_of, find, has_class, is_bound_to, mismatch};
use super::{BIND_COMPLETED, BOUND_BY_CONTROLLER, PROVISIONERS, SELECTED_NODE};
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::events::EventType::{self, Normal, Warning};
use crate::object;
use crate::pod;
use crate::pod_claims::claimed;
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES};
use crate::store::Shared;

/// The beginning of the names of provisioners that were once part of Kubernetes.
const IN_TREE: &str = "kubernetes.io/";

fn report(claim: &Value, kind: EventType, reason: &'static str, message: String, context: &mut Context<'_>) {
    context.recorder.report(&PERSISTENT_VOLUME_CLAIMS, claim, kind, reason, message);
}

/// Looks at a claim.
pub(super) async fn sync(key: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
    let Some(claim) = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).get(key).cloned() else {
        return Ok(Outcome::Done);
    };
    let wanted = claim.text_at("/spec/volumeName");
    let volume = context.stores.of(&PERSISTENT_VOLUMES).get(wanted).cloned();
    if object::annotation(&claim, BIND_COMPLETED).is_some() {
        sync_bound(&claim, volume, context).await?;
    } else if wanted.is_empty() {
        sync_unbound(&claim, context).await?;
    } else {
        sync_choosy(&claim, volume, context).await?;
    }
    Ok(Outcome::Done)
}

/// Looks whether a claim that was bound still is.
async fn sync_bound(claim: &Value, volume: Option<Shared>, context: &mut Context<'_>) -> Result<(), Error> {
    let lost = match volume {
        Some(volume) => match volume.text_at("/spec/claimRef/uid") {
            uid if uid == object::uid(claim) => return bind(&volume, claim, context).await,
            _ if volume.pointer("/spec/claimRef").is_none() => return bind(&volume, claim, context).await,
            _ => ("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly"),
        },
        None if claim.text_at("/spec/volumeName").is_empty() => {
            ("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!")
        }
        None => ("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"),
    };
    if claim.text_at("/status/phase") != "Lost" {
        let claim = set_claim_status(claim, "Lost", None, context).await?;
        report(&claim, Warning, lost.0, lost.1.to_owned(), context);
    }
    Ok(())
}

/// Finds a volume for a claim that names none.
async fn sync_unbound(claim: &Value, context: &mut Context<'_>) -> Result<(), Error> {
    let waits_for_pod = waits_for_pod(claim, context);
    let volumes = context.stores.of(&PERSISTENT_VOLUMES).iter().map(|(_, volume)| volume);
    if let Some(volume) = find(claim, volumes, None, waits_for_pod).cloned() {
        return bind(&volume, claim, context).await;
    }
    if !has_class(claim)
        && let Some(class) = default_class(context)
    {
        let mut changed = claim.clone();
        object::set(object::child(&mut changed, "spec"), "storageClassName", class.into());
        return context.client.update(&PERSISTENT_VOLUME_CLAIMS, &changed, "").await.map(drop);
    }
    if waits_for_pod && object::annotation(claim, SELECTED_NODE).is_none() {
        let (reason, message) = waiting_for(claim, context);
        report(claim, Normal, reason, message, context);
    } else if !class_of(claim).is_empty() {
        return provision(claim, context).await;
    } else {
        let message = "no persistent volumes available for this claim and no storage class is set";
        report(claim, Normal, "FailedBinding", message.to_owned(), context);
    }
    set_claim_status(claim, "Pending", None, context).await.map(drop)
}

/// Binds a claim to the volume that it names, if it can.
async fn sync_choosy(claim: &Value, volume: Option<Shared>, context: &mut Context<'_>) -> Result<(), Error> {
    if let Some(volume) = volume {
        let name = object::name(&volume);
        let is_free = volume.pointer("/spec/claimRef").is_none();
        let why = mismatch(&volume, claim).filter(|_| is_free);
        if let Some(why) = why {
            let message = format!("Cannot bind to requested volume {name:?}: {why}");
            report(claim, Warning, "VolumeMismatch", message, context);
        } else if is_free || is_bound_to(&volume, claim) {
            return bind(&volume, claim, context).await;
        } else {
            let message = format!("volume {name:?} already bound to a different claim.");
            report(claim, Warning, "FailedBinding", message, context);
            if object::annotation(claim, BOUND_BY_CONTROLLER).is_some() {
                let other = volume.pointer("/spec/claimRef").cloned().unwrap_or_default();
                return Err(Error::Other(format!(
                    "invalid binding of claim {:?} to volume {name:?}: volume already claimed by \"{}/{}\"",
                    object::key(claim),
                    other.text("namespace"),
                    other.text("name")
                )));
            }
        }
    }
    set_claim_status(claim, "Pending", None, context).await.map(drop)
}

/// Reports whether a claim is to be bound only when a pod needs it.
fn waits_for_pod(claim: &Value, context: &Context<'_>) -> bool {
    let class = context.stores.of(&STORAGE_CLASSES).get(class_of(claim));
    class.is_some_and(|class| class.text("volumeBindingMode") == "WaitForFirstConsumer")
}

/// Returns the name of the class that claims without one get: the newest, if there are several.
fn default_class(context: &Context<'_>) -> Option<String> {
    let classes = context.stores.of(&STORAGE_CLASSES).iter().map(|(_, class)| class);
    let defaults = classes.filter(|class| {
        storage_class::DEFAULT.iter().any(|key| object::annotation(class, key) == Some("true"))
    });
    let newest = defaults.min_by(|a, b| {
        let (a_time, b_time) = (object::creation_time(a), object::creation_time(b));
        b_time.cmp(&a_time).then_with(|| object::name(a).cmp(object::name(b)))
    });
    newest.map(|class| object::name(class).to_owned())
}

/// Returns for which pods a claim waits, in a reason and a sentence.
fn waiting_for(claim: &Value, context: &Context<'_>) -> (&'static str, String) {
    let pods = context.stores.of(&PODS).in_namespace(object::namespace(claim));
    let waiting = pods.filter(|pod| pod.text_at("/spec/nodeName").is_empty() && !pod::is_terminal(pod));
    let names_it = |pod: &&Shared| claimed(pod).any(|volume| volume.claim == object::name(claim));
    let names: Vec<&str> = waiting.filter(names_it).map(|pod| object::name(pod)).collect();
    match names.as_slice() {
        [] => ("WaitForFirstConsumer", "waiting for first consumer to be created before binding".to_owned()),
        [name] => ("WaitForPodScheduled", format!("waiting for pod {name} to be scheduled")),
        names => ("WaitForPodScheduled", format!("waiting for pods {} to be scheduled", names.join(","))),
    }
}

/// Asks a provisioner for the volume of a claim.
async fn provision(claim: &Value, context: &mut Context<'_>) -> Result<(), Error> {
    let class = class_of(claim);
    let Some(class) = context.stores.of(&STORAGE_CLASSES).get(class).cloned() else {
        let message = format!("storageclass.storage.k8s.io {class:?} not found");
        report(claim, Warning, "ProvisioningFailed", message, context);
        return Ok(());
    };
    let provisioner = class.text("provisioner");
    if provisioner.starts_with(IN_TREE) {
        let message = "no volume plugin matched".to_owned();
        report(claim, Warning, "ProvisioningFailed", message, context);
        return Ok(());
    }
    if object::annotation(claim, PROVISIONERS[1]) == Some(provisioner) {
        // It was said before.
        return Ok(());
    }
    let mut claim = claim.clone();
    for key in PROVISIONERS {
        object::set_annotation(&mut claim, key, provisioner);
    }
    let claim = context.client.update(&PERSISTENT_VOLUME_CLAIMS, &claim, "").await?;
    let message = format!(
        "Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the system administrator. \
         If volume creation is delayed, please verify that the provisioner is running and correctly registered."
    );
    report(&claim, Normal, "ExternalProvisioning", message, context);
    Ok(())
}
