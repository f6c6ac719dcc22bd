use json_tree::Value;
use schema::Types;

use super::{Typed, ValidationError};
use crate::set::Set;
use crate::shape::Shape;

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// A value as an object of a built-in kind.
fn typed<'a>(package: &str, kind: &str, value: &'a Value) -> Typed<'a> {
    let types = Types::builtin();
    let root = types.find(package, kind).expect("a built-in kind");
    Typed { types, shape: Shape::Object(root), value }
}

fn service(value: &Value) -> Typed<'_> {
    typed("k8s.io/api/core/v1", "Service", value)
}

#[track_caller]
fn check_errors(object: &str, expected: &str) {
    let object = value(object);
    let errors = service(&object).validate().expect_err("not of its type");
    assert_eq!(ValidationError::join(&errors), expected);
}

#[test]
fn what_is_not_of_its_type() {
    check_errors(r#"{"spec":{"port":1}}"#, ".spec.port: field not declared in schema");
    check_errors(
        r#"{"spec":{"type":1}}"#,
        ".spec.type: expected string, got &value.valueUnstructured{Value:1}",
    );
    check_errors(
        r#"{"spec":{"publishNotReadyAddresses":"x"}}"#,
        ".spec.publishNotReadyAddresses: expected boolean, got &{x}",
    );
    check_errors(
        r#"{"spec":{"healthCheckNodePort":"x"}}"#,
        ".spec.healthCheckNodePort: expected numeric (int or float), got string",
    );
    check_errors(r#"{"spec":[1]}"#, ".spec: expected map, got &{[1]}");
    check_errors(
        r#"{"spec":{"ports":[{"port":1},{"port":1,"protocol":"TCP"}]}}"#,
        ".spec.ports: duplicate entries for key [port=1,protocol=\"TCP\"]",
    );
    check_errors(
        r#"{"spec":{"ports":[null]}}"#,
        ".spec.ports: element 0: associative list with keys may not have a null element",
    );
    check_errors(
        r#"{"spec":{"ports":[{"port":1,"x":1}]}}"#,
        ".spec.ports[port=1,protocol=\"TCP\"].x: field not declared in schema",
    );
}

#[track_caller]
fn check_set(object: &str, expected: &str) {
    assert_eq!(service(&value(object)).to_set().to_json().to_string(), expected);
}

#[test]
fn fields_of_a_value() {
    check_set(
        r#"{"metadata":{"labels":{"a":"b"}},"spec":{"type":"x"}}"#,
        r#"{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:type":{}}}"#,
    );
    check_set(
        r#"{"spec":{"selector":{"a":"b"},"ports":[{"port":1}]}}"#,
        r#"{"f:spec":{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:selector":{}}}"#,
    );
    check_set(r#"{"metadata":{"finalizers":["a"]}}"#, r#"{"f:metadata":{"f:finalizers":{"v:\"a\"":{}}}}"#);
    check_set(r#"{"spec":{},"status":null}"#, r#"{"f:spec":{},"f:status":{}}"#);
}

#[track_caller]
fn check_compare(older: &str, newer: &str, expected: [&str; 3]) {
    let comparison = service(&value(older)).compare(&value(newer));
    let found = [comparison.added, comparison.modified, comparison.removed];
    assert_eq!(found.map(|set| set.to_json().to_string()), expected);
}

#[test]
fn what_changed() {
    check_compare(
        r#"{"metadata":{"labels":{"a":"1","b":"1"}}}"#,
        r#"{"metadata":{"labels":{"b":"2","c":"1"}}}"#,
        [
            r#"{"f:metadata":{"f:labels":{"f:c":{}}}}"#,
            r#"{"f:metadata":{"f:labels":{"f:b":{}}}}"#,
            r#"{"f:metadata":{"f:labels":{"f:a":{}}}}"#,
        ],
    );
    check_compare(
        r#"{"spec":{"selector":{"a":"1"}}}"#,
        r#"{"spec":{"selector":{"a":"1","b":"1"},"ports":[{"port":1}]}}"#,
        [
            r#"{"f:spec":{"f:ports":{".":{},"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}"#,
            r#"{"f:spec":{"f:selector":{}}}"#,
            "{}",
        ],
    );
    check_compare(r#"{"spec":{}}"#, r#"{"spec":{}}"#, ["{}"; 3]);
}

#[track_caller]
fn check_merge(live: &str, config: &str, expected: &str) {
    assert_eq!(service(&value(live)).merge(&value(config)).to_string(), expected);
}

#[test]
fn merging() {
    check_merge(
        r#"{"spec":{"type":"a","selector":{"a":"1"}}}"#,
        r#"{"spec":{"type":"b","selector":{"b":"2"}}}"#,
        r#"{"spec":{"type":"b","selector":{"b":"2"}}}"#,
    );
    check_merge(
        r#"{"metadata":{"labels":{"a":"1"}}}"#,
        r#"{"metadata":{"labels":null}}"#,
        r#"{"metadata":{"labels":{"a":"1"}}}"#,
    );
    let finalizers = |list: &str| ["{\"metadata\":{\"finalizers\":", list, "}}"].concat();
    for (live, config, expected) in [
        (r#"["a","b"]"#, r#"["c"]"#, r#"["a","b","c"]"#),
        (r#"["a","b","c"]"#, r#"["c","a"]"#, r#"["b","c","a"]"#),
        (r#"["a","b","c"]"#, r#"["b","x"]"#, r#"["a","b","c","x"]"#),
        (r#"["a","x","b"]"#, r#"["b","a"]"#, r#"["x","b","a"]"#),
    ] {
        check_merge(&finalizers(live), &finalizers(config), &finalizers(expected));
    }
}

#[track_caller]
fn check_remove(object: &str, fields: &[&[&str]], left: &str, extracted: &str) {
    let (object, fields) = (value(object), Set::of_fields(fields));
    assert_eq!(service(&object).remove(&fields).to_string(), left);
    assert_eq!(service(&object).extract(&fields).to_string(), extracted);
}

#[test]
fn removing() {
    check_remove(
        r#"{"metadata":{"labels":{"a":"1","b":"2"}},"spec":{"type":"x"}}"#,
        &[&["metadata", "labels", "a"]],
        r#"{"metadata":{"labels":{"b":"2"}},"spec":{"type":"x"}}"#,
        r#"{"metadata":{"labels":{"a":"1"}}}"#,
    );
    check_remove(
        r#"{"metadata":{"labels":{"a":"1"}},"spec":{"type":"x"}}"#,
        &[&["metadata", "labels", "a"]],
        r#"{"metadata":{"labels":null},"spec":{"type":"x"}}"#,
        r#"{"metadata":{"labels":{"a":"1"}}}"#,
    );
}
