//! DaemonSets: the generation of their template is an annotation, long deprecated.
//!
//! <https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/>

use std::time::Duration;

use json_tree::Value;

use crate::kind::{Strategy, TRACKED};
use apimachinery::object;
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::typed_object::insert_sorted;

/// The annotation with the generation of the template.
pub(crate) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

pub(super) const STRATEGY: Strategy =
    Strategy { complete, prepare_for_create, prepare_for_update, prepare_for_status_update, ..TRACKED };

/// Without the annotation, the generation is 0.
fn complete(set: &mut Object) {
    let annotations = object::metadata(set, "annotations");
    if annotations.is_none_or(|annotations| annotations.get(TEMPLATE_GENERATION).is_none()) {
        set_generation(set, 0);
    }
}

fn set_generation(set: &mut Object, generation: i64) {
    let metadata = metadata_mut(set);
    let mut annotations = match metadata.get("annotations") {
        Some(Value::Object(annotations)) => annotations.clone(),
        _ => Object::new(),
    };
    insert_sorted(&mut annotations, TEMPLATE_GENERATION, generation.to_string().into());
    set_in_order(metadata, "annotations", annotations.into(), METADATA_ORDER);
}

fn generation(set: &Object) -> i64 {
    let annotation = object::metadata(set, "annotations").and_then(|all| all.get(TEMPLATE_GENERATION));
    annotation.and_then(|text| text.as_str()?.parse().ok()).unwrap_or_default()
}

/// Sets the first generation: 1, or what a client says that it is.
fn prepare_for_create(set: &mut Object) {
    set_generation(set, generation(set).max(1));
}

/// Clients cannot set the template's generation; it grows when the template changes.
fn prepare_for_update(set: &mut Object, old: &Object) {
    let template = |set: &Object| set.get("spec").and_then(|spec| spec.get("template")).cloned();
    let generation = generation(old) + i64::from(template(set) != template(old));
    set_generation(set, generation);
}

/// The generation is a part of the spec, and stays with it.
fn prepare_for_status_update(set: &mut Object, old: &Object, _: Duration) {
    set_generation(set, generation(old));
}
