//! A cluster that is restored before the code that it takes is there. The only test of its program, for what is loaded stays.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Context, Waker};

use apiserver::code;
use bytes::Bytes;
use engine::{Code, Config, Engine};
use futures::FutureExt;
use futures::channel::oneshot;
use protocol::command::{Backup, Command};
use protocol::message::{ClusterId, FromEngine, HttpRequest, Mode, ToEngine};

fn told(engine: &mut Engine) -> Vec<String> {
    let messages = engine.poll(&mut Context::from_waker(Waker::noop()));
    messages
        .iter()
        .filter_map(|(message, body)| match message {
            FromEngine::Done { call, .. } => Some(format!("{call} done")),
            FromEngine::Failed { call, error } => Some(format!("{call} {error}")),
            FromEngine::Response { call, response } => {
                let body = String::from_utf8_lossy(body);
                let version =
                    body.split("\"resourceVersion\":").nth(1).and_then(|rest| rest.split('"').nth(1));
                Some(format!("{} {} {}", call, response.status, version.unwrap_or_default()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn what_comes_behind_waits_and_a_failure_can_be_tried_again() {
    let loads = Rc::new(RefCell::new(Vec::new()));
    let asked = Rc::clone(&loads);
    let load = Rc::new(move |_| {
        let (done, loaded) = oneshot::channel::<Result<(), String>>();
        asked.borrow_mut().push(done);
        async move { loaded.await.unwrap_or_else(|_| Err("gone".to_owned())) }.boxed_local()
    });
    let mut engine =
        Engine::new(Config { code: Code::late(load, || Box::pin(async { Ok(()) })), ..Config::default() });
    told(&mut engine);
    let restore = |call| {
        let backup = Backup { revision: 70_000, ..Backup::default() };
        let command = Command::Restore(Box::new(backup));
        ToEngine::Command { call, cluster: ClusterId::FIRST, command }
    };
    let list = |call| ToEngine::Request {
        call,
        cluster: ClusterId::FIRST,
        server: 0,
        mode: Mode::Serve,
        request: HttpRequest {
            method: "GET".to_owned(),
            uri: "/api/v1/namespaces".to_owned(),
            headers: Vec::new(),
        },
    };
    engine.receive(restore(1), Bytes::new());
    assert!(told(&mut engine).is_empty());
    loads.borrow_mut().pop().map(|done| done.send(Err("404 Not Found".to_owned())));
    let failed = told(&mut engine);
    assert!(
        failed.len() == 1 && failed[0].starts_with("1 ") && failed[0].contains("404 Not Found"),
        "{failed:?}"
    );
    engine.receive(restore(2), Bytes::new());
    engine.receive(list(3), Bytes::new());
    assert!(told(&mut engine).is_empty());
    code::provide_writes();
    loads.borrow_mut().pop().map(|done| done.send(Ok(())));
    assert_eq!(told(&mut engine), ["2 done", "3 200 70000"]);
}
