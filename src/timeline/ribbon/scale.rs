//! The positions of revisions: how far the ribbon is zoomed in and moved, and what follows from that.

/// The most that a revision may be wide, in pixels.
pub(crate) const WIDEST: f64 = 44.0;
/// How wide it is at first.
const USUAL: f64 = 26.0;
/// How much one step of zooming changes.
const ZOOM: f64 = 1.4;
/// The space left free to the right of the newest revision, for its text: on a wide ribbon and on a narrow one.
const MARGIN: (f64, f64) = (92.0, 86.0);

/// How far the ribbon is zoomed in and moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// The revision at the left; `None` follows the newest.
    pub(crate) first: Option<f64>,
    /// The width of a revision in pixels; `None` shows the whole history.
    pub(crate) step: Option<f64>,
}

impl Default for View {
    fn default() -> Self {
        Self { first: None, step: Some(USUAL) }
    }
}

/// The revisions that can be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The oldest revision that is known.
    pub(crate) oldest: u64,
    /// The newest one.
    pub(crate) head: u64,
}

/// The positions of revisions, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scale {
    /// The revision at the left.
    pub(crate) first: f64,
    /// The width of a revision.
    pub(crate) step: f64,
    /// The width of all that is shown.
    pub(crate) width: f64,
}

impl Scale {
    /// The middle of a revision.
    pub(crate) fn x(&self, revision: u64) -> f64 {
        (revision as f64 - self.first + 0.5) * self.step
    }

    /// The left edge of a revision.
    pub(crate) fn left(&self, revision: u64) -> f64 {
        (revision as f64 - self.first) * self.step
    }

    /// The right edge of a revision, where all that has happened up to it lies behind.
    pub(crate) fn edge(&self, revision: u64) -> f64 {
        (revision as f64 + 1.0 - self.first) * self.step
    }

    /// The revision that stands at a place.
    pub(crate) fn revision(&self, x: f64) -> u64 {
        (self.first + x / self.step.max(f64::MIN_POSITIVE)).floor().max(0.0) as u64
    }

    /// The first and the last revision that can be seen.
    pub(crate) fn seen(&self) -> (u64, u64) {
        (self.revision(0.0), self.revision(self.width))
    }
}

fn room(width: f64) -> f64 {
    (width - if width >= 420.0 { MARGIN.0 } else { MARGIN.1 }).max(40.0)
}

impl View {
    /// Returns the positions of the revisions in a ribbon of this width.
    pub(crate) fn scale(&self, bounds: Bounds, width: f64) -> Scale {
        let begin = bounds.oldest as f64 - 1.0;
        let newest = bounds.head as f64 + 1.0;
        let room = room(width);
        let whole = (room / (newest - begin).max(1.0)).min(WIDEST);
        let step = self.step.map_or(whole, |step| step.clamp(whole.min(USUAL), WIDEST));
        // A cluster begins at the left, not at the right.
        let last = (newest - room / step).max(begin);
        let first = self.first.map_or(last, |first| first.clamp(begin, last));
        Scale { first, step, width }
    }

    /// Moves by some pixels; at the newest revision it follows.
    pub(crate) fn pan(&mut self, by: f64, bounds: Bounds, width: f64) {
        let scale = self.scale(bounds, width);
        self.first = Some(scale.first + by / scale.step);
        self.settle(bounds, width);
    }

    /// Makes revisions wider by a factor, and keeps what stands at `x` where it is.
    pub(crate) fn zoom(&mut self, by: f64, x: f64, bounds: Bounds, width: f64) {
        let before = self.scale(bounds, width);
        let there = before.first + x / before.step;
        self.step = Some(before.step * by);
        let after = self.scale(bounds, width);
        self.step = Some(after.step);
        if after.step < USUAL && after.step > before.step * by {
            *self = Self { first: None, step: None };
            return;
        }
        if self.first.is_some() {
            self.first = Some(there - x / after.step);
            self.settle(bounds, width);
        }
    }

    /// Zooms in or out by a step.
    pub(crate) fn zoom_step(&mut self, closer: bool, x: f64, bounds: Bounds, width: f64) {
        self.zoom(if closer { ZOOM } else { 1.0 / ZOOM }, x, bounds, width);
    }

    /// Stays where it is, whatever comes.
    pub(crate) fn stay(&mut self, bounds: Bounds, width: f64) {
        self.first = Some(self.scale(bounds, width).first);
    }

    /// Brings a revision into sight.
    pub(crate) fn reveal(&mut self, revision: u64, bounds: Bounds, width: f64) {
        self.stay(bounds, width);
        let scale = self.scale(bounds, width);
        let (x, room) = (scale.x(revision), room(width));
        if x < scale.step / 2.0 || x > room {
            self.first = Some(revision as f64 - room / scale.step / 2.0);
        }
    }

