//! The requests that are open, as tabs.
//! See <https://www.w3.org/WAI/ARIA/apg/patterns/tabs/>.

use apimachinery::target;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, MouseEvent};

use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::state::Page;
use crate::state::tabs::{Tabs, close, tab_id, turn};
use crate::ui::dom;
use crate::ui::messages::tabs as words;
use crate::ui::part::{IntoPart, Part, act, each, live, text};

/// Returns the name of a request: its method, and what its path is about.
fn name(request: &Request) -> String {
    let (path, params) = target::split(&request.target);
    let watch = if params.iter().any(|(name, _)| name == "watch") { " ◉" } else { "" };
    let about = match Place::of(&path) {
        Some(place) => {
            let parts =
                [place.resource, place.name, place.subresource].into_iter().filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("/")
        }
        None => path,
    };
    [request.method.as_str(), " ", &about, watch].concat()
}

/// The requests that are open, as tabs.
#[component]
pub(crate) fn Strip() -> impl IntoView {
    let page = expect_context::<Page>();
    let Tabs { open, current } = page.tabs;
    let ids = move || open.with(|open| open.iter().map(|open| open.id).collect::<Vec<u64>>());
    let keydown = move |event: KeyboardEvent| {
        let ids = untrack(ids);
        let Some(at) = ids.iter().position(|id| *id == current.get_untracked()) else { return };
        let next = match event.key().as_str() {
            "ArrowRight" => (at + 1) % ids.len(),
            "ArrowLeft" => (at + ids.len() - 1) % ids.len(),
            "Home" => 0,
            "End" => ids.len() - 1,
            "Delete" => {
                close(page, ids[at]);
                event.prevent_default();
                dom::focus_soon(tab_id(current.get_untracked()));
                return;
            }
            _ => return,
        };
        event.prevent_default();
        turn(page, ids[next]);
        dom::focus_soon(tab_id(ids[next]));
    };
    view! {
        <div class="request-tabs">
            <div class="request-tablist" role="tablist" aria-label=words::LABEL on:keydown=act(keydown)>
                {each(ids, move |id| tab(page, id))}
            </div>
            <button type="button" class="icon" aria-label=words::CLOSE title=words::CLOSE_ABOUT on:click=act(move |_| close(page, current.get_untracked()))>
                "✕"
            </button>
        </div>
    }
    .part()
}

fn tab(page: Page, id: u64) -> Part {
    let Tabs { open, current } = page.tabs;
    let is_current = move || current.get() == id;
    let request = move || {
        // The one in the form is as it is written now.
        if is_current() {
            return page.form.watched();
        }
        let own = open.with(|open| open.iter().find(|open| open.id == id).map(|open| open.request.clone()));
        own.unwrap_or_default()
    };
    let wheel = move |event: MouseEvent| {
        if event.button() == 1 {
            event.prevent_default();
            close(page, id);
        }
    };
    view! {
        <button
            type="button"
            role="tab"
            id=tab_id(id)
            class="mono"
            title=text(move || { let request = request(); [&request.method, " ", &request.target].concat() })
            aria-selected=text(move || is_current().to_string())
            tabindex=text(move || if is_current() { "0" } else { "-1" })
            on:click=act(move |_| turn(page, id))
            on:auxclick=act(wheel)
        >
            {live(move || name(&request()))}
        </button>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_called_by_what_it_is_about() {
        for (method, target, expected) in [
            ("GET", "/api/v1/namespaces/default/configmaps?limit=1", "GET configmaps"),
            ("PUT", "/api/v1/namespaces/default/configmaps/a", "PUT configmaps/a"),
            ("GET", "/api/v1/pods?watch=true", "GET pods ◉"),
            ("GET", "/version", "GET /version"),
            ("GET", "", "GET "),
            ("GET", "/api/v1/namespaces/a/pods/b/log", "GET pods/b/log"),
        ] {
            let request = Request { method: method.to_owned(), ..Request::get(target) };
            assert_eq!(name(&request), expected);
        }
    }
}
