//! What a container can ask for, by name.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#resource-types>.

use serde_json::{Map, Value};

use crate::defaults::quantity::Quantity;
use crate::field::{Error, Path};
use crate::validation::name;

const OF_CONTAINERS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
const HUGE_PAGES: &str = "hugepages-";

/// What else is counted without a domain before its name.
const STANDARD: [&str; 17] = [
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// What is wrong with the name of a resource of a container.
pub(super) fn name(name: &str, path: &Path) -> Vec<Error> {
    let complaints = name::qualified_name(name);
    if !complaints.is_empty() {
        return complaints.into_iter().map(|why| Error::invalid(path, name, why)).collect();
    }
    let why = if name.contains('/') {
        if is_native(name) || is_extended(name) {
            return Vec::new();
        }
        "doesn't follow extended resource name standard"
    } else if OF_CONTAINERS.contains(&name) || name.starts_with(HUGE_PAGES) {
        return Vec::new();
    } else if STANDARD.contains(&name) || name.starts_with("requests.hugepages-") {
        "must be a standard resource for containers"
    } else {
        let standard = Error::invalid(path, name, "must be a standard resource type or fully qualified");
        return vec![standard, Error::invalid(path, name, "must be a standard resource for containers")];
    };
    vec![Error::invalid(path, name, why)]
}

/// What is wrong with the amounts of resources.
pub(super) fn limits(limits: &Map<String, Value>, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (resource, amount) in limits {
        let (at, amount) = (path.key(resource), amount.as_str().unwrap_or_default());
        errors.extend(name(resource, &at));
        let Some(quantity) = Quantity::parse(amount) else { continue };
        if Quantity::count(0).exceeds(quantity) {
            errors.push(Error::invalid(&at, amount, "must be greater than or equal to 0"));
        }
        if is_extended(resource) && !quantity.is_whole() {
            errors.push(Error::invalid(&at, amount, "must be an integer"));
        }
    }
    errors
}

/// Whether a resource is one of Kubernetes' own.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && name::qualified_name(&format!("requests.{name}")).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn names_of_resources() {
        let check = |text: &str, expected: &str| check(&name(text, &Path::new("r")), expected);
        check("cpu", "");
        check("hugepages-2Mi", "");
        check("example.com/gpu", "");
        check("pods", "r: Invalid value: \"pods\": must be a standard resource for containers");
        check(
            "beans",
            "[r: Invalid value: \"beans\": must be a standard resource type or fully qualified, \
             r: Invalid value: \"beans\": must be a standard resource for containers]",
        );
        check(
            "requests.example.com/gpu",
            "r: Invalid value: \"requests.example.com/gpu\": doesn't follow extended resource name standard",
        );
    }
}
