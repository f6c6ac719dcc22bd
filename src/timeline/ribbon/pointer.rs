//! The effects of pointers and keys on the ribbon.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent, WheelEvent};

use super::gesture::Gesture;
use super::marks::BOOKMARK;
use super::rows::{LANE, TOP};
use super::stage::{Ribbon, Stage};
use crate::cluster::Which;
use crate::timeline::tabs::LOG;
use crate::ui::dom;

/// How far a pointer may move and still click, in pixels.
const CLICK: f64 = 4.0;
/// How near the floor has to be to be dragged, in pixels.
const GRIP: f64 = 7.0;
/// How much of what is seen a page key moves by.
const PAGE: f64 = 0.85;
/// The element that confirms a compaction.
pub(crate) const CONFIRM: &str = "ribbon-compact";
/// The ribbon.
pub(crate) const ID: &str = "ribbon";

impl Stage {
    /// Returns the x coordinate at which the floor can be dragged.
    fn grip(&self) -> f64 {
        self.scale.left(self.facts.floor.max(self.facts.bounds.oldest))
    }

    /// Moves the lanes at `y` up or down by some pixels; says whether they could.
    fn scroll(&mut self, y: f64, by: f64) -> bool {
        let stretch = if y < self.rows.lower_stretch.top {
            &mut self.rows.upper_stretch
        } else {
            &mut self.rows.lower_stretch
        };
        if stretch.all == stretch.seen {
            return false;
        }
        self.gesture.lanes += by;
        let lanes = (self.gesture.lanes / LANE).trunc();
        self.gesture.lanes -= lanes * LANE;
        stretch.scroll(lanes as i64);
        true
    }
}

