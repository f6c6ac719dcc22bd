//! Putting documents together.

use json_tree::{Map, Value, json};
use schema::{Resource, TypeId};

use super::custom::{Custom, Row};
use super::paths::{self, Paths, group_tag, group_title, root};
use super::schemas::{Schemas, full_name};
use super::{Edition, Kind};
use crate::groups;
use crate::route::{ISSUER_CONFIGURATION, ISSUER_KEYS};
use crate::version::GIT_VERSION;

/// Makes a document: `v2`, `v2-protobuf`, or `v3 apis/apps/v1`. Custom resources are those that are given.
///
/// # Errors
/// There is no such document.
pub(crate) fn build(what: &str, customs: &[Custom]) -> Result<Vec<u8>, String> {
    let unknown = || ["there is no OpenAPI document ", what].concat();
    match what.split_once(' ') {
        None if what == "v2" => Ok(codec::json::to_vec(&v2(customs))),
        None if what == "v2-protobuf" => {
            let mut out = Vec::new();
            codec::protobuf::write_openapi(&v2(customs), &mut out);
            Ok(out)
        }
        Some(("v3", name)) => {
            v3(name, customs).map(|document| codec::json::to_vec(&document)).ok_or_else(unknown)
        }
        _ => Err(unknown()),
    }
}

/// The document that has everything in it.
pub(super) fn v2(customs: &[Custom]) -> Value {
    let (rows, kinds) = (rows(customs), kinds());
    let versions = versions(&rows);
    let mut schemas = Schemas::new(Edition::V2, &kinds, &versions);
    let mut paths = Paths::new(&mut schemas);
    for name in documents(rows.iter().map(|row| row.resource)) {
        plain(&mut paths, &name);
    }
    for row in &rows {
        paths.resource(row);
    }
    let paths = paths.finish();
    paths::document(Edition::V2, GIT_VERSION, paths, schemas.finish())
}

/// The document of a path below `/openapi/v3/`.
pub(super) fn v3(name: &str, customs: &[Custom]) -> Option<Value> {
    let (rows, kinds) = (rows(customs), kinds());
    let versions = versions(&rows);
    let mut schemas = Schemas::new(Edition::V3, &kinds, &versions);
    let mut paths = Paths::new(&mut schemas);
    let known = documents(rows.iter().map(|row| row.resource));
    if !known.iter().any(|known| known == name) {
        return None;
    }
    plain(&mut paths, name);
    for row in &rows {
        if root(&row.resource.group, &row.resource.version).strip_prefix('/') == Some(name) {
            paths.resource(row);
        }
    }
    let paths = paths.finish();
    Some(paths::document(Edition::V3, GIT_VERSION, paths, schemas.finish()))
}

fn rows(customs: &[Custom]) -> Vec<Row<'_>> {
    let built_in = schema::resources().iter().map(|resource| Row { resource, schema: None });
    let custom =
        customs.iter().map(|custom| Row { resource: &custom.resource, schema: Some(&custom.schema) });
    built_in.chain(custom).collect()
}

/// Returns the types that are kinds, with the group, the version and the name of each.
fn kinds() -> Vec<(TypeId, Kind<'static>)> {
    let mut kinds: Vec<(TypeId, Kind<'static>)> = Vec::new();
    for row in schema::resources() {
        let own = (row.ty(), Kind { group: &row.group, version: &row.version, name: &row.kind });
        let subs = row.subresources.iter();
        let subs =
            subs.map(|sub| (sub.ty(), Kind { group: &sub.group, version: &sub.version, name: &sub.kind }));
        for (ty, kind) in std::iter::once(own).chain(subs) {
            if let Some(ty) = ty.filter(|ty| !kinds.contains(&(*ty, kind))) {
                kinds.push((ty, kind));
            }
        }
    }
    kinds
}

fn versions<'a>(rows: &[Row<'a>]) -> Vec<(&'a str, &'a str)> {
    let mut versions: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| row.schema.is_none()) {
        let version = (row.resource.group.as_str(), row.resource.version.as_str());
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions
}

