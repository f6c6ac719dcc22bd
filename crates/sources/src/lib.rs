#![doc = include_str!("../README.md")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// The folders that are read.
#[derive(Clone, Debug)]
pub struct Sources {
    /// `k8s-openapi`'s module of the Kubernetes version: `src/v1_36`.
    pub k8s_openapi: PathBuf,
    /// `k8s-pb`'s `src`.
    pub k8s_pb: PathBuf,
}

/// Asks `cargo metadata` for the folders. It fetches the sources if they are not there yet.
///
/// # Errors
/// cargo cannot be run, or fails, or does not know the crates.
pub fn find() -> Result<Sources, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let folder = |name: &str| {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        packages
            .filter(|package| package["name"] == name)
            .filter_map(|package| package["manifest_path"].as_str())
            .find_map(|manifest| Some(Path::new(manifest).parent()?.join("src")))
            .ok_or_else(|| format!("cargo metadata does not list {name}"))
    };
    Ok(Sources { k8s_openapi: folder("k8s-openapi")?.join("v1_36"), k8s_pb: folder("k8s-pb")? })
}

/// Returns all Rust files in a folder and below: for each the path of the folder that it is in, relative to `folder`, with slashes,
/// and its text. They are in the order of these.
///
/// # Errors
/// A folder or a file cannot be read.
pub fn rust_files(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut read = Vec::new();
    let mut open = vec![(String::new(), folder.to_owned())];
    while let Some((module, folder)) = open.pop() {
        let failed = |error| format!("{} cannot be read: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                let module = if module.is_empty() { name.into_owned() } else { format!("{module}/{name}") };
                open.push((module, path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text =
                    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                read.push((module.clone(), text));
            }
        }
    }
    read.sort();
    Ok(read)
}

/// Returns the Go package of a module of either crate: `k8s.io/api/core/v1` for `api/core/v1`.
pub fn go_package(module: &str) -> String {
    let (first, rest) = module.split_once('/').unwrap_or((module, ""));
    format!("k8s.io/{}/{rest}", first.replace('_', "-"))
}
