//! The problems that a failure reports in a body, and where: the fields, lines and names that are in its causes and its
//! message.

use serde::Serialize;

use crate::cluster::status::Status;

/// Something that is wrong with a body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// The way to what it is about. What is not there is looked for as far as it is.
    pub(crate) path: Vec<String>,
    /// The line, from 1, where that is all that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// In UTF-16 from the start of the text, where that is what is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<usize>,
    /// `key` where the name is wrong, `value` where what it says is.
    pub(crate) on: &'static str,
    /// The JSON type of the value, where the way leaves out which item of a list is meant.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) json: Option<String>,
    /// `error`, or `warning` for what would be let pass.
    pub(crate) severity: &'static str,
    pub(crate) message: String,
    /// The source of the report.
    pub(crate) source: &'static str,
}

/// The phrases of messages about the whole object, each with the field that it is about.
const ABOUT: [(&str, &[&str]); 7] = [
    ("namespace of the provided object does not match", &["metadata", "namespace"]),
    ("name of the object (", &["metadata", "name"]),
    ("does not match name in", &["metadata", "name"]),
    ("API version in the data", &["apiVersion"]),
    ("kind in the data", &["kind"]),
    ("Object 'Kind' is missing", &["kind"]),
    ("Object 'apiVersion' is missing", &["apiVersion"]),
];

/// How what a decoder minds in strict validation begins, before a path in quotes.
const STRICT: [&str; 2] = ["unknown field \"", "duplicate field \""];

/// Returns the problems that `status` reports in the body of its request. Nothing if it is about something else.
pub(crate) fn of(status: &Status, source: &'static str) -> Vec<Problem> {
    let error = || Problem { severity: "error", on: "value", source, ..Problem::default() };
    if !matches!(status.code, 400 | 409 | 415 | 422 | 500) {
        return Vec::new();
    }
    let causes = status.details.causes.iter().filter(|cause| !cause.field.is_empty());
    let mut problems: Vec<Problem> = causes
        .map(|cause| Problem { path: steps(&cause.field), message: cause.message.clone(), ..error() })
        .collect();
    if problems.is_empty() {
        problems = of_message(&status.message, &error);
    }
    let mut once: Vec<Problem> = Vec::new();
    for problem in problems {
        if !once.contains(&problem) {
            once.push(problem);
        }
    }
    once
}

/// Returns whether strict validation, and nothing else, rejects the body.
pub(crate) fn is_strict(status: &Status) -> bool {
    status.code == 400 && status.message.contains("strict decoding error: ")
}

fn of_message(message: &str, error: &dyn Fn() -> Problem) -> Vec<Problem> {
    if let Some((_, told)) = message.split_once("trict decoding error: ") {
        let mut problems = lines(told, error);
        for word in STRICT {
            for (at, _) in told.match_indices(word) {
                let path = told[at + word.len()..].split('"').next().unwrap_or_default();
                let message = [word, path, "\""].concat();
                problems.push(Problem { path: steps(path), on: "key", message, ..error() });
            }
        }
        return problems;
    }
    if let Some((_, told)) = message.split_once("json: cannot unmarshal ") {
        // `string into Go struct field DeploymentSpec.spec.replicas of type int32`
        let json = told.split(' ').next().unwrap_or_default();
        let field = told.split_once("Go struct field ").and_then(|(_, rest)| rest.split(" of type ").next());
        let path = field.and_then(|field| field.split_once('.')).map_or("", |(_, path)| path);
        let message = ["cannot unmarshal ", told].concat();
        return vec![Problem { path: steps(path), json: Some(json.to_owned()), message, ..error() }];
    }
    let undeclared: Vec<Problem> = message
        .lines()
        // `failed to create typed patch object (/a; /v1, Kind=ConfigMap): .spec: field not declared in schema`
        .filter_map(|line| {
            let from = if line.trim_start().starts_with('.') { 0 } else { line.find("): .")? + 3 };
            let line = line[from..].trim();
            let (path, told) = line.split_once(": ")?;
            let on = if told.contains("not declared") { "key" } else { "value" };
            Some(Problem { path: steps(path), on, message: told.to_owned(), ..error() })
        })
        .collect();
    if !undeclared.is_empty() {
        return undeclared;
    }
    let lines = lines(message, error);
    if !lines.is_empty() {
        return lines;
    }
    let about = ABOUT.iter().find(|(words, _)| message.contains(words));
    let about = about.map(|(_, path)| Problem {
        path: path.iter().map(|step| (*step).to_owned()).collect(),
        message: message.to_owned(),
        ..error()
    });
    about.into_iter().collect()
}

/// Returns the problems reported for lines: `yaml: line 3: did not find expected key`, or each on a line of its own.
fn lines(message: &str, error: &dyn Fn() -> Problem) -> Vec<Problem> {
    let told = message.split_once("yaml: ").map_or("", |(_, told)| told);
    let problems = told.lines().filter_map(|told| {
        let (line, told) = told.trim().strip_prefix("line ")?.split_once(": ")?;
        Some(Problem { line: line.parse().ok(), message: told.to_owned(), ..error() })
    });
    problems.collect()
}

