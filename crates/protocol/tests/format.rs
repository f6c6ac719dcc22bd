//! The bytes of the trace. Whoever changes them changes the version too, and `docs/trace.md`.

use std::time::Duration;

use protocol::command::Command;
use protocol::message::FromEngine;
use protocol::packet::{Packet, decode};
use protocol::trace::{
    Access, AccessDecision, Attributes, Batch, Change, Considered, Delivery, Event, EventType, Fault, Found,
    Grant, Judgement, Layer, Lost, ObjectKey, PolicyRule, RequestRecord, ServerInfo, Snapshot, Source, State,
    Step, Stored, Time, VERSION, WatchEnd, WatchInfo, WatchScope, Write,
};

fn text(text: &str) -> String {
    text.to_owned()
}

fn key() -> ObjectKey {
    let [group, resource, namespace, name] = ["apps", "deployments", "default", "web"].map(text);
    ObjectKey { group, resource, namespace, name }
}

fn stored() -> Stored {
    let json = r#"{"metadata":{"name":"web"}}"#.into();
    Stored {
        json,
        labels: vec![(text("app"), text("web"))],
        fields: vec![(text("spec.nodeName"), text("n"))],
    }
}

fn watch() -> WatchInfo {
    let [group, resource, namespace] = ["apps", "deployments", "default"].map(text);
    let [label_selector, field_selector] = ["app=web", "metadata.name=web"].map(text);
    let scope = WatchScope { group, resource, namespace, label_selector, field_selector };
    let last = Some(Delivery { revision: 300, sent: Some(EventType::Bookmark) });
    WatchInfo { id: 4, server: 1, uri: text("/x?watch=1"), scope, revision: 301, sent: 2, filtered: 1, last }
}

fn access() -> AccessDecision {
    let rule =
        PolicyRule { verbs: vec![text("*")], resource_names: vec![text("web")], ..PolicyRule::default() };
    let [namespace, binding, role_kind, role, subject] =
        ["default", "b", "Role", "r", "User \"alice\""].map(text);
    let grant = Some(Grant { namespace, binding, role_kind, role, subject, rule });
    let access = Access { allowed: true, reason: text("why"), grant };
    AccessDecision { user: text("alice"), attributes: Attributes::default(), access }
}

fn request() -> RequestRecord {
    let [policy, binding, action, message] = ["p", "b", "Warn", "no"].map(text);
    let judgement = Judgement { policy: policy.clone(), binding: binding.clone(), action, message };
    let step = Step { list: text("validations"), index: 1, value: text("true"), ..Step::default() };
    let [object, params] = ["o", "q"].map(text);
    let considered =
        Considered { policy, mutates: true, binding, object, params, found: Found::Asked(vec![step]) };
    RequestRecord {
        id: 9,
        server: 1,
        method: text("PUT"),
        uri: text("/x"),
        at: Duration::from_millis(1_767_225_600_123),
        code: 200,
        size: 1000,
        source: Some(Source { layer: Layer::Cache, revision: 302 }),
        wrote: vec![302, 303],
        manager: text("kubectl"),
        user_agent: text("kubectl/v1.36.0"),
        took: Duration::from_micros(1500),
        watch: Some(4),
        access: Some(access()),
        judgements: vec![judgement],
        considered: vec![considered],
    }
}

