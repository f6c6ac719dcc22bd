//! Requests to custom resources: which verbs there are, and what their bodies mean.

use http::Method;
use json_tree::Value;
use schema::{Node, Resource};

use super::Custom;
use super::object::{coerce, fill};
use crate::decode::{Patched, excerpt, warnings};
use crate::format::{Format, type_meta};
use crate::negotiate::PROTOBUF;
use crate::options::FieldValidation;
use crate::route::Target;
use crate::status::{Status, Subject};
use crate::storage::Object;

/// Where the handler of custom resources is, which one of its messages names.
const HANDLER: &str = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781";

/// Whether the path leads nowhere with this verb: in all namespaces, objects can be listed and watched, no more.
pub(crate) fn is_nowhere(target: &Target, verb: &str) -> bool {
    let resource = &target.resource;
    resource.extension.is_some()
        && resource.namespaced
        && target.namespace.is_empty()
        && !["list", "watch"].contains(&verb)
}

/// Finds the verb of a request, and whether the resource has it.
pub(crate) fn verb(method: &Method, target: &Target) -> Result<&'static str, Box<Status>> {
    let resource = &target.resource;
    let subject = |name| Subject { group: &resource.group, resource: &resource.name, name };
    let part = target.subresource.as_str();
    if !part.is_empty() && resource.subresource(part).is_none() {
        return Err(Status::not_found(subject(&target.name)));
    }
    let verb = match (method.as_str(), target.name.is_empty()) {
        _ if target.watch => "watch",
        ("GET" | "HEAD", true) => "list",
        ("GET" | "HEAD", false) => "get",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "deletecollection",
        ("DELETE", false) => "delete",
        _ => "",
    };
    let of_part = ["get", "update", "patch"].contains(&verb);
    if verb.is_empty() || !part.is_empty() && !of_part {
        return Err(Status::method_not_supported(subject(""), verb));
    }
    if target.name.is_empty() && ["update", "patch"].contains(&verb) {
        return Err(Status::bad_request("name must be provided"));
    }
    Ok(verb)
}

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

/// What a configuration made of an object: nothing in it is unknown.
///
/// # Errors
/// Why its metadata cannot be read.
pub(crate) fn merged(custom: &Custom, value: Value) -> Result<Object, String> {
    let mut object = map(value);
    structural::coerce_object_meta(&mut object, structural::Malformed::Refuse)?;
    fill(custom, &mut object);
    Ok(object)
}

/// 400: the body of a write to `scale` is no `Scale`.
pub(crate) fn no_scale() -> Box<Status> {
    Status::bad_request(["no kind is registered for the type v1.Scale in scheme \"", HANDLER, "\""].concat())
}

fn map(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}
