//! CertificateSigningRequests: who asks is what the server saw, what is asked for does not change, and approval and
//! certificate come by subresources of their own.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/>

use std::time::Duration;

use json_tree::Value;

use crate::kind::{DEFAULT, Strategy};
use apimachinery::User;
use apimachinery::object::Object;
use apimachinery::time;
use apimachinery::typed_object::TypedObject;

pub(super) const STRATEGY: Strategy = Strategy {
    prepare_for_create_by,
    prepare_for_update: |request, old| keep(request, old, &["spec", "status"]),
    prepare_for_status_update: stamp,
    keep_all_but_part: &[("approval", keep_all_but_conditions)],
    ..DEFAULT
};

fn prepare_for_create_by(request: &mut Object, user: &User) {
    let Some(mut request) =
        TypedObject::builtin("k8s.io/api/certificates/v1", "CertificateSigningRequest", request)
    else {
        return;
    };
    let Some(mut spec) = request.ensure("spec") else { return };
    for key in ["username", "uid", "groups", "extra"] {
        spec.remove(key);
    }
    for (key, text) in [("username", &user.name), ("uid", &user.uid)] {
        if !text.is_empty() {
            spec.set(key, text.as_str());
        }
    }
    if !user.groups.is_empty() {
        spec.set("groups", user.groups.clone());
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(key, values)| (key.clone(), values.clone().into()));
        spec.set("extra", extra.collect::<Object>());
    }
}

fn keep(request: &mut Object, old: &Object, keys: &[&str]) {
    for key in keys {
        if let Some(value) = old.get(*key) {
            request.insert((*key).to_owned(), value.clone());
        }
    }
}

/// A write of `approval` changes the conditions, and of the status nothing else.
fn keep_all_but_conditions(request: &mut Object, old: &Object, now: Duration) {
    let conditions = request.get("status").and_then(|status| status.get("conditions")).cloned();
    keep(request, old, &["spec", "status"]);
    let Some(mut fields) =
        TypedObject::builtin("k8s.io/api/certificates/v1", "CertificateSigningRequest", request)
    else {
        return;
    };
    if let Some(mut status) = fields.ensure("status") {
        match conditions {
            Some(conditions) => status.set("conditions", conditions),
            None => {
                status.remove("conditions");
            }
        }
    }
    stamp(request, old, now);
}

/// Sets when the conditions came about, where nobody has said so.
fn stamp(request: &mut Object, old: &Object, now: Duration) {
    let conditions = request.get_mut("status").and_then(|status| status.get_mut("conditions"));
    let conditions = conditions.and_then(Value::as_array_mut).into_iter().flatten();
    for condition in conditions.filter_map(Value::as_object_mut) {
        let (ty, status) = (condition.get("type").cloned(), condition.get("status").cloned());
        let before = old.get("status").and_then(|status| status.get("conditions")?.as_array());
        let same = |other: &&Value| {
            other.get("type") == ty.as_ref()
                && other.get("status") == status.as_ref()
                && !other["lastTransitionTime"].is_null()
        };
        let since = before.into_iter().flatten().find(same).map(|other| other["lastTransitionTime"].clone());
        let now = Value::from(time::rfc3339(now));
        for (key, time) in [("lastUpdateTime", now.clone()), ("lastTransitionTime", since.unwrap_or(now))] {
            if condition.get(key).is_none_or(Value::is_null) {
                condition.insert(key.to_owned(), time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn object(value: Value) -> Object {
        match value {
            Value::Object(object) => object,
            _ => Object::new(),
        }
    }

    #[test]
    fn the_server_says_who_asks() {
        let mut request = object(
            json!({"spec": {"request": "r", "username": "liar", "extra": {"a": ["b"]}}, "status": {}}),
        );
        let user = User {
            name: "alice".to_owned(),
            uid: "2".to_owned(),
            groups: vec!["dev".to_owned()],
            ..User::default()
        };
        prepare_for_create_by(&mut request, &user);
        assert_eq!(
            Value::Object(request).to_string(),
            r#"{"spec":{"request":"r","username":"alice","uid":"2","groups":["dev"]},"status":{}}"#
        );
    }

    #[test]
    fn approval_writes_conditions_alone() {
        let old = object(json!({"spec": {"request": "r"}, "status": {"certificate": "c"}}));
        let sent = json!({"conditions": [{"type": "Approved", "status": "True", "lastUpdateTime": null,
            "lastTransitionTime": null}], "certificate": "other"});
        let mut request = object(json!({"spec": {"request": "x"}, "status": sent}));
        keep_all_but_conditions(&mut request, &old, Duration::from_secs(1));
        assert_eq!(
            Value::Object(request).to_string(),
            r#"{"spec":{"request":"r"},"status":{"conditions":[{"type":"Approved","status":"True","lastUpdateTime":"1970-01-01T00:00:01Z","lastTransitionTime":"1970-01-01T00:00:01Z"}],"certificate":"c"}}"#
        );
    }
}
