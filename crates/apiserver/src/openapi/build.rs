//! Putting documents together.

use json_tree::{Map, Value, json};
use schema::TypeId;

use super::custom::{Custom, Row};
use super::operations::FORMATS;
use super::paths::{self, Document, Paths, group_tag, group_title, root};
use super::schemas::{Schemas, full_name};
use super::{Asked, Edition, Kind, document, shared};
use crate::custom::Published;
use crate::groups;
use crate::resource::{self, Resource};
use crate::route::{ISSUER_CONFIGURATION, ISSUER_KEYS};

/// Makes a document.
///
/// # Errors
/// There is no such document.
pub(crate) fn build(asked: &Asked<'_>) -> Result<Vec<u8>, String> {
    let Asked { name, customs, cbor, protobuf } = *asked;
    let write = |json: fn(&Value) -> Vec<u8>, edition: codec::protobuf::OpenApi, document: &Value| {
        if !protobuf {
            return json(document);
        }
        let mut out = Vec::new();
        codec::protobuf::write_openapi(edition, document, &mut out);
        out
    };
    // kube-aggregator merges the documents of v2, and writes them by another encoder.
    let (v2_json, v3_json) = (codec::json::to_vec_unescaped, codec::json::to_vec);
    let document = match name.split_once(' ') {
        None if name == "v2" => Some(write(v2_json, codec::protobuf::OpenApi::V2, &v2(customs, cbor))),
        Some(("v3", name)) => {
            v3(name, customs, cbor).map(|document| write(v3_json, codec::protobuf::OpenApi::V3, &document))
        }
        _ => None,
    };
    document.ok_or_else(|| ["there is no OpenAPI document ", name].concat())
}

/// The document that has everything in it.
pub(super) fn v2(customs: &[Custom], cbor: bool) -> Value {
    let (rows, kinds) = (rows(customs), kinds());
    let versions: Vec<(&str, &str)> = all_versions().collect();
    let mut schemas = Schemas::new(Edition::V2, &kinds, &versions, cbor);
    let mut paths = Paths::new(&mut schemas);
    for name in documents(rows.iter().map(|row| row.resource)) {
        plain(&mut paths, &name);
    }
    for row in &rows {
        paths.resource(row);
    }
    let mut paths = paths.finish();
    let parameters = shared::take_out(&mut paths);
    document::v2(paths, schemas.finish(), parameters)
}

/// The document of a path below `/openapi/v3/`.
pub(super) fn v3(name: &str, customs: &[Custom], cbor: bool) -> Option<Value> {
    let (rows, kinds) = (rows(customs), kinds());
    let known = documents(rows.iter().map(|row| row.resource));
    if !known.iter().any(|known| known == name) {
        return None;
    }
    let mut versions = vec![("", "v1")];
    let custom = match name.split('/').collect::<Vec<_>>()[..] {
        ["apis", group, _] if groups::is_custom(group) => {
            versions = all_versions().filter(|(group, _)| !ELSEWHERE.contains(group)).collect();
            true
        }
        ["apis", group, version] => {
            versions.push((group, version));
            false
        }
        _ => false,
    };
    let mut schemas = Schemas::new(Edition::V3, &kinds, &versions, cbor);
    let mut paths = Paths::new(&mut schemas);
    plain(&mut paths, name);
    for row in &rows {
        if root(&row.resource.group, &row.resource.version).strip_prefix('/') == Some(name) {
            paths.resource(row);
        }
    }
    let paths = paths.finish();
    let document = if custom { document::custom } else { document::v3 };
    Some(document(paths, schemas.finish()))
}

/// Groups that apiextensions-apiserver does not know, whose documents custom resources are in.
const ELSEWHERE: &[&str] =
    &["admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"];

fn all_versions() -> impl Iterator<Item = (&'static str, &'static str)> {
    VERSIONS.iter().flat_map(|(group, versions)| versions.iter().map(move |version| (*group, *version)))
}

