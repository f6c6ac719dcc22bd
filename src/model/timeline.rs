//! The model of the timeline: which watch was sent what, and how two versions of an object differ.

pub(crate) mod diff;
pub(crate) mod lines;
pub(crate) mod ownership;
pub(crate) mod reason;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod tracks;
