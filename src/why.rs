//! Why a request failed, what a client does next, and the button that does it.

mod conflict;
pub(crate) mod view;
