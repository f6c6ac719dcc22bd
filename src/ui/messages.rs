//! Every word that the page says.

pub(crate) mod access;
pub(crate) mod against;
pub(crate) mod browse;
pub(crate) mod bytes;
#[cfg(test)]
mod catalogue;
pub(crate) mod change;
pub(crate) mod controllers;
#[cfg(test)]
mod dictionaries;
pub(crate) mod editor;
pub(crate) mod engine;
pub(crate) mod explore;
pub(crate) mod find;
pub(crate) mod kept;
pub(crate) mod learn;
pub(crate) mod lesson;
pub(crate) mod manifest;
pub(crate) mod next;
pub(crate) mod origin;
pub(crate) mod others;
pub(crate) mod params;
pub(crate) mod present;
pub(crate) mod ribbon;
pub(crate) mod tabs;
pub(crate) mod tour;
pub(crate) mod views;
pub(crate) mod waterfall;
pub(crate) mod why;
pub(crate) mod write;

use protocol::trace::Layer;

pub(crate) const NAME: &str = "Kubeglass";
pub(crate) const WHAT: &str = "A Kubernetes API server, in this tab. Nothing leaves it.";
pub(crate) const WHAT_REMOTE: &str = "Requests go to the cluster behind this page’s server.";

pub(crate) const SKIP: &str = "Skip";
pub(crate) const SKIP_REQUEST: &str = "Skip to the request";
pub(crate) const SKIP_ANSWER: &str = "Skip to the response";
pub(crate) const SKIP_WATCHES: &str = "Skip to the watches";
pub(crate) const SKIP_TIMELINE: &str = "Skip to the timeline";

pub(crate) const CLUSTER: &str = "Cluster";
pub(crate) const NAMESPACE: &str = "Namespace";
pub(crate) const ALL_NAMESPACES: &str = "all";
pub(crate) const CLOCK: &str = "Clock";
pub(crate) const PALETTE_OPEN: &str = "Find a resource, preset or command";
pub(crate) const PALETTE_KEYS: &str = "Ctrl K";
pub(crate) const HELP_OPEN: &str = "Keys and help";
/// The other language, in itself.
pub(crate) const LANGUAGE: &str = "简体中文";
pub(crate) const THEME_SYSTEM: &str = "System colours";
pub(crate) const THEME_LIGHT: &str = "Light colours";
pub(crate) const THEME_DARK: &str = "Dark colours";

pub(crate) const RESOURCES: &str = "Resources";
pub(crate) const RESOURCES_FILTER: &str = "Filter resources";
pub(crate) const RESOURCES_NONE: &str = "No resource has this in its name.";
pub(crate) const RESOURCES_EMPTY: &str = "The resources appear here once the cluster serves them.";
pub(crate) const HISTORY: &str = "History";
/// After the target of a watch.
pub(crate) const HISTORY_WATCH: &str = " watch";
pub(crate) const HISTORY_FILTER: &str = "Filter the history by method, path, body, status or user";
pub(crate) const HISTORY_FILTER_HINT: &str = "Filter";
pub(crate) const HISTORY_NONE: &str = "No request has all of these words.";
pub(crate) const PINNED: &str = "Pinned requests";
pub(crate) const HISTORY_EMPTY: &str = "Requests that you send appear here, to be changed or sent again.";

pub(crate) const REQUEST: &str = "Request";
pub(crate) const METHOD: &str = "Method";
pub(crate) const PATH: &str = "Path";
pub(crate) const PATH_HINT: &str = "/api/v1/… or a resource’s name";
pub(crate) const SEND: &str = "Send";
pub(crate) const SEND_KEYS: &str = "Ctrl+Enter";
pub(crate) const ACCEPT: &str = "Accept";
pub(crate) const CONTENT_TYPE: &str = "Content-Type";
pub(crate) const PARAMETERS: &str = "Query parameters";
pub(crate) const ADD_PARAMETER: &str = "Add a query parameter";
pub(crate) const ADD_PARAMETER_HINT: &str = "+ parameter";
pub(crate) const BODY: &str = "Body";
pub(crate) const BODY_GO: &str = "Go there";
pub(crate) const PRESETS: &str = "Presets";
pub(crate) const MORE_PRESETS: &str = "More…";

pub(crate) const ANSWER: &str = "Response";
/// Before the request whose response is shown, where the form has another one by now.
pub(crate) const EARLIER: &str = "earlier: ";
pub(crate) const EARLIER_ABOUT: &str =
    "This is the response to an earlier request: the form has changed since.";
