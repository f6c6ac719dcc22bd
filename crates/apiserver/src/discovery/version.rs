//! `/version`: which kube-apiserver this server answers as.

use json_tree::json;

use super::root;
use crate::answer::Answer;
use crate::version::{GIT_VERSION, MAJOR, MINOR};

/// The version.
pub(super) fn answer() -> Answer {
    root::raw(&json!({
        "major": MAJOR,
        "minor": MINOR,
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": GIT_VERSION,
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": "wasm/any",
    }))
}
