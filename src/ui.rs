//! The shared base of every part of the page: words, keys, colours, and the browser. Nothing here knows a cluster, or
//! the page.

pub(crate) mod bridge;
pub(crate) mod changes;
pub(crate) mod combobox;
pub(crate) mod dom;
pub(crate) mod frame;
pub(crate) mod later;
pub(crate) mod latest;
pub(crate) mod memo;
pub(crate) mod messages;
pub(crate) mod part;
pub(crate) mod search;
pub(crate) mod tabs;
pub(crate) mod theme;
pub(crate) mod warnings;
pub(crate) mod window;
