//! Tests of a reflector: inputs, and what it does then.

mod lists;
mod property;
mod streams;
mod watches;

use crate::cluster::reflector::*;
use crate::model::messages::reflector as words;

/// An input of the reflector.
enum Input {
    /// Nothing but time.
    Pass(u64),
    /// An answer with this status code and body.
    Answer(u16, String),
    /// An answer of 503 that says to wait so many seconds.
    Later(&'static str),
    /// No answer.
    Fail,
    /// An open stream.
    Open,
    /// A piece of the stream.
    Chunk(String),
    /// The server closes the stream.
    End,
    /// The connection breaks.
    Break,
}
use Input::{Answer, Break, Chunk, End, Fail, Later, Open, Pass};

/// Randomness that is none.
struct Zero;

impl Random for Zero {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// Checks what is done after each input: the query of what is sent, or `wait MILLISECONDS`, or `read`; after `close;
/// ` where the stream is closed first. Then checks the decisions.
#[track_caller]
fn check(options: Options, steps: &[(Input, String)], decisions: &[&str]) -> Reflector {
    let mut now = Duration::ZERO;
    let mut reflector = Reflector::new(options, Arc::new(Zero), now);
    for (number, (input, expected)) in steps.iter().enumerate() {
        match input {
            Pass(millis) => now += Duration::from_millis(*millis),
            Answer(status, body) => reflector.answered(now, *status, &[], body.as_bytes()),
            Later(seconds) => {
                let headers = [("Retry-After".to_owned(), (*seconds).to_owned())];
                reflector.answered(now, 503, &headers, b"");
            }
            Fail => reflector.failed(now, "refused".to_owned()),
            Open => reflector.opened(now),
            Chunk(text) => reflector.chunk(now, text.as_bytes()),
            End => reflector.ended(now, None),
            Break => reflector.ended(now, Some("reset".to_owned())),
        }
        assert_eq!(&does(&mut reflector, now), expected, "step {number}");
        assert_eq!(
            &does(&mut reflector, now),
            expected.trim_start_matches("close; "),
            "step {number}, again"
        );
    }
    let log: Vec<String> = reflector.log().iter().map(|(.., decision)| words::decision(decision)).collect();
    assert_eq!(log, decisions);
    reflector
}

fn does(reflector: &mut Reflector, now: Duration) -> String {
    match reflector.poll(now) {
        Action::Close => format!("close; {}", does(reflector, now)),
        Action::Send(request) => {
            assert_eq!((request.method.as_str(), target::split(&request.target).0.as_str()), ("GET", "/p"));
            request.target["/p".len()..].trim_start_matches('?').to_owned()
        }
        Action::Wait(until) => format!("wait {}", (until - now).as_millis()),
        Action::Read => "read".to_owned(),
    }
}

fn lists() -> Options {
    Options { target: "/p".to_owned(), mode: Mode::List, page_size: 0 }
}

fn streams() -> Options {
    Options { mode: Mode::StreamingList, ..lists() }
}

/// Objects are written `NAME@VERSION`.
fn object(text: &str) -> String {
    let (name, version) = text.split_once('@').unwrap();
    format!(r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"{version}"}}}}"#)
}

fn page(version: &str, token: &str, objects: &[&str]) -> Input {
    let items: Vec<String> = objects.iter().map(|text| object(text)).collect();
    let items = items.join(",");
    let metadata = format!(r#"{{"resourceVersion":"{version}","continue":"{token}"}}"#);
    Answer(200, format!(r#"{{"kind":"PodList","metadata":{metadata},"items":[{items}]}}"#))
}

fn event(kind: &str, text: &str) -> Input {
    Chunk(format!("{{\"type\":\"{kind}\",\"object\":{}}}\n", object(text)))
}

/// The bookmark that ends the initial events.
fn end_of_initial(version: &str) -> Input {
    let annotations = r#"{"k8s.io/initial-events-end":"true"}"#;
    let metadata = format!(r#"{{"resourceVersion":"{version}","annotations":{annotations}}}"#);
    Chunk(format!(r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{metadata}}}}}"#))
}

fn status(code: u16, reason: &str) -> String {
    let cause = if code == 504 { r#"{"reason":"ResourceVersionTooLarge"}"# } else { "" };
    let details = format!(r#"{{"causes":[{cause}]}}"#);
    format!(r#"{{"kind":"Status","status":"Failure","reason":"{reason}","details":{details},"code":{code}}}"#)
}

fn refusal(code: u16, reason: &str) -> Input {
    Answer(code, status(code, reason))
}

fn error(code: u16, reason: &str) -> Input {
    Chunk(format!(r#"{{"type":"ERROR","object":{}}}"#, status(code, reason)))
}

fn watch(version: &str) -> String {
    format!("allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds=300&watch=true")
}

fn stream(version: &str) -> String {
    let version = if version.is_empty() { String::new() } else { format!("&resourceVersion={version}") };
    let from = format!("{version}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true");
    format!("allowWatchBookmarks=true{from}&timeoutSeconds=300&watch=true")
}

/// The first request for a list.
const FIRST: &str = "limit=500&resourceVersion=0";

fn then(text: &str) -> String {
    text.to_owned()
}

fn copy(reflector: &Reflector) -> Vec<String> {
    let show = |(key, object): &(String, objects::Object)| format!("{key}@{}", object.version);
    reflector.objects().iter().map(show).collect()
}

/// A list at 10 and an open watch.
fn watching() -> Vec<(Input, String)> {
    vec![
        (Pass(0), then(FIRST)),
        (page("10", "", &["a@5"]), watch("10")),
        (Open, then("read")),
        (Pass(1000), then("read")),
    ]
}

const WATCHING: [&str; 3] =
    ["list, from whatever state is at hand", "synced at 10, with 1 object", "watch from 10"];

#[track_caller]
fn check_watching(more: Vec<(Input, String)>, decisions: &[&str]) -> Reflector {
    check(
        lists(),
        &[watching(), more].into_iter().flatten().collect::<Vec<_>>(),
        &[&WATCHING, decisions].concat(),
    )
}
