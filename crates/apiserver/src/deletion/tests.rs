#![expect(clippy::needless_pass_by_value, reason = "tests hand over what they write in place")]

use json_tree::json;

use super::*;
use crate::registry;
use kinds::kind::DEFAULT;

const NOW: Duration = Duration::from_secs(1_000_000_000);

fn strategy(resource: &str) -> &'static Strategy {
    let row = crate::resource::built_in().iter().find(|row| row.name == resource);
    row.map_or(&DEFAULT, |row| registry::strategy(row))
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(map) => map,
        _ => Object::new(),
    }
}

/// Asserts the outcome of the deletion, and the metadata that is stored then.
#[track_caller]
fn check(resource: &str, stored: Value, options: DeleteOptions, expected: (&str, Value)) {
    let (word, marked) = match begin(strategy(resource), &object(stored), &options, NOW) {
        Deletion::Pending => ("pending", Object::new()),
        Deletion::Now => ("now", Object::new()),
        Deletion::MarkedThenNow(marked) => ("marked then now", marked),
        Deletion::Marked(marked) => ("marked", marked),
    };
    assert_eq!((word, marked.get("metadata").cloned().unwrap_or_default()), expected);
}

fn grace(seconds: i64) -> DeleteOptions {
    DeleteOptions { grace_period_seconds: Some(seconds), ..DeleteOptions::default() }
}

fn policy(policy: &str) -> DeleteOptions {
    DeleteOptions { propagation_policy: Some(policy.to_owned()), ..DeleteOptions::default() }
}

fn bound(metadata: Value) -> Value {
    json!({"metadata": metadata, "spec": {"nodeName": "n", "terminationGracePeriodSeconds": 30}})
}

const AT: &str = "2001-09-09T01:46:40Z";
const AT_10: &str = "2001-09-09T01:46:50Z";
const AT_30: &str = "2001-09-09T01:47:10Z";

#[test]
fn most_kinds_go_at_once() {
    check("configmaps", json!({"metadata": {}}), grace(30), ("now", Value::Null));
    check(
        "configmaps",
        json!({"metadata": {"finalizers": ["orphan"]}}),
        policy("Background"),
        ("now", Value::Null),
    );
    // Finalizers in the spec mean nothing but to namespaces: a custom object may have such a field.
    check("widgets", json!({"metadata": {}, "spec": {"finalizers": ["x"]}}), grace(0), ("now", Value::Null));
}

#[test]
fn finalizers_make_them_wait() {
    let stored = json!({"metadata": {"generation": 3, "finalizers": ["x.io/y"]}});
    let marked = json!({
        "generation": 4, "deletionTimestamp": AT, "deletionGracePeriodSeconds": 0, "finalizers": ["x.io/y"],
    });
    check("deployments", stored, grace(30), ("marked", marked.clone()));
    check("deployments", json!({"metadata": marked}), grace(5), ("marked", marked.clone()));
}

#[test]
fn the_policy_becomes_a_finalizer() {
    let marked = |name: &str| {
        let metadata =
            json!({"deletionTimestamp": AT, "deletionGracePeriodSeconds": 0, "finalizers": ["x.io/y", name]});
        ("marked", metadata)
    };
    let stored = |name: &str| json!({"metadata": {"finalizers": ["x.io/y", name]}});
    check("configmaps", stored("orphan"), policy("Foreground"), marked("foregroundDeletion"));
    check("configmaps", stored("orphan"), DeleteOptions::default(), marked("orphan"));
    check(
        "jobs",
        json!({"metadata": {"finalizers": ["x.io/y"]}}),
        DeleteOptions::default(),
        marked("orphan"),
    );
    check("events", json!({"metadata": {}}), policy("Orphan"), ("now", Value::Null));
}

#[test]
fn pods_have_a_grace_period() {
    let marked =
        |at: &str, seconds: i64| json!({"deletionTimestamp": at, "deletionGracePeriodSeconds": seconds});
    check("pods", bound(json!({})), DeleteOptions::default(), ("marked", marked(AT_30, 30)));
    check("pods", bound(json!({})), grace(10), ("marked", marked(AT_10, 10)));
    check("pods", bound(json!({})), grace(0), ("marked then now", marked(AT, 0)));
    check("pods", json!({"metadata": {}, "spec": {}}), grace(10), ("marked then now", marked(AT, 0)));
    check("pods", bound(marked(AT_30, 30)), grace(10), ("marked", marked(AT_10, 10)));
    check("pods", bound(marked(AT_30, 30)), grace(40), ("pending", Value::Null));
    check("pods", bound(marked(AT_30, 30)), DeleteOptions::default(), ("pending", Value::Null));
}

#[test]
fn a_namespace_waits_without_a_time() {
    let stored =
        json!({"metadata": {}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}});
    check("namespaces", stored, grace(10), ("marked", json!({"deletionTimestamp": AT})));
    // The first request only marks it, even if there is nothing to wait for; the second is one like any other.
    check("namespaces", json!({"metadata": {}}), grace(10), ("marked", json!({"deletionTimestamp": AT})));
    check("namespaces", json!({"metadata": {"deletionTimestamp": AT}}), grace(10), ("now", Value::Null));
    let waiting = json!({"metadata": {"deletionTimestamp": AT}, "spec": {"finalizers": ["kubernetes"]}});
    check("namespaces", waiting, policy("Orphan"), ("pending", Value::Null));
}

#[test]
fn dependents_of_a_namespace() {
    let marked = |finalizers: &[&str]| match finalizers {
        [] => json!({"deletionTimestamp": AT}),
        some => json!({"deletionTimestamp": AT, "finalizers": some}),
    };
    let orphan = |orphan| DeleteOptions { orphan_dependents: Some(orphan), ..DeleteOptions::default() };
    let own = json!({"metadata": {"finalizers": ["a.io/b", "orphan"]}});
    check("namespaces", own.clone(), DeleteOptions::default(), ("marked", marked(&["a.io/b", "orphan"])));
    check("namespaces", own.clone(), policy("Background"), ("marked", marked(&["a.io/b"])));
    check(
        "namespaces",
        own.clone(),
        policy("Foreground"),
        ("marked", marked(&["a.io/b", "foregroundDeletion"])),
    );
    check("namespaces", own, orphan(false), ("marked", marked(&["a.io/b", "foregroundDeletion"])));
    check("namespaces", json!({"metadata": {}}), orphan(true), ("marked", marked(&["orphan"])));
    check("namespaces", json!({"metadata": {}}), policy("Background"), ("marked", marked(&[])));
}

#[test]
fn the_last_finalizer_lets_go_when_the_time_is_over() {
    let over = |metadata: Value| is_over(&object(json!({ "metadata": metadata })));
    assert!(over(json!({"deletionTimestamp": AT})));
    assert!(over(json!({"deletionTimestamp": AT, "deletionGracePeriodSeconds": 0})));
    assert!(!over(json!({"deletionTimestamp": AT, "deletionGracePeriodSeconds": 1})));
    assert!(!over(json!({})));
}
