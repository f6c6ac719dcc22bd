//! Event.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>.

use serde_json::Value;

use super::read::{at, get, text};
use crate::field::{Error, Path};

/// What is wrong with an event of the core group.
pub(super) fn create_core(object: &Value) -> Vec<Error> {
    let namespace = text(at(object, "/metadata"), "namespace");
    let regarding =
        get(object, "involvedObject").or_else(|| get(object, "regarding")).unwrap_or(&Value::Null);
    let about = text(regarding, "namespace");
    // What lives in no namespace has its events in the namespace default.
    let agrees = if about.is_empty() { matches!(namespace, "" | "default") } else { about == namespace };
    if agrees {
        return Vec::new();
    }
    let path = Path::new("involvedObject").child("namespace");
    vec![Error::invalid(&path, about, "does not match event.namespace")]
}

/// What is wrong with an event of the group events.k8s.io.
pub(super) fn create(object: &Value) -> Vec<Error> {
    let mut errors = create_core(object);
    if get(object, "eventTime").is_none() {
        errors.push(Error::required(&Path::new("eventTime"), ""));
    }
    let kind = text(object, "type");
    if !matches!(kind, "Normal" | "Warning") {
        errors.push(Error::invalid(&Path::new("type"), "", format!("has invalid value: {kind}")));
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validation::kinds::check;

    #[test]
    fn events() {
        let event =
            |about: &str| json!({"metadata": {"namespace": "a"}, "involvedObject": {"namespace": about}});
        check(&create_core(&event("a")), "");
        check(
            &create_core(&event("default")),
            "involvedObject.namespace: Invalid value: \"default\": does not match event.namespace",
        );
        check(
            &create(&event("")),
            "[involvedObject.namespace: Invalid value: \"\": does not match event.namespace, \
             eventTime: Required value, type: Invalid value: \"\": has invalid value: ]",
        );
    }
}
