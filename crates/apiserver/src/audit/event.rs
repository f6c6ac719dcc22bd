//! Events of the audit log, and how they are written.
//!
//! <https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event>

use std::collections::BTreeMap;
use std::time::Duration;

use json_tree::{Map, Value};

use super::json::Members;
use super::policy::Stage;
use crate::audit_context::Level;
use apimachinery::time;

/// The annotation of an event that has lost its objects.
const TRUNCATED: &str = "audit.k8s.io/truncated";

/// The event of a request.
#[derive(Clone, Default)]
pub(super) struct Event {
    pub(super) level: Level,
    pub(super) id: String,
    pub(super) uri: String,
    pub(super) verb: String,
    /// The sender, as a `UserInfo`.
    pub(super) user: Value,
    /// In whose name the request is sent, if not the sender's.
    pub(super) impersonated_user: Option<Value>,
    /// The verb of the mode by which that is allowed; empty for the mode that was there before all others.
    pub(super) constraint: String,
    pub(super) source_ips: Vec<String>,
    pub(super) user_agent: String,
    pub(super) object: Option<ObjectReference>,
    /// The status of the response, of which `metadata` are empty.
    pub(super) status: Option<Map<String, Value>>,
    /// The object that was sent, as its JSON.
    pub(super) request: Option<Vec<u8>>,
    /// The object that is sent back, as its JSON.
    pub(super) response: Option<Vec<u8>>,
    /// When the request came.
    pub(super) received: Duration,
    pub(super) annotations: BTreeMap<String, String>,
}

/// The object that a request is about.
#[derive(Clone, Default)]
pub(super) struct ObjectReference {
    pub(super) resource: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) group: String,
    pub(super) version: String,
    pub(super) resource_version: String,
    pub(super) subresource: String,
}

impl Event {
    /// Writes it at a stage that it has come to now, as a line of JSON.
    ///
    /// # Errors
    /// The object that was sent is no JSON, and cannot be part of it.
    pub(super) fn write(&self, stage: Stage, now: Duration) -> Result<Vec<u8>, String> {
        let mut event = Members::default();
        event.text("kind", "Event");
        event.text("apiVersion", "audit.k8s.io/v1");
        event.text("level", self.level.name());
        event.text("auditID", &self.id);
        event.text("stage", stage.name());
        event.text("requestURI", &self.uri);
        event.text("verb", &self.verb);
        event.value("user", &self.user);
        if let Some(user) = &self.impersonated_user {
            event.value("impersonatedUser", user);
        }
        if !self.constraint.is_empty() {
            let mut metadata = Members::default();
            metadata.text("impersonationConstraint", &self.constraint);
            event.members("authenticationMetadata", metadata);
        }
        if !self.source_ips.is_empty() {
            event.value("sourceIPs", &self.source_ips.clone().into());
        }
        event.text_if_any("userAgent", &self.user_agent);
        if let Some(object) = &self.object {
            event.members("objectRef", object.members());
        }
        if let Some(status) = &self.status {
            event.members("responseStatus", status_members(status));
        }
        for (key, object) in [("requestObject", &self.request), ("responseObject", &self.response)] {
            if let Some(object) = object {
                event.raw(key, object)?;
            }
        }
        event.text("requestReceivedTimestamp", &time::rfc3339_micro(self.received));
        event.text("stageTimestamp", &time::rfc3339_micro(now));
        if !self.annotations.is_empty() {
            let mut annotations = Members::default();
            for (key, text) in &self.annotations {
                annotations.text(key, text);
            }
            event.members("annotations", annotations);
        }
        let mut line = event.end();
        line.push(b'\n');
        Ok(line)
    }

    /// Takes the objects away, because they are too large.
    pub(super) fn truncate(&mut self) {
        (self.request, self.response) = (None, None);
        self.annotations.insert(TRUNCATED.to_owned(), "true".to_owned());
    }
}

impl ObjectReference {
    fn members(&self) -> Members {
        let mut members = Members::default();
        for (key, text) in [
            ("resource", &self.resource),
            ("namespace", &self.namespace),
            ("name", &self.name),
            ("uid", &self.uid),
            ("apiGroup", &self.group),
            ("apiVersion", &self.version),
            ("resourceVersion", &self.resource_version),
            ("subresource", &self.subresource),
        ] {
            members.text_if_any(key, text);
        }
        members
    }
}

/// Writes a status in the order of its fields; `metadata` are always there.
fn status_members(status: &Map<String, Value>) -> Members {
    let mut members = Members::default();
    members.value("metadata", &Map::new().into());
    for key in ["status", "message", "reason", "details", "code"] {
        if let Some(value) = status.get(key) {
            members.value(key, value);
        }
    }
    members
}
