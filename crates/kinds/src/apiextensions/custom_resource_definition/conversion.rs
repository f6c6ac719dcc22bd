//! The conversion of custom resources from one version to another.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion>.

use json_tree::Value;

use super::is_established;
use crate::admissionregistration::webhook;
use crate::validation::checks::{required_choice, texts};
use crate::validation::read::{at, get, text};
use field::{AddError, Error, Path};
use golang::base64;

const STRATEGIES: [&str; 2] = ["None", "Webhook"];
const NOT_A_WEBHOOK: &str = "should not be set when strategy is not set to Webhook";
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// Validates a conversion. `preserves`: fields that no schema knows are kept.
pub(super) fn validate(conversion: &Value, preserves: bool, old: Option<&Value>, path: &Path) -> Vec<Error> {
    if conversion.is_null() {
        return Vec::new();
    }
    let strategy = text(conversion, "strategy");
    let mut errors = Vec::new();
    if strategy != "None" && preserves {
        let why = "must be None if spec.preserveUnknownFields is true";
        errors.invalid(path.child("strategy"), strategy, why);
    }
    errors.extend(required_choice(conversion, "strategy", &STRATEGIES, path));
    let webhook = at(conversion, "/webhook");
    let (config, at_config) = (get(webhook, "clientConfig"), path.child("webhookClientConfig"));
    let (versions, at_versions) =
        (texts(webhook, "conversionReviewVersions"), path.child("conversionReviewVersions"));
    if strategy == "Webhook" {
        match config {
            None => errors.required(&at_config, "required when strategy is set to Webhook"),
            Some(config) => {
                errors.extend(webhook::client(config, &at_config));
                if !allows_any_bundle(old) {
                    errors.extend(bundle(text(config, "caBundle"), &at_config.child("caBundle")));
                }
            }
        }
        errors.extend(review_versions(&versions, &at_versions));
    } else {
        if config.is_some() {
            errors.forbidden(&at_config, NOT_A_WEBHOOK);
        }
        if !versions.is_empty() {
            errors.forbidden(&at_versions, NOT_A_WEBHOOK);
        }
    }
    errors
}

fn review_versions(versions: &[&str], path: &Path) -> Vec<Error> {
    if versions.is_empty() {
        return vec![Error::required(path, "")];
    }
    webhook::review_versions(versions, path)
}

/// Certificates are looked at once the resource is served, and where they were sound before.
fn allows_any_bundle(old: Option<&Value>) -> bool {
    let Some(old) = old.filter(|old| is_established(old)) else { return true };
    let before = text(at(old, "/spec/conversion/webhook/clientConfig"), "caBundle");
    bundle(before, &Path::default()).is_some()
}

/// The error of base64 that holds no certificates.
fn bundle(text: &str, path: &Path) -> Option<Error> {
    let why = "data does not contain any valid RSA or ECDSA certificates";
    (!is_bundle(text)).then(|| Error::invalid(path, text, why))
}

/// Reports whether base64 holds certificates, or nothing.
pub fn is_bundle(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let decoded = base64::decode(text).unwrap_or_default();
    let pem = String::from_utf8_lossy(&decoded);
    let block = pem.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    block.is_some_and(|(body, _)| {
        let body: String = body.split_whitespace().collect();
        base64::decode(body).is_ok_and(|certificate| certificate.first() == Some(&0x30))
    })
}
