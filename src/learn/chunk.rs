//! The chunks of the Learn view: see [`crate::chunks`].

// The macro declares what the module imports.
#![allow(unsafe_code)]

use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::reader::{Reader, Running};
use super::write::{dialog, edit, share};
use super::{lesson, play, present, shelf, step};
use crate::state::Page;
use crate::state::chunks::Show;
use crate::ui::later::Loading;
use crate::ui::part::Part;

/// Shows what can be read. See [`shelf::show`].
type Shelf = fn(Page, Option<String>) -> Part;

/// Loads what shows which lessons and documents there are.
pub(crate) fn shelf() -> Loading<Shelf> {
    Box::pin(load_shelf())
}

#[wasm_split(shelf, fallible)]
fn load_shelf() -> Result<Shelf, SplitLoaderError> {
    Ok(shelf::show)
}

/// Loads what runs documents.
pub(crate) fn running() -> Loading<Running> {
    Box::pin(load_running())
}

#[wasm_split(running, fallible)]
fn load_running() -> Result<Running, SplitLoaderError> {
    Ok(Running::HERE)
}

/// The functions that make a lesson of a document, or a presentation.
#[derive(Clone, Copy)]
pub(crate) struct Teaching {
    /// See [`step::show`].
    pub(crate) step: fn(Reader, usize) -> Part,
    /// See [`lesson::follow`].
    pub(crate) follow: fn(Reader),
    /// See [`present::show`].
    pub(crate) present: fn(Reader) -> Part,
    /// See [`play::play`].
    pub(crate) play: fn(Reader),
}

/// Loads what makes a lesson of a document, or a presentation.
pub(crate) fn teaching() -> Loading<Teaching> {
    Box::pin(load_teaching())
}

#[wasm_split(teaching, fallible)]
fn load_teaching() -> Result<Teaching, SplitLoaderError> {
    Ok(Teaching { step: step::show, follow: lesson::follow, present: present::show, play: play::play })
}

/// The functions that write documents.
#[derive(Clone, Copy)]
pub(crate) struct Writing {
    /// See [`dialog::show`].
    pub(crate) dialog: Show,
    /// See [`edit::show`].
    pub(crate) edit: fn(Reader) -> Part,
    /// See [`share::copy`].
    pub(crate) share: fn(Reader),
}

/// Loads what writes documents.
pub(crate) fn writing() -> Loading<Writing> {
    Box::pin(load_writing())
}

#[wasm_split(writing, fallible)]
fn load_writing() -> Result<Writing, SplitLoaderError> {
    Ok(Writing { dialog: dialog::show, edit: edit::show, share: share::copy })
}
