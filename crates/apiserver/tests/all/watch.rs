//! The events that a watch delivers, and when.

use std::time::Duration;

use crate::common::{Cluster, Watch};
use json_tree::{Value, json};

const SECOND: Duration = Duration::from_secs(1);

#[track_caller]
fn check(events: &[String], expected: &[&str]) {
    assert_eq!(events, expected);
}

#[test]
fn from_a_version_it_replays_what_came_after() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let b = cluster.create("b", &json!({}));
    cluster.json("DELETE /api/v1/namespaces/default/configmaps/a", &Value::Null);
    let mut watch = cluster.watch(&format!("resourceVersion={a}"));
    check(&watch.events(), &[&format!("ADDED b@{b}"), &format!("DELETED a@{}", b + 1)]);
    let c = cluster.create("c", &json!({}));
    check(&watch.events(), &[&format!("ADDED c@{c}")]);
}

#[test]
fn from_the_first_list_of_a_new_cluster_it_misses_nothing() {
    let spec = json!({ "ports": [{ "port": 80 }] });
    for (resource, body) in [
        ("/api/v1/namespaces", json!({ "metadata": { "name": "x" } })),
        ("/api/v1/namespaces/default/services", json!({ "metadata": { "name": "x" }, "spec": spec })),
        ("/api/v1/namespaces/default/endpoints", json!({ "metadata": { "name": "x" } })),
        ("/api/v1/namespaces/default/configmaps", json!({ "metadata": { "name": "x" } })),
    ] {
        let cluster = Cluster::new();
        let (_, list) = cluster.json(&format!("GET {resource}"), &Value::Null);
        let (code, made) = cluster.json(&format!("POST {resource}"), &body);
        let (list, made) =
            (list.text_at("/metadata/resourceVersion"), made.text_at("/metadata/resourceVersion"));
        assert_eq!(code, 201, "{resource}");
        let mut watch = cluster.watch_path(&format!("{resource}?watch=1&resourceVersion={list}"));
        check(&watch.events(), &[&format!("ADDED x@{made}")]);
    }
}

#[test]
fn it_tells_that_objects_go_with_their_definition() {
    let cluster = Cluster::new();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    let version = json!({ "name": "v1", "served": true, "storage": true, "schema": schema });
    let names = json!({ "plural": "foos", "kind": "Foo" });
    let spec = json!({ "group": "x.io", "scope": "Namespaced", "names": names, "versions": [version] });
    let definition = json!({ "metadata": { "name": "foos.x.io" }, "spec": spec });
    let foos = "/apis/x.io/v1/namespaces/default/foos";
    // Each time, for the second has the cache of a resource that was there before.
    for _ in 0..2 {
        cluster.json(&format!("POST {definitions}"), &definition);
        for name in ["a", "b"] {
            let foo = json!({ "apiVersion": "x.io/v1", "kind": "Foo", "metadata": { "name": name } });
            assert_eq!(cluster.json(&format!("POST {foos}"), &foo).0, 201);
        }
        let (_, list) = cluster.json(&format!("GET {foos}"), &Value::Null);
        let version = list.text_at("/metadata/resourceVersion");
        let mut watch = cluster.watch_path(&format!("{foos}?watch=1&resourceVersion={version}"));
        let mut one = cluster
            .watch_path(&format!("{foos}?watch=1&resourceVersion={version}&fieldSelector=metadata.name%3Db"));
        check(&watch.events(), &[]);
        cluster.json(&format!("DELETE {definitions}/foos.x.io"), &Value::Null);
        let told = |watch: &mut Watch| -> Vec<String> {
            watch.events().iter().map(|event| event.split('@').next().unwrap().to_owned()).collect()
        };
        check(&told(&mut watch), &["DELETED a", "DELETED b", "closed"]);
        check(&told(&mut one), &["DELETED b", "closed"]);
    }
}

