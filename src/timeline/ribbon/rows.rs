//! Which lane stands where. The lanes of objects are above, those of API servers, watches and pins beneath; where there is
//! not room for all, each of the two shows a stretch of its lanes.

use glass::{History, Object};

use super::facts::Facts;
use crate::ui::search;

/// The height of the axis in pixels.
pub(crate) const AXIS: f64 = 24.0;
/// The height of a lane in pixels.
pub(crate) const LANE: f64 = 24.0;
/// The y coordinate at which the lanes begin: beneath the axis and the lane of all writes.
pub(crate) const TOP: f64 = AXIS + LANE;
/// The gap between the two stretches, in pixels.
const GAP: f64 = 8.0;
/// Up to how many revisions in sight each write brings its object into sight.
const FEW: u64 = 200;

/// A lane beneath those of the objects. The number is its place among the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lower {
    Server(usize),
    Watch(usize),
    Pin(usize),
}

/// One of the two stretches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stretch {
    /// How many lanes it has in all.
    pub(crate) all: usize,
    /// How many of them can be seen.
    pub(crate) seen: usize,
    /// The first that can be seen.
    pub(crate) first: usize,
    /// The y coordinate at which the stretch begins.
    pub(crate) top: f64,
}

impl Stretch {
    /// The middle of a lane, if it can be seen.
    pub(crate) fn middle(&self, lane: usize) -> Option<f64> {
        let at = lane.checked_sub(self.first).filter(|at| *at < self.seen)?;
        Some(self.top + LANE * (at as f64 + 0.5))
    }

    /// Returns the y coordinate at which the stretch ends.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + LANE * self.seen as f64
    }

    fn place(&mut self, all: usize, seen: usize, top: f64) {
        *self = Self { all, seen, first: self.first.min(all - seen), top };
    }

    /// Moves by some lanes; says whether it could.
    pub(crate) fn scroll(&mut self, by: i64) -> bool {
        let first = self.first.saturating_add_signed(by as isize).min(self.all - self.seen);
        std::mem::replace(&mut self.first, first) != first
    }
}

/// The lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// The objects that have a lane, from the top.
    pub(crate) objects: Vec<u32>,
    /// The lanes beneath.
    pub(crate) lower: Vec<Lower>,
    pub(crate) upper_stretch: Stretch,
    pub(crate) lower_stretch: Stretch,
    /// The objects that stay on top.
    pub(crate) pinned: Vec<u32>,
}

/// Returns whether an object has anything to show from one revision to another.
fn shows(object: &Object, (first, last): (u64, u64)) -> bool {
    let newest = object.generations.back();
    newest.is_some_and(|(_, to)| *to >= first)
        && object.generations.front().is_some_and(|(from, _)| *from <= last)
}

impl Rows {
    /// Pins a lane to the top, or lets it go.
    pub(crate) fn pin(&mut self, object: u32) {
        match self.pinned.iter().position(|pinned| *pinned == object) {
            Some(at) => {
                self.pinned.remove(at);
            }
            None => self.pinned.push(object),
        }
    }

    /// Puts every lane in its place, for a ribbon of this height that shows these revisions.
    pub(crate) fn place(&mut self, history: &History, facts: &Facts, seen: (u64, u64), height: f64) {
        self.lower.clear();
        self.lower.extend((0..facts.servers.len()).map(Lower::Server));
        self.lower.extend((0..facts.watches.len()).map(Lower::Watch));
        self.lower.extend((0..facts.pins.len()).map(Lower::Pin));
        let lower = self.lower.len();
        let gap = if lower == 0 { 0.0 } else { GAP };
        let room = (((height - TOP - gap) / LANE).floor().max(2.0)) as usize;

        let shown = |number: &&u32| {
            let pinned = self.pinned.contains(number);
            !pinned && history.object(**number).is_some_and(|object| shows(object, seen))
        };
        let mut rest: Vec<u32> = history.by_name().iter().filter(shown).copied().collect();
        let all = self.pinned.len() + rest.len();
        let beneath = lower.min((room / 2).max(room.saturating_sub(all)));
        let above = all.min(room - beneath);
        if all > above {
            self.keep(&mut rest, history, seen, above.saturating_sub(self.pinned.len()));
        }
        self.objects.clear();
        self.objects.extend(&self.pinned);
        self.objects.append(&mut rest);
        self.upper_stretch.place(all, above, TOP);
        let top = self.upper_stretch.bottom() + gap;
        self.lower_stretch.place(lower, lower.min(room - above), top);
    }

