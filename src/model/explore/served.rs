//! The API resources that a cluster serves, read from its aggregated discovery.
//!
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>

use std::sync::Arc;

use apimachinery::target;
use json_tree::Value;

use crate::cluster::Request;

/// How discovery is asked for in one document.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The paths of discovery: the core group, and all others.
pub(crate) const PATHS: [&str; 2] = ["/api", "/apis"];

/// The resource of definitions of custom kinds, and where they are.
pub(crate) const DEFINITIONS: &str = "customresourcedefinitions";
/// The path of the definitions.
pub(crate) const DEFINITIONS_PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The parameters of a request that watches.
pub(crate) const WATCH: [(&str, Option<&str>); 2] =
    [("watch", Some("true")), ("allowWatchBookmarks", Some("true"))];

/// A kind in one version, as discovery tells of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The API group; empty for the core group.
    pub(crate) group: String,
    /// The version.
    pub(crate) version: String,
    /// The name in paths, plural.
    pub(crate) resource: String,
    /// The kind.
    pub(crate) kind: String,
    /// True if its objects are in namespaces.
    pub(crate) namespaced: bool,
    pub(crate) verbs: Vec<String>,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) parts: Vec<Part>,
}

/// A subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// The kind that it takes and answers with.
    pub(crate) kind: String,
    pub(crate) verbs: Vec<String>,
}

impl Kind {
    /// The group as people call it.
    pub(crate) fn group_name(&self) -> &str {
        if self.group.is_empty() { "core" } else { &self.group }
    }

    /// Returns the `apiVersion` of its objects.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { [&self.group, "/", &self.version].concat() }
    }

    /// The path of its collection in `namespace`; an empty one means all of them.
    pub(crate) fn path(&self, namespace: &str) -> String {
        let root = if self.group.is_empty() { "/api/" } else { "/apis/" };
        let namespace = match namespace {
            namespace if self.namespaced && !namespace.is_empty() => ["/namespaces/", namespace].concat(),
            _ => String::new(),
        };
        [root, &self.api_version(), &namespace, "/", &self.resource].concat()
    }

    /// Returns the built-in resource that it is, if Kubernetes has it by default.
    pub(crate) fn built_in(&self) -> Option<&'static schema::Resource> {
        schema::resources().iter().map(AsRef::as_ref).find(|known| {
            known.group == self.group && known.version == self.version && known.name == self.resource
        })
    }

    /// A row for it as the built-in kinds have one, as far as discovery tells.
    pub(crate) fn row(&self) -> schema::Resource {
        let storage = schema::Storage {
            group: self.group.clone(),
            version: self.version.clone(),
            resource: self.resource.clone(),
        };
        schema::Resource {
            group: self.group.clone(),
            version: self.version.clone(),
            name: self.resource.clone(),
            singular: String::new(),
            kind: self.kind.clone(),
            list_kind: String::new(),
            namespaced: self.namespaced,
            verbs: self.verbs.clone(),
            short_names: self.short_names.clone(),
            categories: self.categories.clone(),
            described: schema::Described::default(),
            subresources: Vec::new(),
            storage,
        }
    }

    /// The name of its definition, if it is a custom one.
    pub(crate) fn definition(&self) -> String {
        [&self.resource, ".", &self.group].concat()
    }

    /// Returns the path of its definition, if it is a custom one.
    pub(crate) fn definition_path(&self) -> String {
        [DEFINITIONS_PATH, "/", &self.definition()].concat()
    }

    /// The schema that its definition has of its version.
    pub(crate) fn schema_in(&self, definition: &Value) -> Option<Value> {
        let versions = definition.pointer("/spec/versions")?.as_array()?;
        let version = versions.iter().find(|version| version["name"] == self.version.as_str())?;
        version.pointer("/schema/openAPIV3Schema").cloned()
    }

    /// The request of a verb, with no body as yet; `part` is a subresource, or empty. What is about an object is about the
    /// one of this name.
    pub(crate) fn request(&self, verb: &str, part: &str, namespace: &str, name: &str) -> Request {
        let method = match verb {
            "create" => "POST",
            "update" => "PUT",
            "patch" => "PATCH",
            "delete" | "deletecollection" => "DELETE",
            _ => "GET",
        };
        let about_all = matches!(verb, "list" | "watch" | "deletecollection");
        // Who asks for one object, or writes one, has to say in which namespace.
        let namespace = if namespace.is_empty() && !about_all { "default" } else { namespace };
        let mut path = self.path(namespace);
        if !(about_all || verb == "create" && part.is_empty()) {
            path = [&path, "/", name].concat();
        }
        if !part.is_empty() {
            path = [&path, "/", part].concat();
        }
        let target = if verb == "watch" { target::with(&path, &WATCH) } else { path };
        Request { method: method.to_owned(), ..Request::get(&target) }
    }
}

/// The request for one of the documents of [`PATHS`].
pub(crate) fn question(path: &str) -> Request {
    let headers = vec![("Accept".to_owned(), AGGREGATED.to_owned())];
    Request { headers, ..Request::get(path) }
}

