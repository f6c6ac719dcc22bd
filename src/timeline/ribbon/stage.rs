//! The ribbon as it stands: what it shows of the page, and when it is drawn again. Nothing is drawn where nothing has
//! changed, and at most once a frame.

use glass::History;
use leptos::prelude::*;
use web_sys::{HtmlCanvasElement, HtmlElement};

use super::draw::Painter;
use super::facts::Facts;
use super::gesture::Gesture;
use super::labels::Labels;
use super::layout::{self, Input};
use super::readout;
use super::rows::Rows;
use super::scale::{Scale, View};
use super::scene::Scene;
use crate::cluster::Which;
use crate::state::Page;
use crate::ui::dom;

/// The name under which each frame is measured.
const MEASURE: &str = "ribbon";
const BEGIN: &str = "ribbon-begin";

/// The parts that the ribbon is made of.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) view: View,
    pub(crate) rows: Rows,
    pub(crate) facts: Facts,
    pub(crate) scale: Scale,
    pub(crate) size: (f64, f64),
    /// The revision that the floor is being dragged to.
    pub(crate) dragged: Option<u64>,
    pub(crate) gesture: Gesture,
    scene: Scene,
    painter: Option<Painter>,
    labels: Option<Labels>,
    ribbon: Option<HtmlElement>,
    probe: Option<HtmlElement>,
    said: Vec<(&'static str, String)>,
    /// True if the facts, and true if the colours, have changed since they were last looked at.
    stale: bool,
    faded: bool,
    pending: bool,
}

/// A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Ribbon {
    pub(crate) page: Page,
    /// The revision up to which compaction has been asked for, and not been confirmed.
    pub(crate) asked: RwSignal<Option<u64>>,
    /// True while it follows the newest revision.
    pub(crate) follows: RwSignal<bool>,
    stage: StoredValue<Stage, LocalStorage>,
}

impl Ribbon {
    /// The ribbon of a page.
    pub(crate) fn new(page: Page) -> Self {
        let ribbon = Self {
            page,
            asked: RwSignal::new(None),
            follows: RwSignal::new(true),
            stage: StoredValue::new_local(Stage::default()),
        };
        Effect::new(move || {
            page.tick.track();
            page.cluster.track();
            ribbon.change(|stage| stage.stale = true);
        });
        Effect::new(move || {
            page.lit.track();
            page.at_play.track();
            ribbon.change(|_| ());
        });
        Effect::new(move || {
            page.theme.track();
            ribbon.change(|stage| stage.faded = true);
        });
        Effect::new(move |before: Option<Option<u64>>| {
            let at = page.at.get();
            ribbon.change(|stage| match at {
                Some(revision) => stage.view.reveal(revision, stage.facts.bounds, stage.size.0),
                None if before.flatten().is_some() => stage.view.first = None,
                None => {}
            });
            at
        });
        ribbon
    }

    /// Draws into these elements from now on.
    pub(crate) fn mount(
        self,
        ribbon: HtmlElement,
        canvas: HtmlCanvasElement,
        labels: HtmlElement,
        probe: HtmlElement,
    ) {
        self.change(|stage| {
            stage.painter = Painter::new(canvas);
            stage.labels = Some(Labels::new(labels));
            stage.ribbon = Some(ribbon);
            stage.probe = Some(probe);
            stage.faded = true;
        });
    }

    /// The colours may be others now.
    pub(crate) fn fade(self) {
        self.change(|stage| stage.faded = true);
    }

    /// Looks at how it stands.
    pub(crate) fn look<T: Default>(self, look: impl FnOnce(&Stage) -> T) -> T {
        self.stage.try_with_value(look).unwrap_or_default()
    }

    /// Changes how it stands, and draws it again.
    pub(crate) fn change<T: Default>(self, change: impl FnOnce(&mut Stage) -> T) -> T {
        let changed = self.stage.try_update_value(|stage| {
            let changed = change(stage);
            (changed, std::mem::replace(&mut stage.pending, true))
        });
        let Some((changed, pending)) = changed else { return T::default() };
        if !pending {
            request_animation_frame(move || self.frame());
        }
        changed
    }

    /// Looks at the writes.
    pub(crate) fn history<T>(self, look: impl FnOnce(&History) -> T) -> T {
        untrack(|| self.page.history(look))
    }

