//! The texts about who owns whom.

pub(crate) const TREES: &str = "Objects, each below its owner";
pub(crate) const NONE: &str =
    "There is no Pod, and no object that owns another. Start controllers in Lab, and create a Deployment.";
pub(crate) const REMOTE: &str = "A remote cluster does not tell here who owns whom.";
pub(crate) const GONE: &str = "deleted";

/// Returns what the marks say. `recent` is the number of revisions.
pub(crate) fn about(recent: u64) -> String {
    format!("Highlighted: created in the last {recent} revisions. Struck out: deleted in them.")
}

/// Returns that an object is being deleted, and what it waits for.
pub(crate) fn ends(finalizers: &[&str]) -> String {
    if finalizers.is_empty() {
        return "Terminating".to_owned();
    }
    ["Terminating, waits for ", &finalizers.join(", ")].concat()
}

/// `node` is empty if there is none.
pub(crate) fn pod(is: &str, node: &str) -> String {
    if node.is_empty() { is.to_owned() } else { [is, " on ", node].concat() }
}

/// Returns how many Pods are ready, and how many should be.
pub(crate) fn ready(ready: i64, wanted: i64) -> String {
    format!("{ready}/{wanted} ready")
}

/// Returns what has become of the Pods of a Job.
pub(crate) fn job(succeeded: i64, failed: i64, active: i64) -> String {
    let parts = [(succeeded, "succeeded"), (failed, "failed"), (active, "active")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// Returns that some are not shown.
pub(crate) fn most(count: usize) -> String {
    format!("More than {count} objects are not shown.")
}
