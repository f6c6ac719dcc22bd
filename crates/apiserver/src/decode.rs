//! Bodies into objects: which kind the sender meant, and that it is the one that belongs at the path.

mod custom_object;
mod patched;
mod scheme;

use json_tree::Value;
use kinds::conversion;

use crate::format::Format;
use crate::options::FieldValidation;
use crate::resource::Resource;
use apimachinery::object::{self, Object};
use apimachinery::status::Status;
use kinds::defaults;

pub(crate) use patched::{Unusable, configured, merged, patched};
use scheme::{Known, group_version, known_kind};

/// A patched object.
#[derive(Debug)]
pub(crate) struct Patched {
    /// The object in its storage version, defaults filled in.
    pub object: Object,
    /// Which of its fields are unknown or stand twice.
    pub strict: Vec<String>,
}

/// The largest body that is read, in bytes.
pub(crate) const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// The place in which kube-apiserver's scheme of built-in kinds was made, which its messages name.
const SCHEME: &str = "pkg/api/legacyscheme/scheme.go:30";

/// A decoded body.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// The object in the version that was sent, defaults filled in.
    pub object: Object,
    /// The warnings that it earns.
    pub warnings: Vec<String>,
    /// It had labels before the defaults were filled in.
    pub labelled: bool,
}

/// Decodes a body as an object of `resource`.
pub(crate) fn object(
    resource: &Resource,
    format: &Format,
    body: &[u8],
    validation: FieldValidation,
) -> Result<Decoded, Box<Status>> {
    if let Some(custom) = resource.custom() {
        let (object, warnings) = custom_object::object(resource, custom, format, body, validation)?;
        return Ok(Decoded { object, warnings, labelled: true });
    }
    let unrecognized = |why: &str| {
        Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {why} ({})",
            resource.kind,
            excerpt(body)
        ))
    };
    let content = (format.parse)(body).map_err(|why| unrecognized(&why))?;
    let (api_version, kind) = content.type_meta().map_err(|why| unrecognized(&why))?;
    let own = resource.api_version();
    let kind = if kind.is_empty() { resource.kind.as_str() } else { &kind };
    let (group, version) = group_version(&api_version, &own).map_err(|why| unrecognized(&why))?;
    let api_version = schema::api_version(group, version);
    let unusable = |why: String| {
        Status::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {}: {why}",
            resource.kind
        ))
    };
    if version.is_empty() {
        let shown = content.shown().unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
        return Err(unusable(["Object 'apiVersion' is missing in '", &shown, "'"].concat()));
    }
    let known = known_kind(group, version, kind);
    match known {
        Known::Not => {
            let why = format!(
                "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"{SCHEME}\""
            );
            return Err(unusable(why));
        }
        Known::Unserved(_) if kind == resource.kind => {}
        _ if kind != resource.kind || group != resource.group => {
            let why = format!(
                "converting ({version}.{kind}) to ({}.{}): unknown conversion",
                internal_package(&resource.group),
                resource.kind
            );
            return Err(unusable(why));
        }
        Known::Kind | Known::Unserved(_) => {}
    }
    if api_version != own && known != Known::Unserved(true) {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({own})"
        )));
    }
    let types = schema::Types::builtin();
    let Some(ty) = resource.ty() else { return Err(Status::method_not_allowed()) };
    let (mut value, strict) = content.typed(types, ty).map_err(unusable)?;
    if validation == FieldValidation::Strict && !strict.is_empty() {
        return Err(unusable(format!("strict decoding error: {}", strict.join(", "))));
    }
    let warnings = if validation == FieldValidation::Warn { warnings(strict) } else { Vec::new() };
    let labelled = value.as_object().is_some_and(object::is_labelled);
    defaults::apply(types, ty, &mut value);
    let mut object = match value {
        Value::Object(object) => object,
        _ => Object::new(),
    };
    conversion::read_number(resource, &mut object).map_err(unusable)?;
    Ok(Decoded { object, warnings, labelled })
}

/// Returns the errors of strict decoding of a body, as warnings: the YAML parser's error is several.
pub(crate) fn warnings(strict: Vec<String>) -> Vec<String> {
    let lines = |text: String| match text.strip_prefix("yaml: unmarshal errors:\n") {
        Some(lines) => lines.split('\n').map(|line| line.trim().to_owned()).collect(),
        None => vec![text],
    };
    strict.into_iter().flat_map(lines).collect()
}

/// The Go package of a group's internal types, as conversion errors print it.
fn internal_package(group: &str) -> &str {
    match group.split('.').next() {
        None | Some("") => "core",
        Some(package) => package,
    }
}

/// The beginning of a body as error messages show it: up to 30 bytes, as text if it looks like JSON, else in
/// hexadecimal.
pub(crate) fn excerpt(body: &[u8]) -> String {
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
