#![allow(clippy::needless_pass_by_value, reason = "what is compared is made where it is passed")]

use json_tree::{Value, json};

use super::*;

/// A question about a pod with this policy, and with more in it.
fn question(policy: Value, more: Value) -> Value {
    let mut question = json!({
        "policy": policy,
        "mutation": null,
        "object": {"metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"replicas": 5}},
        "oldObject": null,
        "params": {"data": {"most": "3"}},
        "namespace": {"metadata": {"name": "n", "labels": {"env": "test"}, "creationTimestamp": "2026-01-01T00:00:00Z"}},
        "request": {"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}, "operation": "CREATE",
            "userInfo": {"username": "jane", "groups": ["a"]}, "dryRun": false},
        "resource": {"group": "apps", "resource": "deployments", "subresource": "", "namespace": "n", "name": "a"},
        "decisions": [],
    });
    if let (Some(question), Value::Object(more)) = (question.as_object_mut(), more) {
        question.extend(more);
    }
    question
}

/// Asserts the answer for a policy with one validation.
#[track_caller]
fn check(expression: &str, more: Value, expected: Value) {
    let mut policy = json!({"failurePolicy": "Fail", "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": expression}]});
    if let (Some(policy), Value::Object(more)) = (policy.as_object_mut(), more) {
        policy.extend(more);
    }
    assert_eq!(evaluate(&question(policy, json!({}))), expected, "{expression}");
}

fn denials(denials: Value) -> Value {
    json!({ "denials": denials, "annotations": [] })
}

#[test]
fn validations() {
    let failed = |text: &str| denials(json!([[0, format!("failed expression: {text}"), "Invalid"]]));
    check("object.spec.replicas <= 5", json!({}), denials(json!([])));
    check(
        " object.spec.replicas <= int(params.data.most) ",
        json!({}),
        failed("object.spec.replicas <= int(params.data.most)"),
    );
    check("oldObject != null", json!({}), failed("oldObject != null"));
    check(
        "request.userInfo.username == 'jane' && !request.dryRun && request.kind.group == 'apps'",
        json!({}),
        denials(json!([])),
    );
    check("namespaceObject.metadata.labels.env == 'test'", json!({}), denials(json!([])));
    check(
        "namespaceObject.metadata.creationTimestamp < timestamp('2027-01-01T00:00:00Z')",
        json!({}),
        denials(json!([])),
    );
    check(
        "object.spec.size == 1",
        json!({}),
        denials(json!([[0, "expression 'object.spec.size == 1' resulted in error: no such key: size", ""]])),
    );
    check("object.spec.size == 1", json!({"failurePolicy": "Ignore"}), denials(json!([])));
    check("false", json!({"failurePolicy": "Ignore"}), failed("false"));
    check("1", json!({}), denials(json!([[0, "compilation error: must evaluate to bool but got int", ""]])));
}

#[test]
fn messages() {
    let says = |more: Value, message: &str| {
        let mut validation = json!({"expression": "object.spec.replicas < 2", "reason": "Forbidden"});
        if let (Some(validation), Value::Object(more)) = (validation.as_object_mut(), more) {
            validation.extend(more);
        }
        check("", json!({ "validations": [validation] }), denials(json!([[0, message, "Forbidden"]])));
    };
    says(json!({}), "failed expression: object.spec.replicas < 2");
    says(json!({"message": " too many "}), "too many");
    says(json!({"message": "too many", "messageExpression": "' most: ' + params.data.most"}), "most: 3");
    // What cannot be used is as good as none.
    says(json!({"message": "too many", "messageExpression": "object.none"}), "too many");
    says(json!({"message": "too many", "messageExpression": "'a\\nb'"}), "too many");
    says(json!({"message": "too many", "messageExpression": "'  '"}), "too many");
}

