//! Reading `k8s-openapi`: JSON names, scalar types and which fields are required.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::protobuf::Message;

/// The OpenAPI schema of a type.
#[derive(Debug, Default, Clone)]
pub(super) struct Schema {
    /// The name as in Go: `JSONSchemaProps`.
    pub(super) name: String,
    /// True if it has `apiVersion` and `kind` of its own.
    pub(super) type_meta: bool,
    /// From JSON name to what is said of the field.
    pub(super) fields: BTreeMap<String, Property>,
}

/// The OpenAPI schema of a field.
#[derive(Debug, Default, Clone)]
pub(super) struct Property {
    /// The Rust type, without `Option`.
    pub(super) rust: String,
    /// True if `required` lists the field.
    pub(super) required: bool,
}

/// From Go package and lower-case name to schema.
pub(super) type Schemas = HashMap<(String, String), Schema>;

/// Reads all types of one Kubernetes version.
pub(super) fn read(folder: &Path) -> Result<Schemas, String> {
    let mut schemas = Schemas::new();
    for (module, text) in sources::rust_files(folder)? {
        if let Some(schema) = schema(&text) {
            schemas.insert((sources::go_package(&module), schema.name.to_lowercase()), schema);
        }
    }
    if schemas.is_empty() { Err(format!("{} has no types", folder.display())) } else { Ok(schemas) }
}

/// The struct of one file; `None` for a file that has none with fields.
fn schema(text: &str) -> Option<Schema> {
    let start = text.find("\npub struct ")?;
    let (head, body) = text[start + 12..].split_once(" {\n")?;
    if head.contains('(') {
        return None;
    }
    let mut schema = Schema { name: head.to_owned(), ..Schema::default() };
    let mut rust = HashMap::new();
    for line in body.lines().take_while(|line| *line != "}") {
        let field =
            line.strip_prefix("    pub ").and_then(|field| field.trim_end_matches(',').split_once(": "));
        if let Some((name, ty)) = field {
            rust.insert(name, ty.strip_prefix("Option<").and_then(|ty| ty.strip_suffix('>')).unwrap_or(ty));
        }
    }
    for line in text.lines() {
        let key = line.trim().strip_prefix('"').and_then(|line| line.split_once("\" => Field::Key_"));
        let Some((json, key)) = key else { continue };
        let key = key.trim_end_matches(',');
        match rust.get(key).or_else(|| rust.get(format!("r#{key}").as_str())) {
            Some(ty) => {
                schema.fields.insert(json.to_owned(), Property { rust: (*ty).to_owned(), required: false });
            }
            None => schema.type_meta = true,
        }
    }
    for name in required(text) {
        if let Some(property) = schema.fields.get_mut(name) {
            property.required = true;
        }
    }
    Some(schema)
}

/// Returns the schema that a type would have which `k8s-openapi` lacks, by the usual way of writing names.
pub(super) fn from_message(message: &Message) -> Schema {
    let camel = |name: &str| {
        let mut parts = name.split('_');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |json, part| {
            let (head, tail) = part.split_at(part.len().min(1));
            json + &head.to_uppercase() + tail
        })
    };
    let fields = message.fields.iter().map(|field| {
        (
            camel(&field.name),
            Property { rust: String::new(), required: !field.markers.contains(&"optional".into()) },
        )
    });
    Schema { name: message.name.clone(), fields: fields.collect(), ..Schema::default() }
}

/// The names in the outermost `required` of the file's JSON schema.
fn required(text: &str) -> impl Iterator<Item = &str> {
    let list = text.split_once("\n            \"required\": [\n").map_or("", |(_, rest)| rest);
    list.lines().take_while(|line| line.trim() != "],").map(|line| line.trim().trim_matches([',', '"']))
}
