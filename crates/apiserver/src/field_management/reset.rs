//! The fields that a kind of write leaves alone, so that nobody comes to own them by it.

use apply::Set;
use schema::Resource;

/// Paths of fields.
type Paths = &'static [&'static [&'static str]];

/// Group, resource, subresource, and what a write through it resets, where that is not the rule.
const EXCEPTIONS: &[(&str, &str, &str, Paths)] = &[
    ("", "namespaces", "finalize", &[&["status"]]),
    (
        "",
        "pods",
        "status",
        &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]],
    ),
    ("apps", "deployments", "status", &[&["spec"], &["metadata", "labels"]]),
    ("certificates.k8s.io", "certificatesigningrequests", "", &[&["status"], &["spec"]]),
    ("flowcontrol.apiserver.k8s.io", "flowschemas", "status", &[&["spec"], &["metadata"]]),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "status", &[&["spec"], &["metadata"]]),
    ("storage.k8s.io", "volumeattachments", "status", &[&["spec"], &["metadata"]]),
    ("networking.k8s.io", "servicecidrs", "status", &[&["spec"], &["metadata"]]),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies", "status", &[&["spec"], &["metadata"]]),
    ("apiregistration.k8s.io", "apiservices", "status", &[&["spec"], &["metadata"]]),
    ("resource.k8s.io", "resourceclaims", "status", &[&["spec"], &["metadata"]]),
];

/// The fields that a write through `subresource` resets: the status of a plain write, and the spec of a write of the
/// status.
pub(super) fn fields(resource: &Resource, subresource: &str) -> Set {
    let key = (resource.storage.group.as_str(), resource.storage.resource.as_str(), subresource);
    let exception = EXCEPTIONS.iter().find(|(group, name, sub, _)| (*group, *name, *sub) == key);
    let custom = resource.extension.is_some();
    let paths: Paths = match (exception, subresource) {
        (Some((.., paths)), _) => paths,
        (None, "") if resource.subresource("status").is_some() => &[&["status"]],
        (None, "status") if custom => &[&["spec"], &["metadata"]],
        (None, "status") => &[&["spec"]],
        _ => &[],
    };
    Set::of_fields(paths)
}
