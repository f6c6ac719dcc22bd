//! The special behavior of kinds: a row of flags for each, and where flags do not do, a function.
//!
//! kube-apiserver calls this a strategy. Kinds without a row have the default one.

mod api_service;
mod certificate;
mod daemon_set;
mod definition;
pub(crate) mod deletion;
mod disabled;
mod job;
mod namespace;
pub(crate) mod part;
mod pod;
mod resource_claim;
mod resource_slice;
mod service;
mod service_account;
mod storage;

pub(crate) use disabled::drop_fields as drop_disabled_fields;
use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;
pub(crate) use pod::{Condition, set_condition as set_pod_condition};

use schema::{Resource, TypeId};

use crate::object::{METADATA_ORDER, Object, as_value, metadata_mut, set_in_order};
use crate::options::DeleteOptions;
use crate::status::Status;
use crate::storage::Storage;
use crate::stored::Stored;
use crate::user::User;
use crate::validation::Change;
use crate::{custom, object};

/// The changes by which `metadata.generation` grows, if it does.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions> says what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The server leaves it alone.
    Untracked,
    /// 1 at first, and one more whenever something other than metadata and status changes.
    Spec,
    /// As `Spec`, and when the status changes, which is no less a part of the object.
    All,
    /// As `Spec`, and when annotations change.
    SpecOrAnnotations,
    /// As `Spec`, and when labels change.
    SpecOrLabels,
    /// 1 at first, and so it stays.
    Fixed,
}

/// Allocates for an object out of what the stored ones leave; with the one that it replaces, if it does, and whether
/// it is a dry run.
pub(crate) type Allocate = fn(&Storage, &mut Object, Option<&Object>, bool) -> Result<(), Box<Status>>;

/// Finds the stored object at a key.
pub(crate) type Find<'a> = &'a dyn Fn(&str) -> Option<Arc<Stored>>;

/// Validates what other objects decide on; returns the error that comes before all others.
pub(crate) type ValidateWithOthers = fn(Find<'_>, &Resource, &Change<'_>) -> Option<field::Error>;

/// How a kind differs from others.
#[derive(Clone, Copy)]
pub(crate) struct Strategy {
    /// PUT of an object that is not there creates it.
    pub create_on_update: bool,
    /// PUT must say which version it replaces.
    pub requires_version: bool,
    /// DELETE answers with the object, not with a `Status`.
    pub delete_answers_object: bool,
    /// How `metadata.generation` goes.
    pub generation: Generation,
    /// Fills in what an object has in every version, whether it was sent or not.
    pub complete: fn(&mut Object),
    /// Sets the server's fields in an object to create.
    pub prepare_for_create: fn(&mut Object),
    /// Sets the server's fields in an object to create that depend on the user who creates it.
    pub prepare_for_create_by: fn(&mut Object, &User),
    /// Sets the server's fields in an object that replaces another.
    pub prepare_for_update: fn(&mut Object, &Object),
    /// Finalizers in the spec keep an object too.
    pub spec_finalizers: bool,
    /// The first request to delete an object does no more than mark it: with what finalizers, which say what it waits for.
    pub first_deletion: Option<fn(&mut Object, &DeleteOptions)>,
    /// Sets the server's fields in an object whose deletion begins.
    pub prepare_for_deletion: fn(&mut Object),
    /// Fills in what a new object gets only when it is read back from the store, where defaults are filled in once
    /// more.
    pub read_back: fn(&mut Object),
    /// Whoever creates an object may give it a status.
    pub status_at_creation: bool,
    /// Labels do not change through `status`, as the rest of metadata does.
    pub status_keeps_labels: bool,
    /// Keeps or sets the server's fields in an object whose status is written.
    pub prepare_for_status_update: fn(&mut Object, &Object),
    /// Allocates what an object to create, or one that replaces another, shares with no other, before the rest is prepared.
    pub allocate: Option<Allocate>,
    /// How many seconds an object's end may take, by what the request asks for. `None`: it ends at once.
    pub grace_period: Option<fn(&Object, Option<i64>) -> i64>,
    /// The default treatment of an object's dependents.
    pub dependents: Dependents,
    /// Validates what other objects decide on.
    pub validate_with_others: Option<ValidateWithOthers>,
    /// Sets the times that a writer leaves out, in an object to create or to update.
    pub stamp: Option<fn(&mut Object, Duration)>,
    /// Deletes what else goes once the object of a namespace and name is gone.
    pub after_deletion: Option<fn(&mut Storage, &str, &str)>,
    /// The warning for requests to delete that do not say what becomes of the dependents.
    pub deletion_warning: Option<&'static str>,
}

