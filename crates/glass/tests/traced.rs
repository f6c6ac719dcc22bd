//! Compares a glass with the cluster whose trace it was folded from.

use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use engine::{Config, Engine};
use glass::{Glass, resource_of};
use json_tree::json;
use proptest::prelude::*;
use protocol::command::Command;
use protocol::message::{ClusterId, FromEngine, HttpRequest, HttpResponse, Mode, ToEngine};

const LIST: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";

/// An engine and what is known of its cluster.
struct Traced {
    engine: Engine,
    glass: Glass,
    calls: u64,
    /// The calls that opened a watch, with its number, and how many frames have come.
    watches: Vec<(u64, u64, u64)>,
}

impl Traced {
    fn new() -> Self {
        let engine = Self::new_engine(Duration::from_secs(1_800_000_000), 1);
        let mut traced = Self { engine, glass: Glass::default(), calls: 0, watches: vec![] };
        traced.engine.receive(ToEngine::Subscribe, Bytes::new());
        traced
    }

    fn new_engine(now: Duration, seed: u64) -> Engine {
        Engine::new(Config { now, seed, ..Config::default() })
    }

    fn send(&mut self, line: &str, body: &str) -> HttpResponse {
        let (method, uri) = line.split_once(' ').unwrap();
        let content_type =
            if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        let request = HttpRequest { method: method.to_owned(), uri: uri.to_owned(), headers };
        self.calls += 1;
        let (call, cluster) = (self.calls, ClusterId::FIRST);
        let message = ToEngine::Request { call, cluster, server: 0, mode: Mode::Serve, request };
        self.engine.receive(message, Bytes::from(body.to_owned()));
        let responses = self.progress();
        let response = responses.into_iter().find_map(|message| match message {
            FromEngine::Response { call: known, response } if known == call => Some(response),
            _ => None,
        });
        // A list waits for a cache that lags.
        let response = response.unwrap_or_default();
        if let Some(watch) = response.record.as_ref().and_then(|record| record.watch) {
            self.watches.push((call, watch, 0));
        }
        response
    }

    fn command(&mut self, command: Command) {
        self.calls += 1;
        let message = ToEngine::Command { call: self.calls, cluster: ClusterId::FIRST, command };
        self.engine.receive(message, Bytes::new());
        self.progress();
    }

    fn progress(&mut self) -> Vec<FromEngine> {
        let messages = self.engine.poll(&mut Context::from_waker(Waker::noop()));
        for (message, _) in &messages {
            if let FromEngine::Frame { call } = message
                && let Some((_, _, frames)) = self.watches.iter_mut().find(|(known, ..)| known == call)
            {
                *frames += 1;
                self.engine.receive(ToEngine::Taken { call: *call, frames: *frames }, Bytes::new());
            }
        }
        messages.into_iter().map(|(message, _)| message).collect()
    }

    /// Folds what is new, as it would come in a packet.
    fn fold(&mut self) {
        while let Some(batch) = self.engine.trace() {
            let packet =
                protocol::packet::Packet::encode(vec![(FromEngine::Trace(batch), Bytes::new())]).unwrap();
            let mut decoded = protocol::packet::decode::<FromEngine>(&packet.to_bytes()).unwrap();
            let Some((FromEngine::Trace(batch), _)) = decoded.pop() else { panic!("it is a batch") };
            let number = batch.number;
            self.glass.take(batch).expect("in order");
            self.engine.receive(ToEngine::TakenTrace { batch: number }, Bytes::new());
        }
    }

    /// Compares everything that is known with what the cluster says.
    #[track_caller]
    fn check(&mut self) {
        self.progress();
        self.fold();
        self.check_cluster();
        let head = self.glass.revision();
        [head, head.saturating_sub(3), u64::MAX].into_iter().for_each(|until| self.retell(until));
        let requests: Vec<_> = self.glass.requests().iter().cloned().collect();
        assert_eq!(requests, self.engine.server(0).unwrap().inspect().served(0, usize::MAX));
    }

