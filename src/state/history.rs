//! The requests that were sent, to send them again. They outlive a reload of the page, for as long as the tab lives.

use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use web_sys::PopStateEvent;

use crate::cluster::trace::{Origin, Outcome};
use crate::cluster::{Request, host};
use crate::model::request::CONFIGMAPS;
use crate::state::{Model, Page, Shown, address, views};
use crate::ui::dom;

/// For how long the revision must have stayed before it goes into the address, in milliseconds.
const SETTLED: i32 = 300;

const KEY: &str = "kubeglass.history";
/// How many are shown and remembered.
const KEPT: usize = 40;
/// Bodies that are larger are not remembered over a reload.
pub(crate) const LARGEST: usize = 64 << 10;

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    /// The request that was sent.
    pub(crate) request: Request,
    /// The HTTP status code of the answer; 0 if there was none.
    pub(crate) status: u16,
}

impl Item {
    /// A number that tells it from others.
    pub(crate) fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let Request { method, target, headers, body, .. } = &self.request;
        (method, target, headers, body, self.status).hash(&mut hasher);
        hasher.finish()
    }
}

/// The requests that were sent from this tab, newest first.
pub(crate) fn items(model: &Model) -> Vec<Item> {
    let sent = model.trace.newest().filter(|exchange| exchange.origin == Origin::User).map(|exchange| Item {
        // What was typed is encoded anew when it is sent again.
        request: Request { encoded: None, ..exchange.request.clone() },
        status: match &exchange.outcome {
            Outcome::Answered(reply) => reply.status,
            Outcome::Pending | Outcome::Failed(_) => 0,
        },
    });
    let mut items: Vec<Item> = Vec::new();
    for item in sent.chain(model.recalled.iter().cloned()) {
        // The same request once more is no news.
        if items.len() < KEPT && !items.iter().any(|known| known.request == item.request) {
            items.push(item);
        }
    }
    items
}

/// Keeps what has been sent so far for after a reload, and puts the last request into the address.
pub(crate) fn remember(page: Page) {
    let mut items = untrack(|| page.read(items));
    if let Some(newest) = items.first() {
        put(page, &newest.request, true);
    }
    items.retain(|item| item.request.body.len() <= LARGEST);
    if let (Some(session), Ok(text)) = (dom::session(), serde_json::to_string(&items)) {
        let _ = session.set_item(KEY, &text);
    }
}

/// Puts a request into the page's address; with `back`, so that Back leads to the one before.
pub(crate) fn put(page: Page, request: &Request, back: bool) {
    // The address of a document stays that.
    if address::is_open(page) {
        return;
    }
    let address = to_address(page.at.get_untracked(), request);
    let before = dom::window().location().hash().unwrap_or_default();
    let Ok(history) = dom::window().history() else { return };
    let view = page.view.get_untracked().id().into();
    let _ = if back && before != address {
        history.push_state_with_url(&view, "", Some(&address))
    } else {
        history.replace_state_with_url(&view, "", Some(&address))
    };
}

/// Shows what the page's address names, when somebody goes back or forward: the view, and the newest response to the request.
/// Nothing is sent.
pub(crate) fn go_back(page: Page, event: &PopStateEvent) {
    // An entry without one was typed, or is a link: to a request, or to a part of the page.
    let Some(view) = views::of_entry(&event.state()) else { return go_to_typed(page) };
    views::turn(page, view);
    page.browse.path.set(views::browsed());
    let (at, request) = from_address().unwrap_or_else(|| (None, Request::get(CONFIGMAPS)));
    page.at.set(at);
    let sent = untrack(|| {
        page.read(|model| {
            let mut sent = model.trace.newest();
            let same = sent.find(|sent| {
                (&sent.request.method, &sent.request.target) == (&request.method, &request.target)
            });
            same.map(|sent| (sent.id, Request { encoded: None, ..sent.request.clone() }))
        })
    });
    let (id, request) = sent.map_or((None, request), |(id, request)| (Some(id), request));
    page.act_as(&request);
    page.form.fill(&request);
    if let Some(id) = id {
        page.show(Shown::Exchange(id, false));
    }
}

