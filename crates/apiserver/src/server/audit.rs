//! The audit of requests that come in.
//!
//! <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/>

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response};

use super::path_and_query;
use crate::Body;
use crate::answer::Answer;
use crate::audit_context::{AuditContext, Head};
use crate::auth::{self, Sender};
use crate::context::ApiServer;
use crate::notes::Notes;
use apimachinery::Attributes;
use apimachinery::query::Query;

/// A request, as far as it says who sends it, and what it asks for.
pub(super) struct Asked<'a> {
    method: &'a Method,
    head: Head<'a>,
}

impl<'a> Asked<'a> {
    /// Returns it, of a request.
    pub(super) fn of(request: &'a Request<Bytes>) -> Self {
        let (uri, headers, extensions) = (request.uri(), request.headers(), request.extensions());
        Self { method: request.method(), head: Head { uri, headers, extensions } }
    }

    /// Returns it, of the head of a request.
    pub(super) fn of_head(head: &'a Parts) -> Self {
        let Parts { method, uri, headers, extensions, .. } = head;
        Self { method, head: Head { uri, headers, extensions } }
    }
}

impl ApiServer {
    /// Begins the audit of a request, if there is a log.
    pub(super) fn begin_audit(&self, asked: &Asked<'_>, notes: &Notes) {
        let Some(audit) = self.shared.audit.get() else { return };
        let id = notes.audit_id.get().and_then(|id| id.to_str().ok()).unwrap_or_default();
        let _ = notes.audit.set(audit.begin(asked.head, id));
    }

    /// Notes the answer to a request, and returns its audit, which ends when that is dropped.
    pub(super) fn end_audit(
        &self,
        asked: &Asked<'_>,
        answer: &Answer,
        notes: &mut Notes,
    ) -> Option<Box<dyn AuditContext>> {
        notes.audit()?;
        self.begin_unasked(asked, notes);
        let audit = notes.audit.take()?;
        if let Some(decision) = notes.access.get() {
            let decided = if decision.access.allowed { "allow" } else { "forbid" };
            audit.annotate("authorization.k8s.io/decision", decided);
            audit.annotate("authorization.k8s.io/reason", &decision.access.reason);
        }
        let (code, body) = answer.audited();
        audit.responded(code, body);
        Some(audit)
    }

    /// Finds out who has sent a request that was answered before anybody has asked for that.
    fn begin_unasked(&self, asked: &Asked<'_>, notes: &Notes) {
        let Some(audit) = notes.audit().filter(|audit| !audit.has_begun()) else { return };
        let Asked { method, head } = asked;
        let (path, query) =
            path_and_query(head.uri).split_once('?').unwrap_or((path_and_query(head.uri), ""));
        let Some(attributes) = Attributes::of(method, path, &Query::parse(query)) else { return };
        let sender = Sender::new(head.headers, head.extensions).looking(true);
        // A refusal is not told: the request has its answer.
        let _ = auth::authenticate(&self.shared, sender, &attributes, Some(audit));
    }
}

/// Has a request end when its response does, if that is still being made.
pub(super) fn follow(audit: Box<dyn AuditContext>, response: &mut Response<Body>) {
    let body = std::mem::replace(response.body_mut(), Body::Cut);
    *response.body_mut() = match body {
        Body::Stream(chunks) => Body::Stream(audit.follow(chunks)),
        Body::Upgrade(upgrade) => Body::Upgrade(audit.follow_connection(upgrade)),
        body => body,
    };
}
