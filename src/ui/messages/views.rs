//! The names of the views, and what each is for.

pub(crate) const VIEWS: &str = "Views";
pub(crate) const REQUEST: (&str, &str) = ("Request", "Send a request and read its response");
pub(crate) const CLUSTER: (&str, &str) = ("Cluster", "Browse resources, objects and the API reference");
pub(crate) const WATCHES: (&str, &str) = ("Watches", "Compare watches side by side");
pub(crate) const TIMELINE: (&str, &str) = ("Timeline", "Go through revisions, requests and states");
pub(crate) const LAB: (&str, &str) = ("Lab", "Add API servers, lag, faults and traffic");
pub(crate) const ACCESS: (&str, &str) = ("Access", "Find out who may do what, and grant it");
pub(crate) const LEARN: (&str, &str) = ("Learn", "Read documents and run their examples");
pub(crate) const OVERVIEW: (&str, &str) = ("Overview", "Show everything at once, on a large screen");

pub(crate) const OPTIONS: &str = "Options";
pub(crate) const OPTIONS_ABOUT: &str = "Parameters, user, media types, injected failure";
pub(crate) const NOTHING_YET: &str = "no events yet";
/// Shows the watch, with everything that came.
pub(crate) const OPEN_WATCH: &str = "Open the watch";
