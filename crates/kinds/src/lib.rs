#![doc = include_str!("../README.md")]
// The lists of kinds below name each of them; each function looks up one aspect of a kind in them. A kind that no list has, such as one
// of a CustomResourceDefinition, is as most kinds are.
#![deny(missing_docs)]

pub mod admissionregistration;
pub mod apiextensions;
pub mod apiregistration;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
pub mod conversion;
mod coordination;
pub mod core;
pub mod defaults;
mod discovery;
mod events;
pub mod flowcontrol;
pub mod kind;
pub mod networking;
mod node;
mod policy;
pub mod printing;
mod rbac;
mod resource;
mod scheduling;
mod storage;
pub mod validate;
pub mod validation;
mod validator;

use crate::kind::{AnnotationInSpec, DEFAULT, Kind, Paths, Printer, Strategy, Subresource};
use apimachinery::object::Object;
use apimachinery::selector::field::SelectableFields;

pub(crate) use validator::Validator;

/// The lists of kinds. The validation of each is reached by a function of its own, so that a host may load it later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The kinds that are written most often and validated with little code: see [`validate::basics`].
    Basics,
    /// Pods, and the kinds that have a template of pods: see [`validate::workloads`].
    Workloads,
    /// The kinds that contain CEL expressions or schemas: see [`validate::expressions`].
    Expressions,
    /// All other kinds: see [`validate::others`].
    Others,
}

/// The kinds that are written most often and validated with little code, and reviews of access: [`List::Basics`].
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

/// Pods, and the kinds that have a template of pods: [`List::Workloads`].
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

/// The kinds that contain CEL expressions or schemas: [`List::Expressions`].
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

/// All other kinds: [`List::Others`].
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

/// The facts of each kind of a list.
macro_rules! facts {
    ({ $list:ident } $($kind:ty,)*) => {
        &[$(Facts::of::<$kind>(List::$list)),*]
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
pub fn all() -> Vec<(&'static str, &'static str)> {
    FACTS.iter().flat_map(|list| *list).map(|facts| (facts.group, facts.resource)).collect()
}

/// Returns the strategy of a kind.
pub fn strategy(group: &str, resource: &str) -> &'static Strategy {
    fn of<K: Kind>() -> &'static Strategy {
        const { &K::STRATEGY }
    }
    let find = || call_any!((group, resource), of());
    find().unwrap_or(&DEFAULT)
}

/// The facts of a kind that reads need, too: without a function, so that they lead to no code.
pub struct Facts {
    group: &'static str,
    resource: &'static str,
    list: List,
    /// The prefix below `/registry` under which its objects are stored, where that is not its plural name.
    pub storage_prefix: Option<&'static str>,
    /// The fields by which its objects can be selected, beside name and namespace.
    pub selectable_fields: Option<&'static SelectableFields>,
    /// The subresources but `status`, and how requests to them are handled.
    subresources: &'static [(&'static str, Subresource)],
    /// The fields that a write through a subresource leaves alone, where that is not the status for the object, and the spec for the status.
    pub reset_fields: &'static [(&'static str, Paths)],
    /// The JSON pointer to the spec of the pods that are made from an object.
    pub pod_spec: Option<&'static str>,
    /// The warning that every use of the kind earns.
    pub deprecation: Option<&'static str>,
    /// False if no admission policy is asked about its objects.
    pub has_policies: bool,
    /// True if finalizers in the spec keep an object, too.
    pub spec_finalizers: bool,
    /// True if the replicas in the spec are a number inside kube-apiserver: 0 where a version may have none.
    pub counts_replicas: bool,
    /// The annotation that is a field of the spec inside kube-apiserver.
    pub annotation_in_spec: Option<AnnotationInSpec>,
}

impl Facts {
    /// Returns how requests to a subresource are handled, if the kind says so.
    pub fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources.iter().find(|(own, _)| *own == name).map(|(_, subresource)| *subresource)
    }

    /// Reports whether a subresource is a part of its object.
    pub fn is_part(&self, name: &str) -> bool {
        name == "status" || self.subresource(name) == Some(Subresource::Part)
    }

    const fn of<K: Kind>(list: List) -> Self {
        Self {
            group: K::GROUP,
            resource: K::RESOURCE,
            list,
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
    basics!(facts { Basics }),
    workloads!(facts { Workloads }),
    expressions!(facts { Expressions }),
    others!(facts { Others }),
];

/// The facts of a kind that no list has: those of most kinds.
pub static FACTS_OF_MOST: &Facts = &Facts::of::<Unlisted>(List::Others);

/// Returns the facts of a kind.
pub fn facts(group: &str, resource: &str) -> &'static Facts {
    let mut all = FACTS.iter().flat_map(|list| *list);
    // Names of resources differ in length, groups seldom do: the first comparison is to be the one that ends it.
    all.find(|facts| facts.resource == resource && facts.group == group).unwrap_or(FACTS_OF_MOST)
}

/// Returns the list that a kind is in.
pub fn list_of(group: &str, resource: &str) -> List {
    facts(group, resource).list
}

/// Drops the fields of features that are off from an object that is to be stored in place of `old`, if there is one.
pub fn drop_disabled_fields(group: &str, resource: &str, object: &mut Object, old: Option<&Object>) {
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
pub fn printer(group: &str, resource: &str) -> Option<Printer> {
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
