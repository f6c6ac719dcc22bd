//! The words of the Learn view.

pub(crate) const TITLE: &str = "Learn";
pub(crate) const DOCUMENTS: &str = "Documents that run";
pub(crate) const ABOUT: &str = "Read a page and run its examples where they stand. Each page has a cluster of its own in this tab, so nothing that you do there changes your other work.";
pub(crate) const IN_TAB: &str =
    "Documents run in a cluster of this tab. The page leaves the cluster that it shows now.";
pub(crate) const LOADING: &str = "Loading the document…";
pub(crate) const BACK: &str = "‹ Learn";
pub(crate) const CONTENTS: &str = "Contents";
pub(crate) const RUN: &str = "Run";
pub(crate) const RUNS: &str = "Running…";
pub(crate) const RUN_TO: &str = "Run to here";
pub(crate) const RUN_TO_ABOUT: &str = "Run all examples up to this one";
pub(crate) const RUN_ALL: &str = "Run all";
pub(crate) const OPEN: &str = "Edit";
pub(crate) const OPEN_ABOUT: &str = "Open the request in the Request view";
pub(crate) const START_OVER: &str = "Start over";
pub(crate) const START_OVER_ABOUT: &str = "Begin with a new cluster";
pub(crate) const PREPARING: &str = "Making what the examples assume…";
pub(crate) const RESPONSE: &str = "The response that is documented for the example above.";
pub(crate) const AS_DOCUMENTED: &str = "as documented";
pub(crate) const SHOW: &str = "Show it in the response pane";
pub(crate) const SENT_BODY: &str = "Body that was sent";
pub(crate) const RESPONSE_BODY: &str = "Response";
pub(crate) const PLACE: &str = "Where";
pub(crate) const DOCUMENTED: &str = "Documented";
pub(crate) const CAME: &str = "Came";
pub(crate) const NOTHING: &str = "nothing";

pub(crate) const ANY: &str = "Open any page";
pub(crate) const ANY_ABOUT: &str = "Blocks of HTTP, curl, kubectl and YAML in a page of Markdown run where they stand, and one that cannot says why. Pages of the Kubernetes documentation on GitHub open as they are.";
pub(crate) const URL: &str = "URL of a page of Markdown";
pub(crate) const URL_HINT: &str = "https://github.com/…/page.md";
pub(crate) const OPEN_URL: &str = "Open";
pub(crate) const FILE: &str = "Choose a file…";
pub(crate) const PASTE: &str = "Or paste a page of Markdown";
pub(crate) const PASTED_NAME: &str = "pasted.md";
pub(crate) const OPEN_PASTED: &str = "Open what is pasted";

pub(crate) const WRITE: &str = "Write a document…";
pub(crate) const WRITE_ABOUT: &str = "Make a document or a lesson of the requests that you sent";
pub(crate) const RECORD: &str = "Record";
pub(crate) const RECORD_ABOUT: &str =
    "Record a lesson: the requests that you send from now on become its steps";
pub(crate) const RECORDS: &str = "Recording. Send the requests that the lesson is to have. Stop above the history, or by a command (Ctrl+K).";
pub(crate) const RECORD_LESSON: &str = "Record a lesson";

/// Names the command that ends a recording.
pub(crate) fn stop_lesson(requests: usize) -> String {
    format!("Stop recording the lesson ({requests})")
}

/// Names the button that ends a recording.
pub(crate) fn stop(requests: usize) -> String {
    format!("Stop ({requests})")
}

pub(crate) const NO_SUCH: &str = "This page has no document of that name.";
pub(crate) const GONE: &str =
    "The document was kept by another tab, or by this one before it was closed. Open it again.";
pub(crate) const NOT_KEPT: &str = "The browser keeps no document of that size. Open it by its URL instead.";
pub(crate) const CUT: &str = "The link was cut off or changed, so the document in it cannot be read.";
pub(crate) const TOO_LARGE: &str = "The document is larger than 4 MiB.";

pub(crate) fn not_fetched(source: &str, why: &str) -> String {
    format!("{source} could not be loaded ({why}). Its server has to allow other pages to read it (CORS).")
}

pub(crate) fn not_packed(why: &str) -> String {
    format!("This browser cannot put the document into a link ({why}). Save it as a file instead.")
}

pub(crate) fn no_text(name: &str) -> String {
    format!("{name} is not a text file.")
}

pub(crate) fn no_scene(why: &str) -> String {
    format!("The scene in the document’s front matter cannot be read: {why}")
}

pub(crate) fn no_lesson(why: &str) -> String {
    format!("The lesson in the document’s front matter cannot be read: {why}")
}

pub(crate) fn failed(why: &str) -> String {
    format!("The example could not be run to its end: {why}")
}

pub(crate) fn differs(count: usize) -> String {
    if count == 1 { "1 difference".to_owned() } else { format!("{count} differences") }
}

pub(crate) fn bytes(count: usize) -> String {
    format!("{count} bytes that are not text")
}

pub(crate) fn ran(same: bool) -> String {
    if same { "The example ran." } else { "The example ran, and something differs from the document." }
        .to_owned()
}

/// Tells how many examples there are, how many ran, and how many came as documented.
pub(crate) fn counts(all: usize, ran: usize, same: usize) -> String {
    match ran {
        0 => format!("{all} examples"),
        _ if ran == same => format!("{ran} of {all} ran"),
        _ => format!("{ran} of {all} ran, {} with differences", ran - same),
    }
}

/// Returns the title of one of the page's own documents, and what it is about.
pub(crate) fn own(name: &str) -> (&'static str, &'static str) {
    match name {
        "first-requests" => {
            ("First requests", "Create, read, change and delete an object, and see its version move")
        }
        "watches" => ("Watches", "Follow changes, resume, ask for bookmarks and initial events"),
        "webhooks" => ("Webhooks", "Write what a webhook does: refuse, change, take too long, convert"),
        _ => ("Server-Side Apply", "Own fields, run into a conflict, share and hand over"),
    }
}
