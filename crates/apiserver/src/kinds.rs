//! The built-in kinds: a folder for each group, and in it a file (or a folder) for each kind, with everything that is special
//! to it. The lists here are all that knows them; each function below looks up one aspect of a kind in them.
//!
//! A kind that no list has, such as one of a CustomResourceDefinition, is as most kinds are.

pub(crate) mod admissionregistration;
pub(crate) mod apiextensions;
pub(crate) mod apiregistration;
pub(crate) mod apps;
pub(crate) mod authentication;
pub(crate) mod authorization;
pub(crate) mod autoscaling;
pub(crate) mod batch;
pub(crate) mod certificates;
pub(crate) mod coordination;
pub(crate) mod core;
pub(crate) mod discovery;
pub(crate) mod events;
pub(crate) mod flowcontrol;
pub(crate) mod networking;
pub(crate) mod node;
pub(crate) mod policy;
pub(crate) mod rbac;
pub(crate) mod resource;
pub(crate) mod scheduling;
pub(crate) mod storage;
mod validator;

use crate::chunk::Chunk;
use crate::kind::{DEFAULT, Kind, Paths, Printer, Strategy, Subresource};
use crate::object::Object;
use apimachinery::selector::field::SelectableFields;

pub(crate) use validator::Validator;

/// The kinds that are written most often and validated with little code, and reviews: [`Chunk::Writes`].
macro_rules! basics {
    ($then:ident $args:tt) => {
        $then! {
            $args
            core::ConfigMap,
            core::Event,
            core::Namespace,
            core::Secret,
            core::Service,
            core::ServiceAccount,
            authorization::LocalSubjectAccessReview,
            authorization::SelfSubjectAccessReview,
            authorization::SelfSubjectRulesReview,
            authorization::SubjectAccessReview,
            autoscaling::Scale,
            coordination::Lease,
            events::Event,
        }
    };
}

/// Pods, and the kinds that have a template of pods: [`Chunk::Workloads`].
macro_rules! workloads {
    ($then:ident $args:tt) => {
        $then! {
            $args
            core::Pod,
            core::PodTemplate,
            core::ReplicationController,
            apps::ControllerRevision,
            apps::DaemonSet,
            apps::Deployment,
            apps::ReplicaSet,
            apps::StatefulSet,
            batch::CronJob,
            batch::Job,
        }
    };
}

/// The kinds that contain CEL expressions or schemas: [`Chunk::Expressions`].
macro_rules! expressions {
    ($then:ident $args:tt) => {
        $then! {
            $args
            admissionregistration::MutatingAdmissionPolicy,
            admissionregistration::MutatingAdmissionPolicyBinding,
            admissionregistration::MutatingWebhookConfiguration,
            admissionregistration::ValidatingAdmissionPolicy,
            admissionregistration::ValidatingAdmissionPolicyBinding,
            admissionregistration::ValidatingWebhookConfiguration,
            apiextensions::CustomResourceDefinition,
            resource::DeviceClass,
            resource::ResourceClaim,
            resource::ResourceClaimTemplate,
            resource::ResourceSlice,
        }
    };
}

/// All other kinds: [`Chunk::Validation`].
macro_rules! others {
    ($then:ident $args:tt) => {
        $then! {
            $args
            core::Binding,
            core::ComponentStatus,
            core::Endpoints,
            core::LimitRange,
            core::Node,
            core::PersistentVolume,
            core::PersistentVolumeClaim,
            core::ResourceQuota,
            apiregistration::APIService,
            authentication::SelfSubjectReview,
            authentication::TokenReview,
            autoscaling::HorizontalPodAutoscaler,
            certificates::CertificateSigningRequest,
            discovery::EndpointSlice,
            flowcontrol::FlowSchema,
            flowcontrol::PriorityLevelConfiguration,
            networking::Ingress,
            networking::IngressClass,
            networking::IPAddress,
            networking::NetworkPolicy,
            networking::ServiceCIDR,
            node::RuntimeClass,
            policy::PodDisruptionBudget,
            rbac::ClusterRole,
            rbac::ClusterRoleBinding,
            rbac::Role,
            rbac::RoleBinding,
            scheduling::PriorityClass,
            storage::CSIDriver,
            storage::CSINode,
            storage::CSIStorageCapacity,
            storage::StorageClass,
            storage::VolumeAttachment,
            storage::VolumeAttributesClass,
        }
    };
}

/// A table of one constant of each kind, by group and resource.
macro_rules! table {
    ({ $aspect:ident } $($kind:ty,)*) => {
        &[$((<$kind as Kind>::GROUP, <$kind as Kind>::RESOURCE, <$kind as Kind>::$aspect)),*]
    };
}

/// The facts of each kind, whose validation is in a chunk.
macro_rules! facts {
    ({ $chunk:ident } $($kind:ty,)*) => {
        &[$(Facts::of::<$kind>(Chunk::$chunk)),*]
    };
}

/// Calls a function with the kind of a group and resource, if the list has it.
macro_rules! call {
    ({ $key:expr, $function:ident $arguments:tt } $($kind:ty,)*) => {
        $(if $key.1 == <$kind as Kind>::RESOURCE && $key.0 == <$kind as Kind>::GROUP {
            return Some($function::<$kind> $arguments);
        })*
    };
}

/// One aspect of the kinds of a list: group, resource and what it is.
type Table<T> = &'static [(&'static str, &'static str, T)];

