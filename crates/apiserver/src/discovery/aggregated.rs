//! `/api` and `/apis` with all that is in them: an `APIGroupDiscoveryList`.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>

use std::sync::Arc;

use json_tree::{Map, Value, json};
use schema::{Subresource, Types};

use crate::aggregator::Aggregate;
use crate::api_services::{ApiService, local_priorities};
use crate::document::{DISCOVERY, Document, Shape};
use crate::resource::Resource;
use crate::{groups, version_order};

/// A version of a group.
struct Version<'a> {
    group: &'a str,
    name: &'a str,
    /// The priorities of the group and of the version.
    priorities: (i64, i64),
    /// The resources, and whether they are those of now.
    resources: (Vec<Value>, bool),
}

/// The core group, or all others.
pub(super) fn document(
    resources: &[Arc<Resource>],
    services: &[Arc<ApiService>],
    aggregator: Option<&dyn Aggregate>,
    core: bool,
) -> Document {
    let mut versions: Vec<Version<'_>> = Vec::new();
    for service in services.iter().filter(|service| service.server.is_some()) {
        let known = aggregator.map(|aggregator| aggregator.downloaded(service)).unwrap_or_default();
        versions.push(Version {
            group: &service.group,
            name: &service.version,
            priorities: service.priorities,
            resources: (known.resources, known.current),
        });
    }
    for group in groups::local(resources) {
        for name in group.versions {
            if versions.iter().any(|version| (version.group, version.name) == (group.name, name)) {
                continue;
            }
            let rows = resources.iter().filter(|row| row.group == group.name && row.version == name);
            let priorities = local_priorities(group.name, name);
            let resources = (rows.map(|row| resource(row)).collect(), true);
            versions.push(Version { group: group.name, name, priorities, resources });
        }
    }
    let mut groups: Vec<(i64, &str)> = Vec::new();
    for version in versions.iter().filter(|version| version.group.is_empty() == core) {
        match groups.iter_mut().find(|(_, name)| *name == version.group) {
            Some((priority, _)) => *priority = version.priorities.0.max(*priority),
            None => groups.push((version.priorities.0, version.group)),
        }
    }
    schema::sort_by(&mut groups, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    schema::sort_by(&mut versions, |a: &Version<'_>, b| {
        let names = || version_order::compare(a.name, b.name);
        b.priorities.1.cmp(&a.priorities.1).then_with(names)
    });
    let mut items = Vec::new();
    for (_, group) in groups {
        let own = versions.iter_mut().filter(|version| version.group == group);
        let own: Vec<Value> = own.map(Version::take).collect();
        let mut metadata = Map::new();
        if !core {
            metadata.insert("name".to_owned(), group.into());
        }
        items.push(json!({ "metadata": metadata, "versions": own }));
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

impl Version<'_> {
    /// Returns it as it stands in the document.
    fn take(&mut self) -> Value {
        let (resources, is_current) = std::mem::take(&mut self.resources);
        let freshness = if is_current { "Current" } else { "Stale" };
        let mut version = Map::new();
        version.insert("version".to_owned(), self.name.into());
        if !resources.is_empty() {
            version.insert("resources".to_owned(), resources.into());
        }
        version.insert("freshness".to_owned(), freshness.into());
        version.into()
    }
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
