//! The Cluster view: what has changed last, the objects of a collection, or an object.

use leptos::prelude::*;

use super::path::find;
use crate::browse::{newest, object, table};
use crate::cluster::place::Place;
use crate::state::{Page, views};
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, live};

/// Shows what is at the path of the Cluster view.
#[component]
pub(crate) fn Browser() -> impl IntoView {
    let page = expect_context::<Page>();
    let path = page.browse.path;
    keep_namespace(page);
    let shown = move || {
        let path = path.get();
        match Place::of(&path) {
            Some(place) if place.name.is_empty() => table::show(page, &place.collection()),
            Some(place) => object::show(page, &place.object(place.name)),
            None => newest::show(page),
        }
    };
    view! {
        <h2 id="objects-title" class="unseen">{words::OBJECTS}</h2>
        {live(shown)}
    }
    .part()
}

/// Goes on with the same collection in another namespace when somebody chooses one.
fn keep_namespace(page: Page) {
    Effect::new(move |before: Option<String>| {
        let namespace = page.namespace.get();
        let path = page.browse.path.get_untracked();
        if before.is_some_and(|before| before != namespace)
            && let Some(place) = Place::of(&path).filter(|place| place.name.is_empty())
            && let Some(kind) = untrack(|| find(page, place)).filter(|kind| kind.namespaced)
        {
            views::browse(page, &kind.path(&namespace));
        }
        namespace
    });
}
