//! The words for writing documents and lessons.

pub(crate) const TITLE: &str = "Write a document";
pub(crate) const ABOUT: &str = "A page of Markdown whose examples run: the requests that you sent, with their responses. It begins with the cluster as it was before them. It is a draft: change it as you like.";
pub(crate) const KIND: &str = "What it becomes";
pub(crate) const DOCUMENT: &str = "A document";
pub(crate) const DOCUMENT_ABOUT: &str = "Each request is an example, with its response.";
pub(crate) const LESSON: &str = "A lesson";
pub(crate) const LESSON_ABOUT: &str = "Readers do the steps themselves. Each step has a check that looks at what they did and at the cluster. The other requests are examples.";
pub(crate) const NAME: &str = "Title";
pub(crate) const PURPOSE: &str = "What it is for";
pub(crate) const PURPOSE_HINT: &str = "One sentence";
pub(crate) const REQUESTS: &str = "Requests";
pub(crate) const ALL: &str = "All";
pub(crate) const NONE: &str = "None";
pub(crate) const PINNED: &str = "Pinned";
pub(crate) const RANGE: &str = "Shift+click takes all up to the last one that you clicked.";
pub(crate) const NOT_SENT: &str = "Nothing has been sent in this tab yet.";
pub(crate) const STEP: &str = "As a step";
pub(crate) const ONLY_USED: &str = "Leave out objects that these requests have nothing to do with";
pub(crate) const OPEN: &str = "Open in Learn";
pub(crate) const OPEN_ABOUT: &str =
    "Opens it in a cluster of its own. The cluster that the page shows now is there again when you leave it.";
pub(crate) const SAVE: &str = "Save as a file";
pub(crate) const SHARE: &str = "Link";
pub(crate) const SHARE_ABOUT: &str = "Copy a link to this place of the document. The text of a document that was written or pasted here is in the link.";
pub(crate) const COPY: &str = "Copy link";
pub(crate) const COPY_ABOUT: &str = "The text of the document is in the link.";
pub(crate) const COPIED: &str = "The link was copied.";
pub(crate) const NOTHING: &str = "Choose a request first.";
pub(crate) const FILE: &str = "document";

pub(crate) const EDIT: &str = "Edit text";
pub(crate) const EDIT_ABOUT: &str = "Edit the text of the document, or of a copy of it";
pub(crate) const TEXT: &str = "The text of the document, in Markdown";
pub(crate) const SHOW: &str = "Show the document";
pub(crate) const SHOW_ABOUT: &str = "Opens the document with its new text (Ctrl+Enter)";
pub(crate) const DISCARD: &str = "Discard changes";
pub(crate) const RIGHT: &str = "All parts of the document can be read.";
pub(crate) const PLAY: &str = "Test";
pub(crate) const PLAY_ABOUT: &str =
    "Runs the solutions of all steps, and tests the check of each before and after them";
pub(crate) const TESTED: &str = "Each check is fulfilled by the solution of its step, and not before.";

/// Tells how many requests are taken.
pub(crate) fn taken(taken: usize, all: usize) -> String {
    format!("{taken} of {all}")
}

/// Tells where a document cannot be read.
pub(crate) fn problem(line: usize, why: &str) -> String {
    format!("Line {line}: {why}")
}

/// Tells that a link would be too long.
pub(crate) fn too_long(length: usize, most: usize) -> String {
    format!(
        "The link would have {length} characters, and {most} are passed on by most programs. Save the document as a file, and link to that."
    )
}

/// Tells that a check holds too early.
pub(crate) fn too_early(step: &str) -> String {
    format!("{step}: the check is fulfilled before anything was done.")
}

/// Tells that a solution does not fulfil its check.
pub(crate) fn not_solved(step: &str, why: &str) -> String {
    format!("{step}: the solution does not fulfil the check. {why}")
}
