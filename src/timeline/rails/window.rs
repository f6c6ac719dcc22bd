//! Which rows of a long table are to be seen, and where they stand. Places count from the oldest row, which is the
//! lowest one: so a row that comes moves none of the others.

use std::ops::Range;

/// The height of a row, in pixels.
pub(crate) const ROW: f64 = 28.0;
/// How many rows are ready above and below what is seen.
const SPARE: f64 = 6.0;

/// The quantities that decide where rows stand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// How many rows there are.
    pub(crate) rows: usize,
    /// The place of the row that is open.
    pub(crate) open: Option<usize>,
    /// The height of what is shown below that row.
    pub(crate) below: f64,
}

impl Window {
    /// The height of all rows.
    pub(crate) fn height(&self) -> f64 {
        let below = if self.open.is_some() { self.below } else { 0.0 };
        self.rows as f64 * ROW + below
    }

    /// How far the lower edge of the row at a place is from the lowest edge of all.
    pub(crate) fn bottom(&self, place: usize) -> f64 {
        let below = self.open.filter(|open| *open <= place).map_or(0.0, |_| self.below);
        place as f64 * ROW + below
    }

    /// How far the upper edge of the row at a place is from the highest edge of all.
    pub(crate) fn top(&self, place: usize) -> f64 {
        self.height() - self.bottom(place) - ROW
    }

    /// The place of the row at `y` below the highest edge; what is below an open row belongs to it.
    pub(crate) fn place(&self, y: f64) -> usize {
        let mut up = self.height() - y;
        if let Some(open) = self.open {
            let foot = open as f64 * ROW;
            if up > foot {
                up = (up - self.below).max(foot + 1.0);
            }
        }
        // Edges belong to the row above them.
        let place = (up / ROW).ceil() as usize;
        place.saturating_sub(1).min(self.rows.saturating_sub(1))
    }

    /// The places of the rows that are seen from `y` on in `height`, and a few more.
    pub(crate) fn seen(&self, y: f64, height: f64) -> Range<usize> {
        if self.rows == 0 {
            return 0..0;
        }
        let spare = SPARE * ROW;
        let (newest, oldest) = (self.place((y - spare).max(0.0)), self.place(y + height + spare));
        oldest..newest + 1
    }

    /// How far to scroll so that the row at a place is seen in `height`, if it is `y` now.
    pub(crate) fn reveal(&self, place: usize, y: f64, height: f64) -> f64 {
        let top = self.top(place);
        if top < y { top } else { y.max(top + ROW - height) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(rows: usize, open: Option<(usize, f64)>) -> Window {
        Window { rows, open: open.map(|(open, _)| open), below: open.map_or(0.0, |(_, below)| below) }
    }

    #[test]
    fn rows_stand_below_each_other() {
        let plain = window(10, None);
        assert_eq!((plain.height(), plain.top(9), plain.top(0)), (280.0, 0.0, 252.0));
        let open = window(10, Some((7, 100.0)));
        let tops = [9, 8, 7, 6, 0].map(|place| open.top(place));
        assert_eq!((open.height(), tops), (380.0, [0.0, 28.0, 56.0, 184.0, 352.0]));
    }

    #[track_caller]
    fn check(window: Window, y: f64, place: usize) {
        assert_eq!(window.place(y), place, "at {y}");
    }

    #[test]
    fn a_height_is_in_a_row() {
        let plain = window(10, None);
        check(plain, 0.0, 9);
        check(plain, 27.0, 9);
        check(plain, 28.0, 8);
        check(plain, 279.0, 0);
        check(plain, 9999.0, 0);
        let open = window(10, Some((7, 100.0)));
        check(open, 55.0, 8);
        check(open, 57.0, 7);
        check(open, 100.0, 7);
        check(open, 183.0, 7);
        check(open, 185.0, 6);
        check(window(0, None), 5.0, 0);
    }

    #[test]
    fn only_what_is_seen_is_drawn() {
        assert_eq!(window(0, None).seen(0.0, 500.0), 0..0);
        assert_eq!(window(5, None).seen(0.0, 500.0), 0..5);
        let long = window(100_000, None);
        assert_eq!(long.seen(0.0, 280.0), 99_983..100_000);
        let middle = long.seen(1_400_000.0, 280.0);
        assert!(middle.contains(&49_999) && middle.contains(&49_990) && middle.len() < 30, "{middle:?}");
        // A row whose insides fill what is seen is drawn all the same.
        let open = window(1000, Some((500, 5000.0)));
        assert!(open.seen(open.top(500) + 2000.0, 300.0).contains(&500));
    }

    #[test]
    fn every_row_that_is_seen_is_drawn() {
        for open in [None, Some((0, 300.0)), Some((20, 77.0)), Some((39, 1000.0))] {
            let window = window(40, open);
            for y in (0..window.height() as usize).step_by(13) {
                let (y, seen) = (y as f64, window.seen(y as f64, 100.0));
                for place in 0..40 {
                    let (top, end) = (window.top(place), window.top(place) + ROW);
                    assert!(
                        end <= y || top >= y + 100.0 || seen.contains(&place),
                        "{place} at {y}: {seen:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn scrolls_no_further_than_needed() {
        let window = window(100, None);
        assert_eq!(window.reveal(99, 500.0, 280.0), 0.0);
        assert_eq!(window.reveal(90, 100.0, 280.0), 100.0);
        assert_eq!(window.reveal(0, 0.0, 280.0), 2520.0);
    }
}
