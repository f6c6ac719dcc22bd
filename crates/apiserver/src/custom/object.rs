//! Custom objects: trees whose keys are in the order of the alphabet, with `apiVersion` and `kind` among them. What the
//! schema does not know is pruned, what is missing gets its default.
//!
//! Handlers see an object in the version of the request. It is stored in the definition's storage version, and read as
//! whatever version it was stored in, by the schema that this version has now.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning>,
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/>

use std::borrow::Cow;

use json_tree::Value;
use schema::Resource;
use structural::{Malformed, Structural, coerce_metadata, coerce_object_meta, drop_nulls, prune};

use super::{Custom, Definition};
use apimachinery::object;
use apimachinery::object::{
    METADATA_ORDER, Object, as_value, metadata_mut, set_in_order, set_managed_fields, sort,
};

/// Brings an object that was sent, or that a patch made, into the form that its schema wants: pruned, and with defaults.
/// Gives what was unknown in it. One of another kind stays as it is: that is refused later.
///
/// # Errors
/// Why it cannot be read, in kube-apiserver's words.
pub(crate) fn coerce(custom: &Custom, object: &mut Object) -> Result<Vec<String>, String> {
    let reset = object::metadata(object, "managedFields");
    let reset = reset.and_then(Value::as_array).is_some_and(Vec::is_empty);
    let mut unknown = coerce_object_meta(object, Malformed::Refuse)?;
    if let Some(schema) = schema_of(&custom.definition, object) {
        let paths = as_value(object, |object| shape(object, schema, Malformed::Refuse))?;
        unknown.extend(paths);
        as_value(object, |object| structural::default(object, schema));
    }
    if reset {
        // It is to lose all entries, and empty lists are not kept.
        set_managed_fields(object, Some(json_tree::json!([{}])));
    }
    Ok(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")).collect())
}

/// Fills in the defaults alone. Those of the storage version are filled in when an object is stored, and not each time that it is read.
pub(crate) fn fill(definition: &Definition, object: &mut Object) {
    if let Some(schema) = schema_of(definition, object) {
        as_value(object, |object| structural::default(object, schema));
    }
}

/// Prunes an object, and gives what was unknown in it.
fn shape(object: &mut Value, schema: &Structural, malformed: Malformed) -> Result<Vec<String>, String> {
    let mut unknown = prune(object, schema, true);
    drop_nulls(object, schema);
    unknown.extend(coerce_metadata(object, schema, malformed).map_err(|error| error.to_string())?);
    Ok(unknown)
}

/// The schema by which an object is read, if it is of the definition's kind.
fn schema_of<'a>(definition: &'a Definition, object: &Object) -> Option<&'a Structural> {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let version = definition.at(text("apiVersion")).filter(|_| text("kind") == definition.names.kind);
    version.map(|version| &version.schema)
}

/// Brings an object that a webhook has converted into the form that its schema wants, without defaults.
///
/// # Errors
/// Why it cannot be read, in kube-apiserver's words.
pub(crate) fn settle(definition: &Definition, object: &mut Object) -> Result<(), String> {
    coerce_object_meta(object, Malformed::Refuse)?;
    let Some(schema) = schema_of(definition, object) else { return Ok(()) };
    as_value(object, |object| shape(object, schema, Malformed::Refuse)).map(drop)
}

/// An object in another version of its definition: only its `apiVersion` changes, and what that version does not know is
/// gone. `None`, if there is no such version.
fn convert(definition: &Definition, mut object: Object, api_version: &str) -> Option<Object> {
    let schema = &definition.at(api_version)?.schema;
    object.insert("apiVersion".to_owned(), api_version.into());
    as_value(&mut object, |object| {
        // What is dropped here was checked before.
        let _ = shape(object, schema, Malformed::Drop);
    });
    Some(object)
}

/// An object as it is stored.
pub(crate) fn to_storage(definition: &Definition, object: Object) -> Object {
    let version = definition.storage_api_version();
    if object.get("apiVersion").is_some_and(|own| *own == version) {
        return object;
    }
    let mut object = convert(definition, object.clone(), &version).unwrap_or(object);
    fill(definition, &mut object);
    object
}

/// Reports whether JSON in the version of a resource is as it is to be shown: no other schema was ever in force, or it has
/// been made so by whoever has webhooks convert objects.
fn is_ready(custom: &Custom, json: &[u8], own: &str) -> bool {
    is_in(json, own) && (custom.definition.since == 0 || custom.definition.webhook().is_some())
}

fn parse(json: &[u8]) -> Object {
    match serde_json::from_slice(json) {
        Ok(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

/// Reports whether JSON is of an object in this version.
pub(crate) fn is_in(json: &[u8], api_version: &str) -> bool {
    let rest =
        json.strip_prefix(b"{\"apiVersion\":\"").and_then(|rest| rest.strip_prefix(api_version.as_bytes()));
    rest.is_some_and(|rest| rest.first() == Some(&b'"'))
}

/// A stored object in the version of the resource.
pub(crate) fn tree(resource: &Resource, custom: &Custom, json: &[u8]) -> Object {
    let own = resource.api_version();
    if custom.definition.webhook().is_some() && is_in(json, &own) {
        return parse(json);
    }
    let mut object = read(custom, json);
    if object.get("apiVersion").is_none_or(|version| *version != own) {
        object = convert(&custom.definition, object.clone(), &own).unwrap_or(object);
    }
    sort(&mut object);
    object
}

/// A stored object in the version that it is stored in, as that is now.
pub(crate) fn read(custom: &Custom, json: &[u8]) -> Object {
    let mut object = parse(json);
    let definition = &custom.definition;
    // Metadata that cannot be read is left as it is.
    let _ = coerce_object_meta(&mut object, Malformed::Drop);
    if let Some(schema) = schema_of(definition, &object) {
        as_value(&mut object, |object| {
            let _ = shape(object, schema, Malformed::Drop);
            structural::default(object, schema);
        });
    }
    if object::metadata(&object, "generation").is_none() {
        set_in_order(metadata_mut(&mut object), "generation", 1.into(), METADATA_ORDER);
    }
    object
}

/// A stored object's JSON in the version of the resource. Nothing is copied where it is stored in that version, and no
/// other schema was ever in force. One that a webhook converts has been made ready before ([`tree`]).
pub(crate) fn from_storage<'a>(resource: &Resource, custom: &Custom, json: &'a [u8]) -> Cow<'a, [u8]> {
    let own = resource.api_version();
    if is_ready(custom, json, &own) {
        return Cow::Borrowed(json);
    }
    let mut out = Vec::with_capacity(json.len());
    codec::json::write_exact(&Value::Object(tree(resource, custom, json)), &mut out);
    Cow::Owned(out)
}

/// The fields, besides those of all objects, by which an object can be selected, and their values as text.
///
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#crd-selectable-fields>
pub(crate) fn selectable(definition: &Definition, object: &Object) -> Vec<(Cow<'static, str>, String)> {
    let mut fields: Vec<(Cow<'static, str>, String)> = Vec::new();
    for path in definition.versions.iter().flat_map(|version| &version.selectable) {
        if fields.iter().any(|(known, _)| known == path) {
            continue;
        }
        let mut keys = path.split('.');
        let first = keys.next().and_then(|key| object.get(key));
        let value = match keys.fold(first, |value, key| value?.get(key)) {
            Some(Value::String(text)) => text.clone(),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => {
                String::from_utf8_lossy(&codec::json::to_vec(value)).into_owned()
            }
            _ => String::new(),
        };
        fields.push((Cow::Owned(path.clone()), value));
    }
    fields
}
