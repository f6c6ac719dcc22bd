//! Code that a host loads when it is first needed.
//!
//! The code of an API server is large, and much of it is needed seldom. A host that has to be small begins without the
//! [`Chunk`]s: it hands in [`Formats::LATE`](crate::Formats::LATE) and [`Validation::LATE`](crate::Validation::LATE), which look
//! for the code of a chunk where [`provide_media_types`] and its like have put it. Before it passes a request on, it asks
//! [`ApiServer::missing`] which chunk the request needs that is not there, and loads it.
//!
//! Nothing is skipped for want of code: what is reached without its chunk is an error.

use std::sync::OnceLock;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request, Response};

use crate::answer::Answer;
use crate::documents::Documents;
use crate::format::{Codec, Format, Formats, Tables, strategic};
use crate::handlers::{Kind, Writes};
use crate::openapi::Build;
use crate::route::{Route, Target};
use crate::status::Status;
use crate::validation::{self, BuiltIn, Expressions, Workloads};
use crate::{ApiServer, Body, custom, discovery, handlers, negotiate, policy};

/// A part of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// YAML, Protobuf and CBOR, and strategic merge patches.
    MediaTypes,
    /// Tables, as `kubectl get` shows them.
    Tables,
    /// Discovery, and what else the server tells of itself.
    Discovery,
    /// The documents of OpenAPI.
    OpenApi,
    /// The handlers of writes and of what is no object, reading JSON, following definitions, and the validation of what is
    /// written most often.
    Writes,
    /// The validation of pods and of what has a template of pods.
    Workloads,
    /// The validation of the other built-in kinds that need no CEL.
    Validation,
    /// The validation of custom resources and of kinds with expressions in them, and admission policies, and expressions
    /// that stand alone: all that has to do with CEL.
    Expressions,
    /// Documents for people to look at, see [`documents`](crate::documents).
    Documents,
}

impl Chunk {
    /// All of them, in the order in which somebody is most likely to need them.
    pub const ALL: [Self; 9] = [
        Self::Writes,
        Self::Workloads,
        Self::Validation,
        Self::Expressions,
        Self::MediaTypes,
        Self::Tables,
        Self::Discovery,
        Self::Documents,
        Self::OpenApi,
    ];

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::MediaTypes => "media types",
            Self::Tables => "tables",
            Self::Discovery => "discovery",
            Self::OpenApi => "OpenAPI",
            Self::Writes => "writes",
            Self::Workloads => "workloads",
            Self::Validation => "validation",
            Self::Expressions => "expressions",
            Self::Documents => "documents",
        }
    }

    /// Returns whether it is there.
    pub fn is_there(self) -> bool {
        match self {
            Self::MediaTypes => MEDIA_TYPES.get().is_some(),
            Self::Tables => TABLES.get().is_some(),
            Self::Discovery => DISCOVERY.get().is_some(),
            Self::OpenApi => OPENAPI.get().is_some(),
            Self::Writes => WRITES.get().is_some(),
            Self::Workloads => WORKLOADS.get().is_some(),
            Self::Validation => OTHERS.get().is_some(),
            Self::Expressions => EXPRESSIONS.get().is_some(),
            Self::Documents => DOCUMENTS.get().is_some(),
        }
    }
}

/// The code of [`Chunk::MediaTypes`].
pub(crate) struct MediaTypes {
    pub(crate) yaml: Codec,
    pub(crate) protobuf: Codec,
    pub(crate) cbor: Codec,
    pub(crate) strategic: strategic::Merge,
}

/// The code of [`Chunk::Writes`].
pub(crate) struct WriteCode {
    pub(crate) writes: Writes,
    pub(crate) basics: BuiltIn,
    pub(crate) json: Codec,
}

/// Keeps the address of a function in the code that provides it: in a table of constants it would be data, which belongs
/// to no chunk, and would lead to the function from everywhere.
pub(crate) fn address<F: Copy>(function: F) -> F {
    std::hint::black_box(function)
}

static MEDIA_TYPES: OnceLock<MediaTypes> = OnceLock::new();
static TABLES: OnceLock<Tables> = OnceLock::new();
static DISCOVERY: OnceLock<discovery::Answers> = OnceLock::new();
static OPENAPI: OnceLock<Build> = OnceLock::new();
static WRITES: OnceLock<WriteCode> = OnceLock::new();
static WORKLOADS: OnceLock<Workloads> = OnceLock::new();
static OTHERS: OnceLock<BuiltIn> = OnceLock::new();
static EXPRESSIONS: OnceLock<Expressions> = OnceLock::new();
static DOCUMENTS: OnceLock<Documents> = OnceLock::new();

/// Puts the code of [`Chunk::MediaTypes`] where it is looked for. Only this function leads to it, and so with the others.
pub fn provide_media_types() {
    MEDIA_TYPES.get_or_init(MediaTypes::provided);
}

/// Puts the code of [`Chunk::Tables`] where it is looked for.
pub fn provide_tables() {
    TABLES.get_or_init(Tables::provided);
}

/// Puts the code of [`Chunk::Discovery`] where it is looked for.
pub fn provide_discovery() {
    DISCOVERY.get_or_init(|| address(discovery::answer as discovery::Answers));
}

/// Puts the code of [`Chunk::OpenApi`] where it is looked for.
pub fn provide_openapi() {
    OPENAPI.get_or_init(|| address(crate::openapi::build));
}

/// Puts the code of [`Chunk::Writes`] where it is looked for.
pub fn provide_writes() {
    WRITES.get_or_init(|| WriteCode {
        writes: Writes::provided(),
        basics: address(validation::basics),
        json: Codec::json(),
    });
}

