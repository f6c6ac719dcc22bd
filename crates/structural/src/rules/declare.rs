//! The declarations of a schema's values for expressions.

use cel::{Declared, ListKind};
use json_tree::Value;

use super::is_resource;
use crate::{ListType, Structural, Type};

/// A character has at most so many bytes.
const BYTES: i64 = 4;

/// Returns the declaration of a schema. None if expressions may not use it: it has no type, or a schema in it has none.
/// At the `root` of a resource its kind, version and names are declared too.
pub(super) fn declare(schema: &Structural, root: bool) -> Option<Declared> {
    let max_bytes = schema.max_length.map(|length| length.max(0).saturating_mul(BYTES));
    if schema.int_or_string {
        let mut declared = Declared::int_or_string();
        if let Some(max) = max_bytes.and_then(|max| u64::try_from(max).ok()) {
            declared.max_elements = max;
        }
        return Some(declared.or_null(schema.nullable));
    }
    let declared = match schema.ty? {
        Type::Boolean => Declared::bool(),
        Type::Integer => Declared::int(),
        Type::Number => Declared::double(),
        Type::String => {
            let longest = schema.enumeration.iter().filter_map(Value::as_str).map(str::len).max();
            let longest = longest.or((!schema.enumeration.is_empty()).then_some(0));
            let max = if schema.format == "byte" { schema.max_length } else { max_bytes };
            Declared::string(&schema.format, max, longest)
        }
        Type::Array => {
            let items = schema.items.as_deref()?;
            let kind = match schema.list_type {
                Some(ListType::Set) => ListKind::Set,
                Some(ListType::Map) => ListKind::Map(schema.list_map_keys.clone()),
                Some(ListType::Atomic) | None => ListKind::Atomic,
            };
            Declared::list(declare(items, is_resource(items))?, kind, schema.max_items)
        }
        Type::Object => match schema.additional() {
            Some(values) if !root => {
                Declared::map(declare(values, is_resource(values))?, schema.max_properties)
            }
            _ => object(schema, root),
        },
    };
    Some(declared.or_null(schema.nullable))
}

fn object(schema: &Structural, root: bool) -> Declared {
    let mut properties = Vec::with_capacity(schema.properties.len() + 3);
    for (name, property) in &schema.properties {
        if root && crate::prune::is_meta(name) {
            continue;
        }
        let required = schema.required.contains(name) && property.default.is_none();
        if let Some(declared) = declare(property, is_resource(property)) {
            properties.push((name.clone(), declared, required));
        }
    }
    if root {
        let text = || Declared::string("", None, None);
        let names = ["name", "generateName"].map(|name| (name.to_owned(), text(), false));
        let required = |name: &str| schema.required.iter().any(|required| required == name);
        properties.push(("kind".to_owned(), text(), required("kind")));
        properties.push(("apiVersion".to_owned(), text(), required("apiVersion")));
        let metadata = Declared::object(Vec::from(names));
        properties.push(("metadata".to_owned(), metadata, required("metadata")));
    }
    Declared::object(properties)
}
