//! Recorded conversations about custom resources: what their schema makes of each body is compared with what
//! kube-apiserver answered.

use std::path::Path;

use field::Error;
use json_tree::{Value, json};
use structural::rules::{self, BUDGET, Compiled, unchecked};
use structural::{
    Malformed, Structural, coerce_metadata, default, drop_nulls, prune, validate, validate_lists,
    validate_metadata,
};

/// The schema of the definition, if there is exactly one version and it is never changed.
fn schema_of(scenario: &Value) -> Option<(String, Value)> {
    let about_definitions = |step: &&Value| {
        step["request"]["path"].as_str().is_some_and(|path| path.contains("/customresourcedefinitions"))
            && step["request"]["method"] != "GET"
    };
    let steps: Vec<&Value> = scenario["steps"].as_array()?.iter().filter(about_definitions).collect();
    let [definition] = steps.as_slice() else { return None };
    let spec = &definition["request"]["body"]["spec"];
    let versions = spec["versions"].as_array()?;
    let [version] = versions.as_slice() else { return None };
    if version.get("subresources").is_some() {
        return None;
    }
    let plural = spec["names"]["plural"].as_str()?;
    Some((plural.to_owned(), version["schema"]["openAPIV3Schema"].clone()))
}

/// The causes as (reason, message, field), but for those about metadata.
fn causes(answer: &Value) -> Vec<(String, String, String)> {
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let causes = answer["details"]["causes"].as_array().into_iter().flatten();
    causes
        .map(|cause| (text(cause, "reason"), text(cause, "message"), text(cause, "field")))
        .filter(|(_, _, field)| {
            !field.starts_with("metadata") && !matches!(field.as_str(), "kind" | "fieldValidation")
        })
        .collect()
}

/// Reports whether a value is the recorded one, in which times have been replaced and numbers may be written
/// differently.
fn is_same(found: &Value, recorded: &Value) -> bool {
    match (found, recorded) {
        (Value::Number(found), Value::Number(recorded)) => found.as_f64() == recorded.as_f64(),
        (Value::Array(found), Value::Array(recorded)) => {
            found.len() == recorded.len() && found.iter().zip(recorded).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(found), Value::Object(recorded)) => {
            found.len() == recorded.len()
                && found.iter().zip(recorded).all(|(a, b)| a.0 == b.0 && is_same(a.1, b.1))
        }
        _ => found == recorded || recorded == "<time>",
    }
}

fn without_metadata(object: &Value) -> Value {
    let mut fields = object.as_object().cloned().unwrap_or_default();
    for name in ["apiVersion", "kind", "metadata"] {
        fields.shift_remove(name);
    }
    Value::Object(fields)
}

/// A schema with its rules.
struct Definition {
    plural: String,
    schema: Structural,
    rules: Compiled,
}

/// The stored objects, by name.
type Stored = Vec<(String, Value)>;

/// The body of a request: of a merge patch, what it makes of what is stored.
fn body(request: &Value, stored: &Stored) -> Option<(Value, Option<Value>)> {
    let body = request.get("body").cloned().or_else(|| {
        let text = request["text"].as_str()?;
        codec::json::parse(text.as_bytes()).ok().and_then(|node| schema::decode::to_value(&node).ok())
    })?;
    if request["method"] == "POST" {
        return Some((body, None));
    }
    let path = request["path"].as_str()?.split('?').next()?;
    let (_, old) = stored.iter().find(|(name, _)| path.ends_with(&format!("/{name}")))?;
    let mut new = old.clone();
    merge(&mut new, &body);
    Some((new, Some(old.clone())))
}

fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *value = patch.clone();
        return;
    };
    if !value.is_object() {
        *value = json!({});
    }
    for (name, patch) in patch {
        if let Value::Object(fields) = value {
            if patch.is_null() {
                fields.shift_remove(name);
            } else {
                merge(fields.entry(name).or_insert(Value::Null), patch);
            }
        }
    }
}

