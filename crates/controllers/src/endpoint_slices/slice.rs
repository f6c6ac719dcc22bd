//! EndpointSlices: whose they are, and how they are labelled.

use std::time::Duration;

use json_tree::{Map, Value, json};

use crate::object;
use crate::resource::SERVICES;

pub(crate) const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
pub(crate) const SERVICE_NAME: &str = "kubernetes.io/service-name";
pub(crate) const HEADLESS: &str = "service.kubernetes.io/headless";

/// The labels that slices do not take from their Service.
const RESERVED: [&str; 3] = [MANAGED_BY, SERVICE_NAME, HEADLESS];

/// The name by which the controller calls itself.
pub(super) const MANAGER: &str = "endpointslice-controller.k8s.io";

/// The annotation with the time of the change that led to a slice.
pub(crate) const TRIGGER: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// Reports whether the controller of a name manages a slice.
pub(crate) fn is_managed_by(slice: &Value, manager: &str) -> bool {
    object::meta(slice, "labels").text(MANAGED_BY) == manager
}

/// Returns the name of the Service of a slice; empty if there is none.
pub(crate) fn service_of(slice: &Value) -> &str {
    object::meta(slice, "labels").text(SERVICE_NAME)
}

/// Reports whether a slice belongs to a Service, and not to another one of its name.
pub(super) fn is_owned_by(slice: &Value, service: &Value) -> bool {
    object::owners(slice).iter().any(|owner| {
        owner.text("uid") == object::uid(service)
            && owner.text("kind") == "Service"
            && owner.text("apiVersion") == "v1"
    })
}

/// Makes a slice of a Service, without endpoints.
pub(super) fn new(service: &Value, family: &str, ports: &[Value]) -> Value {
    let owner = object::controller_reference(service, "v1", &SERVICES.kind);
    json!({
        "metadata": {
            "generateName": [object::name(service), "-"].concat(),
            "namespace": object::namespace(service),
            "labels": labels(service),
            "ownerReferences": [owner]
        },
        "addressType": family,
        "endpoints": [],
        "ports": ports.to_vec()
    })
}

/// Returns the labels of the slices of a Service.
pub(super) fn labels(service: &Value) -> Value {
    let mut labels: Map<String, Value> = own_labels(service);
    let address = service.text_at("/spec/clusterIP");
    if address.is_empty() || address == "None" {
        labels.insert(HEADLESS.to_owned(), "".into());
    }
    labels.insert(SERVICE_NAME.to_owned(), object::name(service).into());
    labels.insert(MANAGED_BY.to_owned(), MANAGER.into());
    Value::Object(labels)
}

/// Reports whether the labels of a slice are those of its Service, but for the reserved ones.
pub(super) fn has_labels_of(slice: &Value, service: &Value) -> bool {
    own_labels(slice) == own_labels(service)
}

/// Returns the labels that are not reserved.
fn own_labels(object: &Value) -> Map<String, Value> {
    let labels = object::meta(object, "labels").as_object().into_iter().flatten();
    let own = labels.filter(|(key, _)| !RESERVED.contains(&key.as_str()));
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Says when the change was that led to a slice; nothing, if that is not known.
pub(super) fn set_trigger(slice: &mut Value, trigger: Option<Duration>) {
    match trigger {
        Some(time) => object::set_annotation(slice, TRIGGER, &object::timestamp(time)),
        None => {
            let annotations = slice.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
            if let Some(annotations) = annotations {
                annotations.remove(TRIGGER);
            }
        }
    }
}
