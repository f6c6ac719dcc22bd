//! The kinds of the group apiextensions.k8s.io.

pub mod custom_resource_definition;

pub(crate) use custom_resource_definition::CustomResourceDefinition;
