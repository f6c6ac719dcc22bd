//! The line over what is at a path: its name, and the way back.

use apimachinery::target;
use leptos::prelude::*;

use crate::cluster::place::Place;
use crate::state::{Page, views};
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part};

/// The name of what is at a path, with the way back before it, `about` it behind, and what can be done with it.
pub(super) fn show(page: Page, path: &str, about: Part, buttons: Vec<Part>) -> Part {
    let link = |name: String, to: String| view! { <li>{views::link(page, name, to)}</li> }.part();
    let place = Place::of(path).unwrap_or_default();
    let resource = [place.resource, if place.group().is_empty() { "" } else { "." }, place.group()].concat();
    let above = vec![link(words::CLUSTER.to_owned(), String::new())];
    let (above, name) = if place.name.is_empty() {
        (above, resource)
    } else {
        let collection = link(resource, place.collection());
        (above.into_iter().chain([collection]).collect(), target::decoded(place.name))
    };
    let space = (!place.namespace.is_empty())
        .then(|| view! { <span class="figure">{words::in_namespace(place.namespace)}</span> }.part());
    view! {
        <div class="browse-head">
            <nav aria-label=words::TRAIL><ol>{above}</ol></nav>
            <h3 translate="no">{name}</h3>
            {about}
            {space}
            <span class="space"></span>
            <span class="browse-buttons">{buttons}</span>
        </div>
    }
    .part()
}
