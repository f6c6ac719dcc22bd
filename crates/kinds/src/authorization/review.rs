//! Questions on access.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access>.

use json_tree::{Map, Value, json};

use crate::validation::name;
use crate::validation::read::{at, get, list, text};
use field::{AddError, Error, Path};

/// A SubjectAccessReview.
fn subject(object: &Value) -> Vec<Error> {
    let mut errors: Vec<Error> = attributes(object).into_iter().collect();
    let spec = at(object, "/spec");
    if text(spec, "user").is_empty() && list(spec, "groups").is_empty() {
        let why = "at least one of user or group must be specified";
        errors.invalid(Path::new("spec").child("user"), "", why);
    }
    errors.extend(selectors(spec));
    errors
}

/// A SubjectAccessReview that belongs to nobody.
pub(super) fn cluster_subject(object: &Value) -> Vec<Error> {
    let mut errors = subject(object);
    errors.extend(empty_metadata(object, &[], "must be empty"));
    errors
}

/// A LocalSubjectAccessReview, which asks of its own namespace alone.
pub(super) fn local_subject(object: &Value) -> Vec<Error> {
    let mut errors = subject(object);
    errors.extend(empty_metadata(object, &["namespace"], "must be empty except for namespace"));
    let spec = at(object, "/spec");
    if let Some(asked) = get(spec, "resourceAttributes") {
        let namespace = text(asked, "namespace");
        if namespace != text(at(object, "/metadata"), "namespace") {
            let path = Path::new("spec").child("resourceAttributes").child("namespace");
            errors.invalid(&path, namespace, "must match metadata.namespace");
        }
    }
    if let Some(asked) = get(spec, "nonResourceAttributes") {
        let path = Path::new("spec").child("nonResourceAttributes");
        errors.invalid(&path, shown(asked), "disallowed on this kind of request");
    }
    errors
}

/// A SelfSubjectAccessReview.
pub(crate) fn own(object: &Value) -> Vec<Error> {
    let mut errors: Vec<Error> = attributes(object).into_iter().collect();
    errors.extend(selectors(at(object, "/spec")));
    errors.extend(empty_metadata(object, &[], "must be empty"));
    errors
}

/// It is asked either of a resource or of a path.
fn attributes(object: &Value) -> Option<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    match (get(spec, "resourceAttributes"), get(spec, "nonResourceAttributes")) {
        (Some(_), Some(other)) => {
            let why = "cannot be specified in combination with resourceAttributes";
            Some(Error::invalid(path.child("nonResourceAttributes"), shown(other), why))
        }
        (None, None) => {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            Some(Error::invalid(path.child("resourceAttributes"), Value::Null, why))
        }
        _ => None,
    }
}

/// Attributes as Go prints its internal struct.
fn shown(attributes: &Value) -> Value {
    json!({ "Path": text(attributes, "path"), "Verb": text(attributes, "verb") })
}

fn empty_metadata(object: &Value, but: &[&str], why: &str) -> Option<Error> {
    let metadata = at(object, "/metadata").as_object()?;
    let sent: Map<String, Value> = metadata
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    // Who sent the rest is the server's note.
    let empty = sent.keys().all(|key| key == "managedFields" || but.contains(&key.as_str()));
    (!empty).then(|| Error::invalid(Path::new("metadata"), sent, why))
}

/// Validates the selectors in the resource attributes of an access review. Operators that are not known may be newer.
fn selectors(spec: &Value) -> Vec<Error> {
    let path = Path::new("spec").child("resourceAttributes");
    let mut errors = Vec::new();
    for field in ["fieldSelector", "labelSelector"] {
        let Some(selector) = get(spec, "resourceAttributes").and_then(|asked| get(asked, field)) else {
            continue;
        };
        let at = path.child(field);
        let (raw, requirements) = (text(selector, "rawSelector"), list(selector, "requirements"));
        match (raw.is_empty(), requirements.is_empty()) {
            (false, false) => {
                let why = "may not specified at the same time as requirements";
                errors.invalid(at.child("rawSelector"), raw, why);
            }
            (true, true) => {
                let why = format!("when {at} is specified, requirements or rawSelector is required");
                errors.required(at.child("requirements"), why);
            }
            _ => {}
        }
        for (index, requirement) in requirements.iter().enumerate() {
            let at = at.child("requirements").index(index);
            errors.extend(self::requirement(requirement, field == "labelSelector", &at));
        }
    }
    errors
}

fn requirement(requirement: &Value, of_labels: bool, path: &Path) -> Vec<Error> {
    let (key, values) = (text(requirement, "key"), list(requirement, "values"));
    let mut errors = Vec::new();
    if key.is_empty() && !of_labels {
        errors.required(path.child("key"), "must be specified");
    }
    match text(requirement, "operator") {
        "In" | "NotIn" if values.is_empty() => {
            errors.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'")
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => errors.forbidden(
            path.child("values"),
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        _ => {}
    }
    if of_labels {
        let at = path.child("key");
        errors.extend(name::qualified_name(key).into_iter().map(|why| Error::invalid(&at, key, why)));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    const ASKED: &str = r#"{"verb": "get", "resource": "pods", "namespace": "n"}"#;

    #[track_caller]
    fn check_spec(checked: fn(&Value) -> Vec<Error>, spec: &str, expected: &str) {
        let text =
            format!("{{\"metadata\": {{\"namespace\": \"n\"}}, \"spec\": {spec}}}").replace("ASKED", ASKED);
        check(&checked(&serde_json::from_str(&text).expect("JSON")), expected);
    }

    #[test]
    fn somebody_asks_of_something() {
        check_spec(subject, r#"{"user": "x", "resourceAttributes": ASKED}"#, "");
        check_spec(
            subject,
            "{}",
            "[spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes \
             must be specified, spec.user: Invalid value: \"\": at least one of user or group must be specified]",
        );
        check_spec(
            subject,
            r#"{"groups": ["g"], "resourceAttributes": ASKED, "nonResourceAttributes": {"path": "/", "verb": "get"}}"#,
            "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":\"get\"}: cannot be specified in \
             combination with resourceAttributes",
        );
    }

    #[test]
    fn nothing_else_is_said() {
        check_spec(local_subject, r#"{"user": "x", "resourceAttributes": ASKED}"#, "");
        check_spec(
            own,
            r#"{"resourceAttributes": ASKED}"#,
            "metadata: Invalid value: {\"namespace\":\"n\"}: must be empty",
        );
        check_spec(
            local_subject,
            r#"{"user": "x", "resourceAttributes": {"namespace": "other"}}"#,
            "spec.resourceAttributes.namespace: Invalid value: \"other\": must match metadata.namespace",
        );
    }

    #[test]
    fn selectors_are_raw_or_not() {
        let with = |selector: &str| {
            let selector: Value = serde_json::from_str(selector).expect("JSON");
            selectors(&json!({ "resourceAttributes": { "labelSelector": selector } }))
        };
        check(&with(r#"{"rawSelector": "a=b"}"#), "");
        check(&with(r#"{"requirements": [{"key": "a", "operator": "Like"}]}"#), "");
        check(
            &with("{}"),
            "spec.resourceAttributes.labelSelector.requirements: Required value: when \
             spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required",
        );
        check(
            &with(r#"{"requirements": [{"key": "a", "operator": "In"}]}"#),
            "spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be specified when \
             `operator` is 'In' or 'NotIn'",
        );
    }
}
