//! Whole documents: what is around paths and schemas.

use json_tree::{Map, Value, json};

/// The version in the documents: that of Kubernetes, without the number of its patches.
const VERSION: &str = "1.36";

const TOKEN: &str = "Bearer Token authentication";

/// Puts parts together, in their order. They are large: they are moved, not copied.
fn object<const N: usize>(parts: [(&str, Value); N]) -> Value {
    Value::Object(
        parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<String, Value>>(),
    )
}

/// Returns a document of OpenAPI v2.
pub(super) fn v2(paths: Value, definitions: Value, parameters: Value) -> Value {
    let token = json!({ "description": TOKEN, "type": "apiKey", "name": "authorization", "in": "header" });
    object([
        ("swagger", "2.0".into()),
        ("info", json!({ "title": "Kubernetes", "version": VERSION })),
        ("paths", paths),
        ("definitions", definitions),
        ("parameters", parameters),
        ("securityDefinitions", json!({ "BearerToken": token })),
        ("security", json!([{ "BearerToken": [] }])),
    ])
}

/// Returns a document of OpenAPI v3.
pub(super) fn v3(paths: Value, schemas: Value) -> Value {
    let token = json!({ "type": "apiKey", "description": TOKEN, "name": "authorization", "in": "header" });
    let schemes = ("securitySchemes", json!({ "BearerToken": token }));
    let has_schemas = schemas.as_object().is_some_and(|schemas| !schemas.is_empty());
    let components = if has_schemas { object([("schemas", schemas), schemes]) } else { object([schemes]) };
    object([
        ("openapi", "3.0.0".into()),
        ("info", json!({ "title": "Kubernetes", "version": VERSION })),
        ("paths", paths),
        ("components", components),
    ])
}

/// Returns a document of OpenAPI v3 for custom resources.
pub(super) fn custom(paths: Value, schemas: Value) -> Value {
    object([
        ("openapi", "3.0.0".into()),
        ("info", json!({ "title": "Kubernetes CRD Swagger", "version": "v0.1.0" })),
        ("paths", paths),
        ("components", object([("schemas", schemas)])),
    ])
}