/// Every group and its versions, as kube-apiserver's scheme knows them, served or not: `DeleteOptions` may be sent in each.
const VERSIONS: &[(&str, &[&str])] = &[
    ("", &["v1"]),
    ("admission.k8s.io", &["v1", "v1beta1"]),
    ("admissionregistration.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("apiextensions.k8s.io", &["v1", "v1beta1"]),
    ("apiregistration.k8s.io", &["v1", "v1beta1"]),
    ("apps", &["v1", "v1beta1", "v1beta2"]),
    ("authentication.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("authorization.k8s.io", &["v1", "v1beta1"]),
    ("autoscaling", &["v1", "v2"]),
    ("batch", &["v1", "v1beta1"]),
    ("certificates.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("coordination.k8s.io", &["v1", "v1alpha2", "v1beta1"]),
    ("discovery.k8s.io", &["v1", "v1beta1"]),
    ("events.k8s.io", &["v1", "v1beta1"]),
    ("extensions", &["v1beta1"]),
    ("flowcontrol.apiserver.k8s.io", &["v1", "v1beta1", "v1beta2", "v1beta3"]),
    ("imagepolicy.k8s.io", &["v1alpha1"]),
    ("internal.apiserver.k8s.io", &["v1alpha1"]),
    ("networking.k8s.io", &["v1", "v1beta1"]),
    ("node.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("policy", &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("resource.k8s.io", &["v1", "v1alpha3", "v1beta1", "v1beta2"]),
    ("scheduling.k8s.io", &["v1", "v1alpha2", "v1beta1"]),
    ("storage.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("storagemigration.k8s.io", &["v1beta1"]),
];

fn rows(customs: &[Custom]) -> Vec<Row<'_>> {
    let built_in = resource::built_in().iter().map(|resource| Row { resource, custom: None });
    let custom = customs.iter().map(|custom| Row { resource: &custom.resource, custom: Some(custom) });
    built_in.chain(custom).collect()
}

/// Returns the types that are kinds, with the group, the version and the name of each.
fn kinds() -> Vec<(TypeId, Kind<'static>)> {
    let mut kinds: Vec<(TypeId, Kind<'static>)> = Vec::new();
    for row in resource::built_in() {
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

/// Adds the operation of a path that leads to resources or tells of the server.
fn plain(paths: &mut Paths<'_, '_>, name: &str) {
    let path = ["/", name, "/"].concat();
    let (text, objects) = (json!({ "type": "string" }), &FORMATS[..3]);
    let schemas = &mut *paths.schemas;
    let of = |id: &str, tag: &str, about, answer, consumes, produces| Document {
        id: id.to_owned(),
        tag: tag.to_owned(),
        about,
        answer,
        consumes,
        produces,
    };
    let versions = "get available API versions";
    let document = match name.split('/').collect::<Vec<_>>().as_slice() {
        ["api"] => {
            let answer = schemas.refer_to_meta("APIVersions");
            of("getCoreAPIVersions", "core", versions, answer, objects, objects)
        }
        ["apis"] => {
            let answer = schemas.refer_to_meta("APIGroupList");
            of("getAPIVersions", "apis", versions, answer, objects, objects)
        }
        ["apis", group] => {
            let answer = schemas.refer_to_meta("APIGroup");
            let id = ["get", &group_title(group), "APIGroup"].concat();
            of(&id, &group_tag(group), "get information of a group", answer, objects, objects)
        }
        ["version"] => {
            let about = "get the version information for this server";
            of("getCodeVersion", "version", about, version(schemas), &FORMATS[..1], &FORMATS[..1])
        }
        // Custom resources have no such path in the router.
        ["apis", group, _] if groups::is_custom(group) => return,
        [root @ ("api" | "apis"), rest @ ..] => {
            let (group, version) = match rest {
                [group, version] if *root == "apis" => (*group, *version),
                [version] => ("", *version),
                _ => return,
            };
            let answer = schemas.refer_to_meta("APIResourceList");
            let id = ["get", &paths::title(group, version), "APIResources"].concat();
            let about = "get available resources";
            of(&id, &paths::tag(group, version), about, answer, FORMATS, FORMATS)
        }
        _ if path.trim_end_matches('/') == ISSUER_CONFIGURATION => {
            let about =
                "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'";
            let id = "getServiceAccountIssuerOpenIDConfiguration";
            of(id, "WellKnown", about, text, &[], &FORMATS[..1])
        }
        _ if path.trim_end_matches('/') == ISSUER_KEYS => {
            let about = "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)";
            let id = "getServiceAccountIssuerOpenIDKeyset";
            of(id, "openid", about, text, &[], &["application/jwk-set+json"])
        }
        _ => return,
    };
    paths.document(&path, document);
}

/// The fields of `/version`; the first of them are always there.
const FIELDS: &[&str] = &[
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
    const PACKAGE: &str = "k8s.io/apimachinery/pkg/version";
    let words = descriptions::of(PACKAGE, "Info");
    let mut names = FIELDS.to_vec();
    schema::sort(&mut names);
    let field = |name: &&str| {
        let about = words.field(name).about();
        let default = FIELDS[..ALWAYS].contains(name).then(|| "".into());
        ((*name).to_owned(), schemas.with_facts(json!({ "type": "string" }), &about, default))
    };
    let properties: Map<String, Value> = names.iter().map(field).collect();
    let schema = json!({ "type": "object", "required": (&FIELDS[..ALWAYS]), "properties": properties });
    let schema = schemas.with_facts(schema, &words.about(), None);
    let name = full_name(PACKAGE, "Info");
    schemas.add(name.clone(), schema);
    schemas.to(&name)
}

/// Returns the custom resources among `resources`, with what `of` knows of them: their schemas and by which fields they are selected.
pub(crate) fn customs_of<'a>(
    resources: impl Iterator<Item = &'a Resource>,
    of: &dyn Fn(&Resource) -> Option<Published>,
) -> Vec<Custom> {
    let custom = resources.filter(|row| row.ty().is_none());
    let custom = custom.map(|row| {
        let published = of(row).unwrap_or_else(|| Published { schema: json!({}), selectable: Vec::new() });
        Custom { resource: row.clone(), published }
    });
    custom.collect()
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
