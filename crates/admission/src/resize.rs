//! A pod is resized to what its node can give: the plugin PodResizeValidator.
//!
//! <https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/>

use json_tree::Value;

use super::{Request, text};
use apimachinery::amounts::amounts;
use apimachinery::object::{Object, metadata_text};
use apimachinery::pod::resources;
use apimachinery::status::Status;
use field::quote;
use schema::quantity::Quantity;

/// The label of a node that says which operating system it has.
const SYSTEM: &str = "/labels/kubernetes.io~1os";

/// Counts the units of a quantity.
type Units = fn(&Quantity) -> i64;

/// The resources that are looked at, and the units in which they are told.
const UNITS: [(&str, Units); 2] = [("cpu", Quantity::thousandths), ("memory", Quantity::value)];

/// Refuses a new size of a pod that its node cannot give.
pub(super) fn check(request: &Request<'_>, pod: &Object) -> Result<(), Box<Status>> {
    let node = text(pod, "spec", "/nodeName");
    let Some(old) = request.old.filter(|_| !node.is_empty()) else { return Ok(()) };
    if old.get("spec") == pod.get("spec") {
        return Ok(());
    }
    let Some(found) = request.find("minions", node) else {
        return Err(request.forbidden(pod, &["node ", &quote(node), " not found"].concat()));
    };
    let refused = |why: &str, cause: &str| Err(request.forbidden(pod, why).caused(cause, String::new()));
    let system = text(&found, "metadata", SYSTEM);
    if !["", "linux"].contains(&system) {
        let name = metadata_text(&found, "name");
        let why =
            format!("pod resize is only supported on linux nodes, node {} is {}", quote(name), quote(system));
        return refused(&why, "UnsupportedPlatform");
    }
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    let requests = resources(spec, "requests");
    let allocatable = amounts(found.get("status").and_then(|status| status.get("allocatable")));
    let none = Quantity::count(0);
    let missing = UNITS.into_iter().filter_map(|(name, units)| {
        let (asked, given) = (requests.get(name)?, allocatable.get(name).unwrap_or(&none));
        let (shown, most) = (units(asked), units(given));
        asked.exceeds(given).then(|| format!("{name}, requested: {shown}, allocatable: {most}"))
    });
    let missing: Vec<String> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    let why = ["node didn't have enough allocatable resources: ", &missing.join("; ")].concat();
    refused(&why, "NodeCapacity")
}
