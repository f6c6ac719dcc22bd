//! The description of a revision in one line: what was written, by whom, and what each watch was sent of it, and why.

use glass::{Explanation, Glass, History, Lane};

use crate::model::watch::EventType;
use crate::state::Model;
use crate::timeline::ribbon::facts::{Facts, WatchLine};
use crate::ui::messages::ribbon as words;

/// Returns what was written at a revision, and by whom.
pub(crate) fn write(history: &History, revision: u64) -> String {
    let write = history.write(revision);
    let object = write.and_then(|write| history.object(write.object));
    match write.zip(object) {
        Some((write, object)) => {
            let manager = history.manager(write.manager);
            words::write(revision, &object.label, write.change.name(), manager)
        }
        None => words::revision(revision),
    }
}

/// Returns what was written at a revision, and what each watch was sent of it; with the reasons, if they are asked for.
pub(crate) fn line(
    model: &Model,
    history: &History,
    facts: &Facts,
    reasons: Option<&Glass>,
    revision: u64,
) -> String {
    let mut said = write(history, revision);
    for line in &facts.watches {
        let lane = model.lane(line.id);
        let number = lane.and_then(|lane| lane.number);
        let why = reasons.zip(number).and_then(|(glass, number)| glass.explain(number, revision));
        if let Some(part) = lane.and_then(|lane| part(line, lane, why.as_ref(), revision)) {
            said.push_str(&part);
        }
    }
    said
}

fn part(line: &WatchLine, lane: &Lane, why: Option<&Explanation>, revision: u64) -> Option<String> {
    let delivered = lane.at(revision);
    if delivered.is_none() && !why.is_some_and(|why| why.concerned) {
        return None;
    }
    let (what, reason) = match delivered.map(|delivered| delivered.sent) {
        Some(Some(sent)) => (sent.name(), reason(why)),
        Some(None) => (words::NOT_SENT, reason(why)),
        None if revision <= line.start => (words::BEFORE, ""),
        None if revision > line.looked => (words::NOT_YET, ""),
        None => return None,
    };
    let selectors = why.map(|why| [why.label_selector.as_str(), why.field_selector.as_str()]);
    let mut selectors = selectors.unwrap_or_default().to_vec();
    selectors.retain(|selector| !selector.is_empty());
    Some(words::sent(&line.letter, what, &selectors.join(" "), reason))
}

/// Why a watch says something else of a write than what it did.
fn reason(why: Option<&Explanation>) -> &'static str {
    let Some(why) = why else { return "" };
    match why.sent {
        Some(EventType::Deleted) if why.after.is_some() => words::NO_LONGER,
        Some(EventType::Added) if why.before.is_some() => words::NOW,
        None => words::NEVER,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use glass::Matched;
    use protocol::trace::Delivery;

    use super::*;
    use crate::model::timeline::samples::history;
    use EventType::{Added, Deleted, Modified};

    #[test]
    fn says_what_was_written_and_by_whom() {
        let mut history = history(&[(5, Added, "a"), (6, Deleted, "a")]);
        history.attribute(6, 1, "alice");
        assert_eq!(write(&history, 5), "revision 5, configmaps/a created");
        assert_eq!(write(&history, 6), "revision 6, configmaps/a deleted by alice");
        assert_eq!(write(&history, 7), "revision 7");
    }

    #[track_caller]
    fn check(sent: Option<Option<EventType>>, would: Option<EventType>, expected: Option<&str>) {
        let line = WatchLine {
            id: 0,
            letter: "A".into(),
            about: "pods".into(),
            start: 3,
            looked: 9,
            resume: 9,
            sent: 0,
            filtered: 0,
            lag: None,
            counted: 3,
            open: true,
            gone: false,
        };
        let mut lane = Lane::new(0);
        sent.into_iter().for_each(|sent| lane.push(Delivery { revision: 7, sent }));
        let matched = Some(Matched { matches: false, labels: Vec::new(), fields: Vec::new() });
        let why = Explanation {
            concerned: true,
            before: matched.clone(),
            after: matched,
            sent: would,
            label_selector: "app=web".to_owned(),
            field_selector: String::new(),
        };
        assert_eq!(part(&line, &lane, Some(&why), 7).as_deref(), expected);
    }

    #[test]
    fn says_why_a_watch_was_sent_what_it_was_sent() {
        let deleted = " · watch A: DELETED, because app=web no longer matches";
        check(Some(Some(Deleted)), Some(Deleted), Some(deleted));
        check(Some(Some(Added)), Some(Added), Some(" · watch A: ADDED, because app=web matches now"));
        check(Some(Some(Modified)), Some(Modified), Some(" · watch A: MODIFIED"));
        check(Some(None), None, Some(" · watch A: not sent, because app=web does not match"));
        check(None, Some(Modified), None);
    }
}
