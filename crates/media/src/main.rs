//! YAML, CBOR, Protobuf, tables and validation for the page: a WebAssembly module of its own, which the page loads when
//! somebody first asks for one of them, or changes something.
//!
//! It keeps what it has read of definitions, by their digests, and no more. If it panics, its caller gets a JavaScript
//! error.

use std::time::Duration;

use apiserver::represent;
use wasm_bindgen::prelude::wasm_bindgen;

/// The version of what this module and the page have in common.
#[wasm_bindgen]
pub fn version() -> String {
    env!("KUBEGLASS_MEDIA").to_owned()
}

/// Answers a question of the server in the page, see [`represent::answer`].
///
/// # Errors
/// kube-apiserver's text for what cannot be read or written.
#[wasm_bindgen]
pub fn answer(question: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    represent::answer(question, bytes)
}

/// The body of an answer in JSON as another `Accept` has it, see [`represent::represent`]. The time is in milliseconds
/// since the Unix epoch.
#[wasm_bindgen]
pub fn represent(uri: &str, accept: &str, json: &[u8], now: f64) -> Option<Vec<u8>> {
    let now = Duration::from_millis(now as u64);
    represent::represent(uri, accept, json, now).map(|represented| represented.body)
}

/// A line of a watch in JSON as an event of the watch that another `Accept` asks for, see
/// [`represent::represent_event`].
#[wasm_bindgen]
pub fn event(uri: &str, accept: &str, line: &[u8]) -> Option<Vec<u8>> {
    // There is no age in what is no table, and no table that is not JSON.
    represent::represent_event(uri, accept, line, Duration::ZERO).map(|represented| represented.body)
}

fn main() {}