/// Reads the kinds from a document of discovery.
pub(crate) fn read(document: &Value) -> Vec<Arc<Kind>> {
    let mut kinds = Vec::new();
    for group in list(document, "items") {
        let name = text(group, "/metadata/name");
        for version in list(group, "versions") {
            for resource in list(version, "resources") {
                kinds.push(Arc::new(Kind {
                    group: name.clone(),
                    version: text(version, "/version"),
                    resource: text(resource, "/resource"),
                    kind: text(resource, "/responseKind/kind"),
                    namespaced: text(resource, "/scope") == "Namespaced",
                    verbs: texts(resource, "verbs"),
                    short_names: texts(resource, "shortNames"),
                    categories: texts(resource, "categories"),
                    parts: list(resource, "subresources").iter().map(part).collect(),
                }));
            }
        }
    }
    kinds
}

fn part(part: &Value) -> Part {
    Part {
        name: text(part, "/subresource"),
        kind: text(part, "/responseKind/kind"),
        verbs: texts(part, "verbs"),
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn texts(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use json_tree::json;

    use super::*;

    /// The kinds of a group `apps` and of a custom one.
    pub(crate) fn kinds() -> Vec<Arc<Kind>> {
        read(&json!({"items": [
            {"metadata": {}, "versions": [{"version": "v1", "resources": [
                {"resource": "configmaps", "responseKind": {"kind": "ConfigMap"}, "scope": "Namespaced",
                 "verbs": ["create", "get"], "shortNames": ["cm"]},
                {"resource": "nodes", "responseKind": {"kind": "Node"}, "scope": "Cluster", "verbs": ["list"]},
            ]}]},
            {"metadata": {"name": "stable.example.com"}, "versions": [
                {"version": "v1", "resources": [
                    {"resource": "crontabs", "responseKind": {"kind": "CronTab"}, "scope": "Namespaced",
                     "verbs": ["create", "watch"], "categories": ["all"],
                     "subresources": [{"subresource": "scale", "responseKind": {"kind": "Scale"}, "verbs": ["get"]}]},
                ]},
                {"version": "v1beta1", "resources": [
                    {"resource": "crontabs", "responseKind": {"kind": "CronTab"}, "scope": "Namespaced"},
                ]},
            ]},
        ]}))
    }

    #[test]
    fn reads_what_is_served() {
        let kinds = kinds();
        let paths: Vec<String> = kinds.iter().map(|kind| kind.path("a")).collect();
        assert_eq!(
            paths,
            [
                "/api/v1/namespaces/a/configmaps",
                "/api/v1/nodes",
                "/apis/stable.example.com/v1/namespaces/a/crontabs",
                "/apis/stable.example.com/v1beta1/namespaces/a/crontabs",
            ]
        );
        assert_eq!(kinds[0].short_names, ["cm"]);
        assert_eq!(kinds[2].parts[0].name, "scale");
        assert!(kinds[0].built_in().is_some() && kinds[2].built_in().is_none());
        assert_eq!(kinds[2].definition(), "crontabs.stable.example.com");
        assert_eq!(read(&json!({"items": 1})), []);
    }

    #[test]
    fn a_cluster_tells_what_it_serves() {
        use crate::cluster::embedded::in_process::InProcess;

        let cluster = InProcess::new(std::time::Duration::from_secs(1_800_000_000), 1);
        let inspect = cluster.server.inspect();
        let told = PATHS.map(|path| {
            let asked = http::Request::get(path).header("Accept", AGGREGATED).body(bytes::Bytes::new());
            match futures::executor::block_on(inspect.read_at(&asked.unwrap(), inspect.overview().revision))
                .into_body()
            {
                apiserver::Body::Bytes(body) => read(&serde_json::from_slice(&body).unwrap()),
                _ => Vec::new(),
            }
        });
        let kinds = told.concat();
        let has = |path: &str| kinds.iter().filter(|kind| kind.path("a") == path).count();
        assert_eq!(has("/api/v1/namespaces/a/pods"), 1);
        assert_eq!(has("/apis/apps/v1/namespaces/a/deployments"), 1);
        assert!(kinds.iter().all(|kind| kind.built_in().is_some()));
        let pods = kinds.iter().find(|kind| kind.resource == "pods").unwrap();
        assert_eq!(
            (pods.kind.as_str(), pods.namespaced, &pods.short_names[..]),
            ("Pod", true, &["po".to_owned()][..])
        );
        assert!(pods.parts.iter().any(|part| part.name == "eviction" && part.kind == "Eviction"));
    }

    #[track_caller]
    fn check(kind: usize, verb: &str, part: &str, namespace: &str, expected: &str) {
        let request = kinds()[kind].request(verb, part, namespace, "NAME");
        assert_eq!([&request.method, " ", &request.target].concat(), expected);
    }

    #[test]
    fn a_verb_is_a_request() {
        check(0, "list", "", "a", "GET /api/v1/namespaces/a/configmaps");
        check(0, "list", "", "", "GET /api/v1/configmaps");
        check(0, "watch", "", "", "GET /api/v1/configmaps?watch=true&allowWatchBookmarks=true");
        check(0, "get", "", "", "GET /api/v1/namespaces/default/configmaps/NAME");
        check(0, "create", "", "a", "POST /api/v1/namespaces/a/configmaps");
        check(0, "deletecollection", "", "a", "DELETE /api/v1/namespaces/a/configmaps");
        check(1, "patch", "status", "a", "PATCH /api/v1/nodes/NAME/status");
        check(2, "update", "scale", "a", "PUT /apis/stable.example.com/v1/namespaces/a/crontabs/NAME/scale");
        check(
            2,
            "create",
            "eviction",
            "a",
            "POST /apis/stable.example.com/v1/namespaces/a/crontabs/NAME/eviction",
        );
    }
}
