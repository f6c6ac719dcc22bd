//! Facts about a cluster that no API shows: who wrote an object, what became of every event, and past states.

use std::time::Duration;

use crate::common::{Cluster, Watch, cases, read, version};
use apiserver::inspect::{EventType, Fault, Replay, RequestRecord, ServerInfo};
use apiserver::{ApiServer, Body};
use bytes::Bytes;
use futures::executor::block_on;
use http::Request;
use json_tree::{Value, json};

const SECOND: Duration = Duration::from_secs(1);
const LIST: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn request(line: &str, headers: &[(&str, &str)], body: &Value) -> Request<Bytes> {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    request.body(body.into()).expect("a request")
}

/// Sends a request, and gives what is told of it.
fn served(cluster: &Cluster, line: &str, headers: &[(&str, &str)], body: &Value) -> RequestRecord {
    let response = cluster.send(request(line, headers, body));
    response.extensions().get::<RequestRecord>().cloned().expect("it is told")
}

fn config_map(name: &str, data: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "l": data } }, "data": { "k": data } })
}

/// Every revision that was made since `first` must be one request's.
#[track_caller]
fn check_each_has_one(server: &ApiServer, first: u64) {
    let inspect = server.inspect();
    let mut wrote: Vec<u64> =
        inspect.served(0, usize::MAX).into_iter().flat_map(|served| served.wrote).collect();
    wrote.sort_unstable();
    assert_eq!(wrote, (first + 1..=inspect.overview().revision).collect::<Vec<_>>());
}

#[test]
fn a_request_tells_which_revisions_it_made() {
    let cluster = Cluster::new();
    let first = cluster.server.inspect().overview().revision;
    let check = |line: &str, body: &Value, code: u16, count: u64| {
        let before = cluster.server.inspect().overview().revision;
        let served = served(&cluster, line, &[("content-type", "application/json")], body);
        assert_eq!(served.code, code, "{line}");
        assert_eq!(served.wrote, (before + 1..=before + count).collect::<Vec<_>>(), "{line}");
    };
    let post = format!("POST {LIST}");
    check(&post, &config_map("a", "1"), 201, 1);
    check(&post, &config_map("a", "1"), 409, 0);
    check(&format!("{post}?dryRun=All"), &config_map("b", "1"), 201, 0);
    check(&format!("PUT {LIST}/a"), &config_map("a", "2"), 200, 1);
    check(&format!("PUT {LIST}/a"), &config_map("a", "2"), 200, 0);
    check(&format!("GET {LIST}/a"), &Value::Null, 200, 0);
    // A quota that counts an object is written first; if the object is refused then, the quota's write stays.
    let hard = json!({ "configmaps": "9" });
    let quota = json!({ "metadata": { "name": "q" }, "spec": { "hard": hard } });
    check("POST /api/v1/namespaces/default/resourcequotas", &quota, 201, 1);
    let status =
        json!({ "metadata": { "name": "q" }, "status": { "hard": hard, "used": { "configmaps": "1" } } });
    check("PUT /api/v1/namespaces/default/resourcequotas/q/status", &status, 200, 1);
    check(&post, &config_map("b", "1"), 201, 2);
    check(&post, &config_map("b", "1"), 409, 1);
    check(&format!("DELETE {LIST}"), &Value::Null, 200, 2);
    check(&format!("DELETE {LIST}/a"), &Value::Null, 404, 0);
    // A pod's deletion begins with a mark; its eviction says why.
    let spec = json!({ "containers": [{ "name": "c", "image": "i" }], "nodeName": "n" });
    let pod = |name: &str| json!({ "metadata": { "name": name }, "spec": spec });
    check(&format!("POST {PODS}"), &pod("p"), 201, 1);
    check(&format!("DELETE {PODS}/p"), &Value::Null, 200, 1);
    check(&format!("DELETE {PODS}/p?gracePeriodSeconds=0"), &Value::Null, 200, 2);
    check(&format!("POST {PODS}"), &pod("e"), 201, 1);
    check(&format!("POST {PODS}/e/eviction"), &json!({ "metadata": { "name": "e" } }), 201, 2);
    let unbound = json!({ "metadata": { "name": "u" }, "spec": { "containers": spec["containers"] } });
    check(&format!("POST {PODS}"), &unbound, 201, 1);
    let binding = json!({ "metadata": { "name": "u" }, "target": { "kind": "Node", "name": "n" } });
    check(&format!("POST {PODS}/u/binding"), &binding, 201, 1);
    check("POST /api/v1/namespaces", &json!({ "metadata": { "name": "n" } }), 201, 1);
    check("DELETE /api/v1/namespaces/n", &Value::Null, 200, 1);
    let finalize = json!({ "metadata": { "name": "n" }, "spec": { "finalizers": [] } });
    check("PUT /api/v1/namespaces/n/finalize", &finalize, 200, 1);
    check_each_has_one(&cluster.server, first);
}

