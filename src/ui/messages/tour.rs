//! The tour, in words.

pub(crate) const TAKE: &str = "Take the tour";
pub(crate) const GO_ON: &str = "Go on with the tour";
pub(crate) const NAME: &str = "Tour";
pub(crate) const BACK: &str = "Back";
pub(crate) const NEXT: &str = "Next";
pub(crate) const AGAIN: &str = "Do it again";
pub(crate) const FINISH: &str = "Finish";
pub(crate) const UNDO: &str = "Finish, and take it all back";
pub(crate) const UNDO_ABOUT: &str = "The cluster becomes what it was before the tour";
pub(crate) const STOP: &str = "Stop the tour";
pub(crate) const ELSEWHERE: &str =
    "The tour writes to the cluster, so it takes one of this tab, and none that others use.";
pub(crate) const OPEN_TAB: &str = "Use this tab’s own cluster";

pub(crate) const WELCOME: &str =
    "A Kubernetes API server runs in this tab. Send it requests, and see what each one does.";
pub(crate) const SEND: &str = "Send a request";
pub(crate) const READ: &str = "Read and run documents";
pub(crate) const DISMISS: &str = "Close";

pub(crate) const CLUSTER: (&str, &str) = (
    "A cluster in this tab",
    "The page has just listed the ConfigMaps of its cluster. The response is what kube-apiserver v1.36 would send: status, headers, body, order of keys. Nothing leaves the tab.",
);
pub(crate) const VERSION: (&str, &str) = (
    "One counter for everything",
    "metadata.resourceVersion of the list is the newest revision of the whole cluster. It is lit up here: the ribbon has one mark for each revision, and the same version lights up wherever it stands.",
);
pub(crate) const WRITE: (&str, &str) = (
    "A write makes a revision",
    "A POST has created the ConfigMap “tour”. The ribbon has a new mark: ▲ is an object that was created, and its revision is the resourceVersion in the response.",
);
pub(crate) const WATCH: (&str, &str) = (
    "A watch hears of it",
    "A PUT has changed the object. The watch of the ConfigMaps was open all the time: it was sent ADDED, and now MODIFIED, with the very version that the write has. Nobody had to ask.",
);
pub(crate) const CONFLICT: (&str, &str) = (
    "Somebody else was faster",
    "The object was changed after it was read, so a PUT with the old resourceVersion is refused: 409 Conflict. Nothing is overwritten. “Why?” says what happened, and its buttons do what a client does next.",
);
pub(crate) const RESOLVE: (&str, &str) = (
    "Read, change, write",
    "That is the way out: read the object again, make the change again, and send it with the version that was read. It is what controllers do all day.",
);
pub(crate) const GONE: (&str, &str) = (
    "What is forgotten",
    "A cluster keeps its history for some minutes. What is left of the ribbon’s floor is compacted: a watch from there is told 410 Expired and ends, and the client has to list again.",
);
pub(crate) const YOURS: (&str, &str) = (
    "Now it is yours",
    "Change the request and press Ctrl+Enter. Each response has its next steps, Undo among them. The rail on the left gives the watches, the timeline or the lab all of the screen; Ctrl+K finds everything.",
);

/// The number of a step, from 1 on, of so many.
pub(crate) fn number(at: usize, of: usize) -> String {
    format!("{at} of {of}")
}
