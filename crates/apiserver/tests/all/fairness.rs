//! Requests that wait for others, or are refused because of them.

use std::time::Duration;

use apiserver::{Body, Host, ProcessInfo, RequestLimits, User};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use json_tree::{Value, json};

use crate::common::Cluster;

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
/// A list that waits for a revision that is still to come, for three seconds.
const SLOW: &str = "/api/v1/namespaces/default/configmaps?resourceVersion=99999";
const QUICK: &str = "/api/v1/namespaces/default/configmaps";

/// Returns a cluster that handles so many requests at once.
fn cluster(limits: RequestLimits) -> Cluster {
    let cluster = Cluster::new();
    cluster.server.set_instruments(Host { limits, ..Host::new(ProcessInfo::default) });
    cluster
}

/// Returns a cluster with a level that has one seat, for requests of bob and of ann, which are told apart.
fn with_level(response: &Value) -> Cluster {
    let cluster = cluster(RequestLimits { reads: 200, writes: 0, ..RequestLimits::default() });
    let limited =
        json!({ "nominalConcurrencyShares": 1, "borrowingLimitPercent": 0, "limitResponse": response });
    let level =
        json!({ "metadata": { "name": "narrow" }, "spec": { "type": "Limited", "limited": limited } });
    let subjects = ["ann", "bob"].map(|name| json!({ "kind": "User", "user": { "name": name } }));
    let all = json!(["*"]);
    let resources =
        json!({ "verbs": all, "apiGroups": all, "resources": all, "namespaces": all, "clusterScope": true });
    let schema = json!({ "metadata": { "name": "both" }, "spec": {
        "matchingPrecedence": 5, "priorityLevelConfiguration": { "name": "narrow" },
        "distinguisherMethod": { "type": "ByUser" },
        "rules": [{ "subjects": subjects, "resourceRules": [resources] }],
    }});
    for (line, body) in [(LEVELS, level), (SCHEMAS, schema)] {
        let (code, answer) = cluster.json(&format!("POST {line}"), &body);
        assert_eq!(code, 201, "{answer}");
    }
    cluster
}

/// A request that is being handled, or waits.
struct Call<'a>(BoxFuture<'a, Response<Body>>);

impl<'a> Call<'a> {
    /// Sends a read in the name of a user who may do everything.
    fn new(cluster: &'a Cluster, user: &str, path: &str) -> Self {
        let groups = vec!["system:authenticated".to_owned()];
        let user = User { name: user.to_owned(), groups, ..User::default() };
        let request = Request::get(path).extension(user).body(Bytes::new()).unwrap();
        Self(cluster.server.call(request).boxed())
    }

    /// Returns its code, if it is done.
    fn code(&mut self) -> Option<u16> {
        (&mut self.0).now_or_never().map(|response| response.status().as_u16())
    }
}

/// Lets the users of the tests read.
fn allow(cluster: &Cluster) {
    let role =
        json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin" });
    let subject = json!({ "kind": "Group", "name": "system:authenticated" });
    let binding = json!({ "metadata": { "name": "all" }, "roleRef": role, "subjects": [subject] });
    let path = "POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    assert_eq!(cluster.json(path, &binding).0, 201);
}

/// Returns the value of a sample of `/metrics`.
fn sample(cluster: &Cluster, metric: &str, labels: &str) -> Option<String> {
    let response = cluster.request("GET /metrics", "");
    let text = String::from_utf8(response.body().bytes().unwrap().to_vec()).unwrap();
    let name = format!("{metric}{{{labels}}} ");
    text.lines().find_map(|line| line.strip_prefix(&name).map(str::to_owned))
}

const FLOW: &str = "flow_schema=\"both\",priority_level=\"narrow\"";

