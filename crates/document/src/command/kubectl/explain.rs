//! `kubectl explain`: what the fields of a kind mean, by the OpenAPI document of its group and version.
//!
//! <https://kubernetes.io/docs/reference/kubectl/generated/kubectl_explain/>

use json_tree::Value;

use super::call::{Call, Stop, says};
use crate::kinds::Kind;

/// Begins to explain.
pub(super) fn begin(call: &mut Call<'_>) -> Result<(), Stop> {
    let [word] = call.words(1) else {
        return says(
            "error: You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.",
        );
    };
    let mut steps = word.split('.').filter(|step| !step.is_empty());
    let first = steps.next().unwrap_or_default();
    let fields: Vec<String> = steps.map(str::to_owned).collect();
    let kind = match call.line.flag("--api-version") {
        Some(api_version) => {
            let named = call.kind(first)?;
            let is = |kind: &&Kind| kind.kind == named.kind && kind.api_version() == api_version;
            match call.kinds.all().iter().find(is) {
                Some(kind) => kind.clone(),
                None => {
                    return says(format!(
                        "error: couldn't find resource for \"{api_version}, Resource={}\"",
                        named.resource
                    ));
                }
            }
        }
        None => call.kind(first)?,
    };
    if call.line.flag("--output").is_some_and(|output| output != "plaintext") {
        return Err(Stop::Refused("`kubectl explain` prints plain text here.".to_owned()));
    }
    let root = if kind.group.is_empty() { "api" } else { "apis" };
    let path = ["/openapi/v3/", root, "/", &kind.api_version()].concat();
    let is_recursive = call.line.is("--recursive");
    call.shell.send(call.how.request("GET", &path, &[]), move |shell, reply| match reply.object() {
        Ok(document) => {
            let (text, error) = explain(&document, &kind, &fields, is_recursive);
            shell.text(&text);
            if let Some(error) = error {
                shell.fail(&error);
            }
        }
        Err(failure) => shell.refused(&failure, ""),
    });
    Ok(())
}

/// Returns the explanation, and the error behind it if there is one.
fn explain(document: &Value, kind: &Kind, fields: &[String], is_recursive: bool) -> (String, Option<String>) {
    let is = |schema: &&Value| {
        schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten().any(|known| {
            known["kind"] == *kind.kind
                && known["version"] == *kind.version
                && known["group"].as_str().unwrap_or_default() == kind.group
        })
    };
    let schemas = document["components"]["schemas"].as_object();
    let Some(schema) = schemas.and_then(|schemas| schemas.values().find(is)) else {
        let resource = [&kind.group, "/", &kind.version, ", Resource=", &kind.resource].concat();
        return (String::new(), Some(format!("error: GVR ({resource}) not found in OpenAPI schema")));
    };
    let mut text = String::new();
    if !kind.group.is_empty() {
        text.push_str(&format!("GROUP:      {}\n", kind.group));
    }
    text.push_str(&format!("KIND:       {}\nVERSION:    {}\n\n", kind.kind, kind.version));
    let Some(explained) = (Explain { document, is_recursive }).at(schema, fields, 0) else {
        let last = fields.last().map(String::as_str).unwrap_or_default();
        return (text, Some(format!("error: field {last:?} does not exist")));
    };
    text.push_str(&explained);
    text.push('\n');
    (text, None)
}

/// How deep schemas are followed; more would be a circle.
const DEEPEST: usize = 64;

struct Explain<'d> {
    document: &'d Value,
    is_recursive: bool,
}

/// Returns the schema of what a map or a list has inside.
fn inside(schema: &Value) -> impl Iterator<Item = &Value> {
    [&schema["items"], &schema["additionalProperties"]].into_iter().filter(|schema| schema.is_object())
}