pub(crate) const ANSWER_EMPTY: &str = "Send a request, and its response appears here.";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const CANCEL_ABOUT: &str = "Wait no longer for the response";
pub(crate) const CANCELLED: &str =
    "You cancelled the request. The server may have done it nevertheless: read the object to find out.";
/// Why there is no response to a request whose sender no longer waits for it.
pub(crate) const GIVEN_UP: &str = "its sender gave it up";
pub(crate) const ANSWER_WAITING: &str = "Waiting for the response";
pub(crate) const ANSWER_STREAM: &str = "The response is a stream: its events are in the watches pane.";
pub(crate) const ANSWER_DROPPED: &str =
    "This body is no longer kept, to save memory. Send the request again to see it.";
pub(crate) const ANSWER_READING: &str = "Reading the body";
pub(crate) const ANSWER_EMPTY_BODY: &str = "The body is empty.";
pub(crate) const ANSWER_BINARY: &str = "The body is not text; these are its bytes.";
pub(crate) const TABLE_WIDE: &str = "All columns";
pub(crate) const TABLE_EMPTY: &str = "The table has no rows: there are no such objects.";
pub(crate) const NO_ANSWER: &str = "No response came";
pub(crate) const TAB_BODY: &str = "Body";
pub(crate) const TAB_BYTES: &str = bytes::BYTES;
pub(crate) const TAB_OWNERS: &str = "Ownership";
pub(crate) const TAB_REPRESENTATIONS: &str = bytes::REPRESENTATIONS;
pub(crate) const TAB_DIFFERENCE: &str = "Diff";
pub(crate) const TAB_HEADERS: &str = "Headers";
pub(crate) const TAB_RAW: &str = "Raw";
pub(crate) const FOLD_ALL: &str = "Fold all";
pub(crate) const UNFOLD_ALL: &str = "Unfold all";
pub(crate) const COPY: &str = "Copy";
/// A part of the page is missing.
pub(crate) const NOT_LOADED: &str = "The code of this part of the page could not be loaded.";
pub(crate) const TRY_AGAIN: &str = "Try again";
/// A button needs code that is missing.
pub(crate) const NEEDS_CODE: &str = "The code for this could not be loaded. Try again.";
pub(crate) const COPIED: &str = "Copied";
pub(crate) const HEADER_NAME: &str = "Name";
pub(crate) const HEADER_VALUE: &str = "Value";

pub(crate) const WATCHES: &str = "Watches";
pub(crate) const WATCHES_EMPTY: &str = "No watch is open. A watch shows every change as it happens.";
pub(crate) const WATCHES_OPEN: &str = "Watch configmaps";
pub(crate) const WATCH_QUIET: &str =
    "Nothing has happened yet. Change an object, and its event appears here.";
pub(crate) const PAUSE: &str = "Pause";
pub(crate) const GO_ON: &str = "Go on";
pub(crate) const STOP: &str = "Stop";
pub(crate) const DISMISS: &str = "Remove";
pub(crate) const CREATE_ONE: &str = "Create a ConfigMap";

pub(crate) const KEEP_COPY: &str = "Keep a copy";
pub(crate) const COPY_OF: &str = "Copy of";
pub(crate) const COPY_MODE: &str = "How the copy comes";
pub(crate) const COPY_MODE_ABOUT: &str = "How the copy comes; another way starts it anew";
pub(crate) const COPY_LIST: &str = "List, then watch";
pub(crate) const COPY_STREAM: &str = "Streaming list";
pub(crate) const COPY_NONE: &str = "Not synced yet";
pub(crate) const COPY_SYNCED: &str = "Synced at";
pub(crate) const COPY_SAME: &str = "same as the server";
pub(crate) const COPY_LOG: &str = "What the copy decided, newest first";
pub(crate) const COPY_CUT: &str = "Cut";
pub(crate) const COPY_CUT_ABOUT: &str = "Break the connection, and let none through until it is mended";
pub(crate) const COPY_MEND: &str = "Mend";
pub(crate) const COPY_MEND_ABOUT: &str =
    "Let connections through again; the copy tries when its pause is over";
pub(crate) const COPY_ANEW: &str = "Start anew";
pub(crate) const COPY_ANEW_ABOUT: &str = "Start again with nothing";

