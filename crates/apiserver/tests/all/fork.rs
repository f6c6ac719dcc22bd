//! Clusters that begin as another one is, and what they tell of policies.

#![allow(clippy::needless_pass_by_value, reason = "what is tried is made where it is passed")]

use std::sync::Arc;
use std::time::Duration;

use crate::common::Cluster;
use apiserver::SeededRandom;
use apiserver::inspect::{Considered, Found, Mismatch, Step};
use json_tree::{Value, json};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/";

fn fork(cluster: &Cluster, revision: u64) -> Option<Cluster> {
    let server = cluster.server.fork(revision, Arc::new(SeededRandom::new(1)))?;
    Some(Cluster { server, clock: cluster.clock.clone() })
}

fn head(cluster: &Cluster) -> u64 {
    cluster.server.inspect().overview().revision
}

/// The names and versions of the ConfigMaps in `default`, and the version of their list.
fn listed(cluster: &Cluster, query: &str) -> String {
    let (code, list) = cluster.get(&format!("{CONFIG_MAPS}?{query}"));
    let items = list["items"].as_array().into_iter().flatten();
    let names =
        items.map(|item| format!("{}@{}", item["metadata"]["name"], item["metadata"]["resourceVersion"]));
    format!("{code} {} {}", list["metadata"]["resourceVersion"], names.collect::<Vec<_>>().join(" "))
        .replace('"', "")
}

#[test]
fn a_fork_goes_its_own_way() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let b = cluster.create("b", &json!({}));
    let fork = fork(&cluster, b).expect("the newest revision");
    assert_eq!(head(&fork), b);
    let both = listed(&cluster, "");
    for query in ["", "resourceVersion=0", "limit=5"] {
        assert_eq!(listed(&fork, query), both, "{query}");
    }
    // How it came to be is not in it.
    assert!(listed(&fork, &format!("resourceVersion={a}&resourceVersionMatch=Exact")).starts_with("410"));
    assert_eq!(fork.create("c", &json!({})), b + 1);
    let (code, _) = fork.json(&format!("DELETE {CONFIG_MAPS}/a"), &Value::Null);
    assert_eq!(code, 200);
    assert_eq!(listed(&fork, ""), format!("200 {} b@{b} c@{}", b + 2, b + 1));
    assert_eq!(listed(&cluster, ""), both);
    assert_eq!(cluster.create("d", &json!({})), b + 1);
    // A watch goes on from where it began.
    let mut watch = fork.watch(&format!("resourceVersion={b}"));
    assert_eq!(watch.events(), [format!("ADDED c@{}", b + 1), format!("DELETED a@{}", b + 2)]);
}

#[test]
fn a_fork_begins_at_any_revision_that_is_kept() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let b = cluster.create("b", &json!({}));
    let earlier = fork(&cluster, a).expect("a revision that is kept");
    assert_eq!(listed(&earlier, ""), format!("200 {a} a@{a}"));
    assert_eq!(earlier.create("other", &json!({})), a + 1);
    assert!(fork(&cluster, b + 1).is_none(), "it is still to come");
    cluster.server.inspect().compact(b);
    assert!(fork(&cluster, a).is_none(), "it is compacted");
    assert!(fork(&cluster, b).is_some());
    // What was forked stays, whatever becomes of the other one.
    assert_eq!(listed(&earlier, ""), format!("200 {} a@{a} other@{}", a + 1, a + 1));
}

#[test]
fn a_fork_keeps_the_interval_of_bookmarks() {
    let cluster = Cluster::new();
    let interval = Duration::from_secs(5);
    cluster.server.inspect().set_bookmark_interval(interval);
    let begin = head(&cluster);
    let fork = fork(&cluster, begin).expect("the newest revision");
    let mut watch = fork.watch(&format!("resourceVersion={begin}&allowWatchBookmarks=1"));
    let a = fork.create("a", &json!({}));
    assert_eq!(watch.events(), [format!("ADDED a@{a}")]);
    cluster.clock.advance(interval);
    assert_eq!(watch.events(), [format!("BOOKMARK @{a}")]);
}

