//! The texts of the waterfall. In a sentence, each `{}` is the next number or word.

pub(crate) const TABLE: &str = "Requests, oldest first";
pub(crate) const EMPTY: &str = "Send a request, and it appears here with the revision that answered it.";
pub(crate) const COLUMN_NUMBER: &str = "#";
pub(crate) const COLUMN_REQUEST: &str = "Request";
pub(crate) const COLUMN_STATUS: &str = "Status";
pub(crate) const COLUMN_ASKED: &str = "Asked → served";
pub(crate) const COLUMN_SIZE: &str = "Size";
pub(crate) const COLUMN_TOOK: &str = "Time";
pub(crate) const COLUMN_BAR: &str = "When";
pub(crate) const WIDER: &str = "Show less time";
pub(crate) const NARROWER: &str = "Show more time";
pub(crate) const FIT: &str = "Fit";
pub(crate) const FIT_ABOUT: &str = "Show all the time since the oldest request";
pub(crate) const FOLLOW: &str = "Follow";
pub(crate) const FOLLOW_ABOUT: &str = "Show the newest";
pub(crate) const BY_COPY: &str = "copy";
pub(crate) const BY_COPY_ABOUT: &str = "Sent by a local copy";
pub(crate) const WAITING: &str = "…";
pub(crate) const FAILED: &str = "none";

pub(crate) const ASKED_NOTHING: &str = "–";
pub(crate) const ASKED_MOST_RECENT: &str = "most recent";
pub(crate) const ASKED_ANY: &str = "any";
pub(crate) const ASKED_NOT_OLDER: &str = "not older than";
pub(crate) const ASKED_EXACTLY: &str = "exactly";
pub(crate) const ASKED_CONTINUE: &str = "continue of";
pub(crate) const ASKED_CONTINUE_NEWEST: &str = "continue, newest";
pub(crate) const ASKED_FROM: &str = "from";
pub(crate) const ASKED_FROM_MOST_RECENT: &str = "from most recent";
pub(crate) const ASKED_FROM_ANY: &str = "from any";
pub(crate) const ASKED_INITIAL: &str = "initial events";
pub(crate) const ASKED_INITIAL_NOT_OLDER: &str = "initial events from";
pub(crate) const ASKED_IF_STILL: &str = "if still";
pub(crate) const ASKED_WHATEVER: &str = "whatever it is at";

pub(crate) const LAYER_STORE: &str = "store";
pub(crate) const LAYER_CACHE: &str = "cache";
pub(crate) const LAYER_SNAPSHOT: &str = "snapshot";
pub(crate) const WROTE: &str = "wrote";
pub(crate) const LIVE: &str = "live";
/// Marks on the ribbon.
pub(crate) const OBJECT_AT: &str = "object at";
pub(crate) const SENT_AT: &str = "sent";

pub(crate) const SHOW_ANSWER: &str = "Show the response";
pub(crate) const SEND_AGAIN: &str = "Send again";
pub(crate) const CURL: &str = "Copy as curl";
pub(crate) const SENT: &str = "Sent";
pub(crate) const CAME: &str = "Came back";
pub(crate) const COMPARE: &str = "Compare media types";
pub(crate) const COMPARING: &str = "Measuring…";
pub(crate) const COMPARED: &str = "The same response in every media type";
pub(crate) const COMPARE_TYPE: &str = "Media type";
pub(crate) const COMPARE_SIZE: &str = "Size";
pub(crate) const COMPARE_RATIO: &str = "of JSON";
pub(crate) const COMPARE_TIME: &str = "To encode";
pub(crate) const COMPARE_NOTHING: &str = "This response cannot be written in another media type.";

/// The sentences: which revision answered, and why.
pub(crate) mod sentence {
    pub(crate) const PENDING: &str = "Under way: no response has come yet.";
    pub(crate) const PENDING_NOT_OLDER: &str =
        "Not older than {}: the response waits until the watch cache has come that far.";
    pub(crate) const FAILED: &str = "No response came: {}.";
    pub(crate) const NO_REVISION: &str =
        "No object was read: this is what the API server knows without the store.";
    pub(crate) const UNTOLD: &str = "The cluster does not say what it read this from.";

    pub(crate) const RECENT_CACHE: &str =
        "Most recent: the watch cache had come as far as the store, {}, so it could answer.";
    pub(crate) const RECENT_STORE: &str =
        "Most recent: the watch cache was behind, so the store answered, at {}.";
    pub(crate) const RECENT_ONE: &str =
        "Most recent: one object without a resourceVersion is read from the store, which was at {}.";
    pub(crate) const ANY: &str = "resourceVersion=0: whatever the watch cache had, which was {}.";
    pub(crate) const ANY_LEVEL: &str =
        "resourceVersion=0: whatever the watch cache had, which was {}, as new as the store.";
    pub(crate) const ANY_BEHIND: &str =
        "resourceVersion=0: whatever the watch cache had, which was {}, {} behind the store.";
    pub(crate) const NOT_OLDER: &str = "Not older than {}: the watch cache was at just that.";
    pub(crate) const NOT_OLDER_NEWER: &str =
        "Not older than {}: the watch cache had {}, so it answered with that.";
    pub(crate) const NOT_OLDER_STORE: &str = "Not older than {}: the store answered, at {}.";
    pub(crate) const EXACTLY_SNAPSHOT: &str = "Exactly {}: out of a snapshot.";
    pub(crate) const EXACTLY_CACHE: &str = "Exactly {}: the watch cache was at just that.";
    pub(crate) const EXACTLY_STORE: &str =
        "Exactly {}: the watch cache had no snapshot of it, so it was read from the store.";
    pub(crate) const TOO_NEW: &str =
        "There is no {} yet: the server waited for it, and gave up. Nothing is that new.";
    pub(crate) const COMPACTED: &str =
        "{} has been compacted: neither the store nor a snapshot has it any more. List again.";
    pub(crate) const PAGE: &str = "Page {} of the snapshot at {}: what was written since does not show.";
    pub(crate) const PAGE_NEXT: &str =
        "The next page of the snapshot at {}: what was written since does not show.";
    pub(crate) const PAGE_STORE: &str =
        "Page {} of the list at {}, read from the store: what was written since does not show.";
    pub(crate) const PAGE_NEWEST: &str =
        "The rest of the list in its newest state, {}: with the pages before, it is no state that ever was.";
    pub(crate) const PAGE_GONE: &str = "{} has been compacted, so the list cannot go on. The response has a token that goes on in the newest state.";
    pub(crate) const PAGE_UNREADABLE: &str = "The continue token cannot be read.";
    pub(crate) const ABSENT: &str = "There was no such object at {}.";

