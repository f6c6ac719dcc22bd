//! The texts of the log with rails.

use crate::model::timeline::lines::Sign;
use crate::model::timeline::ownership::Manager;
use crate::model::timeline::reason::Reason;
use crate::model::timeline::tracks::{Mark, Rail};
use crate::model::watch::EventType;

pub(crate) const LOG: &str = "The writes of the cluster, newest first";
pub(crate) const SHOWN: &str = "Which rows are shown";
pub(crate) const ALL: &str = "All";
pub(crate) const NEWEST: &str = "To the newest";
pub(crate) const REVISION: &str = "Revision";
pub(crate) const TIME: &str = "Time";
pub(crate) const VERB: &str = "Verb";
pub(crate) const OBJECT: &str = "Object";
pub(crate) const WRITTEN_BY: &str = "Written by";
pub(crate) const RAILS: &str = "Watches";
pub(crate) const CURSORS: &str = "Cursors";

/// The name that the server gives to a field manager that does not say its name.
pub(crate) const NO_MANAGER: &str = "unknown";

pub(crate) const SHOW_AT: &str = "Show the page at this revision";
pub(crate) const SHOW_REQUEST: &str = "Show the request";
pub(crate) const SEND_AGAIN: &str = "Send again";
pub(crate) const COPY_CURL: &str = "Copy as curl";
pub(crate) const CHANGED: &str = "What changed";
pub(crate) const WATCHES: &str = "Which watches got it";
pub(crate) const MADE_BY: &str = "The request that made it";
pub(crate) const NO_WATCH: &str = "No watch is there to get it.";
pub(crate) const NO_REQUEST: &str = "Nobody has noted which request made it.";
pub(crate) const NO_BODY: &str =
    "Its body is no longer kept here, so that it cannot be sent again as it was.";
pub(crate) const OLD_GONE: &str = "The version before this one has been compacted, so what changed cannot be told. This is the whole object.";
pub(crate) const OLD_GONE_DELETED: &str =
    "The version before the deletion has been compacted, so what was removed cannot be told.";
pub(crate) const BOTH_GONE: &str = "This version has been compacted: it can no longer be read.";
pub(crate) const REMOTE_GONE: &str =
    "Of a remote cluster only what a watch has brought can be shown, and this version is no longer kept.";
pub(crate) const REMOTE_OLD_GONE: &str = "No watch has brought the version before this one, so what changed cannot be told. This is the whole object.";
pub(crate) const MANAGERS: &str = "Who manages the fields";

/// On the button that folds the rows of other resources.
pub(crate) fn only(resource: &str) -> String {
    ["Only ", resource].concat()
}

pub(crate) fn count(rows: usize) -> String {
    if rows == 1 { "1 revision".to_owned() } else { format!("{rows} revisions") }
}

pub(crate) fn folded(count: usize) -> String {
    if count == 1 {
        "1 revision of another resource".to_owned()
    } else {
        format!("{count} revisions of other resources")
    }
}

pub(crate) fn compacted(floor: u64) -> String {
    format!("compacted: 1 … {} cannot be read (410 Gone)", floor.saturating_sub(1))
}

/// Of watches that have no rail.
pub(crate) fn more_watches(count: usize) -> String {
    format!("{count} more watches: open a row to read of them")
}

/// A row in one sentence: for who moves from row to row.
pub(crate) fn row(revision: u64, verb: &str, change: EventType, object: &str, manager: &str) -> String {
    let mut said = format!("{revision}, {verb}");
    if verb != change.name() {
        said.push(' ');
        said.push_str(change.name());
    }
    said.push(' ');
    said.push_str(object);
    if !manager.is_empty() {
        said.push_str(" by ");
        said.push_str(manager);
    }
    said
}

/// Describes what a rail shows; empty where there is nothing to say.
pub(crate) fn rail(letter: &str, rail: Rail) -> String {
    match rail {
        Rail::None => String::new(),
        Rail::Open => format!("{letter} not concerned. "),
        Rail::Filtered => format!("{letter} not sent. "),
        Rail::Coming => format!("{letter} not yet. "),
        Rail::Sent(event) => format!("{letter} {}. ", event.name()),
    }
}

/// A cursor as it is drawn.
pub(crate) fn mark(mark: &Mark) -> String {
    match mark {
        Mark::Head => "HEAD".to_owned(),
        Mark::Seen(letter) => ["◀ ", letter].concat(),
        Mark::Bookmark(letter) => ["◇ ", letter].concat(),
        Mark::Pins(1) => "continue".to_owned(),
        Mark::Pins(count) => format!("continue ×{count}"),
        Mark::Cache { server, .. } => format!("cache {server}"),
    }
}

