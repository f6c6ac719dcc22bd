//! Instruments: what a server counts and tells of the requests that it handles. Only some hosts want them.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use apimachinery::Attributes;
use apimachinery::query::Query;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response};

use super::Shared;
use crate::Body;
use crate::metrics::AuditCounts;
use crate::notes::Notes;
use apimachinery::User;

/// The facts of the process that its metrics tell; none of those that a system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessInfo {
    /// The time that it has computed.
    pub cpu: Option<Duration>,
    /// The memory that it has, in bytes.
    pub resident_memory: Option<u64>,
    /// The number of its open files.
    pub open_files: Option<u64>,
    /// The time at which it began, since the Unix epoch.
    pub start: Option<Duration>,
}

/// An observer of requests. The code is only there where a host wants one.
pub(crate) trait Instruments: Send + Sync {
    /// Notes that a request is being handled, and whether it changes something.
    fn enter(&self, is_mutating: bool);

    /// Notes that one is handled no more.
    fn leave(&self, is_mutating: bool);

    /// Notes the id of a request with these headers: its own, or one that is made for it.
    fn identify(&self, shared: &Shared, request: &HeaderMap, notes: &Notes);

    /// Notes how a request is classified, and has it begin, wait or be refused.
    fn seat(&self, shared: &Shared, asked: RequestDigest<'_>, notes: &Notes) -> Seating;

    /// Adds the headers by which a response tells which request it is for.
    fn tell(&self, shared: &Shared, request: &HeaderMap, notes: &Notes, response: &mut HeaderMap);

    /// Counts a request that has been handled in so long; a watch, once it has ended.
    fn observe(
        &self,
        shared: &Arc<Shared>,
        request: &Request<Bytes>,
        notes: &Notes,
        took: Duration,
        response: &mut Response<Body>,
    );

    /// Returns the families of metrics, each with its name. `audit` has counted what was logged, if anything was.
    fn write(&self, audit: Option<&AuditCounts>) -> Vec<(&'static str, String)>;

    /// Returns the number of requests that the server handles at once.
    fn seats(&self) -> i64;

    /// Returns the table of this name about requests that wait.
    fn dump(&self, name: &str) -> Option<String>;
}

/// A request, in whose name it is sent, what it asks for, and how long it may take, if that is bounded.
#[derive(Clone, Copy)]
pub(crate) struct RequestDigest<'a> {
    pub(crate) request: &'a Request<Bytes>,
    pub(crate) query: &'a Query,
    pub(crate) user: &'a User,
    pub(crate) attributes: &'a Attributes,
    pub(crate) timeout: Option<Duration>,
}

/// Leave for a request to be handled, while it is kept.
pub(crate) type Seat = Box<dyn Any + Send>;

/// The outcome of a request's coming. A refusal says after how many seconds the client is to try again.
pub(crate) enum Seating {
    /// It may begin.
    Taken(Option<Seat>),
    /// It has to wait.
    Waits(BoxFuture<'static, Result<Seat, u32>>),
    /// There are too many others.
    Refused(u32),
}

impl Seating {
    /// Waits for the seat.
    ///
    /// # Errors
    /// The request is refused.
    pub(crate) async fn settled(self) -> Result<Option<Seat>, u32> {
        match self {
            Self::Taken(seat) => Ok(seat),
            Self::Waits(turn) => turn.await.map(Some),
            Self::Refused(after) => Err(after),
        }
    }
}

/// The limits on the requests that a server handles at once.
///
/// <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// How many requests that read may be in flight; without priority and fairness 0 is any number.
    pub reads: u32,
    /// How many requests that write may be.
    pub writes: u32,
    /// True if API Priority and Fairness shares the sum of both out.
    pub fairness: bool,
}

impl RequestLimits {
    /// Returns the seats that priority and fairness shares out.
    pub(crate) fn seats(self) -> i64 {
        i64::from(self.reads) + i64::from(self.writes)
    }
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { reads: 400, writes: 200, fairness: true }
    }
}

/// The host of a server whose requests are counted and limited.
#[derive(Clone, Copy)]
pub struct Host {
    /// Tells of the process.
    pub process: fn() -> ProcessInfo,
    /// The limits on requests.
    pub limits: RequestLimits,
    /// Has a request wait that has no seat: nothing is computed meanwhile.
    pub wait: fn(BoxFuture<'static, ()>) -> BoxFuture<'static, ()>,
}

impl Host {
    /// Returns a host with the default limits, in which those that wait just do so.
    pub fn new(process: fn() -> ProcessInfo) -> Self {
        Self { process, limits: RequestLimits::default(), wait: |turn| turn }
    }
}

/// A request that is being handled.
pub(crate) struct InFlight<'a>(&'a dyn Instruments, bool);

impl<'a> InFlight<'a> {
    /// Notes that it is.
    pub(crate) fn of(instruments: &'a dyn Instruments, is_mutating: bool) -> Self {
        instruments.enter(is_mutating);
        Self(instruments, is_mutating)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}
