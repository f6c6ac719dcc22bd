//! The rail on the left, which chooses the view.

use leptos::prelude::*;
use web_sys::MouseEvent;

use crate::model::views::View;
use crate::state::{Page, views};
use crate::ui::messages::views as words;
use crate::ui::part::{IntoPart, maybe};

#[component]
pub(crate) fn Rail() -> impl IntoView {
    let page = expect_context::<Page>();
    let link = |view: View| {
        let (name, about) = view.words();
        let click = move |event: MouseEvent| {
            // Another tab or window is the browser's.
            if views::is_plain(&event) {
                event.prevent_default();
                views::choose(page, view);
            }
        };
        view! {
            <a
                href=["?view=", view.id()].concat()
                title=about
                data-to=view.id()
                aria-current=maybe(move || (page.view.get() == view).then_some("page"))
                on:click=click
            >
                <svg viewBox="0 0 20 20" aria-hidden="true"><path d=icon(view)></path></svg>
                <span>{name}</span>
            </a>
        }
        .part()
    };
    view! {
        <nav class="views" aria-label=words::VIEWS>
            {View::ALL.into_iter().map(link).collect_view()}
        </nav>
    }
    .part()
}

/// Returns the shape of its icon, in a square of 20.
fn icon(view: View) -> &'static str {
    match view {
        View::Request => "M3 7h12l-3.5-3.5M17 13H5l3.5 3.5",
        View::Cluster => "M10 2.5l6.5 3.7v7.6L10 17.5l-6.5-3.7V6.2zM3.5 6.2L10 10l6.5-3.8M10 10v7.5",
        View::Watches => {
            "M1.5 10S4.5 4.5 10 4.5 18.5 10 18.5 10 15.5 15.5 10 15.5 1.5 10 1.5 10zM10 7.5a2.5 2.5 0 100 5 2.5 2.5 0 100-5z"
        }
        View::Timeline => "M3 3v14M3 6h8M3 10h13M3 14h5",
        View::Lab => "M8 2.5h4M8.7 2.5v5L4 15.5c-.6 1.1 0 2 1.2 2h9.6c1.2 0 1.8-.9 1.2-2l-4.7-8v-5M6.5 12h7",
        View::Access => "M10 2.5l6 2.2v4.6c0 4-2.6 6.8-6 8.2-3.4-1.4-6-4.2-6-8.2V4.7zM7.3 9.8l2 2 3.4-3.6",
        View::Learn => {
            "M10 5.5C8 4 5.5 3.5 2.5 3.7v11.6c3-.2 5.5.3 7.5 1.8 2-1.5 4.5-2 7.5-1.8V3.7c-3-.2-5.5.3-7.5 1.8zM10 5.5v11.6"
        }
        View::Overview => "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
    }
}
