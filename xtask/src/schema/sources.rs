//! The folders in which cargo keeps the sources of the two crates.

use std::path::{Path, PathBuf};
use std::process::Command;

use json_tree::Value;

use crate::files;

/// The `src` folders that are read.
pub(crate) struct Sources {
    /// `k8s-openapi`'s module of the Kubernetes version: `src/v1_36`.
    pub(crate) k8s_openapi: PathBuf,
    /// `k8s-pb`'s `src`.
    pub(crate) k8s_pb: PathBuf,
}

/// Asks `cargo metadata`, which fetches the sources if they are not there yet. `xtask/Cargo.toml` lists
/// both crates as dependencies of a target that does not exist, so that they are never built.
pub(crate) fn find(root: &Path) -> Result<Sources, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
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

/// All Rust files in a folder and below, with the path of the folder each is in, relative to the first.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut read = Vec::new();
    for path in files::find(folder, &[""], "rs")? {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let module = path.parent().unwrap_or(folder);
        read.push((files::from_root(folder, module), text));
    }
    read.sort();
    Ok(read)
}

/// The Go package of a module of either crate: `k8s.io/api/core/v1` for `api/core/v1`.
pub(crate) fn go_package(module: &str) -> String {
    let (first, rest) = module.split_once('/').unwrap_or((module, ""));
    format!("k8s.io/{}/{rest}", first.replace('_', "-"))
}
