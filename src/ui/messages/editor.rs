//! The texts of the body's editor.

pub(crate) const HINT: &str =
    "Escape, then Tab, leaves the body. Ctrl+Space completes, F1 explains, F8 goes to what is wrong.";
pub(crate) const KEYS: &str = "Ctrl+Space completes · F1 explains · F8 next problem · Esc, then Tab leaves";
pub(crate) const FORMAT: &str = "Format";
pub(crate) const FOLD: &str = "Fold all";
pub(crate) const UNFOLD: &str = "Unfold all";
pub(crate) const SHOW: &str = "Show in the body";

pub(crate) const REQUIRED: &str = "required";
pub(crate) const LIST_SET: &str = "list, a set of values";
pub(crate) const LIST_ATOMIC: &str = "list, replaced as a whole";
pub(crate) const ATOMIC: &str = "replaced as a whole";
pub(crate) const DEFAULT: &str = "default";
pub(crate) const PATCH_RETAIN: &str = "strategic merge patch: $retainKeys";

/// The sources that report a problem in the body.
pub(crate) const BY_TRIAL: &str = "dry run";
pub(crate) const BY_ANSWER: &str = "response";

pub(crate) const OPERATION: &str = "what is done";
pub(crate) const OPERATION_PATH: &str = "where, as a JSON pointer";
pub(crate) const OPERATION_FROM: &str = "from where, to move or copy";
pub(crate) const OPERATION_VALUE: &str = "what to add, replace or test";
pub(crate) const DIRECTIVE_PATCH: &str = "replace, merge or delete this object";
pub(crate) const DIRECTIVE_RETAIN: &str = "the keys that stay";

pub(crate) fn show_label(field: &str) -> String {
    format!("Show {field} in the body")
}

pub(crate) fn list_map(keys: &str) -> String {
    format!("list, merged by {keys}")
}

pub(crate) fn patch_merge(key: &str) -> String {
    match key {
        "" => "strategic merge patch: merged".to_owned(),
        key => format!("strategic merge patch: merged by {key}"),
    }
}

pub(crate) fn default(value: &str) -> String {
    format!("default {value}")
}

/// One of the problems with a body.
pub(crate) fn problem(number: usize, of: usize, line: usize, what: &str) -> String {
    match of {
        1 => format!("Line {line}: {what}"),
        _ => format!("{number} of {of} · line {line}: {what}"),
    }
}
