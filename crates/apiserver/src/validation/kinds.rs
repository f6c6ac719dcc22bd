//! The checks of single kinds beyond their metadata.

mod admission_policies;
mod admission_rules;
mod api_service;
mod autoscaling;
pub(super) mod basics;
mod certificates;
mod checks;
mod claim;
mod condition;
mod config;
mod csi;
mod definition;
mod endpoints;
mod event;
pub(super) mod expressions;
mod flow_control;
mod ingress;
mod label_selector;
mod lease;
mod limit_range;
mod namespace;
mod network_policy;
mod node;
mod node_selector;
pub(super) mod others;
mod persistent_volume;

mod pod;
mod policy;
mod priority_class;
mod quota;
mod rbac;
mod read;
mod resource_capacity;
mod resource_claim;
mod resource_device;
mod resource_names;
mod resource_slice;
mod resource_status;
mod review;
mod runtime_class;
mod service;
mod service_cidr;
mod status;
mod storage_class;
mod values;
mod volume_source;
mod webhooks;
mod workload;
pub(super) mod workloads;

pub(crate) use definition::{APPROVAL, is_certificate_bundle, is_protected_group, unrecognized_formats};
use json_tree::Value;

use crate::chunk::Chunk;
use field::Error;

type Create = fn(&Value) -> Vec<Error>;
pub(super) type Update = fn(&Value, &Value) -> Vec<Error>;

/// The checks of one kind.
#[derive(Clone, Copy)]
pub(super) struct Checks {
    /// The validation of an object, new or changed.
    pub(super) create: Create,
    /// The additional validation of a new object.
    pub(super) only_new: Create,
    /// The validation of a change: the new object, then the old one.
    pub(super) update: Update,
}

/// Returns what loads the checks of a built-in kind. They are in four parts, each with a table of its kinds:
///
/// | part | kinds | loaded with |
/// | --- | --- | --- |
/// | `basics` | what is written most often and checked with little code; reviews | the handlers of writes |
/// | `workloads` | pods, and what has a template of pods | [`Chunk::Workloads`] |
/// | `expressions` | what CEL or a schema is written in | [`Chunk::Expressions`] |
/// | `others` | the others | [`Chunk::Validation`] |
pub(super) fn chunk_of(group: &str, resource: &str) -> Chunk {
    match (group, resource) {
        ("", "configmaps" | "events" | "namespaces" | "secrets" | "serviceaccounts" | "services")
        | ("authorization.k8s.io" | "coordination.k8s.io" | "events.k8s.io", _)
        | ("autoscaling", "scale") => Chunk::Writes,
        ("", "pods" | "podtemplates" | "replicationcontrollers") | ("apps" | "batch", _) => Chunk::Workloads,
        ("admissionregistration.k8s.io" | "apiextensions.k8s.io" | "resource.k8s.io", _) => {
            Chunk::Expressions
        }
        _ => Chunk::Validation,
    }
}

impl Checks {
    /// No checks.
    pub(super) const NONE: Self = Self::of(|_| Vec::new());

    const fn of(create: Create) -> Self {
        Self { create, only_new: |_| Vec::new(), update: |_, _| Vec::new() }
    }

    const fn only_new(self, only_new: Create) -> Self {
        Self { only_new, ..self }
    }

    const fn update(self, update: Update) -> Self {
        Self { update, ..self }
    }
}

/// Compares errors with the text that they have in a message; no errors have none.
#[cfg(test)]
#[track_caller]
fn check(errors: &[Error], expected: &str) {
    let text = if errors.is_empty() { String::new() } else { field::aggregate(errors) };
    assert_eq!(text, expected);
}
