//! The warnings to writers of objects of the kind Secret.

use json_tree::Value;

use crate::validation::der;
use golang::{base64, pem};

const KEY: &str = "PRIVATE KEY";

pub(super) fn warn(secret: &Value, _: Option<&Value>) -> Vec<String> {
    if secret.text("type") != "kubernetes.io/tls" {
        return Vec::new();
    }
    let found = |field: &str| pem::blocks(&base64::decode(secret["data"].text(field)).unwrap_or_default());
    let (certificates, keys) = (found("tls.crt"), found("tls.key"));
    let kinds = |blocks: &[pem::Block]| blocks.iter().map(|block| block.kind.clone()).collect::<Vec<_>>();
    let why = certificate(&kinds(&certificates)).or_else(|| key(&kinds(&keys)));
    why.or_else(|| contents(&certificates, &keys)).into_iter().collect()
}

/// Checks the format of the certificate and of the key, but not whether they belong together.
fn contents(certificates: &[pem::Block], keys: &[pem::Block]) -> Option<String> {
    let certificate = certificates.iter().find(|block| block.kind == "CERTIFICATE")?;
    let key = keys.iter().find(|block| block.kind.ends_with(KEY))?;
    let unreadable = der::sequence(&key.bytes).is_none();
    let why = der::certificate(&certificate.bytes);
    why.or_else(|| unreadable.then_some("tls: failed to parse private key")).map(str::to_owned)
}

fn certificate(types: &[String]) -> Option<String> {
    let what = "in certificate input";
    match types {
        _ if types.iter().any(|ty| ty == "CERTIFICATE") => None,
        [] => Some(format!("tls: failed to find any PEM data {what}")),
        [ty] if ty.ends_with(KEY) => Some(format!(
            "tls: failed to find certificate PEM data {what}, but did find a private key; PEM inputs may have been \
             switched"
        )),
        _ => {
            let types = types.join(" ");
            Some(format!(
                "tls: failed to find \"CERTIFICATE\" PEM block {what} after skipping PEM blocks of the following \
                 types: [{types}]"
            ))
        }
    }
}

fn key(types: &[String]) -> Option<String> {
    let what = "in key input";
    match types {
        _ if types.iter().any(|ty| ty.ends_with(KEY)) => None,
        [] => Some(format!("tls: failed to find any PEM data {what}")),
        [ty] if ty == "CERTIFICATE" => {
            Some("tls: found a certificate rather than a key in the PEM for the private key".to_owned())
        }
        _ => {
            let types = types.join(" ");
            Some(format!(
                "tls: failed to find PEM block with type ending in \"{KEY}\" {what} after skipping PEM blocks of the \
                 following types: [{types}]"
            ))
        }
    }
}
