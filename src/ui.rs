//! What every part of the page uses: words, keys, colours, and the browser.

pub(crate) mod address;
pub(crate) mod changes;
pub(crate) mod combobox;
pub(crate) mod crash;
pub(crate) mod dom;
pub(crate) mod engine;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod help;
pub(crate) mod later;
pub(crate) mod latest;
pub(crate) mod memo;
pub(crate) mod messages;
pub(crate) mod notice;
pub(crate) mod palette;
pub(crate) mod part;
pub(crate) mod recorded;
pub(crate) mod search;
pub(crate) mod tabs;
pub(crate) mod theme;
pub(crate) mod version;
