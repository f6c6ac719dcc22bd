//! The headers by which responses tell which request they are the response to, and how that was classified.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#diagnostics>

use http::{HeaderMap, HeaderName};

use crate::answer::Answer;
use crate::context::{ApiServer, Identity, Shared};
use crate::flow_control::classification::FlowSchemas;
use crate::notes::Notes;
use crate::user::User;
use apimachinery::Attributes;

/// The header with the id of a request.
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
/// The headers with the uids of a FlowSchema and of its priority level.
const CLASSIFIED: [HeaderName; 2] = [
    HeaderName::from_static("x-kubernetes-pf-flowschema-uid"),
    HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid"),
];
/// The subresources whose requests are not classified: they run for long.
const LONG_RUNNING: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

impl ApiServer {
    /// Has each response tell the id of its request, and the FlowSchema and the priority level that it falls under, for all API servers
    /// of the cluster.
    pub fn identify_requests(&self) {
        let _ = self.shared.identity.set(Identity { classify, tell, schemas: std::sync::Mutex::default() });
    }
}

/// Notes how a request is classified.
fn classify(shared: &Shared, identity: &Identity, user: &User, attributes: &Attributes, notes: &Notes) {
    if attributes.is_resource && LONG_RUNNING.contains(&attributes.subresource.as_str()) {
        return;
    }
    let schemas = {
        let mut last = identity.schemas();
        let now = FlowSchemas::now(&shared.storage().store, last.as_ref());
        *last = Some(now.clone());
        now
    };
    if let Some(uids) = schemas.classify(user, attributes) {
        let _ = notes.classified.set(uids.clone());
    }
}

/// Adds the headers to a response.
fn tell(shared: &Shared, request: &HeaderMap, notes: &Notes, mut answer: Answer) -> Answer {
    let given = request.get(AUDIT_ID).and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
    answer = answer.with(AUDIT_ID, given.map_or_else(|| shared.uid(), str::to_owned));
    for (name, uid) in CLASSIFIED.into_iter().zip(notes.classified.get().into_iter().flatten()) {
        answer = answer.with(name, uid.as_str());
    }
    answer
}
