//! The cluster as it was at a revision: what existed then, how much of it, and what watches had been sent.

use std::collections::{HashMap, VecDeque};

use glass::History;

use crate::cluster::catalog;
use crate::cluster::trace::Outcome;
use crate::model::watch::{EventType, Row};

/// How an answer stands to the revision that the page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is what would have been answered then.
    Then,
    /// It is shown as it came, for it cannot be asked of the past.
    AsItCame,
    /// It is of a cluster that does not tell of its past.
    Untold,
}

/// An exchange as it would have gone at a revision: which exchange, which revision, and what became of it.
pub(crate) type Then = (u64, u64, Standing, Outcome);

/// An object as it was at a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Was {
    /// The number of the object in [`History::objects`].
    pub(crate) object: u32,
    /// The revision of its last write until then; `None` if that is not known, for it is older than the history.
    pub(crate) version: Option<u64>,
    /// The change that the revision itself made to the object, if any. An object that it deleted is gone, and still
    /// listed.
    pub(crate) change: Option<EventType>,
}

/// The objects that existed at revision `at`, and the one that it deleted.
pub(crate) fn state(history: &History, at: u64) -> Vec<Was> {
    let was = |(number, object): (usize, &glass::Object)| {
        let object_number = u32::try_from(number).ok()?;
        let place = object.writes.partition_point(|revision| *revision <= at);
        let Some(last) = place.checked_sub(1) else {
            // It was there before if what is known of it first is not that it came into being.
            let first = object.writes.front().and_then(|first| history.write(*first));
            let was_there = match first {
                Some(first) => first.change != EventType::Added,
                None => object.lives,
            };
            return was_there.then_some(Was { object: object_number, version: None, change: None });
        };
        let write = history.write(*object.writes.get(last)?)?;
        let change = (write.revision == at).then_some(write.change);
        let gone = write.change == EventType::Deleted && change.is_none();
        (!gone).then_some(Was { object: object_number, version: Some(write.revision), change })
    };
    history.objects().iter().enumerate().filter_map(was).collect()
}

/// How many objects there were at revision `at`, by [storage key](catalog::storage_key).
pub(crate) fn counts(history: &History, at: u64) -> HashMap<String, usize> {
    let mut by_resource: Vec<(&str, &str, usize)> = Vec::new();
    for was in state(history, at) {
        let Some(object) = history.object(was.object) else { continue };
        if was.change == Some(EventType::Deleted) {
            continue;
        }
        let (group, name) = (object.known.group.as_str(), object.known.resource.as_str());
        match by_resource.iter_mut().find(|(known, of, _)| *known == group && *of == name) {
            Some((_, _, count)) => *count += 1,
            None => by_resource.push((group, name, 1)),
        }
    }
    let mut counts = HashMap::new();
    for (group, name, count) in by_resource {
        let resource = catalog::listed().find(|known| known.group == group && known.name == name);
        if let Some(resource) = resource {
            counts.insert(catalog::storage_key(resource), count);
        }
    }
    counts
}

/// The numbers of a watch's rows that were there at revision `at`, newest first, and how many events came later. A row without
/// a revision counts as long as no event before it came later.
pub(crate) fn rows(rows: &VecDeque<(u64, Row)>, at: Option<u64>) -> (Vec<u64>, usize) {
    let Some(at) = at else { return (rows.iter().rev().map(|(number, _)| *number).collect(), 0) };
    let (mut shown, mut later) = (Vec::new(), 0);
    for (number, row) in rows {
        let revision = match row {
            Row::Event(event) => event.version.parse().ok(),
            Row::Note(_) => None,
        };
        let was_there = revision.map_or(later == 0, |revision: u64| revision <= at);
        if was_there {
            shown.push(*number);
        } else {
            later += usize::from(matches!(row, Row::Event(_)));
        }
    }
    shown.reverse();
    (shown, later)
}

/// Reports whether a page can go back to `revision`, if its cluster has been compacted up to `floor`, it knows writes
/// since `oldest`, and it is at `head`.
pub(crate) fn is_kept(revision: u64, floor: u64, oldest: u64, head: u64) -> bool {
    (floor.max(oldest)..=head).contains(&revision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::samples::history;
    use crate::model::watch::{Event, EventLook, Note};

    const WRITES: &[(u64, EventType, &str)] = &[
        (1, EventType::Added, "a"),
        (2, EventType::Modified, "old"),
        (3, EventType::Added, "b"),
        (4, EventType::Modified, "a"),
        (5, EventType::Deleted, "b"),
        (6, EventType::Added, "b"),
    ];

    #[track_caller]
    fn check(at: u64, expected: &str) {
        let history = history(WRITES);
        let told: Vec<String> = state(&history, at)
            .into_iter()
            .map(|was| {
                let name = &history.object(was.object).unwrap().known.name;
                let version = was.version.map_or("?".to_owned(), |version| version.to_string());
                let change = was.change.map_or("", EventLook::shape);
                format!("{name}{version}{change}")
            })
            .collect();
        assert_eq!(told.join(" "), expected, "at {at}");
    }

    #[test]
    fn knows_what_existed() {
        check(0, "old?");
        check(1, "a1▲ old?");
        check(2, "a1 old2●");
        check(3, "a1 old2 b3▲");
        check(4, "a4● old2 b3");
        check(5, "a4 old2 b5✕");
        check(6, "a4 old2 b6▲");
        check(99, "a4 old2 b6");
    }

    #[test]
    fn counts_what_existed() {
        let history = history(WRITES);
        let count = |at| counts(&history, at).get("configmaps").copied();
        assert_eq!([0, 2, 3, 5, 6].map(count), [Some(1), Some(2), Some(3), Some(2), Some(3)]);
    }

    #[test]
    fn hides_what_came_later() {
        let event = |revision: u64| {
            let text = format!(
                r#"{{"type":"MODIFIED","object":{{"metadata":{{"name":"a","resourceVersion":"{revision}"}}}}}}"#
            );
            Row::Event(Event::read(text.into_bytes(), 0.0).unwrap().into())
        };
        let error = Row::Event(
            Event::read(br#"{"type":"ERROR","object":{"kind":"Status","status":"Failure"}}"#.to_vec(), 0.0)
                .unwrap()
                .into(),
        );
        let all = [event(5), Row::Note(Note::Stopped), event(7), event(6), Row::Note(Note::Ended), error];
        let all: VecDeque<(u64, Row)> = (0..).zip(all).collect();
        assert_eq!(rows(&all, None), (vec![5, 4, 3, 2, 1, 0], 0));
        assert_eq!(rows(&all, Some(7)), (vec![5, 4, 3, 2, 1, 0], 0));
        assert_eq!(rows(&all, Some(6)), (vec![3, 1, 0], 2));
        assert_eq!(rows(&all, Some(5)), (vec![1, 0], 3));
        assert_eq!(rows(&all, Some(4)).1, 4);
    }

    #[test]
    fn knows_what_is_kept() {
        let kept = |revision| is_kept(revision, 5, 3, 9);
        assert_eq!([2, 4, 5, 9, 10].map(kept), [false, false, true, true, false]);
        assert!(!is_kept(2, 0, 3, 9));
    }
}
