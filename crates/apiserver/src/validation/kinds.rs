//! What is checked of single kinds beyond their metadata.

mod autoscaling;
mod certificates;
mod cluster;
mod condition;
mod config;
mod event;
mod label_selector;
mod lease;
mod namespace;
mod network;
mod node;

mod pod;
mod policy;
mod priority_class;
mod rbac;
mod read;
mod review;
mod runtime_class;
mod service;
mod status;
mod values;
mod workload;

use serde_json::Value;

use crate::field::Error;

type Create = fn(&Value) -> Vec<Error>;
type Update = fn(&Value, &Value) -> Vec<Error>;

/// The checks of one kind.
#[derive(Clone, Copy)]
pub(super) struct Checks {
    /// What is wrong with an object, new or changed.
    pub(super) create: Create,
    /// What is wrong with an object only because it is new.
    pub(super) only_new: Create,
    /// What is wrong with a change: the new object, then the old one.
    pub(super) update: Update,
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

/// The checks of a resource beyond its metadata.
pub(super) fn of(group: &str, resource: &str) -> Checks {
    match (group, resource) {
        ("", "configmaps") => Checks::of(config::create_config_map).update(config::update_config_map),
        ("", "events") => Checks::of(event::create_core),
        ("", "namespaces") => Checks::of(namespace::create),
        ("", "nodes") => Checks::of(node::create).update(node::update),
        ("", "persistentvolumeclaims") => Checks::of(node::create_claim),
        ("", "persistentvolumes") => Checks::of(node::create_volume),
        ("", "pods") => Checks::of(pod::create).only_new(pod::only_new).update(pod::update),
        ("", "podtemplates") => Checks::of(pod::create_template).update(pod::update_template),
        ("", "replicationcontrollers") => {
            let checks = Checks::of(workload::replication_controller::create);
            checks.update(workload::replication_controller::update)
        }
        ("", "secrets") => Checks::of(config::create_secret).update(config::update_secret),
        ("", "services") => Checks::of(service::create).update(service::update),
        ("apiregistration.k8s.io", "apiservices") => Checks::of(cluster::create_api_service),
        ("apps", "controllerrevisions") => {
            Checks::of(workload::controller_revision::create).update(workload::controller_revision::update)
        }
        ("apps", "daemonsets") => {
            Checks::of(workload::daemon_set::create).update(workload::daemon_set::update)
        }
        ("apps", "deployments") => {
            Checks::of(workload::deployment::create).update(workload::deployment::update)
        }
        ("apps", "replicasets") => {
            Checks::of(workload::replica_set::create).update(workload::replica_set::update)
        }
        ("apps", "statefulsets") => {
            Checks::of(workload::stateful_set::create).update(workload::stateful_set::update)
        }
        ("authorization.k8s.io", "localsubjectaccessreviews") => Checks::of(review::local_subject),
        ("authorization.k8s.io", "selfsubjectaccessreviews") => Checks::of(review::own),
        ("authorization.k8s.io", "subjectaccessreviews") => Checks::of(review::cluster_subject),
        ("autoscaling", "horizontalpodautoscalers") => {
            Checks::of(autoscaling::create_autoscaler).update(autoscaling::update_autoscaler)
        }
        ("autoscaling", "scale") => Checks::of(autoscaling::create_scale),
        ("batch", "cronjobs") => {
            let checks = Checks::of(workload::cron_job::create).update(workload::cron_job::update);
            checks.only_new(workload::cron_job::only_new)
        }
        ("batch", "jobs") => Checks::of(workload::job::create).update(workload::job::update),
        ("certificates.k8s.io", "certificatesigningrequests") => {
            Checks::NONE.only_new(certificates::create).update(certificates::update)
        }
        ("coordination.k8s.io", "leases") => Checks::of(lease::create).update(lease::update),
        ("discovery.k8s.io", "endpointslices") => Checks::of(event::create_slice).update(event::update_slice),
        ("events.k8s.io", "events") => Checks::of(event::create).update(event::update),
        ("networking.k8s.io", "ingressclasses") => {
            Checks::of(network::create_ingress_class).update(network::update_ingress_class)
        }
        ("networking.k8s.io", "ingresses") => {
            Checks::of(network::create_ingress).update(network::update_ingress)
        }
        ("networking.k8s.io", "networkpolicies") => {
            Checks::of(network::create_policy).update(network::update_policy)
        }
        ("node.k8s.io", "runtimeclasses") => Checks::of(runtime_class::create).update(runtime_class::update),
        ("policy", "poddisruptionbudgets") => Checks::of(policy::create_budget),
        ("rbac.authorization.k8s.io", "roles") => Checks::of(rbac::create_role),
        ("rbac.authorization.k8s.io", "clusterroles") => Checks::of(rbac::create_cluster_role),
        ("rbac.authorization.k8s.io", "rolebindings") => {
            Checks::of(rbac::create_role_binding).update(rbac::update_binding)
        }
        ("rbac.authorization.k8s.io", "clusterrolebindings") => {
            Checks::of(rbac::create_cluster_role_binding).update(rbac::update_binding)
        }
        ("scheduling.k8s.io", "priorityclasses") => {
            Checks::of(priority_class::create).update(priority_class::update)
        }
        ("storage.k8s.io", "csinodes") => Checks::of(cluster::create_csi_node),
        ("storage.k8s.io", "storageclasses") => {
            Checks::of(cluster::create_storage_class).update(cluster::update_storage_class)
        }
        _ => Checks::NONE,
    }
}

/// What is checked of a change by way of a subresource, beyond metadata.
pub(super) fn of_part(group: &str, resource: &str, subresource: &str) -> Option<Update> {
    Some(match (group, resource, subresource) {
        ("", "namespaces", "finalize") => |object, _| namespace::create(object),
        ("", "namespaces", "status") => namespace::update_status,
        ("", "pods", "ephemeralcontainers") => pod::update_ephemeral,
        ("", "pods", "resize") => pod::update_resize,
        ("", "pods", "status") => pod::update_status,
        ("", "replicationcontrollers", "status") | ("apps", "replicasets", "status") => {
            status::update_replica_set
        }
        ("apps", "daemonsets", "status") => status::update_daemon_set,
        ("apps", "deployments", "status") => status::update_deployment,
        ("apps", "statefulsets", "status") => status::update_stateful_set,
        ("autoscaling", "horizontalpodautoscalers", "status") => autoscaling::update_status,
        ("batch", "cronjobs", "status") => |_, _| Vec::new(),
        ("batch", "jobs", "status") => workload::job_status::update,
        ("certificates.k8s.io", "certificatesigningrequests", "approval") => certificates::update_approval,
        ("certificates.k8s.io", "certificatesigningrequests", "status") => certificates::update_status,
        ("policy", "poddisruptionbudgets", "status") => policy::update_status,
        _ => return None,
    })
}

/// Compares errors with the text that they have in a message; no errors have none.
#[cfg(test)]
#[track_caller]
fn check(errors: &[Error], expected: &str) {
    let text = if errors.is_empty() { String::new() } else { crate::field::aggregate(errors) };
    assert_eq!(text, expected);
}