impl<'d> Explain<'d> {
    fn referred(&self, schema: &'d Value) -> Option<&'d Value> {
        let name = schema["$ref"].as_str()?.rsplit('/').next()?;
        self.document["components"]["schemas"].get(name)
    }

    fn resolved(&self, schema: &'d Value) -> &'d Value {
        self.referred(schema).unwrap_or(schema)
    }

    /// Explains what fields lead to from a schema; `None` if they lead nowhere.
    fn at(&self, schema: &'d Value, fields: &[String], depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let resolved = self.resolved(schema);
        let Some((first, rest)) = fields.split_first() else {
            let mut text = "DESCRIPTION:\n".to_owned();
            let description = self.description(resolved, depth);
            let description = if description.is_empty() { "<empty>".to_owned() } else { description };
            text.push_str(&indented(&wrapped(&description, 76), 4));
            text.push('\n');
            let mut list = String::new();
            self.fields(resolved, 1, &mut Vec::new(), &mut list);
            if !list.is_empty() {
                text.push_str("FIELDS:\n");
                text.push_str(&list);
            }
            return Some(text);
        };
        if let Some(schema) = resolved["properties"].get(first.as_str()) {
            let mut text = String::new();
            if rest.is_empty() {
                text = format!("FIELD: {first} <{}>\n", self.type_of(schema, 0));
                text.push_str(&values(schema, None));
                text.push_str("\n\n");
            }
            return Some(text + &self.at(schema, rest, depth + 1)?);
        }
        let all = resolved["allOf"].as_array().into_iter().flatten();
        inside(resolved).chain(all).find_map(|schema| self.at(schema, fields, depth + 1))
    }

    fn description(&self, schema: &'d Value, depth: usize) -> String {
        let resolved = self.resolved(schema);
        let mut text = String::new();
        if let Some(own) = resolved["description"].as_str().filter(|own| !own.is_empty()) {
            text.push_str(own);
            text.push('\n');
        }
        if depth <= DEEPEST {
            let all = resolved["allOf"].as_array().into_iter().flatten();
            all.chain(inside(resolved))
                .for_each(|schema| text.push_str(&self.description(schema, depth + 1)));
        }
        text
    }

    /// Returns a short name of a type: `[]Container`, `map[string]string`.
    fn type_of(&self, schema: &'d Value, depth: usize) -> String {
        let own = |schema: &Value| schema["type"].as_str().unwrap_or("Object").to_owned();
        if depth > DEEPEST {
            return own(schema);
        }
        if schema["items"].is_object() {
            return ["[]", &self.type_of(&schema["items"], depth + 1)].concat();
        }
        if schema["additionalProperties"].is_object() {
            return ["map[string]", &self.type_of(&schema["additionalProperties"], depth + 1)].concat();
        }
        if let (Some([only]), true) =
            (schema["allOf"].as_array().map(Vec::as_slice), schema["properties"].is_null())
        {
            return self.type_of(only, depth + 1);
        }
        if let Some(name) = schema["$ref"].as_str() {
            let referred = self.referred(schema).map(own).unwrap_or_else(|| "Object".to_owned());
            let is_object = matches!(&*referred, "Object" | "object");
            return if is_object {
                name.rsplit(['/', '.']).next().unwrap_or("Object").to_owned()
            } else {
                referred
            };
        }
        own(schema).replace("object", "Object")
    }

    /// Writes the fields of a schema in the order of their names.
    fn fields(&self, schema: &'d Value, level: usize, passed: &mut Vec<&'d str>, out: &mut String) {
        let reference = schema["$ref"].as_str();
        if reference.is_some_and(|name| passed.contains(&name)) || level > DEEPEST {
            return;
        }
        passed.extend(reference);
        let resolved = self.resolved(schema);
        let mut properties: Vec<(&'d String, &'d Value)> =
            resolved["properties"].as_object().into_iter().flatten().collect();
        properties.sort_by_key(|(name, _)| *name);
        for (name, field) in properties {
            let required =
                resolved["required"].as_array().into_iter().flatten().any(|known| known == name.as_str());
            self.field(name, field, required, level, out);
            if self.is_recursive {
                self.fields(field, level + 1, passed, out);
            }
        }
        let all = resolved["allOf"].as_array().into_iter().flatten();
        all.chain(inside(resolved)).for_each(|schema| self.fields(schema, level, passed, out));
        if reference.is_some() {
            passed.pop();
        }
    }

    fn field(&self, name: &str, schema: &'d Value, required: bool, level: usize, out: &mut String) {
        let indent = level * 2;
        out.push_str(&format!("{}{name}\t<{}>", " ".repeat(indent), self.type_of(schema, 0)));
        out.push_str(if required { " -required-" } else { "" });
        out.push_str(&values(schema, Some(indent)));
        out.push('\n');
        if !self.is_recursive {
            let description = schema["description"].as_str().unwrap_or("<no description>");
            out.push_str(&indented(&wrapped(description, 78_usize.saturating_sub(indent)), indent + 2));
            out.push_str("\n\n");
        }
    }
}

/// Returns the values that a field may have: some of them in a line at an indent, or all of them in lines.
fn values(schema: &Value, indent: Option<usize>) -> String {
    let Some(values) = schema["enum"].as_array().filter(|values| !values.is_empty()) else {
        return String::new();
    };
    let text = |value: &Value| match value.as_str() {
        Some("") => "\"\"".to_owned(),
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    match indent {
        None => values.iter().fold("ENUM:".to_owned(), |all, value| all + "\n    " + &text(value)),
        Some(indent) => {
            let some: Vec<String> = values.iter().take(4).map(text).collect();
            let more = if values.len() > 4 { ", ...." } else { "" };
            format!("\n{}enum: {}{more}", " ".repeat(indent), some.join(", "))
        }
    }
}

/// Breaks lines between words so that they are no wider. Spaces stay, but for those at a break.
fn wrapped(text: &str, width: usize) -> String {
    text.split('\n').map(|line| wrapped_line(line, width)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    let mut out = String::new();
    let mut taken = 0;
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len());
        let (spaces, behind) = rest.split_at(word);
        let (word, behind) = behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len()));
        rest = behind;
        let (before, long) = (spaces.chars().count(), word.chars().count());
        // A word that is wider than a line is noticed before it is whole.
        if taken + before + long.min(width.saturating_sub(1)) > width {
            if !word.is_empty() {
                out.push('\n');
            }
            taken = 0;
        } else {
            out.push_str(spaces);
            taken += before;
        }
        out.push_str(word);
        taken += long;
    }
    out
}

