//! Custom resources: their schemas come with them.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema-in-openapi>

use json_tree::{Map, Value, json};
use schema::Subresource;

use super::order::in_order;
use super::schemas::{KIND, ListWords, Schemas};
use super::{Edition, Kind};
use crate::custom::Published;
use crate::resource::Resource;

/// How deep a schema is shown; what is deeper may be anything.
const MAX_DEPTH: usize = 100;

/// The paths by which objects can be selected.
const SELECTABLE: &str = "x-kubernetes-selectable-fields";

const CONVENTIONS: &str =
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/// A custom resource, and what its definition says of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Custom {
    pub(crate) resource: Resource,
    pub(crate) published: Published,
}

/// A resource that is being described. One that is built in has no definition.
pub(super) struct Row<'a> {
    pub(super) resource: &'a Resource,
    pub(super) custom: Option<&'a Custom>,
}

/// Adds a custom resource's schema, and refers to it.
pub(super) fn add(schemas: &mut Schemas<'_>, custom: &Custom) -> Value {
    let (resource, edition) = (&custom.resource, schemas.edition);
    let name = name(resource);
    let metadata = metadata(schemas);
    let is_open = custom.published.schema[PRESERVE] == Value::Bool(true);
    let mut out = match shown(edition, &custom.published.schema, &metadata, 0) {
        // kubectl would refuse every field that is not there.
        _ if is_open && edition == Edition::V2 => json!({ "type": "object" }),
        Value::Object(mut out) => {
            let type_meta = ["apiVersion", "kind"].map(|name| (name, schemas.type_meta(name)));
            set_fields(&mut out, type_meta.into_iter().chain([("metadata", metadata)]));
            out.into()
        }
        _ => json!({ "type": "object" }),
    };
    let kind = Kind { group: &resource.group, version: &resource.version, name: &resource.kind };
    out[KIND] = json!([(kind.shown())]);
    if let Some(fields) = selectable(custom) {
        out[SELECTABLE] = fields;
    }
    schemas.add(name.clone(), in_order(out));
    schemas.to(&name)
}

/// Adds the schema of a list of a custom resource, and refers to it.
pub(super) fn add_list(schemas: &mut Schemas<'_>, custom: &Custom, item: Value) -> Value {
    let resource = &custom.resource;
    let words = ListWords {
        about: [&resource.list_kind, " is a list of ", &resource.kind].concat(),
        items: ["List of ", &resource.name, ". More info: ", CONVENTIONS].concat(),
        metadata: ["Standard list metadata. More info: ", CONVENTIONS, "#types-kinds"].concat(),
    };
    let mut parts: Vec<&str> = resource.group.rsplit('.').collect();
    parts.extend([resource.version.as_str(), &resource.list_kind]);
    let kind = Kind { group: &resource.group, version: &resource.version, name: &resource.list_kind };
    let more = selectable(custom).map(|fields| (SELECTABLE, fields));
    schemas.list(parts.join("."), (item, None), &kind, &words, more)
}

/// The name of its schema: `com.example.stable.v1.CronTab`.
fn name(resource: &Resource) -> String {
    let mut parts: Vec<&str> = resource.group.rsplit('.').collect();
    parts.extend([resource.version.as_str(), &resource.kind]);
    parts.join(".")
}

fn selectable(custom: &Custom) -> Option<Value> {
    let fields = custom.published.selectable.iter().map(|path| json!({ "fieldPath": path }));
    (!custom.published.selectable.is_empty()).then(|| fields.collect())
}

fn metadata(schemas: &mut Schemas<'_>) -> Value {
    let about = ["Standard object's metadata. More info: ", CONVENTIONS, "#metadata"].concat();
    let metadata = schemas.refer_to_meta("ObjectMeta");
    schemas.with_facts(metadata, &about, None)
}

