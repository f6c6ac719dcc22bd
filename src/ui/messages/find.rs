//! Finding in a response, in words.

pub(crate) const LABEL: &str = "Find in the response";
pub(crate) const OPEN: &str = "Find";
pub(crate) const OPEN_ABOUT: &str = "Find in all of the response (/ in the tree)";
pub(crate) const NEXT: &str = "Next (Enter)";
pub(crate) const PREVIOUS: &str = "Previous (Shift+Enter)";
pub(crate) const CLOSE: &str = "Close (Escape)";

/// The number of the place that is shown, of so many.
pub(crate) fn found(wanted: &str, at: usize, many: usize) -> String {
    match (wanted.trim().is_empty(), many) {
        (true, _) => String::new(),
        (false, 0) => "not found".to_owned(),
        (false, many) => format!("{at} of {many}"),
    }
}
