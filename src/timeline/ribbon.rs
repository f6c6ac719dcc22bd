//! Where everything on the ribbon stands.

use std::collections::BTreeMap;

use crate::request::complete::Known;
use crate::timeline::history;
use crate::ui::search;
use crate::watches::model::EventType;

/// The height of a lane in pixels.
pub(crate) const LANE: f64 = 26.0;
/// The height of the axis in pixels.
pub(crate) const AXIS: f64 = 22.0;
/// The least and the most objects that have a lane of their own.
const LANES: (usize, usize) = (2, 16);
/// What is left free beneath, in pixels.
const FOOT: f64 = 12.0;
/// The most watches that are drawn.
const WATCHES: usize = 5;
/// The most shapes that are drawn.
pub(crate) const SHAPES: usize = 500;

/// What the ribbon shows.
pub(crate) struct Input<'a> {
    /// The writes, oldest first.
    pub(crate) writes: &'a [Write],
    /// Everything up to this revision has been compacted.
    pub(crate) floor: u64,
    /// The newest revision.
    pub(crate) head: u64,
    /// The revision that stands at the right; `None` follows the newest.
    pub(crate) until: Option<u64>,
    /// The watches.
    pub(crate) watches: &'a [Cursor],
    /// The width for revisions, in pixels.
    pub(crate) width: f64,
    /// The height that there is for all of it, in pixels.
    pub(crate) height: f64,
    /// The width of a revision, in pixels.
    pub(crate) step: f64,
}

/// A write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) revision: u64,
    pub(crate) change: EventType,
    pub(crate) object: Known,
}

/// A watch and what it has sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cursor {
    /// Its letter.
    pub(crate) letter: String,
    /// Where it began.
    pub(crate) start: Option<u64>,
    /// How far it has looked.
    pub(crate) at: u64,
    /// Whether it is open.
    pub(crate) open: bool,
    /// The events that it brought, by revision.
    pub(crate) events: Vec<(u64, EventType)>,
}

/// The ribbon.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Picture {
    /// The first and the last revision that have a place.
    pub(crate) window: (u64, u64),
    /// Revisions that are named on the axis.
    pub(crate) ticks: Vec<(f64, u64)>,
    /// How far what has been compacted reaches.
    pub(crate) compacted: f64,
    /// Lanes from the top: one for each object, and one for all others.
    pub(crate) lanes: Vec<Lane>,
    /// Lanes of the watches, beneath.
    pub(crate) watches: Vec<Track>,
    /// The height of it all.
    pub(crate) height: f64,
}

/// The lane of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lane {
    /// What it is called; empty for the lane of all others.
    pub(crate) label: String,
    /// Its middle.
    pub(crate) y: f64,
    /// Its generations, from creation to deletion: from x to x, and whether it ends there.
    pub(crate) bars: Vec<(f64, f64, bool)>,
    /// Its writes.
    pub(crate) marks: Vec<Mark>,
}

/// A write or an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    /// Its middle.
    pub(crate) x: f64,
    /// Its revision.
    pub(crate) revision: u64,
    /// What it did.
    pub(crate) change: EventType,
}

/// The lane of a watch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    /// The letter of the watch.
    pub(crate) letter: String,
    /// Its middle.
    pub(crate) y: f64,
    /// From where it began to where it stands.
    pub(crate) line: (f64, f64),
    /// Whether it is open.
    pub(crate) open: bool,
    /// What it brought.
    pub(crate) marks: Vec<Mark>,
}

/// How many revisions have a place.
pub(crate) fn span(width: f64, step: f64) -> u64 {
    ((width / step).floor() as u64).clamp(1, 120)
}

