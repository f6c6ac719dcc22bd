//! Every YAML text that kube-apiserver has been recorded to answer, read and written again byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use codec::{json, yaml};
use serde_json::Value;

/// What stands in recordings for what differs from run to run, quotes included where only the real text needs
/// them, and such a real text.
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

#[test]
fn every_answer_is_written_as_it_was_recorded() {
    let (mut compared, mut failures) = (0, Vec::new());
    for path in recordings() {
        let scenario: Value = serde_json::from_slice(&fs::read(&path).expect("readable")).expect("JSON");
        let file = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        for step in scenario["steps"].as_array().into_iter().flatten() {
            let id = step["id"].as_str().unwrap_or_default();
            let Some(text) = step.pointer("/expect/body/<yaml>").and_then(Value::as_str) else { continue };
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
        }
    }
    assert!(compared >= 40, "only {compared} answers in YAML");
    assert!(failures.is_empty(), "{} of {compared}:\n{}", failures.len(), failures.join("\n"));
}

fn difference(expected: &str, written: &[u8]) -> String {
    let written = String::from_utf8_lossy(written);
    let lines = expected.lines().zip(written.lines()).enumerate().find(|(_, (a, b))| a != b);
    match lines {
        Some((line, (a, b))) => format!("line {}\n  recorded {a:?}\n  written  {b:?}", line + 1),
        None => "one is longer".to_owned(),
    }
}
