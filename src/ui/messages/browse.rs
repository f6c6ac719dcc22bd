//! The words of the Cluster view: tables of objects, and an object's page.

use crate::ui::messages::thousands;

pub(crate) const CLUSTER: &str = "Cluster";
pub(crate) const TRAIL: &str = "Where you are";
pub(crate) const OBJECTS: &str = "Objects";
pub(crate) const OBJECT: &str = "Object";

pub(crate) const NEWEST: &str = "Changed last";
pub(crate) const NEWEST_ABOUT: &str =
    "Choose a kind on the left to see its objects, or an object to see what is known of it.";
pub(crate) const NO_CHANGES: &str = "Nothing has been written that is known here.";
pub(crate) const LAST_CHANGE: &str = "Last change";
pub(crate) const WRITTEN_BY: &str = "Written by";

pub(crate) const NAMED: &str = "Filter by name";
pub(crate) const LABELS: &str = "Labels";
pub(crate) const LABELS_LIKE: &str = "Label selector: app=web";
pub(crate) const WIDE: &str = "Wide";
pub(crate) const WIDE_ABOUT: &str = "Shows all columns, as kubectl get -o wide does";
pub(crate) const NAMESPACE: &str = "Namespace";
pub(crate) const VERSION: &str = "Resource version";
pub(crate) const VERSION_ABOUT: &str = "metadata.resourceVersion: the revision that wrote the object last";
pub(crate) const CREATE: &str = "Create";
pub(crate) const CREATE_ABOUT: &str = "Puts a POST with a valid example into the form";
pub(crate) const WATCH: &str = "Watch";
pub(crate) const WATCH_ABOUT: &str = "Watches these objects";
pub(crate) const AS_REQUEST: &str = "Open as request";
pub(crate) const AS_REQUEST_ABOUT: &str = "Puts the request that reads this into the form";
pub(crate) const AGAIN: &str = "Try again";
pub(crate) const STALE: &str = "Changed: read again";
pub(crate) const NONE: &str = "There are no objects of this kind here.";
pub(crate) const NONE_NAMED: &str = "No name has this in it.";
pub(crate) const NONE_SELECTED: &str = "No object has these labels.";
pub(crate) const NO_LIST: &str = "The response is no list.";
const PLAIN_NAME: &str = "Name";
const PLAIN_CREATED: &str = "Created At";

pub(crate) const YAML: &str = "YAML";
pub(crate) const OWNERS: &str = "Fields & owners";
pub(crate) const HISTORY: &str = "History";
pub(crate) const EVENTS: &str = "Events";
pub(crate) const RELATED: &str = "Related";
pub(crate) const WITH_MANAGERS: &str = "Show managedFields";
pub(crate) const CREATED: &str = "Created";
pub(crate) const GENERATION: &str = "Generation";
pub(crate) const PHASE: &str = "Phase";
pub(crate) const OWNED_BY: &str = "Owned by";
pub(crate) const ANNOTATIONS: &str = "Annotations";
pub(crate) const CONDITIONS: &str = "Conditions";

pub(crate) const VERSIONS_ABOUT: &str =
    "Each write of the object, newest first. Choose one to see what it changed.";
pub(crate) const NO_VERSIONS: &str = "Its writes are older than what this page knows.";
pub(crate) const LOOK_BACK_ABOUT: &str = "Shows the whole page as the cluster was at this revision";

pub(crate) const NO_EVENTS: &str =
    "There are no events about this object. Controllers, the scheduler and kubelets write them.";

pub(crate) const LOG: &str = "Log";
pub(crate) const CONTAINER: &str = "Container";
pub(crate) const PREVIOUS: &str = "Previous";
pub(crate) const PREVIOUS_ABOUT: &str = "Shows what the container wrote before it was started again";
pub(crate) const TIMESTAMPS: &str = "Timestamps";
pub(crate) const NOTHING_WRITTEN: &str = "The container has written nothing. Its command may, such as sh -c 'date; echo hello', and the annotation kubeglass.dev/behaviour of the \
     Pod has it write lines: log listening on :8080; log GET /healthz 200 after 1s every 5s";

pub(crate) const EXEC: &str = "Exec";
pub(crate) const EXEC_ABOUT: &str = "Each line is a request of its own, as of kubectl exec.";
pub(crate) const EXEC_OUTPUT: &str = "Output";
pub(crate) const EXEC_LINE: &str = "Command";
pub(crate) const EXEC_EXAMPLE: &str = "env";
pub(crate) const EXEC_RUN: &str = "Run";
pub(crate) const EXEC_REMOTE: &str =
    "Browsers run commands in the cluster of this tab alone. Use kubectl exec for other clusters.";

pub(crate) fn exit_code(code: &str) -> String {
    ["exit code ", code].concat()
}

pub(crate) const NO_OWNERS: &str = "metadata.ownerReferences is empty: nothing owns this object.";
pub(crate) const OWNS: &str = "Owns";
pub(crate) const OWNS_ABOUT: &str = "When the object is deleted, the garbage collector deletes these too, unless propagationPolicy is Orphan.";
pub(crate) const OWNS_NOTHING: &str = "No object names this one in its metadata.ownerReferences.";
pub(crate) const OWNS_REMOTE: &str = "What a remote cluster’s objects own is not known here.";
pub(crate) const SELECTS: &str = "Selects the Pods with";
pub(crate) const SELECTS_NOTHING: &str = "No Pod has these labels.";

pub(crate) fn in_namespace(namespace: &str) -> String {
    ["in namespace ", namespace].concat()
}

/// How many objects there are: `shown` of them, where a filter leaves some out; of `read` that have been read.
pub(crate) fn count(shown: Option<usize>, read: usize, total: Option<usize>, goes_on: bool) -> String {
    let total = match total {
        Some(total) => thousands(total),
        None if goes_on => format!("more than {}", thousands(read)),
        None => thousands(read),
    };
    match shown {
        Some(shown) if goes_on => format!("{} of {total}, {} read", thousands(shown), thousands(read)),
        Some(shown) => format!("{} of {total}", thousands(shown)),
        None => total,
    }
}

pub(crate) fn generation(generation: u64, observed: Option<u64>) -> String {
    match observed {
        Some(observed) if observed != generation => format!("{generation}, observed {observed}"),
        _ => generation.to_string(),
    }
}

pub(crate) fn look_back(revision: u64) -> String {
    format!("Show the cluster at {revision}")
}

/// The columns of a list from an API server that makes no tables.
pub(crate) const PLAIN: [&str; 2] = [PLAIN_NAME, PLAIN_CREATED];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_say_what_is_known() {
        for (shown, read, total, goes_on, expected) in [
            (None, 3, Some(3), false, "3"),
            (None, 250, Some(1253), true, "1,253"),
            (None, 250, None, true, "more than 250"),
            (Some(2), 3, Some(3), false, "2 of 3"),
            (Some(2), 1250, Some(100_000), true, "2 of 100,000, 1,250 read"),
            (None, 0, Some(0), false, "0"),
        ] {
            assert_eq!(count(shown, read, total, goes_on), expected);
        }
    }
}
