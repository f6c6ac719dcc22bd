//! Custom objects as rows of a table: the name, and the columns that the definition has, or else the age.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns>

use json_tree::{Value, json};

use super::{IncludeObject, Options, age_of, common_columns};
use crate::custom::json_path;
use apimachinery::object;
use apimachinery::object::Object;

/// The table of these objects in these columns, with this metadata.
pub(crate) fn table(definitions: &[Value], items: Vec<Object>, metadata: &Value, options: &Options) -> Value {
    let columns = || {
        let (name, created) = common_columns();
        let mut columns = vec![json!({
            "name": "Name",
            "type": "string",
            "format": "name",
            "description": name,
            "priority": 0,
        })];
        if definitions.is_empty() {
            columns.push(json!({
                "name": "Age",
                "type": "date",
                "format": "",
                "description": created,
                "priority": 0,
            }));
        }
        columns.extend(definitions.iter().map(column));
        Value::Array(columns)
    };
    let rows: Vec<Value> = items.into_iter().map(|item| row(definitions, item, options)).collect();
    json!({
        "kind": "Table",
        "apiVersion": options.version.api_version(),
        "metadata": metadata,
        "columnDefinitions": if options.no_headers { Value::Null } else { columns() },
        "rows": rows,
    })
}

/// Returns the metadata of a table that has one object.
pub(crate) fn metadata_of_one(object: &Object) -> Value {
    let version = object::metadata(object, "resourceVersion").cloned();
    version.map_or_else(|| json!({}), |version| json!({ "resourceVersion": version }))
}

/// The table of a `Scale` of a custom object.
pub(crate) fn scale_table(scale: &Value, options: &Options) -> Value {
    let (name, created) = common_columns();
    let columns = [
        ("Name", "string", "name", name),
        ("Desired", "integer", "", "Number of desired replicas"),
        ("Available", "integer", "", "Number of actual replicas"),
        ("Age", "date", "", created),
    ];
    let columns: Vec<Value> = columns
        .into_iter()
        .map(|(name, ty, format, description)| {
            json!({ "name": name, "type": ty, "format": format, "description": description, "priority": 0 })
        })
        .collect();
    let metadata = &scale["metadata"];
    let replicas = |part: &str| scale[part]["replicas"].as_i64().unwrap_or_default();
    let age = date(&metadata["creationTimestamp"], options);
    let beside = match options.include_object {
        IncludeObject::None => Value::Null,
        IncludeObject::Metadata => json!({
            "kind": "PartialObjectMetadata",
            "apiVersion": options.version.api_version(),
            "metadata": metadata,
        }),
        IncludeObject::Object => scale.clone(),
    };
    json!({
        "kind": "Table",
        "apiVersion": options.version.api_version(),
        "metadata": { "resourceVersion": metadata["resourceVersion"] },
        "columnDefinitions": columns,
        "rows": [{ "cells": [metadata["name"], replicas("spec"), replicas("status"), age], "object": beside }],
    })
}

fn column(definition: &Value) -> Value {
    let text = |key: &str| definition[key].as_str().unwrap_or_default();
    let description = match text("description") {
        "" => ["Custom resource definition column (in JSONPath format): ", text("jsonPath")].concat(),
        own => own.to_owned(),
    };
    json!({
        "name": text("name"),
        "type": text("type"),
        "format": text("format"),
        "description": description,
        "priority": definition["priority"].as_i64().unwrap_or_default(),
    })
}

fn row(definitions: &[Value], object: Object, options: &Options) -> Value {
    let object = Value::Object(object);
    let mut cells = vec![object["metadata"]["name"].clone()];
    if definitions.is_empty() {
        cells.push(date(&object["metadata"]["creationTimestamp"], options));
    }
    for definition in definitions {
        let path = definition["jsonPath"].as_str().unwrap_or_default();
        let found = json_path::find(path, &object).and_then(|found| found.first().copied());
        let ty = definition["type"].as_str().unwrap_or_default();
        cells.push(found.map_or(Value::Null, |found| cell(ty, found, options)));
    }
    let beside = match options.include_object {
        IncludeObject::None => Value::Null,
        IncludeObject::Object => object,
        IncludeObject::Metadata => json!({
            "kind": "PartialObjectMetadata",
            "apiVersion": options.version.api_version(),
            "metadata": crate::custom::metadata(&object),
        }),
    };
    json!({ "cells": cells, "object": beside })
}

/// A value in a column of a type; `null` if it does not fit.
fn cell(ty: &str, value: &Value, options: &Options) -> Value {
    match (ty, value) {
        ("string", Value::String(_)) => value.clone(),
        ("string", Value::Null) => Value::Null,
        ("string", other) => String::from_utf8_lossy(&codec::json::to_vec(other)).into_owned().into(),
        ("integer", Value::Number(number)) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => (number.as_f64().unwrap_or_default() as i64).into(),
        },
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(_)) => date(value, options),
        _ => Value::Null,
    }
}

/// How long ago a time was.
fn date(value: &Value, options: &Options) -> Value {
    value.as_str().map_or(Value::Null, |text| age_of(text, options.now).into())
}
