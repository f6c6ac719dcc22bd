//! Which function fills the rows of which kind.

use std::cmp::Ordering;

use json_tree::Value;

use super::row::Row;
use super::{admission, autoscaling, cluster, event, network, node, pod, rbac, storage, workload};

/// How the rows of a resource are made. The columns are in `columns.txt`.
pub(super) struct Printer {
    pub group: &'static str,
    pub resource: &'static str,
    /// The cells of a stored object, one for each column.
    pub cells: fn(&Row<'_>) -> Vec<Value>,
    /// The conditions of the row, such as `Completed` for a pod.
    pub conditions: fn(&Row<'_>) -> Option<Value>,
    /// The order of the rows, if it is not that of the list.
    pub order: Option<fn(&Value, &Value) -> Ordering>,
}

/// The printer of a resource. `None` for one that has a name and a time only.
pub(super) fn find(group: &str, resource: &str) -> Option<&'static Printer> {
    PRINTERS.iter().find(|row| row.resource == resource && row.group == group)
}

const fn printer(group: &'static str, resource: &'static str, cells: fn(&Row<'_>) -> Vec<Value>) -> Printer {
    Printer { group, resource, cells, conditions: |_| None, order: None }
}

const ADMISSION: &str = "admissionregistration.k8s.io";
const DEVICES: &str = "resource.k8s.io";
const FLOW: &str = "flowcontrol.apiserver.k8s.io";
const NETWORK: &str = "networking.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const STORAGE: &str = "storage.k8s.io";

/// One row for each resource that has columns of its own.
pub(super) const PRINTERS: &[Printer] = &[
    printer("", "componentstatuses", cluster::component_status),
    printer("", "configmaps", cluster::config_map),
    printer("", "endpoints", network::endpoints),
    printer("", "events", event::cells),
    printer("", "namespaces", cluster::namespace),
    printer("", "nodes", node::cells),
    printer("", "persistentvolumeclaims", storage::persistent_volume_claim),
    printer("", "persistentvolumes", storage::persistent_volume),
    Printer { conditions: pod::conditions, ..printer("", "pods", pod::cells) },
    printer("", "podtemplates", workload::pod_template),
    printer("", "replicationcontrollers", workload::replication_controller),
    printer("", "resourcequotas", cluster::resource_quota),
    printer("", "secrets", cluster::secret),
    printer("", "serviceaccounts", cluster::named),
    printer("", "services", network::service),
    printer(ADMISSION, "mutatingadmissionpolicies", admission::mutating_policy),
    printer(ADMISSION, "mutatingadmissionpolicybindings", admission::policy_binding),
    printer(ADMISSION, "mutatingwebhookconfigurations", admission::webhook_configuration),
    printer(ADMISSION, "validatingadmissionpolicies", admission::validating_policy),
    printer(ADMISSION, "validatingadmissionpolicybindings", admission::policy_binding),
    printer(ADMISSION, "validatingwebhookconfigurations", admission::webhook_configuration),
    printer("apiregistration.k8s.io", "apiservices", admission::api_service),
    printer("apps", "controllerrevisions", workload::controller_revision),
    printer("apps", "daemonsets", workload::daemon_set),
    printer("apps", "deployments", workload::deployment),
    printer("apps", "replicasets", workload::replica_set),
    printer("apps", "statefulsets", workload::stateful_set),
    printer("autoscaling", "horizontalpodautoscalers", autoscaling::horizontal_pod_autoscaler),
    printer("autoscaling", "scales", autoscaling::scale),
    printer("batch", "cronjobs", workload::cron_job),
    printer("batch", "jobs", workload::job),
    printer("certificates.k8s.io", "certificatesigningrequests", rbac::certificate_signing_request),
    printer("coordination.k8s.io", "leases", cluster::lease),
    printer("discovery.k8s.io", "endpointslices", network::endpoint_slice),
    printer("events.k8s.io", "events", event::cells),
    Printer {
        order: Some(admission::flow_schema_order),
        ..printer(FLOW, "flowschemas", admission::flow_schema)
    },
    printer(FLOW, "prioritylevelconfigurations", admission::priority_level),
    printer(NETWORK, "ingressclasses", network::ingress_class),
    printer(NETWORK, "ingresses", network::ingress),
    printer(NETWORK, "ipaddresses", network::ip_address),
    printer(NETWORK, "networkpolicies", network::network_policy),
    printer(NETWORK, "servicecidrs", network::service_cidr),
    printer("node.k8s.io", "runtimeclasses", cluster::runtime_class),
    printer("policy", "poddisruptionbudgets", cluster::pod_disruption_budget),
    printer(RBAC, "clusterrolebindings", rbac::binding),
    printer(RBAC, "rolebindings", rbac::binding),
    printer(DEVICES, "deviceclasses", cluster::named),
    printer(DEVICES, "resourceclaims", cluster::resource_claim),
    printer(DEVICES, "resourceclaimtemplates", cluster::named),
    printer(DEVICES, "resourceslices", cluster::resource_slice),
    printer("scheduling.k8s.io", "priorityclasses", cluster::priority_class),
    printer(STORAGE, "csidrivers", storage::csi_driver),
    printer(STORAGE, "csinodes", storage::csi_node),
    printer(STORAGE, "csistoragecapacities", storage::csi_storage_capacity),
    printer(STORAGE, "storageclasses", storage::storage_class),
    printer(STORAGE, "volumeattachments", storage::volume_attachment),
    printer(STORAGE, "volumeattributesclasses", storage::volume_attributes_class),
];