    /// Orders `rest` where not all have room: the objects that were written last come first, but Events, of which
    /// controllers write more than of all others, after whatever else was written in sight. An object that is shown
    /// keeps its place, for lanes that change their places cannot be read; where there are many writes, it does so for
    /// as long as one of its own can be seen.
    fn keep(&self, rest: &mut Vec<u32>, history: &History, seen: (u64, u64), room: usize) {
        let last = |number: u32| history.object(number).map_or(0, Object::last).min(seen.1);
        let is_event =
            |number: u32| history.object(number).is_some_and(|object| object.known.resource == "events");
        let cost = |number: &u32| {
            let last = last(*number);
            let rank = 2 * u64::from(last < seen.0) + u64::from(is_event(*number));
            (rank << 62) + (u64::MAX >> 2).saturating_sub(last)
        };
        let order = search::order(rest.iter().map(cost));
        let mut left: Vec<u32> = order.into_iter().filter_map(|at| rest.get(at).copied()).collect();
        let before = self.objects.iter().filter(|number| !self.pinned.contains(number));
        let few = seen.1.saturating_sub(seen.0) <= FEW;
        let newest: Vec<u32> = left.iter().take(room).copied().collect();
        let stays = |number| if few { newest.contains(&number) } else { last(number) >= seen.0 };
        let mut slots: Vec<Option<u32>> = before
            .take(room)
            .map(|number| {
                let at = left.iter().position(|other| other == number)?;
                stays(*number).then(|| left.remove(at))
            })
            .collect();
        slots.resize(room, None);
        let mut left = left.into_iter();
        rest.clear();
        rest.extend(slots.into_iter().filter_map(|slot| slot.or_else(|| left.next())));
        rest.extend(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::samples::history;
    use crate::model::watch::EventType::{Added, Deleted, Modified};

    const ALL: (u64, u64) = (0, u64::MAX);

    fn names(rows: &Rows, history: &History) -> Vec<String> {
        let seen = &rows.objects[rows.upper_stretch.first..][..rows.upper_stretch.seen];
        seen.iter().map(|number| history.objects()[*number as usize].known.name.clone()).collect()
    }

    #[test]
    fn objects_stand_by_name_while_all_have_room() {
        let history = history(&[(1, Added, "c"), (2, Added, "a"), (3, Added, "b"), (4, Deleted, "b")]);
        let mut rows = Rows::default();
        rows.place(&history, &Facts::default(), ALL, 400.0);
        assert_eq!(names(&rows, &history), ["a", "b", "c"]);
        rows.place(&history, &Facts::default(), (5, 9), 400.0);
        assert_eq!(names(&rows, &history), ["a", "c"], "what ended before has nothing to show");
        rows.place(&history, &Facts::default(), (0, 1), 400.0);
        assert_eq!(names(&rows, &history), ["c"], "nor has what began later");
        rows.pin(0);
        rows.place(&history, &Facts::default(), ALL, 400.0);
        assert_eq!(names(&rows, &history), ["c", "a", "b"]);
        rows.pin(0);
        rows.place(&history, &Facts::default(), ALL, 400.0);
        assert_eq!(names(&rows, &history), ["a", "b", "c"]);
    }

    #[test]
    fn who_has_a_place_keeps_it_until_others_were_written_later() {
        let mut known = history(&[(1, Added, "a"), (2, Added, "b"), (3, Added, "c"), (4, Added, "d")]);
        let mut rows = Rows::default();
        let height = TOP + LANE * 2.0;
        rows.place(&known, &Facts::default(), (0, 4), height);
        assert_eq!(names(&rows, &known), ["d", "c"]);
        known.push(5, Modified, crate::model::timeline::samples::configmap("a"));
        rows.place(&known, &Facts::default(), (0, 900), height);
        assert_eq!(names(&rows, &known), ["d", "c"], "among many writes");
        rows.place(&known, &Facts::default(), (4, 900), height);
        assert_eq!(names(&rows, &known), ["d", "a"], "the write of c can no longer be seen");
        known.push(6, Modified, crate::model::timeline::samples::configmap("b"));
        rows.place(&known, &Facts::default(), (4, 9), height);
        assert_eq!(names(&rows, &known), ["b", "a"], "among few");
        assert!(rows.upper_stretch.scroll(2) && !rows.upper_stretch.scroll(1));
        rows.place(&known, &Facts::default(), (4, 5), height);
        assert_eq!(names(&rows, &known).len(), 2);
        assert_eq!(rows.upper_stretch.middle(0), None);
        assert_eq!(rows.upper_stretch.middle(2), Some(TOP + LANE / 2.0));
    }

    #[test]
    fn events_come_after_whatever_else_was_written_in_sight() {
        let mut known = history(&[(1, Added, "a"), (2, Added, "b"), (3, Added, "c")]);
        for (revision, name) in [(4, "x"), (5, "y")] {
            let key = crate::model::timeline::samples::configmap(name);
            known.push(revision, Added, protocol::trace::ObjectKey { resource: "events".to_owned(), ..key });
        }
        let check = |seen, expected: [&str; 2]| {
            let mut rows = Rows::default();
            rows.place(&known, &Facts::default(), seen, TOP + LANE * 2.0);
            assert_eq!(names(&rows, &known), expected, "{seen:?}");
        };
        check((0, 5), ["c", "b"]);
        check((3, 5), ["c", "y"]);
        check((4, 5), ["y", "x"]);
    }

    #[test]
    fn what_is_beneath_has_half_of_the_room_at_least() {
        let writes: Vec<_> =
            (1..100).map(|n| (n, Added, ["a", "b", "c", "d", "e", "f", "g"][n as usize % 7])).collect();
        let history = history(&writes);
        let pin =
            super::super::facts::Pin { revision: 1, collection: "".into(), remaining: None, expired: false };
        let mut rows = Rows::default();
        for (pins, height, expected) in [
            (3, 600.0, (7, 3)),
            (3, TOP + GAP + LANE * 6.0, (3, 3)),
            (20, TOP + GAP + LANE * 6.0, (3, 3)),
            (20, 0.0, (1, 1)),
        ] {
            let facts = Facts { pins: vec![pin.clone(); pins], ..Facts::default() };
            rows.place(&history, &facts, ALL, height);
            assert_eq!(
                (rows.upper_stretch.seen, rows.lower_stretch.seen),
                expected,
                "{pins} pins in {height} px"
            );
        }
    }
}
