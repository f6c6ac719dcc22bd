//! The request waterfall: every request, when it was sent, and what served it.

pub(crate) mod view;
