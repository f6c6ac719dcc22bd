#![doc = include_str!("../README.md")]
//!
//! # Where things are
//!
//! | what | where |
//! | --- | --- |
//! | a cluster, its clock, compaction, forks, objects | [`Cluster`], which [`Builder`] makes |
//! | clients in the same program | [`Client`], a service of [`tower`](tower_service::Service) |
//! | lag, partitions, faults, broken watches | [`ApiServer`] |
//! | what happened | [`Trace`], and the types of its events in [`trace`] |
//! | controllers that work on it | [`Controllers`], which [`Cluster::controllers`] makes; with nodes and a scheduler [`ControllersBuilder`] |
//! | manifests | [`Cluster::apply`] |
//! | clients in other programs | [`Cluster::serve`], with the feature `serve`, which is on unless it is switched off |
#![deny(missing_docs)]

mod api_server;
mod body;
mod builder;
mod client;
mod cluster;
mod controllers;
mod error;
#[cfg(feature = "serve")]
mod listening;
mod manifest;
pub mod trace;
mod webhooks;

pub use api_server::ApiServer;
pub use apiserver::{Compaction, User};
pub use body::ResponseBody;
pub use builder::Builder;
pub use client::Client;
pub use clock::ManualClock;
pub use cluster::Cluster;
pub use controllers::{Controllers, ControllersBuilder};
pub use error::{CallError, Error};
#[cfg(feature = "serve")]
pub use listening::ServeHandle;
pub use protocol::trace::Fault;
pub use trace::Trace;
