//! The addresses of documents, `#/read?src=https://example.com/page.md`, and of links that carry a cluster.

use leptos::prelude::*;

use crate::cluster::host::{self, Host};
use crate::model::views::View;
use crate::state::Page;
use crate::ui::dom;

/// The beginning of a document's address.
const READ: &str = "#/read?src=";

/// The parameter that names the place in it.
const PLACE: &str = "at=";

/// The beginning of a link that carries more than method and path. No method begins like that.
pub(super) const MARK: &str = "#!";

/// Returns what the page's address says of a document; empty if it names none.
fn named() -> String {
    dom::window().location().hash().ok().filter(|hash| hash.starts_with(READ)).unwrap_or_default()
}

/// Returns the source of the document that the page's address names.
pub(crate) fn source() -> Option<String> {
    let named = named();
    let source = named.strip_prefix(READ)?.split('&').next().unwrap_or_default();
    js_sys::decode_uri_component(source).ok().map(String::from)
}

/// The most characters of a link: what browsers and programs for messages pass on whole.
pub(crate) const LONGEST: usize = 32_000;

/// Returns the page's own address, without what it shows.
pub(crate) fn base() -> String {
    let location = dom::window().location();
    [location.origin(), location.pathname()].map(Result::unwrap_or_default).concat()
}

/// Returns the id of the heading that the page's address leads to in its document.
pub(crate) fn place() -> Option<String> {
    let named = named();
    let place = named.split('&').find_map(|part| part.strip_prefix(PLACE))?;
    js_sys::decode_uri_component(place).ok().map(String::from)
}

/// Returns the part of an address that leads to a document, and to a heading in it.
pub(crate) fn of(source: &str, place: &str) -> String {
    let encoded = |text: &str| String::from(js_sys::encode_uri_component(text));
    let begin = [READ, &encoded(source)].concat();
    if place.is_empty() { begin } else { [&begin, "&", PLACE, &encoded(place)].concat() }
}

/// Puts the heading that is read into the page's address.
pub(crate) fn go_on_at(place: &str) {
    let Some(source) = source() else { return };
    if let Ok(history) = dom::window().history() {
        let state = history.state().unwrap_or_default();
        let _ = history.replace_state_with_url(&state, "", Some(&of(&source, place)));
    }
}

/// Returns whether the page shows a document. Its cluster is in this tab, whatever the address says.
pub(crate) fn is_open(page: Page) -> bool {
    page.host.with_value(|host| *host == Host::Tab) && !named().is_empty()
}

/// Opens the page anew with a document, or without one.
pub(crate) fn open(source: Option<&str>) {
    // In somebody's page it stays there (`static/boot.js`).
    let embedded = dom::document().document_element().is_some_and(|root| root.has_attribute("data-embed"));
    let view = ["?view=", View::Learn.id(), if embedded { "&embed" } else { "" }].concat();
    let hash = source.map(|source| of(source, ""));
    let address = [&view, hash.as_deref().unwrap_or("#")].concat();
    if let Ok(history) = dom::window().history() {
        let _ = history.push_state_with_url(&View::Learn.id().into(), "", Some(&address));
    }
    host::reload();
}

/// Opens the page anew when its address leads to another document, or away from one.
pub(crate) fn follow() {
    let opened = source();
    // What is typed into the address is told so, too.
    dom::listen("popstate", move |_: web_sys::Event| {
        if source() != opened {
            host::reload();
        }
    });
}

/// Returns whether the page's address is a link that carries more than method and path.
pub(crate) fn is_link() -> bool {
    dom::window().location().hash().is_ok_and(|hash| hash.starts_with(MARK))
}