/// And what that means.
pub(crate) fn mark_about(mark: &Mark) -> String {
    match mark {
        Mark::Head => "The newest revision".to_owned(),
        Mark::Seen(letter) => format!("Watch {letter} has seen everything up to here"),
        Mark::Bookmark(letter) => format!("The last bookmark of watch {letter}"),
        Mark::Pins(1) => "A continue token reads its pages at this revision".to_owned(),
        Mark::Pins(count) => format!("{count} continue tokens read their pages at this revision"),
        Mark::Cache { server, resource: None } => {
            format!("The watch caches of API server {server} have come no further")
        }
        Mark::Cache { server, resource: Some(resource) } => {
            format!("The watch cache of {resource} in API server {server} has come no further")
        }
    }
}

pub(crate) fn details(revision: u64) -> String {
    format!("Revision {revision}, opened")
}

pub(crate) fn unchanged(lines: usize) -> String {
    format!("{lines} lines unchanged")
}

pub(crate) fn managed(lines: usize) -> String {
    format!("managedFields, {lines} lines")
}

pub(crate) fn rest(lines: usize) -> String {
    format!("{lines} more lines")
}

/// Before a line, for who does not see its sign.
pub(crate) fn sign(sign: Sign) -> &'static str {
    match sign {
        Sign::Same => "",
        Sign::Added => "added ",
        Sign::Removed => "removed ",
        Sign::Changed => "changed ",
    }
}

/// The sign in the gutter.
pub(crate) fn gutter(sign: Sign) -> &'static str {
    match sign {
        Sign::Same => "",
        Sign::Added => "+",
        Sign::Removed => "−",
        Sign::Changed => "~",
    }
}

/// After a line, for who does not see its letters.
pub(crate) fn managed_by(names: &str) -> String {
    format!(", managed by {names}")
}

/// Returns the text beside a manager in the legend.
pub(crate) fn manager(manager: &Manager) -> String {
    let Manager { name, operation, subresource, time, .. } = manager;
    let slash = if subresource.is_empty() { "" } else { " of /" };
    let time = time.split_once('T').map_or(time.as_str(), |(_, time)| time.trim_end_matches('Z'));
    let comma = if time.is_empty() { "" } else { ", " };
    [name, " (", operation, slash, subresource, comma, time, ")"].concat()
}

/// Describes what a watch was sent, and why.
pub(crate) fn reason(letter: &str, sent: Option<EventType>, reason: Reason, selector: &str) -> String {
    let matches =
        |words: &str| if selector.is_empty() { String::new() } else { format!("{words} {selector}") };
    let why = match reason {
        Reason::Initial => "the object was there when the watch began".to_owned(),
        Reason::Created => ["the object came into being", &matches(" and matches")].concat(),
        Reason::Changed => ["the object was changed", &matches(" and matches as before:")].concat(),
        Reason::Deleted => ["the object was deleted", &matches(", which had matched")].concat(),
        Reason::Enters => ["because the object now matches ", selector].concat(),
        Reason::Leaves => ["because the object no longer matches ", selector].concat(),
        Reason::Neither => ["neither before nor after does the object match ", selector].concat(),
        Reason::Elsewhere => "it is about other objects".to_owned(),
        Reason::Before(start) => format!("it began later, after {start}"),
        Reason::After(seen) => format!("it was closed at {seen}, and gets this when it is resumed"),
        Reason::NotYet(seen) => format!("so far it has seen everything up to {seen}"),
        Reason::Unknown => "the reason is no longer known".to_owned(),
    };
    let what = match (sent, reason) {
        (Some(event), _) => event.name(),
        (None, Reason::NotYet(_) | Reason::After(_)) => "nothing yet",
        (None, _) => "nothing",
    };
    format!("Watch {letter}: {what}, {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_well() {
        let with = |sent, why| reason("B", sent, why, "app=web");
        assert_eq!(
            with(Some(EventType::Deleted), Reason::Leaves),
            "Watch B: DELETED, because the object no longer matches app=web"
        );
        assert_eq!(
            with(None, Reason::Neither),
            "Watch B: nothing, neither before nor after does the object match app=web"
        );
        assert_eq!(
            reason("B", Some(EventType::Modified), Reason::Changed, ""),
            "Watch B: MODIFIED, the object was changed"
        );
    }

    #[test]
    fn rows_read_well() {
        let row = |verb, manager| row(7, verb, EventType::Added, "configmaps/a", manager);
        assert_eq!(row("POST", "kubectl"), "7, POST ADDED configmaps/a by kubectl");
        assert_eq!(row("ADDED", ""), "7, ADDED configmaps/a");
    }
}
