//! The request waterfall: every request, what it asked for, which revision served it and why, and when.

mod asked;
mod axis;
mod bar;
mod curl;
mod rows;
mod sentence;
pub(crate) mod view;
mod window;