/// The treatment of the dependents of an object that is deleted, if the request does not say.
///
/// <https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependents {
    /// They are deleted when it is gone.
    Background,
    /// They lose their owner.
    Orphan,
    /// It has none, and what the request says of them means nothing.
    Unsupported,
}

const DEFAULT: Strategy = Strategy {
    create_on_update: false,
    requires_version: false,
    delete_answers_object: false,
    generation: Generation::Untracked,
    complete: |_| {},
    prepare_for_create: |_| {},
    prepare_for_create_by: |_, _| {},
    prepare_for_update: |_, _| {},
    spec_finalizers: false,
    first_deletion: None,
    prepare_for_deletion: |_| {},
    read_back: |_| {},
    status_at_creation: false,
    status_keeps_labels: false,
    prepare_for_status_update: |_, _| {},
    allocate: None,
    grace_period: None,
    dependents: Dependents::Background,
    validate_with_others: None,
    stamp: None,
    after_deletion: None,
    deletion_warning: None,
};

const TRACKED: Strategy = Strategy { generation: Generation::Spec, ..DEFAULT };
const ANSWERS_OBJECT: Strategy = Strategy { delete_answers_object: true, ..DEFAULT };
const CREATES_ON_UPDATE: Strategy = Strategy { create_on_update: true, ..DEFAULT };
const REQUIRES_VERSION: Strategy = Strategy { requires_version: true, ..DEFAULT };
const ADMISSION: Strategy = Strategy { generation: Generation::Spec, ..REQUIRES_VERSION };
const FLOW_CONTROL: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..TRACKED };

const CUSTOM: Strategy = Strategy { generation: Generation::Spec, ..REQUIRES_VERSION };
const CUSTOM_WITHOUT_STATUS: Strategy = Strategy { generation: Generation::All, ..REQUIRES_VERSION };

