//! Tests of the watch caches of several API servers: their responses, and faults that interfere with them.

use std::time::Duration;

use crate::common::{Cluster, Watch, version};
use apimachinery::ContinueToken;
use apiserver::inspect::{EventType, Fault, Layer, RequestRecord};
use apiserver::{ApiServer, Body, Compaction};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use json_tree::{Value, json};

const SECOND: Duration = Duration::from_secs(1);
const LIST: &str = "/api/v1/namespaces/default/configmaps";

/// A request that may take time.
struct Call(BoxFuture<'static, Response<Body>>);

impl Call {
    fn new(server: &ApiServer, path: &str) -> Self {
        let server = server.clone();
        let request = Request::get(path).body(Bytes::new()).expect("a request");
        Self(async move { server.call(request).await }.boxed())
    }

    fn answer(&mut self) -> Option<Response<Body>> {
        (&mut self.0).now_or_never()
    }
}

/// The answer to a GET that takes no time.
fn get(server: &ApiServer, path: &str) -> (u16, Value, Option<Layer>) {
    shown(&Call::new(server, path).answer().expect("the answer takes no time"))
}

fn shown(response: &Response<Body>) -> (u16, Value, Option<Layer>) {
    let layer = response.extensions().get::<RequestRecord>().and_then(|served| Some(served.source?.layer));
    let (code, body) = crate::common::read(response);
    (code, body, layer)
}

fn watch(server: &ApiServer, query: &str) -> Watch {
    match Call::new(server, &format!("{LIST}?watch=1&{query}")).answer().map(Response::into_body) {
        Some(Body::Stream(stream)) => Watch::of(stream),
        other => panic!("not a stream: {other:?}"),
    }
}

/// The names of a list's items, and its version.
#[track_caller]
fn check_list(server: &ApiServer, query: &str, names: &[&str], at: u64, layer: Layer) {
    let (code, body, from) = get(server, &format!("{LIST}?{query}"));
    assert_eq!(code, 200, "{body}");
    let items = body["items"].as_array().cloned().unwrap_or_default();
    let found: Vec<&str> =
        items.iter().map(|item| item["metadata"]["name"].as_str().unwrap_or_default()).collect();
    assert_eq!((found.as_slice(), version(&body), from), (names, at, Some(layer)), "{query}");
}

#[test]
fn a_stopped_cache_goes_back_in_time_only_where_that_is_allowed() {
    let cluster = Cluster::new();
    let other = cluster.server.join();
    let a = cluster.create("a", &json!({}));
    other.inspect().set_stopped(Some("configmaps"), true);
    let b = cluster.create("b", &json!({}));

    check_list(&cluster.server, "resourceVersion=0", &["a", "b"], b, Layer::Cache);
    check_list(&other, "resourceVersion=0", &["a"], a, Layer::Cache);
    check_list(&other, &format!("resourceVersion={a}"), &["a"], a, Layer::Cache);
    assert_eq!(get(&other, &format!("{LIST}/b?resourceVersion=0")).0, 404);
    // Without a version, one object is read from the store.
    assert_eq!(get(&other, &format!("{LIST}/b")).2, Some(Layer::Store));
    // Other resources go on.
    assert_eq!(version(&get(&other, "/api/v1/secrets?resourceVersion=0").1), b);

    // What the cache has not reached is waited for, for three seconds.
    let mut exact = Call::new(&other, &format!("{LIST}?resourceVersion={b}&resourceVersionMatch=Exact"));
    let mut newer = Call::new(&other, &format!("{LIST}?resourceVersion={b}"));
    let mut newest = Call::new(&other, LIST);
    assert!(exact.answer().is_none() && newer.answer().is_none() && newest.answer().is_none());
    cluster.clock.advance(3 * SECOND);
    for call in [&mut exact, &mut newer] {
        let (code, body, _) = shown(&call.answer().expect("three seconds are over"));
        let why = format!("Timeout: Too large resource version: {b}, current: {a}");
        assert_eq!((code, body["message"].as_str()), (504, Some(why.as_str())));
    }
    // The most recent state is then read from the store.
    let (code, body, layer) = shown(&newest.answer().expect("three seconds are over"));
    assert_eq!((code, version(&body), layer), (200, b, Some(Layer::Store)));

    let mut waiting = Call::new(&other, LIST);
    assert!(waiting.answer().is_none());
    other.inspect().set_stopped(Some("configmaps"), false);
    let (code, body, layer) = shown(&waiting.answer().expect("the cache has caught up"));
    assert_eq!((code, version(&body), layer), (200, b, Some(Layer::Cache)));
}

#[test]
fn a_client_may_wait_for_less() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let mut impatient = Call::new(&cluster.server, &format!("{LIST}?resourceVersion={}&timeout=1s", a + 1));
    assert!(impatient.answer().is_none());
    cluster.clock.advance(SECOND);
    let (code, body, _) = shown(&impatient.answer().expect("a second is over"));
    let why = "Timeout: request did not complete within the allotted timeout";
    assert_eq!((code, body["message"].as_str()), (504, Some(why)));
    let (code, body, _) = get(&cluster.server, &format!("{LIST}?timeout=soon"));
    let why = "invalid timeout specified in the request URL - time: invalid duration \"soon\"";
    assert_eq!((code, body["message"].as_str()), (400, Some(why)));
}

