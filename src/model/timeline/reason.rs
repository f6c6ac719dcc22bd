//! Why a watch was, or was not, sent the event of a write.

use glass::{Explanation, Matched};

use crate::model::timeline::tracks::Track;
use crate::model::watch::EventType;

/// Why a watch was, or was not, sent an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The object was there when the watch began.
    Initial,
    /// The object came into being, and matches.
    Created,
    /// The object was changed, and matches as before.
    Changed,
    /// The object was changed so that it matches.
    Enters,
    /// The object was changed so that it no longer matches.
    Leaves,
    /// The object was deleted, and had matched.
    Deleted,
    /// Neither before nor after does the object match.
    Neither,
    /// The watch is about other objects.
    Elsewhere,
    /// The watch began later, at this revision.
    Before(u64),
    /// The watch was closed at this revision.
    After(u64),
    /// The watch has come no further than this revision.
    NotYet(u64),
    /// Nobody knows any more.
    Unknown,
}

/// Returns what a watch was sent of the write of `revision`, and why. `sent` is the event that is known to have been
/// sent.
pub(crate) fn why(
    track: &Track,
    sent: Option<EventType>,
    explanation: Option<&Explanation>,
    revision: u64,
) -> (Option<EventType>, Reason) {
    let early = track.start.is_some_and(|start| revision <= start);
    if sent.is_some() && early {
        return (sent, Reason::Initial);
    }
    let Some(explanation) = explanation else { return (sent, Reason::Unknown) };
    let matches = |object: &Option<Matched>| object.as_ref().is_some_and(|object| object.matches);
    let reason = match (matches(&explanation.before), matches(&explanation.after)) {
        _ if !explanation.concerned => return (sent, Reason::Elsewhere),
        (false, false) => return (sent, Reason::Neither),
        (false, true) if explanation.before.is_none() => Reason::Created,
        (false, true) => Reason::Enters,
        (true, true) => Reason::Changed,
        (true, false) if explanation.after.is_none() => Reason::Deleted,
        (true, false) => Reason::Leaves,
    };
    match (sent, track.start) {
        (Some(_), _) => (sent, reason),
        (None, Some(start)) if early => (None, Reason::Before(start)),
        (None, _) if revision <= track.seen => (None, Reason::Unknown),
        (None, _) if track.open => (None, Reason::NotYet(track.seen)),
        (None, _) => (None, Reason::After(track.seen)),
    }
}

/// Both selectors of a watch, as one; empty if it has none.
pub(crate) fn selector(explanation: &Explanation) -> String {
    let (labels, fields) = (&explanation.label_selector, &explanation.field_selector);
    let comma = if labels.is_empty() || fields.is_empty() { "" } else { "," };
    [labels.as_str(), comma, fields.as_str()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use EventType::{Added, Deleted, Modified};

    fn explanation(before: Option<bool>, after: Option<bool>) -> Explanation {
        let matched = |matches| Matched { matches, labels: Vec::new(), fields: Vec::new() };
        Explanation {
            concerned: true,
            before: before.map(matched),
            after: after.map(matched),
            sent: None,
            label_selector: "app=web".to_owned(),
            field_selector: String::new(),
        }
    }

    fn track(open: bool) -> Track {
        Track { watch: 0, letter: "A".to_owned(), start: Some(10), seen: 20, open, bookmark: None }
    }

    #[track_caller]
    fn check(before: Option<bool>, after: Option<bool>, sent: Option<EventType>, expected: Reason) {
        let explanation = explanation(before, after);
        assert_eq!(why(&track(true), sent, Some(&explanation), 15), (sent, expected));
    }

    #[test]
    fn selectors_decide_what_is_sent() {
        check(None, Some(true), Some(Added), Reason::Created);
        check(Some(false), Some(true), Some(Added), Reason::Enters);
        check(Some(true), Some(true), Some(Modified), Reason::Changed);
        check(Some(true), Some(false), Some(Deleted), Reason::Leaves);
        check(Some(true), None, Some(Deleted), Reason::Deleted);
        check(Some(false), Some(false), None, Reason::Neither);
        check(Some(false), None, None, Reason::Neither);
        check(Some(true), Some(true), None, Reason::Unknown);
    }

    #[test]
    fn a_watch_sees_only_what_happens_while_it_is_open() {
        let matching = explanation(Some(true), Some(true));
        let at = |open, sent, revision| why(&track(open), sent, Some(&matching), revision).1;
        assert_eq!(at(true, None, 10), Reason::Before(10));
        assert_eq!(at(true, Some(Added), 5), Reason::Initial);
        assert_eq!(at(true, None, 21), Reason::NotYet(20));
        assert_eq!(at(false, None, 21), Reason::After(20));
        assert_eq!(why(&track(true), Some(Added), None, 15), (Some(Added), Reason::Unknown));
    }

    #[test]
    fn a_watch_is_about_its_own_objects() {
        let elsewhere = Explanation { concerned: false, ..explanation(None, None) };
        assert_eq!(why(&track(true), None, Some(&elsewhere), 15), (None, Reason::Elsewhere));
    }

    #[test]
    fn both_selectors_are_one() {
        let with = |labels: &str, fields: &str| {
            let (label_selector, field_selector) = (labels.to_owned(), fields.to_owned());
            selector(&Explanation { label_selector, field_selector, ..explanation(None, None) })
        };
        assert_eq!(with("a=b", "metadata.name=c"), "a=b,metadata.name=c");
        assert_eq!((with("a=b", ""), with("", "")), ("a=b".to_owned(), String::new()));
    }
}
