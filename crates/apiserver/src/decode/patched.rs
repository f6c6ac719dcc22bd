//! Decoding of patched objects: the result of a patch becomes an object again.

use json_tree::Value;
use kinds::conversion;
use patch::strategic;
use schema::{DecodeError, Decoded, Node, TypeId, Types};

use super::{Known, Patched, SCHEME, custom_object, group_version, internal_package, known_kind};
use crate::format::type_meta;
use crate::resource::{self, Resource};
use apimachinery::object::{Object, note_reset};
use kinds::defaults;

/// Decodes a patched document. It may have become an object of another version of the kind.
///
/// # Errors
/// Why it is no such object, in kube-apiserver's words.
pub(crate) fn patched(resource: &Resource, document: &Node<'_>) -> Result<Patched, String> {
    if let Some(custom) = resource.custom() {
        return custom_object::patched(custom, document);
    }
    let unreadable = |error: &str| format!("couldn't get version/kind; json parse error: {error}");
    let (api_version, kind) = type_meta(document).map_err(|error| unreadable(&error))?;
    let kind = if kind.is_empty() { resource.kind.as_str() } else { &kind };
    let own = [&resource.group, "/"].concat();
    let (group, version) = group_version(&api_version, &own)?;
    if version.is_empty() && group == resource.group {
        return Ok(unversioned(resource, document));
    }
    if version.is_empty() {
        let mut text = Vec::new();
        codec::json::write_node(document, &mut text);
        return Err(["Object 'apiVersion' is missing in '", &String::from_utf8_lossy(&text), "'"].concat());
    }
    let known = known_kind(group, version, kind);
    if known == Known::Not {
        return Err(format!(
            "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"{SCHEME}\""
        ));
    }
    let fits = |row: &&Resource| row.group == group && row.version == version && row.kind == kind;
    let row = Some(resource).filter(fits);
    let row = row.or_else(|| resource::built_in().iter().map(AsRef::as_ref).find(fits));
    // Go converts the kinds of versions that are not served, whose fields are the same.
    let unserved = matches!(known, Known::Unserved(_)) && kind == resource.kind;
    let (row, group) = if unserved { (Some(resource), resource.group.as_str()) } else { (row, group) };
    let decoded = row.and_then(|row| row.ty().map(|ty| (row, ty)));
    let decoded = decoded.map(|(row, ty)| {
        let mut decoded = finished(row, schema::decode(Types::builtin(), ty, document), document)?;
        conversion::read_number(row, &mut decoded.object)?;
        Ok::<_, String>(decoded)
    });
    let decoded = decoded.transpose()?;
    match decoded {
        Some(decoded) if kind == resource.kind && group == resource.group => Ok(decoded),
        _ => Err(format!(
            "converting ({version}.{kind}) to ({}.{}): unknown conversion",
            internal_package(&resource.group),
            resource.kind
        )),
    }
}

/// The reason why what was merged is no object.
pub(crate) enum Unusable {
    /// A field cannot take its value, in the words of Go's decoder.
    Undecodable(String),
    /// It has no form inside kube-apiserver.
    Unconvertible(String),
}

/// Decodes what a merge made of an object: its kind and version cannot have changed.
///
/// # Errors
/// See [`Unusable`].
pub(crate) fn merged(resource: &Resource, ty: TypeId, document: &Value) -> Result<Patched, Unusable> {
    let document = node(document);
    let decoded = finished(resource, schema::convert(Types::builtin(), ty, &document), &document);
    let mut decoded = decoded.map_err(|error| Unusable::Undecodable(restore(&error)))?;
    conversion::read_number(resource, &mut decoded.object).map_err(Unusable::Unconvertible)?;
    schema::sort_by(&mut decoded.strict, Ord::cmp);
    Ok(decoded)
}

/// Decodes what applying a configuration made of an object, into the storage version. Nothing in it is unknown.
///
/// # Errors
/// See [`Unusable`].
pub(crate) fn configured(resource: &Resource, merged: Value) -> Result<Object, Unusable> {
    if let Some(custom) = resource.custom() {
        return custom_object::configured(custom, merged).map_err(Unusable::Undecodable);
    }
    let untyped = || Unusable::Undecodable(["no type describes ", &resource.kind].concat());
    let ty = resource.ty().ok_or_else(untyped)?;
    let document = strategic::convert(Types::builtin(), ty, merged);
    let document = document.map_err(|error| Unusable::Undecodable(error.to_string()))?;
    Ok(self::merged(resource, ty, &document)?.object)
}

/// An error of decoding, as Go's conversion from an untyped tree words it.
fn restore(error: &str) -> String {
    if error.starts_with("illegal base64 data") {
        format!("error decoding from json: {error}")
    } else {
        error.to_owned()
    }
}

/// Returns what was decoded of a document as an object in its storage version.
fn finished(
    resource: &Resource,
    decoded: Result<Decoded, DecodeError>,
    document: &Node<'_>,
) -> Result<Patched, String> {
    let mut decoded = decoded.map_err(|error| error.to_string())?;
    note_reset(document, &mut decoded.value);
    if let Some(ty) = resource.ty() {
        defaults::apply(Types::builtin(), ty, &mut decoded.value);
    }
    let mut object = match decoded.value {
        Value::Object(object) => object,
        _ => Object::new(),
    };
    conversion::to_storage(resource, &mut object);
    Ok(Patched { object, strict: decoded.strict.iter().map(ToString::to_string).collect() })
}

/// Without a version, Go decodes into its internal type, whose fields have no names in JSON: none is known.
fn unversioned(resource: &Resource, document: &Node<'_>) -> Patched {
    let entries = match document {
        Node::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    let strict = entries
        .iter()
        .filter(|(key, _)| !matches!(key.as_ref(), "kind" | "apiVersion"))
        .map(|(key, _)| format!("unknown field \"{key}\""))
        .collect();
    let zero = resource.ty().map(|ty| schema::zero(Types::builtin(), ty));
    let object = match zero {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    };
    Patched { object, strict }
}

/// The value as a document.
fn node(value: &Value) -> Node<'_> {
    match value {
        Value::Null => Node::Null,
        Value::Bool(bool) => Node::Bool(*bool),
        // A float as Go writes it.
        Value::Number(number) if number.is_f64() => {
            Node::Number(String::from_utf8_lossy(&codec::json::to_vec(value)).into_owned().into())
        }
        Value::Number(number) => Node::Number(number.to_string().into()),
        Value::String(text) => Node::String(text.as_str().into()),
        Value::Array(items) => Node::List(items.iter().map(node).collect()),
        Value::Object(entries) => {
            Node::Map(entries.iter().map(|(key, value)| (key.as_str().into(), node(value))).collect())
        }
    }
}
