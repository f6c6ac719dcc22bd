//! The descriptions of the query parameters, each in a sentence.

pub(crate) const WATCH: &str = "Keep the connection open and send every change as an event";
pub(crate) const RESOURCE_VERSION: &str =
    "The version to read at, or to watch from; empty is the newest, 0 is any";
pub(crate) const RESOURCE_VERSION_MATCH: &str = "How a list's resourceVersion is meant";
pub(crate) const LIMIT: &str = "The most objects to answer with; the rest is fetched with continue";
pub(crate) const CONTINUE: &str = "The token of the page before, to fetch the next one";
pub(crate) const LABEL_SELECTOR: &str = "Only objects with these labels";
pub(crate) const FIELD_SELECTOR: &str = "Only objects with these field values";
pub(crate) const ALLOW_WATCH_BOOKMARKS: &str =
    "Send a bookmark now and then: the version that everything has been sent up to";
pub(crate) const SEND_INITIAL_EVENTS: &str = "Begin a watch with what is there, instead of a list before it";
pub(crate) const TIMEOUT_SECONDS: &str = "End a watch after this long";
pub(crate) const PRETTY: &str = "Indent the response";
pub(crate) const DRY_RUN: &str = "Do everything but store it";
pub(crate) const FIELD_MANAGER: &str = "Who owns the fields that this request sets";
pub(crate) const FIELD_VALIDATION: &str = "What happens to unknown and duplicate fields";
pub(crate) const FORCE: &str = "Take fields over that others own, when a configuration is applied";
pub(crate) const INCLUDE_OBJECT: &str = "How much of its object each row of a table has";
