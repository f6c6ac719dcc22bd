//! Writing documents: of what was sent, and by hand.

pub(crate) mod dialog;
mod done;
pub(crate) mod edit;
pub(crate) mod share;
