//! Reading an answer.

pub(crate) mod fold;
pub(crate) mod status;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod view;
