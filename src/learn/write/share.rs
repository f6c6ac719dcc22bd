//! Links to documents, which carry those that are nowhere else.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::learn::reader::Reader;
use crate::learn::source;
use crate::model::views::View;
use crate::state::address;
use crate::ui::dom;
use crate::ui::messages::write as words;

/// The most characters of a link: what browsers and programs for messages pass on whole.
const MOST: usize = 32_000;
/// The headings of the document that is shown.
const HEADINGS: &str = "#learn .learn-text :is(h2, h3, h4)[id]";

/// Returns a link to a place of a document at a source.
fn to(source: &str, place: &str) -> String {
    let location = dom::window().location();
    let begin = [location.origin(), location.pathname()].map(Result::unwrap_or_default).concat();
    [&begin, "?view=", View::Learn.id(), &address::of(source, place)].concat()
}

/// Returns a link that carries a document.
///
/// # Errors
/// The text to show: it would be too long.
pub(super) async fn link(name: &str, text: &str) -> Result<String, String> {
    let link = to(&source::carried(name, text).await?, "");
    if link.len() > MOST { Err(words::too_long(link.len(), MOST)) } else { Ok(link) }
}

/// Copies a link to what is read of a document.
pub(crate) fn copy(reader: Reader) {
    let source = reader.source.get_value();
    spawn_local(async move {
        let copied = if source::is_kept(&source) {
            match source::text(&source).await {
                Ok(text) => link(source::name(&source), &text).await,
                Err(why) => Err(why),
            }
        } else {
            Ok(to(&source, &place().unwrap_or_default()))
        };
        match copied {
            Ok(link) => {
                dom::copy(&link);
                reader.page.tell_over(words::COPIED.to_owned(), None);
            }
            Err(why) => reader.page.tell_over(why, None),
        }
    });
}

/// Returns the id of the heading under which the first line stands that is seen.
fn place() -> Option<String> {
    let text = dom::document().query_selector("#learn .learn-text").ok().flatten()?;
    let top = text.get_bounding_client_rect().top() + 40.0;
    let headings = dom::document().query_selector_all(HEADINGS).ok()?;
    let headings = (0..headings.length()).filter_map(|at| headings.get(at)?.dyn_into::<HtmlElement>().ok());
    let above = headings.take_while(|heading| heading.get_bounding_client_rect().top() < top);
    above.last().map(|heading| heading.id())
}
