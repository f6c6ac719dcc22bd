//! Which resource is validated how.

use super::metadata::Rules;
use super::name::NameRule::{self, Label, PathSegment, Subdomain};
use super::{Resource, kinds};

/// One of the checks that an update goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The new object, as if it were created.
    Create,
    /// The change.
    Update,
    /// The kind's own checks of the new object, without its metadata.
    Spec,
    /// The metadata of the new object.
    Metadata,
    /// The change of the metadata.
    MetadataUpdate,
    /// The kind's own checks of the change, without the metadata.
    Change,
}

/// How a resource is validated.
pub(super) struct Row {
    pub(super) rules: Rules,
    /// True if the kind checks metadata itself; otherwise only the rules for all kinds apply.
    pub(super) validates_metadata: bool,
    pub(super) passes: &'static [Pass],
    pub(super) checks: kinds::Checks,
}

impl Row {
    /// The rules that hold for the metadata of every kind.
    pub(super) fn generic(&self) -> Rules {
        Rules { name: PathSegment, generate_name: true, known_finalizers: false, ..self.rules }
    }
}

const CREATE: &[Pass] = &[Pass::Create];
const UPDATE: &[Pass] = &[Pass::Update];
const UPDATE_CREATE: &[Pass] = &[Pass::Update, Pass::Create];
const UPDATE_SPEC: &[Pass] = &[Pass::Update, Pass::Spec];
const CREATE_UPDATE: &[Pass] = &[Pass::Create, Pass::Update];
const METADATA_CREATE_UPDATE: &[Pass] = &[Pass::Metadata, Pass::Create, Pass::Update];
const SPEC: &[Pass] = &[Pass::Spec];
/// The change alone, which looks at the new object again, by what the old one was allowed to be.
const CHANGE: &[Pass] = &[Pass::Metadata, Pass::Change];
const METADATA_UPDATE: &[Pass] = &[Pass::Metadata, Pass::Update];
const CREATE_CHANGE: &[Pass] = &[Pass::Create, Pass::Metadata, Pass::Change];
const CREATE_CREATE_CHANGE: &[Pass] = &[Pass::Create, Pass::Create, Pass::Change];
const REQUEST: &[Pass] = &[Pass::Metadata, Pass::Change, Pass::MetadataUpdate];
const CLAIM: &[Pass] = &[Pass::Create, Pass::MetadataUpdate, Pass::Create, Pass::Change];
const REVISION: &[Pass] = &[Pass::MetadataUpdate, Pass::Create, Pass::Change];
const CREATE_UPDATE_CREATE: &[Pass] = &[Pass::Create, Pass::Update, Pass::Create];
const ONLY_CHANGE: &[Pass] = &[Pass::Change];

