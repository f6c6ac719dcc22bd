//! The servers, the model, and the steps that write or interfere.

use std::time::Duration;

use apiserver::{Clock, Compaction, ManualClock};
use bytes::Bytes;
use futures::FutureExt;
use http::Request;
use json_tree::{Value, json};

use super::history::{History, Object};
use super::query::{LABELS, name_of, namespace_of};
use super::reads::{Call, Chain};
use super::server::Server;
use super::step::Step;
use super::watcher::Watcher;
use super::watches::Cut;
use crate::common::Cluster;

/// The result of a check. The error says what differs from the model.
pub(crate) type Checked<T = ()> = Result<T, String>;

/// Says what is wrong unless something holds.
macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}
pub(crate) use ensure;

const FINALIZER: &str = "example.com/wait";
const ELSEWHERE: &str = "/api/v1/namespaces/default/secrets";

/// How much has been compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) lists: usize,
    pub(crate) pages: usize,
    pub(crate) gets: usize,
    pub(crate) events: usize,
    pub(crate) bookmarks: usize,
    pub(crate) expired: usize,
    pub(crate) too_new: usize,
    pub(crate) ended: usize,
    pub(crate) relists: usize,
}

/// A cluster and its model.
pub(crate) struct World {
    pub(crate) clock: ManualClock,
    pub(crate) servers: Vec<Server>,
    pub(crate) history: History,
    /// The store's compact revision, when somebody looked last.
    pub(crate) floor: u64,
    /// To which revision a step has had the store compacted.
    asked: u64,
    compaction: Compaction,
    /// When the store is next compacted by age.
    next_round: Duration,
    pub(crate) calls: Vec<Call>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) watchers: Vec<Watcher>,
    pub(crate) cut: Vec<Cut>,
    pub(crate) seen: Seen,
    /// Makes every write another one.
    written: u64,
}

