//! The state that all rows of the waterfall share: the rows themselves, the time that is shown, which row is chosen or
//! open.

use leptos::prelude::*;

use crate::cluster::trace::Exchange;
use crate::model::panes::Pane;
use crate::state::Page;
use crate::timeline::waterfall::asked::Asked;
use crate::timeline::waterfall::axis::{Scale, Zoom};
use crate::timeline::waterfall::bar::{self, Input};
use crate::timeline::waterfall::rows::{Row, Rows};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::waterfall as said;

/// How the columns stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Side by side.
    Wide,
    /// In two lines, the bar beside them.
    Middle,
    /// In two lines, the bar beneath them.
    Narrow,
}

impl Form {
    /// That of a table so wide.
    pub(super) fn of(width: f64) -> Self {
        if width >= 820.0 {
            Self::Wide
        } else if width >= 460.0 {
            Self::Middle
        } else {
            Self::Narrow
        }
    }

    /// Returns the name of its class in the stylesheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Middle => "middling",
            Self::Narrow => "narrow",
        }
    }

    /// The height of a row, as the stylesheet has it.
    pub(super) fn row(self) -> f64 {
        match self {
            Self::Wide => 30.0,
            Self::Middle => 48.0,
            Self::Narrow => 70.0,
        }
    }

    /// The height of a bar, as the stylesheet has it.
    pub(super) fn bar(self) -> f64 {
        match self {
            Self::Wide => 29.0,
            Self::Middle => 47.0,
            Self::Narrow => 20.0,
        }
    }
}

/// The state that the rows share. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    pub(super) page: Page,
    rows: StoredValue<Rows, LocalStorage>,
    /// Counts up whenever a row has changed.
    version: Memo<u64>,
    /// The time that is chosen.
    pub(super) zoom: RwSignal<Zoom>,
    /// The width that bars have.
    pub(super) width: RwSignal<f64>,
    /// The time that is shown.
    pub(super) scale: Memo<Scale>,
    /// How the columns stand.
    pub(super) form: RwSignal<Form>,
    /// The current time, as far as it is shown.
    pub(super) now: RwSignal<f64>,
    /// The row that was focused last.
    pub(super) chosen: RwSignal<Option<u64>>,
    /// The row that is open.
    pub(super) open: RwSignal<Option<u64>>,
}

impl Stage {
    /// Of a waterfall that is about to be shown.
    pub(super) fn new(page: Page) -> Self {
        let rows = StoredValue::new_local(Rows::default());
        let version = Memo::new(move |_| {
            let cluster = page.cluster.get();
            let synced = page.history(|history| {
                page.read(|model| rows.try_update_value(|rows| rows.sync(&model.trace, cluster, history)))
            });
            synced.unwrap_or_default()
        });
        let (zoom, width) = (RwSignal::new(Zoom::default()), RwSignal::new(0.0));
        let now = RwSignal::new(dom::monotonic());
        let scale = Memo::new(move |_| {
            version.get();
            let (first, last) = rows.with_value(|rows| rows.times(now.get()));
            zoom.get().scale(first, last, width.get())
        });
        Self {
            page,
            rows,
            version,
            zoom,
            width,
            scale,
            form: RwSignal::new(Form::Middle),
            now,
            chosen: RwSignal::new(None),
            open: RwSignal::new(None),
        }
    }

    /// Looks at the rows, and looks again whenever one has changed.
    pub(super) fn read<T>(self, look: impl FnOnce(&Rows) -> T) -> T {
        // To track a memo is not enough: it is made when it is asked for.
        self.version.get();
        self.rows.with_value(look)
    }

    /// A row. It looks again whenever any has changed.
    pub(super) fn row(self, id: u64) -> Option<Row> {
        self.read(|rows| rows.get(id).cloned())
    }

    /// The exchange of a row, as it is now.
    pub(super) fn exchange(self, id: u64) -> Option<Exchange> {
        untrack(|| self.page.read(|model| model.trace.get(id).cloned()))
    }

    /// The time that there is.
    pub(super) fn times(self) -> (f64, f64) {
        let now = self.now.get();
        self.read(|rows| rows.times(now))
    }

    /// The bar of a row. It is drawn again when its time is, and, while more may come, when something has.
    pub(super) fn bar(self, id: u64) -> String {
        let scale = self.scale.get();
        let now = if self.follow(id) { self.now.get() } else { self.now.get_untracked() };
        let height = self.form.get().bar();
        let Some(row) = untrack(|| self.row(id)) else { return String::new() };
        let (link, passes) = untrack(|| self.read(|rows| rows.links(id, now)));
        untrack(|| {
            self.page.read(|model| {
                let exchange = model.trace.get(id);
                let input = Input {
                    scale,
                    height,
                    sent_at: row.sent_at,
                    took: row.came.code().map(|_| row.took),
                    stream: exchange.and_then(|exchange| exchange.stream.as_ref()),
                    link,
                    passes: &passes,
                    now,
                };
                bar::bar(&input).markup(&scale, height)
            })
        })
    }

    /// How many events a row's stream has brought; nothing, if it is none.
    pub(super) fn events(self, id: u64) -> Option<u64> {
        self.follow(id);
        untrack(|| self.page.read(|model| Some(model.trace.get(id)?.stream.as_ref()?.events)))
    }

    /// Looks again when something has come to a row, if more may come. Gives whether that is so.
    pub(super) fn follow(self, id: u64) -> bool {
        let moves = self.read(|rows| rows.get(id).is_some_and(|row| row.came.moves()));
        if moves {
            self.page.tick.track();
        }
        moves
    }

    /// Chooses a row: its revisions are lit, and marked on the ribbon.
    pub(super) fn choose(self, id: u64) {
        self.chosen.set(Some(id));
        let Some(row) = untrack(|| self.row(id)) else { return };
        let (first, last) = untrack(|| self.times());
        let zoom = self.zoom.get_untracked();
        let revealed = zoom.reveal(row.sent_at, first, last);
        if revealed != zoom {
            self.zoom.set(revealed);
        }
        let marks = marks(&row);
        self.page.light(marks.first().map(|(revision, _)| revision.to_string()));
        self.page.at_play.set(marks);
    }

    /// No longer lights the revisions of a row.
    pub(super) fn leave(self, id: u64) {
        self.page.light(None);
        let ours = untrack(|| self.row(id)).map(|row| marks(&row));
        if self.page.at_play.with_untracked(|marks| Some(marks) == ours.as_ref()) {
            self.page.at_play.set(Vec::new());
        }
    }

    /// Opens a row, or closes it.
    pub(super) fn toggle(self, id: u64) {
        self.open.update(|open| *open = Some(id).filter(|_| *open != Some(id)));
    }

    /// Shows the answer of a row.
    pub(super) fn show(self, id: u64) {
        self.page.show(crate::state::Shown::Exchange(id, false));
        self.page.pane.set(Pane::Answer);
    }
}

/// The revisions of a row: what served it first, then what it made or was about.
fn marks(row: &Row) -> Vec<(u64, String)> {
    let mut marks = Vec::new();
    if let Some(source) = row.source {
        marks.push((source.revision, said::served_by(row.id)));
    }
    marks.extend(row.wrote.iter().map(|revision| (*revision, said::wrote_by(row.id))));
    if let (Asked::IfStill(sent), Some(current)) = (row.asked, row.current) {
        marks.push((current, said::OBJECT_AT.to_owned()));
        marks.push((sent, said::SENT_AT.to_owned()));
    }
    marks
}
