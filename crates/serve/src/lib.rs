//! The Kubeglass API server behind native HTTP/1.1 and HTTP/2, with TLS or without: what `kubeglass serve` runs.
//!
//! This crate has the parts that [`apiserver`] leaves out on purpose: sockets, the machine's clock and randomness, a token
//! file, and signals. It decides nothing about Kubernetes.
#![deny(missing_docs)]

mod accept;
mod aggregation;
pub mod args;
pub mod audit;
mod body;
mod connection;
mod connections;
mod controllers;
mod cors;
mod dial;
pub mod doc;
pub mod envtest;
pub mod etcd;
mod exchange;
mod glass;
mod guard;
mod gzip;
mod head;
mod identity;
pub mod issuer;
pub mod kubeconfig;
mod ledger;
pub mod limits;
mod lingering;
pub mod log;
pub mod oidc;
mod origin;
mod own_client;
mod pool;
mod print;
mod private_file;
mod process;
mod published;
mod record;
mod request_body;
mod request_log;
pub mod server;
pub mod tls;
pub mod tokens;
mod ui;
mod upgrade;
mod webhooks;
mod websocket;
pub mod workshop;

pub use args::{Command, Options};
pub use dial::ServiceAddress;
pub use pool::tidy_up_by;
pub use print::{Error as PrintError, print};
pub use server::{Error, Server};
