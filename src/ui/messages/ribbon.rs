//! The texts of the ribbon.

pub(crate) const ALL: &str = "all writes";
/// Before a revision.
pub(crate) const HEAD: &str = "head ";
pub(crate) const FLOOR: &str = "floor ";
/// Before how many revisions it is.
pub(crate) const LAG: &str = "lag ";
pub(crate) const BEHIND: &str = "behind ";
pub(crate) const BACK: &str = "read back ";
/// After how many objects there are.
pub(crate) const LEFT: &str = " left";
pub(crate) const MORE: &str = "more left";
pub(crate) const GONE: &str = "410 Gone";
pub(crate) const RELIST: &str = "must relist";
pub(crate) const CLOSED: &str = "closed";
pub(crate) const FILTERED: &str = "filtered";
pub(crate) const PIN: &str = "Keep this lane on top";
pub(crate) const WHOLE: &str = "Show the whole history";
pub(crate) const COMPACT: &str = "Compact";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const NUMBER: &str = "Revision, as a number";
pub(crate) const KEYS: &str = "Arrow keys go from write to write, with Shift to those of the same object; + and − zoom, 0 shows the whole history; Home, End, [ and ] go to the floor, the newest revision and the bookmarks; Enter opens the write in the log; c compacts.";

pub(crate) fn server(number: usize) -> String {
    ["API server ", &number.to_string()].concat()
}

pub(crate) fn pinned(collection: &str) -> String {
    ["continue ", collection].concat()
}

pub(crate) fn ask(revision: u64) -> String {
    ["Compact to ", &revision.to_string(), "? What is older can then no longer be read."].concat()
}

/// Returns what a write did, by its event, after a space.
pub(crate) fn changed(change: &str) -> &'static str {
    match change {
        "ADDED" => " created",
        "DELETED" => " deleted",
        _ => " changed",
    }
}

/// `revision 1027, pods/web-0 deleted by alice`
pub(crate) fn write(revision: u64, object: &str, change: &str, manager: &str) -> String {
    let change = changed(change);
    let by = if manager.is_empty() { "" } else { " by " };
    ["revision ", &revision.to_string(), ", ", object, change, by, manager].concat()
}

/// A revision whose write is not known.
pub(crate) fn revision(revision: u64) -> String {
    ["revision ", &revision.to_string()].concat()
}

/// Returns the text for an event that a watch was sent: ` · watch A: DELETED, because app=web no longer matches`.
pub(crate) fn sent(letter: &str, what: &str, selector: &str, reason: &str) -> String {
    let because = if reason.is_empty() { "" } else { ", because " };
    let selector = if reason.is_empty() { "" } else { selector };
    [" · watch ", letter, ": ", what, because, selector, reason].concat()
}

pub(crate) const NOT_SENT: &str = "not sent";
pub(crate) const NOT_YET: &str = "not yet";
pub(crate) const BEFORE: &str = "not sent: it began later";
/// After a selector.
pub(crate) const NO_LONGER: &str = " no longer matches";
pub(crate) const NOW: &str = " matches now";
pub(crate) const NEVER: &str = " does not match";
pub(crate) const PINNED: &str =
    "The pages to come show the state at this revision, whatever has been written since";

/// `Up to date: nothing for it since 1030. Resumes from 1027; 5 sent, 2 not sent`, or `Has looked up to 1030. ...`
pub(crate) fn watch_title(
    resume: u64,
    looked: u64,
    up_to_date: bool,
    (sent, filtered): (u64, u64),
) -> String {
    let [resume, looked, sent, filtered] = [resume, looked, sent, filtered].map(|number| number.to_string());
    let stands = if up_to_date { "Up to date: nothing for it since " } else { "Has looked up to " };
    [stands, &looked, ". Resumes from ", &resume, "; ", &sent, " sent, ", &filtered, " not sent"].concat()
}