/// Puts the code of [`Chunk::Workloads`] where it is looked for.
pub fn provide_workloads() {
    WORKLOADS.get_or_init(Workloads::provided);
}

/// Puts the code of [`Chunk::Validation`] where it is looked for.
pub fn provide_validation() {
    OTHERS.get_or_init(|| address(validation::others));
}

/// Puts the code of [`Chunk::Expressions`] where it is looked for.
pub fn provide_expressions() {
    EXPRESSIONS.get_or_init(Expressions::provided);
}

/// Puts the code of [`Chunk::Documents`] where it is looked for.
pub fn provide_documents() {
    DOCUMENTS.get_or_init(Documents::provided);
}

/// The error of what is reached without its code. A host that asks before is never told.
pub(crate) fn not_loaded(chunk: Chunk) -> String {
    ["a part of the API server is not loaded: ", chunk.name()].concat()
}

pub(crate) fn media_types() -> Result<&'static MediaTypes, String> {
    MEDIA_TYPES.get().ok_or_else(|| not_loaded(Chunk::MediaTypes))
}

pub(crate) fn tables() -> Result<&'static Tables, String> {
    TABLES.get().ok_or_else(|| not_loaded(Chunk::Tables))
}

pub(crate) fn discovery() -> Result<&'static discovery::Answers, String> {
    DISCOVERY.get().ok_or_else(|| not_loaded(Chunk::Discovery))
}

pub(crate) fn openapi() -> Result<&'static Build, String> {
    OPENAPI.get().ok_or_else(|| not_loaded(Chunk::OpenApi))
}

pub(crate) fn writes() -> Result<&'static WriteCode, String> {
    WRITES.get().ok_or_else(|| not_loaded(Chunk::Writes))
}

pub(crate) fn workloads() -> Result<&'static Workloads, String> {
    WORKLOADS.get().ok_or_else(|| not_loaded(Chunk::Workloads))
}

pub(crate) fn others() -> Result<&'static BuiltIn, String> {
    OTHERS.get().ok_or_else(|| not_loaded(Chunk::Validation))
}

pub(crate) fn expressions() -> Result<&'static Expressions, String> {
    EXPRESSIONS.get().ok_or_else(|| not_loaded(Chunk::Expressions))
}

/// Returns the code of [`Chunk::Documents`], if it is there.
pub fn documents() -> Option<&'static Documents> {
    DOCUMENTS.get()
}

impl ApiServer {
    /// Returns the response to a request that needs a chunk which could not be loaded: 503, and that it can be sent again.
    pub fn not_loaded(&self, chunk: Chunk, why: &str) -> Response<Body> {
        let message = format!(
            "the part of the API server for {} could not be loaded: {why}; the request was not handled and can be sent again",
            chunk.name()
        );
        let output = negotiate::raw(Formats::JSON);
        Answer::failure(&Status::service_unavailable(&message), output).into_response()
    }

    /// Returns the chunks that have to be there before `request` is passed on and are not.
    ///
    /// | request | chunk |
    /// | --- | --- |
    /// | anything but a GET and a HEAD; of these, for a scale, a log or the status of a component, and what connects to a pod, a service or a node | writes |
    /// | of those: to a built-in kind | the one that its validation is in |
    /// | of those: to a namespace, whose labels may be about its pods | workloads |
    /// | of those: to a custom resource, and all where there are admission policies | expressions |
    /// | with a body that is not JSON, or that is applied or merged strategically; whose response may not be JSON | media types |
    /// | whose response may be a table | tables |
    /// | for a path that is not an object's, nor a collection's | discovery |
    /// | for `/openapi/` | OpenAPI |
    pub fn missing(&self, request: &Request<Bytes>) -> Vec<Chunk> {
        let formats = self.shared.config.formats;
        if !formats.late {
            return Vec::new();
        }
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        let path = request.uri().path();
        let mut needed = match Route::of(path, &self.shared.resources()) {
            Route::Resource(target) if !reads => self.written_with(request.method(), &target),
            Route::Resource(target) => match handlers::kind_of(&target) {
                Some(Kind::Action(action)) if action.connects() => {
                    self.written_with(request.method(), &target)
                }
                Some(Kind::Action(_) | Kind::Scale) => vec![Chunk::Writes],
                Some(Kind::Part) | None => Vec::new(),
            },
            _ => vec![Chunk::Discovery],
        };
        if negotiate::names_other(formats, request.headers(), ACCEPT)
            || !reads && negotiate::names_other(formats, request.headers(), CONTENT_TYPE)
        {
            needed.push(Chunk::MediaTypes);
        }
        if negotiate::names_tables(request.headers()) {
            needed.push(Chunk::Tables);
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
        needed.push(match custom::of(row) {
            Some(_) => Chunk::Expressions,
            None => validation::chunk_of(&row.group, &row.name),
        });
        // A namespace is new, or has pods that its new labels are about.
        if row.name == "namespaces" && *method != Method::POST {
            needed.push(Chunk::Workloads);
        }
        if policy::are_bound(&self.shared.storage()) {
            needed.push(Chunk::Expressions);
        }
        needed
    }
}

impl Formats {
    /// All that kube-apiserver speaks, with the code of JSON alone: that of the others is looked for where it was put.
    pub const LATE: Self = Self {
        all: &[Format::JSON_LATE, Format::YAML_LATE, Format::PROTOBUF_LATE, Format::CBOR_LATE],
        tables: Some(Tables::LATE),
        discovery: |question| discovery().map_err(Status::internal_error)?(question),
        openapi: Some(|name, customs| openapi()?(name, customs)),
        strategic: |ty, original, patch| match media_types() {
            Ok(code) => (code.strategic)(ty, original, patch),
            Err(why) => strategic::Merged::failed(why),
        },
        gzip: None,
        late: true,
    };
}
