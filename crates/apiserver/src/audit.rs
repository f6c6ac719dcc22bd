//! The audit log: an event for each stage of each request that a policy wants to have logged.
//!
//! The code is only there where a host has a log: see [`ApiServer::set_audit`].
//!
//! <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/>

mod event;
mod json;
mod legacy;
mod long_running;
mod policy;
mod request;
mod source;

use std::io;
use std::sync::Arc;

use crate::audit_context::{Audit, AuditContext, Head, Level};
use crate::clock::Clock;
use crate::context::ApiServer;
use crate::metrics::AuditCounts;
use event::Event;
pub use policy::AuditPolicy;
use policy::Stage;
use request::RequestAudit;

/// The log that the events of requests are written to.
pub trait AuditLog: Send + Sync {
    /// Writes an event, which ends with a line break.
    ///
    /// # Errors
    /// It cannot be written.
    fn write(&self, event: &[u8]) -> io::Result<()>;
}

/// How events are written.
///
/// <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#log-backend>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditFormat {
    /// True if each is a line of text; otherwise each is a line of JSON.
    pub legacy: bool,
    /// The most bytes of an event: a larger one loses its objects.
    pub most_bytes: Option<usize>,
    /// True if nothing is done for a request that cannot be logged when it comes.
    pub strict: bool,
}

/// The audit of all requests of a cluster.
struct Auditor {
    policy: AuditPolicy,
    format: AuditFormat,
    log: Box<dyn AuditLog>,
    clock: Arc<dyn Clock>,
    counts: AuditCounts,
}

impl ApiServer {
    /// Has events of requests written to a log, as far as a policy wants them, for all API servers of the cluster. The first log counts.
    pub fn set_audit(&self, policy: AuditPolicy, format: AuditFormat, log: Box<dyn AuditLog>) {
        let clock = Arc::clone(&self.shared.config.clock);
        let auditor = Auditor { policy, format, log, clock, counts: AuditCounts::default() };
        self.shared.audit.set(Arc::new(Arc::new(auditor)));
    }
}

impl Audit for Arc<Auditor> {
    fn begin(&self, head: Head<'_>, id: &str) -> Box<dyn AuditContext> {
        Box::new(RequestAudit::new(Self::clone(self), head, id))
    }

    fn counts(&self) -> &AuditCounts {
        &self.counts
    }
}

impl Auditor {
    /// Writes an event at a stage. Reports whether that was possible.
    fn log(&self, event: &Event, stage: Stage) -> bool {
        self.counts.count_event();
        let written = match self.format.most_bytes {
            Some(most) => self.fitting(event, stage, most),
            None => self.line(event, stage),
        };
        let failed = |why: String| ("log", why);
        let logged =
            written.and_then(|line| self.log.write(&line).map_err(|error| failed(error.to_string())));
        if let Err((part, _)) = &logged {
            self.counts.count_error(part);
        }
        logged.is_ok()
    }

    /// Writes an event that has at most so many bytes, without its objects if it must be.
    fn fitting(&self, event: &Event, stage: Stage, most: usize) -> Result<Vec<u8>, (&'static str, String)> {
        let json = |event: &Event| event.write(stage, self.clock.now()).map_err(|why| ("truncate", why));
        let mut event = event.clone();
        let mut size = json(&event)?.len();
        if size > most && event.level >= Level::Request {
            event.truncate();
            size = json(&event)?.len();
        }
        if size > most {
            return Err(("truncate", "event is too large even after truncating".to_owned()));
        }
        self.line(&event, stage)
    }

    fn line(&self, event: &Event, stage: Stage) -> Result<Vec<u8>, (&'static str, String)> {
        if self.format.legacy {
            return Ok(legacy::line(event, stage).into_bytes());
        }
        let now = if stage == Stage::RequestReceived { event.received } else { self.clock.now() };
        event.write(stage, now).map_err(|why| ("log", why))
    }
}
