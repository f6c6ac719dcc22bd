//! The chunk of the body's editor: see [`crate::chunks`].

// The macro declares what the module imports.
#![allow(unsafe_code)]

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::controls::Controls;
use super::editor::view::Editor;
use crate::state::chunks::Show;
use crate::ui::later::Loading;
use crate::ui::part::IntoPart;

/// The parts of the form with which a change is composed.
#[derive(Clone, Copy)]
pub(crate) struct Composing {
    /// How it is sent.
    pub(crate) controls: Show,
    /// The editor of its body.
    pub(crate) editor: Show,
}

/// Loads the parts of the form with which a change is composed.
pub(crate) fn composing() -> Loading<Composing> {
    Box::pin(load_composing())
}

#[wasm_split(editor, fallible)]
fn load_composing() -> Result<Composing, SplitLoaderError> {
    Ok(Composing { controls: || view! { <Controls /> }.part(), editor: || view! { <Editor /> }.part() })
}
