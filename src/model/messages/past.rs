//! The texts about the state at a revision.

use crate::model::past::Standing;

pub(crate) const IN_THE_PAST: &str = "In the past, at";
pub(crate) const BACK: &str = "Back to now";
pub(crate) const FOLLOW: &str = "Follow";
pub(crate) const NOW: &str = "now";
pub(crate) const NOW_ABOUT: &str = "A copy shows what it has now, whatever the page shows";
pub(crate) const ALL: &str = "All resources";
pub(crate) const FILTER: &str = "Resource";
pub(crate) const OBJECTS: &str = "Objects at the revision";
pub(crate) const EMPTY: &str = "Nothing of this existed then.";
pub(crate) const UNTOLD: &str = "A remote cluster tells of its past only what its watches brought here.";
pub(crate) const COLUMN_OBJECT: &str = "Object";
pub(crate) const COLUMN_VERSION: &str = "Version";
pub(crate) const COLUMN_CREATED: &str = "Created";
pub(crate) const COLUMN_LABELS: &str = "Labels";
pub(crate) const OLDER: &str = "older";
pub(crate) const VIEWS: &str = "How the object is shown";
pub(crate) const VIEW_BODY: &str = "Body";
pub(crate) const VIEW_BEFORE: &str = "Since its version before";
pub(crate) const VIEW_NOW: &str = "Compare with now";
pub(crate) const CLOSE: &str = "Back to the objects";
pub(crate) const NO_BODY: &str = "This version is not kept here.";
pub(crate) const FIRST: &str = "This is the object’s first version that is kept.";
pub(crate) const GONE_NOW: &str = "The object no longer exists.";

/// Before the revision, over a response.
pub(crate) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Then => "As it was at",
        Standing::AsItCame => "Shown as it was answered, whatever the cluster was at",
        Standing::Untold => "A remote cluster does not tell its past: shown as it was answered, not as at",
    }
}

pub(crate) fn later(count: usize) -> String {
    if count == 1 { "1 later event".to_owned() } else { format!("{count} later events") }
}

pub(crate) fn more(count: usize) -> String {
    format!("{count} more: choose a resource to see fewer.")
}

pub(crate) fn unkept(revision: u64) -> String {
    format!(
        "This cluster does not keep revision {revision}, which the address asks for. The page follows the newest."
    )
}

pub(crate) fn objects(count: usize, revision: u64) -> String {
    if count == 1 { format!("1 object at {revision}") } else { format!("{count} objects at {revision}") }
}
