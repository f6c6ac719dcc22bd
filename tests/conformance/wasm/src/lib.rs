//! The replayer, for a browser: `tests/browser/conformance.spec.mjs` gives it the recordings, one at a time.
//!
//! A panic of the server cannot be caught in WebAssembly. It is thrown as a JavaScript error that says what and where,
//! and after it this instance must not be used again.

use std::panic;

// Its functions for JavaScript are exported from here.
use engine_package as _;

use conformance::{Report, Scenario, in_new_cluster};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(start)]
fn start() {
    panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}

/// Replays a scenario, the text of a recording, against a server of its own, and gives the text of its [`Report`].
///
/// # Errors
/// A text that is no scenario: why not.
#[wasm_bindgen]
pub fn replay(recording: &str) -> Result<String, String> {
    let scenario: Scenario = serde_json::from_str(recording).map_err(|error| error.to_string())?;
    let replay = in_new_cluster(&scenario);
    serde_json::to_string(&Report::of(&replay)).map_err(|error| error.to_string())
}