#[test]
fn without_a_version_it_begins_with_the_present() {
    let cluster = Cluster::new();
    let b = cluster.create("b", &json!({}));
    let a = cluster.create("a", &json!({}));
    for query in ["", "resourceVersion=0"] {
        check(&cluster.watch(query).events(), &[&format!("ADDED a@{a}"), &format!("ADDED b@{b}")]);
    }
}

#[test]
fn an_object_that_stops_matching_is_deleted_from_the_watch() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({ "t": "x" }));
    let mut watch = cluster.watch(&format!("resourceVersion={}&labelSelector=t%3Dx", a - 1));
    let relabel = |label: &str| {
        let body = json!({ "metadata": { "name": "a", "labels": { "t": label } } });
        cluster.json("PUT /api/v1/namespaces/default/configmaps/a", &body);
    };
    relabel("y");
    relabel("z");
    relabel("x");
    let (gone, back) = (a + 1, a + 3);
    check(
        &watch.events(),
        &[&format!("ADDED a@{a}"), &format!("DELETED a@{gone}"), &format!("ADDED a@{back}")],
    );
}

#[test]
fn a_forgotten_version_is_an_error_in_the_stream() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let b = cluster.create("b", &json!({}));
    let mut open = cluster.watch(&format!("resourceVersion={a}"));
    check(&open.events(), &[&format!("ADDED b@{b}")]);
    cluster.server.inspect().compact(b);
    // The store has forgotten it, the watch cache has not.
    check(&cluster.watch(&format!("resourceVersion={a}")).events(), &[&format!("ADDED b@{b}")]);
    cluster.server.inspect().forget(b);
    check(&open.events(), &[]);
    let mut late = cluster.watch(&format!("resourceVersion={a}"));
    check(&late.events(), &[&format!("ERROR 410 too old resource version: {a} ({b})"), "closed"]);
    check(&cluster.watch("resourceVersion=1").events()[1..], &["closed"]);
}

#[test]
fn bookmarks_come_each_minute_and_before_the_end() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let mut watch = cluster.watch(&format!("resourceVersion={a}&allowWatchBookmarks=true&timeoutSeconds=90"));
    let mut without = cluster.watch(&format!("resourceVersion={a}&timeoutSeconds=90"));
    check(&watch.events(), &[]);
    cluster.clock.advance(60 * SECOND);
    // There is nothing to tell that the client does not know.
    check(&watch.events(), &[]);
    // A bookmark also tells of what the watch itself is not about.
    cluster.json("POST /api/v1/namespaces", &json!({ "metadata": { "name": "other" } }));
    cluster.clock.advance(28 * SECOND);
    check(&watch.events(), &[&format!("BOOKMARK @{}", a + 1)]);
    cluster.clock.advance(2 * SECOND);
    check(&watch.events(), &["closed"]);
    check(&without.events(), &["closed"]);
}

#[test]
fn a_future_version_is_awaited() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let initial =
        format!("resourceVersion={}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", a + 1);
    let mut met = cluster.watch(&initial);
    check(&met.events(), &[]);
    let b = cluster.create("b", &json!({}));
    check(&met.events(), &[&format!("ADDED a@{a}"), &format!("ADDED b@{b}")]);

    let future =
        format!("resourceVersion={}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", b + 1);
    let mut missed = cluster.watch(&future);
    check(&missed.events(), &[]);
    cluster.clock.advance(3 * SECOND);
    let error = format!("ERROR 504 Timeout: Too large resource version: {}, current: {b}", b + 1);
    check(&missed.events(), &[&error, "closed"]);
}

#[test]
fn a_dropped_watch_ends_and_is_forgotten() {
    let cluster = Cluster::new();
    let mut watch = cluster.watch("");
    let open = cluster.server.inspect().overview().watches;
    assert_eq!(open.len(), 1);
    cluster.server.inspect().drop_watch(open[0].id);
    check(&watch.events(), &["closed"]);
    drop(watch);
    assert_eq!(cluster.server.inspect().overview().watches, []);
}
