//! What is checked of single kinds beyond their metadata.

mod admission_policies;
mod admission_rules;
mod api_service;
mod autoscaling;
mod certificates;
mod checks;
mod claim;
mod condition;
mod config;
mod csi;
mod definition;
mod endpoints;
mod event;
mod flow_control;
mod ingress;
mod label_selector;
mod lease;
mod limit_range;
mod namespace;
mod network_policy;
mod node;
mod node_selector;
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

pub(crate) use definition::{APPROVAL, is_certificate_bundle, is_protected_group, unrecognized_formats};
use json_tree::Value;

use field::Error;

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
        ("", "endpoints") => Checks::of(endpoints::create),
        ("", "events") => Checks::of(event::create_core),
        ("", "limitranges") => Checks::of(limit_range::create),
        ("", "namespaces") => Checks::of(namespace::create),
        ("", "nodes") => Checks::of(node::create).update(node::update),
        ("", "persistentvolumeclaims") => Checks::of(claim::create).update(claim::update),
        ("", "persistentvolumes") => Checks::of(persistent_volume::create).update(persistent_volume::update),
        ("", "pods") => Checks::of(pod::create).only_new(pod::only_new).update(pod::update),
        ("", "podtemplates") => Checks::of(pod::create_template).update(pod::update_template),
        ("", "replicationcontrollers") => {
            let checks = Checks::of(workload::replication_controller::create);
            checks.update(workload::replication_controller::update)
        }
        ("", "resourcequotas") => Checks::of(quota::create).update(quota::update),
        ("", "secrets") => Checks::of(config::create_secret).update(config::update_secret),
        ("", "services") => Checks::of(service::create).update(service::update),
        ("admissionregistration.k8s.io", resource) => of_admission(resource),
        ("apiextensions.k8s.io", "customresourcedefinitions") => {
            Checks::of(definition::create).update(definition::update)
        }
        ("apiregistration.k8s.io", "apiservices") => Checks::of(api_service::create),
        ("apps", "controllerrevisions") => {
            let checks = Checks::of(workload::controller_revision::create);
            let checks = checks.only_new(workload::controller_revision::only_new);
            checks.update(workload::controller_revision::update)
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
        ("discovery.k8s.io", "endpointslices") => {
            Checks::of(endpoints::create_slice).update(endpoints::update_slice)
        }
        ("events.k8s.io", "events") => Checks::of(event::create).update(event::update),
        ("flowcontrol.apiserver.k8s.io", "flowschemas") => Checks::of(flow_control::create_schema),
        ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations") => {
            Checks::of(flow_control::create_level)
        }
        ("networking.k8s.io", "ingressclasses") => {
            Checks::of(ingress::create_class).update(ingress::update_class)
        }
        ("networking.k8s.io", "ingresses") => Checks::of(ingress::create).only_new(ingress::only_new),
        ("networking.k8s.io", "ipaddresses") => {
            Checks::of(service_cidr::create_address).update(service_cidr::update_address)
        }
        ("networking.k8s.io", "networkpolicies") => {
            Checks::of(network_policy::create).update(network_policy::update)
        }
        ("networking.k8s.io", "servicecidrs") => {
            Checks::of(service_cidr::create).update(service_cidr::update)
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
        ("resource.k8s.io", "deviceclasses") => {
            Checks::of(resource_claim::create_class).update(resource_claim::update_class)
        }
        ("resource.k8s.io", "resourceclaims") => {
            Checks::of(resource_claim::create).update(resource_claim::update)
        }
        ("resource.k8s.io", "resourceclaimtemplates") => {
            Checks::of(resource_claim::create_template).update(resource_claim::update_template)
        }
        ("resource.k8s.io", "resourceslices") => {
            Checks::of(resource_slice::create).update(resource_slice::update)
        }
        ("scheduling.k8s.io", "priorityclasses") => {
            Checks::of(priority_class::create).update(priority_class::update)
        }
        ("storage.k8s.io", resource) => of_storage(resource),
        _ => Checks::NONE,
    }
}