#[test]
fn requests_that_write_at_the_same_time_keep_apart() {
    let cluster = Cluster::new();
    let first = cluster.server.inspect().overview().revision;
    let rounds = cases(30);
    std::thread::scope(|scope| {
        for client in ["a", "b", "c"] {
            let server = cluster.server.join();
            scope.spawn(move || {
                for round in 0..rounds {
                    let (line, body) = match round % 3 {
                        0 => (format!("POST {LIST}"), config_map(client, "0")),
                        1 => (format!("PUT {LIST}/{client}"), config_map(client, "1")),
                        _ => (format!("DELETE {LIST}?labelSelector=l%3D{round}"), Value::Null),
                    };
                    // A list waits until its cache has heard of what another client has just written.
                    block_on(server.call(request(&line, &[], &body)));
                }
            });
        }
    });
    check_each_has_one(&cluster.server, first);
    let writes = cluster.server.inspect().writes(first, usize::MAX);
    for served in cluster.server.inspect().served(0, usize::MAX) {
        let name = served.uri.strip_prefix(&format!("{LIST}/"));
        let own = |write: &&apiserver::inspect::Write| served.wrote.contains(&write.revision);
        let names: Vec<&str> = writes.iter().filter(own).map(|write| write.key.name.as_str()).collect();
        assert!(name.is_none() || names.iter().all(|own| Some(*own) == name), "{served:?} {names:?}");
    }
}

#[test]
fn a_request_tells_who_sent_it_and_what_it_opened() {
    let cluster = Cluster::new();
    let check = |line: &str, agent: &str, manager: &str| {
        let served = served(&cluster, line, &[("user-agent", agent)], &config_map("a", "1"));
        assert_eq!(served.manager, manager, "{line}");
    };
    check(&format!("POST {LIST}"), "kubectl/v1.36.0 (linux/amd64)", "kubectl");
    check(&format!("PUT {LIST}/a?fieldManager=me"), "kubectl/v1.36.0", "me");
    check(&format!("DELETE {LIST}/a"), "", "");
    check(&format!("GET {LIST}/a?fieldManager=me"), "kubectl/v1.36.0", "");
    let opened = cluster.request(&format!("GET {LIST}?watch=1"), "");
    let id = opened.extensions().get::<RequestRecord>().and_then(|served| served.watch);
    assert_eq!(id, cluster.server.inspect().overview().watches.first().map(|watch| watch.id));
    assert!(id.is_some());
    assert_eq!(served(&cluster, &format!("GET {LIST}"), &[], &Value::Null).watch, None);
    assert_eq!(
        served(&cluster, &format!("GET {LIST}?watch=1&labelSelector=!!"), &[], &Value::Null).watch,
        None
    );
}

#[test]
fn deliveries_are_told_from_where_one_left_off() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    let start = inspect.overview().revision;
    let mut watch = cluster.watch(&format!("resourceVersion={start}&labelSelector=l"));
    let id = inspect.overview().watches[0].id;
    let tell = |after| {
        let (all, news) = inspect.deliveries(id, after).expect("the watch is open");
        (all, news.iter().map(|sent| (sent.revision - start, sent.sent)).collect::<Vec<_>>())
    };
    assert_eq!(tell(0), (0, vec![]));
    cluster.create("a", &json!({ "l": "1" }));
    cluster.create("b", &json!({}));
    assert_eq!(tell(0), (0, vec![]), "nobody has asked for it");
    watch.events();
    assert_eq!(tell(0), (2, vec![(1, Some(EventType::Added)), (2, None)]));
    assert_eq!(tell(1), (2, vec![(2, None)]));
    assert_eq!((tell(2), tell(99)), ((2, vec![]), (2, vec![])));
    drop(watch);
    assert_eq!(inspect.deliveries(id, 0), None);
}