/// Goes where an address leads that was typed or clicked while the page is open. Nothing is sent that changes something.
fn go_to_typed(page: Page) {
    if address::is_link() {
        return host::reload();
    }
    let Some((at, request)) = from_address() else { return };
    page.act_as(&request);
    page.form.fill(&request);
    spawn_local(async move {
        if request.is_harmless() {
            page.exchange(request, Origin::User, true).await;
        }
        at.into_iter().for_each(|at| page.go_to(at));
    });
}

/// Keeps the revision that the page shows in the address, with the request whose answer is shown.
pub(crate) fn follow(page: Page) {
    Effect::new(move |before: Option<Option<u64>>| {
        let at = page.at.get();
        if before.is_some_and(|before| before != at) {
            spawn_local(async move {
                // Browsers let an address change only so often.
                dom::sleep(SETTLED).await;
                if page.at.get_untracked() != at {
                    return;
                }
                let Shown::Exchange(id, _) = page.shown.get_untracked() else { return };
                let shown =
                    untrack(|| page.read(|model| model.trace.get(id).map(|sent| sent.request.clone())));
                shown.into_iter().for_each(|request| put(page, &request, false));
            });
        }
        at
    });
}

/// Takes in what was kept.
pub(crate) fn recall(page: Page) {
    let text = dom::session().and_then(|session| session.get_item(KEY).ok().flatten());
    let items = text.and_then(|text| serde_json::from_str(&text).ok());
    page.recall(items.unwrap_or_default());
}

/// The request that the page's address asks for, and the revision to show it at.
pub(crate) fn from_address() -> Option<(Option<u64>, Request)> {
    of_address(&dom::window().location().hash().ok()?)
}

/// Returns the last request that was sent before a reload, if it has the method and the target of `asked`.
pub(crate) fn recalled(page: Page, asked: &Request) -> Option<Request> {
    let last = untrack(|| page.read(|model| model.recalled.first().map(|item| item.request.clone())))?;
    (last.method == asked.method && last.target == asked.target).then_some(last)
}

/// `#GET/api/v1/pods`, or with a revision `#10249@GET/api/v1/pods`.
fn to_address(at: Option<u64>, request: &Request) -> String {
    let at = at.map(|at| format!("{at}@")).unwrap_or_default();
    ["#", &at, &request.method, &request.target].concat()
}

fn of_address(hash: &str) -> Option<(Option<u64>, Request)> {
    let rest = hash.strip_prefix('#')?;
    let (at, rest) = match rest.split_once('@') {
        Some((at, rest)) if at.bytes().all(|byte| byte.is_ascii_digit()) => (Some(at.parse().ok()?), rest),
        _ => (None, rest),
    };
    let (method, _) = rest.split_once('/')?;
    let known = crate::model::request::form::METHODS.contains(&method);
    let target = &rest[method.len()..];
    known.then(|| (at, Request { method: method.to_owned(), ..Request::get(target) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(hash: &str, expected: Option<(Option<u64>, &str, &str)>) {
        let asked = of_address(hash);
        let got = asked.as_ref().map(|(at, request)| (*at, request.method.as_str(), request.target.as_str()));
        assert_eq!(got, expected);
        if let Some((at, request)) = asked {
            assert_eq!(to_address(at, &request), hash);
        }
    }

    #[test]
    fn addresses_carry_a_request() {
        check("#GET/api/v1/pods?watch=true", Some((None, "GET", "/api/v1/pods?watch=true")));
        check("#DELETE/api/v1/nodes/a", Some((None, "DELETE", "/api/v1/nodes/a")));
        check("#GET/api/v1/nodes/a@b", Some((None, "GET", "/api/v1/nodes/a@b")));
        check("#10249@GET/api/v1/pods", Some((Some(10249), "GET", "/api/v1/pods")));
        check("#7@GET/api/v1/nodes/a@b", Some((Some(7), "GET", "/api/v1/nodes/a@b")));
        for nothing in [
            "#@GET/api",
            "#99999999999999999999@GET/api",
            "#7@",
            "#x@GET/api",
            "",
            "#",
            "#GET",
            "#get/api",
            "#answer",
            "#/api/v1",
        ] {
            check(nothing, None);
        }
    }
}
