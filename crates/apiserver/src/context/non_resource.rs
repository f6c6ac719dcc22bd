//! Requests for paths that are neither an object's nor a collection's: discovery, OpenAPI, health, version, metrics.

use http::{HeaderMap, Method};

use super::Shared;
use crate::answer::Outcome;
use crate::custom::Published;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::route::Route;
use apimachinery::query::Query;

/// A request for a path that is not an object's, nor a collection's.
pub(crate) struct NonResourceRequest<'a> {
    pub(crate) shared: &'a Shared,
    /// The resources that are served: the built-in ones, and those that CustomResourceDefinitions define.
    pub(crate) resources: &'a Resources,
    /// Returns the part of the definition of a custom resource that documents tell.
    pub(crate) published: &'a dyn Fn(&Resource) -> Option<Published>,
    pub(crate) route: &'a Route,
    /// The path as it was sent.
    pub(crate) path: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: &'a Query,
}

/// Responds to such a request.
pub(crate) type NonResourceHandler = fn(&NonResourceRequest<'_>) -> Outcome;
