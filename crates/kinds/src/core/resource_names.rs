//! Names and amounts of resources, in quotas, limits and nodes.
//!
//! See <https://kubernetes.io/docs/concepts/policy/resource-quotas/>.

use json_tree::Value;
use schema::quantity::Quantity;

use crate::validation::checks::named;
use crate::validation::name;
use field::{AddError, Error, Path};

/// The resources that a quota can be set for.
const QUOTA: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "requests.storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
];
/// The resources whose amounts are whole numbers.
const COUNTED: &[&str] = &[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Returns whether a quota can be set for a resource without a prefix.
pub(super) fn is_for_quota(resource: &str) -> bool {
    QUOTA.contains(&resource) || is_huge_page(resource) || resource.starts_with("requests.hugepages-")
}

fn is_huge_page(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

fn is_native(resource: &str) -> bool {
    !resource.contains('/') || resource.contains("kubernetes.io/")
}

/// Returns whether a resource is an extended resource: one that something other than Kubernetes counts.
pub(crate) fn is_extended(resource: &str) -> bool {
    !is_native(resource)
        && !resource.starts_with("requests.")
        && name::qualified_name(&format!("requests.{resource}")).is_empty()
}

/// Returns whether a resource can be overcommitted: more of it may be promised than there is.
pub(super) fn may_overcommit(resource: &str) -> bool {
    is_native(resource) && !is_huge_page(resource)
}

/// Validates the name of any resource.
pub(crate) fn any(resource: &str, path: &Path) -> Vec<Error> {
    let errors = named(resource, name::qualified_name, path);
    let unknown = !resource.contains('/') && resource != "storage" && !is_for_quota(resource);
    if errors.is_empty() && unknown {
        let why = "must be a standard resource type or fully qualified";
        return vec![Error::invalid(path, resource, why)];
    }
    errors
}

/// Validates the name of a resource in a quota.
pub(super) fn of_quota(resource: &str, path: &Path) -> Vec<Error> {
    let mut errors = any(resource, path);
    if !resource.contains('/') && !is_for_quota(resource) {
        errors.invalid(path, resource, "must be a standard resource for quota");
    }
    errors
}

/// Validates the name of a resource of a container.
pub(crate) fn of_container(resource: &str, path: &Path) -> Vec<Error> {
    let mut errors = any(resource, path);
    if !resource.contains('/') {
        if !matches!(resource, "cpu" | "memory" | "ephemeral-storage") && !is_huge_page(resource) {
            errors.invalid(path, resource, "must be a standard resource for containers");
        }
    } else if !is_native(resource) && !is_extended(resource) {
        errors.invalid(path, resource, "doesn't follow extended resource name standard");
    }
    errors
}

/// Validates an amount of a resource.
pub(crate) fn amount(resource: &str, amount: &Value, path: &Path) -> Vec<Error> {
    let text = amount.as_str().unwrap_or_default();
    let Ok(quantity) = Quantity::parse(text) else { return Vec::new() };
    let mut errors = Vec::new();
    if Quantity::count(0).exceeds(&quantity) {
        errors.invalid(path, text, "must be greater than or equal to 0");
    }
    if (COUNTED.contains(&resource) || is_extended(resource)) && !quantity.is_whole() {
        errors.invalid(path, text, "must be an integer");
    }
    errors
}

/// The error of an amount below zero.
pub(crate) fn negative(amount: &Value, path: &Path) -> Option<Error> {
    let text = amount.as_str()?;
    let below = Quantity::count(0).exceeds(&Quantity::parse(text).ok()?);
    below.then(|| Error::invalid(path, text, "must be greater than or equal to 0"))
}

/// The error of an amount that is zero or below.
pub(super) fn not_positive(amount: &Value, path: &Path) -> Option<Error> {
    let text = amount.as_str()?;
    let positive = Quantity::parse(text).ok()?.is_positive();
    (!positive).then(|| Error::invalid(path, text, "must be greater than zero"))
}

/// The error of an amount that is below zero when it is rounded up, with the number that it is then.
pub(super) fn basic(amount: &Value, path: &Path) -> Option<Error> {
    let whole = Quantity::of(amount)?.value();
    (whole < 0).then(|| Error::invalid(path, whole, "must be a valid resource quantity"))
}
