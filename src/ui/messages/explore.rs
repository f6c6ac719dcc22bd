//! The page's texts on the APIs that are served.

pub(crate) const SERVED: &str = "What is served";
pub(crate) const REFERENCE: &str = "Reference";
pub(crate) const FILTER: &str = "Find a kind, short name, group";
pub(crate) const NOTHING_SERVED: &str = "The cluster does not tell what it serves.";
pub(crate) const NOTHING_FOUND: &str = "No kind is called that, has that short name, or is in such a group.";
pub(crate) const PREFERRED: &str = "preferred";
pub(crate) const DEFINITION: &str = "Its definition";

pub(crate) const INT_OR_STRING: &str = "integer or string";
pub(crate) const ANYTHING: &str = "anything";
pub(crate) const REQUIRED: &str = "required";
pub(crate) const ONE_OF: &str = "one of";
pub(crate) const DEFAULT: &str = "default";
pub(crate) const FORMAT: &str = "format";
pub(crate) const PATTERN: &str = "pattern";
pub(crate) const MINIMUM: &str = "minimum";
pub(crate) const EXCLUSIVE_MINIMUM: &str = "minimum excluded";
pub(crate) const MAXIMUM: &str = "maximum";
pub(crate) const EXCLUSIVE_MAXIMUM: &str = "maximum excluded";
pub(crate) const MULTIPLE: &str = "multiple of";
pub(crate) const MIN_LENGTH: &str = "shortest";
pub(crate) const MAX_LENGTH: &str = "longest";
pub(crate) const MIN_ITEMS: &str = "fewest items";
pub(crate) const MAX_ITEMS: &str = "most items";
pub(crate) const MAX_PROPERTIES: &str = "most properties";
pub(crate) const NULLABLE: &str = "may be null";
pub(crate) const LIST: &str = "list of type";
pub(crate) const LIST_KEYS: &str = "keyed by";
pub(crate) const RULE: &str = "rule";

pub(crate) const NOT_SERVED: &str =
    "Its kind is not served: the definition’s condition Established says when it is.";
pub(crate) const OFFER: &str = "What can be done with the new kind";
pub(crate) const CREATE_WRONG: &str = "Create a wrong one";
pub(crate) const LIST_TABLE: &str = "List as a table";
pub(crate) const FIELDS: &str = "Show its fields";

pub(crate) fn group(name: &str, kinds: usize) -> String {
    format!("{name}, {kinds}")
}

/// The button of a verb.
pub(crate) fn put(verb: &str, resource: &str, part: &str) -> String {
    match part {
        "" => format!("Fill in {verb} {resource}"),
        part => format!("Fill in {verb} {resource}/{part}"),
    }
}

pub(crate) fn filled(method: &str, target: &str) -> String {
    format!("Filled in: {method} {target}")
}

/// The values that a field may have.
pub(crate) fn values(values: &str) -> String {
    format!("{ONE_OF} {values}")
}

pub(crate) fn create_one(kind: &str) -> String {
    format!("Create a {kind}")
}

/// Returns the text on what becomes of a workload where nothing but an API server runs.
pub(crate) fn alone(kind: &str) -> String {
    if kind == "Pod" {
        "No scheduler and no kubelet run in this cluster: the Pod stays Pending.".to_owned()
    } else {
        format!("No controllers run in this cluster: the {kind} is stored, and no Pods come of it.")
    }
}
