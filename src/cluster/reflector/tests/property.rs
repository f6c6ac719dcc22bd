//! Whatever happens between a reflector and the API servers of its cluster, the copy is never wrong, and in the end it
//! is the cluster's.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use apiserver::{SeededRandom, inspect};
use bytes::Bytes;
use futures::channel::oneshot;
use futures::executor::LocalPool;
use futures::future::LocalBoxFuture;
use futures::stream::{self, AbortHandle};
use futures::task::LocalSpawnExt;
use futures::{FutureExt, StreamExt};
use json_tree::{Value, json};
use proptest::prelude::*;

use crate::cluster::embedded::in_process::InProcess;
use crate::cluster::reflector::objects::{Object, Objects};
use crate::cluster::reflector::run::run;
use crate::cluster::reflector::{Mode, Options, Reflector};
use crate::cluster::{Answer, Body, Request, Transport};
use crate::model::messages::reflector as words;

const COLLECTION: &str = "/api/v1/namespaces/default/configmaps";
/// How many API servers the reflector can come to.
const SERVERS: usize = 2;

/// The fate of the next request instead of its normal response.
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
    /// The servers close their watches.
    Close,
    /// The next request does not get through.
    Fault(Fault),
    /// So many requests to this server fail there.
    Fail(usize, usize, inspect::Fault),
    /// The next requests go to this server.
    Turn(usize),
    /// This server hears of a write after so many milliseconds.
    Lag(usize, u64),
    /// This server hears of nothing, or hears again.
    Stop(usize, bool),
    /// The store forgets all but so many of the last revisions.
    Compact(u64),
    /// This server forgets the events of all but so many of the last revisions.
    Forget(usize, u64),
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

/// How a server fails.
fn failure() -> impl Strategy<Value = inspect::Fault> {
    use inspect::Fault::{Cut, InternalError, TooManyRequests, Unavailable};
    proptest::sample::select(&[TooManyRequests, InternalError, Unavailable, Cut][..])
}

