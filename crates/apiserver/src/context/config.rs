//! The configuration of a server, handed in by its host.

use std::fmt;
use std::sync::Arc;

use apimachinery::Attributes;
use futures::future::BoxFuture;
use http::HeaderMap;
use protocol::command::Backup;

use super::{ApiServer, NonResourceHandler, RequestContext, Shared};
use crate::answer::Outcome;
use crate::chunk::{Chunk, Late};
use crate::clock::{Clock, Random};
use crate::format::{Gzip, MediaTypes};
use crate::openapi::Build;
use crate::storage::{Compaction, Define, Sources};
use crate::user::Impersonated;
use crate::validation::Validation;
use admission::Plugins;
use apimachinery::User;
use apimachinery::status::Status;
use kinds::kind::Action;

/// The revision of the first write of a cluster for which nothing else is said. Each object that is in it before has a revision of
/// its own.
pub const FIRST_REVISION: u64 = 300;

/// The least number of seconds that a watch lives where nothing else is said.
pub const MIN_REQUEST_TIMEOUT: u32 = 1800;

/// The configuration of a server.
pub struct Config {
    /// The time of the cluster.
    pub clock: Arc<dyn Clock>,
    /// The source of uids and generated names.
    pub random: Arc<dyn Random>,
    /// The revision of the first write of the new cluster, but for what is in every cluster before it begins: that is
    /// written at the revisions before, or all of it at one if there are too few. The documentation's examples begin at 10245.
    pub first_revision: u64,
    /// The user of each bearer token. `None`: no token is asked for, and everybody is `admin`.
    pub tokens: Option<Vec<(String, User)>>,
    /// True if all is allowed that no rule allows, and nobody is anonymous: the authorization mode `AlwaysAllow`.
    pub always_allows: bool,
    /// Which media types it speaks.
    pub formats: Formats,
    /// The features that are on.
    pub feature_gates: FeatureGates,
    /// The admission plugins that run.
    pub plugins: Plugins,
    /// How it validates objects.
    pub validation: Validation,
    /// How it handles writes.
    pub writes: Writes,
    /// How long history is kept.
    pub compaction: Compaction,
    /// The least number of seconds that a watch without `timeoutSeconds` lives; up to as many again are added at random. 0: it has no
    /// end.
    pub min_request_timeout: u32,
}

impl Config {
    /// A server with all code, that begins at [`FIRST_REVISION`], asks for no tokens, and forgets as kube-apiserver does by default.
    pub fn new(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            clock,
            random,
            first_revision: FIRST_REVISION,
            tokens: None,
            always_allows: false,
            formats: Formats::ALL,
            feature_gates: FeatureGates::default(),
            plugins: Plugins::default(),
            validation: Validation::HERE,
            writes: Writes::HERE,
            compaction: Compaction::default(),
            min_request_timeout: MIN_REQUEST_TIMEOUT,
        }
    }

    /// Returns the time and the randomness of what the server writes by itself.
    pub(crate) fn sources(&self) -> Sources<'_> {
        Sources { clock: self.clock.as_ref(), random: self.random.as_ref() }
    }

    /// The same, with other random numbers.
    pub(crate) fn with_random(&self, random: Arc<dyn Random>) -> Self {
        Self {
            clock: Arc::clone(&self.clock),
            random,
            first_revision: self.first_revision,
            tokens: self.tokens.clone(),
            always_allows: self.always_allows,
            formats: self.formats,
            feature_gates: self.feature_gates,
            plugins: self.plugins,
            validation: self.validation,
            writes: self.writes,
            compaction: self.compaction,
            min_request_timeout: self.min_request_timeout,
        }
    }
}

/// The features that can be on or off. All others are as v1.36 has them by default.
///
/// <https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureGates {
    /// `CBORServingAndStorage`: objects are read and written in CBOR, too, if that is among the [`Formats`].
    pub cbor_serving_and_storage: bool,
    /// `AllowUnsafeMalformedObjectDeletion`: an object that cannot be read can be deleted all the same.
    pub allow_unsafe_malformed_object_deletion: bool,
}

/// All that there are, on: what a server can do is there to be seen.
impl Default for FeatureGates {
    fn default() -> Self {
        Self { cbor_serving_and_storage: true, allow_unsafe_malformed_object_deletion: true }
    }
}

impl FeatureGates {
    /// The features that v1.36 has on by default.
    pub const V1_36: Self =
        Self { cbor_serving_and_storage: false, allow_unsafe_malformed_object_deletion: false };
}

