//! Warnings to the client that writes an object: the object is accepted, but it may not mean what the client expects.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>,
//! <https://kubernetes.io/blog/2020/09/03/warnings/>

pub(super) mod address;
pub(super) mod labels;
pub(super) mod network;
pub(super) mod pod;
pub(super) mod quota;
pub(super) mod secret;
pub(super) mod storage;
pub(super) mod template;

use json_tree::Value;

use crate::validation::name;
use field::{Path, quote};
use schema::quantity::Quantity;

/// The warnings that a write of the status of a pod earns: of addresses in it.
pub(super) fn pod_status(pod: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for field in ["podIPs", "hostIPs"] {
        let path = Path::new("status").child(field);
        for (index, item) in list(&pod["status"], field).iter().enumerate() {
            warnings.extend(address::warning(item.text("ip"), &path.index(index).child("ip")));
        }
    }
    warnings
}

/// The warnings that a write of the status of what has a load balancer earns: of addresses in it.
pub(super) fn load_balancer_status(object: &Value) -> Vec<String> {
    let path = Path::new("status").child("loadBalancer").child("ingress");
    let ingresses = list(&object["status"]["loadBalancer"], "ingress").iter().enumerate();
    ingresses.filter_map(|(index, item)| address::warning(item.text("ip"), &path.index(index))).collect()
}

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

pub(super) fn service_account(account: &Value, old: Option<&Value>) -> Vec<String> {
    let annotated = |account: &Value| annotation(account, MOUNTABLE_SECRETS).is_some();
    if !annotated(account) || old.is_some_and(annotated) {
        return Vec::new();
    }
    vec![format!(
        "{}: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
        annotations(&Path::default()).key(MOUNTABLE_SECRETS)
    )]
}

pub(super) fn resource_slice(slice: &Value, _: Option<&Value>) -> Vec<String> {
    let driver = slice["spec"].text("driver");
    if !driver.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Vec::new();
    }
    let driver = quote(driver);
    vec![format!("spec.driver: driver names should be lowercase; {driver} contains uppercase characters")]
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
