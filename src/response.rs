//! Reading an answer.

mod against;
mod bytes;
pub(crate) mod chunk;
mod event;
mod find;
mod fold;
pub(crate) mod next;
mod raw;
mod representations;
pub(crate) mod table;
mod tree;
pub(crate) mod view;
mod waiting;
mod webhooks;