#[test]
fn an_error_is_a_delivery_and_many_watches_remember_less() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    let _gone = cluster.watch("resourceVersion=1");
    let id = inspect.overview().watches[0].id;
    let (all, news) = inspect.deliveries(id, 0).expect("the watch is open");
    let sent: Vec<_> = news.iter().map(|sent| (sent.revision, sent.sent)).collect();
    assert_eq!((all, sent), (1, vec![(0, Some(EventType::Error))]));
    let mut open: Vec<Watch> = (0..256).map(|_| cluster.watch("resourceVersion=103")).collect();
    for n in 0..100 {
        cluster.create(&format!("a{n}"), &json!({}));
    }
    open.iter_mut().for_each(|watch| assert_eq!(watch.events().len(), 100));
    let watches = inspect.overview().watches;
    let kept = |at: usize| inspect.deliveries(watches[at].id, 0).map(|(all, kept)| (all, kept.len()));
    assert_eq!((kept(255), kept(256)), (Some((100, 100)), Some((100, 64))));
}

#[test]
fn one_object_as_it_was() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    let a = cluster.create("a", &json!({ "l": "1" }));
    cluster.json(&format!("PUT {LIST}/a"), &config_map("a", "2"));
    cluster.json(&format!("DELETE {LIST}/a"), &Value::Null);
    let label = |resource: &str, namespace: &str, revision: u64| {
        let json = inspect.object_at(resource, namespace, "a", revision)?;
        let object: Value = serde_json::from_slice(&json).expect("JSON");
        Some(object["metadata"]["labels"]["l"].as_str().unwrap_or_default().to_owned())
    };
    for (resource, namespace, revision, expected) in [
        ("configmaps", "default", a - 1, None),
        ("configmaps", "default", a, Some("1")),
        ("configmaps", "default", a + 1, Some("2")),
        ("configmaps", "default", a + 2, None),
        ("configmaps", "default", a + 3, None),
        ("configmaps", "other", a, None),
        ("configmaps", "", a, None),
        ("secrets", "default", a, None),
        ("nonsense", "default", a, None),
    ] {
        assert_eq!(
            label(resource, namespace, revision).as_deref(),
            expected,
            "{resource} {namespace} {revision}"
        );
    }
    assert!(inspect.object_at("namespaces", "", "default", a).is_some());
    inspect.compact(a + 1);
    assert_eq!(label("configmaps", "default", a), None);
}

#[test]
fn what_is_tried_out_leaves_no_trace() {
    let cluster = Cluster::new();
    cluster.create("a", &json!({}));
    let inspect = cluster.server.inspect();
    let state = || (inspect.overview(), inspect.served(0, usize::MAX).len(), inspect.faults());
    inspect.fail_next(1, Fault::Unavailable);
    let before = state();
    let check = |line: &str, body: &Value, expected: (u16, &str)| {
        let (code, answer) =
            read(&block_on(inspect.try_out(&request(line, &[("content-type", "application/json")], body))));
        assert_eq!((code, answer["reason"].as_str().unwrap_or_default()), expected, "{line} {answer}");
        assert_eq!(state(), before, "{line}");
    };
    let pod =
        json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    check(&format!("POST {LIST}"), &config_map("b", "1"), (201, ""));
    check(&format!("POST {LIST}?dryRun="), &config_map("b", "1"), (201, ""));
    check(&format!("POST {PODS}"), &pod, (201, ""));
    check(&format!("POST {LIST}"), &config_map("a", "1"), (409, "AlreadyExists"));
    check(&format!("POST {LIST}"), &config_map("B", "1"), (422, "Invalid"));
    check(&format!("PUT {LIST}/a"), &config_map("a", "1"), (200, ""));
    check(&format!("PATCH {LIST}/a"), &json!({}), (415, "UnsupportedMediaType"));
    check("POST /api/v1/namespaces/default/serviceaccounts/a/token", &json!({}), (404, "NotFound"));
    for line in [format!("DELETE {LIST}/a"), format!("DELETE {LIST}"), format!("GET {LIST}")] {
        check(&line, &Value::Null, (405, "MethodNotAllowed"));
    }
}