    fn settle(&mut self, bounds: Bounds, width: f64) {
        let last = Self { first: None, ..*self }.scale(bounds, width).first;
        if self.first.is_some_and(|first| first >= last) {
            self.first = None;
        }
    }
}

/// How many revisions apart the numbers on the axis are, where a revision is `step` pixels wide.
pub(crate) fn every(step: f64) -> u64 {
    let mut every = 1;
    loop {
        for factor in [1, 2, 5] {
            if (every * factor) as f64 * step >= 78.0 {
                return every * factor;
            }
        }
        every = every.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: f64 = 612.0;
    const BOUNDS: Bounds = Bounds { oldest: 1000, head: 1999 };

    #[test]
    fn a_new_cluster_begins_at_the_left() {
        let scale = View::default().scale(Bounds { oldest: 100, head: 103 }, WIDTH);
        assert_eq!((scale.first, scale.step), (99.0, 26.0));
        assert_eq!((scale.left(100), scale.x(100), scale.edge(100)), (26.0, 39.0, 52.0));
        assert_eq!([0.0, 25.9, 26.0].map(|x| scale.revision(x)), [99, 99, 100]);
    }

    #[test]
    fn follows_the_newest_until_it_is_moved() {
        let mut view = View::default();
        assert_eq!(view.scale(BOUNDS, WIDTH).edge(1999), 520.0);
        view.pan(-260.0, BOUNDS, WIDTH);
        assert_eq!(view.scale(BOUNDS, WIDTH).edge(1999), 780.0);
        let later = Bounds { head: 2100, ..BOUNDS };
        assert_eq!(view.scale(later, WIDTH).edge(1999), 780.0, "it stays");
        view.pan(9000.0, BOUNDS, WIDTH);
        assert_eq!(view.first, None, "at the newest it follows");
        view.pan(-90000.0, BOUNDS, WIDTH);
        assert_eq!(view.scale(BOUNDS, WIDTH).first, 999.0);
    }

    #[test]
    fn zooms_from_the_whole_history_to_single_revisions() {
        let mut view = View { first: None, step: None };
        let scale = view.scale(BOUNDS, WIDTH);
        assert_eq!((scale.first, (scale.edge(1999) * 10.0).round()), (999.0, 5200.0));
        for _ in 0..40 {
            view.zoom_step(true, 300.0, BOUNDS, WIDTH);
        }
        assert_eq!(view.scale(BOUNDS, WIDTH).step, WIDEST);
        for _ in 0..40 {
            view.zoom_step(false, 300.0, BOUNDS, WIDTH);
        }
        assert_eq!(view, View { first: None, step: None });
    }

    #[test]
    fn a_short_history_is_as_wide_as_usual_or_fills_the_ribbon() {
        let bounds = Bounds { oldest: 100, head: 109 };
        let mut view = View::default();
        view.zoom_step(false, 0.0, bounds, WIDTH);
        assert_eq!(view.scale(bounds, WIDTH).step, USUAL);
        view.step = None;
        assert_eq!(view.scale(bounds, WIDTH).step, WIDEST);
        view.zoom_step(false, 0.0, bounds, WIDTH);
        assert!(view.scale(bounds, WIDTH).step < WIDEST);
    }

    #[test]
    fn what_is_pointed_at_stays_when_zooming() {
        let mut view = View { first: Some(1400.0), step: Some(10.0) };
        view.zoom(2.0, 100.0, BOUNDS, WIDTH);
        assert_eq!(view, View { first: Some(1405.0), step: Some(20.0) });
    }

    #[test]
    fn brings_into_sight_what_is_not() {
        let mut view = View::default();
        view.reveal(1990, BOUNDS, WIDTH);
        assert_eq!(view.scale(BOUNDS, WIDTH).edge(1999), 520.0, "it was");
        view.reveal(1200, BOUNDS, WIDTH);
        let x = view.scale(BOUNDS, WIDTH).x(1200);
        assert!((250.0..290.0).contains(&x), "{x}");
    }

    #[test]
    fn numbers_have_room() {
        assert_eq!([44.0, 26.0, 8.0, 1.0, 0.01].map(every), [2, 5, 10, 100, 10_000]);
    }

    #[test]
    fn nothing_is_no_trouble() {
        let scale = View::default().scale(Bounds::default(), 0.0);
        assert!(scale.step > 0.0 && scale.first <= 0.0);
        assert_eq!(scale.seen().0, 0);
    }
}
