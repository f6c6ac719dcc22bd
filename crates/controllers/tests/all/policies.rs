//! ValidatingAdmissionPolicies, whose status says what does not fit the types of what they match.

use json_tree::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::pods::JSON;

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn cluster() -> Cluster {
    let mut cluster = Cluster::with(&["validatingadmissionpolicy-status-controller"]);
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer"}, "port": {"x-kubernetes-int-or-string": true}}});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let definition = json!({
        "metadata": {"name": "boxes.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "boxes", "kind": "Box"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    });
    cluster.send("POST", DEFINITIONS, &definition, JSON);
    cluster.settle();
    cluster
}

/// A rule that matches resources of a version of a group.
fn rule(group: &str, version: &str, resources: &[&str]) -> Value {
    json!({"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE"], "resources": resources})
}

/// Creates a policy with these rules and this specification beside them, and returns its status.
fn status(rules: &Value, mut spec: Value) -> Value {
    let mut cluster = cluster();
    spec.as_object_mut().unwrap().insert("matchConstraints".to_owned(), json!({"resourceRules": rules}));
    let policy = json!({"metadata": {"name": "p"}, "spec": spec});
    cluster.send("POST", POLICIES, &policy, JSON);
    cluster.settle();
    assert_eq!(cluster.manager.next_due(), None);
    cluster.get(&[POLICIES, "/p"].concat())["status"].clone()
}

/// Checks the warnings about one expression: the places, and the texts.
#[track_caller]
fn check(rules: &Value, expression: &str, expected: &[(&str, &str)]) {
    let spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "variables": [{"name": "replicas", "expression": "object.spec.replicas"}, {"name": "no", "expression": "object.no"}],
        "validations": [{"expression": expression}],
    });
    let status = status(rules, spec);
    assert_eq!(status["observedGeneration"], 1);
    let found: Vec<(&str, &str)> = status["typeChecking"]["expressionWarnings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|warning| (warning.text("fieldRef"), warning.text("warning")))
        .collect();
    assert_eq!(found, expected, "{expression}");
}

fn deployments() -> Value {
    json!([rule("apps", "v1", &["deployments"])])
}

#[test]
fn expressions_are_checked_by_the_types_of_objects() {
    const FIRST: &str = "spec.validations[0].expression";
    check(&deployments(), "object.spec.replicas < 5 && object.metadata.name != params.data['a']", &[]);
    check(
        &deployments(),
        "variables.replicas > 1 && has(oldObject.spec.template.spec.containers[0].image)",
        &[],
    );
    check(&deployments(), "authorizer.group('').resource('pods').check('create').allowed()", &[]);
    check(&deployments(), "variables.no == 'of any type'", &[]);
    check(&deployments(), "object.spec.strategy.rollingUpdate.maxSurge == '25%'", &[]);
    check(
        &deployments(),
        "object.replicas > 1",
        &[(
            FIRST,
            "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
        )],
    );
    check(
        &deployments(),
        "variables.replicas == '1'",
        &[(
            FIRST,
            "apps/v1, Kind=Deployment: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(int, string)'\n | variables.replicas == '1'\n | ...................^\n",
        )],
    );
    check(
        &deployments(),
        "params.spec == 1",
        &[(
            FIRST,
            "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'spec'\n | params.spec == 1\n | ......^\n",
        )],
    );
}

#[test]
fn each_kind_that_is_named_is_checked() {
    let size = "object.spec.size > 1";
    let wrong = |kind: &str| {
        [kind, ": ERROR: <input>:1:12: undefined field 'size'\n | object.spec.size > 1\n | ...........^\n"]
            .concat()
    };
    let both = [wrong("/v1, Kind=Pod"), wrong("apps/v1, Kind=Deployment")].join("\n");
    let rules = json!([
        rule("", "v1", &["pods", "pods/status"]),
        rule("apps", "v1", &["deployments"]),
        rule("example.com", "v1", &["boxes"]),
    ]);
    check(&rules, size, &[("spec.validations[0].expression", &both)]);
    // A wildcard may be anything, and so is what is not served.
    check(&json!([rule("*", "v1", &["pods"])]), size, &[]);
    check(&json!([rule("", "v1", &["*"]), rule("example.com", "v2", &["boxes"])]), size, &[]);
}

#[test]
fn messages_are_checked_and_changes_are_seen() {
    let spec = json!({"validations": [
        {"expression": "true"},
        {"expression": "object.spec.size == 1", "messageExpression": "'size ' + object.spec.size"},
    ]});
    let warnings =
        &status(&json!([rule("example.com", "v1", &["boxes"])]), spec)["typeChecking"]["expressionWarnings"];
    assert_eq!(warnings[0].text("fieldRef"), "spec.validations[1].messageExpression");
    let text = warnings[0].text("warning");
    assert!(
        text.starts_with(
            "example.com/v1, Kind=Box: ERROR: <input>:1:9: found no matching overload for '_+_'"
        ),
        "{text}"
    );

    let mut cluster = cluster();
    let mut policy = json!({"metadata": {"name": "p"}, "spec": {
        "matchConstraints": {"resourceRules": deployments()}, "validations": [{"expression": "true"}],
    }});
    cluster.send("POST", POLICIES, &policy, JSON);
    cluster.settle();
    let path = [POLICIES, "/p"].concat();
    assert_eq!(cluster.get(&path)["status"], json!({"observedGeneration": 1, "typeChecking": {}}));
    policy = cluster.get(&path);
    policy["spec"]["validations"][0]["expression"] = json!("object.spec == 1");
    cluster.send("PUT", &path, &policy, JSON);
    cluster.settle();
    let status = cluster.get(&path)["status"].clone();
    assert_eq!(status["observedGeneration"], 2);
    assert_eq!(status["typeChecking"]["expressionWarnings"].as_array().map(Vec::len), Some(1));
}
