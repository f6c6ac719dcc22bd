//! The few things that the page asks of the browser.

use std::time::Duration;

use js_sys::Promise;
use leptos::prelude::{RwSignal, Set as _};
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlElement, MediaQueryList, Storage, Window};

#[wasm_bindgen]
extern "C" {
    /// The browser's own `import()`; what is relative is so to the page's script.
    #[wasm_bindgen(js_name = import)]
    pub(crate) fn import(url: &str) -> Promise;
}

/// The window. It is there wherever this program runs.
pub(crate) fn window() -> Window {
    leptos::prelude::window()
}

/// The document.
pub(crate) fn document() -> Document {
    leptos::prelude::document()
}

/// Reports whether the page is shown within another one.
pub(crate) fn is_within() -> bool {
    let window = window();
    window.parent().ok().flatten().is_some_and(|parent| parent != window)
}

/// Unix milliseconds.
pub(crate) fn now() -> f64 {
    js_sys::Date::now()
}

/// Milliseconds on a clock that only goes forward.
pub(crate) fn monotonic() -> f64 {
    window().performance().map_or_else(now, |performance| performance.now())
}

/// Milliseconds as a duration.
pub(crate) fn duration(ms: f64) -> Duration {
    Duration::from_secs_f64(ms.max(0.0) / 1000.0)
}

/// A number that nobody can foresee.
pub(crate) fn seed() -> u64 {
    let mut bytes = [0; 8];
    if let Ok(crypto) = window().crypto() {
        // Where it fails, names are foreseeable, and everything else works.
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    u64::from_le_bytes(bytes)
}

/// Returns the value that is remembered under `name` from visit to visit.
pub(crate) fn remembered(name: &str) -> Option<String> {
    local()?.get_item(name).ok()?
}

/// Remembers `value` under `name`, as far as the browser allows.
pub(crate) fn remember(name: &str, value: &str) {
    if let Some(storage) = local() {
        let _ = storage.set_item(name, value);
    }
}

/// Returns the storage that lasts as long as this tab.
pub(crate) fn session() -> Option<Storage> {
    window().session_storage().ok()?
}

fn local() -> Option<Storage> {
    window().local_storage().ok()?
}

/// Calls `f` every `ms` milliseconds for as long as the page lives.
pub(crate) fn every(ms: i32, f: impl FnMut() + 'static) {
    let closure = Closure::<dyn FnMut()>::new(f).into_js_value();
    let _ = window().set_interval_with_callback_and_timeout_and_arguments_0(closure.unchecked_ref(), ms);
}

/// Listens on the window for as long as the page lives.
pub(crate) fn listen<E: JsCast + 'static>(event: &str, mut f: impl FnMut(E) + 'static) {
    let closure =
        Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| f(event.unchecked_into())).into_js_value();
    let _ = window().add_event_listener_with_callback(event, closure.unchecked_ref());
}

/// Tells whether a media query holds, for as long as the page lives.
pub(crate) fn matches(query: &str) -> RwSignal<bool> {
    let media = window().match_media(query).ok().flatten();
    let holds = RwSignal::new(media.as_ref().is_some_and(MediaQueryList::matches));
    if let Some(media) = media {
        let changed = media.clone();
        let closure = Closure::<dyn FnMut()>::new(move || holds.set(changed.matches())).into_js_value();
        let _ = media.add_event_listener_with_callback("change", closure.unchecked_ref());
    }
    holds
}

/// Waits `ms` milliseconds.
pub(crate) async fn sleep(ms: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
    });
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}

/// The element with this id.
pub(crate) fn by_id(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Reports whether any part of the article with this title can be seen.
pub(crate) fn in_view(title: &str) -> bool {
    let article = by_id(title).and_then(|title| title.closest("article").ok()?);
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(f64::MAX);
    article.is_some_and(|article| {
        let place = article.get_bounding_client_rect();
        place.height() > 0.0 && place.bottom() > 0.0 && place.top() < height
    })
}

/// Moves the focus to the element with this id, once what is being drawn has been drawn.
pub(crate) fn focus_soon(id: impl Into<String>) {
    let id = id.into();
    leptos::prelude::request_animation_frame(move || focus(&id));
}

/// Does something again and again for as long as the owner lives, but not while nobody sees the page.
pub(crate) fn every_while_seen(interval: Duration, act: impl Fn() + 'static) {
    let beat = move || {
        if !document().hidden() {
            act();
        }
    };
    if let Ok(timer) = leptos::leptos_dom::helpers::set_interval_with_handle(beat, interval) {
        leptos::prelude::on_cleanup(move || timer.clear());
    }
}

/// Moves the focus back to an element with the id of the one that has it now, if that one goes with what is
/// drawn anew. To be called after what draws it was set off; no key is pressed in between.
pub(crate) fn keep_focus() {
    let Some(id) = document().active_element().map(|element| element.id()).filter(|id| !id.is_empty()) else {
        return;
    };
    leptos::task::spawn_local(async move {
        if document().active_element().is_none_or(|element| element.tag_name() == "BODY") {
            focus(&id);
        }
    });
}

/// Moves the focus to the element with this id, if it is there.
pub(crate) fn focus(id: &str) {
    if let Some(element) = by_id(id) {
        let _ = element.focus();
    }
}

/// Scrolls as little as lets the element with this id be seen, once what is being drawn has been drawn.
pub(crate) fn reveal_soon(id: impl Into<String>) {
    let id = id.into();
    leptos::prelude::request_animation_frame(move || {
        if let Some(element) = by_id(&id) {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            element.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
}

/// The file that somebody has just chosen.
pub(crate) fn chosen_file(event: &web_sys::Event) -> Option<web_sys::File> {
    event.target()?.dyn_into::<web_sys::HtmlInputElement>().ok()?.files()?.get(0)
}

/// Reads a file; `None` where the browser cannot.
pub(crate) async fn read_file(file: &web_sys::File) -> Option<bytes::Bytes> {
    let file: &web_sys::Blob = file.unchecked_ref();
    let buffer = wasm_bindgen_futures::JsFuture::from(file.array_buffer()).await.ok()?;
    Some(js_sys::Uint8Array::new(&buffer).to_vec().into())
}

/// Reports whether `element` is one to type in.
pub(crate) fn is_editable(element: &Element) -> bool {
    // The editor of the body is in a shadow root, of which only the host is seen from here.
    matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") || element.id() == "body-editor"
}

/// Puts `text` on the clipboard.
pub(crate) fn copy(text: &str) {
    let _ = window().navigator().clipboard().write_text(text);
}