impl World {
    pub(crate) fn new(compaction: Compaction) -> Self {
        let Cluster { server, clock } = Cluster::with_compaction(compaction);
        let floor = server.inspect().overview().compact_revision;
        let mut world = Self {
            history: History::new(server.inspect().overview().revision, clock.now()),
            floor,
            servers: vec![Server::new(server, floor, clock.now())],
            asked: 0,
            compaction,
            next_round: clock.now().saturating_add(compaction.every.unwrap_or(Duration::MAX)),
            clock,
            calls: Vec::new(),
            chains: Vec::new(),
            watchers: Vec::new(),
            cut: Vec::new(),
            seen: Seen::default(),
            written: 0,
        };
        let namespace = json!({ "metadata": { "name": namespace_of(1) } });
        for (path, body) in
            [("/api/v1/namespaces", &namespace), (ELSEWHERE, &json!({ "metadata": { "name": "s" } }))]
        {
            let (code, answer) = world.request(0, "POST", path, body);
            assert_eq!(code, 201, "{answer}");
            world.history.skip(world.clock.now());
        }
        world.servers[0].reached = world.history.head;
        world
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The number of a server, modulo how many there are.
    pub(crate) fn server(&self, number: usize) -> usize {
        number % self.servers.len()
    }

    /// Lets time pass. Each round of compaction by age makes a revision without an object.
    fn advance(&mut self, by: Duration) -> Checked {
        self.clock.advance(by);
        let Some(every) = self.compaction.every.filter(|_| self.next_round <= self.clock.now()) else {
            return Ok(());
        };
        while self.next_round <= self.clock.now() {
            self.history.skip(self.clock.now());
            self.next_round += every;
        }
        self.observe()
    }

    /// Does a step, and looks whether all is as it should be.
    pub(crate) fn step(&mut self, step: &Step) -> Checked {
        let count = self.servers.len();
        let number = |server: &usize| *server % count;
        match step {
            Step::Write { server, namespace, name, labels, finalizer } => {
                self.write(*server, (namespace_of(*namespace), name_of(*name)), *labels, *finalizer)?;
            }
            Step::Rewrite { server, number } => self.rewrite(*server, *number)?,
            Step::Burst { server, namespace, name, times } => {
                for round in 0..*times {
                    self.write(*server, (namespace_of(*namespace), name_of(*name)), round, false)?;
                }
            }
            Step::Delete { server, number } => self.delete(*server, *number)?,
            Step::Elsewhere { server } => self.write_elsewhere(*server)?,
            Step::Compact { back } => {
                let revision = self.history.head - back.min(&self.history.head);
                self.asked = self.asked.max(revision);
                self.servers[0].api.inspect().compact(revision);
            }
            Step::Forget { server, back } => {
                let server = &mut self.servers[number(server)];
                let revision = self.history.head - back;
                server.api.inspect().forget(revision);
                server.forgot = server.forgot.max(revision.min(server.reached));
            }
            Step::Lag { server, seconds } => {
                let (now, server) = (self.clock.now(), number(server));
                let server = &mut self.servers[server];
                server.lag = Duration::from_secs(*seconds);
                server.changed = now;
                server.api.inspect().set_lag(Some("configmaps"), server.lag);
            }
            Step::Stop { server, stopped } => {
                let server = &mut self.servers[number(server)];
                server.stopped = *stopped;
                server.api.inspect().set_stopped(Some("configmaps"), *stopped);
            }
            Step::Advance { milliseconds, watch, call } => {
                self.advance(Duration::from_millis(*milliseconds))?;
                if let Some(number) = *watch {
                    self.watch(&Step::Read { number, frames: None })?;
                }
                if let Some(number) = *call {
                    self.read(&Step::Look { number })?;
                }
            }
            Step::Join if self.servers.len() < 3 => {
                let joined = self.servers[0].api.join();
                self.servers.push(Server::new(joined, self.history.head, self.clock.now()));
            }
            Step::Join => {}
            Step::List { .. } | Step::Continue { .. } | Step::Get { .. } | Step::Look { .. } => {
                self.read(step)?;
            }
            _ => self.watch(step)?,
        }
        self.observe()
    }

    /// Everything that is still open is read to its end.
    pub(crate) fn finish(&mut self) -> Checked {
        for _ in 0..2 {
            while !self.calls.is_empty() {
                self.step(&Step::Look { number: 0 })?;
                self.advance(Duration::from_secs(1))?;
            }
            self.step(&Step::ReadAll)?;
            for server in 0..self.servers.len() {
                self.step(&Step::Stop { server, stopped: false })?;
                self.step(&Step::Lag { server, seconds: 0 })?;
            }
        }
        self.step(&Step::Advance { milliseconds: 70_000, watch: None, call: None })?;
        self.step(&Step::ReadAll)
    }

    /// Looks at the caches and at the store.
    pub(crate) fn observe(&mut self) -> Checked {
        let now = self.clock.now();
        let caches = self.servers[0].api.inspect().caches();
        let reached = caches.iter().filter(|cache| cache.resource == "configmaps");
        for (server, cache) in self.servers.iter_mut().zip(reached) {
            let relists = server.relists;
            let checked = server.follow(cache.revision, self.floor, &self.history, now);
            checked.map_err(|why| format!("server {}: {why}", cache.server))?;
            self.seen.relists += server.relists - relists;
        }
        let overview = self.servers[0].api.inspect().overview();
        let (floor, revision) = (overview.compact_revision, overview.revision);
        ensure!(revision == self.history.head, "the store is at {revision}, not at {}", self.history.head);
        let mut allowed = self.asked.max(self.floor);
        if let Some(keep) = self.compaction.keep {
            allowed = allowed.max(self.history.head - keep);
        }
        if self.compaction.every.is_some() {
            // Rounds are 300 seconds apart; each may be noticed by a step (of 70 s) too late.
            allowed = allowed.max(self.history.revision_at(now.saturating_sub(Duration::from_secs(229))));
        }
        ensure!(self.floor <= floor && floor <= allowed, "compacted to {floor}, may be {allowed}");
        self.floor = floor;
        Ok(())
    }

    /// Sends a request that takes no time.
    fn request(&self, server: usize, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let request = Request::builder().method(method).uri(path).body(body).expect("a request");
        let server = &self.servers[server % self.servers.len()].api;
        crate::common::read(&server.call(request).now_or_never().expect("a write takes no time"))
    }

    /// Creates an object, or replaces it. One that is on its way out goes when its finalizer does.
    fn write(
        &mut self,
        server: usize,
        (namespace, name): (&str, &str),
        labels: usize,
        finalizer: bool,
    ) -> Checked {
        self.written += 1;
        let labels: json_tree::Map<_, _> = LABELS[labels % LABELS.len()]
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Value::from(*value)))
            .collect();
        let finalizers = if finalizer { json!([FINALIZER]) } else { json!([]) };
        let data = json!({ "n": self.written.to_string() });
        let body = json!({
            "metadata": { "name": name, "labels": labels, "finalizers": finalizers },
            "data": data,
        });
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let key = format!("{namespace}/{name}");
        let known = self.history.newest().get(&key).cloned();
        let (code, answer) = match known {
            Some(_) => self.request(server, "PUT", &format!("{path}/{name}"), &body),
            None => self.request(server, "POST", &path, &body),
        };
        let expected = if known.is_some() { 200 } else { 201 };
        ensure!(code == expected, "a write is answered {code}: {answer}");
        let now = self.clock.now();
        if known.is_some_and(|known| known.is_terminating()) && !finalizer {
            self.history.write(&key, None, now);
            return Ok(());
        }
        let object = Object::new(answer);
        let (version, sent) = (self.history.head + 1, &object.value);
        ensure!(object.version() == version, "a write made {} and not {version}", object.version());
        let kept = sent["metadata"].get("labels").cloned().unwrap_or_else(|| json!({}));
        ensure!(sent["data"] == data && kept == Value::Object(labels), "{body} was stored as {sent}");
        self.history.write(&key, Some(object), now);
        Ok(())
    }

    /// The key and the value of one of the objects.
    fn pick(&self, number: usize) -> Option<(String, std::rc::Rc<Object>)> {
        let state = self.history.newest();
        let (key, object) = state.iter().nth(number % state.len().max(1))?;
        Some((key.clone(), std::rc::Rc::clone(object)))
    }

    fn path_of(object: &Object) -> String {
        format!("/api/v1/namespaces/{}/configmaps/{}", object.namespace, object.name)
    }

    fn rewrite(&self, server: usize, number: usize) -> Checked {
        let Some((_, object)) = self.pick(number) else { return Ok(()) };
        let (code, answer) = self.request(server, "PUT", &Self::path_of(&object), &object.value);
        let same = Object::new(answer).value == object.value;
        ensure!(code == 200 && same, "a write of what is there is answered {code}");
        Ok(())
    }

    fn delete(&mut self, server: usize, number: usize) -> Checked {
        let Some((key, object)) = self.pick(number) else { return Ok(()) };
        let (code, answer) = self.request(server, "DELETE", &Self::path_of(&object), &Value::Null);
        ensure!(code == 200, "a deletion is answered {code}: {answer}");
        let now = self.clock.now();
        if !object.has_finalizers() {
            self.history.write(&key, None, now);
        } else if !object.is_terminating() {
            let marked = Object::new(answer);
            ensure!(marked.is_terminating(), "{} is not marked", marked.value);
            self.history.write(&key, Some(marked), now);
        }
        Ok(())
    }

    fn write_elsewhere(&mut self, server: usize) -> Checked {
        self.written += 1;
        let labels = json!({ "n": self.written.to_string() });
        let body = json!({ "metadata": { "name": "s", "labels": labels } });
        let (code, answer) = self.request(server, "PUT", &format!("{ELSEWHERE}/s"), &body);
        ensure!(code == 200, "a write is answered {code}: {answer}");
        self.history.skip(self.clock.now());
        Ok(())
    }
}