pub(crate) const TIMELINE: &str = "Timeline";
pub(crate) const TIMELINE_EMPTY: &str = "No write is known yet. Create an object, or open a watch.";
pub(crate) const TIMELINE_EARLIER: &str = "Earlier revisions";
pub(crate) const TIMELINE_LATER: &str = "Later revisions";
pub(crate) const TIMELINE_FOLLOW: &str = "Follow";
pub(crate) const TIMELINE_WIDER: &str = "Zoom in";
pub(crate) const TIMELINE_NARROWER: &str = "Zoom out";
pub(crate) const TIMELINE_LOG: &str = "Log";
pub(crate) const TIMELINE_REQUESTS: &str = "Requests";
pub(crate) const TIMELINE_STATE: &str = "State";
pub(crate) const TIMELINE_OWNERS: &str = "Owners";
pub(crate) const TIMELINE_DETAILS: &str = "Beside the ribbon";
pub(crate) const TIMELINE_CURSOR: &str = "Revision";

pub(crate) const PANES: &str = "Panes";
pub(crate) const SIZE_LEFT: &str = "Width of the resources";
pub(crate) const SIZE_RIGHT: &str = "Width of the watches";
pub(crate) const SIZE_REQUEST: &str = "Height of the request";
pub(crate) const SIZE_BOTTOM: &str = "Height of the timeline";
pub(crate) const SIZE_DETAILS: &str = "Width of what stands beside the ribbon";

pub(crate) const CLOSE: &str = "Close";
pub(crate) const HELP_TITLE: &str = "Keys";
pub(crate) const HELP_KEYS: &[(&str, &str)] = &[
    ("Ctrl Enter", "Send the request"),
    ("Ctrl Shift Enter", "See what the request would do, without doing it"),
    ("Ctrl K", "Find a resource, preset or command"),
    ("?", "Show this"),
    ("Tab", "Go through everything that can be pressed"),
    ("↑ ↓", "Move in a list, in the response’s tree, in the events of a watch"),
    ("← →", "Fold and unfold in the tree; move a separator; choose a revision"),
    ("↓ ↑ → ←", "In bytes: next and previous, first inside, around it; Enter goes to the field in JSON"),
    ("Home End", "First and last; on the ribbon the floor, and the newest to follow"),
    ("+ − 0", "Zoom the ribbon, or show the whole history"),
    ("[ ]", "The bookmark before and after, on the ribbon"),
    ("c", "Compact to the revision at the cursor, on the ribbon: it asks"),
    ("Esc", "Close what is open"),
];
pub(crate) const HELP_SINGLE: &str = "Keys without Ctrl (?)";
pub(crate) const HELP_WORDS_TITLE: &str = "What moves";
pub(crate) const HELP_WORDS: &[(&str, &str)] = &[
    (
        "resourceVersion",
        "The version of an object, and of a list. Point at one: it lights up wherever it stands.",
    ),
    (
        "Watch",
        "A stream of the changes since a version. Stop it, and resume it from the last version it has seen.",
    ),
    (
        "Copy",
        "What client libraries keep: a list of a collection, followed by a watch. Its log says what it decides, and why.",
    ),
    (
        "Policy",
        "What expressions say of a request before it is stored. While one is written, try it on a request: nothing is stored by that.",
    ),
    ("Bookmark", "An event without a change: everything up to this version has been sent."),
    ("Compaction", "The cluster forgets versions older than this. Who asks for them is answered 410 Gone."),
];
pub(crate) const PALETTE_TITLE: &str = "Find and do";
pub(crate) const PALETTE_NONE: &str = "Nothing has these letters in this order.";

pub(crate) const CRASH_TITLE: &str = "The cluster stopped";
pub(crate) const CRASH_ABOUT: &str = "Something in this page went wrong that must not. Restarting goes on with the cluster as far as this browser has kept it; if that fails again, start a new one.";
pub(crate) const CRASH_RESTART: &str = "Restart the cluster";

/// Writes a number as `100,000`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(crate) fn answered(status: u16, words: &str) -> String {
    format!("Answered {status} {words}")
}

pub(crate) fn brought(letter: &str, kind: &str, name: &str, version: &str) -> String {
    match name {
        "" => format!("Watch {letter}: {kind}, now at {version}"),
        _ => format!("Watch {letter}: {kind} {name}, now at {version}"),
    }
}

pub(crate) fn compacted(revision: u64) -> String {
    format!("Compacted up to {revision}")
}

pub(crate) fn compact_to(revision: u64) -> String {
    format!("Compact to {revision}")
}

pub(crate) fn read_from(layer: Layer) -> &'static str {
    match layer {
        Layer::Store => "from the store at",
        Layer::Cache => "from the watch cache at",
        Layer::Snapshot => "from a snapshot at",
    }
}

pub(crate) fn keep_copy(target: &str) -> String {
    format!("Keep a copy of {target}, and follow its changes")
}

