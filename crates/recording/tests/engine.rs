//! The trace of an engine, recorded and printed.

use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use engine::{Config, Engine};
use glass::Glass;
use protocol::command::Command;
use protocol::message::{ClusterId, HttpRequest, Mode, ToEngine};
use protocol::trace::{Batch, Fault};
use recording::{Ending, Options, Recording, Text, Writer};

/// Sends requests, each as `METHOD URI [BODY]`, and a fault before the one whose line begins with `!`.
fn trace(requests: &[&str]) -> Vec<Batch> {
    let mut engine = Engine::new(Config { now: Duration::from_secs(1_800_000_000), ..Config::default() });
    engine.receive(ToEngine::Subscribe, Bytes::new());
    let mut batches = Vec::new();
    for (call, line) in requests.iter().enumerate() {
        let mut parts = line.trim_start_matches('!').splitn(3, ' ').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        let (method, uri, body) = (part(), part(), part());
        if line.starts_with('!') {
            let fail = Command::Fail { server: 0, count: 1, fault: Fault::Conflict };
            engine.receive(
                ToEngine::Command { call: 1_000, cluster: ClusterId::FIRST, command: fail },
                Bytes::new(),
            );
        }
        let headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("User-Agent".to_owned(), "operator/v1".to_owned()),
        ];
        let request = HttpRequest { method, uri, headers };
        let (call, cluster) = (call as u64, ClusterId::FIRST);
        engine
            .receive(ToEngine::Request { call, cluster, server: 0, mode: Mode::Serve, request }, body.into());
        engine.poll(&mut Context::from_waker(Waker::noop()));
        batches.extend(std::iter::from_fn(|| engine.trace()));
    }
    batches
}

#[test]
fn what_an_engine_tells_comes_back_and_is_printed() {
    let (maps, secrets) = ("/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/secrets");
    let batches = trace(&[
        &format!("GET {maps}"),
        &format!("GET {maps}?watch=1&timeoutSeconds=600"),
        &format!(r#"POST {maps} {{"metadata":{{"name":"a"}},"data":{{"k":"v"}}}}"#),
        &format!(r#"PUT {maps}/a {{"metadata":{{"name":"a","resourceVersion":"1"}},"data":{{"k":"w"}}}}"#),
        &format!(r#"!PUT {maps}/a {{"metadata":{{"name":"a"}},"data":{{"k":"x"}}}}"#),
        &format!(r#"POST {secrets} {{"metadata":{{"name":"s"}},"stringData":{{"password":"hunter2"}}}}"#),
        &format!("GET {secrets}?token=hunter2"),
    ]);
    let mut writer = Writer::new(Options::default());
    let mut file: Vec<u8> =
        batches.iter().flat_map(|batch| writer.push(batch.clone(), Duration::ZERO)).collect();
    file.extend(writer.finish());
    let recording = Recording::open(file.into()).unwrap();
    assert_eq!(recording.ending(), Ending::Finished);

    let (mut glass, mut expected, mut text) = (Glass::default(), Glass::default(), Text::new(&[]));
    let mut printed = String::new();
    for batch in recording.batches() {
        let batch = batch.unwrap();
        assert!(!format!("{batch:?}").contains("hunter2") && !format!("{batch:?}").contains("aHVudGVyMg"));
        printed += &text.take(&batch);
        glass.take(batch).unwrap();
    }
    printed += &text.finish();
    batches.into_iter().for_each(|batch| expected.take(batch).unwrap());
    assert_eq!((glass.revision(), glass.time()), (expected.revision(), expected.time()));
    assert_eq!(glass.history().writes(), expected.history().writes());

    let words: Vec<String> =
        printed.lines().map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")).collect();
    #[track_caller]
    fn check(lines: &[String], expected: &str) {
        assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {lines:#?}");
    }
    check(&words, "list default/configmaps 200");
    check(&words, "watch default/configmaps 200 watch");
    check(&words, "create default/configmaps/a 201 created");
    check(&words, "update default/configmaps/a 409 conflict; operator wrote it last, at");
    check(&words, "update default/configmaps/a 409 conflict made by a fault");
    check(&words, "create default/secrets/s 201 created");
}