/// Looks up an aspect of a kind.
fn find<T>(tables: &'static [Table<T>], group: &str, resource: &str) -> Option<&'static T> {
    // Names of resources differ in length, groups seldom do: the first comparison is to be the one that ends it.
    let row = tables.iter().flat_map(|table| *table).find(|row| row.1 == resource && row.0 == group);
    row.map(|row| &row.2)
}

/// One aspect of all kinds.
macro_rules! of_all {
    ($aspect:ident) => {
        &[
            basics!(table { $aspect }),
            workloads!(table { $aspect }),
            expressions!(table { $aspect }),
            others!(table { $aspect }),
        ]
    };
}

/// Returns all kinds: group and resource.
#[cfg(test)]
pub(crate) fn all() -> Vec<(&'static str, &'static str)> {
    const KINDS: &[Table<&str>] = of_all!(RESOURCE);
    KINDS.iter().flat_map(|table| *table).map(|row| (row.0, row.1)).collect()
}

/// Returns the strategy of a kind.
pub(crate) fn strategy(group: &str, resource: &str) -> &'static Strategy {
    const STRATEGIES: &[Table<Strategy>] = of_all!(STRATEGY);
    find(STRATEGIES, group, resource).unwrap_or(&DEFAULT)
}

/// The facts of a kind that reads need, too: without a function, so that they lead to no code.
struct Facts {
    group: &'static str,
    resource: &'static str,
    chunk: Chunk,
    storage_prefix: Option<&'static str>,
    selectable_fields: Option<&'static SelectableFields>,
    subresources: &'static [(&'static str, Subresource)],
}

impl Facts {
    const fn of<K: Kind>(chunk: Chunk) -> Self {
        Self {
            group: K::GROUP,
            resource: K::RESOURCE,
            chunk,
            storage_prefix: K::STORAGE_PREFIX,
            selectable_fields: K::SELECTABLE_FIELDS,
            subresources: K::SUBRESOURCES,
        }
    }

    /// Looks up a kind.
    fn find(group: &str, resource: &str) -> Option<&'static Self> {
        const FACTS: [&[Facts]; 4] = [
            basics!(facts { Writes }),
            workloads!(facts { Workloads }),
            expressions!(facts { Expressions }),
            others!(facts { Validation }),
        ];
        // Names of resources differ in length, groups seldom do: the first comparison is to be the one that ends it.
        FACTS.into_iter().flatten().find(|facts| facts.resource == resource && facts.group == group)
    }
}

/// Returns the subresources of a kind, but `status`.
pub(crate) fn subresources(group: &str, resource: &str) -> &'static [(&'static str, Subresource)] {
    Facts::find(group, resource).map_or(&[], |facts| facts.subresources)
}

/// Returns the prefix under which the objects of a kind are stored, where that is not its plural name.
pub(crate) fn storage_prefix(group: &str, resource: &str) -> Option<&'static str> {
    Facts::find(group, resource)?.storage_prefix
}

/// Returns the fields by which objects of a kind can be selected, beside name and namespace.
pub(crate) fn selectable_fields(group: &str, resource: &str) -> Option<&'static SelectableFields> {
    Facts::find(group, resource)?.selectable_fields
}

/// Returns the chunk that the validation of a kind is in.
pub(crate) fn chunk_of(group: &str, resource: &str) -> Chunk {
    Facts::find(group, resource).map_or(Chunk::Validation, |facts| facts.chunk)
}

/// Returns the fields that writes of a kind leave alone, where they are not the usual ones: by subresource.
pub(crate) fn reset_fields(group: &str, resource: &str) -> &'static [(&'static str, Paths)] {
    const RESET_FIELDS: &[Table<&[(&str, Paths)]>] = of_all!(RESET_FIELDS);
    find(RESET_FIELDS, group, resource).copied().unwrap_or_default()
}

/// Drops the fields of features that are off from an object that is to be stored in place of `old`, if there is one.
pub(crate) fn drop_disabled_fields(group: &str, resource: &str, object: &mut Object, old: Option<&Object>) {
    fn drop_of<K: Kind>(object: &mut Object, old: Option<&Object>) {
        K::drop_disabled_fields(object, old);
        if let Some(pointer) = K::POD_SPEC {
            core::pod::disabled::drop_fields(object, pointer);
        }
    }
    let mut drop = || {
        let key = (group, resource);
        basics!(call { key, drop_of(object, old) });
        workloads!(call { key, drop_of(object, old) });
        expressions!(call { key, drop_of(object, old) });
        others!(call { key, drop_of(object, old) });
        None
    };
    drop();
}

/// Returns how the rows of a kind's tables are made.
pub(crate) fn printer(group: &str, resource: &str) -> Option<Printer> {
    fn of<K: Kind>() -> Option<Printer> {
        K::printer()
    }
    let find = || {
        let key = (group, resource);
        basics!(call { key, of() });
        workloads!(call { key, of() });
        expressions!(call { key, of() });
        others!(call { key, of() });
        None
    };
    find().flatten()
}

/// Returns the validator of one of the kinds that are written most often.
pub(crate) fn basics(group: &str, resource: &str) -> Option<Validator> {
    basics!(call { (group, resource), validator() });
    None
}

/// Returns the validator of pods, or of a kind that has a template of pods.
pub(crate) fn workloads(group: &str, resource: &str) -> Option<Validator> {
    workloads!(call { (group, resource), validator() });
    None
}

/// Returns the validator of a kind that contains CEL expressions or schemas.
pub(crate) fn expressions(group: &str, resource: &str) -> Option<Validator> {
    expressions!(call { (group, resource), validator() });
    None
}

/// Returns the validator of one of the other kinds.
pub(crate) fn others(group: &str, resource: &str) -> Option<Validator> {
    others!(call { (group, resource), validator() });
    None
}

fn validator<K: Kind>() -> Validator {
    Validator::of::<K>()
}

#[cfg(test)]
mod tests;
