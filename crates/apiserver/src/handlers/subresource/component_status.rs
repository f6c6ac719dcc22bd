//! ComponentStatuses: how the parts of the control plane are. Nothing is stored of them: each is asked when somebody reads.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/component-status-v1/>

use json_tree::{Value, json};

use crate::answer::{Answer, Outcome};
use crate::components::{Component, Components};
use crate::context::RequestContext;
use crate::handlers::options_of;
use crate::present::List;
use apimachinery::status::{Status, Subject};

/// The parts that tell how they are at a port of this machine.
const PROBED: [(&str, Component, u16); 2] =
    [("controller-manager", Component::ControllerManager, 10257), ("scheduler", Component::Scheduler, 10259)];

/// The store, which is where the API server is.
const STORE: &str = "etcd-0";

/// Answers a GET of one, or of all. Labels and fields select what is told.
pub(super) fn read(context: &RequestContext<'_>) -> Outcome {
    let name = context.target.name.as_str();
    let all = statuses(&context.shared.components);
    if !name.is_empty() {
        let found = all.into_iter().find(|(own, _)| *own == name);
        let missing = || Status::not_found(Subject { group: "", resource: "componentstatus", name });
        return context.answer_object(200, &found.ok_or_else(missing)?.1);
    }
    let options = options_of(context.target, context.query)?;
    if options.watch {
        return Err(Status::method_not_supported(context.subject(""), "watch"));
    }
    let selected = all.iter().filter(|(name, _)| {
        let field = |label: &str| match label {
            "metadata.name" => Some(*name),
            "metadata.namespace" => Some(""),
            _ => None,
        };
        options.labels.matches(|_| None) && options.fields.matches(field)
    });
    let items = selected.map(|(_, json)| json.as_slice()).collect();
    let list = List { metadata: b"{}".to_vec(), items };
    let document = context.presenter()?.list(&list, context.shared.config.clock.now())?;
    Answer::document(200, document, context.output)
}

/// Returns the names of the parts, and what is told of each, as it would be stored.
fn statuses(components: &Components) -> Vec<(&'static str, Vec<u8>)> {
    let probed = PROBED.into_iter().map(|(name, component, port)| {
        let refused = || {
            let address = format!("127.0.0.1:{port}");
            format!("Get \"https://{address}/healthz\": dial tcp {address}: connect: connection refused")
        };
        (name, if components.has(component) { Ok(()) } else { Err(refused()) })
    });
    let all = probed.chain([(STORE, Ok(()))]);
    all.map(|(name, health)| {
        let (status, message) = match health {
            Ok(()) => ("True", "ok".to_owned()),
            Err(why) => ("False", why),
        };
        let condition: Value = json!({ "type": "Healthy", "status": status, "message": message });
        let object = json!({ "metadata": { "name": name }, "conditions": [condition] });
        (name, codec::json::to_vec(&object))
    })
    .collect()
}
