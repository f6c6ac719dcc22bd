//! The recorded results of kube-apiserver for YAML bodies, and every recorded YAML response, read and written
//! again byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codec::{json, yaml};
use json_tree::Value;

/// The placeholders in recordings for text that differs from run to run, each with such a real text. Quotes are
/// included where only the real text needs them.
const PLACEHOLDERS: &[(&str, &str)] =
    &[("\"<time>\"", "\"2026-01-01T00:00:00Z\""), ("\"<n>\"", "\"10\""), ("\"<rv:", "\"10<")];

fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings");
    let mut files: Vec<PathBuf> = fs::read_dir(root)
        .expect("the recordings are there")
        .flat_map(|area| fs::read_dir(area.expect("readable").path()).expect("a directory of scenarios"))
        .map(|file| file.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

/// Calls `each` with every step, its scenario's file and its own name.
fn for_each_step(mut each: impl FnMut(&str, &str, &Value)) {
    for path in recordings() {
        let scenario: Value = serde_json::from_slice(&fs::read(&path).expect("readable")).expect("JSON");
        let file = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        for step in scenario["steps"].as_array().into_iter().flatten() {
            each(file, step["id"].as_str().unwrap_or_default(), step);
        }
    }
}

#[test]
fn every_answer_is_written_as_it_was_recorded() {
    let (mut compared, mut failures) = (0, Vec::new());
    for_each_step(|file, id, step| {
        let Some(text) = step.pointer("/expect/body/<yaml>").and_then(Value::as_str) else { return };
        let text = PLACEHOLDERS.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        compared += 1;
        let written = yaml::parse(text.as_bytes()).map_err(|error| error.to_string()).and_then(|node| {
            let value = json::to_value(&node).map_err(|error| format!("{error:?}"))?;
            yaml::write(&value).map_err(|error| error.to_string())
        });
        match written {
            Ok(written) if written == text.as_bytes() => {}
            Ok(written) => failures.push(format!("{file} {id}: {}", difference(&text, &written))),
            Err(error) => failures.push(format!("{file} {id}: {error}")),
        }
    });
    assert!(compared >= 40, "only {compared} answers in YAML");
    assert!(failures.is_empty(), "{} of {compared}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_body_is_read_as_it_was_recorded() {
    let (mut compared, mut failures) = (0, Vec::new());
    for_each_step(|file, id, step| {
        let Some(body) = yaml_body(step) else { return };
        let answer = &step["expect"];
        // These are refused for their media type or parameters, and not read.
        if matches!(answer["status"].as_u64(), Some(415 | 422)) {
            return;
        }
        compared += 1;
        let message = answer["body"]["message"].as_str().unwrap_or_default();
        let refused = ["yaml: ", "json: unsupported value"].iter().find_map(|start| message.find(start));
        let refused =
            refused.map(|at| &message[at..]).filter(|refused| !refused.starts_with("yaml: unmarshal errors"));
        let warned: Vec<&str> = answer
            .pointer("/headers/warning")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|warning| warning.contains("already set in map"))
            .collect();
        match (yaml::parse_document(&body), refused) {
            (Err(error), Some(refused)) if refused.starts_with(&error.to_string()) => {}
            (Ok(document), None) => {
                let found: Vec<String> =
                    document.duplicates.iter().map(|d| format!("299 - {:?}", d.to_string())).collect();
                let strict = document.strict_error().unwrap_or_default();
                let told = message.contains("yaml: unmarshal errors");
                if (!warned.is_empty() && warned != found) || (told && !message.contains(&strict)) {
                    failures.push(format!("{file} {id}: {warned:?} {message:?}, but {found:?}"));
                }
            }
            (outcome, _) => failures
                .push(format!("{file} {id}: {message:?}, but {:?}", outcome.map_err(|e| e.to_string()))),
        }
    });
    assert!(compared >= 100, "only {compared} bodies in YAML");
    assert!(failures.is_empty(), "{} of {compared}:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the YAML body that a step sends, if it does.
fn yaml_body(step: &Value) -> Option<Vec<u8>> {
    let request = step.get("request").filter(|request| request.is_object()).unwrap_or(step);
    let headers = request.get("headers").or(step.get("headers"))?.as_object()?;
    let (_, media_type) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"))?;
    if !media_type.as_str()?.contains("yaml") {
        return None;
    }
    let part = |name: &str| request.get(name).or(step.get(name)).and_then(Value::as_str);
    part("text").map(|text| text.as_bytes().to_vec()).or_else(|| STANDARD.decode(part("base64")?).ok())
}

fn difference(expected: &str, written: &[u8]) -> String {
    let written = String::from_utf8_lossy(written);
    let lines = expected.lines().zip(written.lines()).enumerate().find(|(_, (a, b))| a != b);
    match lines {
        Some((line, (a, b))) => format!("line {}\n  recorded {a:?}\n  written  {b:?}", line + 1),
        None => "one is longer".to_owned(),
    }
}
