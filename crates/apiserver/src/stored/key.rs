//! The keys of a resource's objects in the store.

use schema::Resource;

/// The prefixes below `/registry` under which kube-apiserver keeps a resource, where that is not simply the resource's
/// name.
const PREFIXES: &[(&str, &str, &str)] = &[
    ("", "endpoints", "services/endpoints"),
    ("", "nodes", "minions"),
    ("", "replicationcontrollers", "controllers"),
    ("", "services", "services/specs"),
    ("apiextensions.k8s.io", "customresourcedefinitions", "apiextensions.k8s.io/customresourcedefinitions"),
    ("apiregistration.k8s.io", "apiservices", "apiregistration.k8s.io/apiservices"),
    ("networking.k8s.io", "ingresses", "ingress"),
];

/// The key below which a resource's objects are stored, with a slash at its end. The same for all versions of
/// a resource, and for the two groups that serve events.
pub(crate) fn prefix(resource: &Resource) -> String {
    let storage = &resource.storage;
    if resource.extension.is_some() {
        return ["/registry/", &storage.group, "/", &storage.resource, "/"].concat();
    }
    let special =
        PREFIXES.iter().find(|(group, name, _)| *group == storage.group && *name == storage.resource);
    format!("/registry/{}/", special.map_or(storage.resource.as_str(), |(_, _, path)| path))
}

/// The key of a collection: of one namespace, or with an empty one of all.
pub(crate) fn collection_key(resource: &Resource, namespace: &str) -> String {
    let mut key = prefix(resource);
    if !namespace.is_empty() {
        key.push_str(namespace);
        key.push('/');
    }
    key
}

/// A key as errors show it: those of a dry run come from a layer that knows of no `/registry`.
pub(crate) fn shown_key(key: &str, dry_run: bool) -> &str {
    key.strip_prefix("/registry").filter(|_| dry_run).unwrap_or(key)
}

/// The key of an object.
pub(crate) fn object_key(resource: &Resource, namespace: &str, name: &str) -> String {
    collection_key(resource, namespace) + name
}
