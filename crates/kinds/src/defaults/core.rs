//! The core group, besides pods.

use golang::base64;
use json_tree::{Map, Value, json};

use super::pod::fill_missing;
use apimachinery::typed_object::{TypedObject, extend_sorted, insert_sorted};

/// See <https://kubernetes.io/docs/concepts/services-networking/service/>.
pub(super) fn service(service: &mut TypedObject<'_>) {
    let Some(mut spec) = service.ensure("spec") else {
        return;
    };
    spec.default("sessionAffinity", "None");
    spec.default("type", "ClusterIP");
    match spec.text("sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" if !has_affinity_timeout(&spec) => {
            spec.set("sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10_800}}));
        }
        _ => {}
    }
    spec.for_each("ports", |port| {
        let unset = match port.get("targetPort") {
            None => true,
            Some(Value::String(name)) => name.is_empty(),
            Some(number) => number.as_i64() == Some(0),
        };
        if unset {
            let number = port.number("port");
            port.set("targetPort", number);
        }
    });
    let kind = spec.text("type").to_owned();
    let balanced = kind == "LoadBalancer";
    let external = !spec.list("externalIPs").is_empty() && kind == "ClusterIP";
    if balanced || kind == "NodePort" || external {
        spec.default("externalTrafficPolicy", "Cluster");
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        spec.default("internalTrafficPolicy", "Cluster");
    }
    if balanced {
        spec.default("allocateLoadBalancerNodePorts", true);
        if let Some(mut status) = service.child("status")
            && let Some(mut balancer) = status.child("loadBalancer")
        {
            balancer.for_each("ingress", |ingress| {
                if ingress.is_set("ip") {
                    ingress.default("ipMode", "VIP");
                }
            });
        }
    }
}

fn has_affinity_timeout(spec: &TypedObject<'_>) -> bool {
    spec.get("sessionAffinityConfig")
        .and_then(|config| config.pointer("/clientIP/timeoutSeconds"))
        .is_some_and(|seconds| !seconds.is_null())
}

/// A controller without labels or selector takes the labels of its template.
pub(super) fn replication_controller(controller: &mut TypedObject<'_>) {
    let labels = template_labels(controller);
    if labels.is_empty() {
        return;
    }
    if let Some(mut spec) = controller.child("spec") {
        spec.default("selector", labels.clone());
    }
    default_labels(controller, labels);
}

/// The labels in `spec.template` of a workload.
pub(super) fn template_labels(workload: &TypedObject<'_>) -> Map<String, Value> {
    workload
        .get("spec")
        .and_then(|spec| spec.pointer("/template/metadata/labels"))
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

pub(super) fn default_labels(object: &mut TypedObject<'_>, labels: Map<String, Value>) {
    if !labels.is_empty()
        && let Some(mut metadata) = object.ensure("metadata")
    {
        metadata.default("labels", labels);
    }
}

/// Each namespace has its name as a label.
///
/// See <https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#automatic-labelling>.
pub(super) fn namespace(namespace: &mut TypedObject<'_>) {
    let Some(mut metadata) = namespace.ensure("metadata") else {
        return;
    };
    let name = metadata.text("name").to_owned();
    if name.is_empty() {
        return;
    }
    let mut labels = metadata.map("labels").cloned().unwrap_or_default();
    insert_sorted(&mut labels, "kubernetes.io/metadata.name", name.into());
    metadata.set("labels", labels);
}

/// A node can give all that it has.
pub(super) fn node_status(status: &mut TypedObject<'_>) {
    if let Some(capacity) = status.map("capacity").cloned() {
        status.default("allocatable", capacity);
    }
}

pub(super) fn persistent_volume(volume: &mut TypedObject<'_>) {
    if let Some(mut spec) = volume.ensure("spec") {
        spec.default("persistentVolumeReclaimPolicy", "Retain");
        spec.default("volumeMode", "Filesystem");
    }
    if let Some(mut status) = volume.ensure("status") {
        status.default("phase", "Pending");
    }
}

/// Of what a container limit leaves out, the default is its maximum, and the default request its default
/// or else its minimum.
///
/// See <https://kubernetes.io/docs/concepts/policy/limit-range/>.
pub(super) fn limit_range_item(item: &mut TypedObject<'_>) {
    if item.text("type") != "Container" {
        return;
    }
    let of = |name: &str| item.map(name).cloned().unwrap_or_default();
    let (max, min) = (of("max"), of("min"));
    let (mut limit, mut request) = (of("default"), of("defaultRequest"));
    fill_missing(&mut limit, &max);
    fill_missing(&mut request, &limit);
    fill_missing(&mut request, &min);
    for (name, amounts) in [("default", limit), ("defaultRequest", request)] {
        if !amounts.is_empty() {
            item.set(name, amounts);
        }
    }
}

/// Encodes what a client wrote as text (`stringData`), so that it becomes data.
///
/// See <https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data>.
pub(super) fn secret(secret: &mut TypedObject<'_>) {
    let Some(Value::Object(texts)) = secret.remove("stringData") else {
        return;
    };
    if texts.is_empty() {
        return;
    }
    let mut data = secret.map("data").cloned().unwrap_or_default();
    let encoded = |text: &Value| base64::encode(text.as_str().unwrap_or_default()).into();
    extend_sorted(&mut data, texts.iter().map(|(key, text)| (key.clone(), encoded(text))));
    secret.set("data", data);
}
