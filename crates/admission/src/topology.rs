//! Pods know the zone and the region of their node by labels of their own.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels>

use json_tree::{Map, Value};

use super::{Request, text};
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use apimachinery::status::Status;
use apimachinery::typed_object::insert_sorted;
use kinds::kind::Objects;

const LABELS: [&str; 2] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/// Labels a new pod that comes with its node.
pub(super) fn pod(request: &Request<'_>, pod: &mut Object) -> Result<(), Box<Status>> {
    let node = text(pod, "spec", "/nodeName").to_owned();
    if request.old.is_none() {
        label(request.objects, &node, pod);
    }
    Ok(())
}

/// Labels a binding, whose labels the pod takes over.
pub fn label_binding(objects: &dyn Objects, binding: &mut Object) {
    let target = |field: &str| text(binding, "target", field).to_owned();
    if target("/kind") == "Node" {
        label(objects, &target("/name"), binding);
    }
}

/// Gives the object those labels of the node, whatever it had in their place.
fn label(objects: &dyn Objects, node: &str, object: &mut Object) {
    let stored = objects.get(&["/registry/minions/", node].concat());
    let labels = stored.as_ref().and_then(|node| node.get("metadata")?.get("labels")?.as_object());
    let found: Vec<(&str, Value)> =
        LABELS.into_iter().filter_map(|key| Some((key, labels?.get(key)?.clone()))).collect();
    if found.is_empty() {
        return;
    }
    let metadata = metadata_mut(object);
    let mut own = match metadata.get("labels") {
        Some(Value::Object(own)) => own.clone(),
        _ => Map::new(),
    };
    for (key, value) in found {
        insert_sorted(&mut own, key, value);
    }
    set_in_order(metadata, "labels", own.into(), METADATA_ORDER);
}