    /// The revision that is looked at: the cursor's, or else the newest.
    pub(crate) fn chosen(self) -> u64 {
        let head = untrack(|| self.page.revisions().0);
        self.page.at.get_untracked().map_or(head, |at| at.min(head))
    }

    /// Returns the text for a revision; with the reasons, if they are asked for.
    pub(crate) fn say(self, revision: u64, reasons: bool) -> String {
        let which = self.page.cluster.get_untracked();
        untrack(|| {
            self.page.read(|model| {
                let history = model.history(which);
                let reasons = (reasons && which == Which::ThisTab).then(|| model.glass(which));
                self.look(|stage| readout::line(model, history, &stage.facts, reasons, revision))
            })
        })
    }

    fn frame(self) {
        let performance = dom::window().performance();
        performance.iter().for_each(|performance| {
            let _ = performance.mark(BEGIN);
        });
        let which = self.page.cluster.get_untracked();
        let revisions = untrack(|| self.page.revisions());
        let cursor = self.page.at.get_untracked();
        let lit = self.page.lit.with_untracked(|lit| lit.as_ref().and_then(|lit| lit.parse().ok()));
        let follows = untrack(|| {
            self.page.read(|model| {
                self.stage.try_update_value(|stage| {
                    stage.pending = false;
                    if std::mem::take(&mut stage.stale) {
                        stage.facts.gather(model, which, revisions);
                    }
                    if stage.size.0 > 0.0 {
                        self.page.at_play.with_untracked(|at_play| {
                            stage.draw(
                                (model.history(which), model.glass(which).lanes()),
                                cursor,
                                lit,
                                at_play,
                            );
                        });
                    }
                    cursor.is_none() && stage.view.first.is_none()
                })
            })
        });
        if let Some(follows) = follows.filter(|follows| *follows != self.follows.get_untracked()) {
            self.follows.set(follows);
        }
        if let Some(performance) = performance {
            let _ = performance.measure_with_start_mark(MEASURE, BEGIN);
            // Who observes has been told; what is kept would grow.
            performance.clear_marks_with_mark_name(BEGIN);
            performance.clear_measures_with_measure_name(MEASURE);
        }
    }
}

impl Stage {
    fn draw(
        &mut self,
        (history, lanes): (&History, &[glass::Lane]),
        cursor: Option<u64>,
        lit: Option<u64>,
        at_play: &[(u64, String)],
    ) {
        let (width, height) = self.size;
        self.scale = self.view.scale(self.facts.bounds, width);
        self.rows.place(history, &self.facts, self.scale.seen(), height);
        let input = Input {
            history,
            lanes,
            facts: &self.facts,
            rows: &self.rows,
            scale: self.scale,
            cursor,
            lit,
            dragged: self.dragged,
            at_play,
            height,
        };
        layout::lay(&input, &mut self.scene);
        if let Some(painter) = &mut self.painter {
            if let Some(probe) = self.probe.as_ref().filter(|_| std::mem::take(&mut self.faded)) {
                painter.read_colours(probe);
            }
            painter.paint(&self.scene, self.size);
        }
        if let Some(labels) = &mut self.labels {
            labels.show(history, &self.facts, &self.rows);
        }
        self.tell(cursor);
    }

    /// Says on the ribbon's element what it shows.
    fn tell(&mut self, cursor: Option<u64>) {
        let (first, last) = self.scale.seen();
        let bounds = self.facts.bounds;
        let number = |number: u64| number.to_string();
        let said = vec![
            ("data-head", number(bounds.head)),
            ("data-floor", number(self.facts.floor)),
            ("data-cursor", cursor.map(number).unwrap_or_default()),
            ("data-first", number(first.max(bounds.oldest))),
            ("data-last", number(last.min(bounds.head))),
            // Hundredths of a pixel are enough.
            ("data-step", ((self.scale.step * 100.0).round() / 100.0).to_string()),
        ];
        let Some(ribbon) = &self.ribbon else { return };
        for (at, (name, value)) in said.iter().enumerate() {
            if self.said.get(at).is_none_or(|(_, before)| before != value) {
                let _ = ribbon.set_attribute(name, value);
            }
        }
        self.said = said;
    }
}
