//! Tests of the server by requests, in one program: to link one for each file took minutes.
//!
//! Those that decide which code is loaded have programs of their own beside it.

mod access;
mod admission;
mod aggregation;
mod apply;
mod audit;
mod bounds;
mod caches;
mod changes;
mod cluster_ips;
#[path = "../common/mod.rs"]
mod common;
mod concurrent;
mod conversion;
mod custom;
mod deadline;
mod fairness;
mod feature_gates;
mod flow_control;
mod fork;
mod garbage;
mod inspect;
mod instruments;
mod kinds;
mod model;
mod new_cluster;
mod openapi;
mod patch;
mod plugins;
mod policies;
mod requests;
mod restore;
mod secret_tokens;
mod services;
mod subresources;
mod unchanged;
mod watch;
