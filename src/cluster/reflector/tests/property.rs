//! Whatever happens between a reflector and its server, the copy is never wrong, and in the end it is the server's.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use apiserver::{ApiServer, SeededRandom};
use bytes::Bytes;
use futures::channel::oneshot;
use futures::executor::LocalPool;
use futures::future::LocalBoxFuture;
use futures::stream::{self, AbortHandle};
use futures::task::LocalSpawnExt;
use futures::{FutureExt, StreamExt};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::decision::Decision;
use super::super::objects::{Object, Objects};
use super::super::run::run;
use super::super::{Mode, Options, Reflector};
use crate::cluster::embedded::Embedded;
use crate::cluster::{Answer, Body, Request, Transport};

const COLLECTION: &str = "/api/v1/namespaces/default/configmaps";

/// What becomes of the next request instead of its being answered.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// An answer with this status code.
    Status(u16),
    /// The same, and how many seconds to wait.
    Later(u16, u8),
    NoAnswer,
    /// The answer, but only when the reflector next gets to do something.
    Late,
}

#[derive(Clone, Debug)]
enum Step {
    /// Writes the ConfigMap of this number, with a label or without.
    Write(u8, bool),
    Delete(u8),
    /// Breaks the open stream, in the middle of an event.
    Cut,
    /// The server closes its watches.
    Close,
    Fault(Fault),
    /// Forgets all but so many of the last revisions.
    Compact(u64),
    /// So many milliseconds go by.
    Advance(u64),
    /// The reflector gets to do something.
    Run,
}

fn fault() -> impl Strategy<Value = Fault> {
    let code = || proptest::sample::select(&[429, 500, 503][..]);
    prop_oneof![
        3 => code().prop_map(Fault::Status),
        1 => (code(), 0..3_u8).prop_map(|(code, seconds)| Fault::Later(code, seconds)),
        2 => Just(Fault::NoAnswer),
        3 => Just(Fault::Late),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..8_u8, any::<bool>()).prop_map(|(n, labelled)| Step::Write(n, labelled)),
        4 => (0..8_u8).prop_map(Step::Delete),
        3 => Just(Step::Cut),
        1 => Just(Step::Close),
        4 => fault().prop_map(Step::Fault),
        2 => (0..4_u64).prop_map(Step::Compact),
        2 => (0..3_000_u64).prop_map(Step::Advance),
        2 => (0..300_000_u64).prop_map(Step::Advance),
        8 => Just(Step::Run),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let mode = prop_oneof![Just(Mode::List), Just(Mode::StreamingList)];
    let target = prop_oneof![Just(COLLECTION.to_owned()), Just(format!("{COLLECTION}?labelSelector=on"))];
    (mode, target, 0..4_u32).prop_map(|(mode, target, page_size)| Options { target, mode, page_size })
}

/// The one place that knows how a store is compacted.
fn compact(server: &ApiServer, revision: u64) {
    server.inspect().compact(revision);
    server.inspect().forget(revision);
}

/// A way to the cluster that breaks where it is told to.
struct Network {
    cluster: Embedded,
    faults: RefCell<VecDeque<Fault>>,
    /// What late answers wait for the end of.
    late: RefCell<Vec<oneshot::Sender<()>>>,
    /// Breaks the stream that was opened last.
    open: Rc<RefCell<Option<AbortHandle>>>,
}

impl Transport for Network {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let (status, headers) = match self.faults.borrow_mut().pop_front() {
            None => return self.pass(request),
            Some(Fault::Late) => {
                let (sender, receiver) = oneshot::channel();
                self.late.borrow_mut().push(sender);
                return Box::pin(self.pass(request).then(|answer| receiver.map(|_| answer)));
            }
            Some(Fault::NoAnswer) => return Box::pin(async { Err("refused".to_owned()) }),
            Some(Fault::Status(status)) => (status, Vec::new()),
            Some(Fault::Later(status, seconds)) => {
                (status, vec![("retry-after".to_owned(), seconds.to_string())])
            }
        };
        let answer = Answer { status, headers, body: Body::Bytes(Bytes::new()) };
        Box::pin(async { Ok(answer) })
    }
}

