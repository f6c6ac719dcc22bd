//! The replayer of recordings for the browser, and the native answers that its own are compared with.

use crate::page;
use crate::shell::Shell;
use crate::tools::Tool;

pub(super) const NEEDS: [Tool; 2] = [Tool::Crates, Tool::WasmTarget];

/// The folder in which `tests/browser/conformance.spec.mjs` looks for all this.
const FOLDER: &str = "target/conformance";
const ANSWERS: &str = "target/conformance/native.json";

/// Builds it, and what the npm package is made of, anew, into a folder that holds nothing of before: what cannot be built must not pass.
pub(super) fn build(shell: &Shell, conformance: &[&str]) -> Result<(), String> {
    let folder = shell.root().join(FOLDER);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{FOLDER} cannot be removed: {error}"))?;
    }
    // Optimised as what ships. The page's own build has most of the crates ready.
    page::release_module(shell, "kubeglass-conformance-wasm", "conformance_wasm", FOLDER)?;
    shell.run(&[conformance, &["--report", ANSWERS]].concat())
}
