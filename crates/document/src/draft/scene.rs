//! The objects that a draft's exchanges have something to do with.

use apimachinery::Place;
use json_tree::Value;

use super::{Done, Object};
use crate::kinds::Kinds;

/// The group whose objects say what others may hold, or change them.
const POLICY: &str = "admissionregistration.k8s.io";
/// The kinds without a namespace that the objects of others refer to, or get values of.
const CLASSES: [&str; 6] =
    ["PriorityClass", "RuntimeClass", "StorageClass", "DeviceClass", "IngressClass", "ServiceCIDR"];
/// The kinds that limit or complete the other objects of a namespace.
const OF_NAMESPACE: [&str; 4] = ["ResourceQuota", "LimitRange", "ServiceAccount", "PodDisruptionBudget"];
/// The groups of access: rules, and requests that ask about them.
const RULES: &str = "rbac.authorization.k8s.io";
const REVIEWS: &str = "authorization.k8s.io";

/// A collection that an exchange reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Collection {
    group: String,
    resource: String,
    /// Empty for all namespaces, and for what is in none.
    namespace: String,
}

/// Returns which objects the exchanges have something to do with: those of the collections that they read and write, and those
/// that have a say in what the server makes of a request.
pub(super) fn used(objects: &[Object], done: &[Done]) -> Vec<bool> {
    let mut touched: Vec<Collection> = Vec::new();
    let mut touch = |collection: Collection| {
        if !touched.contains(&collection) {
            touched.push(collection);
        }
    };
    for done in done {
        if let Some(place) = Place::of(done.request.path()) {
            touch(Collection {
                group: place.group().to_owned(),
                resource: place.resource.to_owned(),
                namespace: place.namespace.to_owned(),
            });
        }
        for wrote in &done.wrote {
            let write = &wrote.write;
            touch(Collection {
                group: write.group.clone(),
                resource: write.resource.clone(),
                namespace: write.namespace.clone(),
            });
        }
    }
    let asks_access = done.iter().any(|done| done.request.header("Impersonate-User").is_some())
        || touched.iter().any(|collection| collection.group == REVIEWS);
    let mut kinds = Kinds::default();
    for object in objects.iter().filter(|object| object.value["kind"] == "CustomResourceDefinition") {
        kinds.define(&object.value);
    }
    objects.iter().map(|object| is_used(&object.value, &kinds, &touched, asks_access)).collect()
}

fn is_used(object: &Value, kinds: &Kinds, touched: &[Collection], asks_access: bool) -> bool {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let Some(known) = kinds.of_object(object) else { return true };
    let (kind, name, namespace) = (known.kind.as_str(), text("/metadata/name"), text("/metadata/namespace"));
    let is_own = touched.iter().any(|collection| {
        (&collection.group, &collection.resource) == (&known.group, &known.resource)
            && (collection.namespace.is_empty() || collection.namespace == namespace)
    });
    let is_namespace_touched =
        |name: &str| touched.iter().any(|collection| collection.namespace == name && !name.is_empty());
    is_own
        || known.group == POLICY
        || CLASSES.contains(&kind)
        || asks_access && known.group == RULES
        || kind == "Namespace" && is_namespace_touched(name)
        || OF_NAMESPACE.contains(&kind) && is_namespace_touched(namespace)
        || kind == "CustomResourceDefinition"
            && touched.iter().any(|collection| collection.group == text("/spec/group"))
}
