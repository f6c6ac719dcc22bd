//! All other kinds.

use super::{
    Checks, Update, api_service, autoscaling, certificates, claim, csi, endpoints, flow_control, ingress,
    limit_range, network_policy, node, persistent_volume, policy, priority_class, quota, rbac, runtime_class,
    service_cidr, storage_class,
};

/// Returns the checks of a resource beyond its metadata.
pub(in crate::validation) fn of(group: &str, resource: &str) -> Checks {
    match (group, resource) {
        ("", "endpoints") => Checks::of(endpoints::create),
        ("", "limitranges") => Checks::of(limit_range::create),
        ("", "nodes") => Checks::of(node::create).update(node::update),
        ("", "persistentvolumeclaims") => Checks::of(claim::create).update(claim::update),
        ("", "persistentvolumes") => Checks::of(persistent_volume::create).update(persistent_volume::update),
        ("", "resourcequotas") => Checks::of(quota::create).update(quota::update),
        ("apiregistration.k8s.io", "apiservices") => Checks::of(api_service::create),
        ("autoscaling", "horizontalpodautoscalers") => {
            Checks::of(autoscaling::create_autoscaler).update(autoscaling::update_autoscaler)
        }
        ("certificates.k8s.io", "certificatesigningrequests") => {
            Checks::NONE.only_new(certificates::create).update(certificates::update)
        }
        ("discovery.k8s.io", "endpointslices") => {
            Checks::of(endpoints::create_slice).update(endpoints::update_slice)
        }
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
        ("scheduling.k8s.io", "priorityclasses") => {
            Checks::of(priority_class::create).update(priority_class::update)
        }
        ("storage.k8s.io", resource) => of_storage(resource),
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

/// Returns what is checked of a change by way of a subresource, beyond metadata.
pub(in crate::validation) fn of_part(group: &str, resource: &str, subresource: &str) -> Option<Update> {
    Some(match (group, resource, subresource) {
        ("", "nodes", "status") => node::update,
        ("", "persistentvolumeclaims", "status") => claim::update_status,
        ("", "persistentvolumes", "status") => |_, _| Vec::new(),
        ("", "resourcequotas", "status") => quota::update_status,
        ("apiregistration.k8s.io", "apiservices", "status") => api_service::update_status,
        ("autoscaling", "horizontalpodautoscalers", "status") => autoscaling::update_status,
        ("certificates.k8s.io", "certificatesigningrequests", "approval") => certificates::update_approval,
        ("certificates.k8s.io", "certificatesigningrequests", "status") => certificates::update_status,
        ("flowcontrol.apiserver.k8s.io", _, "status") => flow_control::update_status,
        ("policy", "poddisruptionbudgets", "status") => policy::update_status,
        ("networking.k8s.io", "ingresses", "status") => ingress::update_status,
        ("networking.k8s.io", "servicecidrs", "status") => |_, _| Vec::new(),
        _ => return None,
    })
}
