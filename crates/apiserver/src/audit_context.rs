//! The audit log as far as handlers know of it: what they note of a request, if somebody wants to have a log.
//!
//! <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/>

use std::net::SocketAddr;

use apimachinery::Attributes;
use bytes::Bytes;
use http::{Extensions, HeaderMap, Uri};
use json_tree::Value;

use crate::kubelet::Chunks;
use crate::metrics::AuditCounts;
use crate::resource::Resource;
use crate::upgrade::Upgrade;
use apimachinery::User;
use apimachinery::object::Object;

/// The address and the port that a request comes from. A host that knows it puts it into the [extensions](http::Extensions) of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The levels of a policy: how much of a request is logged.
///
/// <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing.
    #[default]
    None,
    /// Who asked for what, and whether that was done.
    Metadata,
    /// The object that was sent, too.
    Request,
    /// The object that was sent back, too.
    RequestResponse,
}

/// The head of a request.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) extensions: &'a Extensions,
}

/// The form of the body of a response.
pub(crate) enum Responded<'a> {
    /// An object, as its JSON.
    Object(&'a [u8]),
    /// Something else.
    Other,
    /// None: the connection breaks.
    Cut,
}

/// Begins the audit of requests. The code is only there where a host wants a log.
pub(crate) trait Audit: Send + Sync {
    /// Begins the audit of a request that has this head and id.
    fn begin(&self, head: Head<'_>, id: &str) -> Box<dyn AuditContext>;

    /// Returns the counts of what was logged.
    fn counts(&self) -> &AuditCounts;
}

/// The audit of one request. Its event is logged at each stage that the policy does not leave out, and at last when this is dropped.
pub(crate) trait AuditContext: Send + Sync {
    /// Notes who sends the request, and what it asks for, so that the policy can say how much is logged. Reports whether it may go on:
    /// the log may be one without which nothing is done.
    fn authenticated(&self, user: &User, attributes: &Attributes) -> bool;

    /// Notes that nobody knows who sends it, or that it is refused before anybody asks.
    fn failed(&self, attributes: &Attributes);

    /// Reports whether it is known who sends it, or that nobody knows.
    fn has_begun(&self) -> bool;

    /// Notes in whose name it is sent, and by which mode that is allowed, if not by the one that was there before all others.
    fn impersonated(&self, user: &User, mode: &str);

    /// Notes the object that was sent, in the version of this resource.
    fn requested(&self, resource: &Resource, object: &Object);

    /// Notes the options of a deletion that were sent, as their own object.
    fn requested_deletion(&self, options: &Value);

    /// Notes the patch that was sent.
    fn requested_patch(&self, patch: &Bytes);

    /// Reports whether the log has what goes into it from a level on.
    fn wants(&self, level: Level) -> bool;

    /// Adds an annotation to the event. The first one of a key counts.
    fn annotate(&self, key: &str, value: &str);

    /// Notes that what is asked for is deprecated.
    fn deprecated(&self);

    /// Notes the response.
    fn responded(&self, code: u16, body: Responded<'_>);

    /// Returns a stream of a response during which the request goes on.
    fn follow(self: Box<Self>, chunks: Chunks) -> Chunks;

    /// Returns a connection during which the request goes on.
    fn follow_connection(self: Box<Self>, upgrade: Upgrade) -> Upgrade;
}
