//! The panes of the page: how large they are on a wide page, and which one a narrow page shows.

use crate::ui::part::{IntoPart, act, text};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use web_sys::{Element, KeyboardEvent, PointerEvent};

use crate::state::Page;
use crate::ui::{dom, messages};
use wasm_bindgen::JsCast;

/// `static/boot.js` reads it too, for the frame.
const KEY: &str = "kubeglass.panes";
/// How far an arrow key moves a separator, in pixels.
const STEP: f64 = 16.0;

/// A pane, as a narrow page shows one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    Resources,
    Request,
    Answer,
    Watches,
    Timeline,
}

impl Pane {
    /// All of them, in the order of the bar.
    pub(crate) const ALL: [Self; 5] =
        [Self::Resources, Self::Request, Self::Answer, Self::Watches, Self::Timeline];

    /// Its element's id.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Request => "request",
            Self::Answer => "answer",
            Self::Watches => "watches",
            Self::Timeline => "timeline",
        }
    }

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Resources => messages::RESOURCES,
            Self::Request => messages::REQUEST,
            Self::Answer => messages::ANSWER,
            Self::Watches => messages::WATCHES,
            Self::Timeline => messages::TIMELINE,
        }
    }
}

/// A size that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The width of the resources.
    Left,
    /// The width of the watches.
    Right,
    /// The height of the request.
    Request,
    /// The height of the timeline.
    Bottom,
    /// The width of what stands beside the ribbon.
    Details,
}

impl Side {
    /// The least and the most, in pixels.
    fn range(self) -> (f64, f64) {
        match self {
            Self::Left => (160.0, 480.0),
            Self::Right => (240.0, 720.0),
            Self::Request => (150.0, 700.0),
            Self::Bottom => (110.0, 700.0),
            Self::Details => (260.0, 1200.0),
        }
    }

    /// Returns its name in the style sheet.
    fn id(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Request => "request",
            Self::Bottom => "bottom",
            Self::Details => "details",
        }
    }

    /// Whether it is a width.
    fn vertical(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::Details)
    }

    /// 1 where moving the separator right or down makes the pane larger, else -1.
    fn sign(self) -> f64 {
        match self {
            Self::Left | Self::Request => 1.0,
            Self::Right | Self::Bottom | Self::Details => -1.0,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Left => messages::SIZE_LEFT,
            Self::Right => messages::SIZE_RIGHT,
            Self::Request => messages::SIZE_REQUEST,
            Self::Bottom => messages::SIZE_BOTTOM,
            Self::Details => messages::SIZE_DETAILS,
        }
    }
}

/// The sizes of the panes in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Sizes {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) request: f64,
    pub(crate) bottom: f64,
    pub(crate) details: f64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { left: 232.0, right: 372.0, request: 440.0, bottom: 320.0, details: 560.0 }
    }
}

impl Sizes {
    /// As they were left.
    pub(crate) fn remembered() -> Self {
        dom::remembered(KEY).map(|text| Self::read(&text)).unwrap_or_default()
    }

    fn read(text: &str) -> Self {
        let mut sizes: Self = serde_json::from_str(text).unwrap_or_default();
        for side in [Side::Left, Side::Right, Side::Request, Side::Bottom, Side::Details] {
            sizes.set(side, sizes.get(side));
        }
        sizes
    }

    /// One of them.
    pub(crate) fn get(&self, side: Side) -> f64 {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
            Side::Request => self.request,
            Side::Bottom => self.bottom,
            Side::Details => self.details,
        }
    }

    /// Sets one of them, as far as its range allows.
    pub(crate) fn set(&mut self, side: Side, size: f64) {
        let (least, most) = side.range();
        let size = size.clamp(least, most).round();
        match side {
            Side::Left => self.left = size,
            Side::Right => self.right = size,
            Side::Request => self.request = size,
            Side::Bottom => self.bottom = size,
            Side::Details => self.details = size,
        }
    }
}

/// What separates two panes: to be dragged, or moved with the arrow keys.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stay_in_their_range() {
        let mut sizes = Sizes::default();
        sizes.set(Side::Left, 1.0);
        sizes.set(Side::Bottom, 9000.0);
        assert_eq!((sizes.left, sizes.bottom), (160.0, 700.0));
    }

    #[test]
    fn reads_what_it_remembers_and_survives_what_it_does_not_know() {
        let sizes = Sizes { left: 300.0, ..Sizes::default() };
        assert_eq!(Sizes::read(&serde_json::to_string(&sizes).unwrap()), sizes);
        assert_eq!(Sizes::read("{\"left\":300}"), sizes);
        assert_eq!(Sizes::read("{\"left\":3}").left, 160.0);
        assert_eq!(Sizes::read("nonsense"), Sizes::default());
    }
}
