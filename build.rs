//! Reads the presets of the page, so that the page itself need not read YAML; and finds out which versions of what it
//! loads later belong with it: of the module for the other media types, and of the editor.

#[path = "crates/media/version.rs"]
mod version;

use std::fmt::Write;
use std::{env, fs, path::Path};

use serde::Deserialize;

const PRESETS: &str = "src/request/presets.yaml";

/// What the editor is made of, and what it says of fields.
const EDITOR: [&str; 5] =
    ["web", "Cargo.lock", "package-lock.json", "crates/schema/facts/values.txt", "xtask/src/web"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Preset {
    id: String,
    title: String,
    #[serde(default)]
    code: u16,
    #[serde(default)]
    user: String,
    #[serde(default)]
    read: bool,
    #[serde(default)]
    first: bool,
    about: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    id: String,
    method: String,
    path: String,
    #[serde(default)]
    query: json_tree::Map<String, json_tree::Value>,
    #[serde(default)]
    may: Vec<u16>,
    body: Option<json_tree::Value>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    version::declare(Path::new(""))?;
    version::declare_as("KUBEGLASS_EDITOR", Path::new(""), &EDITOR)?;
    println!("cargo::rerun-if-changed={PRESETS}");
    let presets: Vec<Preset> = serde_yaml::from_str(&fs::read_to_string(PRESETS)?)?;
    let mut code = String::from("&[\n");
    for Preset { id, title, code: status, user, read, first, about, steps } in &presets {
        writeln!(
            code,
            "Preset {{ id: {id:?}, title: {title:?}, code: {status}, user: {user:?}, read: {read}, first: {first}, about: {about:?}, steps: &["
        )?;
        for step in steps {
            let Step { id, method, path, may, .. } = step;
            let query: Vec<(&str, &str)> = step
                .query
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
                .collect();
            let body = step.body.as_ref().map(serde_json::to_string_pretty).transpose()?.unwrap_or_default();
            writeln!(
                code,
                "Step {{ id: {id:?}, method: {method:?}, path: {path:?}, query: &{query:?}, may: &{may:?}, body: {body:?} }},"
            )?;
        }
        code.push_str("] },\n");
    }
    code.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("presets.rs"), code)?;
    Ok(())
}
