//! The keys of a resource's objects in the store.

use crate::resource::Resource;

/// The key of a collection: of one namespace, or with an empty one of all.
pub(crate) fn collection_key(resource: &Resource, namespace: &str) -> String {
    let mut key = resource.prefix().to_owned();
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
