//! Documents in one media type as documents in another, and the meaning of their bytes.

use codec::explain::Range;
use codec::{cbor, protobuf};
use json_tree::{Value, json};
use schema::Types;

use crate::context::Formats;
use crate::document::{DISCOVERY, Document, META, Shape};
use crate::format::MediaTypes;
use crate::present;
use crate::resource;

/// Reads an event of a watch, and returns the line of JSON that it would be.
///
/// # Errors
/// The frame is no event of this media type: the codec's text.
pub fn event_to_json(content_type: &str, frame: &[u8]) -> Result<Vec<u8>, String> {
    let (kind, object) = if content_type.starts_with("application/cbor") {
        let node = cbor::parse(frame).map_err(|error| error.to_string())?;
        let event = codec::json::to_value(&node).map_err(|error| error.to_string())?;
        (event["type"].as_str().unwrap_or_default().to_owned(), codec::json::to_vec(&event["object"]))
    } else {
        let (kind, object) = protobuf::unframe(frame).map_err(|error| error.to_string())?;
        (kind.into_owned(), from_protobuf(object)?)
    };
    Ok((MediaTypes::JSON.all[0].event)(&kind, &object))
}

/// Reads a document, and returns it as JSON.
///
/// # Errors
/// kube-apiserver's text for what cannot be read.
pub fn to_json(formats: Formats, content_type: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    if is_protobuf(content_type) {
        return from_protobuf(bytes);
    }
    let format = formats.media_types.find(content_type).ok_or_else(|| unknown(content_type))?;
    let read = format.configuration.ok_or_else(|| unknown(content_type))?;
    Ok(codec::json::to_vec(&Value::Object(read(bytes)?.object)))
}

fn is_protobuf(content_type: &str) -> bool {
    content_type.starts_with("application/vnd.kubernetes.protobuf")
}

/// Finds out the meaning of each of the bytes of a document, or of the events of a watch. Nothing is known of JSON and YAML.
pub fn explain(content_type: &str, bytes: &[u8]) -> Vec<Range> {
    if is_protobuf(content_type) {
        protobuf::explain(Types::builtin(), bytes, content_type.contains("stream=watch"))
    } else if content_type.starts_with("application/cbor") {
        cbor::explain(bytes, content_type.starts_with("application/cbor-seq"))
    } else {
        Vec::new()
    }
}

