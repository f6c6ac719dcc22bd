//! The kinds of the group flowcontrol.apiserver.k8s.io.

mod common;
pub(crate) mod flow_schema;
pub mod initial;
pub(crate) mod priority_level_configuration;

pub(crate) use flow_schema::FlowSchema;
pub(crate) use priority_level_configuration::PriorityLevelConfiguration;
