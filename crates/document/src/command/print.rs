//! Prints objects and errors as kubectl does.

pub(super) mod columns;
pub(super) mod table;
pub(super) mod yaml;

use json_tree::Value;
use serde::Serialize as _;

use super::jsonpath::Template;
use super::manifest;

/// An error that a server has answered with.
pub(super) struct Failure {
    /// The HTTP status code.
    pub(super) code: u16,
    /// The `Status`, as far as it is one.
    pub(super) status: Value,
}

/// Returns JSON in one line, as Go's encoder writes it: keys in order, and no characters that HTML would read.
pub(super) fn json(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    escape(&value.to_string())
}

/// Returns JSON in lines that are indented by four spaces.
fn pretty(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let written = value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter));
    let text = written.ok().and_then(|()| String::from_utf8(out).ok()).unwrap_or_default();
    escape(&text) + "\n"
}

fn escape(text: &str) -> String {
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Prints an object or a list in the format that `-o` names.
///
/// # Errors
/// The text of kubectl for a format that it does not know.
pub(super) fn output(format: &str, value: &Value, managed_fields: bool) -> Result<String, String> {
    let mut value = value.clone();
    if !managed_fields {
        hide(&mut value);
    }
    let (name, template) = format.split_once('=').unwrap_or((format, ""));
    Ok(match name {
        "json" => pretty(&value),
        "yaml" => yaml::write(&value),
        "name" => {
            let items = manifest::objects(value);
            items.iter().map(|item| named(item) + "\n").collect()
        }
        "jsonpath" => Template::read(template)?.print(&value),
        "jsonpath-as-json" => {
            let found: Vec<Value> = Template::read(template)?.values(&value).into_iter().cloned().collect();
            pretty(&Value::from(found))
        }
        "custom-columns" => columns::print(template, &manifest::objects(value))?,
        _ => {
            return Err(format!(
                "error: unable to match a printer suitable for the output format \"{format}\", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml"
            ));
        }
    })
}

/// Takes out who manages which fields.
fn hide(value: &mut Value) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
    }
    let is_list = value["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
    if let Some(items) = value.get_mut("items").and_then(Value::as_array_mut).filter(|_| is_list) {
        items.iter_mut().for_each(hide);
    }
}

/// Returns an object as kubectl names it: `configmap/a`, `deployment.apps/web`.
pub(super) fn named(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&object["kind"]).to_ascii_lowercase();
    let api_version = text(&object["apiVersion"]);
    let group = api_version.split_once('/').map_or(String::new(), |(group, _)| [".", group].concat());
    [&kind, &group, "/", &text(&object["metadata"]["name"])].concat()
}

/// Returns what kubectl prints of an error of a server. `doing` is what it came of.
pub(super) fn error(failure: &Failure, doing: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let status = &failure.status;
    if status["kind"] != "Status" {
        let known = [
            (404, "NotFound", "the server could not find the requested resource"),
            (405, "MethodNotAllowed", "the server does not allow this method on the requested resource"),
        ];
        return match known.iter().find(|(code, ..)| *code == failure.code) {
            Some((_, reason, message)) => format!("Error from server ({reason}): {doing}{message}"),
            None => format!(
                "Error from server: {doing}{}",
                status.as_str().unwrap_or("the response was not understood").trim_end()
            ),
        };
    }
    let (reason, message) = (text(&status["reason"]), text(&status["message"]));
    match &*reason {
        "Invalid" => invalid(status, &message),
        "Unauthorized" => format!("error: You must be logged in to the server ({message})"),
        "" => format!("Error from server: {doing}{message}"),
        _ => format!("Error from server ({reason}): {doing}{message}"),
    }
}

fn invalid(status: &Value, message: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let details = &status["details"];
    let (kind, name) = (text(&details["kind"]), text(&details["name"]));
    let mut causes: Vec<String> = Vec::new();
    for cause in details["causes"].as_array().into_iter().flatten() {
        let cause = [text(&cause["field"]), text(&cause["message"])].join(": ");
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    let head = match (kind.is_empty() && name.is_empty(), causes.is_empty()) {
        (false, _) => format!("The {kind} {name:?} is invalid"),
        (true, true) if !message.is_empty() => format!("The request is invalid: {message}"),
        _ => "The request is invalid".to_owned(),
    };
    match causes.as_slice() {
        [] => head,
        [one] => format!("{head}: {one}"),
        several => several.iter().fold(format!("{head}: "), |text, cause| text + "\n* " + cause),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(format: &str, value: Value, expected: &str) {
        assert_eq!(output(format, &value, false).unwrap_or_else(|error| error), expected, "{format}");
    }

    #[test]
    fn objects_are_printed() {
        let map =
            json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "managedFields": []}});
        check(
            "json",
            map.clone(),
            "{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"ConfigMap\",\n    \"metadata\": {\n        \"name\": \"a\"\n    }\n}\n",
        );
        check("yaml", map.clone(), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
        check("name", map.clone(), "configmap/a\n");
        check("jsonpath={.metadata.name}", map.clone(), "a");
        check("custom-columns=N:.metadata.name,X:.x", map.clone(), "N     X\na     <none>\n");
        check("name", json!({"kind": "List", "items": [map]}), "configmap/a\n");
        check("json", json!("<&>"), "\"\\u003c\\u0026\\u003e\"\n");
        assert!(output("nonsense", &Value::Null, false).is_err());
    }

    #[test]
    fn errors_are_printed() {
        let check = |status: Value, expected: &str| {
            assert_eq!(error(&Failure { code: 404, status }, "x: "), expected)
        };
        check(
            json!({"kind": "Status", "reason": "NotFound", "message": "m"}),
            "Error from server (NotFound): x: m",
        );
        check(json!({"kind": "Status", "message": "m"}), "Error from server: x: m");
        check(
            json!("404 page not found"),
            "Error from server (NotFound): x: the server could not find the requested resource",
        );
        check(
            json!({"kind": "Status", "reason": "Invalid", "message": "m", "details": {"kind": "Pod", "name": "a", "causes": [{"field": "f", "message": "bad"}]}}),
            "The Pod \"a\" is invalid: f: bad",
        );
        check(
            json!({"kind": "Status", "reason": "Invalid", "details": {"kind": "Pod", "name": "a", "causes": [{"field": "f", "message": "bad"}, {"field": "g", "message": "bad"}]}}),
            "The Pod \"a\" is invalid: \n* f: bad\n* g: bad",
        );
    }
}
