//! The trees of owners at the cursor: what controllers make of an object, and what becomes of it when that is deleted.

use glass::label;
use leptos::prelude::*;

use crate::cluster::Which;
use crate::model::messages::owners as words;
use crate::model::owners::{Fate, MOST, Node, RECENT, trees};
use crate::state::{Page, views};
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, flag, live};

/// The objects of the namespace, each below its owner.
#[component]
pub(super) fn Owners() -> impl IntoView {
    let page = expect_context::<Page>();
    let nodes = Memo::new(move |_| {
        let (which, namespace) = (page.cluster.get(), page.namespace.get());
        // While the newest is shown, it is enough to look again a few times a second.
        let at = page.at.get().unwrap_or_else(|| {
            page.lab.slow.track();
            untrack(|| page.revisions().0)
        });
        if which == Which::Remote {
            return Vec::new();
        }
        untrack(|| page.read(|model| trees(model.glass(which).versions(), at, &namespace)))
    });
    let none = move || {
        let said = if page.cluster.get() == Which::Remote { words::REMOTE } else { words::NONE };
        nodes.with(Vec::is_empty).then(|| view! { <p class="quiet">{said}</p> }.part())
    };
    let rows = move || nodes.with(|nodes| nodes.iter().map(|node| row(page, node)).collect::<Vec<_>>());
    view! {
        <p class="about trees-about" hidden=flag(move || nodes.with(Vec::is_empty))>{words::about(RECENT)}</p>
        {live(none)}
        <div class="scroll trees" tabindex="0" role="region" aria-label=words::TREES>
            <ul>{live(rows)}</ul>
            <p class="quiet" hidden=flag(move || nodes.with(Vec::len) < MOST)>{words::most(MOST)}</p>
        </div>
    }
    .part()
}

fn row(page: Page, node: &Node) -> Part {
    let Node { depth, key, says, fate } = node;
    // All of them are in the namespace that is chosen, if one is.
    let is_meant = untrack(|| page.namespace.with(|namespace| *namespace == key.namespace));
    let name = if is_meant { [&key.resource, "/", &key.name].concat() } else { label(key) };
    let named = match views::path_of(page, key).filter(|_| *fate != Fate::Gone) {
        Some(path) => views::link(page, name, path),
        None => view! { <span>{name}</span> }.part(),
    };
    let class = match fate {
        Fate::Stays => "",
        Fate::New => "changed",
        Fate::Ends => "ends",
        Fate::Gone => "gone",
    };
    view! {
        <li class=class style=("--depth", depth.to_string())>
            <span class="name mono">{named}</span>
            <span class="says">{says.clone()}</span>
        </li>
    }
    .part()
}
