//! Several requests that are open at once, of which one is in the form: each keeps what was written and the response that it shows.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cluster::Request;
use crate::cluster::trace::Outcome;
use crate::state::history::{self, LARGEST};
use crate::state::{Model, Page, Shown};
use crate::ui::dom;
use crate::ui::messages::tabs as words;

/// The key of the open requests in what the browser keeps for a tab of its own.
const KEY: &str = "kubeglass.tabs";
/// The most requests that are open at once.
pub(crate) const MOST: usize = 12;

/// A request that is open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Open {
    pub(crate) id: u64,
    /// The request as it was when it was last in the form.
    pub(crate) request: Request,
    /// The content of the response pane at that time.
    pub(crate) shown: Shown,
}

/// The requests that are open. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Tabs {
    /// Empty while only one request is open.
    pub(crate) open: RwSignal<Vec<Open>>,
    /// The number of the one that is in the form.
    pub(crate) current: RwSignal<u64>,
}

impl Tabs {
    pub(crate) fn new() -> Self {
        Self { open: RwSignal::new(Vec::new()), current: RwSignal::new(0) }
    }

    /// Returns whether there are several.
    pub(crate) fn is_several(self) -> bool {
        self.open.with(|open| open.len() > 1)
    }

    fn next_id(self) -> u64 {
        self.open.with_untracked(|open| open.iter().map(|open| open.id + 1).max().unwrap_or(1))
    }
}

/// The requests that are kept over a reload, and the place of the one that is in the form, unless that is too large.
#[derive(Serialize, Deserialize)]
struct Kept {
    requests: Vec<Request>,
    current: Option<usize>,
}

/// Takes note of what is in the form.
fn put_down(page: Page) {
    let Tabs { open, current } = page.tabs;
    let (id, request, shown) = (current.get_untracked(), page.form.request(), page.shown.get_untracked());
    open.update(|open| match open.iter_mut().find(|open| open.id == id) {
        Some(own) => (own.request, own.shown) = (request, shown),
        None => open.push(Open { id, request, shown }),
    });
}

/// Puts a request that is open into the form, with the response that it showed.
fn take_up(page: Page, id: u64) {
    let Tabs { open, current } = page.tabs;
    let own = open.with_untracked(|open| open.iter().find(|open| open.id == id).cloned());
    let Some(Open { request, shown, .. }) = own else { return };
    current.set(id);
    page.act_as(&request);
    page.form.fill(&request);
    page.show(match shown {
        // It may have come meanwhile.
        Shown::Exchange(id, true) => {
            Shown::Exchange(id, page.quietly(|model| waits(model, id)).unwrap_or(false))
        }
        other => other,
    });
    history::put(page, &request, false);
}

fn waits(model: &mut Model, exchange: u64) -> bool {
    model.trace.get(exchange).is_some_and(|exchange| matches!(exchange.outcome, Outcome::Pending))
}

/// Opens another request, which begins as a copy of the one in the form.
pub(crate) fn open_another(page: Page) {
    put_down(page);
    if page.tabs.open.with_untracked(Vec::len) >= MOST {
        return page.tell_over(words::many(MOST), None);
    }
    let id = page.tabs.next_id();
    let (request, shown) = (page.form.request(), page.shown.get_untracked());
    page.tabs.open.update(|open| open.push(Open { id, request, shown }));
    page.tabs.current.set(id);
    keep(page);
    dom::reveal_soon(tab_id(id));
    dom::focus_soon("path");
}

/// Turns to a request that is open.
pub(crate) fn turn(page: Page, id: u64) {
    if page.tabs.current.get_untracked() != id {
        put_down(page);
        take_up(page, id);
        keep(page);
        dom::reveal_soon(tab_id(id));
    }
}

/// Closes a request; of the one in the form its neighbour takes the place.
pub(crate) fn close(page: Page, id: u64) {
    let Tabs { open, current } = page.tabs;
    put_down(page);
    let Some(at) = open.with_untracked(|open| open.iter().position(|open| open.id == id)) else { return };
    open.update(|open| drop(open.remove(at)));
    if current.get_untracked() == id
        && let Some(next) = open.with_untracked(|open| Some(open.get(at).or(open.last())?.id))
    {
        take_up(page, next);
    }
    keep(page);
}

/// Keeps the open requests for after a reload.
fn keep(page: Page) {
    let kept = page.tabs.open.with_untracked(|open| {
        let small = |open: &&Open| open.request.body.len() <= LARGEST;
        let kept: Vec<&Open> = open.iter().filter(small).collect();
        let current = page.tabs.current.get_untracked();
        let current = kept.iter().position(|open| open.id == current);
        Kept { requests: kept.into_iter().map(|open| open.request.clone()).collect(), current }
    });
    if let (Some(session), Ok(text)) = (dom::session(), serde_json::to_string(&kept)) {
        let _ = session.set_item(KEY, &text);
    }
}

/// Opens the requests again that were open before a reload. What is in the form by then stays there.
pub(crate) fn recall(page: Page) {
    let text = dom::session().and_then(|session| session.get_item(KEY).ok().flatten());
    let Some(Kept { requests, current }) = text.and_then(|text| serde_json::from_str(&text).ok()) else {
        return;
    };
    if requests.len() < 2 || page.tabs.is_several() {
        return;
    }
    let count = requests.len();
    let open = (0..).zip(requests).take(MOST).map(|(id, request)| {
        let shown = page.quietly(|model| last(model, &request)).flatten();
        Open { id, shown: shown.map_or(Shown::Nothing, |id| Shown::Exchange(id, false)), request }
    });
    page.tabs.open.set(open.collect());
    page.tabs.current.set(current.unwrap_or(count) as u64);
    put_down(page);
}

/// Returns the last exchange of a request.
fn last(model: &mut Model, request: &Request) -> Option<u64> {
    let mut sent = model.trace.newest();
    let same =
        sent.find(|sent| (&sent.request.method, &sent.request.target) == (&request.method, &request.target));
    same.map(|sent| sent.id)
}

/// Returns the id of the tab of a request that is open.
pub(crate) fn tab_id(id: u64) -> String {
    ["request-tab-", &id.to_string()].concat()
}
