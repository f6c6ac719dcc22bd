//! Binding of a claim and a volume, in four steps: the volume, its phase, the claim, its status.

use json_tree::Value;

use super::matching::is_bound_to;
use super::{BIND_COMPLETED, BOUND_BY_CONTROLLER};
use crate::controller::Context;
use crate::error::Error;
use crate::events::EventType;
use crate::object::{self, list};
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES};

/// Returns a volume that is reserved for a claim; `None` if it is already.
pub(crate) fn reserved(volume: &Value, claim: &Value) -> Option<Value> {
    let is_own = is_bound_to(volume, claim);
    let has_uid = volume.text_at("/spec/claimRef/uid") == object::uid(claim);
    let is_marked = is_own || object::annotation(volume, BOUND_BY_CONTROLLER).is_some();
    if is_own && has_uid && is_marked {
        return None;
    }
    let mut changed = volume.clone();
    if !(is_own && has_uid) {
        let reference = object::reference(&PERSISTENT_VOLUME_CLAIMS, claim);
        object::set(object::child(&mut changed, "spec"), "claimRef", reference);
    }
    if !is_marked {
        object::set_annotation(&mut changed, BOUND_BY_CONTROLLER, "yes");
    }
    Some(changed)
}

/// Binds a volume and a claim, as far as they are not bound already.
pub(super) async fn bind(volume: &Value, claim: &Value, context: &Context<'_>) -> Result<(), Error> {
    let volume = match reserved(volume, claim) {
        Some(changed) => context.client.update(&PERSISTENT_VOLUMES, &changed, "").await?,
        None => volume.clone(),
    };
    let volume = set_volume_phase(&volume, "Bound", "", context).await?;
    let mut changed = claim.clone();
    if claim.text_at("/spec/volumeName") != object::name(&volume) {
        object::set(object::child(&mut changed, "spec"), "volumeName", object::name(&volume).into());
        if object::annotation(claim, BOUND_BY_CONTROLLER).is_none() {
            object::set_annotation(&mut changed, BOUND_BY_CONTROLLER, "yes");
        }
    }
    if object::annotation(claim, BIND_COMPLETED).is_none() {
        object::set_annotation(&mut changed, BIND_COMPLETED, "yes");
    }
    if changed != *claim {
        changed = context.client.update(&PERSISTENT_VOLUME_CLAIMS, &changed, "").await?;
    }
    set_claim_status(&changed, "Bound", Some(&volume), context).await.map(drop)
}

/// Takes a volume from its claim: it is as nobody had claimed it, or as it was when somebody reserved it.
pub(super) async fn unbind(volume: &Value, context: &Context<'_>) -> Result<(), Error> {
    let mut changed = volume.clone();
    if object::annotation(volume, BOUND_BY_CONTROLLER).is_some() {
        object::set(object::child(&mut changed, "spec"), "claimRef", Value::Null);
        let metadata = object::child(&mut changed, "metadata");
        if let Some(annotations) = object::child(metadata, "annotations").as_object_mut() {
            annotations.shift_remove(BOUND_BY_CONTROLLER);
        }
    } else {
        object::set(object::child(object::child(&mut changed, "spec"), "claimRef"), "uid", "".into());
    }
    let changed = context.client.update(&PERSISTENT_VOLUMES, &changed, "").await?;
    set_volume_phase(&changed, "Available", "", context).await.map(drop)
}

/// Sets the phase of a volume, and returns it as it is then.
pub(super) async fn set_volume_phase(
    volume: &Value,
    phase: &str,
    message: &str,
    context: &Context<'_>,
) -> Result<Value, Error> {
    if volume.text_at("/status/phase") == phase {
        return Ok(volume.clone());
    }
    let mut changed = volume.clone();
    let status = object::child(&mut changed, "status");
    object::set(status, "phase", phase.into());
    object::set(status, "message", message.into());
    context.client.update(&PERSISTENT_VOLUMES, &changed, "status").await
}

/// Says that a volume has failed, unless it has.
pub(super) async fn fail(
    volume: &Value,
    reason: &'static str,
    message: &str,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    if volume.text_at("/status/phase") != "Failed" {
        let failed = set_volume_phase(volume, "Failed", message, context).await?;
        context.recorder.report(&PERSISTENT_VOLUMES, &failed, EventType::Warning, reason, message.to_owned());
    }
    Ok(())
}

/// Sets the status of a claim by its volume, if it has one, and returns it as it is then.
pub(super) async fn set_claim_status(
    claim: &Value,
    phase: &str,
    volume: Option<&Value>,
    context: &Context<'_>,
) -> Result<Value, Error> {
    let mut changed = claim.clone();
    let is_new = claim.text_at("/status/phase") != phase;
    let was_pending = claim.text_at("/status/phase") == "Pending";
    let status = object::child(&mut changed, "status");
    object::set(status, "phase", phase.into());
    match volume {
        None => {
            if let Some(status) = status.as_object_mut() {
                for field in ["accessModes", "capacity", "currentVolumeAttributesClassName"] {
                    status.shift_remove(field);
                }
            }
        }
        Some(volume) => {
            object::set(status, "accessModes", Value::Array(list(volume, "/spec/accessModes").to_vec()));
            if is_new {
                let capacity = volume.pointer("/spec/capacity").cloned().unwrap_or_default();
                if capacity.get("storage").is_none() {
                    let name = object::name(volume);
                    return Err(Error::Other(format!(
                        "PersistentVolume {name:?} is without a storage capacity"
                    )));
                }
                object::set(status, "capacity", capacity);
            }
            let attributes = volume.pointer("/spec/volumeAttributesClassName");
            if was_pending && let Some(attributes) = attributes {
                object::set(status, "currentVolumeAttributesClassName", attributes.clone());
            }
        }
    }
    if changed == *claim {
        return Ok(changed);
    }
    context.client.update(&PERSISTENT_VOLUME_CLAIMS, &changed, "status").await
}
