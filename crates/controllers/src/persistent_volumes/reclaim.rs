//! Reclaiming of volumes whose claims are gone: they stay, are deleted, or are used again.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming>.

use json_tree::Value;

use super::PROVISIONED_BY;
use super::bind::{fail, unbind};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::pod;
use crate::pod_claims::claimed;
use crate::resource::{PERSISTENT_VOLUMES, PODS};

/// The sources of volumes that can be used again.
const RECYCLABLE: [&str; 2] = ["hostPath", "nfs"];

/// Reclaims a volume, as its policy says.
pub(super) async fn reclaim(volume: &Value, context: &mut Context<'_>) -> Result<(), Error> {
    if object::annotation(volume, "pv.kubernetes.io/migrated-to").is_some_and(|driver| !driver.is_empty()) {
        return Ok(());
    }
    match volume.text_at("/spec/persistentVolumeReclaimPolicy") {
        "Retain" => Ok(()),
        "Delete" => delete(volume, context).await,
        "Recycle" => recycle(volume, context).await,
        _ => {
            let message = "Volume has unrecognized PersistentVolumeReclaimPolicy";
            fail(volume, "VolumeUnknownReclaimPolicy", message, context).await
        }
    }
}

fn source<'a>(volume: &'a Value, name: &str) -> Option<&'a Value> {
    volume.get("spec")?.get(name).filter(|source| !source.is_null())
}

/// Deletes a volume, unless it is somebody else's to do that.
async fn delete(volume: &Value, context: &mut Context<'_>) -> Result<(), Error> {
    let name = object::name(volume);
    let maker = object::annotation(volume, PROVISIONED_BY).filter(|maker| !maker.is_empty());
    if maker.is_some_and(|maker| !maker.starts_with("kubernetes.io/")) || source(volume, "csi").is_some() {
        return Ok(());
    }
    let why = match source(volume, "hostPath").map(|source| source.text("path")) {
        Some(path) if path.strip_prefix("/tmp/").is_some_and(|rest| !rest.is_empty()) => None,
        Some(path) => Some(format!("host_path deleter only supports /tmp/.+ but received provided {path}")),
        None => Some(format!(
            "error getting deleter volume plugin for volume {name:?}: no deletable volume plugin matched"
        )),
    };
    if let Some(why) = why {
        return fail(volume, "VolumeFailedDelete", &why, context).await;
    }
    match context.client.delete(&PERSISTENT_VOLUMES, "", name, &Value::Null).await {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

/// Has a volume be used again, once no pod uses it.
async fn recycle(volume: &Value, context: &mut Context<'_>) -> Result<(), Error> {
    const REASON: &str = "VolumeFailedRecycle";
    let (namespace, claim) =
        (volume.text_at("/spec/claimRef/namespace"), volume.text_at("/spec/claimRef/name"));
    let pods = context.stores.of(&PODS).in_namespace(namespace).filter(|pod| !pod::is_terminal(pod));
    let users = pods.filter(|pod| claimed(pod).any(|volume| volume.claim == claim));
    let users: Vec<String> = users.map(|pod| object::key(pod)).collect();
    if !users.is_empty() {
        let message = format!("Volume is used by pods: {}", users.join(","));
        context.recorder.report(&PERSISTENT_VOLUMES, volume, EventType::Normal, REASON, message);
        return Ok(());
    }
    if !RECYCLABLE.iter().any(|name| source(volume, name).is_some()) {
        return fail(volume, REASON, "No recycler plugin found for the volume!", context).await;
    }
    let message = "Volume recycled".to_owned();
    context.recorder.report(&PERSISTENT_VOLUMES, volume, EventType::Normal, "VolumeRecycled", message);
    unbind(volume, context).await
}
