//! Matching of claims and volumes: capacity, access modes, class, mode, labels.
//!
//! See <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding>.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use apimachinery::selector::LabelSelector;
use apimachinery::storage_class;
use json_tree::Value;
use schema::quantity::Quantity;

use crate::object::{self, list};
use crate::store::Shared;

/// Returns the class of a claim or a volume; empty if it has none.
pub(crate) fn class_of(object: &Value) -> &str {
    object.as_object().and_then(storage_class::named).unwrap_or_default()
}

/// Reports whether a claim names a class, be it the empty one.
pub(crate) fn has_class(claim: &Value) -> bool {
    claim.as_object().and_then(storage_class::named).is_some()
}

/// Returns the quantity that a JSON Pointer leads to.
fn quantity(object: &Value, pointer: &str) -> Option<Quantity> {
    Quantity::of(object.pointer(pointer)?)
}

/// Compares the capacity of a volume with what a claim asks for, or another volume has.
fn compare(volume: &Value, other: Option<Quantity>) -> Ordering {
    match (quantity(volume, "/spec/capacity/storage"), other) {
        (Some(own), Some(other)) => own.compare(&other),
        (Some(own), None) => own.sign().cmp(&0),
        (None, Some(other)) => 0.cmp(&other.sign()),
        (None, None) => Ordering::Equal,
    }
}

/// Returns how much a claim asks for.
fn request(claim: &Value) -> Option<Quantity> {
    quantity(claim, "/spec/resources/requests/storage")
}

/// Returns the mode of a claim or a volume: a file system, if it is not said.
fn mode(object: &Value) -> &str {
    Some(object.text_at("/spec/volumeMode")).filter(|mode| !mode.is_empty()).unwrap_or("Filesystem")
}

/// Reports whether a claim and a volume have the same mode.
pub(crate) fn has_same_mode(claim: &Value, volume: &Value) -> bool {
    mode(claim) == mode(volume)
}

fn has_same_attributes(claim: &Value, volume: &Value) -> bool {
    const CLASS: &str = "/spec/volumeAttributesClassName";
    claim.text_at(CLASS) == volume.text_at(CLASS)
}

fn modes(object: &Value) -> BTreeSet<&str> {
    list(object, "/spec/accessModes").iter().map(Value::as_text).collect()
}

/// Reports whether a volume is reserved for a claim: by its name, and by its uid if that is told.
pub(crate) fn is_bound_to(volume: &Value, claim: &Value) -> bool {
    let Some(reference) = volume.pointer("/spec/claimRef") else { return false };
    let uid = reference.text("uid");
    reference.text("name") == object::name(claim)
        && reference.text("namespace") == object::namespace(claim)
        && (uid.is_empty() || uid == object::uid(claim))
}

/// Returns why a claim cannot have the volume that it names; `None` if it can.
pub(super) fn mismatch(volume: &Value, claim: &Value) -> Option<String> {
    let rules: [(bool, &str); 5] = [
        (compare(volume, request(claim)) != Ordering::Less, "requested PV is too small"),
        (class_of(volume) == class_of(claim), "storageClassName does not match"),
        (has_same_attributes(claim, volume), "volumeAttributesClassName does not match"),
        (has_same_mode(claim, volume), "incompatible volumeMode"),
        (modes(claim).is_subset(&modes(volume)), "incompatible accessMode"),
    ];
    if object::is_being_deleted(volume) {
        return Some(format!("the volume is marked for deletion {:?}", object::name(volume)));
    }
    rules.iter().find(|(holds, _)| !holds).map(|(_, text)| (*text).to_owned())
}

/// Finds the volume for a claim: the one that is reserved for it; else the smallest that is free, of those with the fewest access modes. Where
/// binding waits for a pod, only `fits` says which of the free ones its node can have; without it, there is none.
pub(crate) fn find<'a>(
    claim: &Value,
    volumes: impl Iterator<Item = &'a Shared>,
    fits: Option<&dyn Fn(&Value) -> bool>,
    waits_for_pod: bool,
) -> Option<&'a Shared> {
    let selector = claim.pointer("/spec/selector").filter(|selector| !selector.is_null());
    let selector = selector.map(LabelSelector::of);
    let wanted = request(claim);
    let mut best: Option<(usize, &'a Shared)> = None;
    let mut reserved: Option<&'a Shared> = None;
    for volume in volumes {
        let is_reserved = is_bound_to(volume, claim);
        let is_free = volume.pointer("/spec/claimRef").is_none_or(Value::is_null);
        if !(is_reserved || is_free)
            || object::is_being_deleted(volume)
            || !modes(claim).is_subset(&modes(volume))
            || compare(volume, wanted.clone()) == Ordering::Less
            || !has_same_mode(claim, volume)
            || !has_same_attributes(claim, volume)
        {
            continue;
        }
        if is_reserved {
            reserved = reserved.or(Some(volume));
            continue;
        }
        let is_selected = match &selector {
            None => true,
            Some(Some(selector)) => object::selects(selector, volume),
            Some(None) => false,
        };
        let may_fit = fits.map_or(!waits_for_pod, |fits| fits(volume));
        if !may_fit
            || volume.text_at("/status/phase") != "Available"
            || !is_selected
            || class_of(volume) != class_of(claim)
        {
            continue;
        }
        let count = modes(volume).len();
        let is_better = best.is_none_or(|(known, other)| {
            count.cmp(&known).then_with(|| compare(volume, quantity(other, "/spec/capacity/storage")))
                == Ordering::Less
        });
        if is_better {
            best = Some((count, volume));
        }
    }
    match reserved {
        Some(volume) => Some(volume).filter(|volume| fits.is_none_or(|fits| fits(volume))),
        None => best.map(|(_, volume)| volume),
    }
}
