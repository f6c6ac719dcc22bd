//! Bodies into objects: which kind the sender meant, and that it is the one that belongs at the path.

mod patched;

use schema::{Node, Resource};
use serde_json::Value;

use crate::defaults;
use crate::options::FieldValidation;
use crate::status::Status;
use crate::storage::Object;

pub(crate) use patched::{Patched, merged, patched};

/// The largest body that is read, in bytes.
pub(crate) const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// Where kube-apiserver's scheme of built-in kinds was made, which its messages name.
const SCHEME: &str = "pkg/api/legacyscheme/scheme.go:30";
const META_SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";

/// Kinds that every group version knows besides its own.
const META_KINDS: &[&str] = &[
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Decodes a body as an object of `resource`, and gives the warnings that it earns.
pub(crate) fn object(
    resource: &Resource,
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
    let node = codec::json::parse(body)
        .map_err(|error| unrecognized(&format!("couldn't get version/kind; json parse error: {error}")))?;
    let (api_version, kind) = type_meta(&node)
        .map_err(|error| unrecognized(&format!("couldn't get version/kind; json parse error: {error}")))?;
    let own = resource.api_version();
    let api_version = if api_version.is_empty() { own.as_str() } else { api_version };
    let kind = if kind.is_empty() { resource.kind.as_str() } else { kind };
    if api_version.matches('/').count() > 1 {
        return Err(unrecognized(&format!("unexpected GroupVersion string: {api_version}")));
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let unusable = |why: String| {
        Status::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {}: {why}",
            resource.kind
        ))
    };
    match known_kind(group, version, kind) {
        Known::Not => {
            let why = format!(
                "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"{SCHEME}\""
            );
            return Err(unusable(why));
        }
        Known::Kind if kind != resource.kind || group != resource.group => {
            let why = format!(
                "converting ({version}.{kind}) to ({}.{}): unknown conversion",
                internal_package(&resource.group),
                resource.kind
            );
            return Err(unusable(why));
        }
        Known::Kind => {}
    }
    if api_version != own {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({own})"
        )));
    }
    let types = schema::Types::builtin();
    let Some(ty) = resource.ty else { return Err(Status::method_not_allowed()) };
    let mut decoded = schema::decode(types, ty, &node).map_err(|error| unusable(error.to_string()))?;
    let strict: Vec<String> = decoded.strict.iter().map(ToString::to_string).collect();
    if validation == FieldValidation::Strict && !strict.is_empty() {
        return Err(unusable(format!("strict decoding error: {}", strict.join(", "))));
    }
    let warnings = if validation == FieldValidation::Warn { strict } else { Vec::new() };
    defaults::apply(types, ty, &mut decoded.value);
    match decoded.value {
        Value::Object(object) => Ok((object, warnings)),
        _ => Ok((Object::new(), warnings)),
    }
}

/// Decodes a body as `DeleteOptions`, of any version. Fields that are not known are passed over.
pub(crate) fn delete_options(body: &[u8]) -> Result<Value, Box<Status>> {
    let node = codec::json::parse(body).map_err(|error| {
        Status::bad_request(format!("couldn't get version/kind; json parse error: {error}"))
    })?;
    let (api_version, kind) = type_meta(&node).map_err(|error| {
        Status::bad_request(format!("couldn't get version/kind; json parse error: {error}"))
    })?;
    if !kind.is_empty() && kind != "DeleteOptions" {
        let version = if api_version.is_empty() { "v1" } else { api_version };
        return Err(Status::bad_request(format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"{META_SCHEME}\""
        )));
    }
    let types = schema::Types::builtin();
    let Some(ty) = types.find("k8s.io/apimachinery/pkg/apis/meta/v1", "DeleteOptions") else {
        return Ok(Value::Null);
    };
    schema::decode(types, ty, &node)
        .map(|decoded| decoded.value)
        .map_err(|error| Status::bad_request(error.to_string()))
}

enum Known {
    Not,
    Kind,
}

fn known_kind(group: &str, version: &str, kind: &str) -> Known {
    let mut rows =
        schema::resources().iter().filter(|row| row.group == group && row.version == version).peekable();
    let served = rows.peek().is_some();
    let known = rows.any(|row| row.kind == kind || row.list_kind == kind)
        || served && META_KINDS.contains(&kind)
        || group.is_empty() && version == "v1" && kind == "Status";
    if known { Known::Kind } else { Known::Not }
}

/// The Go package of a group's internal types, as conversion errors print it.
fn internal_package(group: &str) -> &str {
    match group.split('.').next() {
        None | Some("") => "core",
        Some(package) => package,
    }
}

/// `apiVersion` and `kind`, read on their own before anything else is.
fn type_meta<'a>(node: &'a Node<'_>) -> Result<(&'a str, &'a str), String> {
    let entries = match node {
        Node::Map(entries) => entries,
        Node::Null => return Ok(("", "")),
        other => {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
                 \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                word(other)
            ));
        }
    };
    let (mut api_version, mut kind) = ("", "");
    for (key, value) in entries {
        let slot = match key.as_ref() {
            "apiVersion" => &mut api_version,
            "kind" => &mut kind,
            _ => continue,
        };
        match value {
            Node::String(text) => *slot = text,
            Node::Null => {}
            other => {
                return Err(format!(
                    "json: cannot unmarshal {} into Go struct field .{key} of type string",
                    word(other)
                ));
            }
        }
    }
    Ok((api_version, kind))
}

fn word(node: &Node<'_>) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool(_) => "bool",
        Node::Number(_) => "number",
        Node::String(_) => "string",
        Node::List(_) => "array",
        Node::Map(_) => "object",
    }
}

/// The beginning of a body as error messages show it: up to 30 bytes, as text if it looks like JSON, else in
/// hexadecimal.
fn excerpt(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    if body.is_empty() {
        return "<empty>".to_owned();
    }
    let (shown, more) = if body.len() > SHOWN { (&body[..SHOWN], " ...") } else { (body, "") };
    if body[0] == b'{' {
        return format!("{}{more}", String::from_utf8_lossy(shown));
    }
    let hex: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    hex + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: &str) {
        assert_eq!(excerpt(body.as_bytes()), expected);
    }

    #[test]
    fn excerpts() {
        check("", "<empty>");
        check("  ", "2020");
        check("{\"a\"", "{\"a\"");
        check("{\"metadata\":{\"name\":\"a1\"}}{\"metadata\"", "{\"metadata\":{\"name\":\"a1\"}}{\"me ...");
        check("\"a\"", "226122");
    }
}