#[test]
fn a_fork_serves_what_was_defined_then() {
    let cluster = Cluster::new();
    let before = head(&cluster);
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    let definition = json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }],
        },
    });
    let (code, answer) =
        cluster.json("POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    assert_eq!(code, 201, "{answer}");
    let widgets = "/apis/example.com/v1/namespaces/default/widgets";
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" } });
    assert_eq!(cluster.json(&format!("POST {widgets}"), &widget).0, 201);
    let now = fork(&cluster, head(&cluster)).expect("the newest revision");
    assert_eq!(now.get(&format!("{widgets}/a")).0, 200);
    let then = fork(&cluster, before).expect("a revision that is kept");
    assert_eq!(then.get(widgets).0, 404);
    // And what is defined from now on.
    let (code, _) = then.json("POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    assert_eq!((code, then.json(&format!("POST {widgets}"), &widget).0), (201, 201));
    let (code, _) = now.json(
        "DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
        &Value::Null,
    );
    assert_eq!((code, now.get(widgets).0, cluster.get(widgets).0), (200, 404, 200));
}

#[test]
fn two_forks_make_the_same_of_the_same() {
    let cluster = Cluster::new();
    let made = |cluster: &Cluster| {
        let body = json!({ "metadata": { "generateName": "x-" } });
        cluster.json(&format!("POST {CONFIG_MAPS}"), &body).1.to_string()
    };
    let forks = [(); 2].map(|()| fork(&cluster, head(&cluster)).expect("the newest revision"));
    assert_eq!(made(&forks[0]), made(&forks[1]));
}

/// Returns the policies that a fork considers for a request, if it has a policy with this spec.
fn considered(kind: &str, spec: &Value, binding: &Value, line: &str, body: &Value) -> Vec<Considered> {
    let cluster = Cluster::new();
    cluster.create("params", &json!({}));
    let fork = fork(&cluster, head(&cluster)).expect("the newest revision");
    let post = |resource: &str, name: &str, spec: &Value| {
        let body = json!({ "metadata": { "name": name }, "spec": spec });
        let (code, answer) = fork.json(&format!("POST {POLICIES}{kind}admission{resource}"), &body);
        assert_eq!(code, 201, "{answer}");
    };
    post("policies", "p", spec);
    let mut bound = json!({ "policyName": "p" });
    if kind == "validating" {
        bound["validationActions"] = json!(["Deny"]);
    }
    if let (Some(bound), Some(more)) = (bound.as_object_mut(), binding.as_object()) {
        bound.extend(more.clone());
    }
    post("policybindings", "b", &bound);
    fork.json(line, body);
    let served = fork.server.inspect().served(0, 100);
    assert!(cluster.server.inspect().served(0, 100).iter().all(|one| one.considered.is_empty()));
    served.last().map(|served| served.considered.clone()).unwrap_or_default()
}

fn rules(operations: &[&str], resources: &[&str]) -> Value {
    json!([{ "operations": operations, "apiGroups": [""], "apiVersions": ["v1"], "resources": resources }])
}

#[track_caller]
fn check(constraints: Value, binding: Value, by: &str, field: &'static str, rules: &[(&'static str, &str)]) {
    let spec = json!({ "matchConstraints": constraints, "validations": [{ "expression": "true" }] });
    let body = json!({ "metadata": { "name": "a", "labels": { "x": "y" } } });
    let considered = considered("validating", &spec, &binding, &format!("POST {CONFIG_MAPS}"), &body);
    let rules = rules.iter().map(|(field, value)| ((*field).to_owned(), (*value).to_owned())).collect();
    let expected = Considered {
        policy: "p".to_owned(),
        mutates: false,
        binding: by.to_owned(),
        object: "a".to_owned(),
        params: String::new(),
        found: Found::Unmatched(Mismatch { field: field.to_owned(), rules }),
    };
    assert_eq!(considered, [expected]);
}

