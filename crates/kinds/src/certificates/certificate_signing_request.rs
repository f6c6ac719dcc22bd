//! The kind CertificateSigningRequest.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>.

mod printer;
mod request;
mod strategy;

use std::collections::HashSet;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, Subresource};
use crate::validation::checks::required_choice;
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, integer, list, text};
use crate::validation::{der, name};
use apimachinery::selector::field::{SelectableFields, Source};
use field::{AddError, Error, Path, quote};
use golang::{base64, pem};

/// The kind CertificateSigningRequest.
pub(crate) struct CertificateSigningRequest;

impl Kind for CertificateSigningRequest {
    const GROUP: &'static str = "certificates.k8s.io";
    const RESOURCE: &'static str = "certificatesigningrequests";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> =
        Some(&SelectableFields::of(false, &[("spec.signerName", Source::At("/spec/signerName", ""))]));
    const STRATEGY: Strategy = strategy::STRATEGY;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("approval", Subresource::Part)];
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("", &[&["status"], &["spec"]])];
    const NAME: NameRule = NameRule::Any;
    const UPDATE_PASSES: &'static [Pass] = &[Pass::Metadata, Pass::Change, Pass::MetadataUpdate];

    fn checks() -> Checks {
        Checks::none()
            .validate_new(create)
            .validate_update(update)
            .validate_part("approval", update_approval)
            .validate_part("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// The longest domain of a signer, and the longest name of one: a domain, a slash, and a name in a namespace.
const MAX_DOMAIN: usize = 253;
const MAX_SIGNER: usize = MAX_DOMAIN + 1 + 253 + 1 + 63;
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

/// Validates a CertificateSigningRequest.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    let sent = base64::decode(text(spec, "request")).unwrap_or_default();
    if let Some(why) = request::check(&sent) {
        let value = get(spec, "request").cloned().unwrap_or_default();
        errors.invalid(path.child("request"), value, why);
    }
    let (usages, at_usages) = (list(spec, "usages"), path.child("usages"));
    if usages.is_empty() {
        errors.required(&at_usages, "");
    }
    let mut seen = HashSet::new();
    for (index, usage) in usages.iter().filter_map(Value::as_str).enumerate() {
        if !USAGES.contains(&usage) {
            errors.not_supported(at_usages.index(index), usage, &USAGES);
        }
    }
    for (index, usage) in usages.iter().filter_map(Value::as_str).enumerate() {
        if !seen.insert(usage) {
            errors.duplicate(at_usages.index(index), usage);
        }
    }
    errors.extend(signer(text(spec, "signerName"), &path.child("signerName")));
    if let Some(seconds) = integer(spec, "expirationSeconds").filter(|seconds| *seconds < 600) {
        let why = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.invalid(path.child("expirationSeconds"), seconds, why);
    }
    errors
}

/// Validates a change of the request itself.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    change(object, old, Allowed { approval: false, certificate: false })
}

/// Validates a write of `approval`.
fn update_approval(object: &Value, old: &Value) -> Vec<Error> {
    change(object, old, Allowed { approval: true, certificate: false })
}

/// Validates a write of `status`.
fn update_status(object: &Value, old: &Value) -> Vec<Error> {
    change(object, old, Allowed { approval: false, certificate: true })
}

/// The parts of the status that a write may set.
#[derive(Clone, Copy)]
struct Allowed {
    approval: bool,
    certificate: bool,
}

fn change(object: &Value, old: &Value, allowed: Allowed) -> Vec<Error> {
    let path = Path::new("status").child("conditions");
    let mut errors = conditions(list(at(object, "/status"), "conditions"), &path);
    let (certificate, before) =
        (text(at(object, "/status"), "certificate"), text(at(old, "/status"), "certificate"));
    let at_certificate = Path::new("status").child("certificate");
    if !certificate.is_empty() {
        let decoded = base64::decode(certificate).unwrap_or_default();
        if let Some(why) = chain(&decoded) {
            errors.invalid(&at_certificate, "<certificate data>", why);
        }
    }
    let of = |object: &Value, ty: &str| -> Vec<Value> {
        let conditions = list(at(object, "/status"), "conditions").iter();
        conditions.filter(|condition| condition["type"] == ty).cloned().collect()
    };
    let mut forbidden = |what: &str, ty: &str| {
        let why = format!("updates may not {what} a condition of type \"{ty}\"");
        errors.forbidden(&path, why);
    };
    for ty in ["Approved", "Denied", "Failed"] {
        if of(object, ty).len() < of(old, ty).len() {
            forbidden("remove", ty);
        }
    }
    for ty in if allowed.approval { [].as_slice() } else { &["Approved", "Denied"] } {
        let (new, old) = (of(object, ty), of(old, ty));
        if new.len() > old.len() {
            forbidden("add", ty);
        } else if new.len() == old.len() && new != old {
            forbidden("modify", ty);
        }
    }
    if certificate != before {
        if !allowed.certificate {
            errors.forbidden(&at_certificate, "updates may not set certificate content");
        } else if !before.is_empty() {
            let why = "updates may not modify existing certificate content";
            errors.forbidden(&at_certificate, why);
        }
    }
    errors
}

