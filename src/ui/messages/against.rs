//! One response against another, in words.

pub(crate) const WITH: &str = "Against";
pub(crate) const SAME_PATH: &str = "The same path";
pub(crate) const OTHERS: &str = "Other paths";
pub(crate) const SIGNS: &str = "− is in that response alone, + in this one.";
pub(crate) const SAME: &str = "Both responses have the same body.";
pub(crate) const NONE: &str = "There is no other response in JSON yet to compare with.";

/// Another response, to be chosen. `head` is the newest revision when it came.
pub(crate) fn response(method: &str, target: &str, status: u16, head: Option<u64>) -> String {
    let at = head.map(|head| format!(" at {head}")).unwrap_or_default();
    format!("{status}{at}: {method} {target}")
}