/// Replays one write. None if its answer has nothing to do with the schema.
fn differs(step: &Value, of: &Definition, stored: &mut Stored) -> Option<Option<String>> {
    let (request, answer) = (&step["request"], &step["expect"]["body"]);
    let status = step["expect"]["status"].as_u64()?;
    let schema = &of.schema;
    let (mut object, old) = body(request, stored)?;
    let all = answer["details"]["causes"].as_array();
    let of_schema = |cause: &Value| cause["field"] != "patch" && cause["field"] != "apiVersion";
    let refused = status == 422 && all.is_some_and(|causes| causes.iter().all(of_schema));
    if !object.is_object() || !(matches!(status, 200 | 201) || refused) {
        return None;
    }
    object.sort_all_objects();
    let mut unknown = prune(&mut object, schema, true);
    drop_nulls(&mut object, schema);
    let coerced = coerce_metadata(&mut object, schema, Malformed::Refuse).ok()?;
    unknown.extend(coerced);
    default(&mut object, schema);
    let mut errors = validate(&object, old.as_ref(), schema);
    errors.extend(validate_metadata(&object, schema, &|_| Vec::new(), &|_, _| Vec::new()));
    errors.extend(validate_lists(&object, schema));
    if !of.rules.is_empty() {
        match unchecked(&errors) {
            Some(error) => errors.push(error),
            None => errors.extend(rules::validate(&of.rules, schema, &object, old.as_ref(), BUDGET).errors),
        }
    }
    let found = shown(&errors);
    let expected = causes(answer);
    let times = expected.iter().any(|(_, message, _)| message.contains("<time>"));
    if if times { found.len() != expected.len() } else { found != expected } {
        return Some(Some(format!("{found:#?}\ninstead of {expected:#?}")));
    }
    if refused {
        return Some(None);
    }
    if !is_same(&without_metadata(&object), &without_metadata(answer)) {
        return Some(Some(format!("{object:#}\ninstead of {answer:#}")));
    }
    let query = request["path"].as_str()?.split_once('?').map_or("", |(_, query)| query);
    let warnings = step["expect"]["headers"]["warning"].as_array().cloned().unwrap_or_default();
    let about_fields = |text: &str| text.contains("unknown field \\\"") && !text.contains("\\\"metadata.");
    let expected: Vec<&Value> =
        warnings.iter().filter(|warning| warning.as_str().is_some_and(about_fields)).collect();
    let found: Vec<Value> =
        unknown.iter().map(|path| json!(format!("299 - \"unknown field \\\"{path}\\\"\""))).collect();
    if !query.contains("fieldValidation") && expected != found.iter().collect::<Vec<_>>() {
        return Some(Some(format!("{unknown:?}\ninstead of {expected:?}")));
    }
    if !query.contains("dryRun") {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        stored.retain(|(other, _)| *other != name);
        stored.push((name, object));
    }
    Some(None)
}

fn shown(errors: &[Error]) -> Vec<(String, String, String)> {
    errors.iter().map(|error| (error.reason().to_owned(), error.message(), error.field.clone())).collect()
}

/// Every recorded scenario with its name.
fn scenarios() -> Vec<(String, Value)> {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings");
    let mut found = Vec::new();
    for area in std::fs::read_dir(&recordings).expect("the folder of recordings").flatten() {
        for file in std::fs::read_dir(area.path()).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            let scenario = serde_json::from_str(&text).unwrap_or_default();
            found.push((file.file_name().to_string_lossy().into_owned(), scenario));
        }
    }
    found
}

#[test]
fn what_a_schema_makes_of_an_object_is_what_was_recorded() {
    let (mut right, mut wrong) = (0, Vec::new());
    for (name, scenario) in scenarios() {
        let Some((plural, schema)) = schema_of(&scenario) else { continue };
        let schema = Structural::parse(&schema);
        let (rules, errors) = rules::compile(&schema, &field::Path::default(), &[]);
        // Functions of libraries that are not there have their own tests.
        if errors.iter().any(|error| error.detail.contains("undeclared reference")) {
            continue;
        }
        wrong.extend(errors.iter().map(|error| format!("{name}: {error}")));
        let definition = Definition { plural, schema, rules };
        let mut stored = Stored::new();
        for step in scenario["steps"].as_array().into_iter().flatten() {
            let request = &step["request"];
            let path = request["path"].as_str().unwrap_or_default().split('?').next().unwrap_or_default();
            let merge = request["headers"]["Content-Type"] == "application/merge-patch+json";
            let relevant = match request["method"].as_str() {
                Some("POST") => path.ends_with(&format!("/{}", definition.plural)),
                Some("PATCH") => merge && path.contains(&format!("/{}/", definition.plural)),
                _ => false,
            };
            if !relevant && path.contains(&definition.plural) && request["method"] != "GET" {
                stored.clear();
            }
            match relevant.then(|| differs(step, &definition, &mut stored)).flatten() {
                None => {}
                Some(None) => right += 1,
                Some(Some(how)) => wrong.push(format!("{name} {}: {how}", step["id"])),
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong, {right} right", wrong.join("\n"), wrong.len());
    assert!(right > 180, "{right} right");
}

#[test]
fn wrong_rules_are_refused_as_recorded() {
    let (mut right, mut wrong) = (0, Vec::new());
    let at = "spec.validation.openAPIV3Schema";
    for (name, scenario) in scenarios() {
        for step in scenario["steps"].as_array().into_iter().flatten() {
            let versions = &step["request"]["body"]["spec"]["versions"];
            let schema = &versions[0]["schema"]["openAPIV3Schema"];
            let expected = causes(&step["expect"]["body"]);
            // What is no matter of expressions is found before they are looked at.
            let about_expressions = |(_, message, field): &(String, String, String)| {
                [".rule", ".messageExpression", ".optionalOldSelf", ".openAPIV3Schema"]
                    .iter()
                    .any(|end| field.ends_with(end))
                    && !message.contains("is not specified")
            };
            let refused = step["expect"]["status"] == 422 && !expected.is_empty();
            if !refused || versions[1].is_object() || !schema.to_string().contains("x-kubernetes-validations")
            {
                continue;
            }
            if !expected.iter().all(about_expressions) {
                continue;
            }
            let (_, errors) = rules::compile(&Structural::parse(schema), &field::Path::new(at), &[]);
            let found = shown(&errors);
            if found == expected {
                right += 1;
            } else {
                wrong.push(format!("{name} {}: {found:#?}\ninstead of {expected:#?}", step["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong, {right} right", wrong.join("\n"), wrong.len());
    assert!(right > 10, "{right} right");
}
