//! The state of the log: which rows are drawn, and what stays where it is while rows come.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, KeyboardEvent};

use crate::cluster::{Which, catalog};
use crate::model::timeline::tracks::{self, marks, railed};
use crate::state::Page;
use crate::timeline::rails::cells::{Board, Cells};
use crate::timeline::rails::rows::{Resource, Row, Rows};
use crate::timeline::rails::window::{ROW, Window};
use crate::ui::dom;
use crate::ui::memo::Memo;

/// The name of the setting that folds other resources, kept from visit to visit.
pub(super) const ONLY: &str = "kubeglass.log";
/// The height that is assumed for what is below a row before it has been measured, in pixels.
const BELOW: f64 = 320.0;
/// Marks the key of a row that stands for several.
pub(super) const FOLDED: u64 = 1 << 63;

/// The log's state. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Log {
    pub(crate) page: Page,
    /// The revision whose row is open.
    pub(crate) open: RwSignal<Option<u64>>,
    /// The height of what is open.
    pub(crate) below: RwSignal<f64>,
    pub(super) rows: StoredValue<Rows>,
    /// How often the rows have changed.
    pub(super) changes: Memo<u64>,
    pub(super) only: RwSignal<bool>,
    pub(super) unfolded: RwSignal<Vec<u64>>,
    pub(super) board: Memo<Board>,
    /// The first revision of the row that the Tab key goes to; 0 is the newest.
    active: RwSignal<u64>,
    /// How far it is scrolled, and the size of what is seen below the header.
    pub(super) scroll: RwSignal<f64>,
    pub(super) size: RwSignal<(f64, f64)>,
    /// The row at the upper edge, and how far it is above it: what does not move when rows come.
    pub(super) anchor: StoredValue<Option<(u64, f64)>>,
    pub(super) scroller: NodeRef<Div>,
    pub(super) body: NodeRef<Div>,
}

/// The resource that the request in the form is about, as the cluster stores it.
pub(super) fn resource(page: Page) -> Option<Resource> {
    let path = page.form.path.get();
    let stored = catalog::stored(&path).map(|(resource, _)| {
        let (name, group) = resource.split_once('.').unwrap_or((&resource, ""));
        (group.to_owned(), name.to_owned())
    });
    stored.or_else(|| catalog::of_path(&path).map(|(group, name)| (group.to_owned(), name.to_owned())))
}

fn board(page: Page) -> Board {
    let which = page.cluster.get();
    let (head, _) = page.revisions();
    page.read(|model| {
        let watches = model.watches.iter().filter(|watch| watch.cluster == which);
        let lane = |id: u64| model.lane(id);
        let all: Vec<tracks::Track> = watches.map(|watch| tracks::Track::of(watch, lane(watch.id))).collect();
        let told = which == Which::ThisTab;
        let pins = if told { model.glass(which).snapshots() } else { &[] };
        let servers = if told { model.glass(which).servers() } else { &[] };
        let tracks = railed(&all);
        Board { more: all.len() - tracks.len(), marks: marks(head, &tracks, pins, servers), tracks }
    })
}

impl Log {
    pub(super) fn new(page: Page) -> Self {
        let rows = StoredValue::new(Rows::default());
        let only = RwSignal::new(dom::remembered(ONLY).as_deref() == Some("only"));
        let unfolded = RwSignal::new(Vec::new());
        let changes = Memo::new(move |_| {
            let (_, floor) = page.revisions();
            let only = if only.get() { resource(page) } else { None };
            let unfolded = unfolded.get();
            page.history(|history| {
                rows.update_value(|rows| rows.update(history, floor, only, &unfolded));
                rows.with_value(|rows| rows.changes)
            })
        });
        Self {
            page,
            rows,
            changes,
            only,
            unfolded,
            board: Memo::new(move |_| board(page)),
            open: RwSignal::new(None),
            below: RwSignal::new(BELOW),
            active: RwSignal::new(0),
            scroll: RwSignal::new(0.0),
            size: RwSignal::new((0.0, 0.0)),
            anchor: StoredValue::new(None),
            scroller: NodeRef::new(),
            body: NodeRef::new(),
        }
    }

    /// The place of the row that begins with a revision.
    fn place(self, from: u64) -> usize {
        self.rows.with_value(|rows| rows.place(from)).unwrap_or_default()
    }

    fn window(self) -> Window {
        self.changes.get();
        let open = self.open.get();
        self.rows.with_value(|rows| {
            let open =
                open.and_then(|open| rows.place(open).filter(|at| rows.at(*at) == Some(Row::Write(open))));
            Window { rows: rows.len(), open, below: self.below.get() }
        })
    }

