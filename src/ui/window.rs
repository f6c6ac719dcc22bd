//! Which rows of a long table are built.

/// How many rows are built beyond those that are seen, above and below.
const BEYOND: usize = 4;

/// The rows that are built, and the room that the others take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// The first row.
    pub(crate) first: usize,
    /// One beyond the last.
    pub(crate) end: usize,
    /// The height of what is above.
    pub(crate) above: f64,
    /// The height of what is below.
    pub(crate) below: f64,
}

/// A long table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Table {
    /// How many rows it has.
    pub(crate) rows: usize,
    /// The height of each.
    pub(crate) height: f64,
    /// The row that is open, and how much higher it is.
    pub(crate) open: Option<(usize, f64)>,
}

impl Table {
    /// Returns the position of the top of a row.
    pub(crate) fn top(&self, row: usize) -> f64 {
        let open = self.open.filter(|(open, _)| *open < row).map_or(0.0, |(_, extra)| extra);
        row as f64 * self.height + open
    }

    /// The rows to build where `seen` pixels are seen from `scroll` on.
    pub(crate) fn window(&self, scroll: f64, seen: f64) -> Window {
        let at = |y: f64| {
            let y = match self.open {
                Some((open, extra)) if y > self.top(open + 1) => y - extra,
                Some((open, _)) if y > self.top(open) => self.height * open as f64,
                _ => y,
            };
            ((y / self.height).max(0.0) as usize).min(self.rows)
        };
        let first = at(scroll).saturating_sub(BEYOND);
        let end = (at(scroll + seen) + 1 + BEYOND).min(self.rows);
        Window { first, end, above: self.top(first), below: self.top(self.rows) - self.top(end) }
    }

    /// Returns the position to scroll to so that a row is seen, and as much as there is room for of what it shows if it
    /// is open.
    pub(crate) fn reveal(&self, row: usize, scroll: f64, seen: f64) -> f64 {
        let (top, bottom) = (self.top(row), self.top(row + 1));
        if top < scroll {
            top
        } else if bottom > scroll + seen {
            (bottom - seen).min(top)
        } else {
            scroll
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(open: Option<(usize, f64)>, scroll: f64, rows: (usize, usize), room: (f64, f64)) {
        let table = Table { rows: 100, height: 20.0, open };
        let window = table.window(scroll, 100.0);
        assert_eq!(((window.first, window.end), (window.above, window.below)), (rows, room));
    }

    #[test]
    fn builds_what_is_seen_and_a_little_more() {
        check(None, 0.0, (0, 10), (0.0, 1800.0));
        check(None, 1000.0, (46, 60), (920.0, 800.0));
        check(None, 1900.0, (91, 100), (1820.0, 0.0));
        check(None, 9000.0, (96, 100), (1920.0, 0.0));
    }

    #[test]
    fn an_open_row_takes_its_room() {
        check(Some((2, 300.0)), 1300.0, (46, 60), (1220.0, 800.0));
        check(Some((50, 300.0)), 1100.0, (46, 55), (920.0, 900.0));
        check(Some((90, 300.0)), 0.0, (0, 10), (0.0, 2100.0));
    }

    #[test]
    fn scrolls_no_further_than_needed() {
        let table = Table { rows: 100, height: 20.0, open: None };
        assert_eq!([2, 12, 30].map(|row| table.reveal(row, 200.0, 100.0)), [40.0, 200.0, 520.0]);
        let open = |extra| Table { open: Some((12, extra)), ..table }.reveal(12, 200.0, 100.0);
        assert_eq!([30.0, 70.0, 300.0].map(open), [200.0, 230.0, 240.0]);
    }
}
