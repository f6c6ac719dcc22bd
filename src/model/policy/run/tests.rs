use std::time::Duration;

use futures::executor::block_on;
use json_tree::json;

use crate::cluster::Transport;
use crate::cluster::embedded::in_process::InProcess;
use crate::model::policy::outcome::Verdict;
use crate::model::policy::run::*;
use crate::model::policy::{MADE_UP, of_text};

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CONFIG_MAPS_LINE: &str = "POST /api/v1/namespaces/default/configmaps\n";

fn cluster() -> InProcess {
    InProcess::new(Duration::from_secs(1_800_000_000), 1)
}

fn post(path: &str, body: &Value) -> Request {
    Request::json("POST", path, &body.to_string())
}

#[track_caller]
fn stored(cluster: &InProcess, path: &str, body: &Value) -> u64 {
    let answer = block_on(cluster.send(post(path, body))).unwrap();
    assert_eq!(answer.status, 201, "{path}");
    cluster.server.inspect().overview().revision
}

/// A policy for the creation of ConfigMaps.
fn policy(spec: Value) -> Value {
    let rule = json!({ "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"] });
    let mut spec = spec;
    spec["matchConstraints"] = json!({ "resourceRules": [rule] });
    json!({ "metadata": { "name": "p" }, "spec": spec })
}

fn named(name: &str) -> Value {
    policy(json!({ "validations": [{ "expression": format!("object.metadata.name == '{name}'") }] }))
}

#[track_caller]
fn tried(cluster: &InProcess, plan: &Plan) -> Outcome {
    let before = cluster.server.inspect().overview();
    let outcome = block_on(run(&cluster.embedded(), before.revision, plan));
    // Nothing of it is seen.
    assert_eq!(cluster.server.inspect().overview(), before);
    outcome
}

#[track_caller]
fn check(policy: &Value, against: &Value, verdict: Verdict, code: u16) -> Outcome {
    let at = if policy["spec"]["mutations"].is_null() { POLICIES } else { MUTATING };
    let request = Some(post(CONFIG_MAPS, against));
    let outcome = tried(&cluster(), &Plan { policy: post(at, policy), request, ..Plan::default() });
    assert_eq!((outcome.verdict(), outcome.with.code), (verdict, code), "{:?}", outcome.considered);
    outcome
}

#[test]
fn a_policy_says_what_it_would() {
    let config_map = json!({ "metadata": { "name": "a" } });
    check(&named("a"), &config_map, Verdict::Passed, 201);
    let denied = check(&named("b"), &config_map, Verdict::Denied, 422);
    assert!(denied.with.failure.unwrap().message.contains("with binding 'tried-with' denied request"));
    assert_eq!(denied.without.code, 201);
    let conditions = json!([{ "name": "c", "expression": "object.metadata.name == 'b'" }]);
    let mut unmatched = named("b");
    unmatched["spec"]["matchConditions"] = conditions;
    check(&unmatched, &config_map, Verdict::Unmatched, 201);
    let mut other = named("b");
    other["spec"]["matchConstraints"]["resourceRules"][0]["operations"] = json!(["DELETE"]);
    check(&other, &config_map, Verdict::Unmatched, 201);
    check(&named("b"), &json!({ "metadata": { "name": "A" } }), Verdict::Failed, 422);
}

#[test]
fn what_is_no_policy_is_refused_as_the_server_would() {
    let broken = policy(json!({ "validations": [{ "expression": "object." }] }));
    let outcome = check(&broken, &json!({}), Verdict::Refused, 0);
    assert_eq!(outcome.policy.code, 422);
    assert_eq!(outcome.policy.failure.unwrap().details.causes[0].field, "spec.validations[0].expression");
}

#[test]
fn a_mutation_is_shown_by_what_it_changes() {
    let expression = "[JSONPatch{op: 'add', path: '/data', value: {'k': 'v'}}]";
    let adds = policy(json!({
        "reinvocationPolicy": "Never",
        "mutations": [{ "patchType": "JSONPatch", "jsonPatch": { "expression": expression } }],
    }));
    let outcome = check(&adds, &json!({ "metadata": { "name": "a" } }), Verdict::Changed, 201);
    assert_eq!(outcome.changes(), 1);
    assert_eq!((&outcome.with.before["data"], &outcome.with.after["data"]["k"]), (&Value::Null, &json!("v")));
}

