//! Manifests, in words. What kubectl says is said as it says it.

pub(crate) const LABEL: &str = "Manifest";
pub(crate) const ABOUT: &str =
    "Each object goes to its own path, in this order, as kubectl apply --server-side -f sends it.";
pub(crate) const FORCE: &str = "Force conflicts";
pub(crate) const FORCE_ABOUT: &str =
    "--force-conflicts: fields that another manager owns are changed as well";
pub(crate) const RESULTS: &str = "Results";
pub(crate) const RESULTS_ABOUT: &str = "What came of the manifest that was applied last";
pub(crate) const STOP: &str = "Stop";
pub(crate) const OPEN: &str = "Open file…";
pub(crate) const OPEN_ABOUT: &str =
    "Open a manifest (YAML or JSON). You can drop files anywhere on the page, too";
pub(crate) const DROP: &str = "Drop to open the manifest";
pub(crate) const EMPTY: &str = "The manifest has no objects.";

pub(crate) const LINE: &str = "Line";
pub(crate) const OBJECT: &str = "Object";
pub(crate) const VERSION: &str = "Version";
pub(crate) const WATCHES: &str = "Watches";
pub(crate) const WATCHES_ABOUT: &str = "The watches that were sent the event of it";
pub(crate) const SHOW_ABOUT: &str = "Show the request and its response";

pub(crate) const NO_NAME: &str = "resource name may not be empty";

/// So many things of a name.
pub(crate) fn plural(count: usize, name: &str) -> String {
    if count == 1 { format!("1 {name}") } else { format!("{count} {name}s") }
}

/// The button that applies so many documents.
pub(crate) fn apply(documents: usize) -> String {
    format!("Apply {}", plural(documents, "document"))
}

/// How far it is: so many of all.
pub(crate) fn going(dry: bool, done: usize, all: usize) -> String {
    let does = if dry { "Previewing" } else { "Applying" };
    format!("{does} {} of {all}", (done + 1).min(all))
}

/// So many that are not shown.
pub(crate) fn more(rows: usize) -> String {
    format!("and {rows} more, none of which failed")
}

/// Returns the error for a field that a document lacks.
pub(crate) fn missing(field: &str, object: &str) -> String {
    format!("Object '{field}' is missing in '{object}'")
}

/// Nothing of a kind is served.
pub(crate) fn no_matches(name: &str, namespace: &str, kind: &str, version: &str) -> String {
    format!(
        "resource mapping not found for name: \"{name}\" namespace: \"{namespace}\": no matches for kind \"{kind}\" in version \"{version}\"\nensure CRDs are installed first"
    )
}

/// A name that the server is to make.
pub(crate) fn generated(begin: &str) -> String {
    format!("from {begin}: cannot use generate name with apply")
}

/// Returns the error with which the server refuses an object. `reason` is empty if the server gives none.
pub(crate) fn refused(reason: &str, message: &str) -> String {
    if reason.is_empty() {
        format!("Error from server: {message}")
    } else {
        format!("Error from server ({reason}): {message}")
    }
}

/// A file that is no text.
pub(crate) fn no_text(name: &str) -> String {
    format!("{name} is no text. A manifest is YAML or JSON in UTF-8.")
}

/// A manifest has been opened: so many documents.
pub(crate) fn opened(name: &str, documents: usize) -> String {
    format!("{name}: {}", plural(documents, "document"))
}
