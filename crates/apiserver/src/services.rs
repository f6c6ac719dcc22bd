//! Services, as kube-apiserver itself reaches what is behind them.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/service/>

use field::quote;
use golang::net::join_host_port;
use json_tree::Value;

use crate::resource;
use crate::stored::{collection_key, object_key};
use apimachinery::object::Object;
use kinds::kind::Objects;

/// Returns a service.
///
/// # Errors
/// There is none of this name.
pub(crate) fn find(objects: &dyn Objects, namespace: &str, name: &str) -> Result<Object, String> {
    let row = resource::find("", "services").ok_or_else(String::new)?;
    let found = objects.get(&object_key(row, namespace, name));
    found.ok_or_else(|| format!("service {} not found", quote(name)))
}

/// Returns the port of a service that has this number.
///
/// # Errors
/// It has none.
fn port_of<'a>(service: &'a Object, name: &str, port: u64) -> Result<&'a Value, String> {
    let ports = service.get("spec").and_then(|spec| spec["ports"].as_array());
    let found = ports.into_iter().flatten().find(|one| one["port"] == port);
    found.ok_or_else(|| format!("no service port {port} found for service {}", quote(name)))
}

/// Returns the EndpointSlices of a service.
pub(crate) fn endpoint_slices(objects: &dyn Objects, namespace: &str, name: &str) -> Vec<Object> {
    let mut slices = Vec::new();
    if let Some(row) = resource::find("discovery.k8s.io", "endpointslices") {
        objects.each(&collection_key(row, namespace), &mut |found| slices.push(found.tree()));
    }
    slices.retain(|slice| slice["metadata"]["labels"]["kubernetes.io/service-name"] == name);
    slices
}

/// Returns the address behind a port of a service: that of its first endpoint that is ready.
///
/// # Errors
/// The reason why there is none, in kube-apiserver's words.
pub(crate) fn address_of(
    objects: &dyn Objects,
    namespace: &str,
    name: &str,
    port: u64,
) -> Result<String, String> {
    let service = find(objects, namespace, name)?;
    let spec = service.get("spec").unwrap_or(&Value::Null);
    if spec["type"] == "ExternalName" {
        return Ok(join_host_port(spec["externalName"].as_str().unwrap_or_default(), port));
    }
    let own = port_of(&service, name, port)?;
    let port_name = own["name"].as_str().unwrap_or_default();
    let found = endpoint_slices(objects, namespace, name).iter().find_map(|slice| {
        let mut ports = slice.get("ports")?.as_array()?.iter();
        let port =
            ports.find(|port| port["name"].as_str().unwrap_or_default() == port_name)?["port"].as_u64()?;
        let mut endpoints = slice.get("endpoints")?.as_array()?.iter();
        let ready = endpoints.find(|endpoint| endpoint["conditions"]["ready"] != false)?;
        Some(join_host_port(ready["addresses"].get(0)?.as_str()?, port))
    });
    found.ok_or_else(|| format!("no endpoints available for service {}", quote(name)))
}

/// Returns the address of a service in the cluster's network, as kube-apiserver resolves it for aggregated API servers.
///
/// # Errors
/// The reason why it has none, in kube-apiserver's words.
pub(crate) fn cluster_address(
    objects: &dyn Objects,
    namespace: &str,
    name: &str,
    port: u64,
) -> Result<String, String> {
    let service = find(objects, namespace, name)?;
    let spec = service.get("spec").unwrap_or(&Value::Null);
    let text = |key: &str| spec[key].as_str().unwrap_or_default();
    match (text("type"), text("clusterIP")) {
        ("ExternalName", _) => Ok(join_host_port(text("externalName"), port)),
        ("ClusterIP", "None") => Err("cannot route to service with ClusterIP \"None\"".to_owned()),
        (_, address) => {
            port_of(&service, name, port)?;
            Ok(join_host_port(address, port))
        }
    }
}
