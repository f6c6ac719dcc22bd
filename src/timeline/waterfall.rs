//! The request waterfall: every request, what it asked for, which revision served it and why, and when.

mod asked;
mod axis;
mod bar;
mod line;
mod opened;
mod rows;
mod scrolling;
mod sentence;
mod stage;
pub(crate) mod view;
