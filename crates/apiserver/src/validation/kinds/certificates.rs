//! CertificateSigningRequest.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::read::{at, get, integer, list, text};
use crate::field::{Error, Path};

const PEM: &str = "-----BEGIN CERTIFICATE REQUEST-----";
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// What is wrong with a request.
pub(super) fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    let request = STANDARD.decode(text(spec, "request")).unwrap_or_default();
    if !String::from_utf8_lossy(&request).contains(PEM) {
        let value = get(spec, "request").cloned().unwrap_or_default();
        errors.push(Error::invalid(
            &path.child("request"),
            value,
            "PEM block type must be CERTIFICATE REQUEST",
        ));
    }
    let (usages, at_usages) = (list(spec, "usages"), path.child("usages"));
    if usages.is_empty() {
        errors.push(Error::required(&at_usages, ""));
    }
    let mut seen = HashSet::new();
    for (index, usage) in usages.iter().filter_map(Value::as_str).enumerate() {
        let path = at_usages.index(index);
        if !USAGES.contains(&usage) {
            errors.push(Error::not_supported(&path, usage, &USAGES));
        }
        if !seen.insert(usage) {
            errors.push(Error::duplicate(&path, usage));
        }
    }
    errors.extend(signer(text(spec, "signerName"), &path.child("signerName")));
    if let Some(seconds) = integer(spec, "expirationSeconds").filter(|seconds| *seconds < 600) {
        let why = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.push(Error::invalid(&path.child("expirationSeconds"), seconds, why));
    }
    errors
}

fn signer(name: &str, path: &Path) -> Option<Error> {
    let why = match name.split_once('/') {
        _ if name.is_empty() => return Some(Error::required(path, "")),
        _ if name == "kubernetes.io/legacy-unknown" => {
            "the legacy signerName is not allowed via this API version"
        }
        Some((domain, rest)) if domain.contains('.') && !rest.is_empty() => return None,
        _ => "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    };
    Some(Error::invalid(path, name, why))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::field::aggregate;

    #[track_caller]
    fn check(more: impl Into<Value>, expected: &str) {
        let mut spec =
            json!({"request": STANDARD.encode(PEM), "usages": ["client auth"], "signerName": "a.io/b"});
        if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more.into()) {
            spec.extend(more);
        }
        let errors = create(&json!({"spec": spec}));
        assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected);
    }

    #[test]
    fn requests() {
        check(json!({}), "");
        check(
            json!({"request": null, "usages": [], "signerName": ""}),
            "[spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST, \
             spec.usages: Required value, spec.signerName: Required value]",
        );
        check(
            json!({"request": "bm90IHBlbQ=="}),
            "spec.request: Invalid value: \"bm90IHBlbQ==\": PEM block type must be CERTIFICATE REQUEST",
        );
        check(
            json!({"signerName": "plain", "expirationSeconds": 5}),
            "[spec.signerName: Invalid value: \"plain\": must be a fully qualified domain and path of the form 'example.com/signer-name', \
             spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)]",
        );
        check(
            json!({"usages": ["client auth", "client auth"]}),
            "spec.usages[1]: Duplicate value: \"client auth\"",
        );
    }
}
