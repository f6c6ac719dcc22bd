//! Other clients of the cluster, in words.

use protocol::trace::WatchEnd;

pub(crate) const THIS_TAB: &str = "this tab";
pub(crate) const ALL_TABS: &str = "all my tabs";
pub(crate) const NO_SHARING: &str = "all my tabs (this browser has no shared workers)";
pub(crate) const SERVER: &str = "kubeglass serve …";
pub(crate) const PROXY: &str = "kubectl proxy";
pub(crate) const WORKSHOP: &str = "the workshop’s server";
pub(crate) const ADDRESS: &str = "Address of kubeglass serve";
pub(crate) const TOKEN: &str = "Bearer token, if it asks for one";
pub(crate) const ADDRESS_EXAMPLE: &str = "http://127.0.0.1:8001";
pub(crate) const RECORDING: &str = "a recording …";
pub(crate) const RECORDING_ENDS: &str = "the recording ends here";
pub(crate) const FILE: &str = "Recording";
pub(crate) const EARLIER: &str = "The part before";
pub(crate) const LATER: &str = "The part after";
pub(crate) const CONNECT: &str = "Connect";
pub(crate) const CONNECT_AGAIN: &str = "Connect again";
pub(crate) const RELOAD: &str = "Start anew";
pub(crate) const BY_OTHER_ABOUT: &str = "Sent by another client";
pub(crate) const WATCH: &str = "Its events go to that client. The timeline shows which they were.";
pub(crate) const USE_TAB: &str = "Use this tab’s own cluster";
pub(crate) const WHAT_TABS: &str = "A Kubernetes API server, in this browser, for all of its tabs.";
pub(crate) const NO_SOCKET: &str = "The watch was refused, or nothing answers. Watches after the fourth go over WebSockets, and a browser does not tell why one is refused: stop another watch, then send this again.";
pub(crate) const BODY_UNKNOWN: &str =
    "Another client has sent this request. Its body, and that of the response, are not part of the trace.";

/// `address` is that of the server.
pub(crate) fn what(address: &str) -> String {
    ["The Kubeglass server at ", address, ", and what its clients do."].concat()
}

/// `why` is told by the browser or the server.
pub(crate) fn lost(address: &str, why: &str) -> String {
    let begin = "There is no connection to the server at ";
    [begin, address, ": ", why, ". Is `kubeglass serve` running there?"].concat()
}

/// Returns the text on the part of a recording that is shown: which of how many parts, from a revision to another, and
/// what is missing at its end.
pub(crate) fn recorded(
    name: &str,
    (part, parts): (usize, usize),
    (from, to): (u64, u64),
    missing: Option<&str>,
) -> String {
    let part = if parts > 1 { format!(", part {} of {parts}", part + 1) } else { String::new() };
    let missing = missing.map(|sentence| format!(" {sentence}")).unwrap_or_default();
    format!("{name}{part}: revisions {from} to {to}.{missing}")
}

/// `why` is a sentence without its end.
pub(crate) fn no_recording(name: &str, why: &str) -> String {
    format!("{name} cannot be opened: {why}.")
}

/// Why a recording is damaged whose batches do not follow on each other.
pub(crate) const OUT_OF_ORDER: &str = "its batches are out of order";

/// `why` is a sentence without its end.
pub(crate) fn damaged(why: &str) -> String {
    format!("The rest is damaged: {why}.")
}

pub(crate) fn unreadable(name: &str) -> String {
    format!("The browser cannot read {name}.")
}

/// Why a watch has ended, if it did not end as it should.
pub(crate) fn ended(end: WatchEnd) -> Option<String> {
    let why = match end {
        WatchEnd::Client => "its client closed it",
        WatchEnd::Timeout => return None,
        WatchEnd::Error => "it was told an ERROR",
        WatchEnd::Server => "the server ended it",
    };
    Some(why.to_owned())
}