/// A batch with something of everything.
fn batch() -> Batch {
    let server = ServerInfo {
        number: 1,
        revision: 302,
        behind: vec![(text("deployments.apps"), 300)],
        oldest: 245,
        forgot: vec![(text("pods"), 299)],
        lag: Duration::from_millis(250),
        stopped: true,
        watches: 3,
    };
    let snapshot = Snapshot {
        revision: 250,
        collection: text("/registry/pods/"),
        start: text("/registry/pods/default/a"),
        remaining: Some(7),
        at: Duration::from_secs(5),
        expired: true,
    };
    let time = Time { now: Duration::from_nanos(1_000_000_007), rate: 0.5 };
    let state = State {
        revision: 300,
        compact_revision: 290,
        objects: vec![(key(), 295, stored())],
        watches: vec![watch()],
        servers: vec![server.clone()],
        snapshots: vec![snapshot.clone()],
        time,
    };
    let write = Write { revision: 302, change: Change::Updated, key: key(), object: Some(stored()) };
    let deliveries = EventType::ALL.map(|sent| Delivery { revision: 302, sent: Some(sent) });
    let events = vec![
        Event::Write(write),
        Event::Request(Box::new(request())),
        Event::WatchOpened(watch()),
        Event::Delivered { watch: 4, revision: 302, deliveries: deliveries.into() },
        Event::Delivered {
            watch: 4,
            revision: 303,
            deliveries: vec![Delivery { revision: 303, sent: None }],
        },
        Event::WatchEnded { watch: 4, end: WatchEnd::Server },
        Event::Servers(vec![server]),
        Event::Snapshots(vec![snapshot]),
        Event::Compacted(300),
        Event::Time(time),
        Event::Revision(304),
    ];
    Batch { number: 2, state: Some(state), lost: Lost { writes: true, requests: 3, deliveries: 300 }, events }
}

/// The length of bytes, and their FNV-1a hash.
fn digest(bytes: &[u8]) -> (usize, u64) {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    (bytes.len(), bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn the_bytes_are_those_of_this_version() {
    let message = (FromEngine::Trace(batch()), bytes::Bytes::new());
    let packet = Packet::encode(vec![message.clone()]).unwrap().to_bytes();
    assert_eq!(packet[..4], *b"KGP\x04");
    assert_eq!((VERSION, digest(&packet)), (3, (759, 14_101_175_361_558_441_655)));
    assert_eq!(decode::<FromEngine>(&packet).unwrap(), [message]);
}

#[test]
fn json_says_the_same() {
    let json = serde_json::to_string(&batch()).unwrap();
    let read: Batch = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    assert_eq!(read.events[0], batch().events[0]);
}

#[track_caller]
fn check(event: &Event, json: &str) {
    assert_eq!(serde_json::to_string(event).unwrap(), json);
    assert_eq!(&serde_json::from_str::<Event>(json).unwrap(), event);
}

#[test]
fn json_of_events() {
    let write = Write { revision: 302, change: Change::Updated, key: key(), object: Some(stored()) };
    check(
        &Event::Write(write),
        r#"{"write":{"revision":302,"change":"updated","key":{"group":"apps","resource":"deployments","namespace":"default","name":"web"},"object":{"json":{"metadata":{"name":"web"}},"labels":[["app","web"]],"fields":[["spec.nodeName","n"]]}}}"#,
    );
    let time = Time { now: Duration::from_millis(1_767_225_600_123), rate: 1.0 };
    check(&Event::Time(time), r#"{"time":{"now":1767225600123.0,"rate":1.0}}"#);
    check(
        &Event::WatchEnded { watch: 4, end: WatchEnd::Server },
        r#"{"watchEnded":{"watch":4,"end":"server"}}"#,
    );
    check(&Event::Compacted(300), r#"{"compacted":300}"#);
    check(&Event::Revision(304), r#"{"revision":304}"#);
}

#[test]
fn json_of_commands() {
    #[track_caller]
    fn check(json: &str, expected: &Command) {
        assert_eq!(serde_json::from_str::<Command>(json).unwrap(), *expected);
    }
    check(r#""addServer""#, &Command::AddServer);
    let lag = Duration::from_millis(250);
    check(
        r#"{"setLag":{"server":1,"resource":"pods","lag":250}}"#,
        &Command::SetLag { server: 1, resource: Some(text("pods")), lag },
    );
    check(r#"{"setLag":{"server":1,"lag":250}}"#, &Command::SetLag { server: 1, resource: None, lag });
    check(
        r#"{"fail":{"server":0,"count":2,"fault":"tooManyRequests"}}"#,
        &Command::Fail { server: 0, count: 2, fault: Fault::TooManyRequests },
    );
    assert!(serde_json::from_str::<Command>(r#"{"advance":{"by":-1}}"#).is_err());
}
