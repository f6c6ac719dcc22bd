//! The types of kinds as OpenAPI documents have them, for expressions.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#type-system-integration>.

use cel::{Declared, ListKind, Shape, Type};
use json_tree::Value;

/// The extension of a schema that says for which kinds it is.
const KINDS: &str = "x-kubernetes-group-version-kind";

/// The beginning of a reference to a schema of the same document.
const REFERENCE: &str = "#/components/schemas/";

/// Returns the type of a kind in the document of its version: `None` if the document has no such kind, `Some(None)` if its schema has no type.
pub(crate) fn declared(
    document: &Value,
    (group, version, kind): (&str, &str, &str),
) -> Option<Option<Declared>> {
    let schemas = document.get("components")?.get("schemas")?.as_object()?;
    let is_of = |schema: &Value| {
        let mut kinds = schema.get(KINDS).and_then(Value::as_array).into_iter().flatten();
        kinds.any(|one| (one.text("group"), one.text("version"), one.text("kind")) == (group, version, kind))
    };
    let (name, schema) = schemas.iter().find(|(_, schema)| is_of(schema))?;
    Some(Schemas { all: schemas, within: vec![name] }.declare(schema, true))
}

/// The schemas of a document.
struct Schemas<'a> {
    all: &'a json_tree::Map<String, Value>,
    /// The names of those in which something is being looked at.
    within: Vec<&'a str>,
}

impl<'a> Schemas<'a> {
    /// Returns the type of a schema. With `is_root`, it is that of a whole object. `None` if expressions cannot see it.
    fn declare(&mut self, schema: &'a Value, is_root: bool) -> Option<Declared> {
        let Some(name) = reference(schema) else { return self.declare_here(schema, is_root) };
        if self.within.contains(&name) {
            return Some(Declared::object(Vec::new()));
        }
        let all = self.all;
        self.within.push(name);
        let declared = all.get(name).and_then(|schema| self.declare_here(schema, is_root));
        self.within.pop();
        declared
    }

    /// As [`Self::declare`], of a schema that refers to no other one.
    fn declare_here(&mut self, schema: &'a Value, is_root: bool) -> Option<Declared> {
        if schema.text("format") == "int-or-string" || is_set(schema, "x-kubernetes-int-or-string") {
            return Some(Declared::int_or_string());
        }
        let text = |format| Declared::string(format, None, None);
        match schema.text("type") {
            "array" => {
                let items = schema.get("items")?;
                self.declare_part(items).map(|items| Declared::list(items, ListKind::Atomic, None))
            }
            "object" => match schema.get("additionalProperties") {
                Some(values @ Value::Object(_)) => {
                    self.declare_part(values).map(|values| Declared::map(values, None))
                }
                _ => {
                    let properties = schema.get("properties").and_then(Value::as_object);
                    let mut fields = Vec::new();
                    for (name, property) in properties.into_iter().flatten() {
                        if let Some(declared) = self.declare_part(property) {
                            fields.push((name.clone(), declared, false));
                        }
                    }
                    if is_root && !has_metadata(&fields) {
                        fields.retain(|(name, ..)| {
                            !["apiVersion", "kind", "metadata"].contains(&name.as_str())
                        });
                        let names = ["name", "generateName"].map(|name| (name.to_owned(), text(""), false));
                        fields.extend(["apiVersion", "kind"].map(|name| (name.to_owned(), text(""), false)));
                        fields.push(("metadata".to_owned(), Declared::object(names.into()), false));
                    }
                    Some(Declared::object(fields))
                }
            },
            "string" => Some(text(schema.text("format"))),
            "boolean" => Some(Declared::bool()),
            "number" => Some(Declared::double()),
            "integer" => Some(Declared::int()),
            _ => None,
        }
    }

    fn declare_part(&mut self, schema: &'a Value) -> Option<Declared> {
        self.declare(schema, is_set(schema, "x-kubernetes-embedded-resource"))
    }
}

fn is_set(schema: &Value, extension: &str) -> bool {
    schema.get(extension).and_then(Value::as_bool).unwrap_or_default()
}

/// Returns the name of the schema that one refers to, perhaps within `allOf`, which keeps its description.
fn reference(schema: &Value) -> Option<&str> {
    if let Some(reference) = schema.get("$ref") {
        return reference.as_str()?.strip_prefix(REFERENCE);
    }
    schema.get("allOf")?.as_array()?.iter().find_map(reference)
}

/// Reports whether these are the fields of a whole object.
fn has_metadata(fields: &[(String, Declared, bool)]) -> bool {
    let field = |name: &str| fields.iter().find(|(other, ..)| other == name).map(|(_, declared, _)| declared);
    let is_text =
        |declared: Option<&Declared>| declared.is_some_and(|declared| matches!(declared.kind, Type::String));
    let Some(Shape::Object(metadata)) = field("metadata").map(|metadata| &metadata.shape) else {
        return false;
    };
    let part = |name: &str| metadata.field(name).map(|field| &field.declared);
    [field("kind"), field("apiVersion"), part("name"), part("generateName")].into_iter().all(is_text)
}
