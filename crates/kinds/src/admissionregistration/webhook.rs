//! ValidatingWebhookConfiguration and MutatingWebhookConfiguration.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/>.

use std::collections::HashSet;

use json_tree::Value;

use crate::admissionregistration::expression::Scope;
use crate::admissionregistration::rules::{
    FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, conditions, rule,
};
use crate::validation::checks::{fully_qualified, named, repeated, texts};
use crate::validation::read::{get, integer, list, text};
use crate::validation::values::{one_of, port_number};
use crate::validation::{label_selector, name};
use field::{AddError, Error, Path};
use golang::url::Url;

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const HARMLESS: [&str; 2] = ["None", "NoneOnDryRun"];
const FORM: &str = "; desired format: https://host[/path]";

/// Validates the webhooks of a webhook configuration.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut names: HashSet<&str> = HashSet::new();
    for (index, hook) in list(object, "webhooks").iter().enumerate() {
        let path = Path::new("webhooks").index(index);
        errors.extend(one(hook, &path));
        errors.extend(versions(hook, &path.child("admissionReviewVersions")));
        let this = text(hook, "name");
        if names.contains(&this) {
            errors.duplicate(path.child("name"), this);
        }
        if !this.is_empty() {
            names.insert(this);
        }
    }
    errors
}

fn one(hook: &Value, path: &Path) -> Vec<Error> {
    let mut errors: Vec<Error> =
        fully_qualified(text(hook, "name"), 3, &path.child("name")).into_iter().collect();
    for (index, of) in list(hook, "rules").iter().enumerate() {
        errors.extend(rule(of, &path.child("rules").index(index)));
    }
    errors.extend(one_of(hook, "failurePolicy", &FAILURE_POLICIES, path));
    errors.extend(one_of(hook, "matchPolicy", &MATCH_POLICIES, path));
    if get(hook, "sideEffects").is_none() {
        let why = format!("must specify one of {}", HARMLESS.join(", "));
        errors.required(path.child("sideEffects"), why);
    }
    errors.extend(one_of(hook, "sideEffects", &HARMLESS, path));
    if let Some(seconds) = integer(hook, "timeoutSeconds").filter(|seconds| !(1..=30).contains(seconds)) {
        let why = "the timeout value must be between 1 and 30 seconds";
        errors.invalid(path.child("timeoutSeconds"), seconds, why);
    }
    for field in ["namespaceSelector", "objectSelector"] {
        if let Some(selector) = get(hook, field) {
            errors.extend(label_selector::validate(selector, &path.child(field)));
        }
    }
    errors.extend(one_of(hook, "reinvocationPolicy", &REINVOCATION_POLICIES, path));
    errors.extend(client(get(hook, "clientConfig").unwrap_or(&Value::Null), &path.child("clientConfig")));
    errors.extend(conditions(hook, &Scope::default(), path));
    errors
}

fn versions(hook: &Value, path: &Path) -> Vec<Error> {
    let versions = texts(hook, "admissionReviewVersions");
    if versions.is_empty() {
        return vec![Error::required(path, format!("must specify one of {}", REVIEW_VERSIONS.join(", ")))];
    }
    review_versions(&versions, path)
}

/// Validates the versions of reviews that a webhook understands.
pub(crate) fn review_versions(versions: &[&str], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, (version, repeated)) in versions.iter().zip(repeated(versions)).enumerate() {
        let at = path.index(index);
        if repeated {
            errors.invalid(&at, *version, "duplicate version");
        } else {
            errors.extend(named(version, name::dns1035_label, &at));
        }
    }
    if !versions.iter().any(|version| REVIEW_VERSIONS.contains(version)) {
        let why = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.invalid(path, versions.to_vec(), why);
    }
    errors
}

/// Validates the client configuration of a webhook: it has a URL, or a service of the cluster.
pub(crate) fn client(config: &Value, path: &Path) -> Vec<Error> {
    match (get(config, "url"), get(config, "service")) {
        (Some(at), None) => url(at.as_str().unwrap_or_default(), &path.child("url")),
        (None, Some(at)) => service(at, &path.child("service")),
        _ => vec![Error::required(path, "exactly one of url or service is required")],
    }
}

fn url(text: &str, path: &Path) -> Vec<Error> {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(why) => return vec![Error::required(path, format!("url must be a valid URL: {why}{FORM}"))],
    };
    let mut errors = Vec::new();
    if url.scheme != "https" {
        let why = format!("'https' is the only allowed URL scheme{FORM}");
        errors.invalid(path, url.scheme, why);
    }
    if url.host.is_empty() {
        errors.invalid(path, "", format!("host must be provided{FORM}"));
    }
    for (part, why) in [
        (url.user.map(|user| user.to_string()), "user information is not permitted in the URL"),
        (Some(url.fragment).filter(|part| !part.is_empty()), "fragments are not permitted in the URL"),
        (Some(url.query).filter(|part| !part.is_empty()), "query parameters are not permitted in the URL"),
    ] {
        errors.extend(part.map(|part| Error::invalid(path, part, why)));
    }
    errors
}

