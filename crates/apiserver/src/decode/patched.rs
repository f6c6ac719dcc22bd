//! Decoding of patched objects: the result of a patch becomes an object again.

use json_tree::Value;
use schema::{Node, Resource, TypeId};

use super::{Known, Patched, SCHEME, group_version, internal_package, known_kind};
use crate::format::type_meta;
use crate::object::{Object, note_reset};
use crate::{convert, custom, defaults};

/// Decodes a patched document. It may have become an object of another version of the kind.
///
/// # Errors
/// Why it is no such object, in kube-apiserver's words.
pub(crate) fn patched(resource: &Resource, document: &Node<'_>) -> Result<Patched, String> {
    if let Some(custom) = custom::of(resource) {
        return super::custom_object::patched(custom, document);
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
    let row = row.or_else(|| schema::resources().iter().map(AsRef::as_ref).find(fits));
    // Go converts the kinds of versions that are not served, whose fields are the same.
    let unserved = matches!(known, Known::Unserved(_)) && kind == resource.kind;
    let (row, group) = if unserved { (Some(resource), resource.group.as_str()) } else { (row, group) };
    let decoded = row.and_then(|row| row.ty().map(|ty| (row, ty)));
    let decoded = decoded.map(|(row, ty)| {
        let mut decoded = decode(row, ty, document)?;
        convert::read_number(row, &mut decoded.object)?;
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
    let decoded = decode(resource, ty, &node(document));
    let mut decoded = decoded.map_err(|error| Unusable::Undecodable(restore(&error)))?;
    convert::read_number(resource, &mut decoded.object).map_err(Unusable::Unconvertible)?;
    schema::sort_by(&mut decoded.strict, Ord::cmp);
    Ok(decoded)
}

/// An error of decoding, as Go's conversion from an untyped tree words it.
fn restore(error: &str) -> String {
    if error.starts_with("illegal base64 data") {
        format!("error decoding from json: {error}")
    } else {
        error.to_owned()
    }
}

fn decode(resource: &Resource, ty: TypeId, document: &Node<'_>) -> Result<Patched, String> {
    let types = schema::Types::builtin();
    let mut decoded = schema::decode(types, ty, document).map_err(|error| error.to_string())?;
    note_reset(document, &mut decoded.value);
    defaults::apply(types, ty, &mut decoded.value);
    let mut object = match decoded.value {
        Value::Object(object) => object,
        _ => Object::new(),
    };
    convert::to_storage(resource, &mut object);
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
    let zero = resource.ty().map(|ty| schema::zero(schema::Types::builtin(), ty));
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
        Value::Number(number) => Node::Number(number.to_string().into()),
        Value::String(text) => Node::String(text.as_str().into()),
        Value::Array(items) => Node::List(items.iter().map(node).collect()),
        Value::Object(entries) => {
            Node::Map(entries.iter().map(|(key, value)| (key.as_str().into(), node(value))).collect())
        }
    }
}
