//! The separator of two panes: it makes one of them larger and the other one smaller.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent};

use crate::model::panes::{KEY, Pane, Side};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::part::{IntoPart, act, text};

/// How far an arrow key moves a separator, in pixels.
const STEP: f64 = 16.0;

/// Separates two panes: to be dragged, or moved with the arrow keys.
#[component]
pub(crate) fn Separator(
    /// The size that it changes.
    side: Side,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let sizes = page.sizes;
    let from = StoredValue::new(None::<(f64, f64)>);
    let place = move |event: &PointerEvent| {
        f64::from(if side.vertical() { event.client_x() } else { event.client_y() })
    };
    let set = move |size: f64| {
        // The height of the request holds for who writes it.
        if side == Side::Request {
            page.turn_to(Pane::Request);
        }
        sizes.update(|sizes| sizes.set(side, size));
    };
    let keep = move || {
        if let Ok(text) = serde_json::to_string(&sizes.get_untracked()) {
            dom::remember(KEY, &text);
        }
    };
    let keydown = move |event: KeyboardEvent| {
        let size = sizes.with_untracked(|sizes| sizes.get(side));
        let (least, most) = side.range();
        let (less, more) =
            if side.vertical() { ("ArrowLeft", "ArrowRight") } else { ("ArrowUp", "ArrowDown") };
        let size = match event.key().as_str() {
            key if key == less => size - STEP * side.sign(),
            key if key == more => size + STEP * side.sign(),
            "Home" => least,
            "End" => most,
            _ => return,
        };
        event.prevent_default();
        set(size);
        keep();
    };
    view! {
        <div
            class="separator"
            data-side=side.id()
            class:vertical=side.vertical()
            role="separator"
            tabindex="0"
            aria-label=side.label()
            aria-orientation=if side.vertical() { "vertical" } else { "horizontal" }
            aria-valuemin=side.range().0.to_string()
            aria-valuemax=side.range().1.to_string()
            aria-valuenow=text(move || sizes.with(|sizes| sizes.get(side)).to_string())
            on:keydown=keydown
            on:pointerdown=move |event| {
                event.prevent_default();
                if let Some(element) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) {
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                from.set_value(Some((place(&event), sizes.with_untracked(|sizes| sizes.get(side)))));
            }
            on:pointermove=move |event| {
                if let Some((start, size)) = from.get_value() {
                    set(size + (place(&event) - start) * side.sign());
                }
            }
            on:pointerup=act(move |_| {
                from.set_value(None);
                keep();
            })
            on:pointercancel=act(move |_| from.set_value(None))
        ></div>
    }
    .part()
}