fn service(service: &Value, path: &Path) -> Vec<Error> {
    // The API server takes the one for the other here.
    let mut errors = Vec::new();
    if text(service, "namespace").is_empty() {
        errors.required(path.child("name"), "");
    }
    if text(service, "name").is_empty() {
        errors.required(path.child("namespace"), "");
    }
    let port = integer(service, "port").unwrap_or_default();
    let at = path.child("port");
    errors.extend(
        port_number(port, &at)
            .map(|error| Error::invalid(&at, port, format!("port is not valid: {}", error.detail))),
    );
    errors.extend(service_path(text(service, "path"), &path.child("path")));
    errors
}

fn service_path(text: &str, path: &Path) -> Vec<Error> {
    if matches!(text, "" | "/") {
        return Vec::new();
    }
    if text == "//" {
        return vec![Error::invalid(path, text, "segment[0] may not be empty")];
    }
    let mut errors = Vec::new();
    if !text.starts_with('/') {
        errors.invalid(path, text, "must start with a '/'");
    }
    let rest = text.split_at(text.chars().next().map_or(0, char::len_utf8)).1;
    // Each error shows the whole path.
    let most = field::most_that_show(text.len());
    for (index, step) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if errors.len() > most {
            break;
        }
        if step.is_empty() {
            errors.invalid(path, text, format!("segment[{index}] may not be empty"));
            continue;
        }
        let complaints = name::subdomain(step).into_iter();
        errors.extend(complaints.map(|why| Error::invalid(path, text, format!("segment[{index}]: {why}"))));
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(more: Value, expected: &str) {
        let mut hook = json!({"name": "a.b.io", "clientConfig": {"url": "https://x"}, "sideEffects": "None",
            "admissionReviewVersions": ["v1"]});
        if let (Some(hook), Value::Object(more)) = (hook.as_object_mut(), more) {
            hook.extend(more);
        }
        check_errors(&create(&json!({"webhooks": [hook]})), expected);
    }

    #[test]
    fn webhooks() {
        check(json!({}), "");
        check(
            json!({"name": "a", "sideEffects": null, "clientConfig": {}, "admissionReviewVersions": []}),
            "[webhooks[0].name: Invalid value: \"a\": should be a domain with at least three segments separated by dots, \
             webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, \
             webhooks[0].clientConfig: Required value: exactly one of url or service is required, \
             webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1]",
        );
        check(
            json!({"failurePolicy": "Shrug", "timeoutSeconds": 99, "sideEffects": "Some", "reinvocationPolicy": "Often"}),
            "[webhooks[0].failurePolicy: Unsupported value: \"Shrug\": supported values: \"Fail\", \"Ignore\", \
             webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\", \
             webhooks[0].timeoutSeconds: Invalid value: 99: the timeout value must be between 1 and 30 seconds, \
             webhooks[0].reinvocationPolicy: Unsupported value: \"Often\": supported values: \"IfNeeded\", \"Never\"]",
        );
        check(
            json!({"admissionReviewVersions": ["v0", "v0"]}),
            "[webhooks[0].admissionReviewVersions[1]: Invalid value: \"v0\": duplicate version, \
             webhooks[0].admissionReviewVersions: Invalid value: [\"v0\",\"v0\"]: must include at least one of v1, v1beta1]",
        );
    }

    #[test]
    fn clients() {
        let url = |url: &str, expected: &str| check(json!({"clientConfig": {"url": url}}), expected);
        url("https://x:1/y", "");
        url(
            "http://u:p@x?q#f",
            "[webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path], \
             webhooks[0].clientConfig.url: Invalid value: \"u:p\": user information is not permitted in the URL, \
             webhooks[0].clientConfig.url: Invalid value: \"f\": fragments are not permitted in the URL, \
             webhooks[0].clientConfig.url: Invalid value: \"q\": query parameters are not permitted in the URL]",
        );
        url(
            ":x",
            "webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse \":x\": missing protocol scheme; desired format: https://host[/path]",
        );
        let service =
            |more: Value, expected: &str| check(json!({"clientConfig": {"service": more}}), expected);
        service(json!({"name": "n", "namespace": "s", "port": 443, "path": "/a/b/"}), "");
        service(
            json!({"name": "n", "namespace": "s", "port": 0, "path": "a//b"}),
            "[webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive, \
             webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": must start with a '/', \
             webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": segment[0] may not be empty, \
             webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": segment[1] may not be empty]",
        );
    }
}
