//! The chain of causes of a write: from who made it to the request that everything began with.

use leptos::prelude::*;

use crate::cluster::Which;
use crate::cluster::embedded::USER_AGENT;
use crate::model::lab::cause::{By, Link, chain};
use crate::model::watch::EventLook;
use crate::state::Page;
use crate::ui::messages::controllers as words;
use crate::ui::part::{IntoPart, Part, quiet};
use crate::widgets::version::Version;

/// Shows what led to the write of a revision, the last step first.
pub(crate) fn of_write(page: Page, revision: u64) -> Part {
    let which = page.cluster.get_untracked();
    if which == Which::Remote {
        return ().part();
    }
    let links =
        untrack(|| page.controllers(|known| page.read(|model| chain(model.glass(which), known, revision))));
    if links.is_empty() {
        return quiet(words::CAUSE_UNKNOWN);
    }
    let items = links.iter().map(item).collect::<Vec<_>>();
    view! { <ol class="causes" aria-label=words::CAUSE_ABOUT>{items}</ol> }.part()
}

fn item(link: &Link) -> Part {
    let Link { revision, object, change, by } = link;
    let (said, saw) = match by {
        By::Controller { name, key, saw } => (words::by_controller(name, key, saw.is_some()), *saw),
        By::Request { client, request, .. } => {
            (words::by_request(client, client == USER_AGENT, request), None)
        }
        By::Manager(manager) => (words::by_manager(manager), None),
    };
    view! {
        <li>
            <span class=["shape ", change.class()].concat() aria-hidden="true">{change.shape()}</span>
            " "<code>{object.clone()}</code>" "{words::changed(change.name())}" "
            <Version version=revision.to_string() />
            " "{said}
            {saw.map(|saw| view! { " "<Version version=saw.to_string() /> }.part())}
        </li>
    }
    .part()
}