#[test]
fn variables() {
    let variables = json!([
        {"name": "spec", "expression": "object.spec"},
        {"name": "most", "expression": "int(params.data.most) + size(variables.spec)"},
        {"name": "broken", "expression": "object.none"},
        {"name": "unread", "expression": "1 / 0"},
    ]);
    check(
        "variables.spec.replicas > variables.most && has(variables.spec)",
        json!({ "variables": variables }),
        denials(json!([])),
    );
    check(
        "variables.broken == 1",
        json!({ "variables": variables }),
        denials(json!([[
            0,
            "expression 'variables.broken == 1' resulted in error: composited variable \"broken\" fails to evaluate: no such key: none",
            ""
        ]])),
    );
    check("true || variables.broken", json!({ "variables": variables }), denials(json!([])));
    // The second one hides the first, and cannot ask for itself.
    let twice = json!([{"name": "a", "expression": "1"}, {"name": "a", "expression": "variables.a + 1"}]);
    check(
        "variables.a == 2",
        json!({ "variables": twice }),
        denials(json!([[
            0,
            "expression 'variables.a == 2' resulted in error: composited variable \"a\" fails to evaluate: composited variable \"a\" fails to evaluate: it depends on itself",
            ""
        ]])),
    );
}

#[test]
fn chains_of_variables() {
    let last = |count: usize| {
        let first = json!({"name": "v0", "expression": "0"});
        let next = (1..=count)
            .map(|at| json!({"name": format!("v{at}"), "expression": format!("variables.v{} + 1", at - 1)}));
        let variables: Value = [first].into_iter().chain(next).collect();
        let validations = json!([{"expression": format!("variables.v{count} == {count}")}]);
        evaluate(&question(json!({ "variables": variables, "validations": validations }), json!({})))
    };
    assert_eq!(last(100), denials(json!([])));
    // What would need too deep a stack is not evaluated.
    let why = last(400)["denials"][0][1].as_str().is_some_and(|why| why.ends_with("it depends on too much"));
    assert!(why, "{}", last(400));
}

#[test]
fn conditions() {
    let with = |conditions: &[&str]| {
        let conditions = conditions.iter().map(|text| json!({"name": "c", "expression": text}));
        json!({ "matchConditions": conditions.collect::<Value>() })
    };
    check("false", with(&["request.operation == 'DELETE'"]), json!({ "unmatched": true }));
    check("true", with(&["object.metadata.labels.x == 'y'"]), denials(json!([])));
    // One that does not match counts more than one that fails.
    check("true", with(&["object.none", "object.none == 1", "false"]), json!({ "unmatched": true }));
    check(
        "true",
        with(&["object.none == 1", "object.nothing == 1"]),
        json!({ "error": "[expression 'object.none == 1' resulted in error: no such key: none, expression 'object.nothing == 1' resulted in error: no such key: nothing]", "conditions": true }),
    );
    check(
        "true",
        with(&["namespaceObject.metadata.name == 'n'"]),
        json!({ "error": "expression 'namespaceObject.metadata.name == 'n'' resulted in error: no such key: metadata", "conditions": true }),
    );
}

#[test]
fn annotations() {
    let with = |expression: &str| json!({"auditAnnotations": [{"key": "k", "valueExpression": expression}]});
    let says = |annotations: Value| json!({ "denials": [], "annotations": annotations });
    check(
        "true",
        with("'replicas: ' + string(object.spec.replicas) + ' '"),
        says(json!([["k", "replicas: 5"]])),
    );
    check("true", with("null"), says(json!([])));
    check("true", with("' '"), says(json!([])));
    check(
        "true",
        with("string(object.none)"),
        says(json!([[null, "expression 'string(object.none)' resulted in error: no such key: none"]])),
    );
    check(
        "true",
        with("authorizer.path('/').check('get').reason()"),
        says(json!([[
            null,
            "expression 'authorizer.path('/').check('get').reason()' resulted in error: no such attribute(s)"
        ]])),
    );
}

