//! The same answer in every representation: what each weighs, and one of them beside its JSON.

use bytes::Bytes;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::documents::{self, Measured};
use crate::response::bytes::view as bytes_view;
use crate::response::fold::Document;
use crate::response::table::{self, Table};
use crate::response::tree::Tree;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::{self, bytes as said};
use crate::ui::part::{IntoPart, Part, live, quiet};
use crate::widgets::compare::{self, Comparison};

/// The id of what shows the one that is chosen.
const ID: &str = "representation";

/// Shows the representations of `json`, the body of the answer to `request`, if it could be read as JSON.
pub(crate) fn show(page: Page, request: Request, json: Option<Bytes>) -> Part {
    let Some(json) = json else { return quiet(said::NO_JSON) };
    let comparison = RwSignal::new(Comparison::No);
    let chosen = RwSignal::new(usize::MAX);
    compare::measure(page, comparison, request, json.clone());
    // What was chosen is beneath the list of all.
    Effect::new(move || {
        if chosen.get() != usize::MAX {
            request_animation_frame(|| {
                let shown = dom::by_id(ID);
                shown.into_iter().for_each(|shown| shown.scroll_into_view_with_bool(false));
            });
        }
    });
    let one = move || {
        let chosen = chosen.get();
        comparison.with(|comparison| match comparison {
            Comparison::Done(all) => Some(match all.get(chosen) {
                Some(compared) => beside(&compared.measured, &json),
                None if all.is_empty() => ().part(),
                None => quiet(said::BESIDE),
            }),
            _ => None,
        })
    };
    view! {
        <div class="representations">
            {live(move || comparison.with(|comparison| compare::show(comparison, Some(chosen))))}
            <div id=ID>{live(one)}</div>
        </div>
    }
    .part()
}

/// One of them beside the JSON of the answer.
fn beside(measured: &Measured, json: &Bytes) -> Part {
    let Measured { name, media: media_type, body, .. } = measured;
    let intro = said::chosen(name, &messages::size(body.len()));
    if documents::is_binary(media_type) {
        return bytes_view::show(media_type, body.clone(), Some(json.clone()), intro);
    }
    let shown = match Table::parse(body) {
        Some(table) => table::show(table),
        None => view! { <pre class="raw">{String::from_utf8_lossy(body).into_owned()}</pre> }.part(),
    };
    let tree = Document::parse(json).map(
        |document| view! { <div class="bytes-json scroll"><Tree document=document label=said::JSON /></div> },
    );
    view! {
        <div class="bytes">
            <div class="bytes-head"><p class="bytes-what">{intro}</p></div>
            <div class="bytes-text scroll" tabindex="0" role="group" aria-label=*media_type>{shown}</div>
            {tree}
        </div>
    }
    .part()
}
