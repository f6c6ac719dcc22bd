//! Instruments: what a server counts and tells of the requests that it handles. Only some hosts want them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use apimachinery::Attributes;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};

use super::Shared;
use crate::Body;
use crate::answer::Answer;
use crate::flow_schemas::FlowSchemas;
use crate::metrics::Metrics;
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

/// The functions that observe requests, and what these have found.
pub(crate) struct Instruments {
    pub(crate) classify: fn(&Shared, &Self, &User, &Attributes, &Notes),
    pub(crate) tell: fn(&Shared, &HeaderMap, &Notes, Answer) -> Answer,
    pub(crate) observe: fn(&Arc<Shared>, &Request<Bytes>, &Notes, Duration, &mut Response<Body>),
    /// Returns the families of metrics, each with its name.
    pub(crate) write: fn(&Self) -> Vec<(&'static str, String)>,
    /// Tells of the process.
    pub(crate) process: fn() -> ProcessInfo,
    /// The FlowSchemas as they were the last time.
    pub(crate) schemas: Mutex<Option<FlowSchemas>>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Instruments {
    /// Returns the FlowSchemas as they were the last time.
    pub(crate) fn schemas(&self) -> MutexGuard<'_, Option<FlowSchemas>> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