#[test]
fn a_lag_is_a_delay() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let late = cluster.server.join();
    late.inspect().set_lag(None, 2 * SECOND);
    let mut events = watch(&late, &format!("resourceVersion={a}"));
    let b = cluster.create("b", &json!({}));
    let mut newest = Call::new(&late, LIST);
    assert!(newest.answer().is_none());
    assert_eq!(events.events(), [""; 0]);
    cluster.clock.advance(SECOND);
    let c = cluster.create("c", &json!({}));
    check_list(&late, "resourceVersion=0", &["a"], a, Layer::Cache);
    cluster.clock.advance(SECOND);
    assert_eq!(events.events(), [format!("ADDED b@{b}")]);
    let (code, body, _) = shown(&newest.answer().expect("the write has arrived"));
    assert_eq!((code, version(&body)), (200, b));
    check_list(&late, "resourceVersion=0", &["a", "b"], b, Layer::Cache);
    cluster.clock.advance(SECOND);
    assert_eq!(events.events(), [format!("ADDED c@{c}")]);
    let d = cluster.create("d", &json!({}));
    late.inspect().set_lag(None, Duration::ZERO);
    assert_eq!(events.events(), [format!("ADDED d@{d}")]);
}

#[test]
fn a_watch_of_a_cache_that_lags_is_woken_in_time() {
    let cluster = Cluster::new();
    let late = cluster.server.join();
    let a = cluster.create("a", &json!({}));
    // It was read when nothing was under way, before and after the cache began to lag, and nobody else asks.
    let [mut before, mut after] = [(); 2].map(|()| watch(&late, &format!("resourceVersion={a}")));
    assert_eq!(before.events(), [""; 0]);
    late.inspect().set_lag(None, 2 * SECOND);
    assert_eq!(after.events(), [""; 0]);
    let b = cluster.create("b", &json!({}));
    for watch in [&mut before, &mut after] {
        assert!(watch.was_woken(), "there is something to come");
        assert_eq!(watch.events(), [""; 0]);
        assert!(!watch.was_woken());
    }
    cluster.clock.advance(2 * SECOND);
    for watch in [&mut before, &mut after] {
        assert!(watch.was_woken(), "it has come");
        assert_eq!(watch.events(), [format!("ADDED b@{b}")]);
    }
}

#[test]
fn a_cache_that_missed_what_was_compacted_lists_anew() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let other = cluster.server.join();
    let mut open = watch(&other, &format!("resourceVersion={a}"));
    other.inspect().set_stopped(None, true);
    cluster.create("b", &json!({}));
    let c = cluster.create("c", &json!({}));
    cluster.server.inspect().compact(c);
    assert_eq!(open.events(), [""; 0]);
    other.inspect().set_stopped(None, false);
    assert_eq!(open.events(), ["closed"]);
    check_list(&other, "resourceVersion=0", &["a", "b", "c"], c, Layer::Cache);
    let mut late = watch(&other, &format!("resourceVersion={a}"));
    assert_eq!(late.events(), [&format!("ERROR 410 too old resource version: {a} ({c})"), "closed"]);
}

