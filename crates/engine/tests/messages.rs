//! Messages that make no sense, code that cannot be loaded, and a subscriber that keeps up: what the engine makes of them.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use clock::ManualClock;
use engine::{Code, Config, Engine, SharedCluster};
use futures::FutureExt;
use protocol::command::{Backup, Command, Done};
use protocol::controllers::{self, State};
use protocol::document::{Answer, Question};
use protocol::message::{ClusterId, Error, FromEngine, HttpRequest, Mode, ToEngine};
use protocol::packet::{Packet, PacketError};
use protocol::trace::{Event, ObjectKey, Stored, Time};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn engine() -> Engine {
    Engine::new(Config { now: Duration::from_secs(1_800_000_000), ..Config::default() })
}

fn request(call: u64, cluster: u32, method: &str, uri: &str) -> ToEngine {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    let request = HttpRequest { method: method.to_owned(), uri: uri.to_owned(), headers };
    ToEngine::Request { call, cluster: ClusterId(cluster), server: 0, mode: Mode::Serve, request }
}

/// Returns the messages that the engine sends.
fn told(engine: &mut Engine) -> Vec<(FromEngine, Bytes)> {
    engine.poll(&mut Context::from_waker(Waker::noop()))
}

/// The status code of the response to a call.
fn code(messages: &[(FromEngine, Bytes)], call: u64) -> Option<u16> {
    messages.iter().find_map(|(message, _)| match message {
        FromEngine::Response { call: known, response } if *known == call => Some(response.status),
        _ => None,
    })
}

#[track_caller]
fn check_failed(message: ToEngine, expected: Error) {
    let mut engine = engine();
    engine.receive(message, Bytes::new());
    let failed = told(&mut engine).into_iter().find_map(|(message, _)| match message {
        FromEngine::Failed { error, .. } => Some(error),
        _ => None,
    });
    assert_eq!(failed, Some(expected));
}

#[test]
fn what_cannot_be_done_fails_with_a_reason() {
    let command = |cluster: u32, command| ToEngine::Command { call: 1, cluster: ClusterId(cluster), command };
    let refused = |why: &str| Error::Refused(why.to_owned());
    check_failed(request(1, 7, "GET", MAPS), Error::UnknownCluster);
    check_failed(command(7, Command::AddServer), Error::UnknownCluster);
    check_failed(command(0, Command::Drop), refused("the first cluster cannot be dropped"));
    check_failed(command(0, Command::ClearFaults { server: 4 }), refused("there is no such API server"));
    check_failed(command(0, Command::Fork { revision: 3, seed: 1 }), Error::UnknownRevision(3));
    check_failed(
        command(
            0,
            Command::Restore(Box::new(Backup {
                revision: 5,
                objects: vec![(ObjectKey::default(), 3, Stored::default())],
                ..Backup::default()
            })),
        ),
        refused("the resource  of the group \"\" is not served"),
    );
    let question = Question::ToJson { content_type: "application/cbor".to_owned() };
    let mut engine = engine();
    engine.receive(ToEngine::Question { call: 1, question }, Bytes::from_static(b"\xa1"));
    assert!(told(&mut engine).iter().any(|(message, _)| matches!(
        message,
        FromEngine::Failed { error: Error::Document(why), .. } if !why.is_empty()
    )));
    engine.receive(request(2, 0, "G E T", "no path"), Bytes::new());
    assert!(told(&mut engine).iter().any(|(message, _)| matches!(
        message,
        FromEngine::Failed { call: 2, error: Error::InvalidRequest(_) }
    )));
}