fn step() -> impl Strategy<Value = Step> {
    let server = || 0..SERVERS;
    prop_oneof![
        8 => (0..8_u8, any::<bool>()).prop_map(|(n, labelled)| Step::Write(n, labelled)),
        4 => (0..8_u8).prop_map(Step::Delete),
        3 => Just(Step::Cut),
        1 => Just(Step::Close),
        3 => fault().prop_map(Step::Fault),
        1 => (server(), 1..3_usize, failure()).prop_map(|(at, count, how)| Step::Fail(at, count, how)),
        4 => server().prop_map(Step::Turn),
        2 => (server(), 0..5_000_u64).prop_map(|(at, millis)| Step::Lag(at, millis)),
        3 => (server(), any::<bool>()).prop_map(|(at, stopped)| Step::Stop(at, stopped)),
        2 => (0..4_u64).prop_map(Step::Compact),
        2 => (server(), 0..4_u64).prop_map(|(at, kept)| Step::Forget(at, kept)),
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

/// A way to the cluster that breaks where it is told to.
struct Network {
    /// The cluster, whose first server is the one that requests reach past all faults.
    cluster: InProcess,
    /// The server that requests go to, of those behind the first.
    turn: Cell<usize>,
    faults: RefCell<VecDeque<Fault>>,
    /// The senders that late responses wait for.
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
        let body = Body::Bytes(Bytes::new());
        let answer = Answer { status, headers, body, revision: None, served: None };
        Box::pin(async { Ok(answer) })
    }
}

impl Network {
    fn pass(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        self.cluster.choose(Some(self.turn.get() + 1));
        let (sent, open) = (self.cluster.send(request), Rc::clone(&self.open));
        self.cluster.choose(Some(0));
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

/// The objects of a collection, without what only events say of them.
type State = BTreeMap<String, Value>;

fn bare(bytes: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(bytes).expect("an object");
    let object = value.as_object_mut().expect("an object");
    object.remove("kind");
    object.remove("apiVersion");
    value
}

fn copy(reflector: &Reflector) -> State {
    let bare = |(key, object): &(String, Object)| (key.clone(), bare(&object.bytes));
    reflector.objects().iter().map(bare).collect()
}

fn log(reflector: &Reflector) -> String {
    let sentences: Vec<String> =
        reflector.log().iter().map(|(.., decision)| words::decision(decision)).collect();
    sentences.join("\n")
}

/// The invariant that is checked whenever the reflector may have changed: the copy is what the cluster had at the
/// copy's version, and that never goes back, whichever server it comes from.
#[derive(Default)]
struct Watcher {
    /// All states of the cluster, by the revision that made them.
    history: RefCell<BTreeMap<u64, State>>,
    /// The state that was looked at last.
    seen: RefCell<(u64, Objects)>,
}

impl Watcher {
    fn look(&self, reflector: &Reflector) {
        let mut seen = self.seen.borrow_mut();
        if !reflector.synced() {
            assert!(reflector.objects().len() == 0, "there is a copy before it is whole");
            return;
        }
        let version: u64 = reflector.version().parse().expect("a number");
        assert!(version >= seen.0, "gone back to {version}:\n{}", log(reflector));
        let now = (version, reflector.objects().clone());
        if *seen == now {
            return;
        }
        *seen = now;
        let history = self.history.borrow();
        let selected = reflector.options.target.contains("labelSelector");
        let was = history.range(..=version).next_back().into_iter().flat_map(|(_, state)| state.clone());
        let is_on = |object: &Value| object.pointer("/metadata/labels/on").is_some();
        let was: State = was.filter(|(_, object)| !selected || is_on(object)).collect();
        assert_eq!(copy(reflector), was, "at {version}:\n{}", log(reflector));
    }
}

/// A cluster, a reflector, and what is between them.
struct World {
    /// A server that requests reach past all faults.
    cluster: InProcess,
    network: Rc<Network>,
    reflector: Rc<RefCell<Reflector>>,
    watcher: Rc<Watcher>,
    pool: LocalPool,
    writes: u64,
}

impl World {
    fn new(options: Options, seed: u64) -> Self {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), seed);
        let clock = cluster.clock.clone();
        let now = clock::Clock::now(&clock);
        let reflector = Reflector::new(options, Arc::new(SeededRandom::new(seed)), now);
        for _ in 0..SERVERS {
            cluster.join().expect("room for one").now_or_never().expect("at once").expect("a server");
        }
        let (turn, faults, late, open) = Default::default();
        let world = Self {
            network: Rc::new(Network { cluster: cluster.clone(), turn, faults, late, open }),
            cluster,
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
        let answer = self.cluster.send(request).now_or_never().expect("an answer at once");
        let answer = answer.expect("an answer");
        let Body::Bytes(body) = answer.body else { panic!("a stream") };
        (answer.status, body)
    }

    fn act(&mut self, step: &Step) {
        let inspect = self.cluster.server.inspect();
        let at = |server: usize| self.cluster.server_at(server + 1).inspect();
        let all_but = |kept: u64| inspect.overview().revision - kept;
        match *step {
            Step::Write(n, labelled) => self.write(n, labelled),
            Step::Delete(n) => self.delete(n),
            Step::Cut => self.network.open.take().iter().for_each(AbortHandle::abort),
            Step::Close => inspect.overview().watches.iter().for_each(|watch| inspect.drop_watch(watch.id)),
            Step::Fault(fault) => self.network.faults.borrow_mut().push_back(fault),
            Step::Fail(server, count, fault) => at(server).fail_next(count, fault),
            Step::Turn(server) => self.network.turn.set(server),
            Step::Lag(server, millis) => at(server).set_lag(None, Duration::from_millis(millis)),
            Step::Stop(server, stopped) => at(server).set_stopped(None, stopped),
            Step::Compact(kept) => inspect.compact(all_but(kept)),
            Step::Forget(server, kept) => at(server).forget(all_but(kept)),
            Step::Advance(millis) => self.cluster.clock.advance(Duration::from_millis(millis)),
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
        self.note(|state| drop(state.insert(format!("default/{name}"), written)));
    }

    fn delete(&mut self, n: u8) {
        let (status, _) = self.send(Request::json("DELETE", &format!("{COLLECTION}/c{n}"), ""));
        assert!(matches!(status, 200 | 404), "{status}");
        self.note(|state| drop(state.remove(&format!("default/c{n}"))));
    }

    /// Notes what a write has made of the cluster.
    fn note(&self, change: impl FnOnce(&mut State)) {
        let mut history = self.watcher.history.borrow_mut();
        let mut state = history.last_key_value().map(|(_, state)| state.clone()).unwrap_or_default();
        change(&mut state);
        history.insert(self.cluster.server.inspect().overview().revision, state);
    }

    /// Lets all faults stop and time go by: enough for the store to be compacted. Until then a list in pages from a
    /// version that the watch caches have forgotten is answered with the state at that version, and the watch after it
    /// with 410, over and over.
    fn settle(&mut self) {
        self.network.faults.borrow_mut().clear();
        for server in 1..=SERVERS {
            let server = self.cluster.server_at(server);
            let inspect = server.inspect();
            inspect.clear_faults();
            inspect.set_stopped(None, false);
            inspect.set_lag(None, Duration::ZERO);
        }
        for _ in 0..14 {
            self.run();
            self.cluster.clock.advance(Duration::from_secs(61));
        }
        self.run();
    }

    /// The copy is what the server has.
    fn compare(&self) {
        let reflector = self.reflector.borrow();
        let target = reflector.options.target.clone();
        let (_, body) = self.send(Request::get(&target));
        let list: Value = serde_json::from_slice(&body).expect("a list");
        let has: State = list["items"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| {
                let name = item["metadata"]["name"].as_str().expect("a name");
                (format!("default/{name}"), item.clone())
            })
            .collect();
        assert!(reflector.synced(), "{}", log(&reflector));
        assert_eq!(copy(&reflector), has, "{}", log(&reflector));
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

/// Checks where the steps lead, so that it is known that the property above is about these.
#[track_caller]
fn check(mode: Mode, page_size: u32, steps: &[Step], expected: &str) {
    let world = reflect(Options { target: COLLECTION.to_owned(), mode, page_size }, 7, steps);
    let log = log(&world.reflector.borrow());
    assert!(log.lines().any(|sentence| sentence.contains(expected)), "{log}");
}

#[test]
fn meets_a_real_server() {
    let write = || (0..5).map(|n| Step::Write(n, false));
    let cut = [Step::Run, Step::Advance(2000), Step::Cut];
    let lost = [&cut[..], &[Step::Fault(Fault::NoAnswer), Step::Run]].concat();
    let forgotten = [Step::Compact(0), Step::Forget(0, 0), Step::Advance(2000), Step::Run];
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

/// From a server that is up to date to one that hears of nothing, which has to be asked for a copy.
#[test]
fn meets_a_server_that_has_fallen_behind() {
    let write = || (0..5).map(|n| Step::Write(n, false));
    let seen = [Step::Run, Step::Stop(1, true)].into_iter().chain(write()).chain([Step::Run]);
    let fail = Step::Fail(1, 1, inspect::Fault::InternalError);
    let turned = seen.chain([Step::Turn(1), fail, Step::Advance(2000), Step::Cut, Step::Run]);
    // It waits three seconds, and says to come again in one.
    let patience = (0..50).flat_map(|_| [Step::Advance(1000), Step::Run]);
    let behind: Vec<Step> = turned.chain(patience).collect();
    check(Mode::List, 0, &behind, "list again, from 10253 or newer: the server answered 500");
    check(Mode::List, 0, &behind, "the server answered 504, and says how long to wait");
    let newest = "list again, from the newest state: the server has not come to that version yet";
    check(Mode::List, 0, &behind, newest);
    check(Mode::StreamingList, 0, &behind, "list as a stream again, from 10253 or newer");
}
