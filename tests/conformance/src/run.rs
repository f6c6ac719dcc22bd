//! Doing what a scenario says.

use std::collections::HashMap;
use std::task::{Context, Poll};
use std::time::Duration;

use apiserver::{Body, ManualClock};
use http::Method;
use json_tree::{Map, Value, json};

use crate::executor::Executor;
use crate::request::{self, Head, Server};
use crate::scenario::{Action, Scenario, Step, Until};
use crate::substitute::Names;
use crate::watch::{Chunks, Watch, Watches};

/// How long an answer may take, and a stream that is read to its end may pause.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a watch may take to open.
const WATCH_PATIENCE: Duration = Duration::from_secs(90);
/// How long a request is repeated until it is answered as the step wants.
const UNTIL: Duration = Duration::from_secs(15);
/// How long it is before it is sent again.
const AGAIN: Duration = Duration::from_millis(100);
/// How long a watch is looked at once the events are there: there may be one too many.
const BREATH: Duration = Duration::from_millis(150);

/// One run of a scenario.
pub(crate) struct Run<'a, S> {
    server: &'a S,
    scenario: &'a Scenario,
    names: Names,
    executor: Executor,
    watches: Watches,
}

impl<'a, S: Server> Run<'a, S> {
    /// A run of `scenario` against `server`, whose clock is `clock`. `ns` is the name of the run's own.
    pub(crate) fn new(server: &'a S, clock: ManualClock, scenario: &'a Scenario, ns: &str) -> Self {
        Self {
            server,
            scenario,
            names: Names { ns: ns.to_owned(), answers: HashMap::new() },
            executor: Executor::new(clock),
            watches: Watches::new(),
        }
    }

    /// Puts every step's answer into `answers`, in order, until a step cannot be done.
    pub(crate) fn execute(mut self, answers: &mut Vec<Value>) -> Result<(), String> {
        let mut done = Ok(());
        for (index, step) in self.scenario.steps.iter().enumerate() {
            let name = step.name(index);
            match self.step(step, &name) {
                Ok(answer) => {
                    let seen = if step.collect.is_some() { &answer } else { &answer["body"] };
                    self.names.answers.insert(name, seen.clone());
                    answers.push(answer);
                }
                Err(error) => {
                    done = Err(format!("step {name}: {error}"));
                    break;
                }
            }
        }
        self.watches.values_mut().for_each(Watch::close);
        self.clean();
        done
    }

    fn step(&mut self, step: &Step, name: &str) -> Result<Value, String> {
        match step.action().ok_or("not one of request, watch, collect, close, sleep")? {
            Action::Request(request, until) => self.request(request, until),
            Action::Watch(request) => self.watch(request, name),
            Action::Collect(watch, count, seconds) => self.collect(watch, count, seconds, step.until_closed),
            Action::Close(watch) => {
                self.watches.get_mut(watch).ok_or_else(|| format!("no watch {watch}"))?.close();
                Ok(json!({}))
            }
            Action::Sleep(time) => {
                self.wait(seconds(time)?, |_, _| Poll::<()>::Pending);
                Ok(json!({}))
            }
        }
    }

    fn request(&mut self, request: &Map<String, Value>, until: Option<&Until>) -> Result<Value, String> {
        let mut waited = Duration::ZERO;
        loop {
            let answer = self.call(&self.names.map(request)?)?;
            let Some(until) = until else { return Ok(answer) };
            let status = until.status.is_none_or(|status| answer["status"] == status);
            if (status && holds(&answer["body"], &self.names.substitute(&until.body)?)) || waited > UNTIL {
                return Ok(answer);
            }
            self.wait(AGAIN, |_, _| Poll::<()>::Pending);
            waited += AGAIN;
        }
    }

    fn call(&mut self, request: &Map<String, Value>) -> Result<Value, String> {
        let (head, method, body) = self.send(request, PATIENCE)?;
        match body {
            Body::Bytes(bytes) => request::answer(&head, &method, &bytes),
            Body::Stream(chunks) => request::answer(&head, &method, &self.drain(chunks)?),
            Body::Upgrade(_) | Body::Cut => Err("the connection was cut".to_owned()),
        }
    }

