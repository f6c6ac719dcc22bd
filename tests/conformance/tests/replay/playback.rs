//! Every recording against a server that plays the recorded answers back: the replayer and the recordings agree on
//! the format, and what it numbers is numbered as it was.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use apiserver::{Body, ManualClock};
use bytes::Bytes;
use conformance::replay::own_name;
use conformance::scenario::{Action, load, recordings};
use conformance::{Answering, Scenario, Server, Step, compare, replay};
use futures::stream;
use http::{HeaderName, HeaderValue, Request, Response};
use json_tree::{Map, Value, json};

/// One event of a watch: after how many requests it comes, and its frame; no frame ends the stream.
type Gated = (usize, Option<Bytes>);

/// The recorded answers of a scenario, played in their order.
struct Player {
    answers: Vec<(Value, Option<Vec<Gated>>)>,
    next: Cell<usize>,
    sent: Arc<AtomicUsize>,
}

impl Server for Player {
    fn call(&self, _: Request<Bytes>) -> Answering<'_> {
        let index = self.next.replace(self.next.get() + 1);
        self.sent.store(self.next.get(), Ordering::SeqCst);
        let response = match self.answers.get(index) {
            None => Response::new(Body::Bytes(Bytes::new())),
            Some((answer, None)) => response(answer, Body::Bytes(body(answer))),
            Some((answer, Some(events))) => {
                let (sent, mut events) = (Arc::clone(&self.sent), events.clone().into_iter().peekable());
                let frames = stream::poll_fn(move |_| {
                    match events.next_if(|(after, _)| *after <= sent.load(Ordering::SeqCst)) {
                        None => Poll::Pending,
                        Some((_, frame)) => Poll::Ready(frame),
                    }
                });
                response(answer, Body::Stream(Box::pin(frames)))
            }
        };
        Box::pin(std::future::ready(response))
    }
}

fn response(answer: &Value, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let status = answer["status"].as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status");
    *response.status_mut() = http::StatusCode::from_u16(status).expect("a status");
    for (name, value) in answer["headers"].as_object().into_iter().flatten() {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
            let latin: Vec<u8> =
                value.as_str().expect("text").chars().map(|c| u8::try_from(c).expect("Latin-1")).collect();
            response.headers_mut().append(name, HeaderValue::from_bytes(&latin).expect("a value"));
        }
    }
    response
}

fn body(answer: &Value) -> Bytes {
    let bytes = match &answer["body"] {
        Value::Null => Vec::new(),
        body => encode(body),
    };
    if answer["headers"]["content-encoding"] == "gzip" {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, &bytes).expect("memory");
        return gzip.finish().expect("memory").into();
    }
    bytes.into()
}

fn encode(body: &Value) -> Vec<u8> {
    if let Some(text) = ["<yaml>", "<text>"].iter().find_map(|key| body.get(key)?.as_str()) {
        return text.as_bytes().to_vec();
    }
    if let Some(value) = body.get("<cbor>") {
        let mut out = if body["selfDescribed"] == true { vec![0xd9, 0xd9, 0xf7] } else { Vec::new() };
        cbor(value, &mut out);
        return out;
    }
    if let Some(envelope) = body.get("<protobuf>") {
        let text = |key: &str| envelope[key].as_str().expect("text").as_bytes();
        let type_meta = [field(1, text("apiVersion")), field(2, text("kind"))].concat();
        let numbers = envelope["fields"].as_array().expect("numbers").iter();
        let raw: Vec<u8> =
            numbers.flat_map(|number| field(number.as_u64().expect("a number"), b"")).collect();
        return [
            b"k8s\0".to_vec(),
            field(1, &type_meta),
            field(2, &raw),
            field(3, text("contentEncoding")),
            field(4, text("contentType")),
        ]
        .concat();
    }
    body.to_string().into_bytes()
}

fn field(number: u64, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for mut value in [number << 3 | 2, content.len() as u64] {
        while value > 127 {
            out.push((value & 127) as u8 | 128);
            value >>= 7;
        }
        out.push(value as u8);
    }
    out.extend_from_slice(content);
    out
}

fn cbor(value: &Value, out: &mut Vec<u8>) {
    let head = |major: u8, argument: u64, out: &mut Vec<u8>| {
        out.push(major << 5 | 27);
        out.extend(argument.to_be_bytes());
    };
    match value {
        Value::Null => out.push(0xf6),
        Value::Bool(flag) => out.push(0xf4 + u8::from(*flag)),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => head(0, number, out),
            (_, Some(number)) => head(1, number.unsigned_abs() - 1, out),
            _ => {
                out.push(0xfb);
                out.extend(number.as_f64().expect("a number").to_be_bytes());
            }
        },
        Value::String(text) => {
            head(2, text.len() as u64, out);
            out.extend(text.as_bytes());
        }
        Value::Array(items) => {
            head(4, items.len() as u64, out);
            items.iter().for_each(|item| cbor(item, out));
        }
        Value::Object(map) => {
            head(5, map.len() as u64, out);
            for (key, value) in map {
                cbor(&Value::from(key.as_str()), out);
                cbor(value, out);
            }
        }
    }
}

