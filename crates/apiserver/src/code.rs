//! Code that a host loads when it is first needed.
//!
//! The code of an API server is large, and much of it is needed seldom. A host that has to be small begins without the
//! [`Chunk`]s: it hands in [`Formats::LATE`](crate::Formats::LATE), [`Validation::LATE`](crate::Validation::LATE) and
//! [`Writes::LATE`](crate::Writes::LATE), which look for the code of a chunk where [`provide_media_types`] and its like have put it.
//! Before it passes a request on, it asks [`ApiServer::missing`] which chunks the request needs that are not there, and loads them.
//!
//! Nothing is skipped for want of code: what is reached without its chunk is an error.

use bytes::Bytes;
use http::{Method, Request, Response};

use crate::answer::Answer;
use crate::chunk::address;
use crate::context::{self, ApiServer, NonResourceHandler, Writes};
use crate::documents::{self, Documents};
use crate::dynamic_admission;
use crate::format::{self, Codec, LateMediaTypes, MediaTypes, Tables};
use crate::registry::validation::{self, Expressions, Workloads};
use crate::route::{Route, Target};
use crate::{
    Body, auth, conversion, convert, discovery, expressions, handlers, negotiate, openapi, subresource,
};
use apimachinery::status::Status;
use kinds::kind::Subresource;
use kinds::validate;

pub use crate::chunk::Chunk;

impl Chunk {
    /// Reports whether the code of the chunk is loaded.
    pub fn is_there(self) -> bool {
        match self {
            Self::MediaTypes => format::MEDIA_TYPES.is_there(),
            Self::Tables => format::TABLES.is_there(),
            Self::Discovery => context::DISCOVERY.is_there(),
            Self::OpenApi => context::OPENAPI.is_there(),
            Self::Writes => context::WRITES.is_there(),
            Self::Workloads => validation::WORKLOADS.is_there(),
            Self::Validation => validation::OTHERS.is_there(),
            Self::Expressions => validation::EXPRESSIONS.is_there(),
            Self::Webhooks => context::CONVERTER.is_there(),
            Self::Documents => documents::DOCUMENTS.is_there(),
        }
    }
}

/// Puts the code of [`Chunk::MediaTypes`] where it is looked for. Only this function leads to it, and so with the others.
pub fn provide_media_types() {
    format::MEDIA_TYPES.provide(LateMediaTypes::provided);
}

/// Puts the code of [`Chunk::Tables`] where it is looked for.
pub fn provide_tables() {
    format::TABLES.provide(Tables::provided);
}

/// Puts the code of [`Chunk::Discovery`] where it is looked for.
pub fn provide_discovery() {
    context::DISCOVERY.provide(|| address(discovery::answer as NonResourceHandler));
}

/// Puts the code of [`Chunk::OpenApi`] where it is looked for.
pub fn provide_openapi() {
    context::OPENAPI.provide(|| address(openapi::build));
}

/// Puts the code of [`Chunk::Writes`] where it is looked for.
pub fn provide_writes() {
    validation::BASICS.provide(|| address(validate::basics));
    format::JSON.provide(Codec::json);
    context::WRITES.provide(Writes::provided);
    convert::provide();
}

/// Puts the code of [`Chunk::Workloads`] where it is looked for.
pub fn provide_workloads() {
    validation::WORKLOADS.provide(Workloads::provided);
}

/// Puts the code of [`Chunk::Validation`] where it is looked for.
pub fn provide_validation() {
    validation::OTHERS.provide(|| address(validate::others));
}

/// Puts the code of [`Chunk::Expressions`] where it is looked for.
pub fn provide_expressions() {
    expressions::EVALUATE.provide(|| address(expressions::evaluate));
    validation::EXPRESSIONS.provide(Expressions::provided);
}

/// Puts the code of [`Chunk::Webhooks`] where it is looked for.
pub fn provide_webhooks() {
    dynamic_admission::webhook::provide();
    handlers::provide_conversion();
    context::CONVERTER.provide(|| address(conversion::converter));
}

/// Puts the code of [`Chunk::Documents`] where it is looked for.
pub fn provide_documents() {
    documents::DOCUMENTS.provide(Documents::provided);
}

/// Returns the code of [`Chunk::Documents`], if it is there.
pub fn documents() -> Option<&'static Documents> {
    documents::DOCUMENTS.get().ok()
}

