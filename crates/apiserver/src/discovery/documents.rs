//! `/api`, `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#unaggregated-discovery>

use std::sync::Arc;

use golang::base64;
use json_tree::{Map, Value, json};
use schema::Subresource;
use sha2::{Digest, Sha256};

use crate::api_services::ApiService;
use crate::groups::{self, Group};
use crate::resource::Resource;
use crate::resources::Resources;

/// The versions of the core group.
pub(super) fn core_versions() -> Value {
    let address = json!({ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:8001" });
    json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address] })
}

/// Every group with a name that is registered.
pub(super) fn groups(services: &[Arc<ApiService>]) -> Value {
    let groups = groups::registered(services);
    let named = groups.iter().filter(|group| !group.name.is_empty());
    let list: Vec<Value> = named.map(|group| shown(group, false)).collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": list })
}

/// One group: as it is registered, or else as it is served here.
pub(super) fn group(resources: &Resources, name: &str) -> Option<Value> {
    let groups = groups::registered(&resources.services).into_iter().chain(groups::local(resources));
    groups.into_iter().find(|group| group.name == name).map(|group| shown(&group, true))
}

/// A group and its versions. `alone`: not as one of a list, whose items have no kind.
fn shown(group: &Group<'_>, alone: bool) -> Value {
    let version = |version: &&str| {
        let group_version = [group.name, "/", version].concat();
        json!({ "groupVersion": group_version, "version": version })
    };
    let versions: Vec<Value> = group.versions.iter().map(version).collect();
    let mut shown = Map::new();
    if alone {
        shown.insert("kind".to_owned(), "APIGroup".into());
        shown.insert("apiVersion".to_owned(), "v1".into());
    }
    shown.insert("name".to_owned(), group.name.into());
    let preferred = versions.first().cloned().unwrap_or_default();
    shown.insert("versions".to_owned(), versions.into());
    shown.insert("preferredVersion".to_owned(), preferred);
    shown.into()
}

/// The resources of a version.
pub(super) fn group_version(resources: &[Arc<Resource>], group: &str, version: &str) -> Value {
    let mut list = Vec::new();
    let mut api_version = String::new();
    for row in resources.iter().filter(|row| row.group == group && row.version == version) {
        api_version = row.api_version();
        list.push(resource(row));
        list.extend(row.subresources.iter().map(|sub| subresource(row, sub)));
    }
    let mut document = Map::new();
    document.insert("kind".to_owned(), "APIResourceList".into());
    if !group.is_empty() {
        document.insert("apiVersion".to_owned(), "v1".into());
    }
    document.insert("groupVersion".to_owned(), api_version.into());
    document.insert("resources".to_owned(), list.into());
    document.into()
}

fn resource(row: &Resource) -> Value {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    set("name", row.name.as_str().into());
    set("singularName", row.singular.as_str().into());
    set("namespaced", row.namespaced.into());
    set("kind", row.kind.as_str().into());
    set("verbs", json!(row.verbs));
    if !row.short_names.is_empty() {
        set("shortNames", json!(row.short_names));
    }
    if !row.categories.is_empty() {
        set("categories", json!(row.categories));
    }
    if row.allows("list") && row.allows("create") {
        set("storageVersionHash", storage_version_hash(row).into());
    }
    out.into()
}

/// The first eight bytes of the hash of group, version and kind that objects are stored as, in Base64.
fn storage_version_hash(row: &Resource) -> String {
    let storage = &row.storage;
    let hash = Sha256::digest([&storage.group, "/", &storage.version, "/", &row.kind].concat());
    base64::encode(&hash[..8])
}

fn subresource(row: &Resource, sub: &Subresource) -> Value {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    set("name", [row.name.as_str(), "/", &sub.name].concat().into());
    set("singularName", "".into());
    set("namespaced", row.namespaced.into());
    if (&sub.group, &sub.version) != (&row.group, &row.version) {
        set("group", sub.group.as_str().into());
        set("version", sub.version.as_str().into());
    }
    set("kind", sub.kind.as_str().into());
    set("verbs", json!(sub.verbs));
    out.into()
}
