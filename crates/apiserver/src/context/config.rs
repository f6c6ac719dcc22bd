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
use crate::kind::Action;
use crate::openapi::Build;
use crate::status::Status;
use crate::storage::{Compaction, Define, Sources};
use crate::user::{Impersonated, User};
use crate::validation::Validation;

/// The configuration of a server.
pub struct Config {
    /// The time of the cluster.
    pub clock: Arc<dyn Clock>,
    /// The source of uids and generated names.
    pub random: Arc<dyn Random>,
    /// The revision of the first write of the new cluster, but for what is in every cluster before it begins: that is
    /// written at the revision before, and at 1 at the earliest. The documentation's examples begin at 10245.
    pub first_revision: u64,
    /// The user of each bearer token. `None`: no token is asked for, and everybody is `admin`.
    pub tokens: Option<Vec<(String, User)>>,
    /// Which media types it speaks.
    pub formats: Formats,
    /// How it validates objects.
    pub validation: Validation,
    /// How it handles writes.
    pub writes: Writes,
    /// How long history is kept.
    pub compaction: Compaction,
}

impl Config {
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
            formats: self.formats,
            validation: self.validation,
            writes: self.writes,
            compaction: self.compaction,
        }
    }
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
        openapi: Some(|name, customs, protobuf| OPENAPI.get()?(name, customs, protobuf)),
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
