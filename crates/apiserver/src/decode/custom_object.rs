//! Bodies of requests to custom resources.

use json_tree::Value;
use schema::Node;

use super::{Patched, excerpt, warnings};
use crate::custom::{Custom, coerce, fill};
use crate::format::{Format, type_meta};
use crate::negotiate::PROTOBUF;
use crate::options::FieldValidation;
use crate::resource::Resource;
use apimachinery::object::Object;
use apimachinery::status::Status;

/// Decodes a body as an object, and gives the warnings that it earns. One of another kind is refused later.
pub(crate) fn object(
    resource: &Resource,
    custom: &Custom,
    format: &Format,
    body: &[u8],
    validation: FieldValidation,
) -> Result<(Object, Vec<String>), Box<Status>> {
    let unrecognized = |why: &str| {
        Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {why} ({})",
            resource.kind,
            excerpt(body)
        ))
    };
    if format.name == PROTOBUF {
        return Err(Status::bad_request(format!(
            "{} in version \"{}\" cannot be handled as a {}: Object 'Kind' is missing in 'object has no kind field '",
            resource.kind, resource.version, resource.kind
        )));
    }
    let content = (format.parse)(body).map_err(|why| unrecognized(&why))?;
    let (api_version, kind) = content.type_meta().map_err(|why| unrecognized(&why))?;
    let own = resource.api_version();
    let version = api_version.split_once('/').map_or(api_version.as_str(), |(_, version)| version);
    let unusable = |why: String| {
        Status::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {}: {why}",
            resource.kind
        ))
    };
    if kind.is_empty() {
        let shown = content.shown().unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
        return Err(unrecognized(&["Object 'Kind' is missing in '", &shown, "'"].concat()));
    }
    if api_version.matches('/').count() > 1 {
        return Err(unrecognized(&["unexpected GroupVersion string: ", &api_version].concat()));
    }
    let (value, mut strict) = content.untyped().map_err(unusable)?;
    let mut object = map(value);
    let unknown = coerce(custom, &mut object).map_err(unusable)?;
    // Nobody looks for unknown fields in CBOR.
    if format.name != "application/cbor" {
        strict.extend(unknown);
    }
    if validation == FieldValidation::Strict && !strict.is_empty() {
        return Err(unusable(["strict decoding error: ", &strict.join(", ")].concat()));
    }
    if api_version != own {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({own})"
        )));
    }
    let told = if validation == FieldValidation::Warn { warnings(strict) } else { Vec::new() };
    Ok((object, told))
}

/// Decodes a patched document.
///
/// # Errors
/// Why it is no object, in kube-apiserver's words.
pub(crate) fn patched(custom: &Custom, document: &Node<'_>) -> Result<Patched, String> {
    let unreadable = |error: &str| format!("couldn't get version/kind; json parse error: {error}");
    let (_, kind) = type_meta(document).map_err(|error| unreadable(&error))?;
    if kind.is_empty() {
        let mut text = Vec::new();
        codec::json::write_node(document, &mut text);
        return Err(["Object 'Kind' is missing in '", &String::from_utf8_lossy(&text), "'"].concat());
    }
    let decoded = schema::decode::decode_untyped(document).map_err(|error| error.to_string())?;
    let mut object = map(decoded.value);
    let mut strict: Vec<String> = decoded.strict.iter().map(ToString::to_string).collect();
    strict.extend(coerce(custom, &mut object)?);
    Ok(Patched { object, strict })
}

/// Returns the object that applying a configuration results in: nothing in it is unknown.
///
/// # Errors
/// Why its metadata cannot be read.
pub(super) fn configured(custom: &Custom, value: Value) -> Result<Object, String> {
    let mut object = map(value);
    structural::coerce_object_meta(&mut object, structural::Malformed::Refuse)?;
    fill(&custom.definition, &mut object);
    Ok(object)
}

fn map(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}
