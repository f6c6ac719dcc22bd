//! The questions that a server asks whose media types are elsewhere, and their answers.
//!
//! A question is a line of words, of which the first says what it is. It comes with bytes.
//!
//! | question | bytes | answer |
//! | --- | --- | --- |
//! | `encode MEDIA_TYPE SHAPE` | a document as JSON | the document |
//! | `type-meta MEDIA_TYPE` | a document | JSON: `[apiVersion, kind]` |
//! | `typed MEDIA_TYPE PACKAGE NAME` | a document | JSON: the object of that type, and what is wrong with it |
//! | `configuration MEDIA_TYPE` | a configuration | JSON: object, duplicate keys, the strict error |
//! | `table OPTIONS`, `table-of-list OPTIONS` | JSON: an object; metadata and items | JSON: the table |
//! | `event CONTENT_TYPE` | an event of a watch | the event as JSON |

use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use codec::{cbor, protobuf};
use schema::{Node, Resource, TypeId, Types};
use serde_json::{Value, json};

use crate::document::{Document, META, Shape};
use crate::format::{Format, Formats};
use crate::partial::MetaVersion;
use crate::present;
use crate::storage::Object;
use crate::table::{self, IncludeObject};

/// Answers a question of [`Elsewhere`](crate::Elsewhere), or to make JSON of an event: `event`, a space and the
/// `Content-Type` of the watch.
///
/// # Errors
/// kube-apiserver's text for what cannot be read or written.
pub fn answer(question: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut words = question.split_ascii_whitespace();
    let what = words.next().unwrap_or_default();
    if what.starts_with("table") {
        let objects = value(bytes)?;
        let (resource, options) = table_of(&mut words).ok_or_else(|| unknown(question))?;
        let table = match (what, objects) {
            ("table", Value::Object(object)) => table::of_object(&resource, object, &options),
            (_, mut list) => {
                let items = list[1].as_array_mut().map(std::mem::take).unwrap_or_default();
                let items = items.into_iter().map(object).collect();
                table::of_list(&resource, items, list[0].take(), &options)
            }
        };
        return Ok(codec::json::to_vec(&table));
    }
    let media_type = words.next().unwrap_or_default();
    if what == "event" {
        return event(media_type, bytes);
    }
    let format = Formats::ALL.find(media_type).ok_or_else(|| unknown(question))?;
    match what {
        "encode" => {
            let shape = shape_of(&mut words).ok_or_else(|| unknown(question))?;
            (format.encode)(&Document { json: bytes.to_vec(), shape }).map(std::borrow::Cow::into_owned)
        }
        "type-meta" => {
            let (api_version, kind) = (format.parse)(bytes)?.type_meta()?;
            Ok(codec::json::to_vec(&json!([api_version, kind])))
        }
        "typed" => typed(format, type_of(&mut words).ok_or_else(|| unknown(question))?, bytes),
        "configuration" => {
            let read = format.configuration.ok_or_else(|| unknown(question))?(bytes)?;
            Ok(codec::json::to_vec(&json!([read.object, read.duplicates, read.strict])))
        }
        _ => Err(unknown(question)),
    }
}

fn typed(format: &Format, ty: TypeId, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (value, strict) = (format.parse)(bytes)?.typed(Types::builtin(), ty)?;
    Ok(codec::json::to_vec(&json!([value, strict])))
}

fn unknown(question: &str) -> String {
    ["nothing is known of ", question].concat()
}

fn type_of(words: &mut SplitAsciiWhitespace<'_>) -> Option<TypeId> {
    Types::builtin().find(words.next()?, words.next()?)
}

fn shape_of(words: &mut SplitAsciiWhitespace<'_>) -> Option<Shape> {
    match words.next() {
        None => Some(Shape::Untyped),
        Some("object") => type_of(words).map(Shape::Object),
        Some("list") => type_of(words).map(Shape::List),
        Some("metadata") => Some(Shape::Metadata),
        Some("metadata-list") => Some(Shape::MetadataList),
        Some(_) => None,
    }
}

fn table_of(words: &mut SplitAsciiWhitespace<'_>) -> Option<(Resource, table::Options)> {
    let version = MetaVersion::parse(words.next()?)?;
    let include_object = IncludeObject::parse(words.next()?).ok()?;
    let no_headers = words.next()? == "no-headers";
    let now = Duration::from_nanos(words.next()?.parse().ok()?);
    let (api_version, name, kind) = (words.next()?, words.next()?, words.next()?);
    let (group, version_name) = api_version.split_once('/').unwrap_or(("", api_version));
    let rows = schema::resources();
    let served =
        rows.iter().find(|row| row.group == group && row.version == version_name && row.name == name);
    // What a subresource shows is no resource of its own. Only these four matter to a table.
    let row = served.or(rows.first())?;
    let resource = Resource {
        group: group.to_owned(),
        version: version_name.to_owned(),
        name: name.to_owned(),
        kind: kind.to_owned(),
        ..Resource::clone(row)
    };
    Some((resource, table::Options { version, include_object, no_headers, now }))
}

/// An event of a watch as the line of JSON that it would be.
fn event(content_type: &str, frame: &[u8]) -> Result<Vec<u8>, String> {
    let (kind, object) = if content_type.starts_with("application/cbor") {
        let node = cbor::parse(frame).map_err(|error| error.to_string())?;
        let event = codec::json::to_value(&node).map_err(|error| error.to_string())?;
        (event["type"].as_str().unwrap_or_default().to_owned(), codec::json::to_vec(&event["object"]))
    } else {
        let (kind, object) = protobuf::unframe(frame).map_err(|error| error.to_string())?;
        (kind.into_owned(), from_protobuf(object)?)
    };
    Ok((Formats::JSON.all[0].event)(&kind, &object))
}

/// The JSON of a document in Protobuf.
fn from_protobuf(document: &[u8]) -> Result<Vec<u8>, String> {
    let types = Types::builtin();
    let envelope = protobuf::open(document).map_err(|error| error.to_string())?;
    let (api_version, kind) = (&*envelope.api_version, &*envelope.kind);
    let row = schema::resources().iter().find(|row| row.kind == kind && row.api_version() == api_version);
    let ty = row.and_then(|row| row.ty).or_else(|| types.find(META, kind));
    let (shape, ty) = match (ty, types.find(META, "ObjectMeta")) {
        (Some(ty), _) => (protobuf::Shape::Object(ty), ty),
        (None, Some(metadata)) => (protobuf::Shape::Metadata, metadata),
        (None, None) => return Err(unknown(kind)),
    };
    let mut node = protobuf::parse(types, shape, envelope.raw).map_err(|error| error.to_string())?;
    // Of a PartialObjectMetadata the metadata alone has a type.
    let partial = shape == protobuf::Shape::Metadata;
    if let (true, Node::Map(entries)) = (partial, &mut node) {
        node = entries.pop().map_or(Node::Null, |(_, metadata)| metadata);
    }
    let decoded = schema::decode(types, ty, &node).map_err(|error| error.to_string())?.value;
    let value = if partial { json!({ "metadata": decoded }) } else { decoded };
    Ok(present::typed(kind, api_version, &codec::json::to_vec(&value)))
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

fn value(json: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}