fn of_admission(resource: &str) -> Checks {
    match resource {
        "mutatingadmissionpolicies" => Checks::of(admission_policies::create_mutating),
        "mutatingadmissionpolicybindings" => Checks::of(admission_policies::create_mutating_binding),
        "mutatingwebhookconfigurations" | "validatingwebhookconfigurations" => Checks::of(webhooks::create),
        "validatingadmissionpolicies" => Checks::of(admission_policies::create_validating),
        "validatingadmissionpolicybindings" => Checks::of(admission_policies::create_validating_binding),
        _ => Checks::NONE,
    }
}

fn of_storage(resource: &str) -> Checks {
    match resource {
        "csidrivers" => Checks::of(csi::create_driver).update(csi::update_driver),
        "csinodes" => Checks::of(csi::create_node).update(csi::update_node),
        "csistoragecapacities" => Checks::of(csi::create_capacity).update(csi::update_capacity),
        "storageclasses" => Checks::of(storage_class::create).update(storage_class::update),
        "volumeattachments" => Checks::of(storage_class::create_attachment)
            .only_new(storage_class::new_attachment)
            .update(storage_class::update_attachment),
        "volumeattributesclasses" => {
            Checks::of(storage_class::create_attributes).update(storage_class::update_attributes)
        }
        _ => Checks::NONE,
    }
}

/// What is checked of a change by way of a subresource, beyond metadata.
pub(super) fn of_part(group: &str, resource: &str, subresource: &str) -> Option<Update> {
    Some(match (group, resource, subresource) {
        ("", "namespaces", "finalize") => namespace::finalize,
        ("", "namespaces", "status") => namespace::update_status,
        ("", "nodes", "status") => node::update,
        ("", "persistentvolumeclaims", "status") => claim::update_status,
        ("", "persistentvolumes", "status") => |_, _| Vec::new(),
        ("", "pods", "ephemeralcontainers") => pod::update_ephemeral,
        ("", "pods", "resize") => pod::update_resize,
        ("", "pods", "status") => pod::update_status,
        ("", "resourcequotas", "status") => quota::update_status,
        ("", "replicationcontrollers", "status") | ("apps", "replicasets", "status") => {
            status::update_replica_set
        }
        ("apps", "daemonsets", "status") => status::update_daemon_set,
        ("", "services", "status") => service::update_status,
        ("apiextensions.k8s.io", "customresourcedefinitions", "status") => definition::update_status,
        ("apiregistration.k8s.io", "apiservices", "status") => api_service::update_status,
        ("apps", "deployments", "status") => status::update_deployment,
        ("apps", "statefulsets", "status") => status::update_stateful_set,
        ("autoscaling", "horizontalpodautoscalers", "status") => autoscaling::update_status,
        ("batch", "cronjobs", "status") => |_, _| Vec::new(),
        ("batch", "jobs", "status") => workload::job_status::update,
        ("certificates.k8s.io", "certificatesigningrequests", "approval") => certificates::update_approval,
        ("certificates.k8s.io", "certificatesigningrequests", "status") => certificates::update_status,
        ("flowcontrol.apiserver.k8s.io", _, "status") => flow_control::update_status,
        ("resource.k8s.io", "resourceclaims", "status") => resource_status::update,
        ("policy", "poddisruptionbudgets", "status") => policy::update_status,
        ("networking.k8s.io", "ingresses", "status") => ingress::update_status,
        ("networking.k8s.io", "servicecidrs", "status") => |_, _| Vec::new(),
        _ => return None,
    })
}

/// Compares errors with the text that they have in a message; no errors have none.
#[cfg(test)]
#[track_caller]
fn check(errors: &[Error], expected: &str) {
    let text = if errors.is_empty() { String::new() } else { field::aggregate(errors) };
    assert_eq!(text, expected);
}
