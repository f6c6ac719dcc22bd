//! Turning to a view, and the addresses of views.

use apimachinery::target;
use leptos::prelude::*;
use protocol::trace::ObjectKey;
use wasm_bindgen::JsValue;
use web_sys::MouseEvent;

use super::Page;
use crate::cluster::catalog;
use crate::cluster::place::Place;
use crate::model::lab;
use crate::model::panes::Pane;
use crate::model::views::View;
use crate::ui::dom;
use crate::ui::part::{IntoPart, Part, act};

/// `static/boot.js` reads it too, for the frame.
const KEY: &str = "kubeglass.view";
/// The parameter of the page's address that names the view.
const PARAM: &str = "view";
/// The one that names the path of what the Cluster view shows.
const PATH: &str = "path";
/// The media query that is true where the page shows one pane at a time.
pub(crate) const NARROW: &str = "(max-width: 759.98px)";

impl View {
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

/// Returns the path of an object of a collection, which may be that of all namespaces.
pub(crate) fn object_path(collection: &str, namespace: &str, name: &str) -> String {
    let Some(place) = Place::of(collection) else { return String::new() };
    let name = target::segment(name);
    match namespace {
        "" => [place.root, "/", place.resource, "/", &name].concat(),
        namespace => [place.root, "/namespaces/", namespace, "/", place.resource, "/", &name].concat(),
    }
}

/// Returns the path of an object of the cluster; `None` if its kind is not known.
pub(crate) fn path_of(page: Page, key: &ObjectKey) -> Option<String> {
    let custom = page.custom_rows();
    let of = catalog::with(&custom).find(|known| known.group == key.group && known.name == key.resource)?;
    Some(object_path(&catalog::path(of, ""), &key.namespace, &key.name))
}

/// Shows what is at a path when its row is clicked, unless somebody selects text in it.
pub(crate) fn follow_row(page: Page, event: &MouseEvent, path: &str) {
    let selects = dom::window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed());
    if is_plain(event) && !selects {
        browse(page, path);
    }
}

pub(crate) fn is_plain(event: &MouseEvent) -> bool {
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

/// Returns the view of an entry of the browser's history.
pub(crate) fn of_entry(state: &JsValue) -> Option<View> {
    View::of(&state.as_string()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_path_in_its_namespace() {
        for (collection, namespace, name, expected) in [
            ("/api/v1/pods", "a", "web", "/api/v1/namespaces/a/pods/web"),
            ("/api/v1/namespaces/b/pods", "b", "web", "/api/v1/namespaces/b/pods/web"),
            ("/api/v1/nodes", "", "n", "/api/v1/nodes/n"),
            (
                "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                "",
                "system:x y",
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:x%20y",
            ),
            ("/version", "", "x", ""),
        ] {
            assert_eq!(object_path(collection, namespace, name), expected);
        }
    }

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
}
