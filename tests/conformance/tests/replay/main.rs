//! The replayer itself, against servers that are played.
#![allow(
    clippy::needless_pass_by_value,
    reason = "tables of values read better without an ampersand before each"
)]

mod playback;
mod scripted;