/// Adds the operation of a path that leads to resources or tells of the server.
fn plain(paths: &mut Paths<'_, '_>, name: &str) {
    let parts: Vec<&str> = name.split('/').collect();
    let path = ["/", name, "/"].concat();
    let title = |group: &str| group_title(group);
    let versions = "get available API versions";
    match parts.as_slice() {
        ["api"] => {
            let answer = paths.schemas.refer_to_meta("APIVersions");
            paths.document(&path, "getCoreAPIVersions".to_owned(), "core".to_owned(), versions, answer);
        }
        ["apis"] => {
            let answer = paths.schemas.refer_to_meta("APIGroupList");
            paths.document(&path, "getAPIVersions".to_owned(), "apis".to_owned(), versions, answer);
        }
        ["apis", group] => {
            let answer = paths.schemas.refer_to_meta("APIGroup");
            let id = ["get", &title(group), "APIGroup"].concat();
            paths.document(&path, id, group_tag(group), "get information of a group", answer);
        }
        ["api", version] => resources(paths, &path, "", version),
        // Custom resources have no such path in the router.
        ["apis", group, _] if groups::is_custom(group) => {}
        ["apis", group, version] => resources(paths, &path, group, version),
        _ if path.trim_end_matches('/') == ISSUER_CONFIGURATION => {
            let id = "getServiceAccountIssuerOpenIDConfiguration".to_owned();
            let about =
                "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'";
            paths.document(&path, id, "WellKnown".to_owned(), about, json!({ "type": "string" }));
        }
        _ if path.trim_end_matches('/') == ISSUER_KEYS => {
            let id = "getServiceAccountIssuerOpenIDKeyset".to_owned();
            let about = "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)";
            paths.document(&path, id, "openid".to_owned(), about, json!({ "type": "string" }));
        }
        ["version"] => {
            let answer = version(paths.schemas);
            paths.document(
                &path,
                "getCodeVersion".to_owned(),
                "version".to_owned(),
                "get the version information for this server",
                answer,
            );
        }
        _ => {}
    }
}

fn resources(paths: &mut Paths<'_, '_>, path: &str, group: &str, version: &str) {
    let answer = paths.schemas.refer_to_meta("APIResourceList");
    let id = ["get", &group_title(group), &paths::capital(version), "APIResources"].concat();
    paths.document(path, id, paths::tag(group, version), "get available resources", answer);
}

/// The fields of `/version`; the first of them are always there.
const VERSION: &[&str] = &[
    "major",
    "minor",
    "gitVersion",
    "gitCommit",
    "gitTreeState",
    "buildDate",
    "goVersion",
    "compiler",
    "platform",
    "emulationMajor",
    "emulationMinor",
    "minCompatibilityMajor",
    "minCompatibilityMinor",
];
const ALWAYS: usize = 9;

fn version(schemas: &mut Schemas<'_>) -> Value {
    let mut names = VERSION.to_vec();
    schema::sort(&mut names);
    let text = |name: &&str| {
        let text = json!({ "type": "string" });
        let always = VERSION[..ALWAYS].contains(name);
        ((*name).to_owned(), if always { schemas.with_default(text, Some("".into())) } else { text })
    };
    let properties: Map<String, Value> = names.iter().map(text).collect();
    let name = full_name("k8s.io/apimachinery/pkg/version", "Info");
    let required = &VERSION[..ALWAYS];
    let schema = json!({ "type": "object", "required": required, "properties": properties });
    schemas.add(name.clone(), schema);
    schemas.to(&name)
}

/// The resource and the schema of a custom resource, for whoever describes it.
pub(crate) fn customs_of<'a>(
    resources: impl Iterator<Item = &'a Resource>,
    schema: &dyn Fn(&Resource) -> Option<Value>,
) -> Vec<Custom> {
    let custom = resources.filter(|row| row.ty().is_none());
    custom
        .map(|row| Custom { resource: row.clone(), schema: schema(row).unwrap_or_else(|| json!({})) })
        .collect()
}

/// The names of the documents of OpenAPI v3, in order: each is a path.
pub(crate) fn documents<'a>(resources: impl Iterator<Item = &'a Resource>) -> Vec<String> {
    let path = |path: &str| path.trim_start_matches('/').to_owned();
    let mut names: Vec<String> =
        [ISSUER_CONFIGURATION, "/api", "/apis", ISSUER_KEYS, "/version"].map(path).to_vec();
    for row in resources {
        if !row.group.is_empty() && !groups::is_custom(&row.group) {
            names.push(["apis/", &row.group].concat());
        }
        names.push(path(&root(&row.group, &row.version)));
    }
    schema::sort_once(&mut names);
    names
}
