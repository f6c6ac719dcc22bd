//! ComponentStatuses: how the parts of the control plane are. There are none but the API server, which says that of
//! itself elsewhere.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/component-status-v1/>

use crate::answer::Answer;
use crate::answer::Outcome;
use crate::context::Exchange;
use crate::options::ListOptions;
use crate::present::List;
use crate::status::{Status, Subject};

/// GET of one, of which there is none, or of all.
pub(super) fn read(exchange: &Exchange<'_>) -> Outcome {
    let name = exchange.target.name.as_str();
    if !name.is_empty() {
        return Err(Status::not_found(Subject { group: "", resource: "componentstatus", name }));
    }
    if ListOptions::parse(exchange.query, false)?.watch {
        return Err(Status::method_not_supported(exchange.subject(""), "watch"));
    }
    let list = List { metadata: b"{}".to_vec(), items: Vec::new() };
    let document = exchange.presenter()?.list(&list, exchange.shared.config.clock.now())?;
    Answer::document(200, document, exchange.output)
}
