//! `APIService`s: one that is served here is there at once.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>

use crate::kind::{REQUIRES_VERSION, Strategy, keep_metadata};
use json_tree::Value;

use apimachinery::object::{Object, metadata_text};

pub(super) const STRATEGY: Strategy =
    Strategy { prepare_for_create, prepare_for_status_update: keep_metadata, ..REQUIRES_VERSION };

fn prepare_for_create(service: &mut Object) {
    if service.get("spec").and_then(|spec| spec.get("service")).is_some_and(|service| !service.is_null()) {
        return;
    }
    let now = metadata_text(service, "creationTimestamp").to_owned();
    service.insert("status".to_owned(), local_status(&now));
}

/// Returns the status of an APIService that is served here; `now` is when it was made.
pub fn local_status(now: &str) -> Value {
    let text = [LOCAL.0, now, LOCAL.1].concat();
    text.parse().unwrap_or_default()
}

/// That status, before and after the time.
const LOCAL: (&str, &str) = (
    r#"{"conditions":[{"type":"Available","status":"True","lastTransitionTime":""#,
    r#"","reason":"Local","message":"Local APIServices are always available"}]}"#,
);

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn what_is_served_here_is_there() {
        let check = |spec: Value, expected: Value| {
            let metadata = json!({"name": "v1.a", "creationTimestamp": "2026-01-01T00:00:00Z"});
            let Value::Object(mut service) = json!({"metadata": metadata, "spec": spec}) else { return };
            prepare_for_create(&mut service);
            assert_eq!(service.get("status").cloned().unwrap_or_default(), expected);
        };
        check(json!({"group": "a", "service": {"name": "s", "namespace": "n"}}), Value::Null);
        check(
            json!({"group": "a"}),
            json!({"conditions": [{"type": "Available", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z",
                "reason": "Local", "message": "Local APIServices are always available"}]}),
        );
    }
}