/// Group, resource, and how it differs from the default.
const STRATEGIES: &[(&str, &str, Strategy)] = &[
    ("", "endpoints", CREATES_ON_UPDATE),
    ("", "events", Strategy { dependents: Dependents::Unsupported, ..CREATES_ON_UPDATE }),
    ("", "limitranges", CREATES_ON_UPDATE),
    ("", "namespaces", namespace::STRATEGY),
    ("", "nodes", Strategy { status_at_creation: true, ..DEFAULT }),
    ("", "persistentvolumeclaims", storage::CLAIM),
    ("", "persistentvolumes", storage::VOLUME),
    ("", "pods", pod::STRATEGY),
    ("", "podtemplates", Strategy { delete_answers_object: true, ..TRACKED }),
    ("", "replicationcontrollers", Strategy { dependents: Dependents::Orphan, ..TRACKED }),
    ("", "resourcequotas", ANSWERS_OBJECT),
    ("", "serviceaccounts", service_account::STRATEGY),
    ("", "services", service::STRATEGY),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies", ADMISSION),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings", ADMISSION),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations", ADMISSION),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies",
        Strategy { prepare_for_status_update: keep_metadata, ..ADMISSION },
    ),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings", ADMISSION),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations", ADMISSION),
    ("apiextensions.k8s.io", "customresourcedefinitions", definition::STRATEGY),
    ("apiregistration.k8s.io", "apiservices", api_service::STRATEGY),
    ("apps", "daemonsets", daemon_set::STRATEGY),
    (
        "apps",
        "deployments",
        Strategy { generation: Generation::SpecOrAnnotations, status_keeps_labels: true, ..DEFAULT },
    ),
    ("apps", "replicasets", TRACKED),
    ("apps", "statefulsets", TRACKED),
    ("batch", "cronjobs", TRACKED),
    ("batch", "jobs", job::STRATEGY),
    ("certificates.k8s.io", "certificatesigningrequests", certificate::STRATEGY),
    ("coordination.k8s.io", "leases", Strategy { requires_version: true, ..CREATES_ON_UPDATE }),
    ("discovery.k8s.io", "endpointslices", Strategy { generation: Generation::SpecOrLabels, ..DEFAULT }),
    ("flowcontrol.apiserver.k8s.io", "flowschemas", FLOW_CONTROL),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", FLOW_CONTROL),
    ("networking.k8s.io", "ingressclasses", TRACKED),
    ("networking.k8s.io", "ingresses", TRACKED),
    ("networking.k8s.io", "networkpolicies", TRACKED),
    ("networking.k8s.io", "servicecidrs", Strategy { prepare_for_status_update: keep_metadata, ..DEFAULT }),
    ("node.k8s.io", "runtimeclasses", Strategy { create_on_update: true, ..REQUIRES_VERSION }),
    ("policy", "poddisruptionbudgets", ADMISSION),
    ("rbac.authorization.k8s.io", "clusterrolebindings", CREATES_ON_UPDATE),
    ("rbac.authorization.k8s.io", "clusterroles", CREATES_ON_UPDATE),
    ("rbac.authorization.k8s.io", "rolebindings", CREATES_ON_UPDATE),
    ("rbac.authorization.k8s.io", "roles", CREATES_ON_UPDATE),
    ("resource.k8s.io", "deviceclasses", Strategy { delete_answers_object: true, ..TRACKED }),
    ("resource.k8s.io", "resourceclaims", resource_claim::STRATEGY),
    ("resource.k8s.io", "resourceclaimtemplates", resource_claim::TEMPLATE),
    ("resource.k8s.io", "resourceslices", resource_slice::STRATEGY),
    ("scheduling.k8s.io", "priorityclasses", Strategy { generation: Generation::Fixed, ..DEFAULT }),
    ("storage.k8s.io", "csidrivers", storage::DRIVER),
    ("storage.k8s.io", "csinodes", Strategy { requires_version: true, ..ANSWERS_OBJECT }),
    ("storage.k8s.io", "csistoragecapacities", REQUIRES_VERSION),
    ("storage.k8s.io", "storageclasses", ANSWERS_OBJECT),
    ("storage.k8s.io", "volumeattachments", storage::ATTACHMENT),
    ("storage.k8s.io", "volumeattributesclasses", ANSWERS_OBJECT),
];

/// How `resource` differs from others.
pub(crate) fn strategy(resource: &Resource) -> &'static Strategy {
    if let Some(custom) = custom::of(resource) {
        return if custom.version().status { &CUSTOM } else { &CUSTOM_WITHOUT_STATUS };
    }
    // Events are one resource in two groups; the storage tells.
    let key = (resource.storage.group.as_str(), resource.storage.resource.as_str());
    STRATEGIES
        .iter()
        .find(|(group, name, _)| (*group, *name) == key)
        .map_or(&DEFAULT, |(_, _, strategy)| strategy)
}

/// The type in which objects of the resource are stored, which is that of another version for some.
pub(crate) fn stored_type(resource: &Resource) -> Option<TypeId> {
    let storage = &resource.storage;
    let same = (resource.group == storage.group) && resource.version == storage.version;
    if same {
        return resource.ty();
    }
    let row = schema::resources().iter().find(|row| {
        row.group == storage.group && row.version == storage.version && row.name == storage.resource
    });
    row.and_then(|row| row.ty())
}

/// Makes an object what the store makes of it, to which an empty list is none.
pub(crate) fn nil_empty_lists(resource: &Resource, object: &mut Object) {
    if let Some(ty) = stored_type(resource) {
        as_value(object, |object| schema::nil_empty_lists(schema::Types::builtin(), ty, object));
    }
}

/// Reports whether the resource has a subresource for the status, so that the status cannot be written beside the rest.
fn has_status(resource: &Resource) -> bool {
    resource.subresource("status").is_some()
}