    /// Has another engine take the place of this one, with what is known of its cluster. Nothing is different then.
    #[track_caller]
    fn restart(&mut self) {
        self.fold();
        let inspect = self.engine.server(0).unwrap().inspect();
        let (head, compact_revision) = inspect.revisions();
        let before = inspect.writes(compact_revision, usize::MAX);
        let next = Self::new_engine(self.glass.time().now, 2);
        let (requests, lost) = (self.glass.requests().clone(), self.glass.lost());
        let backup = self.glass.backup().expect("something is known");
        self.engine = next;
        self.watches.clear();
        self.command(Command::Restore(Box::new(backup)));
        self.engine.receive(ToEngine::Subscribe, Bytes::new());
        self.glass.restart();
        self.progress();
        self.fold();
        self.check_cluster();
        let inspect = self.engine.server(0).unwrap().inspect();
        assert_eq!(inspect.revisions(), (head, compact_revision));
        assert_eq!(inspect.writes(compact_revision, usize::MAX), before);
        assert_eq!((self.glass.requests(), self.glass.lost()), (&requests, lost));
        assert_eq!(self.glass.open_watches().count(), 0);
    }

    /// Tells another glass what is known up to a revision, and compares what it knows then.
    #[track_caller]
    fn retell(&self, until: u64) {
        let glass = &self.glass;
        let batches = glass.retell(until);
        if until < glass.versions().oldest() {
            assert_eq!(batches, []);
            return;
        }
        let mut again = Glass::default();
        for batch in batches {
            again.take(batch).expect("in order");
        }
        assert_eq!(again.compact_revision(), glass.compact_revision());
        assert_eq!(again.versions().oldest(), glass.versions().oldest());
        let written = |glass: &Glass| -> Vec<_> {
            let history = glass.history();
            let writes = history.writes().iter().take_while(|write| write.revision <= until);
            let told = |write: &glass::Write| {
                let object = history.object(write.object).unwrap().label.clone();
                let by = (write.request, history.manager(write.manager).to_owned());
                (write.revision, write.change, object, by)
            };
            writes.map(told).collect()
        };
        assert_eq!(written(&again), written(glass));
        for revision in glass.versions().oldest()..=until.min(glass.revision()) {
            for resource in ["configmaps", "pods", "namespaces"] {
                let state = |glass: &Glass| -> Vec<_> {
                    let state = glass.versions().state_at(resource, revision);
                    state.map(|(key, object)| (key.clone(), object.clone())).collect()
                };
                assert_eq!(state(&again), state(glass), "{resource} at {revision}");
            }
        }
        assert_eq!(again.revision(), until.min(glass.revision()));
        if until >= glass.revision() {
            assert_eq!(again.requests(), glass.requests());
            assert_eq!(again.versions().counts(), glass.versions().counts());
        }
        for watch in glass.requests().iter().filter_map(|request| request.watch) {
            let told = again.watch(watch).map(|watch| (watch.info.clone(), watch.end.is_some()));
            let known = glass.watch(watch).filter(|watch| watch.info.revision <= until);
            assert_eq!(told, known.map(|watch| (watch.info.clone(), true)));
        }
    }