    fn watch(&mut self, request: &Map<String, Value>, name: &str) -> Result<Value, String> {
        let mut request = self.names.map(request)?;
        request.entry("method").or_insert_with(|| json!("GET"));
        let (head, _, body) = self.send(&request, WATCH_PATIENCE)?;
        if head.status == 200 {
            let chunks: Chunks = match body {
                Body::Stream(chunks) => chunks,
                Body::Bytes(bytes) => Box::pin(futures::stream::iter([bytes])),
                Body::Upgrade(_) | Body::Cut => return Err("the connection was cut".to_owned()),
            };
            self.watches.insert(name.to_owned(), Watch::new(&head.content_type, Some(chunks)));
            return Ok(json!({"status": head.status, "headers": head.kept, "body": null}));
        }
        let bytes = match body {
            Body::Bytes(bytes) => bytes.to_vec(),
            Body::Stream(chunks) => self.drain(chunks)?,
            Body::Upgrade(_) | Body::Cut => return Err("the connection was cut".to_owned()),
        };
        self.watches.insert(name.to_owned(), Watch::new(&head.content_type, None));
        request::answer(&head, &Method::GET, &bytes)
    }

    fn send(
        &mut self,
        request: &Map<String, Value>,
        limit: Duration,
    ) -> Result<(Head, Method, Body), String> {
        let request = request::build(request)?;
        let method = request.method().clone();
        let mut answering = self.server.call(request);
        let response = self
            .wait(limit, |cx, _| answering.as_mut().poll(cx))
            .ok_or_else(|| format!("no answer within {} s", limit.as_secs()))?;
        Ok((Head::of(&response), method, response.into_body()))
    }

    fn drain(&mut self, mut chunks: Chunks) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        loop {
            match self.wait(PATIENCE, |cx, _| chunks.as_mut().poll_next(cx)) {
                Some(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Some(None) => return Ok(bytes),
                None => return Err(format!("the body paused for {} s", PATIENCE.as_secs())),
            }
        }
    }

    fn collect(&mut self, name: &str, count: usize, limit: f64, until_closed: bool) -> Result<Value, String> {
        if !self.watches.contains_key(name) {
            return Err(format!("no watch {name}"));
        }
        let limit = seconds(limit)?;
        let state =
            |watches: &Watches| watches.get(name).map_or((0, true), |watch| (watch.len(), watch.ended()));
        self.wait(limit, |_, watches| match state(watches) {
            (_, true) => Poll::Ready(()),
            (len, false) if !until_closed && len >= count => Poll::Ready(()),
            _ => Poll::Pending,
        });
        if !until_closed {
            let before = state(&self.watches);
            self.wait(
                BREATH,
                |_, watches| {
                    if state(watches) == before { Poll::Pending } else { Poll::Ready(()) }
                },
            );
        }
        let watch = self.watches.get_mut(name).ok_or("no such watch")?;
        let mut answer = json!({"events": watch.take()});
        if until_closed {
            answer["closed"] = json!(watch.ended());
        }
        Ok(answer)
    }

    /// Lets everything go on until there is something, or `limit` has passed.
    fn wait<T>(
        &mut self,
        limit: Duration,
        mut poll: impl FnMut(&mut Context<'_>, &Watches) -> Poll<T>,
    ) -> Option<T> {
        let watches = &mut self.watches;
        self.executor.run(limit, |cx| {
            watches.values_mut().for_each(|watch| watch.pump(cx));
            poll(cx, watches)
        })
    }

    fn clean(&mut self) {
        for path in &self.scenario.cleanup {
            // A scenario that broke off may have nothing to clean, so the answers do not matter.
            if let Ok(path) = self.names.text(path) {
                let request = Map::from_iter([
                    ("method".to_owned(), json!("DELETE")),
                    ("path".to_owned(), Value::String(path)),
                ]);
                _ = self.call(&request);
            }
        }
    }
}

fn seconds(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds).map_err(|error| format!("{seconds} s: {error}"))
}

/// Reports whether `got` has all that `want` says.
fn holds(got: &Value, want: &Value) -> bool {
    match want {
        Value::Null => true,
        Value::Object(want) => {
            want.iter().all(|(key, want)| got.get(key).is_some_and(|got| holds(got, want)))
        }
        want => got == want,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(got: Value, want: Value, expected: bool) {
        assert_eq!(holds(&got, &want), expected, "{got} {want}");
    }

    #[test]
    fn what_an_answer_holds() {
        check(json!(null), json!(null), true);
        check(json!({"a": 1}), json!(null), true);
        check(json!({"a": 1, "b": 2}), json!({"a": 1}), true);
        check(json!({"a": {"b": 1, "c": 2}}), json!({"a": {"c": 2}}), true);
        check(json!({"a": 1}), json!({"a": 2}), false);
        check(json!({"a": 1}), json!({"b": null}), false);
        check(json!([{"a": 1, "b": 2}]), json!([{"a": 1}]), false);
        check(json!("a"), json!({"a": 1}), false);
    }
}
