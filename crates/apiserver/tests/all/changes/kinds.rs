//! The kinds that are changed, and what of their objects is.

use std::fmt;

use json_tree::{Value, json};

/// A kind.
#[derive(Clone)]
pub(crate) struct Kind {
    /// The collection.
    pub(crate) path: String,
    pub(crate) api_version: String,
    pub(crate) kind: &'static str,
    /// The part of its objects that is written here.
    pub(crate) schema: Value,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)
    }
}

impl Kind {
    fn new(path: &str, api_version: &str, kind: &'static str, schema: Value) -> Self {
        let (path, api_version) = (path.to_owned(), api_version.to_owned());
        Self { path, api_version, kind, schema: with_metadata(schema) }
    }
}

/// The same schema with the part of the metadata that clients write.
fn with_metadata(mut schema: Value) -> Value {
    schema["properties"]["metadata"] = structure(&json!({
        "labels": map(&one_of(&["1", "2"])),
        "annotations": map(&one_of(&["1", "2"])),
        "finalizers": {
            "type": "array", "x-kubernetes-list-type": "set", "items": one_of(&["e.x/a", "e.x/b", "e.x/c"]),
        },
    }));
    schema
}

fn one_of(texts: &[&str]) -> Value {
    json!({ "type": "string", "enum": texts })
}

fn number(numbers: &[i64]) -> Value {
    json!({ "type": "integer", "enum": numbers })
}

fn flag() -> Value {
    json!({ "type": "boolean", "enum": [true, false] })
}

fn map(value: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": value })
}

fn atomic_map() -> Value {
    json!({ "type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": one_of(&["1", "2"]) })
}

fn atomic_list(item: &Value) -> Value {
    json!({ "type": "array", "items": item })
}

fn structure(properties: &Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn all_of(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn list(keys: &[&str], required: &[&str], properties: &Value) -> Value {
    let items = all_of(properties, required);
    json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items })
}

fn protocol() -> Value {
    json!({ "type": "string", "enum": ["TCP", "UDP"], "default": "TCP" })
}

fn config_map() -> Value {
    structure(&json!({ "data": map(&one_of(&["1", "2"])) }))
}

fn service() -> Value {
    let port = json!({
        "port": number(&[80, 443, 8080]),
        "protocol": protocol(),
        "name": one_of(&["a", "b", "c", "d"]),
        "targetPort": { "enum": [80, "http"] },
        "appProtocol": one_of(&["x", "y"]),
    });
    let spec = json!({
        "ports": list(&["port", "protocol"], &["port", "name"], &port),
        "type": one_of(&["ClusterIP", "NodePort"]),
        "selector": atomic_map(),
        "externalIPs": atomic_list(&one_of(&["203.0.113.1", "203.0.113.2"])),
        "publishNotReadyAddresses": flag(),
    });
    all_of(&json!({ "spec": all_of(&spec, &["ports"]) }), &["spec"])
}

fn pod_template() -> Value {
    let port = json!({
        "containerPort": number(&[80, 443]),
        "protocol": protocol(),
        "hostIP": one_of(&["10.0.0.1", "10.0.0.2"]),
    });
    let env = json!({ "name": one_of(&["A", "B", "C"]), "value": one_of(&["1", "2"]) });
    let container = json!({
        "name": one_of(&["a", "b"]),
        "image": one_of(&["i", "j"]),
        "args": atomic_list(&one_of(&["1", "2"])),
        "ports": list(&["containerPort", "protocol"], &["containerPort"], &port),
        "env": list(&["name"], &["name"], &env),
        "resources": structure(&json!({
            "limits": structure(&json!({ "cpu": one_of(&["1", "2"]), "memory": one_of(&["1Mi", "2Mi"]) })),
        })),
        "tty": flag(),
    });
    let alias =
        json!({ "ip": one_of(&["10.0.0.1", "10.0.0.2"]), "hostnames": atomic_list(&one_of(&["a", "b"])) });
    let spread = json!({
        "topologyKey": one_of(&["zone", "host"]),
        "whenUnsatisfiable": one_of(&["DoNotSchedule", "ScheduleAnyway"]),
        "maxSkew": number(&[1, 2]),
    });
    let spread = list(
        &["topologyKey", "whenUnsatisfiable"],
        &["topologyKey", "whenUnsatisfiable", "maxSkew"],
        &spread,
    );
    let spec = json!({
        "containers": list(&["name"], &["name", "image"], &container),
        "nodeSelector": atomic_map(),
        "hostAliases": list(&["ip"], &["ip"], &alias),
        "topologySpreadConstraints": spread,
        "terminationGracePeriodSeconds": number(&[10, 20]),
        "securityContext": structure(&json!({ "runAsUser": number(&[1, 2]), "runAsNonRoot": flag() })),
    });
    let labels = all_of(&json!({ "app": one_of(&["x"]), "tier": one_of(&["1", "2"]) }), &["app"]);
    let metadata = all_of(&json!({ "labels": labels }), &["labels"]);
    all_of(&json!({ "metadata": metadata, "spec": all_of(&spec, &["containers"]) }), &["metadata", "spec"])
}

fn deployment() -> Value {
    let labels = all_of(&json!({ "app": one_of(&["x"]) }), &["app"]);
    let mut selector = all_of(&json!({ "matchLabels": labels }), &["matchLabels"]);
    selector["x-kubernetes-map-type"] = json!("atomic");
    let spec = json!({
        "replicas": number(&[1, 2, 3]),
        "minReadySeconds": number(&[1, 2]),
        "paused": flag(),
        "selector": selector,
        "template": pod_template(),
    });
    all_of(&json!({ "spec": all_of(&spec, &["selector", "template"]) }), &["spec"])
}

/// The kinds that every cluster has.
pub(crate) fn builtin() -> Vec<Kind> {
    let template = all_of(&json!({ "template": pod_template() }), &["template"]);
    vec![
        Kind::new("/api/v1/namespaces/default/configmaps", "v1", "ConfigMap", config_map()),
        Kind::new("/api/v1/namespaces/default/services", "v1", "Service", service()),
        Kind::new("/api/v1/namespaces/default/podtemplates", "v1", "PodTemplate", template),
        Kind::new("/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment", deployment()),
    ]
}

/// The kind that [`definition`] defines by this schema and number.
pub(crate) fn custom(number: usize, schema: &Value) -> Kind {
    let api_version = format!("e{number}.x/v1");
    Kind::new(
        &format!("/apis/{api_version}/namespaces/default/things"),
        &api_version,
        "Thing",
        schema.clone(),
    )
}

/// The definition of a kind of this schema.
pub(crate) fn definition(number: usize, schema: &Value) -> Value {
    json!({
        "metadata": { "name": format!("things.e{number}.x") },
        "spec": {
            "group": format!("e{number}.x"),
            "scope": "Namespaced",
            "names": { "plural": "things", "kind": "Thing" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}
