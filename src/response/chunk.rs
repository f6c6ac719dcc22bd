//! The chunk of what is shown of a response beside its body: see [`crate::chunks`].

// The macro declares what the module imports.
#![allow(unsafe_code)]

use ::bytes::Bytes;
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::tree::Handle;
use super::{against, bytes, event, find, next, representations, waiting, webhooks};
use crate::access::view as decided;
use crate::change::{going, owned, trial};
use crate::cluster::Request;
use crate::cluster::status::Status;
use crate::cluster::trace::Exchange;
use crate::cluster::webhooks::Calls;
use crate::explore::offer;
use crate::model::change::trial::Trial;
use crate::policy::view as policy;
use crate::state::Page;
use crate::ui::later::Loading;
use crate::ui::part::{IntoPart, Part};
use crate::why::view as why;

/// The explanations of a response, and its other forms.
#[derive(Clone, Copy)]
pub(crate) struct Explanations {
    /// See [`why::of_answer`].
    pub(crate) of_answer: fn(Page, &Exchange, Status) -> Part,
    /// See [`decided::denied`].
    pub(crate) denied: fn(Page, &Exchange) -> Option<Part>,
    /// See [`against::show`].
    pub(crate) against: fn(Page, u64) -> Part,
    /// See [`event::show`].
    pub(crate) event: fn(Page, u64, u64) -> Part,
    /// See [`waiting::show`].
    pub(crate) waiting: fn(Page, u64, f64) -> Part,
    /// See [`why::of_deletion`].
    pub(crate) of_deletion: fn(Page, &Exchange, &[u8]) -> Option<Part>,
    /// See [`why::OfWatch`].
    pub(crate) of_watch: fn(u64) -> Part,
    /// See [`going::show`].
    pub(crate) going: fn(Page, &Request, &[u8]) -> Option<Part>,
    /// See [`next::show`].
    pub(crate) next: next::Show,
    /// See [`find::show`].
    pub(crate) find: fn(Handle) -> Part,
    /// See [`offer::show`].
    pub(crate) offer: fn(Page, &[u8]) -> Option<Part>,
    /// See [`owned::of_body`].
    pub(crate) owned: fn(&[u8], &str) -> Part,
    /// See [`representations::show`].
    pub(crate) representations: fn(Page, Request, Option<Bytes>) -> Part,
    /// See [`bytes::view::show`].
    pub(crate) bytes: fn(&str, Bytes, Option<Bytes>, String) -> Part,
    /// See [`trial::show`].
    pub(crate) trial: fn(Page, &Trial) -> Part,
    /// See [`policy::show`].
    pub(crate) policy: fn(Page) -> Part,
    /// See [`webhooks::show`].
    pub(crate) webhooks: fn(&Calls) -> Part,
}

/// Loads the explanations.
pub(crate) fn explanations() -> Loading<Explanations> {
    Box::pin(load_explanations())
}

#[wasm_split(explanations, fallible)]
fn load_explanations() -> Result<Explanations, SplitLoaderError> {
    Ok(Explanations {
        of_answer: why::of_answer,
        denied: decided::denied,
        against: against::show,
        event: event::show,
        waiting: waiting::show,
        of_deletion: why::of_deletion,
        of_watch: |watch| view! { <why::OfWatch watch=watch /> }.part(),
        going: going::show,
        next: next::show,
        find: find::show,
        offer: offer::show,
        owned: owned::of_body,
        representations: representations::show,
        bytes: bytes::view::show,
        trial: trial::show,
        policy: policy::show,
        webhooks: webhooks::show,
    })
}
