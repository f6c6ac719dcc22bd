//! Requests that compute for longer than they may, by a stopwatch that goes on at each look: 504.
//!
//! kube-apiserver gives a request a minute (`--request-timeout`), and `timeout` in the query may ask for less.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::common::{START, read};
use apiserver::clock::Sleep;
use apiserver::{ApiServer, Body, Clock, Config, ManualClock, SeededRandom};
use futures::FutureExt;
use futures::future::BoxFuture;
use json_tree::{Value, json};

const PATH: &str = "/api/v1/namespaces/default/configmaps";

/// A clock that stands, and whose stopwatch goes on by so many seconds whenever somebody looks at it.
struct Busy {
    clock: ManualClock,
    looks: AtomicU64,
    seconds: Arc<AtomicU64>,
}

impl Clock for Busy {
    fn now(&self) -> Duration {
        self.clock.now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        self.clock.sleep(duration)
    }

    fn stopwatch(&self) -> Duration {
        let seconds = self.seconds.load(Ordering::Relaxed);
        Duration::from_secs(self.looks.fetch_add(seconds, Ordering::Relaxed))
    }
}

/// A request that is being handled.
struct Call<'a>(BoxFuture<'a, http::Response<Body>>);

impl Call<'_> {
    /// Computes until others are to have their turn.
    fn go_on(&mut self) -> Option<(u16, Value)> {
        self.0.as_mut().now_or_never().map(|response| read(&response))
    }

    fn finish(mut self) -> (u16, Value) {
        (0..1000).find_map(|_| self.go_on()).expect("it ends")
    }
}

struct Cluster {
    server: ApiServer,
    /// How many seconds pass between two looks at the stopwatch.
    seconds: Arc<AtomicU64>,
}

impl Cluster {
    fn new(objects: usize) -> Self {
        let seconds = Arc::new(AtomicU64::new(0));
        let clock =
            Busy { clock: ManualClock::new(START), looks: AtomicU64::new(0), seconds: Arc::clone(&seconds) };
        let server = ApiServer::new(Config {
            first_revision: 100,
            ..Config::new(Arc::new(clock), Arc::new(SeededRandom::new(7)))
        });
        let cluster = Self { server, seconds };
        for number in 0..objects {
            cluster.send(&format!("POST {PATH}"), &json!({"metadata": {"name": format!("c{number}")}}));
        }
        cluster
    }

    fn send(&self, line: &str, body: &Value) -> (u16, Value) {
        self.begin(line, body).finish()
    }

    fn begin(&self, line: &str, body: &Value) -> Call<'_> {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let media_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let request = http::Request::builder().method(method).uri(path).header("content-type", media_type);
        Call(Box::pin(self.server.call(request.body(body.into()).expect("a request"))))
    }

    /// Sends a request that takes so many seconds from one part of its work to the next.
    #[track_caller]
    fn check(&self, seconds: u64, line: &str, body: &Value, expected: u16) {
        self.seconds.store(seconds, Ordering::Relaxed);
        let (code, answer) = self.send(line, body);
        self.seconds.store(0, Ordering::Relaxed);
        assert_eq!(code, expected, "{line}: {answer}");
        if code == 504 {
            assert_eq!(answer["reason"], "Timeout");
            assert_eq!(answer["message"], "Timeout: request did not complete within the allotted timeout");
        }
    }

    fn count(&self) -> usize {
        self.send(&format!("GET {PATH}"), &Value::Null).1["items"].as_array().map_or(0, Vec::len)
    }
}

#[test]
fn a_write_that_takes_too_long_changes_nothing() {
    let cluster = Cluster::new(1);
    let (new, old) =
        (json!({"metadata": {"name": "new"}}), json!({"metadata": {"name": "c0"}, "data": {"a": "b"}}));
    cluster.check(70, &format!("POST {PATH}"), &new, 504);
    cluster.check(3, &format!("POST {PATH}?timeout=2s"), &new, 504);
    cluster.check(70, &format!("PUT {PATH}/c0"), &old, 504);
    assert_eq!(cluster.count(), 1);
    cluster.check(3, &format!("PUT {PATH}/c0"), &old, 200);
    cluster.check(3, &format!("POST {PATH}"), &new, 201);
    assert_eq!(cluster.count(), 2);
}

#[test]
fn others_have_their_turn_and_nothing_of_theirs_is_lost() {
    let cluster = Cluster::new(1);
    let patch = |key: &str| json!({"data": {key: "x"}});
    let line = format!("PATCH {PATH}/c0");
    cluster.seconds.store(1, Ordering::Relaxed);
    let mut first = cluster.begin(&line, &patch("first"));
    assert!(first.go_on().is_none(), "it gives way");
    // It has read the object, and is overtaken by two others before it writes.
    assert_eq!(cluster.send(&line, &patch("second")).0, 200);
    assert!(first.go_on().is_none());
    assert_eq!(cluster.send(&line, &patch("third")).0, 200);
    let (code, object) = first.finish();
    let data = json!({"first": "x", "second": "x", "third": "x"});
    assert_eq!((code, &object["data"]), (200, &data));
    // One that is given up is not done.
    let mut given_up = cluster.begin(&line, &patch("fourth"));
    assert!(given_up.go_on().is_none());
    drop(given_up);
    assert_eq!(cluster.send(&format!("GET {PATH}/c0"), &Value::Null).1["data"], data);
}

#[test]
fn a_collection_is_deleted_as_far_as_time_lasts() {
    let cluster = Cluster::new(20);
    cluster.check(7, &format!("DELETE {PATH}"), &Value::Null, 504);
    let left = cluster.count();
    assert!((5..20).contains(&left), "{left}");
    cluster.check(0, &format!("DELETE {PATH}"), &Value::Null, 200);
    assert_eq!(cluster.count(), 0);
}

/// Lists and watches learn of what a request has written, also if it is dropped before its end.
#[test]
fn what_a_dropped_deletion_has_deleted_is_announced() {
    let cluster = Cluster::new(20);
    cluster.seconds.store(1, Ordering::Relaxed);
    let mut dropped = cluster.begin(&format!("DELETE {PATH}"), &Value::Null);
    for _ in 0..5 {
        assert!(dropped.go_on().is_none(), "it gives way");
    }
    drop(dropped);
    cluster.seconds.store(0, Ordering::Relaxed);
    let left = cluster.count();
    assert!((1..20).contains(&left), "{left}");
}

#[test]
fn a_list_with_many_conditions_ends_in_time() {
    let cluster = Cluster::new(200);
    let conditions: Vec<String> = (0..20).map(|number| format!("!l{number}")).collect();
    let line = format!("GET {PATH}?labelSelector={}", conditions.join(","));
    cluster.check(10, &line, &Value::Null, 200);
    cluster.check(70, &line, &Value::Null, 504);
}