#[test]
fn costs() {
    let asked = json!({"account": null, "isResource": false, "verb": "get", "path": "/", "group": "", "resource": "",
        "subresource": "", "namespace": "", "name": "", "fields": "", "labels": ""});
    // Each of them costs 350000.
    let check = "authorizer.path('/').check('get').allowed()";
    let answer = |expression: &str, count: usize| {
        let validations: Value = (0..count).map(|_| json!({ "expression": expression })).collect();
        let more = json!({ "decisions": [[asked, {"allowed": true}]] });
        evaluate(&question(json!({ "validations": validations }), more))
    };
    let two = [check, check].join(" && ");
    let three = [check, check, check].join(" && ");
    assert_eq!(answer(&two, 14), denials(json!([])));
    assert_eq!(answer(&two, 15), json!({ "error": EXHAUSTED }));
    let why =
        format!("expression '{three}' resulted in error: operation cancelled: actual cost limit exceeded");
    assert_eq!(answer(&three, 1), denials(json!([[0, why, ""]])));
}

#[test]
fn the_authorizer_is_asked() {
    let policy = json!({"validations": [{"expression":
        "authorizer.requestResource.check('get').allowed() && authorizer.serviceAccount('n', 'x').group('').resource('pods').namespace('n').check('list').reason() == 'so'"}]});
    let mut asked = question(policy, json!({}));
    let own = json!({"account": null, "isResource": true, "verb": "get", "path": "", "group": "apps", "resource": "deployments",
        "subresource": "", "namespace": "n", "name": "a", "fields": "", "labels": ""});
    let other = json!({"account": ["n", "x"], "isResource": true, "verb": "list", "path": "", "group": "", "resource": "pods",
        "subresource": "", "namespace": "n", "name": "", "fields": "", "labels": ""});
    // Both sides are looked at, as the first one may yet turn out to be an error.
    assert_eq!(evaluate(&asked), json!({ "asks": [own, other] }));
    asked["decisions"] = json!([[own, {"allowed": true}], [other, {"allowed": false, "reason": "so"}]]);
    assert_eq!(evaluate(&asked), denials(json!([])));
    asked["decisions"][0][1]["allowed"] = false.into();
    assert_ne!(evaluate(&asked), denials(json!([])));
}

#[test]
fn mutations() {
    let gives = |ty: &str, field: &str, expression: &str, expected: Value| {
        let mut mutation = json!({ "patchType": ty });
        mutation[field] = json!({ "expression": expression });
        let answer = evaluate(&question(json!({ "mutations": [mutation] }), json!({"mutation": 0})));
        assert_eq!(answer, expected, "{expression}");
    };
    gives(
        "ApplyConfiguration",
        "applyConfiguration",
        "Object{metadata: Object.metadata{labels: {'a': 'b'}, ?name: optional.none()}, spec: Object.spec{replicas: object.spec.replicas + 1, list: [Object.spec.list{a: null}]}}",
        json!({"configuration": {"metadata": {"labels": {"a": "b"}}, "spec": {"list": [{"a": null}], "replicas": 6}}}),
    );
    gives(
        "ApplyConfiguration",
        "applyConfiguration",
        "Object{spec: Object.metadata{}}",
        json!({"error": "type mismatch: unexpected type name \"Object.metadata\", expected \"Object.spec\", which matches field name path from root Object type"}),
    );
    gives(
        "JSONPatch",
        "jsonPatch",
        "[JSONPatch{op: 'test', path: '/a', value: Object.spec{x: 1.5}}, JSONPatch{op: 'move', from: '/b', path: '/c/' + jsonpatch.escapeKey('~/')}]",
        json!({"patch": [{"op": "test", "path": "/a", "value": {"x": 1.5}}, {"op": "move", "path": "/c/~0~1", "from": "/b"}]}),
    );
    gives(
        "JSONPatch",
        "jsonPatch",
        "[]",
        json!({"error": "must evaluate to list(JSONPatch) but got list(dyn)"}),
    );
    gives(
        "JSONPatch",
        "jsonPatch",
        "[JSONPatch{op: 'add', path: object.none}]",
        json!({"error": "expression '[JSONPatch{op: 'add', path: object.none}]' resulted in error: no such key: none"}),
    );
}