impl Network {
    fn pass(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let (sent, open) = (self.cluster.send(request), Rc::clone(&self.open));
        Box::pin(async move {
            let mut answer = sent.await?;
            if let Body::Stream(stream) = answer.body {
                let (stream, handle) = stream::abortable(stream);
                *open.borrow_mut() = Some(handle.clone());
                let broken = [Ok(Bytes::from_static(b"{\"type\":\"ADD")), Err("reset".to_owned())];
                let broken = stream::iter(broken).filter(move |_| std::future::ready(handle.is_aborted()));
                answer.body = Body::Stream(stream.chain(broken).boxed_local());
            }
            Ok(answer)
        })
    }
}

/// Every state of every object that the server has given, without what only events say of it.
type Given = HashMap<(String, String), Value>;

fn bare(bytes: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(bytes).expect("an object");
    let object = value.as_object_mut().expect("an object");
    object.remove("kind");
    object.remove("apiVersion");
    value
}

fn number(version: &str) -> u64 {
    version.parse().expect("a number")
}

/// What has to hold whenever something has come of the reflector.
#[derive(Default)]
struct Watcher {
    given: RefCell<Given>,
    seen: RefCell<Objects>,
    version: Cell<u64>,
}

impl Watcher {
    fn look(&self, reflector: &Reflector) {
        let (objects, given) = (reflector.objects(), self.given.borrow());
        let mut seen = self.seen.borrow_mut();
        for (key, object) in objects {
            let before = seen.get(key);
            if before == Some(object) {
                continue;
            }
            let state = given.get(&(key.clone(), object.version.clone()));
            assert_eq!(state, Some(&bare(&object.bytes)), "{key} at {} was never given", object.version);
            let back = before.is_some_and(|before| number(&before.version) > number(&object.version));
            assert!(!back, "{key} has gone back to {}", object.version);
        }
        let version = if reflector.synced() { number(reflector.version()) } else { 0 };
        assert!(version >= self.version.get(), "the last version has gone back to {version}");
        assert!(objects.values().all(|object| number(&object.version) <= version), "newer than {version}");
        self.version.set(version);
        seen.clone_from(objects);
    }
}

/// A cluster, a reflector, and what is between them.
struct World {
    network: Rc<Network>,
    reflector: Rc<RefCell<Reflector>>,
    watcher: Rc<Watcher>,
    pool: LocalPool,
    writes: u64,
}

impl World {
    fn new(options: Options, seed: u64) -> Self {
        let cluster = Embedded::new(Duration::from_secs(1_800_000_000), seed);
        let clock = cluster.clock.clone();
        let now = apiserver::Clock::now(&clock);
        let reflector = Reflector::new(options, Arc::new(SeededRandom::new(seed)), now);
        let (faults, late, open) = Default::default();
        let network = Network { cluster, faults, late, open };
        let world = Self {
            network: Rc::new(network),
            reflector: Rc::new(RefCell::new(reflector)),
            watcher: Rc::default(),
            pool: LocalPool::new(),
            writes: 0,
        };
        let (network, reflector) = (Rc::clone(&world.network), Rc::clone(&world.reflector));
        let watcher = Rc::clone(&world.watcher);
        let task = async move {
            let changed = || watcher.look(&reflector.borrow());
            run(&reflector, &*network, &clock, &changed).await;
        };
        world.pool.spawner().spawn_local(task).expect("a pool that takes tasks");
        world
    }

    /// Sends a request past all faults.
    fn send(&self, request: Request) -> (u16, Bytes) {
        let answer = self.network.cluster.send(request).now_or_never().expect("an answer at once");
        let answer = answer.expect("an answer");
        let Body::Bytes(body) = answer.body else { panic!("a stream") };
        (answer.status, body)
    }

    fn act(&mut self, step: &Step) {
        let server = &self.network.cluster.server;
        match *step {
            Step::Write(n, labelled) => self.write(n, labelled),
            Step::Delete(n) => {
                let (status, _) = self.send(Request::json("DELETE", &format!("{COLLECTION}/c{n}"), ""));
                assert!(matches!(status, 200 | 404), "{status}");
            }
            Step::Cut => self.network.open.take().iter().for_each(AbortHandle::abort),
            Step::Close => {
                let inspect = server.inspect();
                inspect.overview().watches.iter().for_each(|watch| inspect.drop_watch(watch.id));
            }
            Step::Fault(fault) => self.network.faults.borrow_mut().push_back(fault),
            Step::Compact(kept) => compact(server, server.inspect().overview().revision - kept),
            Step::Advance(millis) => self.network.cluster.clock.advance(Duration::from_millis(millis)),
            Step::Run => self.run(),
        }
    }

