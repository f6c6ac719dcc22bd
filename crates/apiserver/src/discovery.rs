//! What the server serves, and that it is well: every path that is not an object's.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api>

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, Method};
use schema::{Resource, Subresource};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::answer::Answer;
use crate::document::Document;
use crate::format::Formats;
use crate::handlers::Outcome;
use crate::negotiate;
use crate::query::Query;
use crate::route::Route;
use crate::status::Status;

/// Answers a path that is not an object's.
pub(crate) fn answer(
    route: &Route,
    formats: Formats,
    method: &Method,
    headers: &HeaderMap,
    query: &Query,
    resources: &[Arc<Resource>],
) -> Outcome {
    let body = match route {
        Route::Health => return Ok(Answer::text(200, "ok")),
        Route::Unknown => return Ok(Answer::page_not_found()),
        Route::Version | Route::CoreVersions => {
            if method != Method::GET {
                return Err(Status::method_not_allowed());
            }
            negotiate::plain(formats, headers, query)
                .map_err(|_| Status::no_representation("application/json"))?;
            if matches!(route, Route::Version) { version() } else { core_versions() }
        }
        Route::Root => json!({ "paths": paths(resources) }),
        Route::Groups => groups(resources),
        Route::Group(name) => group(name, true, resources),
        Route::GroupVersion(..) if method != Method::GET => return Err(Status::method_not_allowed()),
        Route::GroupVersion(group, version) => group_version(group, version, resources),
        Route::NotServed | Route::Resource(_) => return Err(Status::path_not_found()),
    };
    let output = negotiate::plain(formats, headers, query)?;
    Answer::document(200, Document::untyped(&body), output)
}

/// The version of kube-apiserver that this server answers as.
fn version() -> Value {
    json!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": concat!("v1.36.0+kubeglass-", env!("CARGO_PKG_VERSION")),
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": "wasm/any",
    })
}

fn core_versions() -> Value {
    let address = json!({ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:8001" });
    json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address] })
}

fn groups(resources: &[Arc<Resource>]) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for row in resources.iter().filter(|row| !row.group.is_empty()) {
        if !names.contains(&row.group.as_str()) {
            names.push(&row.group);
        }
    }
    let groups: Vec<Value> = names.into_iter().map(|name| group(name, false, resources)).collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
}

/// A group and its versions. `alone`: not as one of a list, whose items have no kind.
fn group(name: &str, alone: bool, resources: &[Arc<Resource>]) -> Value {
    let mut versions: Vec<Value> = Vec::new();
    for row in resources.iter().filter(|row| row.group == name) {
        let version = json!({ "groupVersion": row.api_version(), "version": row.version });
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    let mut group = Map::new();
    if alone {
        group.insert("kind".to_owned(), "APIGroup".into());
        group.insert("apiVersion".to_owned(), "v1".into());
    }
    group.insert("name".to_owned(), name.into());
    let preferred = versions.first().cloned().unwrap_or_default();
    group.insert("versions".to_owned(), versions.into());
    group.insert("preferredVersion".to_owned(), preferred);
    group.into()
}

fn group_version(group: &str, version: &str, all: &[Arc<Resource>]) -> Value {
    let rows = all.iter().filter(|row| row.group == group && row.version == version);
    let mut resources = Vec::new();
    let mut api_version = String::new();
    for row in rows {
        api_version = row.api_version();
        resources.push(resource(row));
        resources.extend(row.subresources.iter().map(|sub| subresource(row, sub)));
    }
    let mut list = Map::new();
    list.insert("kind".to_owned(), "APIResourceList".into());
    if !group.is_empty() {
        list.insert("apiVersion".to_owned(), "v1".into());
    }
    list.insert("groupVersion".to_owned(), api_version.into());
    list.insert("resources".to_owned(), resources.into());
    list.into()
}

fn resource(row: &Resource) -> Value {
    let mut out = json!({
        "name": row.name,
        "singularName": row.singular,
        "namespaced": row.namespaced,
        "kind": row.kind,
        "verbs": row.verbs,
    });
    let mut set = |key: &str, value: Value| {
        if let Value::Object(out) = &mut out {
            out.insert(key.to_owned(), value);
        }
    };
    if !row.short_names.is_empty() {
        set("shortNames", json!(row.short_names));
    }
    if !row.categories.is_empty() {
        set("categories", json!(row.categories));
    }
    if row.extension.is_none() && row.allows("list") && row.allows("create") {
        set("storageVersionHash", storage_version_hash(row).into());
    }
    out
}

/// The first eight bytes of the hash of group, version and kind that objects are stored as, in Base64.
fn storage_version_hash(row: &Resource) -> String {
    let storage = &row.storage;
    let hash = Sha256::digest(format!("{}/{}/{}", storage.group, storage.version, row.kind));
    STANDARD.encode(&hash[..8])
}

fn subresource(row: &Resource, sub: &Subresource) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), format!("{}/{}", row.name, sub.name).into());
    out.insert("singularName".to_owned(), "".into());
    out.insert("namespaced".to_owned(), row.namespaced.into());
    if (&sub.group, &sub.version) != (&row.group, &row.version) {
        out.insert("group".to_owned(), sub.group.as_str().into());
        out.insert("version".to_owned(), sub.version.as_str().into());
    }
    out.insert("kind".to_owned(), sub.kind.as_str().into());
    out.insert("verbs".to_owned(), json!(sub.verbs));
    out.into()
}

/// Every path that `/` lists.
fn paths(resources: &[Arc<Resource>]) -> Vec<String> {
    let mut paths = vec!["/api".to_owned(), "/api/v1".to_owned(), "/apis".to_owned(), "/apis/".to_owned()];
    for row in resources.iter().filter(|row| !row.group.is_empty()) {
        paths.push(format!("/apis/{}", row.group));
        paths.push(format!("/apis/{}/{}", row.group, row.version));
    }
    paths.extend(["/healthz", "/livez", "/readyz", "/version"].map(str::to_owned));
    paths.sort_unstable();
    paths.dedup();
    paths
}