#[test]
fn what_a_read_would_have_seen() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    let a = cluster.create("a", &json!({ "l": "1" }));
    for name in ["b", "c"] {
        cluster.create(name, &json!({}));
    }
    cluster.json(&format!("DELETE {LIST}/a"), &Value::Null);
    let (served, pins) = (inspect.served(0, usize::MAX).len(), inspect.snapshots());
    let ask = |line: &str, revision: u64| {
        read(&block_on(inspect.read_at(&request(line, &[], &Value::Null), revision)))
    };
    let check = |line: &str, revision: u64, names: &[&str]| {
        let (code, list) = ask(line, revision);
        assert_eq!((code, version(&list)), (200, revision), "{line} {list}");
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let found: Vec<_> =
            items.iter().map(|item| item["metadata"]["name"].as_str().unwrap_or_default()).collect();
        assert_eq!(found, names, "{line}");
    };
    let get = format!("GET {LIST}");
    check(&get, a - 1, &[]);
    check(&get, a, &["a"]);
    check(&get, a + 2, &["a", "b", "c"]);
    check(&get, a + 3, &["b", "c"]);
    check(&format!("{get}?labelSelector=l%3D1"), a + 2, &["a"]);
    check(&format!("{get}?fieldSelector=metadata.name%3Db"), a + 2, &["b"]);
    check(&format!("{get}?resourceVersion=1&resourceVersionMatch=Exact"), a, &["a"]);
    check(&format!("{get}?continue=nonsense"), a, &["a"]);
    check(&format!("{get}?limit=2"), a + 2, &["a", "b"]);
    let token = ask(&format!("{get}?limit=2"), a + 2).1["metadata"]["continue"].as_str().unwrap().to_owned();
    check(&format!("{get}?limit=2&continue={token}"), a + 2, &["c"]);
    // A token of another revision does not count.
    check(&format!("{get}?limit=2&continue={token}"), a + 3, &["b", "c"]);
    check("GET /api/v1/configmaps", a + 1, &["a", "b"]);
    let fail = |line: &str, revision: u64, code: u16, reason: &str| {
        let (got, status) = ask(line, revision);
        assert_eq!((got, status["reason"].as_str()), (code, Some(reason)), "{line} {status}");
    };
    let object = format!("{get}/a");
    assert_eq!(version(&ask(&object, a + 1).1), a);
    assert_eq!(version(&ask(&format!("{object}?resourceVersion=x"), a).1), a);
    fail(&object, a - 1, 404, "NotFound");
    fail(&object, a + 3, 404, "NotFound");
    fail(&object, a + 4, 504, "Timeout");
    fail(&get, a + 4, 504, "Timeout");
    for line in [
        &format!("{get}?watch=1"),
        "GET /api/v1/watch/configmaps",
        &format!("POST {LIST}"),
        &format!("PUT {LIST}/a"),
        &format!("DELETE {LIST}"),
        &format!("HEAD {LIST}"),
        &format!("GET {PODS}/p/exec"),
    ] {
        fail(line, a, 405, "MethodNotAllowed");
    }
    // A log is read as it is now: there is none of the past.
    fail(&format!("GET {PODS}/p/log"), a, 404, "NotFound");
    fail("GET /api/v1/nonsense", a, 404, "NotFound");
    fail(&format!("{get}?labelSelector=!!"), a, 400, "BadRequest");
    let accept = [("accept", "application/json;as=Table;g=meta.k8s.io;v=v1")];
    let table = read(&block_on(inspect.read_at(&request(&get, &accept, &Value::Null), a + 1))).1;
    assert_eq!((&table["kind"], version(&table)), (&json!("Table"), a + 1));
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(inspect.served(0, usize::MAX).len(), served, "nothing is noted");
    assert_eq!(inspect.snapshots(), pins, "nothing is pinned");
    assert_eq!(inspect.overview().revision, a + 3, "nothing is written");
    inspect.compact(a + 2);
    fail(&get, a + 1, 410, "Expired");
    fail(&object, a + 1, 410, "Expired");
    check(&get, a + 2, &["a", "b", "c"]);
}