/// Group, resource, how its objects are named, and what an update goes through.
type Entry = (&'static str, &'static str, NameRule, &'static [Pass]);

#[rustfmt::skip]
const ENTRIES: &[Entry] = &[
    ("", "configmaps", Subdomain, UPDATE_CREATE),
    ("", "endpoints", Subdomain, UPDATE_CREATE),
    ("", "events", PathSegment, SPEC),
    ("", "limitranges", Subdomain, CREATE),
    ("", "namespaces", Label, CREATE_UPDATE),
    ("", "nodes", Subdomain, CREATE_UPDATE),
    ("", "persistentvolumeclaims", Subdomain, CLAIM),
    ("", "persistentvolumes", Subdomain, CREATE_CREATE_CHANGE),
    ("", "pods", Subdomain, UPDATE),
    ("", "podtemplates", Subdomain, UPDATE),
    ("", "replicationcontrollers", Subdomain, CREATE_UPDATE),
    ("", "resourcequotas", Subdomain, UPDATE),
    ("", "secrets", Subdomain, UPDATE_CREATE),
    ("", "serviceaccounts", Subdomain, UPDATE_CREATE),
    ("", "services", Label, UPDATE_SPEC),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies", Subdomain, CREATE),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings", Subdomain, CREATE),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations", Subdomain, CREATE),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies", Subdomain, CREATE),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings", Subdomain, CREATE),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations", Subdomain, CREATE),
    ("apiextensions.k8s.io", "customresourcedefinitions", Subdomain, UPDATE),
    ("apiregistration.k8s.io", "apiservices", PathSegment, UPDATE_CREATE),
    ("apps", "controllerrevisions", Subdomain, REVISION),
    ("apps", "daemonsets", Subdomain, CREATE_UPDATE),
    ("apps", "deployments", Subdomain, UPDATE),
    ("apps", "replicasets", Subdomain, CREATE_UPDATE),
    ("apps", "statefulsets", Label, UPDATE),
    ("autoscaling", "horizontalpodautoscalers", Subdomain, UPDATE),
    ("batch", "cronjobs", Subdomain, UPDATE),
    ("batch", "jobs", Subdomain, CREATE_UPDATE),
    ("certificates.k8s.io", "certificatesigningrequests", PathSegment, REQUEST),
    ("coordination.k8s.io", "leases", Subdomain, UPDATE),
    ("discovery.k8s.io", "endpointslices", Subdomain, CHANGE),
    ("events.k8s.io", "events", PathSegment, ONLY_CHANGE),
    ("flowcontrol.apiserver.k8s.io", "flowschemas", Subdomain, CREATE),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", Subdomain, CREATE),
    ("networking.k8s.io", "ingressclasses", Subdomain, UPDATE_CREATE),
    ("networking.k8s.io", "ingresses", Subdomain, UPDATE_CREATE),
    ("networking.k8s.io", "ipaddresses", PathSegment, CREATE_UPDATE),
    ("networking.k8s.io", "networkpolicies", Subdomain, CREATE_UPDATE),
    ("networking.k8s.io", "servicecidrs", Subdomain, CREATE_UPDATE),
    ("policy", "poddisruptionbudgets", PathSegment, SPEC),
    ("rbac.authorization.k8s.io", "clusterrolebindings", PathSegment, METADATA_CREATE_UPDATE),
    ("rbac.authorization.k8s.io", "clusterroles", PathSegment, METADATA_CREATE_UPDATE),
    ("rbac.authorization.k8s.io", "rolebindings", PathSegment, METADATA_CREATE_UPDATE),
    ("rbac.authorization.k8s.io", "roles", PathSegment, METADATA_CREATE_UPDATE),
    ("resource.k8s.io", "deviceclasses", Subdomain, METADATA_UPDATE),
    ("resource.k8s.io", "resourceclaims", Subdomain, METADATA_UPDATE),
    ("resource.k8s.io", "resourceclaimtemplates", Subdomain, CREATE_UPDATE),
    ("scheduling.k8s.io", "priorityclasses", Subdomain, UPDATE),
    ("storage.k8s.io", "csinodes", Subdomain, CHANGE),
    ("storage.k8s.io", "csistoragecapacities", Subdomain, CREATE_UPDATE),
    ("storage.k8s.io", "storageclasses", Subdomain, CREATE_UPDATE),
    ("storage.k8s.io", "volumeattachments", Subdomain, CREATE_CHANGE),
    ("storage.k8s.io", "volumeattributesclasses", Subdomain, CREATE_UPDATE_CREATE),
];

/// The groups whose kinds take any qualified name as a finalizer.
const ANY_FINALIZER: [&str; 3] =
    ["admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"];

/// The row of a resource with these checks. One without an entry, such as a custom resource, is named as a DNS subdomain.
pub(super) fn row(resource: Resource<'_>, checks: kinds::Checks) -> Row {
    let Resource { group, resource, namespaced } = resource;
    let entry = ENTRIES.iter().find(|entry| (entry.0, entry.1) == (group, resource));
    let built_in = is_built_in(group);
    let (name, passes) = entry.map_or((Subdomain, UPDATE), |entry| (entry.2, entry.3));
    Row {
        rules: Rules {
            name,
            generate_name: (group, resource) != ("", "replicationcontrollers"),
            namespaced,
            known_finalizers: built_in && !ANY_FINALIZER.contains(&group),
        },
        validates_metadata: passes != CHANGE && passes != SPEC,
        passes,
        checks,
    }
}

/// Returns whether `group` is one of Kubernetes' own: it has no dot, or it ends in `.k8s.io`, which Kubernetes protects.
fn is_built_in(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}
