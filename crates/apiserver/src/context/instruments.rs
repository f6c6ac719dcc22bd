//! Instruments: what a server counts and tells of the requests that it handles. Only some hosts want them.

use std::sync::Arc;
use std::time::Duration;

use apimachinery::Attributes;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};

use super::Shared;
use crate::Body;
use crate::notes::Notes;
use crate::user::User;

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

    /// Notes how a request is classified.
    fn classify(&self, shared: &Shared, user: &User, attributes: &Attributes, notes: &Notes);

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

    /// Returns the families of metrics, each with its name.
    fn write(&self) -> Vec<(&'static str, String)>;
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
