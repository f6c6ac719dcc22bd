//! Decoding held to what a real kube-apiserver said to the same bodies.

use std::fs;
use std::path::{Path, PathBuf};

use json_tree::Value;
use schema::{Decoded, TypeId, Types, decode, resources};

/// One exchange of a recording, about a built-in kind.
struct Exchange {
    name: String,
    method: String,
    path: String,
    /// The body, if it is JSON.
    sent: Option<Vec<u8>>,
    /// Of the object that the request's path takes.
    ty: TypeId,
    status: u64,
    answer: Value,
    warnings: Vec<String>,
    /// True if the response lacks the parts that the recording does not compare.
    partial: bool,
}

#[test]
fn refused_as_kube_apiserver_refuses() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for exchange in exchanges() {
        let message = exchange.answer["message"].as_str().unwrap_or_default();
        let (Some(sent), Some((_, expected))) =
            (&exchange.sent, message.split_once(" cannot be handled as a "))
        else {
            continue;
        };
        let expected = expected.split_once(": ").map_or("", |(_, reason)| reason);
        // Annotations are read as numbers where the object is converted.
        if exchange.method == "PATCH"
            || exchange.name.starts_with("\"annotations-of-old-fields\"")
            || ["no kind ", "converting ", "Object 'apiVersion'"].iter().any(|it| expected.starts_with(it))
        {
            continue;
        }
        checked += 1;
        let got = match decoded(sent, exchange.ty) {
            Ok(decoded) => format!("strict decoding error: {}", strict(&decoded).join(", ")),
            Err(error) => error.replace("2006-01-02T15:04:05Z", "<time>"),
        };
        if got != expected {
            failures.push(format!("{}: {got}\n    expected {expected}", exchange.name));
        }
    }
    report(&failures, checked, 50);
}

#[test]
fn warned_as_kube_apiserver_warns() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for exchange in exchanges() {
        let Some(sent) = exchange.sent.as_ref().filter(|_| exchange.status < 300) else { continue };
        let silent = exchange.path.contains("fieldValidation=Ignore");
        if silent || !["POST", "PUT"].contains(&exchange.method.as_str()) {
            continue;
        }
        checked += 1;
        let warnings = exchange.warnings.iter().filter_map(|warning| {
            let text = warning.strip_prefix("299 - \"")?.strip_suffix('"')?.replace("\\\"", "\"");
            (text.starts_with("unknown field") || text.starts_with("duplicate field")).then_some(text)
        });
        let expected: Vec<_> = warnings.collect();
        let got = decoded(sent, exchange.ty).map(|decoded| strict(&decoded));
        // Warnings that are long, or many, are cut before they are sent; headers hold no Unicode.
        if exchange.name.starts_with("\"fields-many\"") {
            continue;
        }
        if got.as_ref() != Ok(&expected) {
            failures.push(format!("{}: {got:?}\n    expected {expected:?}", exchange.name));
        }
    }
    report(&failures, checked, 1000);
}

/// A response of kube-apiserver was decoded and encoded by it: doing both again changes nothing.
#[test]
fn what_is_answered_decodes_to_itself() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for exchange in exchanges().into_iter().filter(|exchange| !exchange.partial) {
        let items = exchange.answer["items"].as_array().cloned();
        for object in items.unwrap_or_else(|| vec![exchange.answer.clone()]) {
            let Some((ty, object)) = restored(&exchange, object) else { continue };
            checked += 1;
            let text = |value: &Value| String::from_utf8_lossy(&codec::json::to_vec(value)).into_owned();
            let expected = text(&object);
            let got = decoded(expected.as_bytes(), ty).map_or_else(|error| error, |it| text(&it.value));
            if got != expected {
                let same = got.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
                let part = |text: &str| {
                    let from = &text.as_bytes()[same.saturating_sub(60)..];
                    String::from_utf8_lossy(&from[..from.len().min(120)]).into_owned()
                };
                failures.push(format!("{}: {}\n    expected {}", exchange.name, part(&got), part(&expected)));
            }
        }
    }
    report(&failures, checked, 1000);
}

#[track_caller]
fn report(failures: &[String], checked: usize, least: usize) {
    assert!(checked >= least, "only {checked} exchanges were found");
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
}

fn decoded(bytes: &[u8], ty: TypeId) -> Result<Decoded, String> {
    let node = codec::json::parse(bytes).map_err(|error| error.to_string())?;
    decode(Types::builtin(), ty, &node).map_err(|error| error.to_string())
}

