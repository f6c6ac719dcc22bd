//! The protocol between an engine and whoever drives it: a page that has its engine in a worker, a program that has it in
//! a process.
//!
//! The client sends [`ToEngine`], the engine sends [`FromEngine`], both as [`packet`]s: several messages with their
//! payloads as one piece of bytes. Requests and responses carry HTTP; [`command::Command`]s do to a cluster what no API
//! can; the [`trace`] says what happens. Whatever carries packets has to keep their order.
#![deny(missing_docs)]

pub mod client;
pub mod command;
pub mod controllers;
pub mod document;
mod json;
pub mod message;
pub mod packet;
pub mod trace;
pub mod watch;
pub mod webhook;

pub use message::{FromEngine, ToEngine};

/// The version of the protocol. It changes whenever an older reader could misread a message.
pub const VERSION: u8 = 4;
