//! Requests of scripts on the page's origin, in words.

pub(crate) const SWITCH: &str = "Answer fetch() on this page";
pub(crate) const ABOUT: &str = "A service worker passes requests to /api, /apis and the rest of the Kubernetes API on to this cluster, watches included: the browser’s console and its network panel work on it, and so does any script.";
pub(crate) const EXAMPLE: &str =
    "const pods = await fetch(\"api/v1/pods\");\nconsole.table((await pods.json()).items);";
pub(crate) const NONE: &str =
    "This browser has no service workers for this page: it takes https, or localhost, and no private window.";

/// `why` is told by the browser.
pub(crate) fn refused(why: &str) -> String {
    format!("The browser refuses the service worker: {why}")
}
