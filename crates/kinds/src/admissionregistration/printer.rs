//! The rows of tables that several kinds share.

use json_tree::Value;

use crate::printing::row::{Row, get, text};
use crate::printing::selector::go_label_selector;

/// The columns: name, type, format, priority and description.
pub(super) const WEBHOOK_COLUMNS: &str = "Name||name||@name
Webhooks|integer|||Webhooks indicates the number of webhooks registered in this configuration
Age||||@created";

/// The columns: name, type, format, priority and description.
pub(super) const BINDING_COLUMNS: &str = "Name||name||@name
PolicyName||||PolicyName indicates the policy definition which the policy binding binded to
ParamRef||||ParamRef indicates the param resource which sets the configuration param
Age||||@created";

pub(super) fn webhook_configuration(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.len("/webhooks"), row.age()]
}

pub(crate) fn policy(row: &Row<'_>, rules: &str) -> Vec<Value> {
    let parameters = get(row.object, "/spec/paramKind").map_or_else(
        || "<unset>".to_owned(),
        |kind| format!("{}/{}", text(kind, "/apiVersion"), text(kind, "/kind")),
    );
    vec![row.name(), row.len(rules), parameters.into(), row.age()]
}

pub(super) fn policy_binding(row: &Row<'_>) -> Vec<Value> {
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
