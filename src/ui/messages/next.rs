//! The words for the next steps of a response.

pub(crate) const NEXT: &str = "Next steps";
pub(crate) const EDIT: &str = "Edit";
pub(crate) const EDIT_ABOUT: &str =
    "Puts the object as it was read into a PUT. A 409 says if somebody has changed it meanwhile.";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const DELETE_ABOUT: &str =
    "Puts a DELETE of the object into the form. The preview shows what would go with it.";
pub(crate) const WATCH: &str = "Watch";
pub(crate) const WATCH_ABOUT: &str = "Watches this object, from the version that was read.";
pub(crate) const WATCH_FROM_ABOUT: &str =
    "Watches the same objects from this version on. No change is missed.";
pub(crate) const NEXT_PAGE_ABOUT: &str = "Lists the next page, of the same revision.";
pub(crate) const COPY_CURL: &str = "Copy as curl";
pub(crate) const COPY_KUBECTL: &str = "Copy as kubectl";
pub(crate) const COPY_ABOUT: &str =
    "Copies the request as a command, for a server at 127.0.0.1:8001 or kubectl’s cluster.";

pub(crate) fn next_page(left: Option<u64>) -> String {
    match left {
        Some(left) => format!("Next page ({left} left)"),
        None => "Next page".to_owned(),
    }
}

pub(crate) fn watch_from(version: &str) -> String {
    ["Watch from ", version].concat()
}