/// Puts everything in its place.
pub(crate) fn layout(input: &Input<'_>) -> Picture {
    let span = span(input.width, input.step);
    let last = input.until.unwrap_or(input.head).min(input.head);
    let first = (last + 1).saturating_sub(span).max(1);
    let first = if last < span { 1 } else { first };
    // A cluster begins at the left, not at the right.
    let oldest = input.writes.first().map_or(first, |write| write.revision).saturating_sub(2).max(1);
    let first = if input.until.is_none() { first.max(oldest.min(last)) } else { first };
    let window = (first, last.max(first));
    let x = |revision: u64| (revision as f64 - first as f64 + 0.5) * input.step;
    let edge = |revision: u64| x(revision.clamp(first.saturating_sub(1), window.1 + 1));
    let inside = |revision: u64| (first..=window.1).contains(&revision);

    // The watches have a place whatever happens above them, and so has the lane of all others.
    let taken = AXIS + FOOT + LANE * (input.watches.len().min(WATCHES) + 1) as f64;
    let room = ((input.height - taken) / LANE).floor().max(0.0) as usize;
    let objects = lanes_of(input.writes, window, room.clamp(LANES.0, LANES.1));
    let mut shapes = 0;
    let mut lanes: Vec<Lane> = Vec::new();
    for (number, (object, history)) in objects.iter().enumerate() {
        let y = AXIS + LANE * (number as f64 + 0.5);
        let mut lane = Lane { label: object.map(history::label).unwrap_or_default(), y, ..Lane::default() };
        if object.is_some() {
            lane.bars =
                bars(history, window).into_iter().map(|(a, b, ends)| (edge(a), edge(b), ends)).collect();
        }
        lane.marks = marks(history.iter().map(|write| (write.revision, write.change)), inside, x);
        shapes += lane.bars.len() + lane.marks.len();
        lanes.push(lane);
    }
    let mut watches = Vec::new();
    for cursor in input.watches.iter().rev().take(WATCHES).rev() {
        let y = AXIS + LANE * ((lanes.len() + watches.len()) as f64 + 0.5) + 6.0;
        let start = cursor.start.unwrap_or(cursor.at).min(cursor.at);
        let mut marks = marks(cursor.events.iter().copied(), inside, x);
        let room = SHAPES.saturating_sub(shapes + 2 * WATCHES);
        if marks.len() > room {
            marks.drain(..marks.len() - room);
        }
        shapes += marks.len();
        watches.push(Track {
            letter: cursor.letter.clone(),
            y,
            line: (edge(start), edge(cursor.at)),
            open: cursor.open,
            marks,
        });
    }
    let every = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|every| *every as f64 * input.step >= 56.0);
    let every = every.unwrap_or(200);
    let ticks =
        (first..=window.1).filter(|revision| revision % every == 0).map(|rev| (x(rev), rev)).collect();
    let compacted = if input.floor < first { 0.0 } else { x(input.floor.min(window.1)) + input.step / 2.0 };
    let rows = (lanes.len() + watches.len()) as f64;
    Picture { window, ticks, compacted, height: AXIS + LANE * rows + FOOT, lanes, watches }
}

fn marks(
    events: impl Iterator<Item = (u64, EventType)>,
    inside: impl Fn(u64) -> bool,
    x: impl Fn(u64) -> f64,
) -> Vec<Mark> {
    events
        .filter(|(revision, _)| inside(*revision))
        .map(|(revision, change)| Mark { x: x(revision), revision, change })
        .collect()
}

/// The objects that have a lane, in the order of their names, with their writes; what has none shares the last.
fn lanes_of(writes: &[Write], window: (u64, u64), most: usize) -> Vec<(Option<&Known>, Vec<&Write>)> {
    let mut histories: BTreeMap<&Known, Vec<&Write>> = BTreeMap::new();
    for write in writes.iter().filter(|write| write.revision <= window.1) {
        histories.entry(&write.object).or_default().push(write);
    }
    let last = |history: &[&Write]| history.last().map_or(0, |write| write.revision);
    // What ended before the window begins has nothing to show.
    histories.retain(|_, history| {
        let ended = history.last().is_some_and(|write| write.change == EventType::Deleted);
        !(ended && last(history) < window.0)
    });
    let newest: Vec<u64> = histories.values().map(|history| last(history)).collect();
    let order = search::order(newest.iter().map(|revision| u64::MAX - revision));
    let least = order.get(most - 1).map_or(0, |at| newest[*at]);
    let mut lanes = Vec::new();
    for (object, history) in histories {
        if last(&history) >= least {
            lanes.push((Some(object), history));
        }
    }
    let shown = |write: &&Write| (window.0..=window.1).contains(&write.revision);
    let others: Vec<&Write> = writes
        .iter()
        .filter(shown)
        .filter(|write| lanes.iter().all(|(object, _)| *object != Some(&write.object)))
        .collect();
    if !others.is_empty() {
        lanes.push((None, others));
    }
    lanes
}

/// The generations of an object within the window: from, to, and whether it was deleted there.
fn bars(history: &[&Write], window: (u64, u64)) -> Vec<(u64, u64, bool)> {
    let mut bars = Vec::new();
    let mut from: Option<u64> = None;
    for write in history {
        let begin = *from.get_or_insert(match write.change {
            EventType::Added => write.revision,
            // It was there before the log begins.
            _ => 0,
        });
        if write.change == EventType::Deleted {
            if write.revision >= window.0 {
                bars.push((begin, write.revision, true));
            }
            from = None;
        }
    }
    if let Some(begin) = from {
        bars.push((begin, window.1 + 1, false));
    }
    bars
}

#[cfg(test)]
mod tests {
    use EventType::{Added, Bookmark, Deleted, Modified};

    use super::*;

    fn write(revision: u64, change: EventType, name: &str) -> Write {
        Write { revision, change, object: history::tests::configmap(name) }
    }

    fn input<'a>(writes: &'a [Write], watches: &'a [Cursor]) -> Input<'a> {
        let head = writes.last().map_or(0, |write| write.revision);
        Input { writes, floor: 0, head, until: None, watches, width: 200.0, height: 300.0, step: 20.0 }
    }

