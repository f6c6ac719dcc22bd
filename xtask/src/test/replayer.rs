//! The replayer of recordings for the browser, and the native answers that its own are compared with.

use crate::{shell::Shell, tools::Tool};

pub(super) const NEEDS: [Tool; 3] = [Tool::Crates, Tool::WasmTarget, Tool::WasmBindgen];

/// Where `tests/browser/conformance.spec.mjs` looks for all this.
const FOLDER: &str = "target/conformance";
const ANSWERS: &str = "target/conformance/native.json";

/// Compiled as the page is: what is replayed has to be optimised as what ships. The page's own build has some of the
/// crates ready; those with more features in the page are compiled once more.
const BUILD: [&str; 8] = [
    "cargo",
    "build",
    "--locked",
    "--target=wasm32-unknown-unknown",
    "--profile",
    "page",
    "--package",
    "kubeglass-conformance-wasm",
];

/// Builds it anew, into a folder that holds nothing of before: what cannot be built must not pass.
pub(super) fn build(shell: &Shell, conformance: &[&str]) -> Result<(), String> {
    let folder = shell.root().join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{FOLDER} cannot be removed: {error}"))?;
    }
    std::fs::create_dir_all(&folder).map_err(|error| format!("{FOLDER} cannot be made: {error}"))?;
    shell.run(&[conformance, &["--report", ANSWERS]].concat())?;
    shell.run(&BUILD)?;
    let built = format!("{}/wasm32-unknown-unknown/page/conformance_wasm.wasm", target_directory(shell)?);
    shell.run(&["wasm-bindgen", "--target", "web", "--no-typescript", "--out-dir", FOLDER, &built])
}

/// Where cargo builds.
fn target_directory(shell: &Shell) -> Result<String, String> {
    let metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"];
    let metadata = shell.output(&metadata).and_then(|text| serde_json::from_str(&text).ok());
    let directory =
        metadata.as_ref().and_then(|metadata: &json_tree::Value| metadata["target_directory"].as_str());
    directory.map(str::to_owned).ok_or_else(|| "cargo metadata does not tell where cargo builds".to_owned())
}