    pub(crate) const WATCH_FROM: &str = "From {}: every change after it is sent, in order, and none twice.";
    pub(crate) const WATCH_RECENT: &str = "Without a resourceVersion: what there is comes first, each as ADDED, in the newest state; then what changes.";
    pub(crate) const WATCH_ANY: &str =
        "resourceVersion=0: what the watch cache has comes first, each as ADDED; then what changes.";
    pub(crate) const WATCH_INITIAL: &str = "Streaming list: what there is comes first, each as ADDED, then a BOOKMARK that says that this was all; then what changes.";
    pub(crate) const WATCH_GONE: &str =
        "{} is older than the events that the watch cache keeps: 410 Gone. List again, and watch from there.";
    pub(crate) const ENDED_STOPPED: &str = "This page closed it.";
    pub(crate) const ENDED_CLOSED: &str = "The server closed it.";
    pub(crate) const ENDED_BROKEN: &str = "The connection broke: {}.";

    pub(crate) const MADE: &str = "It made revision {}.";
    pub(crate) const MADE_SEVERAL: &str = "It made {} revisions, {} to {}.";
    pub(crate) const MADE_UNTOLD: &str = "It was done; the cluster does not say which revision it made.";
    pub(crate) const MADE_IF_STILL: &str =
        "The object was still at {}, as was sent, so this made revision {}.";
    pub(crate) const MADE_WHATEVER: &str = "No resourceVersion was sent, so nothing was compared: whoever writes last wins. It made revision {}.";
    pub(crate) const UNCHANGED: &str = "Nothing changed, so no revision was made.";
    pub(crate) const DRY: &str = "A dry run: everything but the writing. No revision was made.";
    pub(crate) const CONFLICT: &str = "Conflict: sent {}, the object is at {}. Nothing was written.";
    pub(crate) const CONFLICT_UNTOLD: &str =
        "Conflict: sent {}, and the object has changed since. Nothing was written.";
    pub(crate) const CONFLICT_APPLY: &str =
        "Conflict: another manager owns what was applied. Nothing was written.";
    pub(crate) const CONFLICT_OTHER: &str = "Conflict: the object changed in between. Nothing was written.";
    pub(crate) const EXISTS: &str = "An object of this name exists already. Nothing was written.";
    pub(crate) const NO_OBJECT: &str = "There was no such object to change. Nothing was written.";
    pub(crate) const REFUSED: &str = "Refused with {}. Nothing was written.";
    pub(crate) const REFUSED_READ: &str = "Refused with {} before anything was read.";
}

pub(crate) fn number(id: u64) -> String {
    ["#", &(id + 1).to_string()].concat()
}

pub(crate) fn server(number: usize) -> String {
    ["server ", &number.to_string()].concat()
}

pub(crate) fn events(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { [&count.to_string(), " events"].concat() }
}

/// Returns the text of the mark on the ribbon.
pub(crate) fn served_by(id: u64) -> String {
    ["served ", &number(id)].concat()
}

/// And what it made.
pub(crate) fn wrote_by(id: u64) -> String {
    ["made by ", &number(id)].concat()
}

/// A moment since the page was opened, as exact as `step` (both in milliseconds) wants it: `0.25 s`, `12 s`, `3:05`.
pub(crate) fn moment(ms: u64, step: u64) -> String {
    let (seconds, rest) = (ms / 1000, ms % 1000);
    match step {
        0..10 => format!("{seconds}.{rest:03} s"),
        10..100 => format!("{seconds}.{:02} s", rest / 10),
        100..1000 => format!("{seconds}.{} s", rest / 100),
        _ if seconds < 60 => format!("{seconds} s"),
        _ => format!("{}:{:02}", seconds / 60, seconds % 60),
    }
}

/// `1.25×`, `0.40×`: thousandths of the size of JSON.
pub(crate) fn ratio(thousandths: usize) -> String {
    let hundredths = (thousandths + 5) / 10;
    format!("{}.{:02}×", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_as_exact_as_needed() {
        let all = [(7, 1), (1250, 50), (1250, 100), (12_000, 1000), (185_000, 5000)];
        assert_eq!(all.map(|(ms, step)| moment(ms, step)), ["0.007 s", "1.25 s", "1.2 s", "12 s", "3:05"]);
    }

    #[test]
    fn ratios_have_two_places() {
        assert_eq!([0, 4, 999, 1000, 1256].map(ratio), ["0.00×", "0.00×", "1.00×", "1.00×", "1.26×"]);
    }
}
