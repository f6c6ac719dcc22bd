//! Explanations of watches: why an event was sent, and what opening a watch again would cost.

use crate::trace::EventType;

/// The reason why a watch was or was not sent the event of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The event is of the watch's collection. If not, [`Self::before`] and [`Self::after`] are `None`.
    pub concerned: bool,
    /// The object before the event; `None` if it did not exist.
    pub before: Option<Matched>,
    /// The object after the event; `None` if it was deleted.
    pub after: Option<Matched>,
    /// The type of the event that the watch is sent; `None` if it is sent none.
    pub sent: Option<EventType>,
    /// The watch's label selector; empty if it selects everything.
    pub label_selector: String,
    /// The watch's field selector; empty if it selects everything.
    pub field_selector: String,
}

/// An object, as the selectors of a watch see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The selectors match it.
    pub matches: bool,
    /// The object's labels.
    pub labels: Vec<(String, String)>,
    /// The values of the fields that field selectors can name.
    pub fields: Vec<(String, String)>,
}

/// The cost of opening a watch again after a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// The response would be 410 Gone, so that the client has to list again.
    pub gone: bool,
    /// The number of newer events of the resource that the API server keeps and would look at; 0 if it is gone.
    pub events: usize,
    /// The number of them that it would send.
    pub sent: usize,
    /// The number of objects in a list, which is the other way to go on.
    pub objects: usize,
}
