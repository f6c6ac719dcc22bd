//! The questions that a server asks whose media types are elsewhere, and their answers.
//!
//! A question is a line of words, of which the first says what it is. It comes with bytes.
//!
//! | question | bytes | answer |
//! | --- | --- | --- |
//! | `encode MEDIA_TYPE SHAPE` | a document as JSON | the document |
//! | `type-meta MEDIA_TYPE` | a document | JSON: `[apiVersion, kind]` |
//! | `typed MEDIA_TYPE PACKAGE NAME` | a document | JSON: the object of that type, and what is wrong with it |
//! | `untyped MEDIA_TYPE` | a document | JSON: the object, and what is wrong with it |
//! | `shown MEDIA_TYPE` | a document | JSON: how errors show it |
//! | `configuration MEDIA_TYPE` | a configuration | JSON: object, duplicate keys, the strict error |
//! | `table OPTIONS`, `table-of-list OPTIONS` | JSON: an object; metadata and items | JSON: the table |
//! | `table-of-custom OPTIONS`, `table-of-custom-scale OPTIONS` | JSON: columns, items and metadata; a scale | JSON: the table |
//! | `openapi DOCUMENT` | JSON: the custom resources | the document |
//! | `event CONTENT_TYPE` | an event of a watch | the event as JSON |
//! | `json CONTENT_TYPE` | a document | the document as JSON |
//! | `explain CONTENT_TYPE` | a document, or events of a watch | JSON: what each of the bytes is |
//! | `validate RESOURCE SCOPE GROUP` | JSON: `new`, `question` or `part`, the subresource, the object, what it was | JSON: of each error its kind, field, detail, and value if there is one; the warnings |
//! | `custom DIGEST` | the same; what the definition says, if `null` was the answer without | the same, or `null` |
//! | `pod-security LEVEL MINOR` | JSON: metadata and spec of a pod | JSON: of each violation the reason and the detail |
//! | `strategic PACKAGE NAME` | JSON: an object of that type, a patch | JSON: what became of it, the object or an error, the patch |
//! | `policy` | JSON: a request, and a policy that it concerns | JSON: what the policy says of it |
//! | `body MEDIA_TYPE` | an object as JSON or YAML, or bytes in hexadecimal digits | the object in that media type |

use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use codec::{cbor, protobuf};
use json_tree::{Value, json};
use schema::{Resource, TypeId, Types};

use crate::admission::pod_security;
use crate::custom;
use crate::document::{DISCOVERY, Document, META, Shape};
use crate::format::{Format, Formats, strategic};
use crate::openapi::{self, Custom};
use crate::partial::MetaVersion;
use crate::policy::evaluate::judge;
use crate::present;
use crate::storage::Object;
use crate::table::{self, IncludeObject};
use crate::validation;

