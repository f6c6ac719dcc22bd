//! Requests for paths that are neither an object's nor a collection's: discovery, OpenAPI, health, version, metrics.

use std::sync::Arc;

use http::{HeaderMap, Method};
use json_tree::Value;
use schema::Resource;

use super::Shared;
use crate::answer::Outcome;
use crate::route::Route;
use apimachinery::query::Query;

/// A request for a path that is not an object's, nor a collection's.
pub(crate) struct NonResourceRequest<'a> {
    pub(crate) shared: &'a Shared,
    /// The resources that are served: the built-in ones, and those that CustomResourceDefinitions define.
    pub(crate) resources: &'a [Arc<Resource>],
    /// The schema of a custom resource, and the fields by which it is selected: what its CustomResourceDefinition says in
    /// `openAPIV3Schema` and in `selectableFields` of that version.
    pub(crate) custom: &'a dyn Fn(&Resource) -> Option<(Value, Vec<String>)>,
    pub(crate) route: &'a Route,
    /// The path as it was sent.
    pub(crate) path: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: &'a Query,
}

/// Responds to such a request.
pub(crate) type NonResourceHandler = fn(&NonResourceRequest<'_>) -> Outcome;