/// Sets properties of a schema, all of which are in the order of their names then.
fn set_fields<'a>(schema: &mut Map<String, Value>, more: impl Iterator<Item = (&'a str, Value)>) {
    let mut fields: Vec<(String, Value)> = match schema.get_mut("properties").map(Value::take) {
        Some(Value::Object(fields)) => fields.into_iter().collect(),
        _ => Vec::new(),
    };
    for (name, value) in more {
        fields.retain(|(known, _)| known != name);
        fields.push((name.to_owned(), value));
    }
    schema::sort_by(&mut fields, |a, b| a.0.cmp(&b.0));
    schema.insert("properties".to_owned(), Value::Object(fields.into_iter().collect()));
}

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const JUNCTORS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// Returns a schema as a document shows it. OpenAPI v2 cannot say all of it, and kubectl misreads some of what it can say.
fn shown(edition: Edition, whole: &Value, metadata: &Value, depth: usize) -> Value {
    let Value::Object(schema) = whole else { return whole.clone() };
    if depth == MAX_DEPTH {
        return json!({});
    }
    let is = |schema: &Value, key: &str| schema[key] == Value::Bool(true);
    let inside = |schema: &Value| shown(edition, schema, metadata, depth + 1);
    let mut out = Map::new();
    for (key, value) in schema {
        let value = match (key.as_str(), value) {
            ("additionalProperties" | "default" | "example", Value::Bool(_)) => value.clone(),
            // What is not so is left out, and an example of nothing.
            (_, Value::Bool(false)) => continue,
            ("example", value) if is_empty(value) => continue,
            ("properties", Value::Object(fields)) => {
                let fields: Map<String, Value> =
                    fields.iter().map(|(name, schema)| (name.clone(), inside(schema))).collect();
                sorted(&fields.into(), false)
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => schemas.iter().map(inside).collect(),
            ("items" | "additionalProperties" | "not", schema) => inside(schema),
            ("default" | "example" | "enum", value) => sorted(value, true),
            ("x-kubernetes-validations", value) if edition == Edition::V2 => sorted(value, true),
            (_, value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    if is(whole, INT_OR_STRING) && edition == Edition::V3 {
        add_types(&mut out);
    }
    let mut is_open = false;
    if edition == Edition::V2 {
        for key in JUNCTORS.iter().chain(&["default"]) {
            out.shift_remove(key);
        }
        is_open = is(whole, PRESERVE);
        if is(whole, "nullable") {
            for key in ["type", "nullable", "items", "properties"] {
                out.shift_remove(key);
            }
        }
        if is_open {
            out.shift_remove("items");
            out.shift_remove("properties");
        }
        let ty = out.get("type").and_then(Value::as_str);
        if (ty == Some("array") && !out.contains_key("items")) || (ty == Some("object") && is_open) {
            out.shift_remove("type");
        }
        let fields = whole["properties"].as_object().filter(|_| out.contains_key("properties"));
        let is_nullable = |name: &Value| {
            let field = name.as_str().and_then(|name| fields?.get(name));
            field.is_some_and(|field| is(field, "nullable"))
        };
        let none = is(&whole["additionalProperties"], "nullable");
        let required = out.get_mut("required").and_then(Value::as_array_mut);
        let none_is_left = required.is_some_and(|required| {
            required.retain(|name| !none && !is_nullable(name));
            required.is_empty()
        });
        if none_is_left {
            out.shift_remove("required");
        }
    }
    if is(whole, EMBEDDED) && !is_open {
        embed(&mut out, metadata);
    }
    in_order(out.into())
}

/// Reports whether Go's second package for JSON leaves out a value as empty.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Adds what `x-kubernetes-int-or-string` means, unless it is there.
fn add_types(out: &mut Map<String, Value>) {
    let types = json!([{ "type": "integer" }, { "type": "string" }]);
    let is_said = |schema: Option<&Value>| schema == Some(&types);
    let first = out.get("allOf").and_then(|all| all.get(0)).and_then(|first| first.get("anyOf"));
    if is_said(out.get("anyOf")) || is_said(first) {
        return;
    }
    if !out.contains_key("anyOf") {
        out.insert("anyOf".to_owned(), types);
        return;
    }
    let all = out.get("allOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let all: Vec<Value> = std::iter::once(json!({ "anyOf": types })).chain(all).collect();
    out.insert("allOf".to_owned(), all.into());
}

/// Adds what `x-kubernetes-embedded-resource` means.
fn embed(out: &mut Map<String, Value>, metadata: &Value) {
    let version = [
        "apiVersion defines the versioned schema of this representation of an object. More info: ",
        CONVENTIONS,
        "#resources",
    ];
    let kind = [
        "kind is a string value representing the type of this object. In CamelCase. More info: ",
        CONVENTIONS,
        "#types-kinds",
    ];
    let text = |about: [&str; 3]| json!({ "description": (about.concat()), "type": "string" });
    let more = [("apiVersion", text(version)), ("kind", text(kind)), ("metadata", metadata.clone())];
    set_fields(out, more.into_iter());
    let mut required = out.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in ["kind", "apiVersion"] {
        if !required.iter().any(|known| known == name) {
            required.push(name.into());
        }
    }
    out.insert("required".to_owned(), required.into());
}

/// Returns a value with the keys of its maps in order, as Go writes them; of all of them, or of the outermost alone.
fn sorted(value: &Value, all: bool) -> Value {
    match value {
        Value::Object(map) => {
            let inside = |value: &Value| if all { sorted(value, true) } else { value.clone() };
            let mut entries: Vec<(String, Value)> =
                map.iter().map(|(key, value)| (key.clone(), inside(value))).collect();
            schema::sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(list) if all => list.iter().map(|value| sorted(value, true)).collect(),
        value => value.clone(),
    }
}

impl Custom {
    /// All of it that documents tell, for their digest.
    pub(crate) fn to_value(&self) -> Value {
        let row = &self.resource;
        let sub = |sub: &Subresource| json!([sub.name, sub.group, sub.version, sub.kind, sub.verbs]);
        let subresources: Vec<Value> = row.subresources.iter().map(sub).collect();
        let names = [&row.group, &row.version, &row.name, &row.singular, &row.kind, &row.list_kind];
        json!([
            names,
            row.namespaced,
            row.verbs,
            subresources,
            self.published.schema,
            self.published.selectable
        ])
    }
}
