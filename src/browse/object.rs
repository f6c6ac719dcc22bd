//! An object's page: what it is, and in its tabs its YAML, who owns its fields, its versions, its events and its relatives.

use std::sync::Arc;

use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::read::{self, Refusal, at};
use super::{events, head, history, related, view, yaml};
use crate::change::owned;
use crate::cluster::{Request, Which};
use crate::state::Page;
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
];

/// What is known of an object.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    Nothing,
    Object(Arc<Value>),
    Refused(Refusal),
}

/// An object, which is read again whenever it has been written.
#[derive(Clone, Copy)]
struct Read {
    known: RwSignal<Known>,
    turn: StoredValue<u64>,
}

impl Read {
    fn of(page: Page, path: String) -> Self {
        let own = Self { known: RwSignal::new(Known::Nothing), turn: StoredValue::new(0) };
        let written = page.last_written(view::concerns(&path));
        Effect::new(move || {
            let (which, at) = (page.cluster.get(), at(page));
            written.get();
            own.again(page, which, at, Request::get(&path));
        });
        own
    }

    fn again(self, page: Page, which: Which, at: Option<u64>, request: Request) {
        self.turn.update_value(|turn| *turn += 1);
        let turn = self.turn.get_value();
        spawn_local(async move {
            let read = read::read(page, which, at, request).await;
            // Who wanted to see it may look at something else by now.
            if self.turn.try_get_value() == Some(turn) {
                let known = read.map_or_else(Known::Refused, |object| Known::Object(Arc::new(object)));
                if self.known.with_untracked(|before| *before != known) {
                    self.known.set(known);
                }
            }
        });
    }
}

/// The object at a path.
pub(super) fn show(page: Page, path: &str) -> Part {
    let own = Read::of(page, path.to_owned());
    let object = Memo::new(move |_| match own.known.get() {
        Known::Object(object) => Some(object),
        _ => None,
    });
    let (headed, tabbed) = (path.to_owned(), path.to_owned());
    let over = move || match own.known.get() {
        Known::Nothing => ().part(),
        Known::Object(object) => head::show(page, &headed, &object),
        Known::Refused(refusal) => view! {
            {view::head(page, &headed, ().part(), Vec::new())}
            <p class="browse-refusal" role="alert">{refusal.message}</p>
        }
        .part(),
    };
    let chosen = page.browse.tab;
    let panel = move || show_tab(page, chosen.get(), object, &tabbed);
    view! {
        {live(over)}
        <div class="tabs-line">
            <Tabs label=words::OBJECT tabs=TABS chosen=chosen />
        </div>
        <div
            class="scroll browse-panel"
            role="tabpanel"
            tabindex="0"
            aria-labelledby=text(move || TABS[chosen.get().min(TABS.len() - 1)].0)
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
        _ => yaml::show(page, object),
    }
}