    /// The first revision of the row that the Tab key goes to.
    pub(crate) fn stop(self) -> u64 {
        self.changes.get();
        let active = self.active.get();
        self.rows.with_value(|rows| {
            let newest = rows.len().checked_sub(1);
            let place = if active == 0 { newest } else { rows.place(active) };
            place.and_then(|place| rows.at(place)).map_or(0, Row::from)
        })
    }

    /// The keys of the rows that are drawn, newest first: those that are seen, the open one and the one that has the
    /// focus.
    pub(super) fn keys(self) -> Vec<u64> {
        let window = self.window();
        let mut places: Vec<usize> = window.seen(self.scroll.get(), self.size.get().1).rev().collect();
        let stop = (window.rows > 0).then(|| self.place(self.stop()));
        for kept in window.open.into_iter().chain(stop) {
            if let Err(at) = places.binary_search_by(|place| kept.cmp(place)) {
                places.insert(at, kept);
            }
        }
        self.rows.with_value(|rows| {
            let rows = places.into_iter().filter_map(|place| rows.at(place));
            rows.map(|row| if matches!(row, Row::Folded { .. }) { row.from() | FOLDED } else { row.from() })
                .collect()
        })
    }

    /// Returns the cells of the row that begins with a revision.
    pub(crate) fn cells(self, from: u64) -> Option<Cells> {
        self.changes.get();
        let (which, place) = (self.page.cluster.get(), self.place(from));
        self.board.with(|board| {
            self.page.read(|model| {
                self.rows.with_value(|rows| Cells::of(model, model.history(which), rows, place, board))
            })
        })
    }

    /// Returns whether a revision belongs to the row that begins with `from`.
    pub(crate) fn holds(self, from: u64, revision: u64) -> bool {
        self.changes.get();
        self.rows.with_value(|rows| rows.place(from).is_some_and(|place| rows.holds(place, revision)))
    }

    /// How far a row is from the lower edge of all.
    pub(crate) fn bottom(self, from: u64) -> f64 {
        self.window().bottom(self.place(from))
    }

    /// How far what is open below a row is from the lower edge of all.
    pub(crate) fn foot(self, from: u64) -> f64 {
        self.changes.get();
        self.place(from) as f64 * ROW
    }

    /// The number of a row in the table: 1 is the header's.
    pub(crate) fn index(self, from: u64) -> usize {
        let (window, place) = (self.window(), self.place(from));
        let opened = window.open.is_some_and(|open| open > place);
        window.rows.saturating_sub(place) + 1 + usize::from(opened)
    }

    /// Opens the row of a revision and moves the cursor there, or closes it.
    pub(crate) fn toggle(self, revision: u64) {
        self.active.set(revision);
        if self.open.get_untracked() == Some(revision) {
            self.open.set(None);
            return;
        }
        self.hold();
        self.below.set(BELOW);
        self.open.set(Some(revision));
        // Who opens the newest one goes on following.
        let (head, _) = untrack(|| self.page.revisions());
        let at = (revision < head).then_some(revision);
        if self.page.at.get_untracked() != at {
            self.page.at.set(at);
        }
    }

    /// Shows the rows that a row stands for.
    pub(crate) fn unfold(self, from: u64) {
        self.hold();
        self.active.set(from);
        self.unfolded.update(|unfolded| unfolded.push(from));
        dom::focus_soon(row_id(from));
    }

