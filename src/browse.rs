//! The Cluster view: the objects of a kind as a table, and an object's page.

mod collection;
mod events;
mod exec;
mod head;
mod history;
mod listing;
mod logs;
mod newest;
mod object;
mod path;
mod related;
mod rows;
mod table;
mod trail;
pub(crate) mod view;
mod yaml;
