//! The resources of a pod, and its quality of service, by its spec.

mod needs;
mod qos;

use json_tree::Value;

use crate::amounts::{Amounts, amounts};

pub use needs::{Needs, needs};
pub use qos::{BEST_EFFORT, class as quality_of_service};

/// Returns the resources that a pod needs: `kind` is `requests` or `limits`. The amounts at the level of the pod take
/// precedence over those of its containers, and the overhead is added on top.
///
/// <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-overhead/>
pub fn resources(spec: &Value, kind: &str) -> Amounts {
    let mut total = net_resources(spec, kind);
    for (name, amount) in amounts(spec.get("overhead")).into_entries() {
        match total.get(&name) {
            Some(sum) => {
                let sum = sum.plus(&amount);
                total.insert(name, sum);
            }
            // Without a limit there is none for the overhead either.
            None if kind == "limits" => {}
            None => {
                total.insert(name, amount);
            }
        }
    }
    total
}

/// Returns the resources that a pod needs without its overhead.
pub fn net_resources(spec: &Value, kind: &str) -> Amounts {
    let list = |field: &str| spec.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut total = Amounts::new();
    total.extend(needs(list("containers"), list("initContainers"), kind));
    total.extend(amounts(spec.get("resources").and_then(|own| own.get(kind))).into_entries());
    total
}
