//! Kinds that kube-apiserver's scheme has, also in versions that are not served.

/// Kinds of `meta/v1` that every version of a group has.
const META_KINDS: [&str; 7] = [
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Kinds of versions that are not served. Each has a list, but for those of [`LISTLESS`].
const UNSERVED: &[(&str, &str)] = &[
    ("admission.k8s.io/v1", "AdmissionReview"),
    ("admission.k8s.io/v1beta1", "AdmissionReview"),
    (
        "admissionregistration.k8s.io/v1alpha1",
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        "ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy \
         ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
    ),
    ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"),
    ("apps/v1beta1", "Deployment DeploymentRollback Scale StatefulSet ControllerRevision"),
    ("apps/v1beta2", "Deployment Scale StatefulSet DaemonSet ReplicaSet ControllerRevision"),
    ("authentication.k8s.io/v1alpha1", "SelfSubjectReview"),
    ("authentication.k8s.io/v1beta1", "SelfSubjectReview TokenReview"),
    (
        "authorization.k8s.io/v1beta1",
        "SelfSubjectRulesReview SelfSubjectAccessReview SubjectAccessReview LocalSubjectAccessReview",
    ),
    ("batch/v1beta1", "CronJob"),
    ("certificates.k8s.io/v1alpha1", "ClusterTrustBundle"),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest"),
    ("coordination.k8s.io/v1alpha2", "LeaseCandidate"),
    ("coordination.k8s.io/v1beta1", "Lease LeaseCandidate"),
    ("discovery.k8s.io/v1beta1", "EndpointSlice"),
    ("events.k8s.io/v1beta1", "Event"),
    ("extensions/v1beta1", "Deployment DeploymentRollback Scale DaemonSet Ingress ReplicaSet NetworkPolicy"),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema PriorityLevelConfiguration"),
    ("flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema PriorityLevelConfiguration"),
    ("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema PriorityLevelConfiguration"),
    ("imagepolicy.k8s.io/v1alpha1", "ImageReview"),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersion"),
    ("networking.k8s.io/v1beta1", "Ingress IngressClass IPAddress ServiceCIDR"),
    ("node.k8s.io/v1alpha1", "RuntimeClass"),
    ("node.k8s.io/v1beta1", "RuntimeClass"),
    ("policy/v1beta1", "PodDisruptionBudget Eviction"),
    ("rbac.authorization.k8s.io/v1alpha1", "Role RoleBinding ClusterRole ClusterRoleBinding"),
    ("rbac.authorization.k8s.io/v1beta1", "Role RoleBinding ClusterRole ClusterRoleBinding"),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRule ResourcePoolStatusRequest"),
    ("resource.k8s.io/v1beta1", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"),
    (
        "resource.k8s.io/v1beta2",
        "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice",
    ),
    ("scheduling.k8s.io/v1alpha2", "Workload PodGroup"),
    ("scheduling.k8s.io/v1beta1", "PriorityClass"),
    ("storage.k8s.io/v1alpha1", "VolumeAttachment CSIStorageCapacity VolumeAttributesClass"),
    (
        "storage.k8s.io/v1beta1",
        "StorageClass VolumeAttachment CSIDriver CSINode CSIStorageCapacity VolumeAttributesClass",
    ),
    ("storagemigration.k8s.io/v1beta1", "StorageVersionMigration"),
];

/// The ends of the names of kinds that have no list.
const LISTLESS: [&str; 4] = ["Review", "Scale", "Rollback", "Eviction"];

/// How the scheme knows a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Not,
    Kind,
    /// In a version that is not served; and whether it is taken all the same.
    Unserved(bool),
}

/// Finds out how the scheme knows a kind of a version.
pub(super) fn known_kind(group: &str, version: &str, kind: &str) -> Known {
    let unserved = UNSERVED.iter().find(|(known, _)| match known.split_once('/') {
        Some(known) => known == (group, version),
        None => false,
    });
    if let Some((_, kinds)) = unserved {
        let has_list = |known: &str| !LISTLESS.iter().any(|end| known.ends_with(end));
        let is_list = |known: &str| kind.strip_suffix("List") == Some(known) && has_list(known);
        let known = kinds.split(' ').any(|known| known == kind || is_list(known));
        return if known || META_KINDS.contains(&kind) {
            Known::Unserved(kind == "Eviction")
        } else {
            Known::Not
        };
    }
    let mut rows = crate::resource::built_in()
        .iter()
        .filter(|row| row.group == group && row.version == version)
        .peekable();
    let served = rows.peek().is_some();
    let mut subresources = crate::resource::built_in().iter().flat_map(|row| &row.subresources);
    let known = rows.any(|row| row.kind == kind || row.list_kind == kind)
        || subresources.any(|row| row.kind == kind && row.group == group && row.version == version)
        || served && META_KINDS.contains(&kind)
        || group.is_empty() && version == "v1" && ["List", "Status"].contains(&kind);
    if known { Known::Kind } else { Known::Not }
}

/// Reads the group and the version of an `apiVersion`, of which what is missing is that of `own`, also an `apiVersion`.
///
/// # Errors
/// Go's text for more than one slash.
pub(super) fn group_version<'a>(text: &'a str, own: &'a str) -> Result<(&'a str, &'a str), String> {
    let split = |text: &'a str| text.split_once('/').unwrap_or(("", text));
    if text.matches('/').count() > 1 {
        return Err(["unexpected GroupVersion string: ", text].concat());
    }
    Ok(match (split(text), split(own)) {
        (("", ""), own) => own,
        ((group, ""), (own, version)) if group == own => (group, version),
        (sent, _) => sent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_the_scheme() {
        let check = |group: &str, version: &str, kind: &str, expected: Known| {
            assert_eq!(known_kind(group, version, kind), expected, "{group}/{version} {kind}");
        };
        check("apps", "v1", "Deployment", Known::Kind);
        check("apps", "v1", "DeploymentList", Known::Kind);
        check("apps", "v1", "DeleteOptions", Known::Kind);
        check("apps", "v1beta1", "DeploymentList", Known::Unserved(false));
        check("apps", "v1beta1", "DaemonSet", Known::Not);
        check("apps", "v1beta1", "ScaleList", Known::Not);
        check("policy", "v1beta1", "Eviction", Known::Unserved(true));
        check("", "v1", "List", Known::Kind);
        check("apps", "v1", "List", Known::Not);
    }

    #[test]
    fn groups_and_versions() {
        let check = |text: &str, expected: Result<(&str, &str), &str>| {
            assert_eq!(group_version(text, "apps/v1"), expected.map_err(str::to_owned), "{text}");
        };
        check("", Ok(("apps", "v1")));
        check("/", Ok(("apps", "v1")));
        check("apps/", Ok(("apps", "v1")));
        check("/v1", Ok(("", "v1")));
        check("v1", Ok(("", "v1")));
        check("v1/", Ok(("v1", "")));
        check("apps/v2", Ok(("apps", "v2")));
        check("/apps/v1", Err("unexpected GroupVersion string: /apps/v1"));
    }
}