/// The steps of a path such as `spec.containers[0].ports[0].name`, `metadata.annotations[a.b/c]` or
/// `.spec.containers[name="web"]`.
pub(crate) fn steps(path: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut rest = path.trim();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('[') {
            Some(inside) => {
                let mut quoted = false;
                let closes = |c: char| {
                    quoted ^= c == '"';
                    c == ']' && !quoted
                };
                let end = inside.find(closes).unwrap_or(inside.len());
                steps.push(inside[..end].to_owned());
                (end + 2).min(rest.len())
            }
            None => {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                steps.push(name[..end].to_owned());
                end + (rest.len() - name.len())
            }
        };
        rest = &rest[end..];
    }
    steps.retain(|step| !step.is_empty() && step != "<nil>");
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::status::{Cause, Details};

    #[track_caller]
    fn goes(path: &str, expected: &[&str]) {
        assert_eq!(steps(path), expected, "{path}");
    }

    #[test]
    fn reads_paths() {
        goes("spec.containers[0].ports[1].name", &["spec", "containers", "0", "ports", "1", "name"]);
        goes("metadata.annotations[a.b/c]", &["metadata", "annotations", "a.b/c"]);
        goes(".spec.containers[name=\"a]b\"].image", &["spec", "containers", "name=\"a]b\"", "image"]);
        goes("[0].op", &["0", "op"]);
        goes("<nil>", &[]);
        goes("", &[]);
        goes("data[", &["data"]);
        goes("a..b", &["a", "b"]);
        goes("ä[ö", &["ä", "ö"]);
    }

    /// Checks what is reported for each problem: the path or the line, what is marked, and the words.
    #[track_caller]
    fn check(code: u16, message: &str, expected: &[(&str, &str, &str)]) {
        let status = Status::plain(code, message.to_owned());
        let problems = of(&status, "answer");
        let told: Vec<(String, &str, &str)> = problems
            .iter()
            .map(|problem| {
                let place = problem.line.map_or_else(|| problem.path.join("/"), |line| line.to_string());
                (place, problem.on, problem.message.as_str())
            })
            .collect();
        let expected: Vec<(String, &str, &str)> =
            expected.iter().map(|(place, on, message)| ((*place).to_owned(), *on, *message)).collect();
        assert_eq!(told, expected, "{message}");
    }

    #[test]
    fn strict_validation_names_fields() {
        check(
            400,
            r#"Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].foo", duplicate field "metadata.name""#,
            &[
                ("spec/containers/0/foo", "key", "unknown field \"spec.containers[0].foo\""),
                ("metadata/name", "key", "duplicate field \"metadata.name\""),
            ],
        );
        check(
            400,
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key \"a\" already set in map",
            &[("7", "value", "key \"a\" already set in map")],
        );
        check(
            400,
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 2: key \"a\" already set in map, unknown field \"b\"",
            &[
                ("2", "value", "key \"a\" already set in map, unknown field \"b\""),
                ("b", "key", "unknown field \"b\""),
            ],
        );
    }

    #[test]
    fn decoders_name_types_and_lines() {
        check(
            400,
            "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
            &[(
                "spec/replicas",
                "value",
                "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
            )],
        );
        check(
            400,
            "the object provided is unrecognized (must be of type ConfigMap): yaml: line 6: found character that cannot start any token (6170 ...)",
            &[("6", "value", "found character that cannot start any token (6170 ...)")],
        );
        check(
            400,
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
            &[("", "value", "cannot unmarshal array into Go value of type map[string]interface {}")],
        );
    }

    #[test]
    fn an_applied_configuration_has_fields_that_are_not_declared() {
        check(
            500,
            "failed to create typed patch object (/d; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema",
            &[("spec/replica", "key", "field not declared in schema")],
        );
        check(
            500,
            "failed to create typed patch object (/d; apps/v1, Kind=Deployment): errors:\n  .spec.a: field not declared in schema\n  .spec.b: expected list, got &{map[]}",
            &[
                ("spec/a", "key", "field not declared in schema"),
                ("spec/b", "value", "expected list, got &{map[]}"),
            ],
        );
    }

    #[test]
    fn the_rest_is_about_a_field_or_about_something_else() {
        check(
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
            &[(
                "metadata/namespace",
                "value",
                "the namespace of the provided object does not match the namespace sent on the request",
            )],
        );
        check(404, "pods \"a\" not found", &[]);
        check(409, "pods \"a\" already exists", &[]);
        check(422, "the server rejected our request due to an error in our request", &[]);
    }

    #[test]
    fn causes_are_at_their_fields() {
        let cause = |field: &str| Cause {
            field: field.to_owned(),
            message: "Required value".to_owned(),
            ..Cause::default()
        };
        let details =
            Details { causes: vec![cause("spec.containers[0].image"), cause("")], ..Details::default() };
        let mut status = Status::plain(422, "no".to_owned());
        status.details = details;
        let problems = of(&status, "answer");
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].path.join("/"), "spec/containers/0/image");
        assert_eq!((problems[0].severity, problems[0].message.as_str()), ("error", "Required value"));
    }
}