/// Writes what was typed as JSON, YAML or hexadecimal digits in the media type that a body is to be sent in.
///
/// # Errors
/// The text cannot be read, or the media type has no such document.
pub fn encode(formats: Formats, media_type: &str, typed: &[u8]) -> Result<Vec<u8>, String> {
    if let Some(bytes) = hexadecimal(typed) {
        return Ok(bytes);
    }
    let object = match read_value(typed) {
        Ok(value) => value,
        Err(_) => read_value(&to_json(formats, "application/yaml", typed)?)?,
    };
    let text = |key: &str| object[key].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let rows = || resource::built_in().iter().filter(|row| row.api_version() == api_version);
    let known = rows().find(|row| row.kind == kind).and_then(|row| row.ty());
    let types = Types::builtin();
    // What has no resource of its own, as scales, and what belongs to all versions, as the options of a DELETE.
    let package = rows().find_map(|row| row.ty()).map(|ty| types.get(ty).package.as_str());
    let known = known
        .or_else(|| types.find(package?, kind))
        .or_else(|| types.find(META, kind).filter(|_| !kind.is_empty()));
    let shape = known.map_or(Shape::Untyped, Shape::Object);
    if media_type.ends_with("cbor") {
        let format = formats.media_types.find("application/cbor").ok_or_else(|| unknown(media_type))?;
        let document = Document { json: codec::json::to_vec(&object), shape };
        return (format.encode)(&document).map(std::borrow::Cow::into_owned);
    }
    let format = formats.media_types.find(media_type).ok_or_else(|| unknown(media_type))?;
    let Some(ty) = known else {
        let kind = if kind.is_empty() { "an object without a kind" } else { kind };
        return Err(["there are no fields with numbers, as Protobuf needs them, for ", kind].concat());
    };
    let json = codec::json::to_vec(&object);
    let typed = (formats.media_types.all[0].parse)(&json)?.typed(types, ty)?.0;
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
    let mut rows = resource::built_in().iter();
    let list = rows.find(|row| row.list_kind == kind && row.api_version() == api_version);
    let value = if kind == "PartialObjectMetadataList" {
        from_list(protobuf::Shape::Metadata, envelope.raw)
    } else if let Some(ty) = list.and_then(|row| row.ty()) {
        from_list(protobuf::Shape::Object(ty), envelope.raw)
    } else {
        let row =
            resource::built_in().iter().find(|row| row.kind == kind && row.api_version() == api_version);
        let ty = row.and_then(|row| row.ty());
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

fn unknown(content_type: &str) -> String {
    ["nothing is known of ", content_type].concat()
}

fn read_value(json: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG_MAP: &str =
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}}"#;
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

    fn json_of(media_type: &str, bytes: &[u8]) -> String {
        String::from_utf8_lossy(&to_json(Formats::ALL, media_type, bytes).unwrap()).into_owned()
    }

    /// A list of ConfigMaps as a server writes it.
    fn protobuf_of(list: &str, shape: Shape) -> Vec<u8> {
        let format = MediaTypes::ALL.find(PROTOBUF).unwrap();
        (format.encode)(&Document { json: list.as_bytes().to_vec(), shape }).unwrap().into_owned()
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[track_caller]
    fn check_body(media_type: &str, typed: &str, expected: Result<&str, &str>) {
        let body = encode(Formats::ALL, media_type, typed.as_bytes());
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
                _ => encode(Formats::ALL, media_type, CONFIG_MAP.as_bytes()).unwrap(),
            };
            let read: Value = serde_json::from_str(&json_of(media_type, &written)).unwrap();
            assert_eq!(
                (&read["kind"], &read["metadata"]["name"], &read["data"]["k"]),
                (&json!("ConfigMap"), &json!("a"), &json!("v")),
                "{media_type}"
            );
        }
        let scale = r#"{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":3}}"#;
        assert!(encode(Formats::ALL, PROTOBUF, scale.as_bytes()).is_ok());
        let options = r#"{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}"#;
        assert!(encode(Formats::ALL, PROTOBUF, options.as_bytes()).is_ok());
    }

    #[test]
    fn lists_in_protobuf_are_read() {
        let list = format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"7"}},"items":[{CONFIG_MAP}]}}"#
        );
        let config_map = Types::builtin().find("k8s.io/api/core/v1", "ConfigMap").unwrap();
        let read = json_of(PROTOBUF, &protobuf_of(&list, Shape::List(config_map)));
        assert!(read.starts_with(r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}"#), "{read}");
        let partial = list
            .replace("ConfigMapList", "PartialObjectMetadataList")
            .replace("\"v1\",\"metadata\":{\"res", "\"meta.k8s.io/v1\",\"metadata\":{\"res");
        let partial = protobuf_of(&partial, Shape::MetadataList);
        let read: Value = serde_json::from_str(&json_of(PROTOBUF, &partial)).unwrap();
        assert_eq!(read["items"][0]["metadata"]["name"], "a");
    }

    #[test]
    fn explains_what_it_has_written() {
        let written = encode(Formats::ALL, PROTOBUF, CONFIG_MAP.as_bytes()).unwrap();
        let told = explain(PROTOBUF, &written);
        let first = &told[0];
        assert_eq!((first.start, first.end, first.depth, first.kind.name()), (0, 4, 0, "magic"));
        let text = told.iter().rfind(|range| range.path == "/data/k" && range.kind.name() == "text");
        assert_eq!(text.map(|range| range.what.as_str()), Some("text \"v\""));
        assert!(
            explain("application/json", b"{}").is_empty() && explain("application/cbor-seq", b"").is_empty()
        );
    }
}
