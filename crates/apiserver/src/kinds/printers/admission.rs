//! Tables of the kinds that stand before the API: admission, flow control, aggregated APIs.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>

use std::cmp::Ordering;

use json_tree::Value;

use crate::printing::row::{Row, condition, get, number, text};
use crate::printing::selector::go_label_selector;

pub(crate) fn webhook_configuration(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.len("/webhooks"), row.age()]
}

pub(crate) fn validating_policy(row: &Row<'_>) -> Vec<Value> {
    policy(row, "/spec/validations")
}

pub(crate) fn mutating_policy(row: &Row<'_>) -> Vec<Value> {
    policy(row, "/spec/mutations")
}

fn policy(row: &Row<'_>, rules: &str) -> Vec<Value> {
    let parameters = get(row.object, "/spec/paramKind").map_or_else(
        || "<unset>".to_owned(),
        |kind| format!("{}/{}", text(kind, "/apiVersion"), text(kind, "/kind")),
    );
    vec![row.name(), row.len(rules), parameters.into(), row.age()]
}

pub(crate) fn policy_binding(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.text("/spec/policyName").into(), parameters(row).into(), row.age()]
}

/// The parameters of a policy: by name, in a namespace or in any, or by a selector.
fn parameters(row: &Row<'_>) -> String {
    let path = "/spec/paramRef";
    let by = |field: &str| row.text(&format!("{path}/{field}"));
    match (by("namespace"), by("name")) {
        (_, "") => {
            let selector = get(row.object, path).and_then(|reference| get(reference, "/selector"));
            selector.map_or_else(|| "<unset>".to_owned(), go_label_selector)
        }
        ("", name) => format!("*/{name}"),
        (namespace, name) => format!("{namespace}/{name}"),
    }
}

/// <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>
pub(crate) fn flow_schema(row: &Row<'_>) -> Vec<Value> {
    let dangling = condition(row.list("/status/conditions"), "Dangling");
    vec![
        row.name(),
        row.text("/spec/priorityLevelConfiguration/name").into(),
        row.count("/spec/matchingPrecedence"),
        row.text_or("/spec/distinguisherMethod/type", "<none>"),
        row.age(),
        dangling.map_or("?", |condition| text(condition, "/status")).into(),
    ]
}

/// FlowSchemas are listed in the order they are tried in.
pub(crate) fn flow_schema_order(a: &Value, b: &Value) -> Ordering {
    let key = |schema| number(schema, "/spec/matchingPrecedence");
    key(a).cmp(&key(b)).then_with(|| text(a, "/metadata/name").cmp(text(b, "/metadata/name")))
}

pub(crate) fn priority_level(row: &Row<'_>) -> Vec<Value> {
    let limited = get(row.object, "/spec/limited");
    let queuing = limited.and_then(|limited| get(limited, "/limitResponse/queuing"));
    let count = |holder: Option<&Value>, path: &str| {
        holder.map_or_else(|| Value::from("<none>"), |holder| number(holder, path).into())
    };
    vec![
        row.name(),
        row.text("/spec/type").into(),
        count(limited, "/nominalConcurrencyShares"),
        count(queuing, "/queues"),
        count(queuing, "/handSize"),
        count(queuing, "/queueLengthLimit"),
        row.age(),
    ]
}

/// <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>
pub(crate) fn api_service(row: &Row<'_>) -> Vec<Value> {
    let service = get(row.object, "/spec/service").map_or_else(
        || "Local".to_owned(),
        |service| format!("{}/{}", text(service, "/namespace"), text(service, "/name")),
    );
    let available = match condition(row.list("/status/conditions"), "Available") {
        None => "Unknown".to_owned(),
        Some(condition) => match (text(condition, "/status"), text(condition, "/reason")) {
            (status @ "True", _) | (status, "") => status.to_owned(),
            (status, reason) => format!("{status} ({reason})"),
        },
    };
    vec![row.name(), service.into(), available.into(), row.age()]
}
