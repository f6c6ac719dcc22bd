//! Reading an answer.

pub(crate) mod against;
pub(crate) mod bytes;
pub(crate) mod chunk;
pub(crate) mod event;
pub(crate) mod find;
pub(crate) mod fold;
pub(crate) mod next;
mod raw;
pub(crate) mod representations;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod view;
pub(crate) mod waiting;
