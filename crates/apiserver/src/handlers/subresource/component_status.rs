//! ComponentStatuses: how the parts of the control plane are. There are none but the API server, which says that of
//! itself elsewhere.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/component-status-v1/>

use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::handlers::options_of;
use crate::present::List;
use crate::status::{Status, Subject};

/// GET of one, of which there is none, or of all.
pub(super) fn read(context: &RequestContext<'_>) -> Outcome {
    let name = context.target.name.as_str();
    if !name.is_empty() {
        return Err(Status::not_found(Subject { group: "", resource: "componentstatus", name }));
    }
    if options_of(context.target, context.query)?.watch {
        return Err(Status::method_not_supported(context.subject(""), "watch"));
    }
    let list = List { metadata: b"{}".to_vec(), items: Vec::new() };
    let document = context.presenter()?.list(&list, context.shared.config.clock.now())?;
    Answer::document(200, document, context.output)
}
