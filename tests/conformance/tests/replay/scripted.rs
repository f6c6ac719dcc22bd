//! A scenario made by hand against a server that waits, streams, hangs and panics as it is told.

use std::time::Duration;

use apiserver::{Body, Clock as _, ManualClock};
use bytes::Bytes;
use conformance::{Answering, Scenario, Server, compare, replay};
use futures::{StreamExt as _, stream};
use http::{Request, Response};
use json_tree::{Value, json};

struct Scripted(ManualClock);

fn json_answer(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert("content-type", http::HeaderValue::from_static("application/json"));
    headers.insert("audit-id", http::HeaderValue::from_static("not compared"));
    response
}

impl Server for Scripted {
    /// `/sleep/MS` answers after that time with the time; `/stream/MS` sends an event every so many milliseconds,
    /// three in all; `/hang` never answers; `/panic` panics; all else is answered with its own URI.
    fn call(&self, request: Request<Bytes>) -> Answering<'_> {
        let clock = self.0.clone();
        Box::pin(async move {
            let path = request.uri().path().to_owned();
            let ms =
                |prefix| path.strip_prefix(prefix).and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
            if let Some(time) = ms("/sleep/") {
                clock.sleep(time).await;
                let body = json!({"now": clock.now().as_millis() as u64});
                return json_answer(Body::Bytes(body.to_string().into()));
            }
            if let Some(time) = ms("/stream/") {
                let chunks = stream::iter(0..3).then(move |n| {
                    let sleep = clock.sleep(time);
                    async move {
                        sleep.await;
                        Bytes::from(format!("{{\"type\":\"ADDED\",\"object\":{n}}}\n"))
                    }
                });
                return json_answer(Body::Stream(Box::pin(chunks)));
            }
            match path.as_str() {
                "/hang" => std::future::pending().await,
                "/panic" => panic!("as told"),
                _ => json_answer(Body::Bytes(json!({"uri": request.uri().to_string()}).to_string().into())),
            }
        })
    }
}

/// Replays `steps`: which of them pass, and why they broke off.
#[track_caller]
fn check(steps: Value, passed: &[bool], broke_off: Option<&str>) {
    let scenario =
        json!({"name": "made by hand", "area": "a", "about": "b", "steps": steps, "cleanup": ["/${ns}"]});
    let scenario: Scenario = json_tree::from_value(scenario).expect("a scenario");
    let clock = ManualClock::new(Duration::ZERO);
    let replay = replay(&scenario, &Scripted(clock.clone()), &clock);
    let reports = compare::steps(&replay, &[]);
    assert_eq!(reports.iter().map(|step| step.passed).collect::<Vec<_>>(), passed, "{reports:?}");
    match (broke_off, replay.broke_off) {
        (Some(part), Some(why)) => assert!(why.contains(part), "{why}"),
        (want, got) => assert_eq!(want, got.as_deref()),
    }
}

fn ok(body: Value) -> Value {
    json!({"status": 200, "headers": {"content-type": "application/json"}, "body": body})
}

fn get(path: &str, body: Value) -> Value {
    json!({"id": path, "request": {"method": "GET", "path": path}, "expect": ok(body)})
}

fn event(n: u8) -> Value {
    json!({"type": "ADDED", "object": n})
}

#[test]
fn requests_follow_each_other_on_the_clock() {
    check(
        json!([
            get("/a", json!({"uri": "/a"})),
            get("/a", json!({"uri": "/b"})),
            get("/sleep/29000", json!({"now": 29_000})),
            {"sleep": 1.5},
            get("/sleep/1", json!({"now": 30_501})),
            get("/x/${ns}/${/sleep/1#/now|+1}", json!({"uri": "/x/${ns}/30502"})),
        ]),
        &[true, false, true, true, true],
        None,
    );
}

#[test]
fn a_watch_delivers_while_others_wait() {
    let watch = json!({"id": "w", "watch": {"path": "/stream/1000"}, "expect": ok(Value::Null)});
    let collect = |step: Value, expect: Value| {
        let mut step = step;
        step["collect"] = json!("w");
        step["expect"] = expect;
        step
    };
    check(
        json!([
            watch,
            collect(json!({"count": 2}), json!({"events": [event(0), event(1)]})),
            get("/sleep/0", json!({"now": 2150})),
            collect(json!({"untilClosed": true}), json!({"events": [event(2)], "closed": true})),
            get("/sleep/0", json!({"now": 3000})),
        ]),
        &[true, true, true, true, true],
        None,
    );
    check(
        json!([
            watch,
            {"sleep": 2.5},
            collect(json!({"untilClosed": true, "seconds": 0.1}),
                json!({"events": [event(0), event(1)], "closed": false})),
            {"close": "w"},
            collect(json!({}), json!({"events": []})),
        ]),
        &[true, true, true],
        None,
    );
    // One event too many is seen.
    let fast = json!({"id": "w", "watch": {"path": "/stream/100"}, "expect": ok(Value::Null)});
    check(json!([fast, collect(json!({}), json!({"events": [event(0)]}))]), &[true, false], None);
}

#[test]
fn a_request_is_repeated_until_it_is_answered_so() {
    let until = |body: Value, want: Value| {
        let mut step = get("/sleep/1000", want);
        step["until"] = json!({"status": 200, "body": body});
        step
    };
    check(
        json!([until(json!({"now": 3200}), json!({"now": 3200})), get("/sleep/0", json!({"now": 3200}))]),
        &[true, true],
        None,
    );
    check(json!([until(json!({"now": 5}), json!({"now": 5}))]), &[false], None);
}

#[test]
fn what_breaks_a_scenario_off() {
    let none = json!({});
    check(
        json!([get("/a", json!({"uri": "/a"})), get("/hang", none.clone())]),
        &[false, false],
        Some("no answer within 30 s"),
    );
    check(json!([get("/panic", none.clone())]), &[false], Some("as told"));
    check(json!([get("/${x#/y}", none.clone())]), &[false], Some("${x#/y} stands for nothing"));
    check(json!([{"collect": "w", "expect": none}]), &[false], Some("no watch w"));
    check(json!([{"expect": none}]), &[false], Some("not one of request, watch, collect, close, sleep"));
}
