//! The metadata of resources that are embedded in others.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension>.

use field::{AddError, Error, Path};
use json_tree::{Map, Value};
use schema::{DecodeError, Decoded, Types};

use crate::Structural;

/// The treatment of metadata that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is an error: on writes.
    Refuse,
    /// It is dropped field by field: of what is in storage.
    Drop,
}

/// Reads `metadata` of an object as an ObjectMeta and writes it back: what it has no field for is gone, what is empty
/// too. Returns the unknown fields (`metadata.foo`).
///
/// # Errors
/// Go's words for what cannot be read; never with [`Malformed::Drop`], but for metadata that is no object, which
/// stays as it is.
pub fn coerce_object_meta(
    object: &mut Map<String, Value>,
    malformed: Malformed,
) -> Result<Vec<String>, String> {
    let Some(metadata) = object.get_mut("metadata") else { return Ok(Vec::new()) };
    let decoded = match decode(metadata) {
        Ok(decoded) => decoded,
        Err(error) if malformed == Malformed::Refuse => return Err(error.to_string()),
        Err(_) => {
            let Value::Object(fields) = metadata else {
                let found = schema::go::type_name(metadata);
                return Err(format!("invalid metadata: expected object, got {found}"));
            };
            fields.retain(|name, value| {
                decode(&Value::Object(Map::from_iter([(name.clone(), value.clone())]))).is_ok()
            });
            decode(metadata).map_err(|error| error.to_string())?
        }
    };
    *metadata = decoded.value;
    metadata.sort_all_objects();
    if let Value::Object(fields) = metadata
        && fields.get("creationTimestamp").is_some_and(Value::is_null)
    {
        fields.shift_remove("creationTimestamp");
    }
    Ok(decoded.strict.iter().map(|error| format!("metadata.{}", error.path())).collect())
}

/// An ObjectMeta of what stands in a tree.
fn decode(metadata: &Value) -> Result<Decoded, DecodeError> {
    let empty = || Decoded { value: Value::Object(Map::new()), strict: Vec::new() };
    let types = Types::builtin();
    let Some(ty) = types.find("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta") else {
        return Ok(empty());
    };
    let text = codec::json::to_vec(metadata);
    // What has just been written can be read.
    let Ok(node) = codec::json::parse(&text) else { return Ok(empty()) };
    schema::decode(types, ty, &node)
}

/// Reads `apiVersion`, `kind` and `metadata` of every embedded resource in `object` and writes them back, as
/// [`coerce_object_meta`] does. Returns the paths of unknown fields, in the order of the alphabet. What the root itself
/// has is not looked at.
///
/// # Errors
/// The first field that cannot be read; never with [`Malformed::Drop`].
pub fn coerce_metadata(
    object: &mut Value,
    schema: &Structural,
    malformed: Malformed,
) -> Result<Vec<String>, Box<Error>> {
    let mut unknown = Vec::new();
    if embeds(schema) {
        coerce(object, schema, malformed, &Path::default(), &mut unknown)?;
        schema::sort_by(&mut unknown, Ord::cmp);
    }
    Ok(unknown)
}

/// Reports whether there may be embedded resources.
fn embeds(schema: &Structural) -> bool {
    schema.embedded_resource || schema.children().any(embeds)
}

