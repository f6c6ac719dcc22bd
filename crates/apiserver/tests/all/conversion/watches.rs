//! Watches in a version that is not the stored one.

use std::time::Duration;

use super::{Tabs, V1, V2};
use crate::common::Watch;
use json_tree::{Value, json};

const SECOND: Duration = Duration::from_secs(1);

fn watch(tabs: &Tabs, query: &str) -> Watch {
    match tabs.cluster.request(&format!("GET {V1}?watch=1&{query}"), "").into_body() {
        apiserver::Body::Stream(stream) => Watch::of(stream),
        body => panic!("not a stream: {body:?}"),
    }
}

fn relocate(tabs: &Tabs, name: &str, host: &str) {
    tabs.patch(
        "application/merge-patch+json",
        &format!("{V2}/{name}"),
        &json!({ "spec": { "host": host } }),
        200,
    );
}

#[test]
fn events_are_converted_and_selected() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    let (mut all, mut some) = (watch(&tabs, ""), watch(&tabs, "fieldSelector=spec.hostPort%3Dx:1"));
    assert_eq!((all.events(), some.events()), (vec!["ADDED a@109".to_owned()], Vec::new()));
    assert_eq!(tabs.calls(), ["v2->v1"]);
    relocate(&tabs, "a", "x");
    relocate(&tabs, "a", "y");
    tabs.send(&format!("DELETE {V2}/a"), &Value::Null, 200);
    assert_eq!(all.events(), ["MODIFIED a@110", "MODIFIED a@111", "DELETED a@112"]);
    assert_eq!(some.events(), ["ADDED a@110", "DELETED a@111"]);
    // Both see the same objects.
    assert_eq!(tabs.calls(), ["v2->v1", "v2->v1"]);
}

#[test]
fn a_watch_goes_on_once_the_webhook_does() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    let mut watch = watch(&tabs, "allowWatchBookmarks=true&timeoutSeconds=300");
    assert_eq!(watch.events(), ["ADDED a@109", "BOOKMARK @109"]);
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    relocate(&tabs, "a", "x");
    for _ in 0..3 {
        assert_eq!(watch.events(), [""; 0]);
        // A bookmark would say that nothing was missed.
        tabs.cluster.clock.advance(61 * SECOND);
    }
    tabs.spoil(|_| {});
    assert_eq!(watch.events(), ["MODIFIED a@110", "BOOKMARK @110"]);
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    relocate(&tabs, "a", "y");
    assert_eq!(watch.events(), [""; 0]);
    tabs.cluster.clock.advance(200 * SECOND);
    assert_eq!(watch.events(), ["closed"]);
}

#[test]
fn a_state_that_cannot_be_converted_is_given_up() {
    let tabs = Tabs::new();
    tabs.create("a", "h");
    tabs.create("b", "h");
    tabs.spoil(|answer| answer["response"]["result"] = json!({ "message": "no way" }));
    let mut watch = watch(&tabs, "");
    assert_eq!(watch.events(), [""; 0]);
    tabs.cluster.clock.advance(3 * SECOND);
    assert_eq!(
        watch.events(),
        ["ERROR 504 Timeout: Too large resource version: 110, current: 108", "closed"]
    );
}