    /// Compares what is known of objects, writes, watches and API servers with what the cluster says.
    #[track_caller]
    fn check_cluster(&self) {
        let inspect = self.engine.server(0).unwrap().inspect();
        let overview = inspect.overview();
        let glass = &self.glass;
        assert_eq!(
            (glass.revision(), glass.compact_revision()),
            (overview.revision, overview.compact_revision)
        );
        assert_eq!(glass.servers(), inspect.servers());
        assert_eq!(glass.snapshots(), inspect.snapshots());
        let open: Vec<_> = glass.open_watches().map(|watch| (watch.info.id, watch.revision)).collect();
        assert_eq!(open, overview.watches.iter().map(|info| (info.id, info.revision)).collect::<Vec<_>>());
        for revision in overview.compact_revision..=overview.revision {
            for resource in ["configmaps", "pods", "namespaces", "clusterroles.rbac.authorization.k8s.io"] {
                let known: Vec<Bytes> = glass
                    .versions()
                    .state_at(resource, revision)
                    .map(|(_, object)| object.json.clone())
                    .collect();
                assert_eq!(Some(known), inspect.state_at(resource, revision), "{resource} at {revision}");
            }
        }
        for write in inspect.writes(overview.compact_revision, usize::MAX) {
            let known = glass.history().write(write.revision).unwrap();
            assert_eq!(glass.history().object(known.object).unwrap().known, write.key);
            let object = glass.versions().object_at(
                &resource_of(&write.key),
                &write.key.namespace,
                &write.key.name,
                write.revision,
            );
            assert_eq!(object, write.object.as_ref());
            for info in &overview.watches {
                let expected = inspect.explain(&info.uri, write.revision);
                let found = glass.explain(info.id, write.revision);
                let told = |why: &glass::Explanation| {
                    let matches = |object: &Option<glass::Matched>| {
                        object.as_ref().map(|object| (object.matches, object.labels.clone()))
                    };
                    (why.concerned, matches(&why.before), matches(&why.after), why.sent)
                };
                assert_eq!(
                    found.as_ref().map(told),
                    expected.as_ref().map(told),
                    "{} {}",
                    info.uri,
                    write.revision
                );
            }
        }
        for info in &overview.watches {
            for after in overview.compact_revision..=overview.revision {
                let (known, expected) = (glass.replay(info.id, 0, after), inspect.replay(&info.uri, after));
                assert_eq!(
                    (known.gone, known.events, known.sent, known.objects),
                    (expected.gone, expected.events, expected.sent, expected.objects),
                    "{} after {after}",
                    info.uri
                );
            }
        }
    }
}

/// Something that is done to a cluster.
#[derive(Clone, Debug)]
enum Step {
    Put(u8, u8),
    Delete(u8),
    Pod(u8),
    Watch(u8),
    Close,
    List,
    Compact(u8),
    Forget(u8),
    Lag(u8),
    Advance(u16),
    Fold,
}

const WATCHES: [&str; 4] = [
    "/api/v1/namespaces/default/configmaps?watch=1",
    "/api/v1/configmaps?watch=1&labelSelector=l%3D1&allowWatchBookmarks=1",
    "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%21%3Dc1",
    "/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1",
];

