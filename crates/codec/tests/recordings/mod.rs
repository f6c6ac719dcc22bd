//! The exchanges of the recorded conversations.
#![allow(dead_code, unreachable_pub)] // Not every test looks at everything.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use json_tree::Value;
use schema::{TypeId, resources};

/// A request and its answer.
pub struct Step {
    /// The recording and the step in it.
    pub name: String,
    pub method: String,
    pub path: String,
    /// The kind that the path is about.
    pub kind: String,
    /// Of that kind, if it is built in.
    pub ty: Option<TypeId>,
    /// The media type of the body, without parameters.
    pub sent_type: String,
    /// The body, if its bytes were recorded.
    pub sent: Option<Vec<u8>>,
    pub status: u64,
    pub answer_type: String,
    /// The answer as a value that can be compared.
    pub answer: Value,
    /// The answer as it was sent, if that was recorded.
    pub raw: Option<Vec<u8>>,
    pub warnings: Vec<String>,
}

/// Every request of every recording.
pub fn steps() -> Vec<Step> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings"), &mut files);
    files.sort();
    files.iter().flat_map(|file| in_file(file)).collect()
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the recordings are there") {
        let path = entry.expect("a readable directory").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
}

fn in_file(file: &Path) -> Vec<Step> {
    let text = fs::read(file).expect("a readable recording");
    let recording: Value = serde_json::from_slice(&text).expect("a recording is JSON");
    let steps = recording["steps"].as_array().cloned().unwrap_or_default();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    steps.iter().filter(|step| step["request"].is_object()).map(|it| step(&stem, it)).collect()
}

fn step(file: &str, step: &Value) -> Step {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let bytes = |value: &Value| value.as_str().and_then(|text| STANDARD.decode(text).ok());
    let (request, expect) = (&step["request"], &step["expect"]);
    let media_type = |headers: &Value, name: &str| {
        let header = headers.as_object().and_then(|headers| {
            headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| text(value))
        });
        header.unwrap_or_default().split(';').next().unwrap_or_default().to_owned()
    };
    let path = text(&request["path"]);
    let (kind, ty) = about(&path);
    Step {
        name: format!("{file} {}", text(&step["id"])),
        method: text(&request["method"]),
        kind,
        ty,
        sent_type: media_type(&request["headers"], "Content-Type"),
        sent: bytes(&request["base64"]),
        status: expect["status"].as_u64().unwrap_or_default(),
        answer_type: media_type(&expect["headers"], "content-type"),
        answer: expect["body"].clone(),
        raw: bytes(&step["raw"]),
        warnings: match &expect["headers"]["warning"] {
            Value::Array(all) => all.iter().map(text).collect(),
            Value::String(one) => vec![one.clone()],
            _ => Vec::new(),
        },
        path,
    }
}

/// The kind that a path is about: of built-in ones with its type. What else there is are widgets.
fn about(path: &str) -> (String, Option<TypeId>) {
    let path = path.split('?').next().unwrap_or_default();
    let (group_version, rest) = match path.strip_prefix("/api/") {
        Some(rest) => rest.split_once('/').unwrap_or((rest, "")),
        None => {
            let rest = path.strip_prefix("/apis/").unwrap_or_default();
            let end = rest.match_indices('/').nth(1).map_or(rest.len(), |(at, _)| at);
            (&rest[..end], rest[end..].trim_start_matches('/'))
        }
    };
    let mut parts: Vec<&str> = rest.split('/').collect();
    if parts.first() == Some(&"namespaces") && parts.len() > 2 {
        parts.drain(..2);
    }
    let found = resources()
        .iter()
        .find(|it| it.api_version() == group_version && parts.first() == Some(&it.name.as_str()));
    match (found, parts.get(2).map(|name| (name, found))) {
        (Some(found), Some((name, _))) => match found.subresource(name) {
            Some(sub) => (sub.kind.clone(), sub.ty()),
            None => (found.kind.clone(), found.ty()),
        },
        (Some(found), None) => (found.kind.clone(), found.ty()),
        (None, _) => ("Widget".to_owned(), None),
    }
}

/// Fails if there are failures, or if less than `least` exchanges were looked at.
#[track_caller]
pub fn report(failures: &[String], checked: usize, least: usize) {
    assert!(checked >= least, "only {checked} exchanges were found");
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
}