#[test]
fn it_is_told_which_constraint_does_not_match() {
    let all = || rules(&["*"], &["*"]);
    let none = || json!({});
    let elsewhere = json!({ "matchLabels": { "env": "test" } });
    check(
        json!({ "resourceRules": rules(&["UPDATE"], &["*"]) }),
        none(),
        "",
        "resourceRules",
        &[("operations", "CREATE")],
    );
    check(
        json!({ "resourceRules": rules(&["CREATE"], &["pods", "configmaps/status"]) }),
        none(),
        "",
        "resourceRules",
        &[("resources", "configmaps")],
    );
    let mut two = all();
    two[0]["scope"] = "Cluster".into();
    two.as_array_mut().expect("a list").extend(rules(&["*"], &["*"]).as_array().expect("a list").clone());
    two[1]["resourceNames"] = json!(["b"]);
    check(
        json!({ "resourceRules": two }),
        none(),
        "",
        "resourceRules",
        &[("scope", "Namespaced"), ("resourceNames", "a")],
    );
    check(
        json!({ "resourceRules": all(), "namespaceSelector": elsewhere }),
        none(),
        "",
        "namespaceSelector",
        &[],
    );
    check(json!({ "resourceRules": all(), "objectSelector": elsewhere }), none(), "", "objectSelector", &[]);
    check(
        json!({ "resourceRules": all(), "excludeResourceRules": all() }),
        none(),
        "",
        "excludeResourceRules",
        &[],
    );
    check(
        json!({ "resourceRules": all() }),
        json!({ "matchResources": { "objectSelector": elsewhere } }),
        "b",
        "objectSelector",
        &[],
    );
}

fn step(list: &str, index: usize, value: &str, error: &str, message: &str) -> Step {
    let [list, value, error, message] = [list, value, error, message].map(str::to_owned);
    Step { list, index, value, error, message }
}

#[test]
fn it_is_told_what_each_expression_gave() {
    let spec = json!({
        "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
        "matchConstraints": { "resourceRules": rules(&["CREATE"], &["configmaps"]) },
        "variables": [{ "name": "size", "expression": "object.metadata.name.size()" }],
        "validations": [
            { "expression": "variables.size > 5", "message": "too short" },
            { "expression": "!has(params.data)" },
        ],
    });
    let reference = |name: &str| json!({ "paramRef": { "name": name, "namespace": "default", "parameterNotFoundAction": "Allow" } });
    let body = json!({ "metadata": { "name": "a" } });
    let line = format!("POST {CONFIG_MAPS}");
    let found = considered("validating", &spec, &reference("params"), &line, &body);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].binding.as_str(), found[0].params.as_str()), ("b", "default/params"));
    let steps = vec![
        step("validations", 0, "false", "", "too short"),
        step("validations", 1, "true", "", ""),
        step("variables", 0, "1", "", ""),
    ];
    assert_eq!(found[0].found, Found::Asked(steps));
    let found = considered("validating", &spec, &reference("none"), &line, &body);
    assert_eq!(found[0].found, Found::NoParams);
    let mut spec = spec;
    spec["paramKind"] = json!({ "apiVersion": "example.com/v1", "kind": "Widget" });
    let found = considered("validating", &spec, &reference("none"), &line, &body);
    let why = "failed to find resource referenced by paramKind: 'example.com/v1, Kind=Widget'";
    assert_eq!(found[0].found, Found::Unusable(why.to_owned()));
}

#[test]
fn it_is_told_what_each_mutation_did() {
    let label = |key: &str| {
        let expression = format!("[JSONPatch{{op: 'add', path: '/metadata/labels/{key}', value: 'z'}}]");
        json!({ "patchType": "JSONPatch", "jsonPatch": { "expression": expression } })
    };
    let spec = json!({
        "matchConstraints": { "resourceRules": rules(&["CREATE"], &["configmaps"]) },
        "matchConditions": [{ "name": "c", "expression": "object.metadata.name != 'b'" }],
        "reinvocationPolicy": "Never",
        "mutations": [label("k"), label("no/such/map")],
    });
    let line = format!("POST {CONFIG_MAPS}");
    let asked = |name: &str| {
        let body = json!({ "metadata": { "name": name, "labels": { "x": "y" } } });
        let found = considered("mutating", &spec, &json!({}), &line, &body);
        assert!(found.len() == 1 && found[0].mutates, "{found:?}");
        found[0].found.clone()
    };
    let Found::Asked(steps) = asked("a") else { panic!("it was asked") };
    let patch = r#"[{"op":"add","path":"/metadata/labels/k","value":"z"}]"#;
    assert_eq!(steps[..2], [step("matchConditions", 0, "true", "", ""), step("mutations", 0, patch, "", "")]);
    assert!(steps[2].list == "mutations" && steps[2].index == 1 && !steps[2].error.is_empty(), "{steps:?}");
    assert_eq!(asked("b"), Found::Asked(vec![step("matchConditions", 0, "false", "", "")]));
}