#[test]
fn why_a_watch_was_sent_an_event_or_not() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    let start = cluster.create("a", &json!({ "l": "1" }));
    cluster.json(&format!("PUT {LIST}/a"), &config_map("a", "2"));
    cluster.json(&format!("PUT {LIST}/a"), &config_map("a", "1"));
    cluster.json(&format!("DELETE {LIST}/a"), &Value::Null);
    let [added, modified, deleted] = [EventType::Added, EventType::Modified, EventType::Deleted].map(Some);
    let (yes, no) = (Some(true), Some(false));
    for (query, at, concerned, before, after, verdict) in [
        ("", 0, true, None, yes, added),
        ("", 1, true, yes, yes, modified),
        ("", 3, true, yes, None, deleted),
        ("&labelSelector=l%3D1", 0, true, None, yes, added),
        ("&labelSelector=l%3D1", 1, true, yes, no, deleted),
        ("&labelSelector=l%3D1", 2, true, no, yes, added),
        ("&labelSelector=l%3D2", 0, true, None, no, None),
        ("&fieldSelector=metadata.name%3Db", 1, true, no, no, None),
        ("&fieldSelector=metadata.name%3Da", 1, true, yes, yes, modified),
    ] {
        let why = inspect.explain(&format!("{LIST}?watch=1{query}"), start + at).expect("a kept revision");
        let matches =
            |object: &Option<apiserver::inspect::Matched>| object.as_ref().map(|object| object.matches);
        assert_eq!(
            (why.concerned, matches(&why.before), matches(&why.after), why.sent),
            (concerned, before, after, verdict),
            "{query} {at}"
        );
        // What the watch itself says.
        let mut watch = cluster.watch(&format!("resourceVersion={}{query}", start + at - 1));
        let sent = watch.events();
        let id = inspect.overview().watches[0].id;
        let noted = inspect.deliveries(id, 0).and_then(|(_, news)| news.first().copied());
        let noted = noted.filter(|noted| noted.revision == start + at).and_then(|noted| noted.sent);
        assert_eq!(noted, verdict, "{query} {at} {sent:?}");
    }
    let why = inspect
        .explain(&format!("{LIST}?watch=1&labelSelector=l%3D1&fieldSelector=metadata.name%3Da"), start + 1);
    let why = why.expect("a kept revision");
    assert_eq!((why.label_selector.as_str(), why.field_selector.as_str()), ("l=1", "metadata.name=a"));
    let after = why.after.expect("an object");
    assert_eq!(after.labels, [("l".to_owned(), "2".to_owned())]);
    assert!(
        after.fields.contains(&("metadata.namespace".to_owned(), "default".to_owned())),
        "{:?}",
        after.fields
    );
    for path in ["/api/v1/namespaces/other/configmaps", "/api/v1/secrets"] {
        let why = inspect.explain(&format!("{path}?watch=1"), start).expect("a kept revision");
        assert_eq!((why.concerned, why.before, why.after, why.sent), (false, None, None, None));
    }
    assert!(inspect.explain("/api/v1/watch/configmaps", start).is_some_and(|why| why.concerned));
    for (uri, revision) in [
        (LIST, start),
        ("/api/v1/configmaps?watch=1", 0),
        ("/api/v1/configmaps?watch=1", start + 4),
        ("/api/v1/configmaps?watch=1", 1),
        ("/api/v1/configmaps?watch=1&labelSelector=!!", start),
        ("/version?watch=1", start),
    ] {
        assert_eq!(inspect.explain(uri, revision), None, "{uri} {revision}");
    }
}

#[test]
fn what_a_watch_has_to_catch_up_with() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    let a = cluster.create("a", &json!({ "l": "1" }));
    cluster.create("b", &json!({}));
    cluster.json("POST /api/v1/namespaces/kube-system/configmaps", &config_map("c", "1"));
    let replay = |gone, events, sent, objects| Replay { gone, events, sent, objects };
    let all = format!("{LIST}?watch=1");
    let one = format!("{all}&labelSelector=l");
    for (uri, after, expected) in [
        (all.as_str(), a - 1, replay(false, 3, 2, 2)),
        (&all, a, replay(false, 2, 1, 2)),
        (&all, a + 9, replay(false, 0, 0, 2)),
        (&all, 1, replay(true, 0, 0, 2)),
        (&one, a - 1, replay(false, 3, 1, 1)),
        ("/api/v1/configmaps?watch=1&resourceVersion=1", a - 1, replay(false, 3, 3, 3)),
        (LIST, a, Replay::default()),
        ("/nonsense?watch=1", a, Replay::default()),
    ] {
        assert_eq!(inspect.replay(uri, after), expected, "{uri} {after}");
    }
    inspect.forget(a);
    assert_eq!(inspect.replay(&all, a - 1), replay(true, 0, 0, 2));
    assert_eq!(inspect.replay(&all, a), replay(false, 2, 1, 2));
}

