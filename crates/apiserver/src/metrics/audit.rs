//! Counts of what the audit log has.
//!
//! <https://kubernetes.io/docs/reference/instrumentation/metrics/>

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Families, labels};

/// Counts by the values of a label.
type CountsBy = Mutex<BTreeMap<&'static str, u64>>;

/// The counts of an audit log.
#[derive(Default)]
pub(crate) struct AuditCounts {
    events: AtomicU64,
    rejected: AtomicU64,
    errors: CountsBy,
    levels: CountsBy,
}

impl AuditCounts {
    /// Counts an event that is to be logged.
    pub(crate) fn count_event(&self) {
        self.events.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that is refused because it cannot be logged.
    pub(crate) fn count_rejected(&self) {
        self.rejected.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an event that was not logged because this part has failed.
    pub(crate) fn count_error(&self, part: &'static str) {
        count(&self.errors, part);
    }

    /// Counts a request by its level.
    pub(crate) fn count_level(&self, level: &'static str) {
        count(&self.levels, level);
    }

    /// Adds the families of metrics.
    pub(crate) fn write(&self, families: &mut Families) {
        for (name, about, label, counts) in [
            ("apiserver_audit_error_total", ERRORS, "plugin", &self.errors),
            ("apiserver_audit_level_total", LEVELS, "level", &self.levels),
        ] {
            families.begin(name, "counter", about);
            for (value, count) in counts.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                families.sample("", &labels::line(&[(label, value)]), &count.to_string());
            }
        }
        for (name, about, count) in [
            ("apiserver_audit_event_total", EVENTS, &self.events),
            ("apiserver_audit_requests_rejected_total", REJECTED, &self.rejected),
        ] {
            families.begin(name, "counter", about);
            families.sample("", "", &count.load(Ordering::Relaxed).to_string());
        }
    }
}

fn count(counts: &CountsBy, value: &'static str) {
    *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(value).or_default() += 1;
}

const ERRORS: &str = "[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.";
const EVENTS: &str = "[ALPHA] Counter of audit events generated and sent to the audit backend.";
const LEVELS: &str = "[ALPHA] Counter of policy levels for audit events (1 per request).";
const REJECTED: &str =
    "[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.";