#[test]
fn exact_lists_and_pages_are_snapshots() {
    let cluster = Cluster::new();
    let server = &cluster.server;
    let [_, b, c] = ["a", "b", "c"].map(|name| cluster.create(name, &json!({})));
    check_list(server, &format!("resourceVersion={b}&limit=5"), &["a", "b"], b, Layer::Snapshot);
    let (_, first, layer) = get(server, &format!("{LIST}?limit=1"));
    assert_eq!((layer, first["metadata"]["remainingItemCount"].as_u64()), (Some(Layer::Cache), Some(2)));
    let token = first["metadata"]["continue"].as_str().expect("there is more");
    assert_eq!(
        ContinueToken::decode(token),
        Ok(ContinueToken { revision: c as i64, start: "a\0".to_owned() })
    );
    assert!(ContinueToken::decode("?").is_err());
    cluster.create("aa", &json!({}));
    cluster.json(&format!("DELETE {LIST}/b"), &Value::Null);
    let second = format!("limit=1&continue={token}");
    check_list(server, &second, &["b"], c, Layer::Snapshot);
    let pins = server.inspect().snapshots();
    let left: Vec<_> = pins.iter().map(|pin| (pin.revision, pin.remaining, pin.expired)).collect();
    assert_eq!(left, [(c, Some(2), false), (c, Some(1), false)]);

    server.inspect().compact(u64::MAX);
    assert!(server.inspect().snapshots().iter().all(|pin| pin.expired));
    let (code, body, _) = get(server, &format!("{LIST}?{second}"));
    assert_eq!(code, 410);
    let fresh = body["metadata"]["continue"].as_str().expect("a token for the present state");
    check_list(server, &format!("limit=5&continue={fresh}"), &["aa", "c"], c + 2, Layer::Cache);
    assert_eq!(get(server, &format!("{LIST}?resourceVersion={b}&resourceVersionMatch=Exact")).0, 410);
    // The watch cache still has the events.
    let mut replay = watch(server, &format!("resourceVersion={c}"));
    assert_eq!(replay.events(), [format!("ADDED aa@{}", c + 1), format!("DELETED b@{}", c + 2)]);
}

#[test]
fn a_list_of_one_name_is_a_look_up() {
    let cluster = Cluster::new();
    let server = &cluster.server;
    let [_, b, c] = ["a", "b", "c"].map(|name| cluster.create(name, &json!({})));
    for namespaced in ["", "%2Cmetadata.namespace%3Ddefault"] {
        let path = if namespaced.is_empty() { LIST } else { "/api/v1/configmaps" };
        let (_, body, _) =
            get(server, &format!("{path}?limit=1&fieldSelector=metadata.name%3Da{namespaced}"));
        assert_eq!(body["metadata"], json!({ "resourceVersion": c.to_string() }));
    }
    // In all namespaces there may be more of that name.
    let (_, body, _) = get(server, "/api/v1/configmaps?limit=1&fieldSelector=metadata.name%3Da");
    assert!(body["metadata"]["continue"].is_string());
    let exact = |version| {
        format!("fieldSelector=metadata.name%3Dc&resourceVersion={version}&resourceVersionMatch=Exact")
    };
    check_list(server, &exact(b), &[], b, Layer::Store);
    let (code, body, _) = get(server, &format!("{LIST}?{}", exact(c + 9)));
    assert_eq!((code, &body["details"]["retryAfterSeconds"]), (504, &Value::Null));
}

#[test]
fn history_is_forgotten_by_age_and_by_count() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let exact = format!("{LIST}?resourceVersion={a}&resourceVersionMatch=Exact");
    // Compacted is what was the newest revision at the round before: at 300 s nothing, at 600 s that of 300 s.
    for (second, passed, code) in [(299, 299, 200), (300, 1, 200), (599, 299, 200), (600, 1, 410)] {
        cluster.create(&format!("at-{second}"), &json!({}));
        cluster.clock.advance(passed * SECOND);
        assert_eq!(get(&cluster.server, &exact).0, code, "after {second} s");
    }
    let cluster = Cluster::with_compaction(Compaction { every: None, keep: Some(3) });
    let a = cluster.create("a", &json!({}));
    for name in ["b", "c", "d", "e"] {
        cluster.create(name, &json!({}));
    }
    let kept = |version: u64| get(&cluster.server, &format!("{LIST}?resourceVersion={version}&limit=9")).0;
    assert_eq!([a, a + 1, a + 4].map(kept), [410, 200, 200]);
}

