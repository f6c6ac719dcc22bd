//! The kinds of the group apps.

pub(crate) mod controller_revision;
pub(crate) mod daemon_set;
pub(crate) mod deployment;
pub(crate) mod replica_set;
pub(crate) mod stateful_set;

pub(crate) use controller_revision::ControllerRevision;
pub(crate) use daemon_set::{DaemonSet, TEMPLATE_GENERATION};
pub(crate) use deployment::{Deployment, ROLLBACK_TO};
pub(crate) use replica_set::ReplicaSet;
pub(crate) use stateful_set::StatefulSet;
