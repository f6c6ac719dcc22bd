//! The controllers of CertificateSigningRequests: some are approved, those that are approved are signed, and old ones go.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>.

mod approver;
mod cleaner;
mod signer;

use std::time::Duration;

use golang::x509::CertificateRequest;
use golang::{base64, pem};
use json_tree::Value;

use crate::object::list;
use crate::pace::Doubling;

pub(crate) use approver::Approver;
pub(crate) use cleaner::Cleaner;
pub(crate) use signer::Signing;
pub use signer::{CertificateTerms, Signer};

/// The name by which the controller that signs is chosen.
pub(crate) const SIGNING: &str = "certificatesigningrequest-signing-controller";

/// The service account of these controllers.
pub(crate) const ACCOUNT: &str = "certificate-controller";

/// The signer of the certificates by which kubelets show who they are.
const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";

/// The delays after failures.
const DELAYS: Doubling = Doubling { first: Duration::from_millis(200), longest: Duration::from_secs(1000) };

/// The group of nodes, and the beginning of the names of their users.
const NODES: &[u8] = b"system:nodes";
const NODE: &[u8] = b"system:node:";

/// Returns the request for a certificate that an object holds, in DER.
fn der(object: &Value) -> Option<Vec<u8>> {
    let text = base64::decode(object.text_at("/spec/request")).ok()?;
    let block = pem::blocks(&text).into_iter().next()?;
    (block.kind == "CERTIFICATE REQUEST").then_some(block.bytes)
}

fn is_issued(object: &Value) -> bool {
    !object.text_at("/status/certificate").is_empty()
}

/// Returns the condition of a type.
fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    list(object, "/status/conditions").iter().find(|condition| condition.text("type") == kind)
}

/// Returns the usages that are asked for.
fn usages(object: &Value) -> Vec<&str> {
    list(object, "/spec/usages").iter().map(Value::as_text).collect()
}

/// Reports whether these usages, and no others, are asked for: with that of RSA keys or without it.
fn are_usages(usages: &[&str], purpose: &str) -> bool {
    let is_wanted = |usage: &&str| ["digital signature", "key encipherment", purpose].contains(usage);
    usages.iter().all(is_wanted) && usages.contains(&"digital signature") && usages.contains(&purpose)
}

/// Returns why a request is not one for the certificate of a kubelet, as a client.
fn not_kubelet_client(request: &CertificateRequest<'_>, usages: &[&str]) -> Option<String> {
    let has = |names: &[&[u8]]| !names.is_empty();
    let why = if request.organizations != [NODES] {
        "subject organization is not system:nodes"
    } else if has(&request.dns_names) {
        "DNS subjectAltNames are not allowed"
    } else if has(&request.email_addresses) {
        "Email subjectAltNames are not allowed"
    } else if has(&request.ip_addresses) {
        "IP subjectAltNames are not allowed"
    } else if has(&request.uris) {
        "URI subjectAltNames are not allowed"
    } else if !request.common_name.starts_with(NODE) {
        "subject common name does not begin with system:node:"
    } else if !are_usages(usages, "client auth") {
        "usages did not match [client auth digital signature key encipherment]"
    } else {
        return None;
    };
    Some(why.to_owned())
}
