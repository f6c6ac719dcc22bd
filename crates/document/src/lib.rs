//! Documents whose examples run: the blocks of a page of Markdown, the requests in them, what they assume of a cluster, and
//! how the responses differ from what is documented.
//!
//! A page is [read](markdown::read) into HTML and [blocks](block::Block). A [`Runner`] makes the scene that the examples assume
//! in the cluster that a host gives it ([`Server`]), and runs blocks, each as often as somebody wants. Nothing here does I/O.
#![deny(missing_docs)]

pub mod arrange;
pub mod block;
mod body;
pub mod command;
pub mod compare;
pub mod draft;
pub mod examples;
mod html;
pub mod http;
pub mod json;
pub mod kinds;
pub mod lesson;
pub mod markdown;
pub mod message;
pub mod names;
pub mod needs;
pub mod outcome;
pub mod pattern;
mod plain;
pub mod run;
pub mod scene;
mod server;
mod shortcode;
mod watch;
mod words;

pub use lesson::Lesson;
pub use run::Runner;
pub use scene::Scene;
pub use server::{Evaluation, Server};
