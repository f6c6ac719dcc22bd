//! The chain of causes of a write: from who made it to the request that everything began with.

use leptos::prelude::*;

use crate::cluster::Which;
use crate::cluster::embedded::USER_AGENT;
use crate::model::lab::cause::{By, Link, chain};
use crate::model::watch::EventLook;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::{controllers as words, ribbon};
use crate::ui::part::{IntoPart, Part, live, quiet};
use crate::widgets::version::Version;

/// Shows what led to the write of a revision, the last step first. Controllers tell of that some moments after the write.
pub(crate) fn of_write(page: Page, revision: u64) -> Part {
    let which = page.cluster.get_untracked();
    if which == Which::Remote {
        return ().part();
    }
    let links = Memo::new(move |_| {
        page.controllers(|known| untrack(|| page.read(|model| chain(model.glass(which), known, revision))))
    });
    let list = move || {
        if links.with(Vec::is_empty) {
            return quiet(words::CAUSE_UNKNOWN);
        }
        let items = links.with(|links| links.iter().map(|link| item(page, link)).collect::<Vec<_>>());
        view! { <ol class="causes" aria-label=words::CAUSE_ABOUT>{items}</ol> }.part()
    };
    live(list).part()
}

fn item(page: Page, link: &Link) -> Part {
    let Link { revision, object, change, by } = link;
    let (said, saw) = match by {
        By::Controller { name, key, saw } => (words::by_controller(name, key, saw.is_some()), *saw),
        By::Request { request, user_agent, .. } if user_agent == USER_AGENT && page.is_alone() => {
            (words::by_own(request), None)
        }
        By::Request { request, actor, .. } => (words::by_request(actor, request), None),
        By::Actor(actor) => (words::by_actor(actor), None),
    };
    view! {
        <li>
            <span class=["shape ", change.class()].concat() aria-hidden="true">{change.shape()}</span>
            " "<code>{object.clone()}</code>{ribbon::changed(change.name())}" "
            <Version version=revision.to_string() />
            " "{said}
            {saw.map(|saw| view! { " "<Version version=saw.to_string() /> }.part())}
        </li>
    }
    .part()
}
