//! The built-in kinds: a folder for each group, and in it a file (or a folder) for each kind. The lists here name them;
//! each function below looks up one aspect of a kind in them.
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
use crate::kind::{AnnotationInSpec, DEFAULT, Kind, Paths, Printer, Strategy, Subresource};
use crate::object::Object;
use apimachinery::selector::field::SelectableFields;

pub(crate) use validator::Validator;

/// The kinds that are written most often and validated with little code, and reviews of access: [`Chunk::Writes`].
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

/// Calls a function with the kind of a group and resource, if there is one.
macro_rules! call_any {
    ($key:expr, $function:ident $arguments:tt) => {{
        let key = $key;
        basics!(call { key, $function $arguments });
        workloads!(call { key, $function $arguments });
        expressions!(call { key, $function $arguments });
        others!(call { key, $function $arguments });
        None
    }};
}

/// Returns all kinds: group and resource.
#[cfg(test)]
pub(crate) fn all() -> Vec<(&'static str, &'static str)> {
    FACTS.iter().flat_map(|list| *list).map(|facts| (facts.group, facts.resource)).collect()
}

/// Returns the strategy of a kind.
pub(crate) fn strategy(group: &str, resource: &str) -> &'static Strategy {
    fn of<K: Kind>() -> &'static Strategy {
        const { &K::STRATEGY }
    }
    let find = || call_any!((group, resource), of());
    find().unwrap_or(&DEFAULT)
}

/// The facts of a kind that reads need, too: without a function, so that they lead to no code.
pub(crate) struct Facts {
    group: &'static str,
    resource: &'static str,
    /// The chunk that the validation of the kind is in.
    chunk: Chunk,
    /// [`Kind::STORAGE_PREFIX`]
    pub(crate) storage_prefix: Option<&'static str>,
    /// [`Kind::SELECTABLE_FIELDS`]
    pub(crate) selectable_fields: Option<&'static SelectableFields>,
    /// [`Kind::SUBRESOURCES`]
    pub(crate) subresources: &'static [(&'static str, Subresource)],
    /// [`Kind::RESET_FIELDS`]
    pub(crate) reset_fields: &'static [(&'static str, Paths)],
    /// [`Kind::POD_SPEC`]
    pub(crate) pod_spec: Option<&'static str>,
    /// [`Kind::DEPRECATION`]
    pub(crate) deprecation: Option<&'static str>,
    /// [`Kind::HAS_POLICIES`]
    pub(crate) has_policies: bool,
    /// [`Strategy::spec_finalizers`]
    pub(crate) spec_finalizers: bool,
    /// [`Kind::COUNTS_REPLICAS`]
    pub(crate) counts_replicas: bool,
    /// [`Kind::ANNOTATION_IN_SPEC`]
    pub(crate) annotation_in_spec: Option<AnnotationInSpec>,
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
            reset_fields: K::RESET_FIELDS,
            pod_spec: K::POD_SPEC,
            deprecation: K::DEPRECATION,
            has_policies: K::HAS_POLICIES,
            spec_finalizers: K::STRATEGY.spec_finalizers,
            counts_replicas: K::COUNTS_REPLICAS,
            annotation_in_spec: K::ANNOTATION_IN_SPEC,
        }
    }
}

/// A kind that no list has.
struct Unlisted;

impl Kind for Unlisted {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "";
}

static FACTS: [&[Facts]; 4] = [
    basics!(facts { Writes }),
    workloads!(facts { Workloads }),
    expressions!(facts { Expressions }),
    others!(facts { Validation }),
];

/// Returns the facts of a kind.
pub(crate) fn facts(group: &str, resource: &str) -> &'static Facts {
    static UNLISTED: Facts = Facts::of::<Unlisted>(Chunk::Validation);
    let mut all = FACTS.iter().flat_map(|list| *list);
    // Names of resources differ in length, groups seldom do: the first comparison is to be the one that ends it.
    all.find(|facts| facts.resource == resource && facts.group == group).unwrap_or(&UNLISTED)
}

/// Returns the chunk that the validation of a kind is in.
pub(crate) fn chunk_of(group: &str, resource: &str) -> Chunk {
    facts(group, resource).chunk
}

/// Drops the fields of features that are off from an object that is to be stored in place of `old`, if there is one.
pub(crate) fn drop_disabled_fields(group: &str, resource: &str, object: &mut Object, old: Option<&Object>) {
    fn drop_of<K: Kind>(object: &mut Object, old: Option<&Object>) {
        K::drop_disabled_fields(object, old);
        if let Some(pointer) = K::POD_SPEC {
            core::pod::disabled::drop_fields(object, pointer);
        }
    }
    let mut drop = || call_any!((group, resource), drop_of(object, old));
    drop();
}

/// Returns how the rows of a kind's tables are made.
pub(crate) fn printer(group: &str, resource: &str) -> Option<Printer> {
    fn of<K: Kind>() -> Option<Printer> {
        K::printer()
    }
    let find = || call_any!((group, resource), of());
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

/// Returns the validator of a kind that no list has, such as a custom resource.
pub(crate) fn unlisted() -> Validator {
    Validator::of::<Unlisted>()
}

fn validator<K: Kind>() -> Validator {
    Validator::of::<K>()
}

#[cfg(test)]
mod tests;
