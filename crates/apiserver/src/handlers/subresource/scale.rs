//! `scale`: how many replicas a workload is to have, and has, whatever its kind.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/autoscaling-resources/scale-v1/>

use json_tree::{Value, json};
use schema::Types;

use crate::resource::Resource;
use crate::{custom, registry};
use apimachinery::object::Object;
use apimachinery::selector::LabelSelector;
use apimachinery::typed_object::TypedObject;

/// Makes a `Scale` of a stored workload.
pub(super) fn show(resource: &Resource, workload: &Object) -> Object {
    if let Some(paths) = resource.scale() {
        return custom::scale::show_or_empty(paths, workload);
    }
    let part = |part: &str, key: &str| workload.get(part).and_then(|part| part.get(key));
    let number = |holder: &str| part(holder, "replicas").and_then(Value::as_i64).unwrap_or_default();
    let metadata: Object = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), part("metadata", key)?.clone())))
        .collect();
    let spec = match number("spec") {
        0 => json!({}),
        replicas => json!({ "replicas": replicas }),
    };
    let mut status = json!({ "replicas": number("status") });
    let selector = selector(resource, part("spec", "selector"));
    if !selector.is_empty() {
        status["selector"] = selector.into();
    }
    let entries = [("metadata", Value::Object(metadata)), ("spec", spec), ("status", status)];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Which pods the workload counts, as `labelSelector=` has it. A ReplicationController selects by labels alone.
fn selector(resource: &Resource, selector: Option<&Value>) -> String {
    let selector = match selector {
        Some(labels) if resource.kind == "ReplicationController" => json!({ "matchLabels": labels }),
        Some(selector) => selector.clone(),
        None => return String::new(),
    };
    LabelSelector::of(&selector).map(|selector| selector.to_string()).unwrap_or_default()
}

/// Takes over into the workload (the last) what a `Scale` says.
pub(super) fn adopt(resource: &Resource, scale: &Object, workload: &mut Object) {
    if let Some(paths) = resource.scale() {
        return custom::scale::adopt(paths, scale, workload);
    }
    let replicas = scale.get("spec").and_then(|spec| spec.get("replicas")).and_then(Value::as_i64);
    let types = Types::builtin();
    let Some(ty) = registry::stored_type(resource) else { return };
    let mut workload = TypedObject::new(types, types.get(ty), workload);
    if let Some(mut spec) = workload.ensure("spec") {
        spec.set("replicas", replicas.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(resource: &str, workload: Value, expected: &str) {
        let resource =
            crate::resource::built_in().iter().find(|row| row.name == resource).expect("a resource");
        let Value::Object(workload) = workload else { panic!("not an object") };
        assert_eq!(Value::Object(show(resource, &workload)).to_string(), expected);
    }

    #[test]
    fn a_workload_shows_what_scales() {
        check(
            "deployments",
            json!({
                "metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "5", "generation": 2,
                    "creationTimestamp": "t", "labels": {"x": "y"}},
                "spec": {"replicas": 3, "selector": {
                    "matchLabels": {"b": "1", "a": "2"},
                    "matchExpressions": [
                        {"key": "c", "operator": "NotIn", "values": ["y", "x"]},
                        {"key": "aa", "operator": "DoesNotExist"},
                    ],
                }},
                "status": {"replicas": 2},
            }),
            r#"{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"5","creationTimestamp":"t"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"a=2,!aa,b=1,c notin (x,y)"}}"#,
        );
    }

    #[test]
    fn no_replicas_are_left_out_of_the_spec_alone() {
        check(
            "replicationcontrollers",
            json!({"metadata": {"name": "a"}, "spec": {"replicas": 0, "selector": {"a": "b"}}, "status": {"replicas": 0}}),
            r#"{"metadata":{"name":"a"},"spec":{},"status":{"replicas":0,"selector":"a=b"}}"#,
        );
    }

    #[test]
    fn replicas_stand_where_the_type_has_them() {
        let resource =
            crate::resource::built_in().iter().find(|row| row.name == "deployments").expect("a resource");
        let (Value::Object(scale), Value::Object(mut workload)) =
            (json!({"spec": {}}), json!({"spec": {"selector": {}, "paused": true}}))
        else {
            panic!("not objects")
        };
        adopt(resource, &scale, &mut workload);
        assert_eq!(
            Value::Object(workload).to_string(),
            r#"{"spec":{"replicas":0,"selector":{},"paused":true}}"#
        );
    }
}
