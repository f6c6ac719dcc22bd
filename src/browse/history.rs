//! The versions of an object: who wrote each, and what has changed in it.

use json_tree::Value;
use leptos::prelude::*;
use protocol::trace::{ObjectKey, Stored};

use super::path::concerns;
use crate::cluster::Which;
use crate::model::messages::past;
use crate::model::watch::{EventLook, EventType};
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act, live, quiet, text};
use crate::widgets::cause;
use crate::widgets::difference::Diff;
use crate::widgets::version::Version;

/// More versions than this are not shown.
const MOST: usize = 200;

/// A version.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    revision: u64,
    change: EventType,
    /// Who wrote it; empty if it is unknown.
    manager: String,
}

/// The versions of the object at a path, newest first.
pub(super) fn show(page: Page, path: &str) -> Part {
    let is_own = concerns(path);
    let known = Memo::new(move |_| {
        let until = page.at.get().unwrap_or(u64::MAX);
        page.history(|history| {
            let object = history.objects().iter().find(|object| is_own(&object.known))?;
            let writes = object.writes.iter().rev().filter(|revision| **revision <= until);
            let of = |revision: &u64| {
                let write = history.write(*revision)?;
                let manager = history.manager(write.manager).to_owned();
                Some(Written { revision: *revision, change: write.change, manager })
            };
            Some((object.known.clone(), writes.filter_map(of).take(MOST).collect::<Vec<_>>()))
        })
    });
    let chosen = RwSignal::new(None::<u64>);
    let now = Memo::new(move |_| {
        let newest = known.with(|known| Some(known.as_ref()?.1.first()?.revision));
        chosen.get().or(newest)
    });
    let list = move || {
        known.with(|known| {
            let versions = known.iter().flat_map(|(_, versions)| versions);
            versions.map(|own| row(page, own, now, chosen)).collect::<Vec<Part>>()
        })
    };
    let shown = move || {
        let revision = now.get()?;
        known.with_untracked(|known| Some(difference(page, &known.as_ref()?.0, revision)))
    };
    let told = move || {
        if now.with(Option::is_none) {
            if page.cluster.get() == Which::Remote { past::UNTOLD } else { words::NO_VERSIONS }
        } else {
            words::VERSIONS_ABOUT
        }
    };
    view! {
        <p class="browse-note">{text(told)}</p>
        <div class="browse-versions">
            <ol class="scroll" aria-label=words::HISTORY>{live(list)}</ol>
            <div class="browse-difference">{live(shown)}</div>
        </div>
    }
    .part()
}

fn row(page: Page, own: &Written, now: Memo<Option<u64>>, chosen: RwSignal<Option<u64>>) -> Part {
    let Written { revision, change, manager } = own.clone();
    view! {
        <li>
            <button
                type="button"
                class="row"
                aria-pressed=text(move || (now.get() == Some(revision)).to_string())
                on:click=act(move |_| {
                    chosen.set(Some(revision));
                    page.light(Some(revision.to_string()));
                })
            >
                <span class=["shape ", change.class()].concat() aria-hidden="true">{change.shape()}</span>
                <Version version=revision.to_string() />
                <span class="unseen">{change.name()}</span>
                <span class="name">{manager}</span>
            </button>
        </li>
    }
    .part()
}

/// Shows the difference that a write has made.
fn difference(page: Page, key: &ObjectKey, revision: u64) -> Part {
    let (before, after) = untrack(|| {
        page.read(|model| {
            let json = |stored: Option<&Stored>| {
                stored.and_then(|stored| serde_json::from_slice::<Value>(&stored.json).ok())
            };
            let versions = model.glass(page.cluster.get_untracked()).versions();
            match versions.around(key, revision) {
                Some((before, after)) => (before.map(json), json(after)),
                None => (None, None),
            }
        })
    });
    let look = move |_| page.go_to(revision);
    let diff = match (before, after) {
        (None, None) => quiet(past::NO_BODY),
        // Of the first version that is kept nobody knows what it has changed.
        (None, after) => view! { <Diff old=None new=after whole=true /> }.part(),
        (Some(before), after) => view! { <Diff old=before new=after /> }.part(),
    };
    view! {
        <div class="browse-tools">
            <button type="button" class="small" title=words::LOOK_BACK_ABOUT on:click=act(look)>{words::look_back(revision)}</button>
        </div>
        {cause::of_write(page, revision)}
        {diff}
    }
    .part()
}