fn place(event: &PointerEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

impl Ribbon {
    /// Shows the cluster as it was at a revision.
    pub(crate) fn choose(self, revision: u64) {
        let head = untrack(|| self.page.revisions().0);
        let oldest = self.look(|stage| stage.facts.bounds.oldest);
        self.page.at.set(Some(revision.clamp(oldest.min(head), head)));
    }

    /// Follows the newest revision.
    pub(crate) fn follow(self) {
        self.page.at.set(None);
        self.change(|stage| stage.view.first = None);
    }

    /// Asks whether to compact up to the revision that is looked at.
    pub(crate) fn ask(self) {
        if self.page.cluster.get_untracked() == Which::ThisTab {
            self.asked.set(Some(self.chosen()));
            dom::focus_soon(CONFIRM);
        }
    }

    /// Compacts as it was asked for, or does not.
    pub(crate) fn answer(self, yes: bool) {
        let asked = self.asked.get_untracked();
        self.asked.set(None);
        if let Some(revision) = asked.filter(|_| yes) {
            self.page.compact(revision);
        }
        dom::focus_soon(ID);
    }

    /// Zooms in or out by a step, around the cursor or the newest revision.
    pub(crate) fn zoom(self, closer: bool) {
        let chosen = self.chosen();
        self.change(|stage| {
            let x = stage.scale.x(chosen).clamp(0.0, stage.size.0);
            stage.view.zoom_step(closer, x, stage.facts.bounds, stage.size.0);
        });
    }

    /// Shows the whole history.
    pub(crate) fn whole(self) {
        self.change(|stage| {
            stage.view.first = None;
            stage.view.step = None;
        });
    }

    /// Moves by some screens.
    pub(crate) fn page_by(self, screens: f64) {
        self.change(|stage| stage.view.pan(screens * PAGE * stage.size.0, stage.facts.bounds, stage.size.0));
    }

    fn writes(self, later: bool, same: bool) -> Option<u64> {
        let chosen = self.chosen();
        self.history(|history| {
            let object =
                history.write(chosen).filter(|_| same).and_then(|write| history.object(write.object));
            object.map_or(history.line(), |object| &object.line).beside(chosen, later, |_| true)
        })
    }

    fn bookmark(self, later: bool) -> Option<u64> {
        // Who follows the newest revision goes back to a bookmark that stands there.
        let follows = self.page.at.get_untracked().is_none();
        let chosen = self.chosen() + u64::from(follows && !later);
        let watches: Vec<u64> = self.look(|stage| stage.facts.watches.iter().map(|watch| watch.id).collect());
        let found: Vec<u64> = untrack(|| {
            self.page.read(|model| {
                let lanes = watches.iter().filter_map(|watch| model.lane(*watch));
                lanes.filter_map(|lane| lane.line.beside(chosen, later, |kind| kind == BOOKMARK)).collect()
            })
        });
        if later { found.into_iter().min() } else { found.into_iter().max() }
    }

    /// A key, while the ribbon has the focus.
    pub(crate) fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let go = |revision: Option<u64>| revision.into_iter().for_each(|revision| self.choose(revision));
        let lanes = |by: f64| {
            self.change(|stage| stage.scroll(TOP, by * LANE) || stage.scroll(f64::MAX, by * LANE));
        };
        match event.key().as_str() {
            "ArrowLeft" => go(self.writes(false, event.shift_key())),
            "ArrowRight" => go(self.writes(true, event.shift_key())),
            "ArrowUp" => lanes(-1.0),
            "ArrowDown" => lanes(1.0),
            "PageUp" => self.page_by(-1.0),
            "PageDown" => self.page_by(1.0),
            "Home" => self.choose(self.look(|stage| stage.facts.floor.max(stage.facts.bounds.oldest))),
            "End" => self.follow(),
            "[" => go(self.bookmark(false)),
            "]" => go(self.bookmark(true)),
            "+" | "=" => self.zoom(true),
            "-" | "_" => self.zoom(false),
            "0" => self.whole(),
            "c" | "C" => self.ask(),
            "Enter" => {
                self.page.detail.set(LOG);
                self.choose(self.chosen());
            }
            "Escape" => self.change(|stage| {
                stage.gesture = Gesture::default();
                stage.dragged = None;
            }),
            _ => return,
        }
        event.prevent_default();
    }

    /// The write that stands nearest to a place.
    fn at(self, x: f64) -> Option<u64> {
        let (there, step) = self.look(|stage| (stage.scale.revision(x), stage.scale.step));
        self.history(|history| {
            let line = history.line();
            let near = [
                Some(there).filter(|_| history.write(there).is_some()),
                line.beside(there, false, |_| true),
                line.beside(there, true, |_| true),
            ];
            let near = near.into_iter().flatten().min_by_key(|revision| revision.abs_diff(there))?;
            (near.abs_diff(there) as f64 * step <= 12.0).then_some(near)
        })
    }

    /// A pointer goes down.
    pub(crate) fn down(self, event: &PointerEvent) {
        if event.button() > 0 {
            return;
        }
        if let Some(element) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) {
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        let here = self.page.cluster.get_untracked() == Which::ThisTab;
        self.change(|stage| {
            let at = place(event);
            let floor = here && (at.0 - stage.grip()).abs() <= GRIP;
            let gesture = &mut stage.gesture;
            gesture.pointers.retain(|(id, _)| *id != event.pointer_id());
            if gesture.pointers.len() < 2 {
                gesture.pointers.push((event.pointer_id(), at));
            }
            let first = gesture.pointers.len() == 1;
            gesture.moved = !first;
            gesture.floor = first && floor;
        });
    }

    /// A pointer moves.
    pub(crate) fn moved(self, event: &PointerEvent) {
        let to = place(event);
        let pressed = self.look(|stage| !stage.gesture.pointers.is_empty());
        if !pressed {
            let grips = self.look(|stage| (to.0 - stage.grip()).abs() <= GRIP);
            let here = self.page.cluster.get_untracked() == Which::ThisTab;
            if let Some(element) =
                event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok())
            {
                element.set_class_name(if grips && here { "grips" } else { "" });
            }
            let lit = self.at(to.0).map(|revision| revision.to_string());
            return self.page.light(lit);
        }
        self.change(|stage| {
            let (bounds, width) = (stage.facts.bounds, stage.size.0);
            let before = stage.gesture.distance();
            let known = stage.gesture.pointers.iter_mut().find(|(id, _)| *id == event.pointer_id());
            let Some((_, at)) = known else { return };
            let from = if stage.gesture.moved || stage.gesture.floor {
                std::mem::replace(at, to)
            } else if (to.0 - at.0).hypot(to.1 - at.1) > CLICK {
                stage.gesture.moved = true;
                std::mem::replace(at, to)
            } else {
                return;
            };
            if stage.gesture.floor {
                stage.gesture.moved = true;
                // The floor stands at the left of its revision.
                let revision = stage.scale.revision(to.0 + stage.scale.step / 2.0);
                stage.dragged =
                    Some(revision.clamp(stage.facts.floor.max(bounds.oldest), bounds.head.max(1)));
            } else if let (Some((from, _)), Some((to, middle))) = (before, stage.gesture.distance()) {
                stage.view.stay(bounds, width);
                stage.view.zoom(to / from, middle, bounds, width);
            } else {
                stage.view.pan(from.0 - to.0, bounds, width);
                stage.scroll(to.1, from.1 - to.1);
            }
        });
    }

    /// A pointer goes up, or is lost.
    pub(crate) fn up(self, event: &PointerEvent, lost: bool) {
        let (click, dropped) = self.change(|stage| {
            let gesture = &mut stage.gesture;
            let known = gesture.pointers.iter().any(|(id, _)| *id == event.pointer_id());
            gesture.pointers.retain(|(id, _)| *id != event.pointer_id());
            let click = known && !gesture.moved && !lost;
            let dropped = stage.dragged.take().filter(|_| known && gesture.floor && !lost);
            (click, dropped.filter(|revision| *revision > stage.facts.floor))
        });
        if let Some(revision) = dropped {
            self.page.compact(revision);
        } else if click && let Some(revision) = self.at(place(event).0) {
            self.choose(revision);
        }
    }

    /// The wheel turns: with Ctrl it zooms, with Shift or sideways it moves along, else over the lanes, if there are more
    /// than can be seen.
    pub(crate) fn wheel(self, event: &WheelEvent) {
        event.prevent_default();
        let unit = if event.delta_mode() == 0 { 1.0 } else { LANE };
        let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
        self.change(|stage| {
            let (bounds, width) = (stage.facts.bounds, stage.size.0);
            let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
            if event.ctrl_key() || event.meta_key() {
                stage.view.stay(bounds, width);
                let by = (1.0 - dy.clamp(-200.0, 200.0) / 400.0).max(0.5);
                stage.view.zoom(by, x, bounds, width);
            } else if event.shift_key() || dx.abs() > dy.abs() || !stage.scroll(y, dy) {
                stage.view.pan(if dx == 0.0 { dy } else { dx }, bounds, width);
            }
        });
    }
}