#[test]
fn a_level_without_queues_refuses_what_finds_no_seat() {
    let cluster = with_level(&json!({ "type": "Reject" }));
    allow(&cluster);
    let mut slow = Call::new(&cluster, "bob", SLOW);
    assert_eq!(slow.code(), None);
    let mut second = Call::new(&cluster, "bob", QUICK);
    let refused = (&mut second.0).now_or_never().unwrap();
    assert_eq!(refused.status(), 429);
    let uid = |path: &str| cluster.get(path).1["metadata"]["uid"].as_str().unwrap().to_owned();
    for (name, value) in [
        ("retry-after", "1"),
        ("content-type", "text/plain; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("x-kubernetes-pf-flowschema-uid", &uid(&format!("{SCHEMAS}/both"))),
        ("x-kubernetes-pf-prioritylevel-uid", &uid(&format!("{LEVELS}/narrow"))),
    ] {
        assert_eq!(refused.headers()[name], value, "{name}");
    }
    assert_eq!(refused.body().bytes().unwrap().as_ref(), b"Too many requests, please try again later.\n");
    // Whoever falls under another level has a seat there.
    assert_eq!(Call::new(&cluster, "carol", QUICK).code(), Some(200));
    cluster.clock.advance(Duration::from_secs(3));
    assert_eq!(slow.code(), Some(504));
    assert_eq!(Call::new(&cluster, "bob", QUICK).code(), Some(200));
    let reason = format!("{FLOW},reason=\"concurrency-limit\"");
    let rejected = sample(&cluster, "apiserver_flowcontrol_rejected_requests_total", &reason);
    assert_eq!(rejected.as_deref(), Some("1"));
    let dispatched = sample(&cluster, "apiserver_flowcontrol_dispatched_requests_total", FLOW);
    assert_eq!(dispatched.as_deref(), Some("2"));
    let labels = "code=\"429\",component=\"apiserver\",group=\"\",resource=\"configmaps\",scope=\"namespace\",subresource=\"\",verb=\"LIST\",version=\"v1\"";
    assert_eq!(sample(&cluster, "apiserver_request_terminations_total", labels).as_deref(), Some("1"));
}

/// A level whose queue takes so many.
fn queue(length: u32) -> Value {
    json!({ "type": "Queue", "queuing": { "queues": 1, "handSize": 1, "queueLengthLimit": length } })
}

#[test]
fn requests_wait_in_queues() {
    let cluster = with_level(&queue(1));
    allow(&cluster);
    let mut slow = Call::new(&cluster, "bob", SLOW);
    assert_eq!(slow.code(), None);
    let mut second = Call::new(&cluster, "bob", QUICK);
    assert_eq!(second.code(), None);
    assert_eq!(Call::new(&cluster, "bob", QUICK).code(), Some(429));
    let waiting = sample(&cluster, "apiserver_flowcontrol_current_inqueue_requests", FLOW);
    assert_eq!(waiting.as_deref(), Some("1"));
    let (_, table) = text(&cluster, "/debug/api_priority_and_fairness/dump_queues");
    let row = table.lines().find(|line| line.starts_with("narrow,")).map(|line| line.replace(' ', ""));
    assert_eq!(row.as_deref(), Some("narrow,0,1,1,1,0.00300000ss,1,1,0.00300000ss"), "{table}");
    cluster.clock.advance(Duration::from_secs(3));
    assert_eq!(slow.code(), Some(504));
    assert_eq!(second.code(), Some(200));
    let waited = sample(
        &cluster,
        "apiserver_flowcontrol_request_wait_duration_seconds_sum",
        &["execute=\"true\",", FLOW].concat(),
    );
    assert_eq!(waited.as_deref(), Some("3"));
}

/// Returns the response to a read that is text.
fn text(cluster: &Cluster, path: &str) -> (u16, String) {
    let response = cluster.request(&format!("GET {path}"), "");
    (response.status().as_u16(), String::from_utf8(response.body().bytes().unwrap().to_vec()).unwrap())
}

#[test]
fn nobody_waits_for_ever() {
    let cluster = with_level(&queue(5));
    allow(&cluster);
    let mut slow = Call::new(&cluster, "bob", SLOW);
    assert_eq!(slow.code(), None);
    let [mut second, mut third] = [QUICK, QUICK].map(|path| Call::new(&cluster, "bob", path));
    assert_eq!([second.code(), third.code()], [None, None]);
    // One that goes leaves its place in the queue.
    drop(third);
    // A request waits for a quarter of the time that it may take.
    let mut hasty = Call::new(&cluster, "bob", &format!("{QUICK}?timeout=8s"));
    assert_eq!(hasty.code(), None);
    cluster.clock.advance(Duration::from_secs(2));
    assert_eq!([hasty.code(), second.code()], [Some(429), None]);
    cluster.clock.advance(Duration::from_secs(13));
    assert_eq!(second.code(), Some(429));
    let reason = format!("{FLOW},reason=\"time-out\"");
    let refused = sample(&cluster, "apiserver_flowcontrol_rejected_requests_total", &reason);
    assert_eq!(refused.as_deref(), Some("3"));
    drop(slow);
    assert_eq!(Call::new(&cluster, "bob", QUICK).code(), Some(200));
    let (code, table) = text(&cluster, "/debug/api_priority_and_fairness/dump_priority_levels");
    let row = table.lines().find(|line| line.starts_with("narrow,")).map(|line| line.replace(' ', ""));
    assert_eq!((code, row.as_deref()), (200, Some("narrow,0,true,false,0,0,2,3,0,3")), "{table}");
}

#[test]
fn a_level_that_is_deleted_is_left_when_its_requests_are_done() {
    let cluster = with_level(&queue(5));
    allow(&cluster);
    let mut slow = Call::new(&cluster, "bob", SLOW);
    assert_eq!(slow.code(), None);
    let mut second = Call::new(&cluster, "bob", QUICK);
    assert_eq!(second.code(), None);
    assert_eq!(cluster.json(&format!("DELETE {LEVELS}/narrow"), &Value::Null).0, 200);
    // The FlowSchema counts for nothing now.
    assert_eq!(Call::new(&cluster, "bob", QUICK).code(), Some(200));
    let levels = || text(&cluster, "/debug/api_priority_and_fairness/dump_priority_levels").1;
    assert!(levels().replace(' ', "").contains("narrow,1,false,true,1,1,"), "{}", levels());
    cluster.clock.advance(Duration::from_secs(3));
    assert_eq!([slow.code(), second.code()], [Some(504), Some(200)]);
    assert!(!levels().contains("narrow"), "{}", levels());
}

#[test]
fn without_fairness_so_many_are_in_flight() {
    let cluster = cluster(RequestLimits { reads: 1, writes: 0, fairness: false });
    allow(&cluster);
    let mut slow = Call::new(&cluster, "bob", SLOW);
    assert_eq!(slow.code(), None);
    assert_eq!(Call::new(&cluster, "carol", QUICK).code(), Some(429));
    // Watches, writes, and masters are let in.
    assert_eq!(Call::new(&cluster, "carol", &format!("{QUICK}?watch=1")).code(), Some(200));
    assert_eq!(cluster.get(QUICK).0, 200);
    cluster.clock.advance(Duration::from_secs(3));
    assert_eq!(slow.code(), Some(504));
    let mut last = Call::new(&cluster, "carol", QUICK);
    let response = (&mut last.0).now_or_never().unwrap();
    assert_eq!(response.status(), 200);
    assert!(!response.headers().contains_key("x-kubernetes-pf-flowschema-uid"));
    assert_eq!(text(&cluster, "/debug/api_priority_and_fairness/dump_queues").0, 404);
}
