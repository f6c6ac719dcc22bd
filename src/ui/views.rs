//! The views of the page: what the screen is about. Each gives its subject the room, and keeps some of the others as strips.
//! The style sheet lays them out by `data-view`; a narrow page shows one pane at a time instead.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::MouseEvent;

use crate::cluster::catalog;
use crate::lab;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::views as words;
use crate::ui::panes::Pane;
use crate::ui::part::{IntoPart, Part, act, maybe};

/// `static/boot.js` reads it too, for the frame.
const KEY: &str = "kubeglass.view";
/// The parameter of the page's address that names the view.
const PARAM: &str = "view";
/// The one that names the path of what the Cluster view shows.
const PATH: &str = "path";
/// Where the page shows one pane at a time.
pub(crate) const NARROW: &str = "(max-width: 759.98px)";

/// A view: the subject that the screen is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    /// A request and its response, side by side.
    #[default]
    Request,
    /// What there is, and what one looks at of it.
    Cluster,
    /// The watches, beside each other.
    Watches,
    /// The history.
    Timeline,
    /// What is done to the cluster on purpose, and what comes of it.
    Lab,
    /// Who may do what.
    Access,
    /// Documents whose examples run.
    Learn,
    /// Everything at once, for a large screen.
    Overview,
}

impl View {
    /// All of them, in the order of the rail.
    pub(crate) const ALL: [Self; 8] = [
        Self::Request,
        Self::Cluster,
        Self::Watches,
        Self::Timeline,
        Self::Lab,
        Self::Access,
        Self::Learn,
        Self::Overview,
    ];

    /// Returns its name in addresses and in the style sheet.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Cluster => "cluster",
            Self::Watches => "watches",
            Self::Timeline => "timeline",
            Self::Lab => "lab",
            Self::Access => "access",
            Self::Learn => "learn",
            Self::Overview => "overview",
        }
    }

    /// Returns what it is called, and what it is for.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Request => words::REQUEST,
            Self::Cluster => words::CLUSTER,
            Self::Watches => words::WATCHES,
            Self::Timeline => words::TIMELINE,
            Self::Lab => words::LAB,
            Self::Access => words::ACCESS,
            Self::Learn => words::LEARN,
            Self::Overview => words::OVERVIEW,
        }
    }

    /// Returns the shape of its icon, in a square of 20.
    fn icon(self) -> &'static str {
        match self {
            Self::Request => "M3 7h12l-3.5-3.5M17 13H5l3.5 3.5",
            Self::Cluster => "M10 2.5l6.5 3.7v7.6L10 17.5l-6.5-3.7V6.2zM3.5 6.2L10 10l6.5-3.8M10 10v7.5",
            Self::Watches => {
                "M1.5 10S4.5 4.5 10 4.5 18.5 10 18.5 10 15.5 15.5 10 15.5 1.5 10 1.5 10zM10 7.5a2.5 2.5 0 100 5 2.5 2.5 0 100-5z"
            }
            Self::Timeline => "M3 3v14M3 6h8M3 10h13M3 14h5",
            Self::Lab => {
                "M8 2.5h4M8.7 2.5v5L4 15.5c-.6 1.1 0 2 1.2 2h9.6c1.2 0 1.8-.9 1.2-2l-4.7-8v-5M6.5 12h7"
            }
            Self::Access => {
                "M10 2.5l6 2.2v4.6c0 4-2.6 6.8-6 8.2-3.4-1.4-6-4.2-6-8.2V4.7zM7.3 9.8l2 2 3.4-3.6"
            }
            Self::Learn => {
                "M10 5.5C8 4 5.5 3.5 2.5 3.7v11.6c3-.2 5.5.3 7.5 1.8 2-1.5 4.5-2 7.5-1.8V3.7c-3-.2-5.5.3-7.5 1.8zM10 5.5v11.6"
            }
            Self::Overview => "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
        }
    }

    /// Returns the one with this id.
    pub(crate) fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.id() == id)
    }

    /// Returns the pane that it is about, if it is about one.
    fn pane(self) -> Option<Pane> {
        match self {
            Self::Request => Some(Pane::Request),
            Self::Cluster => Some(Pane::Resources),
            Self::Watches | Self::Lab => Some(Pane::Watches),
            Self::Timeline => Some(Pane::Timeline),
            Self::Access | Self::Learn | Self::Overview => None,
        }
    }

    /// Returns whether a pane is in it, be it as a strip.
    pub(crate) fn shows(self, pane: Pane) -> bool {
        match pane {
            Pane::Resources => matches!(self, Self::Cluster | Self::Overview),
            Pane::Request => matches!(self, Self::Request | Self::Overview),
            Pane::Answer => matches!(self, Self::Request | Self::Watches | Self::Learn | Self::Overview),
            Pane::Watches => self != Self::Timeline,
            Pane::Timeline => true,
        }
    }

    /// Returns the one that is left for `pane`, where this one does not show it.
    fn toward(self, pane: Pane) -> Self {
        if self.shows(pane) {
            return self;
        }
        match pane {
            Pane::Resources => Self::Cluster,
            Pane::Request | Pane::Answer => Self::Request,
            Pane::Watches => Self::Watches,
            Pane::Timeline => Self::Timeline,
        }
    }

    /// Returns whether it has the watches as a strip, a line each.
    pub(crate) fn has_strip(self) -> bool {
        matches!(self, Self::Request | Self::Cluster | Self::Access | Self::Learn)
    }

    /// Returns the one that the page's address names, or else the one that was chosen last.
    pub(crate) fn remembered() -> Self {
        let asked = asked(&dom::window().location().search().unwrap_or_default()).and_then(Self::of);
        asked.or_else(|| Self::of(&dom::remembered(KEY)?)).unwrap_or_default()
    }
}