#[test]
fn a_list_in_pages_expires_where_nothing_is_written() {
    let cluster = Cluster::new();
    let [_, b] = ["a", "b"].map(|name| cluster.create(name, &json!({})));
    let (_, page, _) = get(&cluster.server, &format!("{LIST}?limit=1"));
    let token = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
    let mut watch = watch(&cluster.server, &format!("resourceVersion={b}&allowWatchBookmarks=true"));
    let revision = || cluster.server.inspect().revisions();
    let (_, floor) = revision();
    for (minutes, code, revisions) in
        [(4, 200, (b, floor)), (2, 200, (b + 1, floor)), (5, 410, (b + 2, b + 1))]
    {
        cluster.clock.advance(minutes * 60 * SECOND);
        let (found, ..) = get(&cluster.server, &format!("{LIST}?limit=1&continue={token}"));
        assert_eq!((found, revision()), (code, revisions), "after {minutes} more minutes");
    }
    // What a bookmark says, and where a list is, is the revision of the last round.
    assert_eq!(watch.events().last(), Some(&format!("BOOKMARK @{}", b + 2)));
    check_list(&cluster.server, "", &["a", "b"], b + 2, Layer::Cache);
}

#[test]
fn a_watch_that_is_not_read_is_ended() {
    let cluster = Cluster::new();
    let a = cluster.create("a", &json!({}));
    let mut read = cluster.watch(&format!("resourceVersion={a}"));
    let mut unread = cluster.watch(&format!("resourceVersion={a}"));
    for n in 0..600 {
        let body = json!({ "metadata": { "name": "a" }, "data": { "n": n.to_string() } });
        cluster.json(&format!("PUT {LIST}/a"), &body);
    }
    assert_eq!(read.events().len(), 600);
    for n in 0..401 {
        let body = json!({ "metadata": { "name": "a" }, "data": { "m": n.to_string() } });
        cluster.json(&format!("PUT {LIST}/a"), &body);
    }
    assert_eq!(read.events().len(), 401);
    assert_eq!(unread.events(), ["closed"]);
    // What it has missed is a replay, however long.
    assert_eq!(cluster.watch(&format!("resourceVersion={a}")).events().len(), 1001);
}

#[test]
fn requests_fail_as_they_are_told() {
    let cluster = Cluster::new();
    let (server, other) = (&cluster.server, cluster.server.join());
    for (fault, code, text) in [
        (Fault::TooManyRequests, 429, "Too many requests, please try again later.\n"),
        (Fault::InternalError, 500, "etcdserver: request timed out"),
        (Fault::Unavailable, 503, "apiserver is shutting down"),
    ] {
        server.inspect().fail_next(1, fault);
        assert_eq!(get(&other, LIST).0, 200, "another API server does not fail");
        let response = Call::new(server, LIST).answer().expect("at once");
        let body = response.body().bytes().expect("bytes");
        assert_eq!(response.status(), code);
        assert!(String::from_utf8_lossy(body).contains(text), "{body:?}");
        assert_eq!(get(server, LIST).0, 200);
    }
    server.inspect().fail_next(2, Fault::Cut);
    let cut = Call::new(server, LIST).answer().map(Response::into_body);
    assert!(matches!(cut, Some(Body::Cut)));
    assert_eq!(server.inspect().faults(), 1);
    server.inspect().clear_faults();
    assert_eq!(get(server, LIST).0, 200);
    let codes: Vec<u16> = server.inspect().served(0, 99).iter().map(|served| served.code).collect();
    assert_eq!(codes, [200, 429, 200, 200, 500, 200, 200, 503, 200, 0, 200]);
}

#[test]
fn a_watch_tells_what_it_was_sent() {
    let cluster = Cluster::new();
    let server = &cluster.server;
    server.inspect().set_bookmark_interval(5 * SECOND);
    let a = cluster.create("a", &json!({ "t": "x" }));
    let mut watch = cluster.watch("labelSelector=t%3Dx&allowWatchBookmarks=1");
    cluster.create("b", &json!({}));
    cluster.json(&format!("DELETE {LIST}/a"), &Value::Null);
    assert_eq!(watch.events().len(), 3);
    let info = server.inspect().overview().watches[0].clone();
    assert_eq!((info.sent, info.filtered, info.revision), (3, 1, a + 2));
    let (all, sent) = server.inspect().deliveries(info.id, 0).expect("it is open");
    assert_eq!(all, 4);
    let sent: Vec<_> =
        sent.iter().map(|sent| (sent.revision, sent.sent.map_or("nothing", EventType::name))).collect();
    assert_eq!(sent, [(a, "ADDED"), (a, "BOOKMARK"), (a + 1, "nothing"), (a + 2, "DELETED")]);
    cluster.clock.advance(5 * SECOND);
    assert_eq!(watch.events(), [format!("BOOKMARK @{}", a + 2)]);
    cluster.create("c", &json!({}));
    cluster.clock.advance(5 * SECOND);
    assert_eq!(watch.events(), [format!("BOOKMARK @{}", a + 3)]);
}
