//! The cells of tables.

pub(crate) mod admission;
pub(crate) mod autoscaling;
pub(crate) mod cluster;
pub(crate) mod event;
pub(crate) mod network;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod rbac;
pub(crate) mod storage;
pub(crate) mod workload;