/// Answers a question of [`Elsewhere`](crate::Elsewhere), or one of those that only show what there is: `event`, `json`,
/// `explain`, and `body`.
///
/// # Errors
/// kube-apiserver's text for what cannot be read or written.
pub fn answer(question: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut words = question.split_ascii_whitespace();
    let what = words.next().unwrap_or_default();
    if what == "openapi" {
        let document = question.split_once(' ').map_or("", |(_, document)| document);
        let customs = value(bytes)?;
        let customs = customs.as_array().into_iter().flatten().cloned();
        let customs: Option<Vec<Custom>> = customs.map(Custom::from_value).collect();
        return openapi::build(document, &customs.ok_or_else(|| unknown(question))?);
    }
    if what.starts_with("table") {
        let objects = value(bytes)?;
        let options = table_options(&mut words).ok_or_else(|| unknown(question))?;
        if what == "table-of-custom" {
            let [columns, items, metadata] = [&objects[0], &objects[1], &objects[2]];
            let columns = columns.as_array().map_or(&[][..], Vec::as_slice);
            let items = items.as_array().into_iter().flatten().cloned().map(object).collect();
            return Ok(codec::json::to_vec(&custom::table(columns, items, metadata, &options)));
        }
        if what == "table-of-custom-scale" {
            return Ok(codec::json::to_vec(&custom::scale_table(&objects, &options)));
        }
        let resource = table_of(&mut words).ok_or_else(|| unknown(question))?;
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
    if ["validate", "custom", "pod-security", "policy", "strategic"].contains(&what) {
        let asked = validation::elsewhere::of_json(bytes)?;
        let answer = match what {
            "custom" => custom::elsewhere::answer(words.next().unwrap_or_default(), &asked),
            "policy" => Some(judge(&asked)),
            "pod-security" => pod_security::elsewhere::answer(words, &asked),
            "strategic" => type_of(&mut words).map(|ty| strategic::answer(ty, asked)),
            _ => validation::elsewhere::answer(words, &asked),
        };
        return Ok(validation::elsewhere::to_json(&answer.ok_or_else(|| unknown(question))?));
    }
    let media_type = words.next().unwrap_or_default();
    match what {
        "event" => return event(media_type, bytes),
        "json" => return to_json(media_type, bytes),
        "explain" => return Ok(explain(media_type, bytes)),
        "body" => return body(media_type, bytes),
        _ => {}
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
        "untyped" => {
            let (value, strict) = (format.parse)(bytes)?.untyped()?;
            Ok(codec::json::to_vec(&json!([value, strict])))
        }
        "shown" => Ok(codec::json::to_vec(&json!((format.parse)(bytes)?.shown()))),
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

fn table_options(words: &mut SplitAsciiWhitespace<'_>) -> Option<table::Options> {
    let version = MetaVersion::parse(words.next()?)?;
    let include_object = IncludeObject::parse(words.next()?).ok()?;
    let no_headers = words.next()? == "no-headers";
    let now = Duration::from_nanos(words.next()?.parse().ok()?);
    Some(table::Options { version, include_object, no_headers, now })
}

fn table_of(words: &mut SplitAsciiWhitespace<'_>) -> Option<Resource> {
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
    Some(resource)
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

/// A document as JSON.
fn to_json(content_type: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    if is_protobuf(content_type) {
        return from_protobuf(bytes);
    }
    let format = Formats::ALL.find(content_type).ok_or_else(|| unknown(content_type))?;
    let read = format.configuration.ok_or_else(|| unknown(content_type))?;
    Ok(codec::json::to_vec(&Value::Object(read(bytes)?.object)))
}

fn is_protobuf(content_type: &str) -> bool {
    content_type.starts_with("application/vnd.kubernetes.protobuf")
}

/// What each of the bytes is: a list of lists of where it begins, where it ends, how many ranges are around it, of
/// which sort it is, the JSON pointer to what it belongs to, a sentence, and what to call it.
fn explain(content_type: &str, bytes: &[u8]) -> Vec<u8> {
    let ranges = if is_protobuf(content_type) {
        protobuf::explain(Types::builtin(), bytes, content_type.contains("stream=watch"))
    } else if content_type.starts_with("application/cbor") {
        cbor::explain(bytes, content_type.starts_with("application/cbor-seq"))
    } else {
        Vec::new()
    };
    let row = |range: codec::explain::Range| {
        let codec::explain::Range { start, end, depth, kind, what, label, path } = range;
        json!([start, end, depth, kind.name(), path, what, label])
    };
    codec::json::to_vec(&Value::Array(ranges.into_iter().map(row).collect()))
}

/// What was typed, in the media type that a body is to be sent in.
fn body(media_type: &str, typed: &[u8]) -> Result<Vec<u8>, String> {
    if let Some(bytes) = hexadecimal(typed) {
        return Ok(bytes);
    }
    let object = match value(typed) {
        Ok(value) => value,
        Err(_) => value(&to_json("application/yaml", typed)?)?,
    };
    let text = |key: &str| object[key].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let rows = || schema::resources().iter().filter(|row| row.api_version() == api_version);
    let known = rows().find(|row| row.kind == kind).and_then(|row| row.ty);
    let types = Types::builtin();
    // What has no resource of its own, as scales, and what belongs to all versions, as the options of a DELETE.
    let package = rows().find_map(|row| row.ty).map(|ty| types.get(ty).package.as_str());
    let known = known
        .or_else(|| types.find(package?, kind))
        .or_else(|| types.find(META, kind).filter(|_| !kind.is_empty()));
    let shape = known.map_or(Shape::Untyped, Shape::Object);
    if media_type.ends_with("cbor") {
        let format = Formats::ALL.find("application/cbor").ok_or_else(|| unknown(media_type))?;
        let document = Document { json: codec::json::to_vec(&object), shape };
        return (format.encode)(&document).map(std::borrow::Cow::into_owned);
    }
    let format = Formats::ALL.find(media_type).ok_or_else(|| unknown(media_type))?;
    let Some(ty) = known else {
        let kind = if kind.is_empty() { "an object without a kind" } else { kind };
        return Err(["there are no fields with numbers, as Protobuf needs them, for ", kind].concat());
    };
    let json = codec::json::to_vec(&object);
    let typed = (Formats::ALL.all[0].parse)(&json)?.typed(types, ty)?.0;
    let json = present::typed(kind, api_version, &codec::json::to_vec(&typed));
    (format.encode)(&Document { json, shape }).map(std::borrow::Cow::into_owned)
}

/// The bytes that were typed as pairs of hexadecimal digits.
fn hexadecimal(typed: &[u8]) -> Option<Vec<u8>> {
    let digits = typed.iter().filter(|byte| !byte.is_ascii_whitespace());
    let digits: Vec<u8> =
        digits.map(|byte| char::from(*byte).to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    (!pairs.is_empty()).then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

/// The JSON of a document in Protobuf.
fn from_protobuf(document: &[u8]) -> Result<Vec<u8>, String> {
    let types = Types::builtin();
    let envelope = protobuf::open(document).map_err(|error| error.to_string())?;
    let (api_version, kind) = (&*envelope.api_version, &*envelope.kind);
    let mut rows = schema::resources().iter();
    let list = rows.find(|row| row.list_kind == kind && row.api_version() == api_version);
    let value = if kind == "PartialObjectMetadataList" {
        from_list(protobuf::Shape::Metadata, envelope.raw)
    } else if let Some(ty) = list.and_then(|row| row.ty) {
        from_list(protobuf::Shape::Object(ty), envelope.raw)
    } else {
        let row = schema::resources().iter().find(|row| row.kind == kind && row.api_version() == api_version);
        let ty = row.and_then(|row| row.ty);
        let ty = ty.or_else(|| types.find(META, kind)).or_else(|| types.find(DISCOVERY, kind));
        // Of a PartialObjectMetadata the metadata alone has a type.
        let shape = ty.map_or(protobuf::Shape::Metadata, protobuf::Shape::Object);
        protobuf::decode(types, shape, envelope.raw)
    };
    let value = value.map_err(|error| error.to_string())?;
    Ok(present::typed(kind, api_version, &codec::json::to_vec(&value)))
}

/// A list in Protobuf, whose objects are of this shape.
fn from_list(shape: protobuf::Shape, message: &[u8]) -> Result<Value, protobuf::Error> {
    let (metadata, items) = protobuf::decode_list(Types::builtin(), shape, message)?;
    Ok(json!({ "metadata": metadata, "items": items }))
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

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG_MAP: &str =
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}"#;
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

    fn ask(question: &str, bytes: &[u8]) -> Result<String, String> {
        answer(question, bytes).map(|answer| String::from_utf8_lossy(&answer).into_owned())
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[track_caller]
    fn check_body(media_type: &str, typed: &str, expected: Result<&str, &str>) {
        let body = answer(&format!("body {media_type}"), typed.as_bytes());
        let body = body.map(|body| hex(&body));
        assert_eq!(body, expected.map(str::to_owned).map_err(str::to_owned), "{typed}");
    }

    #[test]
    fn bodies_that_cannot_be_typed_are_made_of_those_that_can() {
        let cbor = "d9d9f7a1446b696e6443466f6f";
        check_body("application/cbor", r#"{"kind":"Foo"}"#, Ok(cbor));
        check_body("application/cbor", "kind: Foo\n", Ok(cbor));
        check_body("application/apply-patch+cbor", r#"{"kind":"Foo"}"#, Ok(cbor));
        check_body("application/cbor", "D9 d9 f7\na0", Ok("d9d9f7a0"));
        let secret = r#"{"apiVersion":"v1","kind":"Secret","data":{"k":"aGk="}}"#;
        let tagged = "d9d9f7a34a61706956657273696f6e427631446b696e6446536563726574446461746 1a1416bd6426869"
            .replace(' ', "");
        check_body("application/cbor", secret, Ok(&tagged));
        check_body(
            PROTOBUF,
            r#"{"kind":"Foo","apiVersion":"v1"}"#,
            Err("there are no fields with numbers, as Protobuf needs them, for Foo"),
        );
        check_body(
            PROTOBUF,
            r#"{"kind":"ConfigMap","apiVersion":"v1","data":{"k":1}}"#,
            Err("json: cannot unmarshal number into Go struct field ConfigMap.data of type string"),
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        for media_type in ["application/cbor", PROTOBUF, "application/yaml"] {
            let written = match media_type {
                "application/yaml" => CONFIG_MAP.as_bytes().to_vec(),
                _ => answer(&format!("body {media_type}"), CONFIG_MAP.as_bytes()).unwrap(),
            };
            let read: Value =
                serde_json::from_str(&ask(&format!("json {media_type}"), &written).unwrap()).unwrap();
            assert_eq!(
                (&read["kind"], &read["metadata"]["name"], &read["data"]["k"]),
                (&json!("ConfigMap"), &json!("a"), &json!("v")),
                "{media_type}"
            );
        }
        let scale = r#"{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":3}}"#;
        assert!(answer(&format!("body {PROTOBUF}"), scale.as_bytes()).is_ok());
        let options = r#"{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}"#;
        assert!(answer(&format!("body {PROTOBUF}"), options.as_bytes()).is_ok());
    }

    #[test]
    fn lists_in_protobuf_are_read() {
        let list = format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"7"}},"items":[{CONFIG_MAP}]}}"#
        );
        let whole =
            answer(&format!("encode {PROTOBUF} list k8s.io/api/core/v1 ConfigMap"), list.as_bytes()).unwrap();
        let read = ask(&format!("json {PROTOBUF}"), &whole).unwrap();
        assert!(read.starts_with(r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}"#), "{read}");
        let partial = list
            .replace("ConfigMapList", "PartialObjectMetadataList")
            .replace("\"v1\",\"metadata\":{\"res", "\"meta.k8s.io/v1\",\"metadata\":{\"res");
        let partial = answer(&format!("encode {PROTOBUF} metadata-list"), partial.as_bytes()).unwrap();
        let read: Value = serde_json::from_str(&ask(&format!("json {PROTOBUF}"), &partial).unwrap()).unwrap();
        assert_eq!(read["items"][0]["metadata"]["name"], "a");
    }

    #[test]
    fn explains_what_it_has_written() {
        let written = answer(&format!("body {PROTOBUF}"), CONFIG_MAP.as_bytes()).unwrap();
        let told = ask(&format!("explain {PROTOBUF}"), &written).unwrap();
        assert!(told.starts_with(r#"[[0,4,0,"magic","","magic: "#), "{told}");
        assert!(told.contains(r#""text","/data/k","text \"v\"","""#), "{told}");
        assert_eq!(ask("explain application/json", b"{}"), Ok("[]".to_owned()));
        assert_eq!(ask("explain application/cbor-seq", b""), Ok("[]".to_owned()));
    }
}