fn take(traced: &mut Traced, step: &Step) {
    match step {
        Step::Put(name, label) => {
            let body =
                json!({ "metadata": { "name": format!("c{name}"), "labels": { "l": label.to_string() } } });
            let code = traced.send(&format!("POST {LIST}"), &body.to_string()).status;
            if code == 409 {
                let patch = json!({ "metadata": { "labels": { "l": label.to_string() } } });
                traced.send(&format!("PATCH {LIST}/c{name}"), &patch.to_string());
            }
        }
        Step::Delete(name) => {
            traced.send(&format!("DELETE {LIST}/c{name}"), "");
        }
        Step::Pod(node) => {
            let body = json!({ "metadata": { "generateName": "p" }, "spec": { "nodeName": format!("n{node}"), "containers": [{ "name": "c", "image": "i" }] } });
            assert_eq!(traced.send(&format!("POST {PODS}"), &body.to_string()).status, 201);
        }
        Step::Watch(which) => {
            traced.send(&format!("GET {}", WATCHES[usize::from(*which) % WATCHES.len()]), "");
        }
        Step::Close => {
            if let Some((call, ..)) = traced.watches.pop() {
                traced.engine.receive(ToEngine::Cancel { call }, Bytes::new());
            }
        }
        Step::List => {
            traced.send(&format!("GET {LIST}?limit=1"), "");
        }
        Step::Compact(back) => {
            let revision = traced.engine.server(0).unwrap().inspect().revision();
            traced.command(Command::Compact { revision: revision.saturating_sub(u64::from(*back)) });
        }
        Step::Forget(back) => {
            let revision = traced.engine.server(0).unwrap().inspect().revision();
            traced
                .command(Command::Forget { server: 0, revision: revision.saturating_sub(u64::from(*back)) });
        }
        Step::Lag(seconds) => traced.command(Command::SetLag {
            server: 0,
            resource: Some("configmaps".to_owned()),
            lag: Duration::from_secs(u64::from(*seconds)),
        }),
        Step::Advance(seconds) => {
            traced.command(Command::Advance { by: Duration::from_secs(u64::from(*seconds)) })
        }
        Step::Fold => traced.fold(),
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..4_u8, 0..3_u8).prop_map(|(name, label)| Step::Put(name, label)),
        2 => (0..4_u8).prop_map(Step::Delete),
        1 => (0..3_u8).prop_map(Step::Pod),
        2 => (0..4_u8).prop_map(Step::Watch),
        1 => Just(Step::Close),
        1 => Just(Step::List),
        1 => (0..6_u8).prop_map(Step::Compact),
        1 => (0..6_u8).prop_map(Step::Forget),
        1 => (0..3_u8).prop_map(Step::Lag),
        2 => (0..90_u16).prop_map(Step::Advance),
        1 => Just(Step::Advance(300)),
        2 => Just(Step::Fold),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn the_glass_knows_what_the_cluster_knows(steps in proptest::collection::vec(step(), 1..40)) {
        let mut traced = Traced::new();
        for step in &steps {
            take(&mut traced, step);
        }
        traced.command(Command::SetLag { server: 0, resource: None, lag: Duration::ZERO });
        traced.check();
        traced.restart();
        let requests = traced.glass.requests().len();
        for step in steps.iter().filter(|step| !matches!(step, Step::Lag(_))) {
            take(&mut traced, step);
        }
        traced.progress();
        traced.fold();
        traced.check_cluster();
        let numbers: Vec<u64> = traced.glass.requests().iter().map(|request| request.id).collect();
        assert!(numbers.is_sorted() && numbers.len() >= requests);
    }
}

#[test]
fn who_comes_late_gets_a_state() {
    let mut traced = Traced::new();
    traced.fold();
    take(&mut traced, &Step::Put(1, 1));
    take(&mut traced, &Step::Put(1, 2));
    take(&mut traced, &Step::Compact(0));
    take(&mut traced, &Step::Put(1, 3));
    traced.fold();
    assert!(traced.glass.lost().writes, "what was compacted before it was told");
    traced.check();
}

#[test]
fn who_is_too_slow_is_told_how_much_was_lost() {
    let mut traced = Traced::new();
    traced.fold();
    take(&mut traced, &Step::Watch(0));
    for number in 0..5_000_u32 {
        take(&mut traced, &Step::Put(1, (number % 3) as u8));
    }
    traced.progress();
    traced.fold();
    let lost = traced.glass.lost();
    // 4,096 requests and as many deliveries are kept.
    assert!(lost.requests > 900 && lost.deliveries > 900 && !lost.writes, "{lost:?}");
    assert_eq!(traced.glass.revision(), traced.engine.server(0).unwrap().inspect().revision());
}

#[test]
fn a_watch_has_to_look_at_writes_of_its_collection_alone() {
    let mut traced = Traced::new();
    traced.fold();
    take(&mut traced, &Step::Watch(0));
    traced.fold();
    let watch = traced.glass.open_watches().next().unwrap().info.id;
    let begun = traced.glass.revision();
    for (step, expected) in [(Step::Pod(1), 0), (Step::Put(1, 1), 1), (Step::Pod(1), 1), (Step::Put(1, 2), 2)]
    {
        take(&mut traced, &step);
        traced.fold();
        assert_eq!(traced.glass.concerning(watch, begun), Some(expected));
    }
    assert_eq!(traced.glass.concerning(watch, traced.glass.revision()), Some(0));
    assert_eq!(traced.glass.concerning(watch + 100, 0), None);
}
