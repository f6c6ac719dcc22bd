//! The frame: the page as it is before anything has happened, which `index.html` carries. The build renders it with the
//! page's own components, see `web/frame.js`.

use std::cell::RefCell;

use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::ui::dom;
use crate::ui::part::{IntoPart, Part};

thread_local! {
    /// The frame, once it has been taken out of the document.
    static FRAME: RefCell<Option<HtmlElement>> = const { RefCell::new(None) };
}

/// Takes the frame out of the document, and keeps it for the parts of the page that come later.
pub(crate) fn take() {
    if let Some(frame) = dom::by_id("start") {
        frame.remove();
        FRAME.set(Some(frame));
    }
}

/// Returns whether the document had a frame.
pub(crate) fn is_there() -> bool {
    FRAME.with_borrow(Option::is_some)
}

/// Shows what stood in the element with this id; nothing where there was no such element. It cannot be used.
pub(crate) fn part(id: &'static str) -> Part {
    let node = NodeRef::<html::Div>::new();
    node.on_load(move |shown| {
        FRAME.with_borrow(|frame| {
            let stood = frame.as_ref()?.query_selector(&["#", id].concat()).ok().flatten()?;
            let copy = stood.clone_node_with_deep(true).ok()?;
            while let Some(child) = copy.first_child() {
                shown.append_child(&child).ok()?;
            }
            Some(())
        });
    });
    view! { <div class="frame" inert aria-busy="true" node_ref=node></div> }.part()
}