fn frame(event: &Value, content_type: &str) -> Bytes {
    if content_type.starts_with("application/vnd.kubernetes.protobuf") {
        let raw = field(1, &encode(&event["object"]));
        let event = [field(1, event["type"].as_str().expect("a type").as_bytes()), field(2, &raw)].concat();
        return [&(event.len() as u32).to_be_bytes()[..], &event].concat().into();
    }
    let mut bytes = encode(event);
    if !content_type.starts_with("application/cbor-seq") {
        bytes.push(b'\n');
    }
    bytes.into()
}

/// A value as it may have been before it was normalised. `<uid:1>` and the like become as many different values.
fn raw(value: &Value, ns: &str) -> Value {
    match value {
        Value::String(text) if text == "<node port>" => json!(30_007),
        Value::String(text) => Value::String(raw_text(text, ns)),
        Value::Array(items) => Value::Array(items.iter().map(|item| raw(item, ns)).collect()),
        Value::Object(map) => Value::Object(
            map.iter().map(|(key, value)| (raw_text(key, ns), raw(value, ns))).collect::<Map<_, _>>(),
        ),
        other => other.clone(),
    }
}

fn raw_text(text: &str, ns: &str) -> String {
    let plain = [
        ("<time>", "2026-01-02T03:04:05Z"),
        ("<service ip>", "10.96.0.7"),
        ("<continue>", "token"),
        ("<rand>", "abcde"),
        ("<n>", "77"),
        ("<rv>", "123456"),
        ("${ns}", ns),
    ];
    let mut text = plain.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
    for (open, make) in [
        ("<uid:", (|n| format!("00000000-0000-4000-8000-{n:012}")) as fn(u32) -> String),
        ("<rv:", |n| (1000 + n).to_string()),
    ] {
        while let Some(start) = text.find(open) {
            let end = start + text[start..].find('>').expect("an end");
            let number = text[start + open.len()..end].parse().expect("a number");
            text.replace_range(start..=end, &make(number));
        }
    }
    text
}

/// Returns the references of a step to earlier responses: their steps, and the JSON pointers into their bodies.
fn references(step: &Step) -> Vec<(String, String)> {
    let requests = [step.request.as_ref(), step.watch.as_ref()].into_iter().flatten();
    let text: String = requests.map(|request| Value::Object(request.clone()).to_string()).collect();
    let names = text.split("${").skip(1).filter_map(|rest| rest.split('}').next()?.split_once('#'));
    names
        .map(|(step, pointer)| (step.to_owned(), pointer.split('|').next().unwrap_or_default().to_owned()))
        .collect()
}

/// Puts a number where `pointer` leads to nothing: that of the recorded answer was ignored, and is not in it.
fn put(body: &mut Value, pointer: &str) {
    if body.pointer(pointer).is_none() && (body.is_object() || body.is_null()) {
        let target = pointer.split('/').skip(1).fold(body, |value, key| &mut value[key]);
        *target = json!("1");
    }
}

/// The player of a scenario.
fn player(scenario: &Scenario) -> Player {
    let mut answers: Vec<(Value, Option<Vec<Gated>>)> = Vec::new();
    let mut indices = BTreeMap::new();
    let ns = own_name(&scenario.name);
    for (index, step) in scenario.steps.iter().enumerate() {
        let expect = raw(step.expect.as_ref().unwrap_or(&Value::Null), &ns);
        match step.action() {
            Some(Action::Request(..)) => {
                indices.insert(step.name(index), answers.len());
                answers.push((expect, None));
            }
            Some(Action::Watch(_)) => {
                indices.insert(step.name(index), answers.len());
                let stream = (expect["status"] == 200).then(Vec::new);
                answers.push((expect, stream));
            }
            Some(Action::Collect(watch, ..)) => {
                let sent = answers.len();
                let (answer, events) = &mut answers[indices[watch]];
                let content_type = answer["headers"]["content-type"].as_str().unwrap_or_default().to_owned();
                let Some(events) = events else { continue };
                for event in expect["events"].as_array().into_iter().flatten() {
                    events.push((sent, Some(frame(event, &content_type))));
                }
                if expect["closed"] == true {
                    events.push((sent, None));
                }
            }
            _ => {}
        }
    }
    for (step, pointer) in scenario.steps.iter().flat_map(references) {
        if let Some(index) = indices.get(&step) {
            put(&mut answers[*index].0["body"], &pointer);
        }
    }
    Player { answers, next: Cell::new(0), sent: Arc::default() }
}

#[test]
fn every_recording_played_back_passes() {
    let scenarios = load(&recordings()).expect("recordings");
    let mut failed = Vec::new();
    for scenario in &scenarios {
        let clock = ManualClock::new(Duration::ZERO);
        let replay = replay(scenario, &player(scenario), &clock);
        let mut bad = compare::steps(&replay, &[]);
        bad.retain(|step| !step.passed || !step.same_order);
        if let Some(first) = bad.first() {
            let why = replay.broke_off.unwrap_or_default();
            failed.push(format!(
                "{}/{}: {why}{}: {:?}",
                scenario.area, scenario.name, first.id, first.differences
            ));
        }
    }
    assert!(!scenarios.is_empty() && failed.is_empty(), "{}", failed.join("\n"));
}
