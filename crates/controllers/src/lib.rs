#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod budget;
mod change;
mod claim;
mod client;
mod control;
mod controller;
mod deployment;
mod discovery;
mod endpoint_slices;
mod error;
mod events;
mod expectations;
mod garbage_collector;
mod hash;
mod informer;
mod job;
mod kubelet;
mod manager;
mod namespace;
mod object;
mod options;
mod pace;
mod part;
mod pod;
mod pods;
mod queue;
mod recent;
mod replica_set;
mod resource;
mod root_ca;
mod scheduler;
mod selection;
mod service_account;
mod store;
mod table;
mod ttl_after_finished;

pub use control::Control;
pub use manager::Manager;
pub use options::{Latencies, MOST_NODES, Options};
pub use selection::{Selection, SelectionError};