    #[track_caller]
    fn check_marks(marks: &[Mark], expected: &[(f64, u64)]) {
        let got: Vec<(f64, u64)> = marks.iter().map(|mark| (mark.x, mark.revision)).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn a_new_cluster_begins_at_the_left() {
        let writes = [write(100, Added, "a"), write(101, Modified, "a"), write(102, Added, "b")];
        let picture = layout(&input(&writes, &[]));
        assert_eq!(picture.window, (98, 102));
        check_marks(&picture.lanes[0].marks, &[(50.0, 100), (70.0, 101)]);
        check_marks(&picture.lanes[1].marks, &[(90.0, 102)]);
        assert_eq!(picture.lanes[0].label, "configmaps/a");
    }

    #[test]
    fn follows_the_head_and_stops_where_it_is_told() {
        let writes: Vec<Write> = (100..150).map(|revision| write(revision, Modified, "a")).collect();
        assert_eq!(layout(&input(&writes, &[])).window, (140, 149));
        let back = Input { until: Some(120), ..input(&writes, &[]) };
        assert_eq!(layout(&back).window, (111, 120));
        let beyond = Input { until: Some(500), ..input(&writes, &[]) };
        assert_eq!(layout(&beyond).window, (140, 149));
        let start = Input { until: Some(3), ..input(&writes, &[]) };
        assert_eq!(layout(&start).window, (1, 3));
    }

    #[test]
    fn a_generation_is_a_bar_from_creation_to_deletion() {
        let writes = [
            write(100, Added, "a"),
            write(101, Deleted, "a"),
            write(103, Added, "a"),
            write(104, Modified, "z"),
        ];
        let lanes = layout(&input(&writes, &[])).lanes;
        assert_eq!(lanes[0].bars, [(50.0, 70.0, true), (110.0, 150.0, false)]);
        assert_eq!(lanes[1].bars, [(-10.0, 150.0, false)], "there before the log begins");
    }

    #[test]
    fn what_ended_before_the_window_has_no_lane() {
        let mut writes = vec![write(1, Added, "gone"), write(2, Deleted, "gone")];
        writes.extend((3..40).map(|revision| write(revision, Modified, "a")));
        let labels: Vec<String> =
            layout(&input(&writes, &[])).lanes.into_iter().map(|lane| lane.label).collect();
        assert_eq!(labels, ["configmaps/a"]);
    }

    #[test]
    fn the_busiest_have_lanes_and_the_rest_share_one() {
        let mut writes: Vec<Write> =
            (0..20).map(|n| write(100 + n, Added, &format!("object-{n:02}"))).collect();
        let picture = layout(&Input { width: 600.0, ..input(&writes, &[]) });
        assert_eq!(picture.lanes.len(), 10, "as many as there is room for");
        assert_eq!(picture.lanes[9].label, "");
        assert_eq!(picture.lanes[9].marks.len(), 11);
        assert!(picture.lanes[9].bars.is_empty());
        assert!(picture.height <= 300.0);
        let low = layout(&Input { height: 10.0, ..input(&writes, &[]) });
        assert_eq!(low.lanes.len(), LANES.0 + 1);
        writes.clear();
        assert!(layout(&input(&writes, &[])).lanes.is_empty());
    }

    #[test]
    fn watches_stand_beneath_where_they_are() {
        let writes: Vec<Write> = (100..105).map(|revision| write(revision, Modified, "a")).collect();
        let cursor = Cursor {
            letter: "A".to_owned(),
            start: Some(101),
            at: 103,
            open: true,
            events: vec![(102, Modified), (103, Bookmark), (9, Added)],
        };
        let picture = layout(&input(&writes, &[cursor]));
        let track = &picture.watches[0];
        assert_eq!(track.line, (70.0, 110.0));
        check_marks(&track.marks, &[(90.0, 102), (110.0, 103)]);
        assert!(track.y > picture.lanes[0].y && track.y < picture.height);
    }

    #[test]
    fn what_has_been_compacted_reaches_to_the_floor() {
        let writes: Vec<Write> = (100..105).map(|revision| write(revision, Modified, "a")).collect();
        let at = |floor| layout(&Input { floor, ..input(&writes, &[]) }).compacted;
        assert_eq!([at(0), at(97), at(100), at(104), at(900)], [0.0, 0.0, 60.0, 140.0, 140.0]);
    }

    #[test]
    fn never_more_shapes_than_it_may_have() {
        let writes: Vec<Write> = (0..400)
            .map(|n| write(1000 + n, if n % 3 == 0 { Added } else { Deleted }, &format!("{}", n % 7)))
            .collect();
        let cursors: Vec<Cursor> = (0..30)
            .map(|n| Cursor {
                letter: format!("{n}"),
                start: None,
                at: 1390,
                open: true,
                events: (1000..1400).map(|revision| (revision, Modified)).collect(),
            })
            .collect();
        let picture = layout(&Input { width: 4000.0, step: 10.0, ..input(&writes, &cursors) });
        let lanes: usize = picture.lanes.iter().map(|lane| lane.bars.len() + lane.marks.len()).sum();
        let tracks: usize = picture.watches.iter().map(|track| 2 + track.marks.len()).sum();
        assert!(lanes + tracks <= SHAPES, "{lanes} and {tracks}");
        assert_eq!(picture.watches.len(), WATCHES);
    }

    #[test]
    fn an_empty_cluster_has_a_picture_too() {
        let picture = layout(&input(&[], &[]));
        assert_eq!((picture.window, picture.lanes.len()), ((1, 1), 0));
    }
}