    fn run(&mut self) {
        self.network.late.borrow_mut().clear();
        self.pool.run_until_stalled();
    }

    fn write(&mut self, n: u8, labelled: bool) {
        self.writes += 1;
        let name = format!("c{n}");
        let labels = if labelled { json!({ "on": "" }) } else { json!({}) };
        let body = json!({
            "metadata": { "name": name, "labels": labels },
            "data": { "write": self.writes.to_string() },
        });
        let body = body.to_string();
        let (status, mut written) = self.send(Request::json("POST", COLLECTION, &body));
        if status == 409 {
            written = self.send(Request::json("PUT", &format!("{COLLECTION}/{name}"), &body)).1;
        }
        let written = bare(&written);
        let version = written["metadata"]["resourceVersion"].as_str().expect("a version").to_owned();
        self.watcher.given.borrow_mut().insert((format!("default/{name}"), version), written);
    }

    /// Lets the faults stop and time go by.
    fn settle(&mut self) {
        self.network.faults.borrow_mut().clear();
        for _ in 0..6 {
            self.run();
            self.network.cluster.clock.advance(Duration::from_secs(61));
        }
        self.run();
    }

    /// The copy is what the server has.
    fn compare(&self) {
        let reflector = self.reflector.borrow();
        let target = reflector.options.target.clone();
        let (_, body) = self.send(Request::get(&target));
        let list: Value = serde_json::from_slice(&body).expect("a list");
        let has: BTreeMap<String, Value> = list["items"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| {
                let name = item["metadata"]["name"].as_str().expect("a name");
                (format!("default/{name}"), item.clone())
            })
            .collect();
        let bare = |(key, object): (&String, &Object)| (key.clone(), bare(&object.bytes));
        let copy: BTreeMap<String, Value> = reflector.objects().iter().map(bare).collect();
        let log = || {
            let sentences: Vec<String> = reflector.log().iter().map(|(_, it)| it.sentence()).collect();
            sentences.join("\n")
        };
        assert!(reflector.synced(), "{}", log());
        assert_eq!(copy, has, "{}", log());
    }
}

fn reflect(options: Options, seed: u64, steps: &[Step]) -> World {
    let mut world = World::new(options, seed);
    for step in steps {
        world.act(step);
    }
    world.settle();
    world.compare();
    world
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_copy_is_never_wrong_and_in_the_end_the_servers(
        options in options(),
        seed in any::<u64>(),
        steps in proptest::collection::vec(step(), 60),
    ) {
        reflect(options, seed, &steps);
    }
}

/// Where the steps lead, so that it is known that the property above is about these.
#[track_caller]
fn check(mode: Mode, page_size: u32, steps: &[Step], expected: &str) {
    let world = reflect(Options { target: COLLECTION.to_owned(), mode, page_size }, 7, steps);
    let reflector = world.reflector.borrow();
    let sentences: Vec<String> =
        reflector.log().iter().map(|(_, decision): &(Duration, Decision)| decision.sentence()).collect();
    assert!(sentences.iter().any(|sentence| sentence.contains(expected)), "{sentences:#?}");
}

#[test]
fn meets_a_real_server() {
    let write = || (0..5).map(|n| Step::Write(n, false));
    let cut = [Step::Run, Step::Advance(2000), Step::Cut];
    let lost = [&cut[..], &[Step::Fault(Fault::NoAnswer), Step::Run]].concat();
    let forgotten = [Step::Compact(0), Step::Advance(2000), Step::Run];
    let expires: Vec<Step> = write().chain(lost).chain(write()).chain(forgotten).collect();
    check(Mode::List, 0, &[], "synced at 10248, with 0 objects");
    check(Mode::List, 0, &cut, "watch again from 10248: the connection broke (reset)");
    check(Mode::List, 0, &[Step::Run, Step::Advance(600_000)], "again from 10248: the server closed");
    check(Mode::List, 0, &expires, "list again, from 10253 or newer: the version to go on from has expired");
    check(Mode::List, 2, &expires, "list again, from the newest state, in pages of 2");
    check(Mode::List, 2, &expires, "read the next page, after 4 objects");
    check(Mode::StreamingList, 0, &expires, "list as a stream again, from 10253 or newer");
    let refused = [Step::Fault(Fault::Status(500)), Step::Run];
    check(Mode::StreamingList, 0, &refused, "do without the stream: the server answered 500");
}
