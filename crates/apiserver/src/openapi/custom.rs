//! Custom resources: their schemas come with them.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema-in-openapi>

use json_tree::{Map, Value, json};
use schema::{Resource, Subresource};

use super::schemas::{KIND, Schemas};
use super::{Edition, Kind};

/// How deep a schema is shown; what is deeper may be anything.
const MAX_DEPTH: usize = 100;

/// A custom resource, and what its CustomResourceDefinition says of it in `openAPIV3Schema`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Custom {
    pub(crate) resource: Resource,
    pub(crate) schema: Value,
}

/// A resource that is being described. One that is built in has no schema of its own.
pub(super) struct Row<'a> {
    pub(super) resource: &'a Resource,
    pub(super) schema: Option<&'a Value>,
}

/// The name of its schema: `com.example.stable.v1.CronTab`.
pub(super) fn name(resource: &Resource) -> String {
    let mut parts: Vec<&str> = resource.group.rsplit('.').collect();
    parts.extend([resource.version.as_str(), &resource.kind]);
    parts.join(".")
}

/// Adds a custom resource's schema, and refers to it.
pub(super) fn add(schemas: &mut Schemas<'_>, resource: &Resource, schema: Option<&Value>) -> Value {
    let name = name(resource);
    let mut shown = schema.map_or_else(|| json!({}), |schema| shown(schemas.edition, schema, 0));
    let metadata = schemas.refer_to_meta("ObjectMeta");
    let metadata = match schemas.edition {
        Edition::V2 => metadata,
        Edition::V3 => json!({ "allOf": [metadata] }),
    };
    if !shown.is_object() {
        shown = json!({});
    }
    if let Value::Object(out) = &mut shown {
        out.entry("type").or_insert_with(|| "object".into());
        let mut fields: Vec<(String, Value)> = match out.get_mut("properties").map(Value::take) {
            Some(Value::Object(fields)) => fields.into_iter().collect(),
            _ => Vec::new(),
        };
        let text = json!({ "type": "string" });
        for (name, schema) in [("apiVersion", text.clone()), ("kind", text), ("metadata", metadata)] {
            fields.retain(|(known, _)| known != name);
            fields.push((name.to_owned(), schema));
        }
        schema::sort_by(&mut fields, |a, b| a.0.cmp(&b.0));
        out.insert("properties".to_owned(), Value::Object(fields.into_iter().collect()));
        let kind = Kind { group: &resource.group, version: &resource.version, name: &resource.kind };
        out.insert(KIND.to_owned(), json!([(kind.shown())]));
    }
    schemas.add(name.clone(), shown);
    schemas.to(&name)
}

/// The keywords of a schema that OpenAPI v2 does not have, or that kubectl would misread.
const NOT_IN_V2: &[&str] =
    &["allOf", "anyOf", "oneOf", "not", "nullable", "default", "x-kubernetes-validations"];

/// A schema as a document shows it. OpenAPI v2 cannot say all of it; what may be of several types is of none there.
fn shown(edition: Edition, schema: &Value, depth: usize) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    if depth == MAX_DEPTH {
        return json!({});
    }
    let is = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    let vague = edition == Edition::V2
        && ["nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"]
            .iter()
            .any(|key| is(key));
    let mut out = Map::new();
    for (key, value) in schema {
        let lost = match key.as_str() {
            "type" | "properties" | "items" | "additionalProperties" => vague,
            key => edition == Edition::V2 && NOT_IN_V2.contains(&key),
        };
        if lost {
            continue;
        }
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                let fields =
                    fields.iter().map(|(name, schema)| (name.clone(), shown(edition, schema, depth + 1)));
                Value::Object(fields.collect())
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                schemas.iter().map(|schema| shown(edition, schema, depth + 1)).collect()
            }
            ("items" | "additionalProperties" | "not", schema) => shown(edition, schema, depth + 1),
            (_, value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    out.into()
}

impl Custom {
    /// All of it that documents tell, for their digest.
    pub(crate) fn to_value(&self) -> Value {
        let row = &self.resource;
        let sub = |sub: &Subresource| json!([sub.name, sub.group, sub.version, sub.kind, sub.verbs]);
        let subresources: Vec<Value> = row.subresources.iter().map(sub).collect();
        let names = [&row.group, &row.version, &row.name, &row.singular, &row.kind, &row.list_kind];
        json!([names, row.namespaced, row.verbs, subresources, self.schema])
    }
}
