//! The objects that have changed last, from all kinds: what the Cluster view begins with.

use glass::{History, label};
use leptos::prelude::*;
use protocol::trace::ObjectKey;

use crate::cluster::Which;
use crate::model::messages::past;
use crate::model::watch::{EventLook, EventType};
use crate::state::{Page, views};
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act, flag, live};
use crate::widgets::version::Version;

/// How many objects are shown.
const MOST: usize = 30;
/// How many writes are looked at for them.
const LOOKED: usize = 2_000;

/// An object and its last write.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    known: ObjectKey,
    revision: u64,
    change: EventType,
    manager: String,
}

/// Returns the objects that have changed last, newest first.
fn newest(history: &History, until: u64) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    let writes = history.writes().iter().rev().filter(|write| write.revision <= until);
    for write in writes.take(LOOKED) {
        if found.len() == MOST {
            break;
        }
        if seen.contains(&write.object) {
            continue;
        }
        seen.push(write.object);
        let Some(object) = history.object(write.object) else { continue };
        found.push(Change {
            known: object.known.clone(),
            revision: write.revision,
            change: write.change,
            manager: history.manager(write.manager).to_owned(),
        });
    }
    found
}

/// The objects that have changed last.
pub(super) fn show(page: Page) -> Part {
    let changes = Memo::new(move |_| {
        let until = page.at.get().unwrap_or(u64::MAX);
        page.history(|history| newest(history, until))
    });
    let rows = move || changes.with(|changes| changes.iter().map(|change| row(page, change)).collect_view());
    view! {
        <div class="browse-head"><h3>{words::NEWEST}</h3></div>
        <p class="browse-note">{words::NEWEST_ABOUT}</p>
        <p class="browse-note" hidden=flag(move || page.cluster.get() != Which::Remote)>{past::UNTOLD}</p>
        <div class="scroll browse-rows">
            <table class="rows browse-table" aria-label=words::NEWEST hidden=flag(move || changes.with(Vec::is_empty))>
                <thead>
                    <tr>
                        <th scope="col">{past::COLUMN_OBJECT}</th>
                        <th scope="col">{words::NAMESPACE}</th>
                        <th scope="col">{words::LAST_CHANGE}</th>
                        <th scope="col">{words::WRITTEN_BY}</th>
                        <th scope="col">{words::VERSION}</th>
                    </tr>
                </thead>
                <tbody>{live(rows)}</tbody>
            </table>
            <p class="quiet" hidden=flag(move || !changes.with(Vec::is_empty))>{words::NO_CHANGES}</p>
        </div>
    }
    .part()
}

fn row(page: Page, change: &Change) -> Part {
    let Change { known, revision, change, manager } = change.clone();
    let name = label(&ObjectKey { namespace: String::new(), ..known.clone() });
    let to = views::path_of(page, &known).filter(|_| change != EventType::Deleted);
    let named = match to.clone() {
        Some(to) => views::link(page, name, to),
        None => name.part(),
    };
    view! {
        <tr on:click=act(move |event| to.iter().for_each(|to| views::follow_row(page, &event, to)))>
            <th scope="row">{named}</th>
            <td>{known.namespace}</td>
            <td><span class=["shape ", change.class()].concat() aria-hidden="true">{change.shape()}</span>{change.name()}</td>
            <td>{manager}</td>
            <td><Version version=revision.to_string() /></td>
        </tr>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::samples::history;

    #[test]
    fn each_object_stands_once_with_its_last_write() {
        let history = history(&[
            (1, EventType::Added, "a"),
            (2, EventType::Added, "b"),
            (3, EventType::Modified, "a"),
            (4, EventType::Deleted, "b"),
        ]);
        let told = |until: u64| {
            let names = newest(&history, until).into_iter();
            names.map(|change| format!("{}{}", change.known.name, change.revision)).collect::<Vec<_>>()
        };
        assert_eq!(told(u64::MAX), ["b4", "a3"]);
        assert_eq!(told(2), ["b2", "a1"]);
        assert_eq!(told(0), [""; 0]);
    }
}
