//! Access control: acting as somebody else, which rule has decided on a request, and the role that would allow it.

pub(crate) mod switch;
pub(crate) mod view;
pub(crate) mod who;