/// The media types that a server speaks, and the documents in which it describes itself.
#[derive(Clone, Copy)]
pub struct Formats {
    /// The media types of objects.
    pub(crate) media_types: MediaTypes,
    /// How paths that are not an object's are answered.
    pub(crate) discovery: NonResourceHandler,
    /// How documents of OpenAPI are made, if they are.
    pub(crate) openapi: Option<Build>,
}

impl Formats {
    /// All that kube-apiserver speaks, with the code of JSON alone: that of the others is looked for where it was put, see
    /// [`code`](crate::code).
    pub const LATE: Self = Self {
        media_types: MediaTypes::LATE,
        discovery: |question| DISCOVERY.get().map_err(Status::internal_error)?(question),
        openapi: Some(|asked| OPENAPI.get()?(asked)),
    };

    /// The same, with large answers compressed for whoever wants that.
    pub const fn with_gzip(self, gzip: Gzip) -> Self {
        Self { media_types: MediaTypes { gzip: Some(gzip), ..self.media_types }, ..self }
    }
}

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.media_types.fmt(f)
    }
}

/// The slot for the code of [`Chunk::Discovery`].
pub(crate) static DISCOVERY: Late<NonResourceHandler> = Late::new(Chunk::Discovery);
/// The slot for the code of [`Chunk::OpenApi`].
pub(crate) static OPENAPI: Late<Build> = Late::new(Chunk::OpenApi);
/// The slot for the handlers of [`Chunk::Writes`].
pub(crate) static WRITES: Late<Writes> = Late::new(Chunk::Writes);

/// Finds out in whose name a request of a user is sent, and is not remembered if it is only looked.
pub(crate) type Impersonate =
    fn(&Shared, User, &HeaderMap, &Attributes, bool) -> Result<Impersonated, Box<Status>>;

/// How a server handles writes, and what else is seldom asked for.
#[derive(Clone, Copy)]
pub struct Writes {
    /// Handles the verbs that write an object.
    pub(crate) write: for<'a> fn(&'a RequestContext<'_>, &'a str) -> BoxFuture<'a, Outcome>,
    /// Handles `deletecollection`.
    pub(crate) delete_collection: for<'a> fn(&'a RequestContext<'_>) -> BoxFuture<'a, Outcome>,
    /// Handles requests that are about something other than a stored object.
    pub(crate) act: for<'a> fn(&'a RequestContext<'_>, Action) -> BoxFuture<'a, Outcome>,
    /// Handles a GET of a subresource that shows the object as another kind.
    pub(crate) get_view: for<'a> fn(&'a RequestContext<'_>) -> BoxFuture<'a, Outcome>,
    /// Finds out in whose name a request is sent whose headers say so.
    pub(crate) impersonate: Impersonate,
    /// Follows CustomResourceDefinitions and FlowSchemas.
    pub(crate) define: Define,
    /// Provides the code that shows stored objects in other versions: [`SHOW`](crate::convert::SHOW).
    pub(crate) prepare: fn(),
    /// Makes a cluster from a backup.
    pub(crate) restore: fn(&ApiServer, Backup) -> Result<ApiServer, String>,
}

impl Writes {
    /// By code that is looked for where it was put: see [`code`](crate::code). Without that, nothing is written.
    pub const LATE: Self = Self {
        write: |context, verb| match late() {
            Ok(writes) => (writes.write)(context, verb),
            Err(status) => refused(status),
        },
        delete_collection: |context| match late() {
            Ok(writes) => (writes.delete_collection)(context),
            Err(status) => refused(status),
        },
        act: |context, action| match late() {
            Ok(writes) => (writes.act)(context, action),
            Err(status) => refused(status),
        },
        get_view: |context| match late() {
            Ok(writes) => (writes.get_view)(context),
            Err(status) => refused(status),
        },
        impersonate: |shared, sender, headers, attributes, looks| {
            (late()?.impersonate)(shared, sender, headers, attributes, looks)
        },
        // Without that code nothing can have been defined.
        define: |storage, sources, written| {
            if let Ok(writes) = WRITES.get() {
                (writes.define)(storage, sources, written);
            }
        },
        prepare: || {},
        restore: |server, backup| (WRITES.get()?.restore)(server, backup),
    };
}

impl fmt::Debug for Writes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writes")
    }
}

fn refused<'a>(status: Box<Status>) -> BoxFuture<'a, Outcome> {
    Box::pin(std::future::ready(Err(status)))
}

fn late() -> Result<&'static Writes, Box<Status>> {
    WRITES.get().map_err(Status::internal_error)
}