/// The steps of an answer to a policy, as `LIST INDEX VALUE|ERROR|MESSAGE`.
#[track_caller]
fn check_steps(policy: Value, more: Value, expected: &[&str]) {
    let mut question = question(policy, more);
    question["explain"] = true.into();
    let answer = evaluate(&question);
    let steps = answer["steps"].as_array().expect("steps").iter().map(|step| {
        let text = |at: usize| step[at].as_str().unwrap_or_default();
        format!("{} {} {}|{}|{}", text(0), step[1], text(2), text(3), text(4))
    });
    assert_eq!(steps.collect::<Vec<_>>(), expected);
}

#[test]
fn what_each_expression_gave_is_told_to_who_asks() {
    let few = json!({
        "matchConditions": [{"name": "a", "expression": "object.spec.replicas > 1"}],
        "variables": [
            {"name": "spec", "expression": "object.spec"},
            {"name": "unread", "expression": "1 / 0"},
            {"name": "broken", "expression": "object.none"},
        ],
        "validations": [
            {"expression": "variables.spec.replicas < 5", "message": "too many", "messageExpression": "string(object.none)"},
            {"expression": "true"},
            {"expression": "variables.broken == 1"},
        ],
        "auditAnnotations": [
            {"key": "k", "valueExpression": "string(variables.spec.replicas)"},
            {"key": "none", "valueExpression": "null"},
        ],
    });
    let broken = "composited variable \"broken\" fails to evaluate: no such key: none";
    let failed = format!("expression 'variables.broken == 1' resulted in error: {broken}");
    check_steps(
        few.clone(),
        json!({}),
        &[
            "matchConditions 0 true||",
            "validations 0 false||too many",
            "messageExpression 0 |expression 'string(object.none)' resulted in error: no such key: none|",
            "validations 1 true||",
            &format!("validations 2 |{failed}|{failed}"),
            "auditAnnotations 0 \"5\"||",
            "auditAnnotations 1 null||",
            "variables 0 {\"replicas\":5}||",
            &format!("variables 2 |{broken}|"),
        ],
    );
    // Nobody else is told.
    assert_eq!(evaluate(&question(few, json!({})))["steps"], Value::Null);
}

#[test]
fn conditions_say_why_nothing_more_was_asked() {
    let policy = |conditions: Value| {
        json!({
            "matchConditions": conditions,
            "variables": [{"name": "size", "expression": "object.spec.replicas"}],
            "validations": [{"expression": "false"}],
        })
    };
    let unmatched =
        json!([{"name": "a", "expression": "true"}, {"name": "b", "expression": "variables.size > 5"}]);
    let expected = ["matchConditions 0 true||", "matchConditions 1 false||", "variables 0 5||"];
    check_steps(policy(unmatched), json!({}), &expected);
    let failing = json!([{"name": "a", "expression": "object.none == 1"}]);
    let expected = ["matchConditions 0 |expression 'object.none == 1' resulted in error: no such key: none|"];
    check_steps(policy(failing), json!({}), &expected);
}

#[test]
fn long_values_are_cut_and_what_has_no_json_is_called_by_its_type() {
    let policy = json!({
        "variables": [
            {"name": "long", "expression": "object.text"},
            {"name": "size", "expression": "quantity('1k')"},
        ],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {
            "expression": "variables.long != '' && variables.size.isInteger() ? [] : [JSONPatch{op: 'remove', path: '/a'}]"}}],
    });
    let object = json!({"text": "x".repeat(2000)});
    let question = question(policy, json!({ "object": object, "mutation": 0, "explain": true }));
    let answer = evaluate(&question);
    let steps = answer["steps"].as_array().expect("steps");
    assert_eq!(steps[0][2].as_str().map(|text| (text.len(), text.ends_with('\u{2026}'))), Some((1027, true)));
    assert_eq!(steps[1][2].as_str(), Some("kubernetes.Quantity"));
}
