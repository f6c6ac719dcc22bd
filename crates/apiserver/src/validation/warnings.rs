//! Warnings to the client that writes an object: the object is accepted, but it may not mean what the client expects.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>,
//! <https://kubernetes.io/blog/2020/09/03/warnings/>

mod address;
mod labels;
mod network;
mod pod;
mod quota;
mod secret;
mod storage;
mod template;

use json_tree::Value;

use crate::validation::{name, unrecognized_formats};
use field::{Path, quote};
use schema::quantity::Quantity;

/// Looks at the object, and at the one that it replaces.
pub(crate) type Check = fn(&Value, Option<&Value>) -> Vec<String>;

/// Group, resource, and what its writers are warned of.
pub(crate) type Table = &'static [(&'static str, &'static str, Check)];

/// The resources that are written most often and checked with little code.
pub(crate) const BASICS: Table = &[
    ("", "secrets", secret::secret),
    ("", "serviceaccounts", service_account),
    ("", "services", network::service),
];

/// Pods, and what has a template of pods.
pub(crate) const WORKLOADS: Table = &[
    ("", "pods", pod::pod),
    ("", "podtemplates", template::pod_template),
    ("", "replicationcontrollers", template::named_workload),
    ("apps", "daemonsets", template::workload),
    ("apps", "deployments", template::named_workload),
    ("apps", "replicasets", template::named_workload),
    ("apps", "statefulsets", template::stateful_set),
    ("batch", "cronjobs", template::cron_job),
    ("batch", "jobs", template::job),
];

/// The resources that contain CEL expressions or schemas.
pub(crate) const EXPRESSIONS: Table = &[
    ("apiextensions.k8s.io", "customresourcedefinitions", definition),
    ("resource.k8s.io", "resourceslices", resource_slice),
];

/// All other kinds.
pub(crate) const OTHERS: Table = &[
    ("", "endpoints", network::endpoints),
    ("", "nodes", network::node),
    ("", "persistentvolumeclaims", storage::claim),
    ("", "persistentvolumes", storage::volume),
    ("", "resourcequotas", quota::quota),
    ("discovery.k8s.io", "endpointslices", network::endpoint_slice),
    ("networking.k8s.io", "ingresses", network::ingress),
    ("networking.k8s.io", "networkpolicies", network::policy),
    ("node.k8s.io", "runtimeclasses", storage::runtime_class),
    ("storage.k8s.io", "csidrivers", storage::driver),
    ("storage.k8s.io", "csistoragecapacities", storage::capacity),
    ("storage.k8s.io", "storageclasses", storage::class),
];

/// The warnings that a write of `object` earns, once it is known to be valid, if its kind is in `table`. Group and resource
/// are those that it is stored in.
pub(crate) fn of(
    table: Table,
    group: &str,
    resource: &str,
    object: &Value,
    old: Option<&Value>,
) -> Vec<String> {
    let row = table.iter().find(|row| (row.0, row.1) == (group, resource));
    row.map(|(.., check)| check(object, old)).unwrap_or_default()
}

/// The warnings that a write of the status of `object` earns: of addresses in it.
pub(crate) fn of_status(group: &str, resource: &str, object: &Value) -> Vec<String> {
    let (status, path) = (&object["status"], Path::new("status"));
    let mut warnings = Vec::new();
    match (group, resource) {
        ("", "pods") => {
            for field in ["podIPs", "hostIPs"] {
                for (index, item) in list(status, field).iter().enumerate() {
                    let path = path.child(field).index(index).child("ip");
                    warnings.extend(address::warning(item.text("ip"), &path));
                }
            }
        }
        ("", "services") | ("networking.k8s.io", "ingresses") => {
            let path = path.child("loadBalancer").child("ingress");
            for (index, item) in list(&status["loadBalancer"], "ingress").iter().enumerate() {
                warnings.extend(address::warning(item.text("ip"), &path.index(index)));
            }
        }
        _ => {}
    }
    warnings
}

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

fn service_account(account: &Value, old: Option<&Value>) -> Vec<String> {
    let annotated = |account: &Value| annotation(account, MOUNTABLE_SECRETS).is_some();
    if !annotated(account) || old.is_some_and(annotated) {
        return Vec::new();
    }
    vec![format!(
        "{}: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
        annotations(&Path::default()).key(MOUNTABLE_SECRETS)
    )]
}

fn resource_slice(slice: &Value, _: Option<&Value>) -> Vec<String> {
    let driver = slice["spec"].text("driver");
    if !driver.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Vec::new();
    }
    let driver = quote(driver);
    vec![format!("spec.driver: driver names should be lowercase; {driver} contains uppercase characters")]
}

/// Nothing is checked of texts whose format nobody knows.
fn definition(definition: &Value, old: Option<&Value>) -> Vec<String> {
    let before = old.map(unrecognized_formats).unwrap_or_default();
    let formats = unrecognized_formats(definition).into_iter().filter(|format| !before.contains(format));
    formats.map(|format| format!("unrecognized format {}", quote(&format))).collect()
}

/// A name that pods get theirs from should be a label.
fn pod_names(object: &Value) -> Option<String> {
    let errors = name::label(object["metadata"].text("name"));
    (!errors.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS \
             label is recommended: [{}]",
            errors.join(" ")
        )
    })
}

/// The warning of an amount of bytes that is not whole.
fn fractional(amounts: &Value, name: &str, path: &Path) -> Option<String> {
    let text = amounts.get(name)?.as_str()?;
    if Quantity::parse(text).ok()?.is_whole() {
        return None;
    }
    Some(format!("{}: fractional byte value {} is invalid, must be an integer", path.key(name), quote(text)))
}

fn annotations(path: &Path) -> Path {
    path.child("metadata").child("annotations")
}

fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}

fn integer(value: &Value, field: &str) -> i64 {
    value.get(field).and_then(Value::as_i64).unwrap_or_default()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
