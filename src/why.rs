//! Why a request failed, what a client does next, and the button that does it.

pub(crate) mod conflict;
pub(crate) mod view;