#[test]
fn without_a_request_it_is_one_that_the_policy_is_for() {
    let outcome = tried(&cluster(), &Plan { policy: post(POLICIES, &named("b")), ..Plan::default() });
    let example = outcome.example.unwrap();
    assert_eq!((example.method.as_str(), example.target.as_str()), ("POST", CONFIG_MAPS));
    assert_eq!((outcome.with.code, outcome.without.code), (422, 201));
    for (group, resource) in [
        ("", "pods"),
        ("apps", "deployments"),
        ("batch", "jobs"),
        ("", "services"),
        ("", "namespaces"),
        ("", "secrets"),
        ("", "serviceaccounts"),
    ] {
        let mut other = named("b");
        let rule = &mut other["spec"]["matchConstraints"]["resourceRules"][0];
        rule["apiGroups"] = json!([group]);
        rule["resources"] = json!([resource]);
        let outcome = tried(&cluster(), &Plan { policy: post(POLICIES, &other), ..Plan::default() });
        // The example is a good object.
        assert_eq!((outcome.without.code, outcome.with.code), (201, 422), "{resource}");
        let mut warnings = outcome.without.headers.iter().filter(|(name, _)| name == "warning");
        assert_eq!(warnings.next(), None, "{resource}");
    }
    let mut nothing = named("b");
    nothing["spec"]["matchConstraints"]["resourceRules"][0]["resources"] = json!(["nothing"]);
    let outcome = tried(&cluster(), &Plan { policy: post(POLICIES, &nothing), ..Plan::default() });
    assert_eq!(outcome.verdict(), Verdict::Nothing);
}

#[test]
fn a_request_of_the_past_meets_the_cluster_that_it_met_then() {
    let cluster = cluster();
    let head = cluster.server.inspect().overview().revision;
    let config_map = json!({ "metadata": { "name": "a" } });
    stored(&cluster, CONFIG_MAPS, &config_map);
    let plan = |at| Plan {
        policy: post(POLICIES, &named("b")),
        request: Some(post(CONFIG_MAPS, &config_map)),
        at,
        ..Plan::default()
    };
    let then = tried(&cluster, &plan(Some(head)));
    assert_eq!((then.at, then.without.code, then.verdict()), (head, 201, Verdict::Denied));
    let now = tried(&cluster, &plan(None));
    assert_eq!((now.at, now.without.code, now.verdict()), (head + 1, 409, Verdict::Failed));
    // What is forgotten cannot be gone back to.
    cluster.server.inspect().compact(head + 1);
    assert_eq!(tried(&cluster, &plan(Some(head))).at, head + 1);
}

#[test]
fn the_binding_is_the_one_that_is_stored_made_up_or_written() {
    let cluster = cluster();
    let head = cluster.server.inspect().overview().revision;
    stored(&cluster, POLICIES, &named("a"));
    let audits =
        json!({ "metadata": { "name": "b" }, "spec": { "policyName": "p", "validationActions": ["Audit"] } });
    stored(&cluster, BINDINGS, &audits);
    let plan = |bound: &str, binding: &str, at| Plan {
        policy: Request::json("PUT", &[POLICIES, "/p"].concat(), &{
            let mut policy = named("b");
            policy["metadata"]["resourceVersion"] = (head + 1).to_string().into();
            policy.to_string()
        }),
        request: Some(of_text(&[CONFIG_MAPS_LINE, r#"{ "metadata": { "name": "a" } }"#].concat())),
        at,
        bound: bound.to_owned(),
        binding: binding.to_owned(),
        ..Plan::default()
    };
    let audited = tried(&cluster, &plan("", "", None));
    assert_eq!((audited.stored, audited.verdict()), (true, Verdict::Noted));
    assert_eq!(audited.considered.len(), 1);
    // Neither policy nor binding was there then.
    assert_eq!(tried(&cluster, &plan(STORED, "", Some(head))).verdict(), Verdict::Noted);
    assert_eq!(tried(&cluster, &plan(MADE_UP, "", None)).verdict(), Verdict::Denied);
    let written = r#"{"policyName": "another", "validationActions": ["Deny"], "matchResources": {"objectSelector": {"matchLabels": {"a": "b"}}}}"#;
    assert_eq!(tried(&cluster, &plan(WRITTEN, written, None)).verdict(), Verdict::Unmatched);
    let broken = r#"{"metadata": {"name": "x"}, "spec": {"policyName": "p"}}"#;
    assert_eq!(tried(&cluster, &plan(WRITTEN, broken, None)).verdict(), Verdict::Unbound);
}

#[test]
fn parameters_are_chosen_by_name_and_are_there_in_the_past_too() {
    let cluster = cluster();
    let head = cluster.server.inspect().overview().revision;
    for (name, most) in [("most-a", "1"), ("most-b", "9")] {
        stored(&cluster, CONFIG_MAPS, &json!({ "metadata": { "name": name }, "data": { "most": most } }));
    }
    let spec = json!({
        "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
        "validations": [{ "expression": "object.metadata.name.size() <= int(params.data.most)" }],
    });
    let plan = |params: &str| Plan {
        policy: post(POLICIES, &policy(spec.clone())),
        request: Some(post(CONFIG_MAPS, &json!({ "metadata": { "name": "long" } }))),
        at: Some(head),
        params: params.to_owned(),
        ..Plan::default()
    };
    let found = tried(&cluster, &plan(""));
    assert!(found.params.unwrap().contains(&"default/most-b".to_owned()));
    let with = |name| tried(&cluster, &plan(name));
    assert_eq!(with("default/most-a").verdict(), Verdict::Denied);
    let passed = with("default/most-b");
    assert_eq!((passed.verdict(), passed.considered[0].params.as_str()), (Verdict::Passed, "default/most-b"));
    assert_eq!(with(NO_PARAMS).verdict(), Verdict::Denied);
}
