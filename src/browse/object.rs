//! An object's page: what it is, and in its tabs its YAML, who owns its fields, its versions, its events and its relatives, and of a Pod
//! its logs and commands.

use std::sync::Arc;

use json_tree::Value;
use leptos::prelude::*;

use super::{events, exec, head, history, logs, path as paths, related, trail, yaml};
use crate::change::owned;
use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::state::Page;
use crate::state::peek::Refusal;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, live, text};
use crate::ui::tabs::{Tab, Tabs};

const TABS: &[Tab] = &[
    ("tab-object-yaml", words::YAML),
    ("tab-object-owners", words::OWNERS),
    ("tab-object-history", words::HISTORY),
    ("tab-object-events", words::EVENTS),
    ("tab-object-related", words::RELATED),
    ("tab-object-log", words::LOG),
    ("tab-object-exec", words::EXEC),
];

/// How many of them only a Pod has, at the end.
const OF_PODS: usize = 2;

/// Returns the tabs of the object at a path.
fn tabs(path: &str) -> &'static [Tab] {
    let is_pod = Place::of(path).is_some_and(|place| place.group().is_empty() && place.resource == "pods");
    if is_pod { TABS } else { &TABS[..TABS.len() - OF_PODS] }
}

/// An object as far as it is known.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    Nothing,
    Object(Arc<Value>),
    Refused(Refusal),
}

/// Reads the object at a path, and again whenever it has been written.
fn read(page: Page, path: String) -> RwSignal<Known> {
    let (known, latest) = (RwSignal::new(Known::Nothing), Latest::new());
    let written = page.last_written(paths::concerns(&path));
    Effect::new(move || {
        written.get();
        let work = page.peek_at(page.cluster.get(), page.reads_at(), Request::get(&path));
        latest.begin(work, move |read| {
            let read = read.map_or_else(Known::Refused, |object| Known::Object(Arc::new(object)));
            if known.with_untracked(|before| *before != read) {
                known.set(read);
            }
        });
    });
    known
}

/// The object at a path.
pub(super) fn show(page: Page, path: &str) -> Part {
    let known = read(page, path.to_owned());
    let object = Memo::new(move |_| match known.get() {
        Known::Object(object) => Some(object),
        _ => None,
    });
    let (headed, tabbed) = (path.to_owned(), path.to_owned());
    let over = move || match known.get() {
        Known::Nothing => ().part(),
        Known::Object(object) => head::show(page, &headed, &object),
        Known::Refused(refusal) => view! {
            {trail::show(page, &headed, ().part(), Vec::new())}
            <p class="browse-refusal" role="alert">{refusal.message}</p>
        }
        .part(),
    };
    let (chosen, tabs) = (page.browse.tab, tabs(path));
    // Others have fewer tabs than Pods.
    if chosen.get_untracked() >= tabs.len() {
        chosen.set(0);
    }
    let panel = move || show_tab(page, chosen.get(), object, &tabbed);
    view! {
        {live(over)}
        <div class="tabs-line">
            <Tabs label=words::OBJECT tabs=tabs chosen=chosen />
        </div>
        <div
            class="scroll browse-panel"
            role="tabpanel"
            tabindex="0"
            aria-labelledby=text(move || tabs[chosen.get().min(tabs.len() - 1)].0)
        >
            {live(panel)}
        </div>
    }
    .part()
}

fn show_tab(page: Page, tab: usize, object: Memo<Option<Arc<Value>>>, path: &str) -> Part {
    match tab {
        1 => {
            let path = path.to_owned();
            live(move || object.with(|object| object.as_ref().map(|object| owned::of_object(object, &path))))
                .part()
        }
        2 => history::show(page, path),
        3 => events::show(page, object),
        4 => related::show(page, object, path),
        5 => logs::show(page, object, path),
        6 => exec::show(page, object, path),
        _ => yaml::show(page, object),
    }
}