fn indented(text: &str, by: usize) -> String {
    let indent = " ".repeat(by);
    [&indent, &*text.replace('\n', &["\n", &indent].concat())].concat()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(fields: &[&str], is_recursive: bool, expected: (&str, Option<&str>)) {
        let document = json!({"components": {"schemas": {
            "io.k8s.Pod": {
                "description": "A pod.", "type": "object",
                "x-kubernetes-group-version-kind": [{"group": "", "kind": "Pod", "version": "v1"}],
                "properties": {
                    "spec": {"description": "The spec.", "allOf": [{"$ref": "#/components/schemas/io.k8s.PodSpec"}]},
                    "kind": {"type": "string"},
                },
            },
            "io.k8s.PodSpec": {
                "description": "What is wanted.", "type": "object", "required": ["items"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/io.k8s.PodSpec"}},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "policy": {"type": "string", "enum": ["", "A", "B", "C", "D"]},
                },
            },
        }}});
        let kind = Kind { version: "v1".to_owned(), kind: "Pod".to_owned(), ..Kind::default() };
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        let got = explain(&document, &kind, &fields, is_recursive);
        assert_eq!((got.0.as_str(), got.1.as_deref()), expected);
    }

    #[test]
    fn kinds_and_fields_are_explained() {
        check(
            &[],
            false,
            (
                "KIND:       Pod\nVERSION:    v1\n\nDESCRIPTION:\n    A pod.\n    \nFIELDS:\n  kind\t<string>\n    <no description>\n\n  spec\t<PodSpec>\n    The spec.\n\n\n",
                None,
            ),
        );
        check(
            &["spec"],
            true,
            (
                "KIND:       Pod\nVERSION:    v1\n\nFIELD: spec <PodSpec>\n\n\nDESCRIPTION:\n    The spec.\n    What is wanted.\n    \nFIELDS:\n  items\t<[]PodSpec> -required-\n  labels\t<map[string]string>\n  policy\t<string>\n  enum: \"\", A, B, C, ....\n\n",
                None,
            ),
        );
        check(
            &["spec", "items", "policy"],
            false,
            (
                "KIND:       Pod\nVERSION:    v1\n\nFIELD: policy <string>\nENUM:\n    \"\"\n    A\n    B\n    C\n    D\n\nDESCRIPTION:\n    <empty>\n\n",
                None,
            ),
        );
        check(
            &["spec", "x"],
            false,
            ("KIND:       Pod\nVERSION:    v1\n\n", Some("error: field \"x\" does not exist")),
        );
    }

    #[test]
    fn lines_are_broken() {
        for (text, expected) in [
            ("aa bb cc\ndd", "aa bb\ncc\ndd"),
            (" - a b c", " - a\nb c"),
            ("  a", "  a"),
            ("a  b", "a  b"),
            ("aaaa  b ", "aaaa\nb "),
            ("aaaaaaa b", "aaaaaaa\nb"),
            ("a aaaaaaa", "a\naaaaaaa"),
            ("  aaaaaaa", "\naaaaaaa"),
            ("aaaaa ", "aaaaa"),
        ] {
            assert_eq!(wrapped(text, 5), expected, "{text:?}");
        }
    }
}
