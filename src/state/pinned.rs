//! The requests that somebody has pinned, in what the browser keeps.

use crate::cluster::Request;
use crate::state::history::LARGEST;
use crate::ui::dom;

/// The key of the pinned requests in the browser's storage.
const KEY: &str = "kubeglass.pinned";

/// Returns whether two requests were composed alike.
pub(crate) fn same(one: &Request, other: &Request) -> bool {
    (&one.method, &one.target, &one.headers, &one.body)
        == (&other.method, &other.target, &other.headers, &other.body)
}

/// Returns the pinned requests, the newest first.
pub(crate) fn remembered() -> Vec<Request> {
    let text = dom::remembered(KEY).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Remembers the pinned requests. As in the history, those with a large body do not outlive a reload.
pub(crate) fn remember(pinned: &[Request]) {
    let small = pinned.iter().filter(|pin| pin.body.len() <= LARGEST);
    let text = serde_json::to_string(&small.collect::<Vec<_>>());
    dom::remember(KEY, &text.unwrap_or_default());
}
