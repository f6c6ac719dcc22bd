//! Checks of converted objects: what a webhook may change, and what is put back.

use json_tree::{Map, Value, json};
use schema::go::type_name;

use super::review::kind_of;
use apimachinery::object::Object;
use field::Path;
use kinds::validation::metadata;

/// Returns the version that an object states; empty if it states none.
pub(super) fn api_version(object: &Object) -> &str {
    text(object, "apiVersion")
}

/// Returns the type that an object states, as Go prints it.
pub(super) fn gvk(object: &Object) -> String {
    format!("{}, Kind={}", api_version(object), text(object, "kind"))
}

/// Reports whether an object has nothing but its type.
pub(super) fn is_empty(object: &Object) -> bool {
    object.len() == 2 && object.contains_key("apiVersion") && object.contains_key("kind")
}

/// Checks what a webhook has made of an object, and returns that with the metadata that it had, but for labels and annotations.
///
/// # Errors
/// The fault in it, in kube-apiserver's words.
pub(super) fn converted(original: &Object, converted: &Value, to: &str) -> Result<Object, String> {
    let gvk = gvk(original);
    let object = read(converted)?;
    let returned = |what: &str| format!("conversion webhook for {gvk} returned {what}");
    let version = api_version(&object);
    if version != to {
        let why = format!("invalid groupVersion (expected {to}, received {version})");
        return Err(returned(&["invalid object at index 0: ", &why].concat()));
    }
    let (expected, kind) = (text(original, "kind"), text(&object, "kind"));
    if kind != expected {
        let why = format!("invalid kind (expected {expected}, received {kind})");
        return Err(returned(&["invalid object at index 0: ", &why].concat()));
    }
    for (key, word) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let of = |object: &'_ Object| nested(object, key).to_owned();
        let (expected, found) = (of(original), of(&object));
        if found != expected {
            let why = format!("must have the same {word}: {expected} != {found}");
            return Err(returned(&["invalid object: ", &why].concat()));
        }
    }
    restore(original, object).map_err(|why| returned(&["invalid metadata: ", &why].concat()))
}

/// Reads an object as Go reads one without a type: it has at least a kind.
fn read(converted: &Value) -> Result<Object, String> {
    let object = match converted {
        Value::Object(object) => object,
        Value::Null => return Err("unexpected end of JSON input".to_owned()),
        other => {
            let found = kind_of(other);
            return Err(format!(
                "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
            ));
        }
    };
    // What is no version makes the kind unknown, too.
    let is_version = api_version(object).matches('/').count() <= 1;
    if text(object, "kind").is_empty() || !is_version {
        let shown = String::from_utf8_lossy(&codec::json::to_vec(converted)).into_owned();
        return Err(format!("Object 'Kind' is missing in '{shown}'"));
    }
    Ok(object.clone())
}

/// Puts the original's metadata in the place of those of an object that was converted, but for its labels and annotations.
fn restore(original: &Object, mut object: Object) -> Result<Object, String> {
    let own = match object.shift_remove("metadata") {
        None => return Err("missing metadata in converted object".to_owned()),
        Some(Value::Object(own)) => own,
        Some(other) => {
            return Err(format!("invalid metadata of type {} in converted object", type_name(&other)));
        }
    };
    let mut metadata = match original.get("metadata") {
        Some(Value::Object(metadata)) => metadata.clone(),
        None => Object::new(),
        Some(other) => return Err(format!("invalid metadata of type {} in input object", type_name(other))),
    };
    for key in ["labels", "annotations"] {
        let texts = match own.get(key) {
            None | Some(Value::Null) => {
                metadata.shift_remove(key);
                continue;
            }
            Some(Value::Object(texts)) => texts,
            Some(other) => {
                let found = type_name(other);
                return Err(format!("invalid metadata.{key} of type {found} in converted object"));
            }
        };
        check_texts(key, texts, metadata.get(key))?;
        metadata.insert(key.to_owned(), Value::Object(texts.clone()));
    }
    object.insert("metadata".to_owned(), Value::Object(metadata));
    Ok(object)
}

/// Checks labels or annotations that a webhook has set. Those that were there before need not be valid.
fn check_texts(key: &str, texts: &Map<String, Value>, before: Option<&Value>) -> Result<(), String> {
    if let Some((name, other)) = texts.iter().find(|(_, text)| !text.is_string()) {
        let found = type_name(other);
        return Err(format!("metadata.{key}[{name}] must be a string, but is {found} in converted object"));
    }
    let empty = json!({});
    let before = before.unwrap_or(&empty).as_object();
    let same = |before: &Map<String, Value>| {
        before.len() == texts.len() && texts.iter().all(|(name, text)| before.get(name) == Some(text))
    };
    if before.is_some_and(same) {
        return Ok(());
    }
    let errors = match key {
        "labels" => metadata::labels(texts, &Path::new("metadata").child("labels")),
        _ => metadata::annotations(texts, &Path::new("metadata").child("annotation")),
    };
    if errors.is_empty() { Ok(()) } else { Err(field::aggregate(&errors)) }
}

fn text<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn nested<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(key)).and_then(Value::as_str).unwrap_or_default()
}
