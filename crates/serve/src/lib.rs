//! The Kubeglass API server behind native HTTP/1.1 and HTTP/2 without TLS: what `kubeglass serve` runs.
//!
//! This crate adds what [`apiserver`] leaves out on purpose: sockets, the machine's clock and randomness, a token
//! file, and signals. It decides nothing about Kubernetes.
#![deny(missing_docs)]

pub mod args;
pub mod exchange;
mod gzip;
pub mod machine;
pub mod server;
pub mod tokens;
mod websocket;

pub use args::{Command, Options};
pub use server::{Error, Server};
