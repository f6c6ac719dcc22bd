//! The Cluster view: the objects of a kind as a table, and an object's page.

pub(crate) mod collection;
pub(crate) mod events;
pub(crate) mod head;
pub(crate) mod history;
pub(crate) mod listing;
pub(crate) mod newest;
pub(crate) mod object;
pub(crate) mod path;
pub(crate) mod related;
pub(crate) mod rows;
pub(crate) mod table;
pub(crate) mod trail;
pub(crate) mod view;
pub(crate) mod yaml;
