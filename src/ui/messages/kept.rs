//! The texts on what outlives a reload: clusters that are kept, branches, exports and links.

use std::time::Duration;

use crate::ui::messages::size;

pub(crate) const TITLE: &str = "This cluster";
pub(crate) const OPEN: &str = "Keep, undo, export, share";
pub(crate) const KEEP: &str = "Keep clusters in this browser, over a reload and for the next visit";
pub(crate) const NOT_YET: &str = "Not kept yet.";
pub(crate) const OFF: &str = "Nothing is kept: a reload begins with a new cluster.";
pub(crate) const ELSEWHERE: &str = "This cluster is not in this tab alone, so the tab does not keep it: it lives as long as its API server does.";
pub(crate) const TRY_AGAIN: &str = "Try again";
pub(crate) const RELOADED: &str = "the page was reloaded";
pub(crate) const RECALLING: &str = "Opening the cluster that was kept";

/// Why the browser does not take more.
pub(crate) const FULL: &str = "The browser has no more room for this page. What happens from now on is not kept: export the cluster, or delete others below.";
pub(crate) const NEWER: &str = "What this browser keeps was written by a newer version of this page, and is left as it is. Reload the page to get that version.";

pub(crate) const BACK: &str = "Go back";
pub(crate) const BACK_ABOUT: &str = "No Kubernetes API can do this: a real cluster is restored from a backup of etcd. Here the cluster becomes what it was, and the one that you leave stays in the list below, if clusters are kept.";
pub(crate) const UNDO: &str = "Undo the last change";
pub(crate) const UNDO_THIS: &str = "Undo";
pub(crate) const NOTHING: &str = "Nothing has been changed yet.";
pub(crate) const BRANCH: &str = "Branch from here";
pub(crate) const BRANCH_ABOUT: &str = "Make the cluster what it was at this revision. What came after it is kept with the cluster that you leave.";
pub(crate) const RETURN: &str = "Return to the cluster before";

pub(crate) const OTHERS: &str = "Clusters in this browser";
pub(crate) const NO_OTHERS: &str = "There are no others.";
pub(crate) const TURN: &str = "Open";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const HELD: &str = "Another tab has this cluster open: close that tab first.";
pub(crate) const DELETE_SURE: &str = "Delete for good?";
pub(crate) const NEW: &str = "Start a new cluster";
pub(crate) const NEW_ABOUT: &str = "The one that you leave stays in the list, if clusters are kept.";

pub(crate) const TAKE: &str = "Export and share";
pub(crate) const AS_YAML: &str = "Objects as YAML";
pub(crate) const AS_YAML_ABOUT: &str = "Your objects as a manifest for kubectl apply: without what the server sets, and without what every cluster has";
pub(crate) const ALL: &str = "Everything";
pub(crate) const ALL_ABOUT: &str = "A file with all that is known: every revision, requests and watches, Secrets too. Open it here, or as text by `kubeglass trace`";
pub(crate) const IMPORT: &str = "Open a recording …";
pub(crate) const IMPORT_ABOUT: &str = "A file with everything, exported here or recorded by `kubeglass serve`. The cluster that you leave stays in the list.";
pub(crate) const LINK: &str = "Copy a link";
pub(crate) const LINK_ABOUT: &str = "A link with the whole request: method, path, query, headers, body, and in whose name it is sent. Nothing is sent when it is opened, but for a GET.";
pub(crate) const LINK_WITH: &str = "with this cluster in it";
pub(crate) const LINKED: &str = "The link is on the clipboard.";
pub(crate) const LINK_CUT: &str =
    "This link is not whole: its end is missing, or it was changed. Ask for it again.";
pub(crate) const LINK_NEWER: &str =
    "This link was made by a newer version of this page. Reload the page to get that version.";
pub(crate) const NO_OBJECTS: &str = "There are no objects but those that every cluster has.";

/// All is kept, in so many bytes, at a time of day.
pub(crate) fn saved(bytes: u64, at: &str) -> String {
    format!("Kept in this browser: {}, saved at {at}.", size(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

/// `why` is told by the browser.
pub(crate) fn refused(why: &str) -> String {
    format!(
        "The browser keeps nothing for this page ({why}), as in a private window: a reload begins with a new cluster."
    )
}

/// `why` is a sentence without its end.
pub(crate) fn damaged(why: &str) -> String {
    format!("The cluster that was kept cannot be read: {why}. A new one takes its place.")
}

pub(crate) fn not_kept(revision: u64) -> String {
    format!("Revision {revision} is no longer kept: it was compacted.")
}

/// The cluster is what it was. `kept` says whether what came after it is.
pub(crate) fn branched(revision: u64, kept: bool) -> String {
    let lost = if kept { "" } else { " What came after it is gone: nothing is kept in this browser." };
    format!("A branch: the cluster is what it was at revision {revision}.{lost}")
}

/// Undoing leads to a revision.
pub(crate) fn undo_to(revision: u64) -> String {
    format!(
        "The cluster becomes what it was at revision {revision}. The one that you leave stays in the list, if clusters are kept."
    )
}

/// A request has made the revision after `revision`, and others followed.
pub(crate) fn go_back_to(revision: u64) -> String {
    format!("Go back to {revision}")
}

/// One of the clusters.
pub(crate) fn cluster(revision: u64, objects: usize, ago: Duration, branched: Option<u64>) -> String {
    let branched =
        branched.map(|revision| format!(", a branch from revision {revision}")).unwrap_or_default();
    let objects = if objects == 1 { "1 object".to_owned() } else { format!("{objects} objects") };
    format!("Revision {revision}, {objects}{branched}, {}", since(ago))
}

/// How long ago something was saved.
fn since(ago: Duration) -> String {
    let (seconds, minute, hour, day) = (ago.as_secs(), 60, 3_600, 86_400);
    let count = |number: u64, unit: &str| match number {
        1 => format!("1 {unit} ago"),
        number => format!("{number} {unit}s ago"),
    };
    match seconds {
        seconds if seconds < minute => "just now".to_owned(),
        seconds if seconds < hour => count(seconds / minute, "minute"),
        seconds if seconds < day => count(seconds / hour, "hour"),
        seconds => count(seconds / day, "day"),
    }
}

/// A link with the cluster would have so many characters of at most so many.
pub(crate) fn too_long(length: usize, most: usize) -> String {
    format!(
        "With the cluster the link has {length} characters, and {most} are the most that one can pass on: export everything as a file instead."
    )
}

/// An object cannot be written as YAML, for the engine's reason.
pub(crate) fn no_yaml(name: &str, why: &str) -> String {
    format!("{name} cannot be exported: {why}.")
}

/// Tells that the state of a revision is gone.
pub(crate) fn compacted(revision: u64) -> String {
    format!(
        "The cluster as it was at {revision} is no longer kept: it has been compacted. Choose what came later."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_told_apart() {
        let check = |seconds, branched, expected: &str| {
            assert_eq!(cluster(10_254, 1, Duration::from_secs(seconds), branched), expected);
        };
        check(5, None, "Revision 10254, 1 object, just now");
        check(61, None, "Revision 10254, 1 object, 1 minute ago");
        check(7_300, Some(9), "Revision 10254, 1 object, a branch from revision 9, 2 hours ago");
        check(200_000, None, "Revision 10254, 1 object, 2 days ago");
    }
}
