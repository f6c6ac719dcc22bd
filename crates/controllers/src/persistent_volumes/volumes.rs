//! Volumes: each is free, bound to a claim, or released by one that is gone.

use json_tree::Value;

use super::bind::{set_volume_phase, unbind};
use super::matching::has_same_mode;
use super::{PROVISIONED_BY, reclaim};
use crate::client::View;
use crate::controller::{Context, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object;
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES};
use crate::store::Shared;

/// Looks at a volume.
pub(super) async fn sync(name: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
    let Some(volume) = context.stores.of(&PERSISTENT_VOLUMES).get(name).cloned() else {
        return Ok(Outcome::Done);
    };
    let uid = volume.text_at("/spec/claimRef/uid");
    if uid.is_empty() {
        set_volume_phase(&volume, "Available", "", context).await?;
        return Ok(Outcome::Done);
    }
    match claim_of(&volume, uid, context).await? {
        None => release(&volume, context).await?,
        Some(claim) if claim.text_at("/spec/volumeName").is_empty() => {
            if has_same_mode(&claim, &volume) {
                context.queue.add(object::key(&claim));
            } else {
                tell_mismatch(&claim, &volume, context);
            }
        }
        Some(claim) if claim.text_at("/spec/volumeName") == name => {
            set_volume_phase(&volume, "Bound", "", context).await?;
        }
        // The claim has found another one.
        Some(_) => {
            let is_made = object::annotation(&volume, PROVISIONED_BY).is_some();
            if is_made && volume.text_at("/spec/persistentVolumeReclaimPolicy") == "Delete" {
                release(&volume, context).await?;
            } else {
                unbind(&volume, context).await?;
            }
        }
    }
    Ok(Outcome::Done)
}

/// Returns the claim of a volume, if it is there: it is asked for again before it is given up.
async fn claim_of(volume: &Value, uid: &str, context: &Context<'_>) -> Result<Option<Shared>, Error> {
    let (namespace, name) =
        (volume.text_at("/spec/claimRef/namespace"), volume.text_at("/spec/claimRef/name"));
    let known = context.stores.of(&PERSISTENT_VOLUME_CLAIMS).get(&object::join_key(namespace, name)).cloned();
    let is_given_up = ["Released", "Failed"].contains(&volume.text_at("/status/phase"));
    match known {
        Some(claim) if object::uid(&claim) == uid => return Ok(Some(claim)),
        None if is_given_up => return Ok(None),
        _ => {}
    }
    match context.client.get(&PERSISTENT_VOLUME_CLAIMS, namespace, name, View::Whole).await {
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
        Ok(claim) => Ok(Some(Shared::new(claim)).filter(|claim| object::uid(claim) == uid)),
    }
}

/// Says that a volume is claimed no more, and reclaims it.
async fn release(volume: &Value, context: &mut Context<'_>) -> Result<(), Error> {
    let is_given_up = ["Released", "Failed"].contains(&volume.text_at("/status/phase"));
    let volume =
        if is_given_up { volume.clone() } else { set_volume_phase(volume, "Released", "", context).await? };
    reclaim::reclaim(&volume, context).await
}

fn tell_mismatch(claim: &Value, volume: &Value, context: &mut Context<'_>) {
    const REASON: &str = "VolumeMismatch";
    let text = format!(
        "Cannot bind PersistentVolume to requested PersistentVolumeClaim {:?} due to incompatible volumeMode.",
        object::name(claim)
    );
    context.recorder.report(&PERSISTENT_VOLUMES, volume, EventType::Warning, REASON, text);
    let text = format!(
        "Cannot bind PersistentVolume {:?} to requested PersistentVolumeClaim due to incompatible volumeMode.",
        object::name(volume)
    );
    context.recorder.report(&PERSISTENT_VOLUME_CLAIMS, claim, EventType::Warning, REASON, text);
}
