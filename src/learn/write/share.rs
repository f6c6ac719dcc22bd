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

/// The headings of the document that is shown.
const HEADINGS: &str = "#learn .learn-text :is(h2, h3, h4)[id]";

/// Returns a link to a place of a document at a source.
fn to(source: &str, place: &str) -> String {
    [&address::base(), "?view=", View::Learn.id(), &address::of(source, place)].concat()
}

/// Copies a link that carries a document.
///
/// # Errors
/// The text to show: it would be too long.
pub(super) async fn copy_whole(name: &str, text: &str) -> Result<(), String> {
    let link = to(&source::carried(name, text).await?, "");
    if link.len() > address::LONGEST {
        return Err(words::too_long(link.len(), address::LONGEST));
    }
    dom::copy(&link);
    Ok(())
}

/// Copies a link to what is read of a document.
pub(crate) fn copy(reader: Reader) {
    spawn_local(async move {
        let copied = copy_read(&reader.source.get_value()).await;
        reader.page.tell_over(copied.err().unwrap_or_else(|| words::COPIED.to_owned()), None);
    });
}

async fn copy_read(source: &str) -> Result<(), String> {
    if source::is_kept(source) {
        return copy_whole(source::name(source), &source::text(source).await?).await;
    }
    dom::copy(&to(source, &place().unwrap_or_default()));
    Ok(())
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
