//! The words for several requests that are open at once.

pub(crate) const LABEL: &str = "Open requests";
pub(crate) const ANOTHER: &str = "Open another request";
pub(crate) const ANOTHER_ABOUT: &str = "Keeps this request and its response, and opens another one beside it";
pub(crate) const CLOSE: &str = "Close this request";
pub(crate) const CLOSE_ABOUT: &str = "Closes this request (Delete on its tab)";

pub(crate) fn many(most: usize) -> String {
    format!("{most} requests are open: close one of them first.")
}