#[test]
fn expressions_that_stand_alone_are_evaluated() {
    let evaluate = |expression: &str| {
        let mut engine = engine();
        let question = Question::Evaluate { expression: expression.to_owned() };
        let variables = Bytes::from_static(br#"{"exchange":{"status":409}}"#);
        engine.receive(ToEngine::Question { call: 1, question }, variables);
        let told = told(&mut engine);
        told.into_iter().find_map(|(message, payload)| match message {
            FromEngine::Answer { answer: Answer::Document, .. } => {
                Some(Ok(String::from_utf8_lossy(&payload).into_owned()))
            }
            FromEngine::Failed { error, .. } => Some(Err(error)),
            _ => None,
        })
    };
    let check = |expression: &str, expected: Result<&str, Error>| {
        assert_eq!(evaluate(expression), Some(expected.map(str::to_owned)), "{expression}");
    };
    let failed = |why: &str| Err(Error::Evaluation(why.to_owned()));
    check("exchange.status == 409", Ok("true"));
    check("exchange.status == 200", Ok("false"));
    check("exchange.path == '/'", failed("no such key: path"));
    check("exchange.status", failed("must evaluate to bool but got int"));
    check("1", Err(Error::Compilation("must evaluate to bool but got int".to_owned())));
    let far = "[1,2,3,4,5,6,7,8,9,10]";
    let costly = (0..8).fold("true".to_owned(), |inner, at| format!("{far}.all(x{at}, {inner})"));
    check(&costly, failed("operation cancelled: actual cost limit exceeded"));
    let undeclared = evaluate("nothing == 1");
    assert!(matches!(undeclared, Some(Err(Error::Compilation(why))) if why.contains("undeclared reference")));
}

/// Whoever has seen a cluster does not find another one in its place.
#[test]
fn only_an_engine_that_is_new_can_be_restored() {
    let restore = |cluster| ToEngine::Command {
        call: 9,
        cluster: ClusterId(cluster),
        command: Command::Restore(Box::new(Backup { revision: 7, ..Backup::default() })),
    };
    let check = |before: ToEngine, cluster: u32, restored: bool| {
        let mut engine = engine();
        engine.receive(before, Bytes::new());
        engine.receive(restore(cluster), Bytes::new());
        let done = FromEngine::Done { call: 9, done: Done::Ok };
        assert_eq!(told(&mut engine).iter().any(|(message, _)| *message == done), restored);
        assert_eq!(engine.server(0).unwrap().inspect().revision() == 7, restored);
    };
    let command = |command| ToEngine::Command { call: 1, cluster: ClusterId::FIRST, command };
    check(ToEngine::Prefetch, 0, true);
    check(command(Command::SetRate { rate: 2.0 }), 0, true);
    check(ToEngine::Subscribe, 0, false);
    check(request(1, 0, "GET", MAPS), 0, false);
    check(command(Command::Fork { revision: u64::MAX, seed: 1 }), 1, false);
}

#[test]
fn there_are_so_many_forks_and_no_more() {
    let mut engine = engine();
    let fork = |call| ToEngine::Command {
        call,
        cluster: ClusterId::FIRST,
        command: Command::Fork { revision: u64::MAX, seed: 1 },
    };
    (1..=17).for_each(|call| engine.receive(fork(call), Bytes::new()));
    let outcomes = told(&mut engine);
    let forked = outcomes
        .iter()
        .filter(|(message, _)| matches!(message, FromEngine::Done { done: Done::Cluster(_), .. }));
    assert_eq!(forked.count(), 16);
    let drop = ToEngine::Command { call: 20, cluster: ClusterId(1), command: Command::Drop };
    engine.receive(drop, Bytes::new());
    engine.receive(fork(21), Bytes::new());
    assert!(told(&mut engine).iter().all(|(message, _)| matches!(message, FromEngine::Done { .. })));
}

/// Whoever cancels, takes or acknowledges what there is not has no effect on what there is.
#[test]
fn messages_out_of_order_change_nothing() {
    let mut engine = engine();
    engine.receive(ToEngine::Cancel { call: 9 }, Bytes::new());
    engine.receive(ToEngine::Taken { call: 9, frames: 1 << 40 }, Bytes::new());
    engine.receive(ToEngine::TakenTrace { batch: 99 }, Bytes::new());
    engine.receive(ToEngine::Prefetch, Bytes::new());
    engine.receive(request(1, 0, "GET", MAPS), Bytes::new());
    assert_eq!(code(&told(&mut engine), 1), Some(200));
    engine.receive(ToEngine::Subscribe, Bytes::new());
    engine.receive(ToEngine::TakenTrace { batch: u64::MAX }, Bytes::new());
    assert_eq!(engine.trace().map(|batch| (batch.number, batch.state.is_some())), Some((1, true)));
    engine.receive(ToEngine::Subscribe, Bytes::new());
    assert_eq!(engine.trace().map(|batch| (batch.number, batch.state.is_some())), Some((1, true)));
}

#[test]
fn packets_that_cannot_be_read_change_nothing() {
    let mut engine = engine();
    told(&mut engine);
    let whole = Packet::encode(vec![(request(1, 0, "DELETE", "/api/v1/namespaces/default"), Bytes::new())])
        .unwrap()
        .to_bytes();
    for cut in 0..whole.len() {
        assert!(engine.receive_packet(&whole.slice(..cut)).is_err(), "{cut}");
    }
    let mut other = whole.to_vec();
    other[3] += 1;
    assert_eq!(engine.receive_packet(&other.into()), Err(PacketError::Version(whole[3] + 1)));
    assert_eq!(
        engine.receive_packet(&Bytes::from_static(b"{\"kind\":\"Pod\"}")),
        Err(PacketError::NotAPacket)
    );
    assert!(told(&mut engine).is_empty());
    engine.receive_packet(&whole).unwrap();
    assert_eq!(code(&told(&mut engine), 1), Some(403));
}

/// The request is told so in Kubernetes' form, and the next one tries again.
#[test]
fn what_cannot_be_loaded_is_503_and_is_tried_again() {
    let asked = Rc::new(Cell::new(0));
    let counted = Rc::clone(&asked);
    let code_of = Code::late(
        Rc::new(move |_| {
            counted.set(counted.get() + 1);
            async { Err("404 Not Found".to_owned()) }.boxed_local()
        }),
        || Box::pin(async { Ok(()) }),
    );
    let mut engine = Engine::new(Config { code: code_of, ..Config::default() });
    let revision = engine.server(0).unwrap().inspect().revision();
    for call in 1..3 {
        engine.receive(request(call, 0, "POST", MAPS), Bytes::from_static(br#"{"metadata":{"name":"a"}}"#));
        let messages = told(&mut engine);
        // The engine has tried by itself, too, when it began.
        assert_eq!((code(&messages, call), asked.get()), (Some(503), call + 1));
        let (_, body) =
            messages.iter().find(|(message, _)| matches!(message, FromEngine::Response { .. })).unwrap();
        let status = String::from_utf8_lossy(body);
        assert!(status.contains("\"ServiceUnavailable\"") && status.contains("404 Not Found"), "{status}");
    }
    assert_eq!(engine.server(0).unwrap().inspect().revision(), revision);
    engine.receive(request(5, 0, "GET", MAPS), Bytes::new());
    assert_eq!(code(&told(&mut engine), 5), Some(200));
    let question = Question::Evaluate { expression: "true".to_owned() };
    engine.receive(ToEngine::Question { call: 6, question }, Bytes::from_static(b"{}"));
    let failed = FromEngine::Failed { call: 6, error: Error::NotLoaded("404 Not Found".to_owned()) };
    assert!(told(&mut engine).iter().any(|(message, _)| *message == failed));
}

/// 1,000 writes a second for 30 s, of which the subscriber hears 60 times a second.
#[test]
fn a_subscriber_that_keeps_up_loses_nothing() {
    let mut engine = engine();
    engine.receive(ToEngine::Subscribe, Bytes::new());
    let (mut writes, mut requests, mut call) = (0, 0, 0);
    let body = Bytes::from_static(br#"{"metadata":{"generateName":"a-"}}"#);
    for _ in 0..30 * 60 {
        for _ in 0..17 {
            call += 1;
            engine.receive(request(call, 0, "POST", MAPS), body.clone());
        }
        engine.elapse(Duration::from_millis(17));
        told(&mut engine);
        while let Some(batch) = engine.trace() {
            assert!(
                !batch.lost.writes && (batch.lost.requests, batch.lost.deliveries) == (0, 0),
                "{:?}",
                batch.lost
            );
            assert_eq!(batch.state.is_some(), batch.number == 1);
            for event in &batch.events {
                writes += u64::from(matches!(event, Event::Write(_)));
                requests += u64::from(matches!(event, Event::Request(_)));
            }
            engine.receive(ToEngine::TakenTrace { batch: batch.number }, Bytes::new());
        }
    }
    assert!(call > 30_000 && requests == call && writes >= call, "{call} {requests} {writes}");
}

/// More is new than a batch has room for: each request still comes behind what it has written.
#[test]
fn writes_come_before_the_requests_that_made_them() {
    let mut engine = engine();
    engine.receive(ToEngine::Subscribe, Bytes::new());
    // What a quota counts is written beside each object.
    let quota = Bytes::from_static(
        br#"{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"9000"}},"status":{"hard":{"configmaps":"9000"},"used":{"configmaps":"0"}}}"#,
    );
    let quotas = "/api/v1/namespaces/default/resourcequotas";
    engine.receive(request(1, 0, "POST", quotas), quota.clone());
    engine.receive(request(2, 0, "PUT", &format!("{quotas}/q/status")), quota);
    let body = Bytes::from_static(br#"{"metadata":{"generateName":"a-"}}"#);
    (3..3_000).for_each(|call| engine.receive(request(call, 0, "POST", MAPS), body.clone()));
    told(&mut engine);
    let (mut newest, mut requests, mut batches) = (0, 0, 0);
    while let Some(batch) = engine.trace() {
        batches += 1;
        for event in &batch.events {
            match event {
                Event::Write(write) => newest = write.revision,
                Event::Request(request) => {
                    assert!(request.wrote.last() <= Some(&newest), "{:?} {newest}", request.wrote);
                    requests += 1;
                }
                _ => {}
            }
        }
    }
    assert!(batches > 1 && requests == 2_999, "{batches} {requests}");
}

/// Requests with large bodies wait for the others, and a response goes out before the next large request begins.
#[test]
fn requests_with_large_bodies_are_handled_one_at_a_time_after_others() {
    let mut engine = engine();
    let large = |name: &str| {
        let text = "x".repeat(100_000);
        Bytes::from(format!("{{\"metadata\":{{\"name\":\"{name}\"}},\"data\":{{\"k\":\"{text}\"}}}}"))
    };
    engine.receive(request(1, 0, "POST", MAPS), large("a"));
    engine.receive(request(2, 0, "POST", MAPS), large("b"));
    engine.receive(request(3, 0, "POST", MAPS), large("c"));
    engine.receive(request(4, 0, "GET", MAPS), Bytes::new());
    engine.receive(ToEngine::Cancel { call: 2 }, Bytes::new());
    let mut turns = Vec::new();
    while turns.len() < 4 {
        let messages = told(&mut engine);
        turns.push([1, 2, 3, 4].map(|call| code(&messages, call)));
    }
    let none = [None; 4];
    assert_eq!(turns[0], [None, None, None, Some(200)]);
    assert_eq!(turns[1], [Some(201), None, None, None]);
    // The second was cancelled before its turn came.
    assert_eq!(turns[2], none);
    assert_eq!(turns[3], [None, None, Some(201), None]);
}

/// Each has its own client, forks and trace.
#[test]
fn engines_that_join_a_cluster_drive_the_same_one() {
    let mut first = engine();
    let mut second = Engine::join(first.share().unwrap(), Code::WHOLE, None);
    first.receive(ToEngine::Subscribe, Bytes::new());
    let _ = first.trace();
    second.receive(request(1, 0, "POST", MAPS), Bytes::from_static(br#"{"metadata":{"name":"a"}}"#));
    assert_eq!(code(&told(&mut second), 1), Some(201));
    let events = first.trace().unwrap().events;
    assert!(events.iter().any(|event| matches!(event, Event::Write(write) if write.key.name == "a")));
    let command = |command| ToEngine::Command { call: 2, cluster: ClusterId::FIRST, command };
    second.receive(command(Command::AddServer), Bytes::new());
    first.receive(command(Command::ClearFaults { server: 1 }), Bytes::new());
    for engine in [&mut first, &mut second] {
        assert!(told(engine).iter().any(|(message, _)| matches!(message, FromEngine::Done { .. })));
    }
    second.receive(command(Command::Restore(Box::default())), Bytes::new());
    assert!(told(&mut second).iter().any(|(message, _)| matches!(message, FromEngine::Failed { .. })));
}

#[test]
fn the_clock_of_a_host_is_not_set() {
    let own = engine();
    let host = Arc::new(ManualClock::new(Duration::from_secs(7)));
    let mut joined = Engine::join(SharedCluster::new(own.server(0).unwrap(), host), Code::WHOLE, None);
    joined.receive(ToEngine::Subscribe, Bytes::new());
    assert_eq!(joined.trace().unwrap().time().unwrap(), Time { now: Duration::from_secs(7), rate: 1.0 });
    let command = Command::Advance { by: Duration::from_secs(1) };
    joined.receive(ToEngine::Command { call: 1, cluster: ClusterId::FIRST, command }, Bytes::new());
    assert!(told(&mut joined).iter().any(|(message, _)| matches!(message, FromEngine::Failed { .. })));
}

/// Asks about controllers, and returns what they tell, or why they do not.
fn ask(engine: &mut Engine, call: u64, command: Option<controllers::Command>) -> Result<State, Error> {
    let load = matches!(command, Some(controllers::Command::Start(_)));
    let ask = serde_json::to_vec(&controllers::Ask { command, after: 0 }).unwrap();
    engine.receive(ToEngine::Question { call, question: Question::Controllers { load } }, Bytes::from(ask));
    for _ in 0..100 {
        for (message, payload) in told(engine) {
            match message {
                FromEngine::Answer { call: known, answer } if known == call => {
                    assert_eq!(answer, Answer::Document);
                    let is_none = payload.is_empty();
                    return Ok(if is_none {
                        State::default()
                    } else {
                        serde_json::from_slice(&payload).unwrap()
                    });
                }
                FromEngine::Failed { call: known, error } if known == call => return Err(error),
                _ => {}
            }
        }
    }
    panic!("no answer");
}

fn choice(names: &[&str], nodes: u32) -> controllers::Choice {
    let controllers = names.iter().map(|name| (*name).to_owned()).collect();
    controllers::Choice { controllers, nodes, scheduler: nodes > 0, ..Default::default() }
}

#[test]
fn controllers_are_started_asked_and_stopped() {
    let mut engine = engine();
    assert_eq!(ask(&mut engine, 1, None), Ok(State::default()));
    let start = controllers::Command::Start(choice(&["replicaset"], 1));
    let state = ask(&mut engine, 2, Some(start)).unwrap();
    assert_eq!(state.choice, Some(choice(&["replicaset-controller"], 1)));
    let names: Vec<_> = state.controllers.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["replicaset-controller", "kube-scheduler", "kubelet node-1"]);
    let template = r#"{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    let spec = format!(r#"{{"replicas":2,"selector":{{"matchLabels":{{"a":"b"}}}},"template":{template}}}"#);
    let body = format!(r#"{{"metadata":{{"name":"x"}},"spec":{spec}}}"#);
    engine.receive(request(3, 0, "POST", "/apis/apps/v1/namespaces/default/replicasets"), body.into());
    (0..100).for_each(|_| drop(told(&mut engine)));
    let state = ask(&mut engine, 4, None).unwrap();
    assert!(state.reconciles.iter().any(|one| one.key == "default/x" && one.wrote.len() >= 2));
    // Another client of the cluster has the same controllers.
    let mut other = Engine::join(engine.share().unwrap(), Code::WHOLE, None);
    assert_eq!(ask(&mut other, 1, None).unwrap().choice, state.choice);
    let ended = State { start: 1, ..State::default() };
    assert_eq!(ask(&mut engine, 5, Some(controllers::Command::Stop)), Ok(ended.clone()));
    assert_eq!(ask(&mut other, 2, None), Ok(ended));
}

#[test]
fn what_controllers_cannot_do_is_told() {
    let refused = |why: &str| Err(Error::Refused(why.to_owned()));
    let mut engine = engine();
    let mut check = |command, expected: &str| {
        assert_eq!(ask(&mut engine, 1, Some(command)), refused(expected));
    };
    let start = |names: &[&str], nodes| controllers::Command::Start(choice(names, nodes));
    check(start(&["nobody"], 0), "\"nobody\" is not in the list of known controllers");
    check(start(&[], 1001), "there can be 1000 nodes at most");
    check(controllers::Command::Pause(true), "no controllers are at work");
    let question = Question::Controllers { load: false };
    engine.receive(ToEngine::Question { call: 9, question }, Bytes::from_static(b"{"));
    let failed = told(&mut engine).into_iter().any(|(message, _)| {
        matches!(message, FromEngine::Failed { error: Error::Refused(why), .. } if why.starts_with("not a question about controllers: "))
    });
    assert!(failed);
}
