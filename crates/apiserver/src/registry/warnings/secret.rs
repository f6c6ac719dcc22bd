//! Certificates that no server could show. Only their armor is looked at.

use json_tree::Value;
use schema::base64;

use super::text;

const KEY: &str = "PRIVATE KEY";

pub(super) fn secret(secret: &Value, _: Option<&Value>) -> Vec<String> {
    if text(secret, "type") != "kubernetes.io/tls" {
        return Vec::new();
    }
    let found = |field: &str| blocks(&base64::decode(text(&secret["data"], field)).unwrap_or_default());
    certificate(&found("tls.crt")).or_else(|| key(&found("tls.key"))).into_iter().collect()
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

/// The types of the PEM blocks in a text.
fn blocks(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.as_ref();
    let mut types = Vec::new();
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let Some((ty, body)) = after.split_once("-----") else { break };
        let end = ["-----END ", ty, "-----"].concat();
        rest = match body.split_once(end.as_str()) {
            Some((inside, after)) if is_base64(inside) => {
                types.push(ty.to_owned());
                after
            }
            _ => body,
        };
    }
    types
}

/// Whether there is nothing else between the armor; headers come before an empty line.
fn is_base64(inside: &str) -> bool {
    let body = inside.split_once("\n\n").map_or(inside, |(_, body)| body);
    base64::decode(body.split_whitespace().collect::<String>()).is_ok()
}
