//! Fields of pods that belong to features which v1.36 leaves off.
//!
//! See <https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/>.

use json_tree::{Map, Value};

use apimachinery::object::Object;

/// Drops them from the specs of pods: from the one at a JSON pointer into an object.
pub(crate) fn drop_fields(object: &mut Object, pointer: &str) {
    let mut parts = pointer.split('/').skip(1);
    let first = parts.next().and_then(|part| object.get_mut(part));
    let spec = parts.fold(first, |value, part| value?.get_mut(part));
    if let Some(Value::Object(spec)) = spec {
        of_pod(spec);
    }
}

/// `GenericWorkload`, `ContainerStopSignals`, `ClusterTrustBundleProjection` and `PodCertificateRequest`.
fn of_pod(spec: &mut Map<String, Value>) {
    spec.shift_remove("schedulingGroup");
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in objects(spec, list) {
            let Some(Value::Object(lifecycle)) = container.get_mut("lifecycle") else { continue };
            if lifecycle.shift_remove("stopSignal").is_some() && lifecycle.is_empty() {
                container.shift_remove("lifecycle");
            }
        }
    }
    for volume in objects(spec, "volumes") {
        let Some(Value::Object(projected)) = volume.get_mut("projected") else { continue };
        for source in objects(projected, "sources") {
            for kind in ["clusterTrustBundle", "podCertificate"] {
                source.shift_remove(kind);
            }
        }
    }
}

/// `DRANodeAllocatableResources`: what the status had before may stay.
pub(super) fn drop_status_fields(pod: &mut Object, old: Option<&Object>) {
    const CLAIMS: &str = "nodeAllocatableResourceClaimStatuses";
    let had = old.and_then(|old| old.get("status")?.get(CLAIMS)).is_some();
    if let Some(Value::Object(status)) = pod.get_mut("status").filter(|_| !had) {
        status.shift_remove(CLAIMS);
    }
}

fn objects<'a>(
    holder: &'a mut Map<String, Value>,
    field: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let items = holder.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut)
}
