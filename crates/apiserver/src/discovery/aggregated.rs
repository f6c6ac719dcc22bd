//! `/api` and `/apis` with all that is in them: an `APIGroupDiscoveryList`.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>

use std::sync::Arc;

use json_tree::{Map, Value, json};
use schema::{Resource, Subresource, Types};

use crate::document::{DISCOVERY, Document, Shape};
use crate::groups;

/// The core group, or all others.
pub(super) fn document(resources: &[Arc<Resource>], core: bool) -> Document {
    let mut groups = groups::groups(resources);
    // Here, custom groups are in the order of the alphabet.
    let first = groups.iter().position(|group| groups::is_custom(group.name)).unwrap_or(groups.len());
    schema::sort_by(&mut groups[first..], |a, b| a.name.cmp(b.name));
    let mut items = Vec::new();
    for group in groups.iter().filter(|group| group.name.is_empty() == core) {
        let version = |version: &&str| {
            let rows = resources.iter().filter(|row| row.group == group.name && row.version == *version);
            let rows: Vec<Value> = rows.map(|row| resource(row)).collect();
            json!({ "version": version, "resources": rows, "freshness": "Current" })
        };
        let versions: Vec<Value> = group.versions.iter().map(version).collect();
        let mut metadata = Map::new();
        if !core {
            metadata.insert("name".to_owned(), group.name.into());
        }
        items.push(json!({ "metadata": metadata, "versions": versions }));
    }
    let list = json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    });
    let ty = Types::builtin().find(DISCOVERY, "APIGroupDiscoveryList");
    Document { json: codec::json::to_vec(&list), shape: ty.map_or(Shape::Untyped, Shape::Object) }
}

fn resource(row: &Resource) -> Value {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    set("resource", row.name.as_str().into());
    let own = (row.group.as_str(), row.version.as_str(), row.kind.as_str());
    set("responseKind", kind(row, own));
    set("scope", if row.namespaced { "Namespaced" } else { "Cluster" }.into());
    set("singularResource", row.singular.as_str().into());
    set("verbs", json!(row.verbs));
    if !row.short_names.is_empty() {
        set("shortNames", json!(row.short_names));
    }
    if !row.categories.is_empty() {
        set("categories", json!(row.categories));
    }
    if !row.subresources.is_empty() {
        set("subresources", row.subresources.iter().map(|sub| subresource(row, sub)).collect());
    }
    out.into()
}

fn subresource(row: &Resource, sub: &Subresource) -> Value {
    let own = (sub.group.as_str(), sub.version.as_str(), sub.kind.as_str());
    json!({ "subresource": sub.name, "responseKind": kind(row, own), "verbs": sub.verbs })
}

/// A kind as it stands with a resource. Built-in resources leave their own group and version out.
fn kind(row: &Resource, (group, version, kind): (&str, &str, &str)) -> Value {
    let own = row.ty().is_some() && (group, version) == (row.group.as_str(), row.version.as_str());
    let (group, version) = if own { ("", "") } else { (group, version) };
    json!({ "group": group, "version": version, "kind": kind })
}
