//! The rows of the log: a row for each write, one for a run of writes that nobody asked for, and one for all that has
//! been compacted.

use glass::History;

/// A row of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// All revisions before this one, which cannot be read.
    Compacted(u64),
    /// The write of this revision.
    Write(u64),
    /// Writes to other resources.
    Folded {
        /// The revision of the oldest of them.
        from: u64,
        /// The revision of the newest of them.
        to: u64,
        /// How many they are.
        count: usize,
    },
}

impl Row {
    /// The first revision that it is about.
    pub(crate) fn from(self) -> u64 {
        match self {
            Self::Compacted(_) => 0,
            Self::Write(revision) => revision,
            Self::Folded { from, .. } => from,
        }
    }
}

/// A resource: its group and its plural name.
pub(crate) type Resource = (String, String);

/// The rows of a history, oldest first: so that new ones leave those that are there in their places.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// The revision that everything older than cannot be read.
    floor: u64,
    /// The resource whose writes are not folded; `None` folds nothing.
    only: Option<Resource>,
    /// Runs of other resources that are shown nevertheless, by their oldest revisions.
    unfolded: Vec<u64>,
    /// How many writes have been taken in.
    writes: usize,
    /// The newest of them.
    head: u64,
    /// How often anything has changed.
    pub(crate) changes: u64,
    /// The oldest revision of the run of other resources that the newest write is in.
    run: Option<u64>,
}

impl Rows {
    /// Takes in what is new in `history`, or all of it anew if something else has changed than that.
    pub(crate) fn update(&mut self, history: &History, floor: u64, only: Option<Resource>, unfolded: &[u64]) {
        let first = history.place(floor);
        let fresh = history.place(self.head + 1);
        let same = self.floor == floor && self.only == only && self.unfolded == unfolded;
        if !same || fresh.checked_sub(first) != Some(self.writes) {
            let changes = self.changes + 1;
            *self = Self { floor, only, unfolded: unfolded.to_vec(), changes, ..Self::default() };
            if floor > 1 {
                self.rows.push(Row::Compacted(floor));
            }
        }
        let begin = first + self.writes;
        for write in history.writes().range(begin..) {
            let object = history.object(write.object);
            let shown = match (&self.only, object) {
                (Some((group, resource)), Some(object)) => {
                    object.known.group == *group && object.known.resource == *resource
                }
                _ => true,
            };
            self.push(write.revision, shown);
        }
        self.writes = history.writes().len() - first;
    }

    fn push(&mut self, revision: u64, shown: bool) {
        self.head = revision;
        self.changes += 1;
        if shown {
            self.run = None;
            self.rows.push(Row::Write(revision));
            return;
        }
        let begin = *self.run.get_or_insert(revision);
        if self.unfolded.contains(&begin) {
            self.rows.push(Row::Write(revision));
        } else if let Some(Row::Folded { to, count, .. }) = self.rows.last_mut().filter(|_| begin < revision)
        {
            *to = revision;
            *count += 1;
        } else {
            self.rows.push(Row::Folded { from: revision, to: revision, count: 1 });
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row at a place, counted from the oldest one.
    pub(crate) fn at(&self, place: usize) -> Option<Row> {
        self.rows.get(place).copied()
    }

    /// The place of the row that a revision belongs to: of its own write, or of the newest one before it.
    pub(crate) fn place(&self, revision: u64) -> Option<usize> {
        self.rows.partition_point(|row| row.from() <= revision).checked_sub(1)
    }

    /// Returns whether `revision` belongs to the row at a place.
    pub(crate) fn holds(&self, place: usize, revision: u64) -> bool {
        self.place(revision) == Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::samples::configmap;
    use crate::model::watch::EventType::Modified;
    use protocol::trace::ObjectKey;

    /// A history of writes to pods (`p`) and ConfigMaps (`c`), at revisions from `first` on.
    fn history(first: u64, writes: &str) -> History {
        let mut history = History::default();
        extend(&mut history, first, writes);
        history
    }

    fn extend(history: &mut History, first: u64, writes: &str) {
        for (at, what) in writes.chars().enumerate() {
            let mut object = configmap("a");
            if what == 'p' {
                object = ObjectKey { resource: "pods".to_owned(), ..object };
            }
            history.push(first + at as u64, Modified, object);
        }
    }

    fn configmaps() -> Option<Resource> {
        Some((String::new(), "configmaps".to_owned()))
    }

    fn shown(rows: &Rows) -> String {
        let text = rows.rows.iter().map(|row| match row {
            Row::Compacted(floor) => format!("<{floor}"),
            Row::Write(revision) => revision.to_string(),
            Row::Folded { from, to, count } => format!("{from}~{to}({count})"),
        });
        text.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(writes: &str, floor: u64, only: bool, unfolded: &[u64], expected: &str) {
        let only = configmaps().filter(|_| only);
        let mut whole = Rows::default();
        whole.update(&history(5, writes), floor, only.clone(), unfolded);
        assert_eq!(shown(&whole), expected);
        // One write at a time makes the same rows as all of them at once.
        let (mut grown, mut steps) = (History::default(), Rows::default());
        for (at, what) in writes.char_indices() {
            extend(&mut grown, 5 + at as u64, &what.to_string());
            steps.update(&grown, floor, only.clone(), unfolded);
        }
        assert_eq!(shown(&steps), expected, "step by step");
    }

    #[test]
    fn every_write_is_a_row() {
        check("ccp", 0, false, &[], "5 6 7");
        check("", 0, false, &[], "");
    }

    #[test]
    fn other_resources_fold() {
        check("cppcpc", 0, true, &[], "5 6~7(2) 8 9~9(1) 10");
        check("ppp", 0, true, &[], "5~7(3)");
        check("cppcppp", 0, true, &[9], "5 6~7(2) 8 9 10 11");
    }

    #[test]
    fn what_is_compacted_is_one_row() {
        check("cccc", 7, false, &[], "<7 7 8");
        check("ppcp", 6, true, &[], "<6 6~6(1) 7 8~8(1)");
        check("cc", 1, false, &[], "5 6");
    }

    #[test]
    fn what_comes_late_finds_its_place() {
        let mut history = history(5, "cc");
        let mut rows = Rows::default();
        rows.update(&history, 0, None, &[]);
        extend(&mut history, 3, "c");
        rows.update(&history, 0, None, &[]);
        assert_eq!(shown(&rows), "3 5 6");
        rows.update(&history, 5, configmaps(), &[]);
        assert_eq!(shown(&rows), "<5 5 6");
    }

    #[test]
    fn a_revision_belongs_to_a_row() {
        let mut rows = Rows::default();
        rows.update(&history(5, "cppc"), 5, configmaps(), &[]);
        assert_eq!(shown(&rows), "<5 5 6~7(2) 8");
        assert_eq!(
            [1, 4, 5, 6, 7, 8, 99].map(|revision| rows.place(revision)),
            [0, 0, 1, 2, 2, 3, 3].map(Some)
        );
        assert!(rows.holds(2, 7) && !rows.holds(1, 7));
        assert_eq!((rows.at(2).map(Row::from), rows.at(9)), (Some(6), None));
        assert_eq!(Rows::default().place(7), None);
    }
}
