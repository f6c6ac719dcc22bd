use json_tree::json;

use super::*;
use field::aggregate;

const RULES: Rules =
    Rules { name: NameRule::Subdomain, generate_name: true, namespaced: true, known_finalizers: true };

#[track_caller]
fn check(mut metadata: Value, expected: &str) {
    if let Some(map) = metadata.as_object_mut() {
        map.entry("name").or_insert("a".into());
        map.entry("namespace").or_insert("default".into());
    }
    let errors = validate(&json!({"metadata": metadata}), &RULES);
    assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected);
}

#[track_caller]
fn check_update(change: Value, was: Value, expected: &str) {
    let full = |part: Value| {
        let mut metadata = json!({"name": "a", "namespace": "default", "uid": "u", "resourceVersion": "5",
            "creationTimestamp": "2020-01-01T00:00:00Z"});
        if let (Some(all), Value::Object(part)) = (metadata.as_object_mut(), part) {
            all.extend(part);
        }
        json!({"metadata": metadata})
    };
    let errors = validate_update(&full(change), &full(was), &RULES);
    assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected);
}

const KEY: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[test]
fn names() {
    check(json!({}), "");
    check(json!({"name": ""}), "metadata.name: Required value: name or generateName is required");
    check(json!({"name": null}), "metadata.name: Required value: name or generateName is required");
    check(json!({"name": "a-x", "generateName": "a-"}), "");
}

#[test]
fn namespaces() {
    check(json!({"namespace": ""}), "metadata.namespace: Required value");
    check(json!({"namespace": "a.b"}), "metadata.namespace: Invalid value: \"a.b\": must not contain dots");
    let rules = Rules { namespaced: false, ..RULES };
    let errors = validate(&json!({"metadata": {"name": "a", "namespace": "b"}}), &rules);
    assert_eq!(aggregate(&errors), "metadata.namespace: Forbidden: not allowed on this type");
}

#[test]
fn label_maps() {
    check(json!({"labels": {"a.b/C": "", "d": "E"}}), "");
    check(
        json!({"labels": {"-x": "y z"}}),
        &format!(
            "[metadata.labels: Invalid value: \"-x\": {KEY}, metadata.labels: Invalid value: \"y z\": {VALUE}]"
        ),
    );
}

#[test]
fn annotation_maps() {
    check(json!({"annotations": {"a": "any thing\n{}", "AbC.D/Ef": ""}}), "");
    check(
        json!({"annotations": {"a b": "x"}}),
        &format!("metadata.annotations: Invalid value: \"a b\": {KEY}"),
    );
    check(json!({"annotations": {"a": "x".repeat(262_143)}}), "");
    check(
        json!({"annotations": {"a": "x".repeat(262_144)}}),
        "metadata.annotations: Too long: may not be more than 262144 bytes",
    );
}

#[test]
fn owners() {
    check(json!({"ownerReferences": [{"apiVersion": "apps/v1", "kind": "A", "name": "a", "uid": "u"}]}), "");
    check(
        json!({"ownerReferences": [{"uid": "u"}]}),
        "[metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty, \
         metadata.ownerReferences.kind: Invalid value: \"\": must not be empty, \
         metadata.ownerReferences.name: Invalid value: \"\": must not be empty]",
    );
    let owner =
        |name: &str| json!({"apiVersion": "v1", "kind": "C", "name": name, "uid": "u", "controller": true});
    check(
        json!({"ownerReferences": [owner("o1"), owner("o2")]}),
        "metadata.ownerReferences: Invalid value: \
         [{\"apiVersion\":\"v1\",\"kind\":\"C\",\"name\":\"o1\",\"uid\":\"u\",\"controller\":true},\
         {\"apiVersion\":\"v1\",\"kind\":\"C\",\"name\":\"o2\",\"uid\":\"u\",\"controller\":true}]: \
         Only one reference can have Controller set to true. Found \"true\" in references for C/o1 and C/o2",
    );
}

#[test]
fn finalizer_lists() {
    check(json!({"finalizers": ["kubernetes", "x.io/a", "x.io/a"]}), "");
    check(
        json!({"finalizers": ["a b", "bad"]}),
        &format!(
            "[metadata.finalizers: Invalid value: \"a b\": {KEY}, \
             metadata.finalizers[0]: Invalid value: \"a b\": name is neither a standard finalizer name nor is it fully qualified, \
             metadata.finalizers[1]: Invalid value: \"bad\": name is neither a standard finalizer name nor is it fully qualified]"
        ),
    );
    check(
        json!({"finalizers": ["orphan", "foregroundDeletion"]}),
        "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion cannot be both set",
    );
}

#[test]
fn changes() {
    check_update(json!({}), json!({}), "");
    check_update(json!({"labels": {"a": "b"}, "deletionTimestamp": null}), json!({}), "");
    check_update(
        json!({"resourceVersion": ""}),
        json!({}),
        "metadata.resourceVersion: Invalid value: \"\": must be specified for an update",
    );
    check_update(json!({"uid": "v"}), json!({}), "metadata.uid: Invalid value: \"v\": field is immutable");
    check_update(
        json!({"generation": 1}),
        json!({"generation": 2}),
        "metadata.generation: Invalid value: 1: must not be decremented",
    );
    check_update(
        json!({"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5}),
        json!({}),
        "[metadata.deletionTimestamp: Invalid value: \"2020-01-01T00:00:00Z\": field is immutable, \
         metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable]",
    );
    check_update(
        json!({"deletionTimestamp": "t", "finalizers": ["example.com/h", "example.com/a", "example.com/k"]}),
        json!({"deletionTimestamp": "t", "finalizers": ["example.com/k"]}),
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, \
         found new finalizers []string{\"example.com/a\", \"example.com/h\"}",
    );
}

#[test]
fn the_missing_resource_version() {
    assert_eq!(
        resource_version_required().to_string(),
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    );
}

#[test]
fn field_managers() {
    let check = |manager: &str, expected: &[&str]| {
        let errors = field_manager(manager, &Path::new("fieldManager"));
        assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
    };
    check("kubectl é", &[]);
    check(&"m".repeat(129), &["fieldManager: Too long: may not be more than 128 bytes"]);
    check("a\nb", &["fieldManager: Invalid value: \"a\\nb\": invalid character U+000A (at position 1)"]);
}

#[test]
fn names_in_managed_fields() {
    let entry =
        |manager: &str, part: &str| json!([{"manager": "m"}, {"manager": manager, "subresource": part}]);
    check_update(json!({"managedFields": entry("kubectl", "status")}), json!({}), "");
    check_update(
        json!({"managedFields": entry(&"m".repeat(129), &"s".repeat(257))}),
        json!({}),
        "[metadata.managedFields[1].manager: Too long: may not be more than 128 bytes, \
         metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes]",
    );
    check(
        json!({"managedFields": entry("a\nb", "")}),
        "metadata.managedFields[1].manager: Invalid value: \"a\\nb\": invalid character U+000A (at position 1)",
    );
}
