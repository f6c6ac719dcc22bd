//! What is said of a revision in one line: what was written, by whom, and what each watch was sent of it, and why.

use apiserver::inspect::{Explanation, Inspect, Verdict};

use super::facts::{Facts, WatchLine};
use crate::state::Model;
use crate::timeline::history::History;
use crate::timeline::lanes::Lane;
use crate::ui::messages::ribbon as words;

/// What was written at a revision, and by whom.
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

/// What was written at a revision, and what each watch was sent of it. `inspect` is asked for the reasons.
pub(crate) fn line(
    model: &Model,
    history: &History,
    facts: &Facts,
    inspect: Option<&Inspect>,
    revision: u64,
) -> String {
    let mut said = write(history, revision);
    for line in &facts.watches {
        let lane = model.lanes.iter().find(|lane| lane.watch == line.id);
        let target =
            model.watches.iter().find(|watch| watch.id == line.id).map(|watch| &watch.request.target);
        let why = inspect.zip(target).and_then(|(inspect, target)| inspect.explain(target, revision));
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
    match why.verdict {
        Verdict::Deleted if why.after.is_some() => words::NO_LONGER,
        Verdict::Added if why.before.is_some() => words::NOW,
        Verdict::Filtered => words::NEVER,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use apiserver::inspect::Matched;

    use super::*;
    use crate::timeline::history::tests::history;
    use crate::timeline::lanes::Delivered;
    use crate::watches::model::EventType::{self, Added, Deleted, Modified};

    #[test]
    fn says_what_was_written_and_by_whom() {
        let mut history = history(&[(5, Added, "a"), (6, Deleted, "a")]);
        history.attribute(6, 1, "alice");
        assert_eq!(write(&history, 5), "revision 5, configmaps/a created");
        assert_eq!(write(&history, 6), "revision 6, configmaps/a deleted by alice");
        assert_eq!(write(&history, 7), "revision 7");
    }

    #[track_caller]
    fn check(sent: Option<Option<EventType>>, verdict: Verdict, expected: Option<&str>) {
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
            open: true,
            gone: false,
        };
        let mut lane = Lane::new(0);
        sent.into_iter().for_each(|sent| lane.push(Delivered { revision: 7, sent }));
        let matched = Some(Matched { matches: false, labels: Vec::new(), fields: Vec::new() });
        let why = Explanation {
            concerned: true,
            before: matched.clone(),
            after: matched,
            verdict,
            label_selector: "app=web".to_owned(),
            field_selector: String::new(),
        };
        assert_eq!(part(&line, &lane, Some(&why), 7).as_deref(), expected);
    }

    #[test]
    fn says_why_a_watch_was_sent_what_it_was_sent() {
        let deleted = " · watch A: DELETED, because app=web no longer matches";
        check(Some(Some(Deleted)), Verdict::Deleted, Some(deleted));
        check(Some(Some(Added)), Verdict::Added, Some(" · watch A: ADDED, because app=web matches now"));
        check(Some(Some(Modified)), Verdict::Modified, Some(" · watch A: MODIFIED"));
        check(Some(None), Verdict::Filtered, Some(" · watch A: not sent, because app=web does not match"));
        check(None, Verdict::Modified, None);
    }
}