/// Returns a parameter in the query of an address.
fn param<'s>(search: &'s str, wanted: &str) -> Option<&'s str> {
    let pairs = search.trim_start_matches('?').split('&');
    pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// Returns the name of the view in the query of an address.
fn asked(search: &str) -> Option<&str> {
    param(search, PARAM)
}

/// Returns the query of an address, with a view in it, and with the path of what the Cluster view shows.
fn with(search: &str, view: View, path: &str) -> String {
    let others = search.trim_start_matches('?').split('&');
    let own = |pair: &&str| matches!(pair.split('=').next(), Some(PARAM | PATH));
    let others = others.filter(|pair| !pair.is_empty() && !own(pair)).map(str::to_owned);
    let path = (view == View::Cluster && !path.is_empty()).then(|| [PATH, "=", path].concat());
    let own = [PARAM, "=", view.id()].concat();
    ["?", &others.chain([own]).chain(path).collect::<Vec<_>>().join("&")].concat()
}

/// Returns the page's address with another view, without its origin.
fn address(view: View, path: &str) -> String {
    let location = dom::window().location();
    let search = location.search().unwrap_or_default();
    [with(&search, view, path), location.hash().unwrap_or_default()].concat()
}

/// Returns the address of the Cluster view with what is at a path.
pub(crate) fn address_of(path: &str) -> String {
    address(View::Cluster, path)
}

/// Returns the path of what the Cluster view shows, as the page's address has it.
pub(crate) fn browsed() -> String {
    let search = dom::window().location().search().unwrap_or_default();
    param(&search, PATH).unwrap_or_default().to_owned()
}

/// Turns to a view, remembers it for the next visit, and lets Back lead to the one before.
pub(crate) fn choose(page: Page, view: View) {
    if page.view.get_untracked() != view {
        go(page, view, &page.browse.path.get_untracked());
    }
}

/// Shows what is at a path in the Cluster view, and lets Back lead to what was shown before.
pub(crate) fn browse(page: Page, path: &str) {
    let browse = page.browse;
    let shown = browse.path.get_untracked();
    if shown != path || page.view.get_untracked() != View::Cluster {
        // What narrows the objects of one kind means nothing to those of another.
        if catalog::of_path(&shown) != catalog::of_path(path) {
            browse.labels.set(String::new());
            browse.named.set(String::new());
        }
        browse.path.set(path.to_owned());
        go(page, View::Cluster, path);
    }
    page.pane.set(Pane::Resources);
}

/// Follows a link to what is at a path, but leaves other tabs and windows to the browser.
pub(crate) fn follow_link(page: Page, event: &MouseEvent, path: &str) {
    if is_plain(event) {
        event.prevent_default();
        event.stop_propagation();
        browse(page, path);
    }
}

/// Makes a link to what is at a path.
pub(crate) fn link(page: Page, name: String, path: String) -> Part {
    let href = address_of(&path);
    view! { <a href=href on:click=act(move |event| follow_link(page, &event, &path))>{name}</a> }.part()
}

/// Shows what is at a path when its row is clicked, unless somebody selects text in it.
pub(crate) fn follow_row(page: Page, event: &MouseEvent, path: &str) {
    let selects = dom::window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed());
    if is_plain(event) && !selects {
        browse(page, path);
    }
}