    pub(super) fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        if event.key() == "Escape" {
            if let Some(open) = self.open.get_untracked() {
                event.prevent_default();
                self.open.set(None);
                self.go(untrack(|| self.place(open)));
            }
            return;
        }
        // What is open below a row has keys of its own.
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if !target.is_some_and(|element| element.class_list().contains("log-button")) {
            return;
        }
        let rows = self.rows.with_value(Rows::len);
        let page = ((self.size.get_untracked().1 / ROW) as usize).saturating_sub(1).max(1);
        let place = untrack(|| self.place(self.stop()));
        let next = match event.key().as_str() {
            "ArrowDown" => place.saturating_sub(1),
            "ArrowUp" => place + 1,
            "PageDown" => place.saturating_sub(page),
            "PageUp" => place + page,
            "Home" => rows,
            "End" => 0,
            _ => return,
        };
        event.prevent_default();
        self.go(next.min(rows.saturating_sub(1)));
    }

    /// Moves the focus to the row at a place.
    fn go(self, mut place: usize) {
        self.reveal(place);
        // What is compacted has nothing to press.
        if matches!(self.rows.with_value(|rows| rows.at(place)), Some(Row::Compacted(_))) {
            place += 1;
        }
        if let Some(row) = self.rows.with_value(|rows| rows.at(place)) {
            self.active.set(row.from());
            dom::focus_soon(row_id(row.from()));
        }
    }

    /// Scrolls no further than needed to show the row at a place.
    fn reveal(self, place: usize) {
        let window = untrack(|| self.window());
        let (scroll, height) = (self.scroll.get_untracked(), self.size.get_untracked().1);
        self.scroll_to(window.reveal(place, scroll, height));
    }

    pub(super) fn scroll_to(self, y: f64) {
        if let Some(scroller) = self.scroller.get_untracked() {
            scroller.set_scroll_top(y as i32);
            self.scrolled();
        }
    }

    pub(super) fn scrolled(self) {
        if let Some(scroller) = self.scroller.get_untracked() {
            self.scroll.set(f64::from(scroller.scroll_top()));
            self.hold();
        }
    }

    /// Takes note of which row is at the upper edge, so that it can stay there. At the very top nothing is held, so
    /// that new rows are seen, unless somebody reads there.
    pub(super) fn hold(self) {
        let scroll = self.scroll.get_untracked();
        let focused = || {
            let active = dom::document().active_element();
            self.body.get_untracked().is_some_and(|body| body.contains(active.as_deref()))
        };
        let anchor = (scroll > 0.0 || self.open.get_untracked().is_some() || focused()).then(|| {
            let window = untrack(|| self.window());
            let place = window.place(scroll + 1.0);
            let from = self.rows.with_value(|rows| rows.at(place)).map_or(0, Row::from);
            (from, scroll - window.top(place))
        });
        self.anchor.set_value(anchor);
    }

    /// Keeps what is read where it is when rows come or go.
    pub(super) fn keep_place(self) {
        Effect::new(move || {
            let window = self.window();
            let (Some(scroller), Some(body)) = (self.scroller.get(), self.body.get()) else { return };
            let _ = web_sys::HtmlElement::style(&body).set_property("height", &px(window.height()));
            if let Some((from, off)) = self.anchor.get_value() {
                // It may have been scrolled further than has been said.
                let now = f64::from(scroller.scroll_top());
                let moved = now - self.scroll.get_untracked();
                let y = window.top(untrack(|| self.place(from))) + off + moved;
                if (y - now).abs() >= 1.0 {
                    scroller.set_scroll_top(y as i32);
                    self.scroll.set(f64::from(scroller.scroll_top()));
                }
            }
        });
    }

    /// Shows the row of the cursor when it has been moved elsewhere.
    pub(super) fn follow_cursor(self) {
        Effect::new(move |before: Option<Option<u64>>| {
            let at = self.page.at.get();
            let here = self.open.get_untracked().is_some() && self.open.get_untracked() == at;
            if before != Some(at) && !here {
                request_animation_frame(move || match at {
                    // The log may be gone by then.
                    _ if self.scroll.try_get_untracked().is_none() => {}
                    Some(revision) => self.reveal(untrack(|| self.place(revision))),
                    None if before.flatten().is_some() && self.open.get_untracked().is_none() => {
                        self.scroll_to(0.0);
                    }
                    None => {}
                });
            }
            at
        });
    }

    /// Tells the size of an element, and again whenever it has changed.
    pub(crate) fn measure(self, node: NodeRef<Div>, told: impl Fn((f64, f64)) + Copy + 'static) {
        let watching = StoredValue::new_local(None::<web_sys::ResizeObserver>);
        Effect::new(move || {
            let Some(node) = node.get() else { return };
            let observed = node.clone();
            let changed = Closure::<dyn FnMut()>::new(move || {
                let size = (f64::from(observed.client_width()), f64::from(observed.offset_height()));
                // What is hidden has no size.
                if size.0 > 0.0 {
                    told(size);
                }
            });
            if let Ok(observer) = web_sys::ResizeObserver::new(changed.into_js_value().unchecked_ref()) {
                observer.observe(&node);
                watching.set_value(Some(observer));
            }
        });
        on_cleanup(move || {
            let _ =
                watching.try_update_value(|watching| watching.take().map(|observer| observer.disconnect()));
        });
    }
}

/// The id of a row's button.
pub(crate) fn row_id(from: u64) -> String {
    ["log-", &from.to_string()].concat()
}

pub(crate) fn px(pixels: f64) -> String {
    [&(pixels as i64).to_string(), "px"].concat()
}