pub(crate) fn copy_said(target: &str, sentence: &str) -> String {
    format!("{COPY_OF} {target}: {sentence}")
}

/// Before the version of a copy, if it has one.
pub(crate) fn copied(synced: bool) -> &'static str {
    if synced { COPY_SYNCED } else { COPY_NONE }
}

/// Returns the label of a copy's first button, by whether the copy runs and whether it is cut off.
pub(crate) fn copy_first(runs: bool, cut: bool) -> &'static str {
    match (runs, cut) {
        (false, _) => COPY_ANEW,
        (_, true) => COPY_MEND,
        _ => COPY_CUT,
    }
}

/// And what that means.
pub(crate) fn copy_first_about(runs: bool, cut: bool) -> &'static str {
    match (runs, cut) {
        (false, _) => COPY_ANEW_ABOUT,
        (_, true) => COPY_MEND_ABOUT,
        _ => COPY_CUT_ABOUT,
    }
}

/// After the version of a copy.
pub(crate) fn copied_objects(count: usize) -> String {
    if count == 1 { ", 1 object".to_owned() } else { format!(", {count} objects") }
}

/// After how many objects a copy has.
pub(crate) fn behind(count: usize) -> String {
    if count == 0 { format!(", {COPY_SAME}") } else { format!(", {count} behind") }
}

pub(crate) fn watch_title(letter: &str) -> String {
    format!("Watch {letter}")
}

pub(crate) fn list_resource(name: &str) -> String {
    format!("List {name}")
}

pub(crate) fn watch_resource(name: &str) -> String {
    format!("Watch {name}")
}

pub(crate) fn refill(method: &str, target: &str) -> String {
    format!("Put into the form: {method} {target}")
}

pub(crate) fn resend(method: &str, target: &str) -> String {
    format!("Send again: {method} {target}")
}

pub(crate) fn remove_parameter(name: &str) -> String {
    format!("Remove {name}")
}

pub(crate) fn resume(version: Option<&str>) -> String {
    version.map_or_else(|| "Watch anew".to_owned(), |version| format!("Resume from {version}"))
}

pub(crate) fn waiting(count: u64) -> String {
    format!("{count} waiting")
}

pub(crate) fn received(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

pub(crate) fn broken_at(line: usize, column: usize, why: &str) -> String {
    format!("Not JSON at line {line}, column {column}: {why}")
}

pub(crate) fn folded(count: usize, map: bool) -> String {
    match (count, map) {
        (1, true) => "1 field".to_owned(),
        (1, false) => "1 item".to_owned(),
        (_, true) => format!("{count} fields"),
        (_, false) => format!("{count} items"),
    }
}

pub(crate) fn show_more(rest: usize) -> String {
    format!("Show more ({rest} lines)")
}

pub(crate) fn sent(bytes: usize) -> String {
    format!("It was sent in {}, which are shown beside the JSON that they mean.", size(bytes))
}

pub(crate) fn table_rest(rows: usize) -> String {
    format!("And {rows} more rows, which the raw body has.")
}

pub(crate) fn retry_after(seconds: u64) -> String {
    format!("Try again after {seconds} s.")
}

/// `812 B`, `3.4 kB`, `1.2 MB`.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// The button that pins a request, or takes the pin out.
pub(crate) fn pin(is_pinned: bool, method: &str, target: &str) -> String {
    [if is_pinned { "Unpin " } else { "Pin " }, method, " ", target].concat()
}

/// How long a request has waited: `for 3 s`.
pub(crate) fn waits(ms: f64) -> String {
    format!("for {:.0} s", (ms / 1000.0).floor())
}

/// `0.4 ms`, `12 ms`, `1.3 s`.
pub(crate) fn time(ms: f64) -> String {
    if ms < 0.05 {
        "< 0.1 ms".to_owned()
    } else if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
}

/// `09:07:05`, of seconds since the Unix epoch, in UTC as everything that the cluster says.
pub(crate) fn time_of_day(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_utc() {
        assert_eq!([0, 32_825, 1_800_000_000].map(time_of_day), ["00:00:00", "09:07:05", "08:00:00"]);
    }

    #[test]
    fn sizes_and_times_read_well() {
        assert_eq!(
            [0, 999, 1000, 3_449, 2_000_000].map(size),
            ["0 B", "999 B", "1.0 kB", "3.4 kB", "2.0 MB"]
        );
        assert_eq!([0.04, 9.0, 12.4, 1300.0].map(time), ["< 0.1 ms", "9.0 ms", "12 ms", "1.3 s"]);
    }
}