fn is_plain(event: &MouseEvent) -> bool {
    !(event.ctrl_key() || event.meta_key() || event.shift_key())
}

fn go(page: Page, view: View, path: &str) {
    if let Ok(history) = dom::window().history() {
        let _ = history.push_state_with_url(&view.id().into(), "", Some(&address(view, path)));
    }
    dom::remember(KEY, view.id());
    turn(page, view);
}

/// Turns to a view.
pub(crate) fn turn(page: Page, view: View) {
    page.view.set(view);
    if let Some(pane) = view.pane() {
        page.pane.set(pane);
    }
    match view {
        View::Lab => page.lab.aside.update(|tab| *tab = (*tab).max(lab::SERVERS)),
        View::Watches => page.lab.aside.set(lab::WATCHES),
        // It takes the place of the kinds where one pane is shown at a time.
        View::Access | View::Learn if page.narrow.get_untracked() => page.pane.set(Pane::Resources),
        _ => {}
    }
}

/// Keeps the view, the pane that somebody turns to, and the tabs of the watches in step.
pub(crate) fn follow(page: Page) {
    let first = page.view.get_untracked();
    turn(page, first);
    if let Ok(history) = dom::window().history() {
        let _ = history.replace_state(&first.id().into(), "");
    }
    Effect::new(move |before: Option<Pane>| {
        let pane = page.pane.get();
        let view = page.view.get_untracked();
        let next = view.toward(pane);
        if before.is_some_and(|before| before != pane) && next != view && !page.narrow.get_untracked() {
            choose(page, next);
        }
        pane
    });
    Effect::new(move || {
        let next = if page.lab.aside.get() == lab::WATCHES { View::Watches } else { View::Lab };
        let view = page.view.get_untracked();
        if matches!(view, View::Watches | View::Lab) && next != view {
            choose(page, next);
        }
    });
}

/// The rail on the left, which chooses the view.
#[component]
pub(crate) fn Rail() -> impl IntoView {
    let page = expect_context::<Page>();
    let link = |view: View| {
        let (name, about) = view.words();
        let click = move |event: MouseEvent| {
            // Another tab or window is the browser's.
            if is_plain(&event) {
                event.prevent_default();
                choose(page, view);
            }
        };
        view! {
            <a
                href=["?view=", view.id()].concat()
                title=about
                data-to=view.id()
                aria-current=maybe(move || (page.view.get() == view).then_some("page"))
                on:click=click
            >
                <svg viewBox="0 0 20 20" aria-hidden="true"><path d=view.icon()></path></svg>
                <span>{name}</span>
            </a>
        }
        .part()
    };
    view! {
        <nav class="views" aria-label=words::VIEWS>
            {View::ALL.into_iter().map(link).collect_view()}
        </nav>
    }
    .part()
}

/// Returns the view of an entry of the browser's history.
pub(crate) fn of_entry(state: &JsValue) -> Option<View> {
    View::of(&state.as_string()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_view_and_keep_the_rest() {
        for (search, expected) in [
            ("", "?view=lab"),
            ("?", "?view=lab"),
            ("?engine=tabs", "?engine=tabs&view=lab"),
            ("?view=request&engine=tabs", "?engine=tabs&view=lab"),
        ] {
            assert_eq!(with(search, View::Lab, "/api/v1/pods"), expected);
            assert_eq!(asked(&with(search, View::Lab, "")), Some("lab"));
        }
        let browsed = with("?path=/api/v1/nodes&x=y", View::Cluster, "/api/v1/pods");
        assert_eq!(browsed, "?x=y&view=cluster&path=/api/v1/pods");
        assert_eq!(param(&browsed, PATH), Some("/api/v1/pods"));
        assert_eq!(with(&browsed, View::Cluster, ""), "?x=y&view=cluster");
        assert_eq!(asked("?views=lab"), None);
        assert_eq!(asked("?view=nonsense").and_then(View::of), None);
    }

    #[test]
    fn every_pane_is_in_some_view_and_no_view_leaves_what_it_shows() {
        for view in View::ALL {
            assert_eq!(View::of(view.id()), Some(view));
            for pane in Pane::ALL {
                let next = view.toward(pane);
                assert!(next.shows(pane), "{view:?} {pane:?}");
                assert!(!view.shows(pane) || next == view, "{view:?} {pane:?}");
            }
            assert!(view.pane().is_none_or(|pane| view.shows(pane)));
        }
    }
}
