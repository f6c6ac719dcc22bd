//! The links of a document: within it, to other documents, and elsewhere.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent};

use crate::state::address;
use crate::ui::dom;

/// The base of links that name no host, in documents that name none either.
const SITE: &str = "https://kubernetes.io/";

/// Follows the link that somebody clicked in the document from `source`: to a place in it, to another document of Markdown, which
/// opens here, or elsewhere, which opens beside the page.
pub(crate) fn follow(event: &MouseEvent, source: &str) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let link = target.and_then(|target| target.closest("a").ok().flatten());
    let Some(href) = link.and_then(|link| link.get_attribute("href")) else { return };
    event.prevent_default();
    if let Some(id) = href.strip_prefix('#') {
        let id = js_sys::decode_uri_component(id).map(String::from).unwrap_or_default();
        return go_to(&id);
    }
    let base = if source.starts_with("http") { source } else { SITE };
    let Ok(url) = web_sys::Url::new_with_base(&href, base) else { return };
    let is_document = [".md", ".markdown"].iter().any(|end| url.pathname().ends_with(end));
    if is_document && source.starts_with("http") {
        address::open(Some(&url.href()));
    } else {
        let _ = dom::window().open_with_url_and_target_and_features(&url.href(), "_blank", "noopener");
    }
}

/// Goes to the heading with an id, and puts the focus there.
pub(crate) fn go_to(id: &str) {
    let selector = format!("#learn [id=\"{}\"]", id.replace(['"', '\\'], ""));
    let found = dom::document().query_selector(&selector).ok().flatten();
    if let Some(heading) = found.and_then(|heading| heading.dyn_into::<HtmlElement>().ok()) {
        heading.set_tab_index(-1);
        heading.scroll_into_view();
        let _ = heading.focus();
    }
}
