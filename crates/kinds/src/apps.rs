//! The kinds of the group apps.

mod annotation;
pub(crate) mod controller_revision;
pub(crate) mod daemon_set;
pub(crate) mod deployment;
pub(crate) mod replica_set;
pub(crate) mod stateful_set;

pub use annotation::read_number;
pub(crate) use controller_revision::ControllerRevision;
pub(crate) use daemon_set::DaemonSet;
pub(crate) use daemon_set::TEMPLATE_GENERATION;
pub(crate) use deployment::Deployment;
pub(crate) use deployment::ROLLBACK_TO;
pub(crate) use replica_set::ReplicaSet;
pub(crate) use stateful_set::StatefulSet;