/// Empties the status of a new object: clients write it through its subresource.
///
/// <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status>
pub(crate) fn reset_status(resource: &Resource, object: &mut Object) {
    if !has_status(resource) || strategy(resource).status_at_creation {
        return;
    }
    object.shift_remove("status");
    let zero = stored_type(resource).map(|ty| schema::zero(schema::Types::builtin(), ty));
    if let Some(status) = zero.as_ref().and_then(|zero| zero.get("status")) {
        object.insert("status".to_owned(), status.clone());
    }
}

/// Keeps the stored status, whatever was sent.
pub(crate) fn keep_status(resource: &Resource, object: &mut Object, old: &Object) {
    if has_status(resource) {
        object.shift_remove("status");
        if let Some(status) = old.get("status") {
            object.insert("status".to_owned(), status.clone());
        }
    }
}

/// Keeps everything as stored but the status and, of metadata, what a write of the status may change.
pub(crate) fn keep_all_but_status(resource: &Resource, object: &mut Object, old: &Object) {
    let mut kept = old.clone();
    match object.shift_remove("status") {
        Some(status) => {
            kept.shift_remove("status");
            kept.insert("status".to_owned(), status);
        }
        None => {
            kept.shift_remove("status");
        }
    }
    // Of a custom object, nothing but the status changes.
    let metadata = object.remove("metadata").filter(|_| resource.extension.is_none());
    if let Some(Value::Object(mut metadata)) = metadata {
        if strategy(resource).status_keeps_labels {
            metadata.shift_remove("labels");
            if let Some(labels) = object::metadata(old, "labels") {
                set_in_order(&mut metadata, "labels", labels.clone(), METADATA_ORDER);
            }
        }
        kept.insert("metadata".to_owned(), Value::Object(metadata));
    }
    *object = kept;
    (strategy(resource).prepare_for_status_update)(object, old);
}

/// Keeps what a writer of the status could have changed in metadata beside.
fn keep_metadata(object: &mut Object, old: &Object) {
    const KEPT: [&str; 6] =
        ["deletionTimestamp", "generation", "labels", "annotations", "finalizers", "ownerReferences"];
    let metadata = metadata_mut(object);
    for field in KEPT {
        metadata.shift_remove(field);
        if let Some(value) = object::metadata(old, field) {
            set_in_order(metadata, field, value.clone(), METADATA_ORDER);
        }
    }
}

/// API versions that are deprecated as a whole: group, version, resource and the warning that each use earns.
const DEPRECATED: &[(&str, &str, &str, &str)] = &[
    ("", "v1", "componentstatuses", "v1 ComponentStatus is deprecated in v1.19+"),
    ("", "v1", "endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
];

/// The warning that every use of a deprecated resource earns.
pub(crate) fn deprecation(resource: &Resource) -> Option<&str> {
    if let Some(custom) = custom::of(resource) {
        return custom.version().warning.as_deref();
    }
    let key = (resource.group.as_str(), resource.version.as_str(), resource.name.as_str());
    DEPRECATED.iter().find(|(group, version, name, _)| (*group, *version, *name) == key).map(|row| row.3)
}

impl Generation {
    /// Sets the generation of an object to create.
    pub(crate) fn begin(self) -> Option<i64> {
        (self != Self::Untracked).then_some(1)
    }

    /// Reports whether the change from `old` to `new` makes a new generation.
    pub(crate) fn grows(self, old: &Object, new: &Object) -> bool {
        let metadata = |key: &str| differs(old.get("metadata"), new.get("metadata"), key);
        let spec = || differ_outside(old, new, &["metadata", "status"]);
        match self {
            Self::Untracked | Self::Fixed => false,
            Self::Spec => spec(),
            Self::All => differ_outside(old, new, &["metadata"]),
            Self::SpecOrAnnotations => spec() || metadata("annotations"),
            Self::SpecOrLabels => spec() || metadata("labels"),
        }
    }
}

fn differs(old: Option<&Value>, new: Option<&Value>, key: &str) -> bool {
    old.and_then(|old| old.get(key)) != new.and_then(|new| new.get(key))
}

fn differ_outside(old: &Object, new: &Object, keys: &[&str]) -> bool {
    let rest = |object: &Object, other: &Object| {
        object.iter().any(|(key, value)| !keys.contains(&key.as_str()) && other.get(key) != Some(value))
    };
    rest(old, new) || rest(new, old)
}
