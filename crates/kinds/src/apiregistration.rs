//! The kinds of the group apiregistration.k8s.io.

pub mod api_service;

pub(crate) use api_service::APIService;