/// Returns the error message for an issued certificate.
fn chain(text: &[u8]) -> Option<String> {
    let blocks = pem::blocks(text);
    if blocks.is_empty() {
        return Some("must contain at least one CERTIFICATE PEM block".to_owned());
    }
    blocks.iter().find_map(|block| match block.kind.as_str() {
        "CERTIFICATE" => der::certificate(&block.bytes).map(str::to_owned),
        other => Some(format!("only CERTIFICATE PEM blocks are allowed, found {}", quote(other))),
    })
}

fn conditions(conditions: &[Value], path: &Path) -> Vec<Error> {
    let (mut errors, mut seen) = (Vec::new(), HashSet::new());
    for (index, condition) in conditions.iter().enumerate() {
        let (path_of, ty) = (path.index(index), text(condition, "type"));
        if ty.is_empty() {
            errors.required(path_of.child("type"), "");
        }
        let decision = matches!(ty, "Approved" | "Denied");
        let known: &[&str] =
            if decision || ty == "Failed" { &["True"] } else { &["False", "True", "Unknown"] };
        errors.extend(required_choice(condition, "status", known, &path_of));
        let other = if ty == "Approved" { "Denied" } else { "Approved" };
        if decision && seen.contains(&other) {
            let why = "Approved and Denied conditions are mutually exclusive";
            errors.invalid(path, ty, why);
        }
        if seen.contains(&ty) {
            errors.duplicate(path_of.child("type"), ty);
        }
        seen.insert(ty);
    }
    errors
}

fn signer(signer: &str, path: &Path) -> Vec<Error> {
    if signer.is_empty() {
        return vec![Error::required(path, "")];
    }
    if signer == "kubernetes.io/legacy-unknown" {
        let why = "the legacy signerName is not allowed via this API version";
        return vec![Error::invalid(path, signer, why)];
    }
    let Some((domain, rest)) = signer.split_once('/').filter(|(_, rest)| !rest.contains('/')) else {
        let why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return vec![Error::invalid(path, signer, why)];
    };
    let mut errors = Vec::new();
    if domain.len() > MAX_DOMAIN {
        errors.too_long(path, MAX_DOMAIN);
    }
    errors.extend(labels(domain, name::label, path));
    if !domain.contains('.') {
        let why = "should be a domain with at least two segments separated by dots";
        errors.invalid(path, domain, why);
    }
    errors.extend(labels(rest, name::subdomain, path));
    if signer.len() > MAX_SIGNER {
        errors.too_long(path, MAX_SIGNER);
    }
    errors
}

/// Returns the errors of the first invalid part between the dots.
fn labels(text: &str, rule: fn(&str) -> Vec<String>, path: &Path) -> Vec<Error> {
    let bad = text.split('.').map(|label| (label, rule(label))).find(|(_, whys)| !whys.is_empty());
    let (label, whys) = bad.unwrap_or_default();
    let label = quote(label);
    whys.into_iter()
        .map(|why| Error::invalid(path, text, format!("validating label {label}: {why}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use field::aggregate;

    /// A request of somebody in the group `dev`.
    const REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIY01JR0NBZ0VBTUNBeEVEQU9CZ05WQkFNTUIzTnZiV1Z2Ym1VeEREQUtCZ05WQkFvTUEyUmxkakJaTUJNRwpCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQk1tNDdRZDZnNDNNVUR3TjhkTU43ak5WYUo1a3ZGZXNiZ01PCnBYQnNXdlNlaGZKdUxBVlpkUm1OVm9MNWxlUGhIUStHWHl1a3lTWFlCWDZZbXgveHB1Q2dBREFLQmdncWhrak8KUFFRREFnTkpBREJHQWlFQTFFSTdUeE1KMGJML2JudDFFU2NkTk02VDJaN3V2WFB5Y201dVhPTkdVcWdDSVFDbQpHN3Ftei9EcnRHQzZBQnlmdGIxMGRsWGZaZW53OFlhYUZNd2NFQ2R4VWc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

    #[test]
    fn certificates() {
        let check = |kind: &str, bytes: &[u8], expected: &str| {
            let text = format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", base64::encode(bytes));
            assert_eq!(chain(text.as_bytes()).unwrap_or_default(), expected);
        };
        check("CERTIFICATE", &[0x30, 2, 0x30, 0], "");
        check("CERTIFICATE", b"a", "x509: malformed certificate");
        check("KEY", b"a", "only CERTIFICATE PEM blocks are allowed, found \"KEY\"");
        assert_eq!(chain(b"x").as_deref(), Some("must contain at least one CERTIFICATE PEM block"));
    }

    #[track_caller]
    fn check(more: impl Into<Value>, expected: &str) {
        let mut spec = json!({"request": REQUEST, "usages": ["client auth"], "signerName": "a.io/b"});
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