#[test]
fn api_servers_tell_how_far_behind_they_are() {
    let cluster = Cluster::new();
    let other = cluster.server.join();
    let start = cluster.create("a", &json!({}));
    let _watch = cluster.watch("");
    let oldest = |number| oldest_start(&cluster, number);
    let info =
        |number, revision| ServerInfo { number, revision, oldest: oldest(number), ..ServerInfo::default() };
    let first = |revision| ServerInfo { watches: 1, ..info(0, revision) };
    assert_eq!(other.inspect().servers(), [first(start), info(1, start)]);
    other.inspect().set_stopped(Some("configmaps"), true);
    other.inspect().set_lag(Some("secrets"), 2 * SECOND);
    cluster.create("b", &json!({}));
    let behind = ["configmaps", "secrets"].map(|resource| (resource.to_owned(), start)).to_vec();
    let late = ServerInfo { stopped: true, lag: 2 * SECOND, behind, ..info(1, start + 1) };
    assert_eq!(cluster.server.inspect().servers(), [first(start + 1), late.clone()]);
    cluster.clock.advance(2 * SECOND);
    let behind = vec![("configmaps".to_owned(), start)];
    assert_eq!(cluster.server.inspect().servers(), [first(start + 1), ServerInfo { behind, ..late }]);
}

#[test]
fn an_overview_counts_what_there_is() {
    let cluster = Cluster::new();
    cluster.create("a", &json!({}));
    let counts = cluster.server.inspect().overview().counts;
    for (resource, count) in [("/v1/configmaps", 1), ("/v1/namespaces", 4), ("/v1/services", 1)] {
        assert!(counts.contains(&(resource.to_owned(), count)), "{resource}: {counts:?}");
    }
    assert!(counts.iter().all(|(_, count)| *count > 0), "{counts:?}");
}

#[test]
fn a_conflict_waits_for_a_write_to_an_object_that_is_there() {
    let cluster = Cluster::new();
    let inspect = cluster.server.inspect();
    cluster.create("a", &json!({}));
    let before = inspect.overview().revision;
    let put = format!("PUT {LIST}/a");
    for (line, body) in [
        (put.clone(), config_map("a", "2")),
        (format!("PATCH {LIST}/a"), json!({ "data": { "k": "3" } })),
        (format!("DELETE {LIST}/a"), Value::Null),
    ] {
        inspect.fail_next(1, Fault::Conflict);
        for (line, code) in [
            (format!("GET {LIST}/a"), 200),
            (format!("DELETE {LIST}/x"), 404),
            (format!("POST {LIST}"), 422),
            (format!("DELETE {LIST}?labelSelector=x"), 200),
        ] {
            assert_eq!(cluster.json(&line, &json!({})).0, code, "{line}");
        }
        assert_eq!(inspect.faults(), 1, "it waits");
        inspect.fail_next(1, Fault::Unavailable);
        assert_eq!(cluster.get(LIST).0, 503, "others do not");
        let (code, status) = cluster.json(&line, &body);
        assert_eq!((code, inspect.faults()), (409, 0), "{line}");
        let message = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply \
                       your changes to the latest version and try again";
        let details = json!({ "name": "a", "kind": "configmaps" });
        assert_eq!(
            (&status["message"], &status["reason"], &status["details"]),
            (&json!(message), &json!("Conflict"), &details),
            "{line}"
        );
    }
    assert_eq!(inspect.overview().revision, before, "nothing is written");
    // It is what a write at an old version is answered.
    let stale = json!({ "metadata": { "name": "a", "resourceVersion": "1" } });
    let told = cluster.json(&put, &stale);
    inspect.fail_next(1, Fault::Conflict);
    assert_eq!(cluster.json(&put, &stale), told);
}

#[test]
fn watches_fail_as_other_requests_do() {
    let cluster = Cluster::new();
    let line = format!("GET {LIST}?watch=1");
    for (fault, code) in [
        (Fault::TooManyRequests, 429),
        (Fault::InternalError, 500),
        (Fault::Unavailable, 503),
        (Fault::Cut, 0),
    ] {
        cluster.server.inspect().fail_next(1, fault);
        let told = served(&cluster, &line, &[], &Value::Null);
        assert_eq!((told.code, told.watch, told.wrote), (code, None, vec![]));
    }
    assert!(matches!(cluster.request(&line, "").body(), Body::Stream(_)));
}

/// The oldest revision after which a watch can begin at an API server.
fn oldest_start(cluster: &Cluster, server: usize) -> u64 {
    let caches = cluster.server.inspect().caches();
    caches.iter().filter(|cache| cache.server == server).map(|cache| cache.oldest).min().unwrap_or_default()
}
