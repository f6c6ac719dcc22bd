//! Storage that may be in use gets a finalizer, so that it does not go while it is.
//!
//! <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection>

use json_tree::Value;

use super::Request;
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::status::Status;

pub(super) fn claim(request: &Request<'_>, claim: &mut Object) -> Result<(), Box<Status>> {
    protect(request, claim, "kubernetes.io/pvc-protection")
}

pub(super) fn volume(request: &Request<'_>, volume: &mut Object) -> Result<(), Box<Status>> {
    protect(request, volume, "kubernetes.io/pv-protection")
}

pub(super) fn attributes_class(request: &Request<'_>, class: &mut Object) -> Result<(), Box<Status>> {
    protect(request, class, "kubernetes.io/vac-protection")
}

fn protect(request: &Request<'_>, object: &mut Object, finalizer: &str) -> Result<(), Box<Status>> {
    if request.old.is_some() {
        return Ok(());
    }
    let metadata = metadata_mut(object);
    let mut finalizers = match metadata.get("finalizers") {
        Some(Value::Array(finalizers)) => finalizers.clone(),
        _ => Vec::new(),
    };
    if !finalizers.iter().any(|own| own == finalizer) {
        finalizers.push(finalizer.into());
        set_in_order(metadata, "finalizers", finalizers.into(), METADATA_ORDER);
    }
    Ok(())
}