fn strict(decoded: &Decoded) -> Vec<String> {
    decoded.strict.iter().map(ToString::to_string).collect()
}

/// The object with values in the place of the recording's placeholders, and its type, if it is of a
/// built-in kind.
fn restored(exchange: &Exchange, mut object: Value) -> Option<(TypeId, Value)> {
    let entries = object.as_object_mut()?;
    let kind = entries.shift_remove("kind");
    let version = entries.shift_remove("apiVersion");
    let ty = match (kind.as_ref().and_then(Value::as_str), version.as_ref().and_then(Value::as_str)) {
        (Some(kind), Some(version)) => {
            let mut rows = resources().iter();
            rows.find(|row| row.kind == kind && row.api_version() == version)?.ty()?
        }
        // The items of a list do not say what they are.
        _ if exchange.answer["items"].is_array() => exchange.ty,
        _ => return None,
    };
    restore("", &mut object);
    Some((ty, object))
}

fn restore(key: &str, value: &mut Value) {
    const MICRO: [&str; 4] = ["renameTime", "renewTime", "acquireTime", "eventTime"];
    match value {
        Value::String(text) if text == "<time>" && key == "lastObservedTime" || MICRO.contains(&key) => {
            *value = "2026-11-20T10:00:00.123456Z".into();
        }
        Value::String(text) if text == "<time>" => *value = "2026-11-20T10:00:00Z".into(),
        Value::String(text) if text == "<node port>" => *value = 30000.into(),
        Value::Array(items) => items.iter_mut().for_each(|item| restore(key, item)),
        Value::Object(entries) => entries.iter_mut().for_each(|(key, value)| restore(key, value)),
        _ => {}
    }
}

fn exchanges() -> Vec<Exchange> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings");
    let mut exchanges = Vec::new();
    for area in entries(&root) {
        for file in entries(&area) {
            let text = fs::read(&file).expect("recordings are readable");
            let scenario: Value = serde_json::from_slice(&text).expect("recordings are JSON");
            for step in scenario["steps"].as_array().into_iter().flatten() {
                let name = format!("{} {}", scenario["name"], step["id"]);
                exchanges.extend(exchange(name, step));
            }
        }
    }
    exchanges
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the recordings are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("they can be listed").path()).collect();
    paths.sort();
    paths
}

fn exchange(name: String, step: &Value) -> Option<Exchange> {
    let (request, expect) = (&step["request"], &step["expect"]);
    let header =
        |name: &str| request["headers"].as_object()?.iter().find(|it| it.0.eq_ignore_ascii_case(name));
    let json = header("content-type").is_none_or(|(_, value)| value == "application/json");
    let sent = match (&request["body"], &request["text"]) {
        (Value::Null, Value::String(text)) => Some(text.clone().into_bytes()),
        (Value::Null, _) => None,
        (body, _) => Some(codec::json::to_vec(body)),
    };
    let path = request["path"].as_str()?;
    let warnings = expect["headers"]["warning"].as_array().into_iter().flatten();
    let mut ignored = step["ignore"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Some(Exchange {
        name,
        method: request["method"].as_str()?.to_owned(),
        path: path.to_owned(),
        sent: sent.filter(|_| json),
        ty: type_at(path)?,
        status: expect["status"].as_u64()?,
        answer: expect["body"].clone(),
        warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
        partial: ignored.any(|pointer| !pointer.starts_with("/body/metadata/")),
    })
}

/// The type of what is sent to a path.
fn type_at(path: &str) -> Option<TypeId> {
    let path = path.split('?').next()?;
    let mut parts = path.trim_matches('/').split('/').collect::<Vec<_>>().into_iter();
    let group = match parts.next()? {
        "api" => "",
        "apis" => parts.next()?,
        _ => return None,
    };
    let version = parts.next()?;
    let mut rest: Vec<_> = parts.collect();
    if rest.first() == Some(&"namespaces") && rest.len() > 2 && !["status", "finalize"].contains(&rest[2]) {
        rest.drain(..2);
    }
    let mut rows = resources().iter();
    let row = rows.find(|row| {
        row.group == group && row.version == version && Some(&row.name.as_str()) == rest.first()
    })?;
    match rest.get(2) {
        Some(sub) => row.subresource(sub)?.ty(),
        None => row.ty(),
    }
}
