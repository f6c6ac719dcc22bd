//! Responses that grow: the body of one is text that comes little by little, as a log that is followed.

use futures::StreamExt;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::Stream;
use crate::state::{Page, Shown};
use crate::ui::dom;

/// Adds to the body of a response what a stream brings, for as long as there may be more.
pub(crate) fn grow(page: Page, exchange: u64, mut stream: Stream) {
    spawn_local(async move {
        while let Some(Ok(chunk)) = stream.next().await {
            let has_room = page.update(|model| model.trace.append(exchange, &chunk));
            if page.shown.get_untracked() == Shown::Exchange(exchange, false) {
                dom::keep_focus();
                page.shown.notify();
            }
            if has_room != Some(true) {
                return;
            }
        }
    });
}