impl ApiServer {
    /// Returns the response to a request that needs a chunk which could not be loaded: 503, and that it can be sent again.
    pub fn not_loaded(&self, chunk: Chunk, why: &str) -> Response<Body> {
        let message = format!(
            "the part of the API server for {} could not be loaded: {why}; the request was not handled and can be sent again",
            chunk.name()
        );
        let output = negotiate::raw(MediaTypes::JSON);
        Answer::failure(&Status::service_unavailable(&message), output).into_response()
    }

    /// Returns the chunks that have to be there before `request` is passed on and are not.
    ///
    /// | request | chunk |
    /// | --- | --- |
    /// | anything but a GET and a HEAD; of these, for a scale, a log or the status of a component, and what connects to a pod, a service or a node | writes |
    /// | a GET of what is shown in another form than it is stored in | writes |
    /// | of what writes: to a built-in kind | the one that its validation is in |
    /// | of those: to a namespace, whose labels may be about its pods | workloads |
    /// | of those: to a custom resource, and all where there are admission policies | expressions |
    /// | of those: to the configurations of webhooks, and all where there are some; to custom objects that a webhook converts, and to read them | webhooks |
    /// | with a body that is not JSON, or that is applied or merged strategically; whose response may not be JSON | media types |
    /// | whose response may be a table | tables |
    /// | for a path that is not an object's, nor a collection's | discovery |
    /// | in somebody else's name | writes |
    /// | for `/openapi/` | OpenAPI |
    pub fn missing(&self, request: &Request<Bytes>) -> Vec<Chunk> {
        let formats = self.shared.config.formats.media_types;
        if !formats.late {
            return Vec::new();
        }
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        let path = request.uri().path();
        let route = Route::of(path, &self.shared.resources());
        let mut needed = match &route {
            Route::Resource(target) if !reads => self.written_with(request.method(), target),
            Route::Resource(target) => match subresource::find(target) {
                Some(Subresource::Action(action)) if action.connects() => {
                    self.written_with(request.method(), target)
                }
                Some(Subresource::Action(_) | Subresource::Scale) => vec![Chunk::Writes],
                Some(Subresource::Part) | None if kinds::conversion::is_shown_otherwise(&target.resource) => {
                    vec![Chunk::Writes]
                }
                Some(Subresource::Part) | None => Vec::new(),
            },
            _ => vec![Chunk::Discovery],
        };
        if let Route::Resource(target) = &route
            && self.shared.webhooks.caller().is_some()
            && target.resource.converted().is_some()
        {
            needed.push(Chunk::Webhooks);
        }
        if negotiate::wants_other(formats, request.headers())
            || !reads && negotiate::reads_other(formats, request.headers())
        {
            needed.push(Chunk::MediaTypes);
        }
        if negotiate::names_tables(request.headers()) {
            needed.push(Chunk::Tables);
        }
        if auth::impersonates(request.headers()) {
            needed.push(Chunk::Writes);
        }
        if path.starts_with("/openapi/") {
            needed.push(Chunk::OpenApi);
        }
        Chunk::ALL.into_iter().filter(|chunk| needed.contains(chunk) && !chunk.is_there()).collect()
    }

    /// Returns the chunks that it takes to write to `target`.
    fn written_with(&self, method: &Method, target: &Target) -> Vec<Chunk> {
        let row = &target.resource;
        let mut needed = vec![Chunk::Writes];
        needed.push(match row.custom() {
            Some(_) => Chunk::Expressions,
            None => validation::chunk_of(&row.group, &row.name),
        });
        // A namespace is new, or has pods that its new labels are about.
        if row.name == "namespaces" && *method != Method::POST {
            needed.push(Chunk::Workloads);
        }
        if dynamic_admission::policy::are_bound(&self.shared.storage()) {
            needed.push(Chunk::Expressions);
        }
        if self.shared.webhooks.caller().is_some() {
            let are_configured = dynamic_admission::webhook::are_configured(&self.shared.storage());
            needed.extend(
                (are_configured || dynamic_admission::webhook::configures(row)).then_some(Chunk::Webhooks),
            );
            // Their conditions are expressions.
            needed.extend(are_configured.then_some(Chunk::Expressions));
        }
        needed
    }
}
