//! Reads the presets of the page, so that the page itself need not read YAML; and finds out which version of the editor,
//! which is loaded later, belongs with it.

use std::fmt::Write;
use std::{env, fs, io, path::Path};

use serde::Deserialize;

const PRESETS: &str = "src/model/request/presets.yaml";

/// The sources of the editor and of its texts about fields.
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
    declare("KUBEGLASS_EDITOR", &EDITOR)?;
    println!("cargo::rerun-if-changed={PRESETS}");
    let presets: Vec<Preset> = serde_yaml::from_str(&fs::read_to_string(PRESETS)?)?;
    let (mut code, mut late) = (String::from("&[\n"), String::from("&[\n"));
    for Preset { id, title, code: status, user, read, first, about, steps } in &presets {
        let steps = steps.iter().map(written).collect::<Result<String, _>>()?;
        let own = if *first { &*steps } else { "" };
        writeln!(
            code,
            "Preset {{ id: {id:?}, title: {title:?}, code: {status}, user: {user:?}, read: {read}, first: {first}, about: {about:?}, steps: &[{own}] }},"
        )?;
        if !first {
            writeln!(late, "({id:?}, &[{steps}]),")?;
        }
    }
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("presets.rs"), code + "]")?;
    fs::write(Path::new(&folder).join("late_steps.rs"), late + "]")?;
    Ok(())
}

/// Returns a step as an expression.
fn written(step: &Step) -> serde_json::Result<String> {
    let Step { id, method, path, query, may, body } = step;
    let query: Vec<(&str, &str)> =
        query.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default())).collect();
    let body = body.as_ref().map(serde_json::to_string_pretty).transpose()?.unwrap_or_default();
    Ok(format!(
        "Step {{ id: {id:?}, method: {method:?}, path: {path:?}, query: &{query:?}, may: &{may:?}, body: {body:?} }},\n"
    ))
}

/// Tells the compiler the version of what is made of some files and folders, as `name`.
fn declare(name: &str, sources: &[&str]) -> io::Result<()> {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for source in sources.iter().map(Path::new) {
        println!("cargo::rerun-if-changed={}", source.display());
        take_in(source, &mut hash)?;
    }
    println!("cargo::rustc-env={name}={hash:016x}");
    Ok(())
}

fn take_in(path: &Path, hash: &mut u64) -> io::Result<()> {
    if !path.is_dir() {
        take(&fs::read(path)?, hash);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        take(entry.file_name().as_encoded_bytes(), hash);
        take_in(&entry.path(), hash)?;
    }
    Ok(())
}

/// One round of FNV-1a a byte.
fn take(bytes: &[u8], hash: &mut u64) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
}
