//! Volumes: whether a pod's can be reached from a node, and the claims that are bound only when a node is found for it.
//!
//! See <https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode>.

use json_tree::Value;

use super::node_info::NodeInfo;
use super::rejection::Rejection;
use crate::controller::Context;
use crate::error::Error;
use crate::node_affinity::matches_any;
use crate::object::{self, list};
use crate::persistent_volumes::matching::{class_of, find};
use crate::persistent_volumes::{BIND_COMPLETED, SELECTED_NODE, reserved};
use crate::pod_claims::{claimed, not_of_pod};
use crate::resource::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES};
use crate::store::{Shared, Stores};

const NO_VOLUME: &str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const NOT_REACHED: &str = "node(s) didn't match PersistentVolume's node affinity";
const NOT_FOUND: &str = "node(s) didn't find available persistent volumes to bind";

/// The provisioner that makes nothing.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// The claims of a pod.
#[derive(Default)]
pub(super) struct Volumes {
    bound: Vec<Shared>,
    /// The claims that wait for the pod's node.
    waiting: Vec<Shared>,
}

/// The work that is left for the claims of a pod on a node: volumes to be reserved, and claims whose volumes are to be made.
#[derive(Default)]
pub(super) struct Plan {
    reserved: Vec<Value>,
    selected: Vec<Value>,
    /// True if not all claims are bound yet.
    pub(super) waits: bool,
}

impl Volumes {
    /// Reads the claims of a pod. An error says why it can run nowhere.
    pub(super) fn of(pod: &Value, stores: &Stores) -> Result<Self, String> {
        let mut volumes = Self::default();
        let mut is_unbound = false;
        for volume in claimed(pod) {
            let name = volume.claim.as_str();
            let key = object::join_key(object::namespace(pod), name);
            let Some(claim) = stores.of(&PERSISTENT_VOLUME_CLAIMS).get(&key) else {
                return Err(if volume.is_ephemeral {
                    format!(
                        "waiting for ephemeral volume controller to create the persistentvolumeclaim {name:?}"
                    )
                } else {
                    format!("persistentvolumeclaim {name:?} not found")
                });
            };
            let place = claim.text_at("/spec/volumeName");
            if claim.text_at("/status/phase") == "Lost" {
                return Err(format!(
                    "persistentvolumeclaim {name:?} bound to non-existent persistentvolume {place:?}"
                ));
            }
            if object::is_being_deleted(claim) {
                return Err(format!("persistentvolumeclaim {name:?} is being deleted"));
            }
            if volume.is_ephemeral
                && let Some(why) = not_of_pod(pod, claim)
            {
                return Err(why);
            }
            let class = stores.of(&STORAGE_CLASSES).get(class_of(claim));
            let waits = class.is_some_and(|class| class.text("volumeBindingMode") == "WaitForFirstConsumer");
            if !place.is_empty() && object::annotation(claim, BIND_COMPLETED).is_some() {
                volumes.bound.push(claim.clone());
            } else if waits && place.is_empty() {
                volumes.waiting.push(claim.clone());
            } else {
                is_unbound = true;
            }
        }
        if is_unbound {
            return Err("pod has unbound immediate PersistentVolumeClaims".to_owned());
        }
        Ok(volumes)
    }

    /// Returns why the volumes cannot be reached from a node, or made for it.
    pub(super) fn reject(&self, node: &NodeInfo, stores: &Stores) -> Option<Rejection> {
        for claim in &self.bound {
            match stores.of(&PERSISTENT_VOLUMES).get(claim.text_at("/spec/volumeName")) {
                None => return Rejection::unresolvable(NO_VOLUME),
                Some(volume) if !is_reached(volume, &node.node) => {
                    return Rejection::unresolvable(NOT_REACHED);
                }
                Some(_) => {}
            }
        }
        if self.plan(&node.node, stores).is_none() { Rejection::unresolvable(NOT_FOUND) } else { None }
    }

    /// Returns what is to be done for the claims that wait; `None` if nothing can be.
    pub(super) fn plan(&self, node: &Value, stores: &Stores) -> Option<Plan> {
        let mut plan = Plan { waits: !self.waiting.is_empty(), ..Plan::default() };
        let mut chosen: Vec<&str> = Vec::new();
        for claim in &self.waiting {
            let selected = object::annotation(claim, SELECTED_NODE);
            if selected.is_some_and(|name| name != object::name(node)) {
                return None;
            }
            let volumes = stores.of(&PERSISTENT_VOLUMES).iter().map(|(_, volume)| volume);
            let free = volumes.filter(|volume| {
                !chosen.contains(&object::name(volume)) && class_of(volume) == class_of(claim)
            });
            let fits = |volume: &Value| is_reached(volume, node);
            let found = if selected.is_none() { find(claim, free, Some(&fits), true) } else { None };
            match found {
                Some(volume) => {
                    chosen.push(object::name(volume));
                    plan.reserved.extend(reserved(volume, claim));
                }
                None if !can_be_made(claim, node, stores) => return None,
                None if selected.is_none() => {
                    let mut changed = Value::clone(claim);
                    object::set_annotation(&mut changed, SELECTED_NODE, object::name(node));
                    plan.selected.push(changed);
                }
                None => {}
            }
        }
        Some(plan)
    }
}

impl Plan {
    /// Reserves volumes, and names the node to those who make others.
    pub(super) async fn carry_out(&self, context: &Context<'_>) -> Result<(), Error> {
        for volume in &self.reserved {
            context.client.update(&PERSISTENT_VOLUMES, volume, "").await?;
        }
        for claim in &self.selected {
            context.client.update(&PERSISTENT_VOLUME_CLAIMS, claim, "").await?;
        }
        Ok(())
    }
}

/// Reports whether a volume can be reached from a node.
fn is_reached(volume: &Value, node: &Value) -> bool {
    let required = volume.pointer("/spec/nodeAffinity/required").filter(|required| !required.is_null());
    required.is_none_or(|required| matches_any(list(required, "/nodeSelectorTerms"), node))
}

/// Reports whether somebody can make a volume for a claim on a node.
fn can_be_made(claim: &Value, node: &Value, stores: &Stores) -> bool {
    let Some(class) = stores.of(&STORAGE_CLASSES).get(class_of(claim)) else { return false };
    let terms = list(class, "/allowedTopologies");
    let labels = object::meta(node, "labels");
    let is_met = |expression: &Value| {
        labels.get(expression.text("key")).is_some_and(|label| list(expression, "/values").contains(label))
    };
    !["", NO_PROVISIONER].contains(&class.text("provisioner"))
        && (terms.is_empty()
            || terms.iter().any(|term| list(term, "/matchLabelExpressions").iter().all(is_met)))
}
