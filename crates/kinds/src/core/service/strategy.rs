//! Services: addresses and node ports out of the cluster's ranges, and what goes with a type that is left.
//!
//! An address or a port is taken if a stored service holds it; nothing else is kept of it.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/service/>

mod addresses;
mod families;
mod ports;
mod ranges;

pub use addresses::{held_addresses, ip_address};
pub use ranges::is_in_one as is_in_a_range;

use json_tree::Value;

use crate::kind::{ANSWERS_OBJECT, GoesWith, Objects, Strategy};
use apimachinery::object::{Object, metadata_text};
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;

pub(super) const STRATEGY: Strategy = Strategy {
    create_on_update: true,
    allocate: Some(allocate),
    prepare_for_update,
    read_back,
    goes_with: Some(GoesWith { resource: ("networking.k8s.io", "ipaddresses"), objects: addresses::held }),
    deleted_with: Some(endpoints_of),
    ..ANSWERS_OBJECT
};

/// Fills in what a client may leave out, and allocates what is still missing.
fn allocate(
    objects: &dyn Objects,
    service: &mut Object,
    old: Option<&Object>,
    dry_run: bool,
) -> Result<(), Box<Status>> {
    let was = old.and_then(|old| old.get("spec"));
    let (name, namespace) =
        (metadata_text(service, "name").to_owned(), metadata_text(service, "namespace").to_owned());
    let taken = Taken { objects, own: (&namespace, &name), dry_run };
    let Some(mut service) = TypedObject::builtin("k8s.io/api/core/v1", "Service", service) else {
        return Ok(());
    };
    let Some(mut spec) = service.ensure("spec") else { return Ok(()) };
    if let Some(was) = was {
        addresses::keep(&mut spec, was);
        ports::keep(&mut spec, was);
    }
    addresses::align(&mut spec, was);
    let invalid = |errors: Vec<field::Error>| Status::invalid("", "Service", &name, &errors);
    families::fill(&mut spec, was).map_err(invalid)?;
    addresses::allocate(&taken, &mut spec, was, &invalid)?;
    ports::allocate(&taken, &mut spec, was, &invalid)
}

/// Says that the service is refused for what is wrong with its fields.
type Invalid<'a> = &'a dyn Fn(Vec<field::Error>) -> Box<Status>;

/// Makes the key of the Endpoints of a service. They go with it, so that the next service of its name does not begin with
/// them.
///
/// <https://kubernetes.io/docs/concepts/services-networking/service/#endpoints>
fn endpoints_of(namespace: &str, name: &str) -> String {
    format!("/registry/services/endpoints/{namespace}/{name}")
}

/// The keys of services begin with this.
pub const PREFIX: &str = "/registry/services/specs/";

/// The addresses and ports that other services hold.
struct Taken<'a> {
    objects: &'a dyn Objects,
    /// Namespace and name of the service that asks.
    own: (&'a str, &'a str),
    /// Nothing is taken in a dry run, and less is checked.
    dry_run: bool,
}

/// A test whether a service of this spec needs something.
type Needs = fn(&Value) -> bool;

/// The fields that a service keeps only as long as its type needs them, and the test of which types those are. They go
/// with the type, unless the request changes them too, which validation then refuses.
const DEPENDENT: &[(&[&str], Needs)] = &[
    (&["clusterIP", "clusterIPs"], has_address),
    (&["ipFamilies"], has_address),
    (&["ipFamilyPolicy"], has_address),
    (&["healthCheckNodePort"], needs_health_check),
    (&["allocateLoadBalancerNodePorts"], is_balanced),
    (&["loadBalancerClass"], is_balanced),
    (&["externalTrafficPolicy"], is_external),
];

/// Drops the policy for traffic inside the cluster from a service that is only a name elsewhere. kube-apiserver stores what was
/// sent, and drops it on each read.
fn read_back(service: &mut Object) -> bool {
    if let Some(Value::Object(spec)) = service.get_mut("spec").filter(|spec| !has_address(spec)) {
        spec.shift_remove("internalTrafficPolicy");
    }
    false
}

fn prepare_for_update(service: &mut Object, old: &Object) {
    let Some(was) = old.get("spec") else { return };
    let Some(now) = service.get("spec").map(|now| aligned(now, was)) else { return };
    let Some(mut service) = TypedObject::builtin("k8s.io/api/core/v1", "Service", service) else { return };
    if let Some(mut spec) = service.child("spec") {
        for (fields, needs) in DEPENDENT {
            let same = fields.iter().all(|field| now.get(field) == was.get(field));
            if needs(was) && !needs(&now) && same {
                for field in *fields {
                    spec.remove(field);
                }
            }
        }
        if has_node_ports(was) && !has_node_ports(&now) && ports::adds_none(&now, was) {
            spec.for_each("ports", |port| {
                port.remove("nodePort");
            });
        }
    }
    if !is_balanced(&now)
        && let Some(mut status) = service.child("status")
    {
        status.set("loadBalancer", Object::new());
    }
}

/// Returns a spec with the list of addresses that a client has left out which knows only one.
fn aligned(now: &Value, was: &Value) -> Value {
    let mut now = now.clone();
    if texts(&now, "clusterIPs").is_empty()
        && now.text("clusterIP") == was.text("clusterIP")
        && let (Some(spec), Some(list)) = (now.as_object_mut(), was.get("clusterIPs"))
    {
        spec.insert("clusterIPs".to_owned(), list.clone());
    }
    now
}

fn kind(spec: &Value) -> &str {
    spec.text("type")
}

fn has_address(spec: &Value) -> bool {
    kind(spec) != "ExternalName"
}

fn has_node_ports(spec: &Value) -> bool {
    matches!(kind(spec), "NodePort" | "LoadBalancer")
}

/// Reports whether its ports get node ports by themselves.
fn gets_node_ports(kind: &str, allocates: Option<&Value>) -> bool {
    kind == "NodePort" || kind == "LoadBalancer" && allocates != Some(&Value::Bool(false))
}

fn is_balanced(spec: &Value) -> bool {
    kind(spec) == "LoadBalancer"
}

fn needs_health_check(spec: &Value) -> bool {
    is_balanced(spec) && spec.text("externalTrafficPolicy") == "Local"
}

fn is_external(spec: &Value) -> bool {
    let addresses = spec.get("externalIPs").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    has_node_ports(spec) || kind(spec) == "ClusterIP" && addresses
}

fn texts(spec: &Value, field: &str) -> Vec<String> {
    let list = spec.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A list of texts in a service's spec.
fn list(spec: &TypedObject<'_>, field: &str) -> Vec<String> {
    spec.list(field).iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests;
