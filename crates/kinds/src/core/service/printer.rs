//! The rows of tables of the kind Service.

use json_tree::Value;

use crate::printing::row::{Row, get, number, strings, text};
use crate::printing::selector::labels;

/// The columns: name, type, format, priority and description.
pub(crate) const COLUMNS: &str = r#"Name||name||@name
Type||||type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types
Cluster-IP||||clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are "None", empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies
External-IP||||externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system.
Port(s)||||The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies
Age||||@created
Selector|||1|Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/"#;

pub(crate) fn cells(row: &Row<'_>) -> Vec<Value> {
    let cluster_ips = strings(row.object, "/spec/clusterIPs");
    let ports: Vec<_> = row.list("/spec/ports").iter().map(service_port).collect();
    vec![
        row.name(),
        row.text("/spec/type").into(),
        cluster_ips.first().copied().unwrap_or("<none>").into(),
        external_ip(row).into(),
        if ports.is_empty() { "<none>".into() } else { ports.join(",").into() },
        row.age(),
        labels(get(row.object, "/spec/selector")).into(),
    ]
}

/// `80/TCP`, or `80:30080/TCP` with a node port.
fn service_port(port: &Value) -> String {
    let (protocol, number_of) = (text(port, "/protocol"), number(port, "/port"));
    match number(port, "/nodePort") {
        ..=0 => format!("{number_of}/{protocol}"),
        node_port => format!("{number_of}:{node_port}/{protocol}"),
    }
}

/// Returns the addresses at which a service is reached from outside the cluster.
fn external_ip(row: &Row<'_>) -> String {
    let own = strings(row.object, "/spec/externalIPs");
    let (mut addresses, none) = match row.text("/spec/type") {
        "ClusterIP" | "NodePort" => (Vec::new(), "<none>"),
        "LoadBalancer" => (balancers(row), "<pending>"),
        "ExternalName" => return row.text("/spec/externalName").to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    addresses.extend(own);
    if addresses.is_empty() { none.to_owned() } else { addresses.join(",") }
}

/// Returns the addresses of the load balancers, or their host names, each once and in order.
pub(crate) fn balancers<'a>(row: &Row<'a>) -> Vec<&'a str> {
    let mut addresses: Vec<_> = row
        .list("/status/loadBalancer/ingress")
        .iter()
        .map(|ingress| match text(ingress, "/ip") {
            "" => text(ingress, "/hostname"),
            ip => ip,
        })
        .filter(|address| !address.is_empty())
        .collect();
    schema::sort_once(&mut addresses);
    addresses
}