fn coerce(
    value: &mut Value,
    schema: &Structural,
    malformed: Malformed,
    path: &Path,
    unknown: &mut Vec<String>,
) -> Result<(), Box<Error>> {
    match value {
        Value::Object(fields) => {
            if schema.embedded_resource {
                coerce_resource(fields, malformed, path, unknown)?;
            }
            for (name, value) in fields {
                if let Some(property) = schema.property(name) {
                    coerce(value, property, malformed, &path.named(name), unknown)?;
                } else if let Some(additional) = schema.additional() {
                    coerce(value, additional, malformed, &path.key(name), unknown)?;
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return Ok(()) };
            for (index, item) in items.iter_mut().enumerate() {
                coerce(item, schema, malformed, &path.index(index), unknown)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn coerce_resource(
    fields: &mut Map<String, Value>,
    malformed: Malformed,
    path: &Path,
    unknown: &mut Vec<String>,
) -> Result<(), Box<Error>> {
    for name in ["apiVersion", "kind"] {
        match fields.get(name) {
            Some(value) if !value.is_string() => {
                if malformed == Malformed::Refuse {
                    return Err(Box::new(Error::invalid(
                        path.child(name),
                        value.clone(),
                        "must be a string",
                    )));
                }
                fields.shift_remove(name);
            }
            _ => {}
        }
    }
    match coerce_object_meta(fields, malformed) {
        Ok(paths) => unknown.extend(paths.iter().map(|inner| path.named(inner).to_string())),
        Err(why) if malformed == Malformed::Refuse => {
            let value = fields.get("metadata").cloned().unwrap_or_default();
            return Err(Box::new(Error::invalid(path.child("metadata"), value, why)));
        }
        Err(_) => {}
    }
    Ok(())
}

/// Validates `apiVersion`, `kind` and `metadata` of the embedded resources in `object`.
///
/// `names` checks the kind, in small letters, as a DNS label of RFC 1035; `metadata` checks an embedded resource's
/// metadata, which is the object's, as that of an object in a namespace if it has one, whose name is a segment of a
/// path. It gets `fakename` where there is no name.
pub fn validate_metadata(
    object: &Value,
    schema: &Structural,
    names: &dyn Fn(&str) -> Vec<String>,
    metadata: &dyn Fn(&Value, &Path) -> Vec<Error>,
) -> Vec<Error> {
    let mut errors = Vec::new();
    if embeds(schema) {
        Checks { names, metadata }.walk(object, schema, &Path::default(), &mut errors);
    }
    errors
}

struct Checks<'a> {
    names: &'a dyn Fn(&str) -> Vec<String>,
    metadata: &'a dyn Fn(&Value, &Path) -> Vec<Error>,
}

impl Checks<'_> {
    fn walk(&self, value: &Value, schema: &Structural, path: &Path, errors: &mut Vec<Error>) {
        match value {
            Value::Object(fields) => {
                if schema.embedded_resource {
                    self.resource(fields, path, errors);
                }
                for (name, value) in fields {
                    if let Some(property) = schema.property(name) {
                        self.walk(value, property, &path.named(name), errors);
                    } else if let Some(additional) = schema.additional() {
                        self.walk(value, additional, &path.key(name), errors);
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = &schema.items else { return };
                for (index, item) in items.iter().enumerate() {
                    self.walk(item, schema, &path.index(index), errors);
                }
            }
            _ => {}
        }
    }

    fn resource(&self, fields: &Map<String, Value>, path: &Path, errors: &mut Vec<Error>) {
        for name in ["apiVersion", "kind"] {
            if !fields.contains_key(name) {
                errors.required(path.child(name), "");
            }
        }
        self.text(fields, "apiVersion", path, errors, |version| {
            (version.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {version}"))
        });
        self.text(fields, "kind", path, errors, |kind| {
            let wrong = (self.names)(&kind.to_ascii_lowercase());
            (!wrong.is_empty())
                .then(|| format!("may have mixed case, but should otherwise match: {}", wrong.join(",")))
        });
        let Some(metadata) = fields.get("metadata") else { return };
        let at = path.child("metadata");
        match decode(metadata) {
            Err(error) => errors.invalid(&at, metadata.clone(), error.to_string()),
            Ok(Decoded { value: mut metadata, .. }) => {
                if metadata.get("name").and_then(Value::as_str).unwrap_or_default().is_empty()
                    && let Value::Object(fields) = &mut metadata
                {
                    fields.insert("name".to_owned(), "fakename".into());
                }
                errors.extend((self.metadata)(&metadata, &at));
            }
        }
    }

    /// Validates a text that may be missing but not empty; `wrong` finds other errors in it.
    fn text(
        &self,
        fields: &Map<String, Value>,
        name: &str,
        path: &Path,
        errors: &mut Vec<Error>,
        wrong: impl Fn(&str) -> Option<String>,
    ) {
        let at = || path.named(name);
        match fields.get(name) {
            None => {}
            Some(Value::String(text)) if text.is_empty() => errors.required(at(), ""),
            Some(Value::String(text)) => {
                errors.extend(wrong(text).map(|why| Error::invalid(at(), text.clone(), why)));
            }
            Some(value) => errors.invalid(at(), value.clone(), "must be a string"),
        }
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]
mod tests {
    use json_tree::json;

    use super::*;

    fn schema() -> Structural {
        Structural::parse(&json!({"properties": {"l": {"items": {
            "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
        }}}}))
    }

    #[track_caller]
    fn check(resource: Value, malformed: Malformed, expected: Value, unknown: Result<&[&str], &str>) {
        let mut object = json!({"kind": 1, "metadata": 1, "l": [resource]});
        let paths = coerce_metadata(&mut object, &schema(), malformed).map_err(|error| error.to_string());
        let unknown = unknown.map(|paths| paths.iter().map(|&path| path.to_owned()).collect());
        assert_eq!(paths, unknown.map_err(str::to_owned));
        assert_eq!(object["l"][0].to_string(), expected.to_string());
    }

    #[test]
    fn metadata_is_written_as_it_was_read() {
        check(
            json!({"apiVersion": "v1", "metadata": {"foo": 1, "name": "a", "labels": {"b": "c"}, "finalizers": []}}),
            Malformed::Refuse,
            json!({"apiVersion": "v1", "metadata": {"labels": {"b": "c"}, "name": "a"}}),
            Ok(&["l[0].metadata.foo"]),
        );
    }

    #[test]
    fn malformed_metadata_is_an_error_or_dropped() {
        let malformed = json!({"kind": 1, "metadata": {"name": 1, "labels": {"a": "b"}}});
        check(
            malformed.clone(),
            Malformed::Refuse,
            malformed.clone(),
            Err("l[0].kind: Invalid value: 1: must be a string"),
        );
        check(malformed, Malformed::Drop, json!({"metadata": {"labels": {"a": "b"}}}), Ok(&[]));
        let malformed = json!({"metadata": {"name": 1}});
        check(
            malformed.clone(),
            Malformed::Refuse,
            malformed,
            Err(concat!(
                r#"l[0].metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field "#,
                "ObjectMeta.name of type string"
            )),
        );
        check(json!({"metadata": []}), Malformed::Drop, json!({"metadata": []}), Ok(&[]));
    }

    #[track_caller]
    fn check_valid(resource: Value, expected: &[&str]) {
        let names =
            |name: &str| if name.contains('_') { vec!["a".to_owned(), "b".to_owned()] } else { Vec::new() };
        let metadata = |metadata: &Value, path: &Path| {
            let name = metadata["name"].as_str().unwrap_or_default();
            if name == "fakename" { Vec::new() } else { vec![Error::invalid(path.child("name"), name, "no")] }
        };
        let object = json!({"l": [resource]});
        let errors = validate_metadata(&object, &schema(), &names, &metadata);
        assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn embedded_resources_are_validated() {
        check_valid(json!({"apiVersion": "v1", "kind": "A"}), &[]);
        check_valid(json!({"apiVersion": "a/v1", "kind": "A", "metadata": {}}), &[]);
        check_valid(json!({}), &["l[0].apiVersion: Required value", "l[0].kind: Required value"]);
        check_valid(
            json!({"apiVersion": "", "kind": 1, "metadata": {"name": "x"}}),
            &[
                "l[0].apiVersion: Required value",
                "l[0].kind: Invalid value: 1: must be a string",
                r#"l[0].metadata.name: Invalid value: "x": no"#,
            ],
        );
        check_valid(
            json!({"apiVersion": "a/b/c", "kind": "A_B"}),
            &[
                r#"l[0].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c"#,
                r#"l[0].kind: Invalid value: "A_B": may have mixed case, but should otherwise match: a,b"#,
            ],
        );
    }
}
