//! What comes in, and what a reflector does then.

mod property;

use super::*;

/// What comes in.
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

/// What comes in, and what is done then: the query of what is sent, or `wait MILLISECONDS`, or `read`; after `close; ` where
/// the stream is closed first. Then what was decided.
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
    let log: Vec<String> = reflector.log().iter().map(|(_, decision)| decision.sentence()).collect();
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
    format!(
        "allowWatchBookmarks=true{version}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=300&watch=true"
    )
}

/// The first request for a list.
const FIRST: &str = "limit=500&resourceVersion=0";

fn then(text: &str) -> String {
    text.to_owned()
}

fn copy(reflector: &Reflector) -> Vec<String> {
    let show = |(key, object): (&String, &objects::Object)| format!("{key}@{}", object.version);
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

#[test]
fn lists_and_watches_on() {
    let reflector = check_watching(
        vec![
            (event("ADDED", "b@11"), then("read")),
            (event("MODIFIED", "a@12"), then("read")),
            (event("DELETED", "b@13"), then("read")),
            (event("BOOKMARK", "@20"), then("read")),
            (End, watch("20")),
            (Open, then("read")),
            (Pass(1000), then("read")),
            (Break, watch("20")),
        ],
        &[
            "watch again from 20: the server closed the watch",
            "watch again from 20: the connection broke (reset)",
        ],
    );
    assert_eq!(copy(&reflector), ["n/a@12"]);
    assert_eq!((reflector.synced(), reflector.version()), (true, "20"));
}

#[test]
fn has_nothing_before_the_list() {
    let reflector = check(lists(), &[(Pass(0), then(FIRST))], &WATCHING[..1]);
    assert_eq!((reflector.synced(), reflector.version(), reflector.objects().len()), (false, "", 0));
}

#[test]
fn keeps_selectors() {
    let target = "/p?labelSelector=a%3Db".to_owned();
    let steps = [(Pass(0), then("labelSelector=a=b&limit=500&resourceVersion=0"))];
    check(Options { target, ..lists() }, &steps, &WATCHING[..1]);
}

#[test]
fn streams_a_list() {
    let reflector = check(
        streams(),
        &[
            (Pass(0), stream("")),
            (Open, then("read")),
            (event("ADDED", "a@5"), then("read")),
            (end_of_initial("10"), then("read")),
            (event("ADDED", "b@11"), then("read")),
            (End, watch("11")),
        ],
        &[
            "list as a stream, from the newest state",
            "synced at 10, with 1 object",
            "watch again from 11: the server closed the watch",
        ],
    );
    assert_eq!(copy(&reflector), ["n/a@5", "n/b@11"]);
}

#[test]
fn a_streaming_list_counts_once_it_is_whole() {
    let reflector = check(
        streams(),
        &[
            (Pass(0), stream("")),
            (Open, then("read")),
            (event("ADDED", "a@5"), then("read")),
            (Break, stream("")),
            (Open, then("read")),
        ],
        &[
            "list as a stream, from the newest state",
            "list as a stream again, from the newest state: the connection broke (reset)",
        ],
    );
    assert!(!reflector.synced() && reflector.objects().is_empty());
}

#[test]
fn does_without_the_stream_where_it_is_refused() {
    for (code, reason) in [(422, "Invalid"), (403, "Forbidden"), (500, "InternalError")] {
        let why = format!("the server answered {code}");
        check(
            streams(),
            &[
                (Pass(0), stream("")),
                (refusal(code, reason), then(FIRST)),
                (page("10", "", &[]), watch("10")),
                (refusal(500, "InternalError"), then("wait 800")),
                (Pass(800), stream("10")),
            ],
            &[
                "list as a stream, from the newest state",
                &format!("do without the stream: {why}"),
                &format!("list again, from whatever state is at hand: {why}"),
                "synced at 10, with 0 objects",
                "watch from 10",
                "wait 0.8 s before trying again: the server answered 500",
                "list as a stream again, from 10 or newer: the server answered 500",
            ],
        );
    }
}

#[test]
fn a_stream_that_fails_is_tried_again_or_done_without() {
    let short = "the watch was over within a second and brought nothing";
    check(
        streams(),
        &[
            (Pass(0), stream("")),
            (Fail, then("wait 800")),
            (Pass(800), stream("")),
            (refusal(429, "TooManyRequests"), then("wait 1600")),
            (Pass(1600), stream("")),
            (Open, then("read")),
            (error(410, "Expired"), format!("close; {}", stream(""))),
            (refusal(504, "Timeout"), stream("")),
            (Open, then("read")),
            (End, then("limit=500")),
        ],
        &[
            "list as a stream, from the newest state",
            "wait 0.8 s before trying again: no answer came (refused)",
            "list as a stream again, from the newest state: no answer came (refused)",
            "wait 1.6 s before trying again: the server answered 429",
            "list as a stream again, from the newest state: the server answered 429",
            "list as a stream again, from the newest state: the version to go on from has expired",
            "list as a stream again, from the newest state: the server has not come to that version yet",
            &format!("do without the stream: {short}"),
            &format!("list again, from the newest state, in pages of 500: {short}"),
        ],
    );
}

#[test]
fn a_list_that_fails_is_tried_again_more_and_more_slowly() {
    check(
        lists(),
        &[
            (Pass(0), then(FIRST)),
            (refusal(500, "InternalError"), then("wait 800")),
            (Pass(799), then("wait 1")),
            (Pass(1), then(FIRST)),
            (Fail, then("wait 1600")),
            (Pass(1600), then(FIRST)),
            (Answer(200, "<html>".to_owned()), then("wait 3200")),
            (Pass(3200), then(FIRST)),
            (Open, then("close; wait 6400")),
        ],
        &[
            "list, from whatever state is at hand",
            "wait 0.8 s before trying again: the server answered 500",
            "list again, from whatever state is at hand: the server answered 500",
            "wait 1.6 s before trying again: no answer came (refused)",
            "list again, from whatever state is at hand: no answer came (refused)",
            "wait 3.2 s before trying again: what the server sent could not be read",
            "list again, from whatever state is at hand: what the server sent could not be read",
            "wait 6.4 s before trying again: what the server sent could not be read",
        ],
    );
}

#[test]
fn what_has_expired_is_listed_again_without_going_back() {
    let expired = "the version to go on from has expired";
    let reflector = check_watching(
        vec![
            (error(410, "Expired"), then("close; wait 800")),
            (Pass(800), then("resourceVersion=10")),
            (page("30", "", &["c@25"]), watch("30")),
        ],
        &[
            &format!("wait 0.8 s before trying again: {expired}"),
            &format!("list again, from 10 or newer: {expired}"),
            "synced at 30, with 1 object",
            "watch from 30",
        ],
    );
    assert_eq!(copy(&reflector), ["n/c@25"]);
}

#[test]
fn a_list_whose_version_is_not_there_is_asked_for_the_newest() {
    for (code, reason, why) in [
        (410, "Expired", "the version to go on from has expired"),
        (410, "Gone", "the version to go on from has expired"),
        (504, "Timeout", "the server has not come to that version yet"),
    ] {
        check_watching(
            vec![
                (error(500, "InternalError"), then("close; wait 800")),
                (Pass(800), then("resourceVersion=10")),
                // The same pager, which has no pages.
                (refusal(code, reason), then("")),
                (Fail, then("wait 1600")),
                (Pass(1600), then("limit=500")),
                (page("30", "", &[]), watch("30")),
                (refusal(500, "InternalError"), then("wait 3200")),
                (Pass(3200), then("resourceVersion=30")),
            ],
            &[
                "wait 0.8 s before trying again: the server answered 500",
                "list again, from 10 or newer: the server answered 500",
                &format!("list again, from the newest state: {why}"),
                "wait 1.6 s before trying again: no answer came (refused)",
                "list again, from the newest state, in pages of 500: no answer came (refused)",
                "synced at 30, with 0 objects",
                "watch from 30",
                "wait 3.2 s before trying again: the server answered 500",
                "list again, from 30 or newer: the server answered 500",
            ],
        );
    }
}

#[test]
fn the_newest_is_asked_for_once_at_a_time() {
    let expired = "the version to go on from has expired";
    check(
        lists(),
        &[
            (Pass(0), then(FIRST)),
            (refusal(410, "Expired"), then("limit=500")),
            (refusal(410, "Expired"), then("wait 800")),
            (Pass(800), then("limit=500")),
        ],
        &[
            "list, from whatever state is at hand",
            &format!("list again, from the newest state, in pages of 500: {expired}"),
            &format!("wait 0.8 s before trying again: {expired}"),
            &format!("list again, from the newest state, in pages of 500: {expired}"),
        ],
    );
}

#[test]
fn reads_pages() {
    let reflector = check(
        lists(),
        &[
            (Pass(0), then(FIRST)),
            (page("10", "x", &["a@5"]), then("continue=x&limit=500")),
            (page("10", "y", &["b@6"]), then("continue=y&limit=500")),
            (page("10", "", &["c@7"]), watch("10")),
            (refusal(500, "InternalError"), then("wait 800")),
            // A server that gives pages even from 0 is asked for pages ever after.
            (Pass(800), then("limit=500&resourceVersion=10")),
        ],
        &[
            "list, from whatever state is at hand",
            "read the next page, after 1 object",
            "read the next page, after 2 objects",
            "synced at 10, with 3 objects",
            "watch from 10",
            "wait 0.8 s before trying again: the server answered 500",
            "list again, from 10, in pages of 500: the server answered 500",
        ],
    );
    assert_eq!(copy(&reflector), ["n/a@5", "n/b@6", "n/c@7"]);
}

#[test]
fn a_page_that_has_expired_makes_it_ask_for_all_at_once() {
    let reflector = check(
        Options { page_size: 2, ..lists() },
        &[
            (Pass(0), then("limit=2&resourceVersion=0")),
            (page("10", "x", &["a@5", "b@6"]), then("continue=x&limit=2")),
            (refusal(410, "Expired"), then("resourceVersion=0")),
            (page("20", "", &["b@6", "c@15"]), watch("20")),
        ],
        &[
            "list, from whatever state is at hand",
            "read the next page, after 2 objects",
            "list all at once: the version of the pages has expired",
            "synced at 20, with 2 objects",
            "watch from 20",
        ],
    );
    assert_eq!(copy(&reflector), ["n/b@6", "n/c@15"]);
}

#[test]
fn a_watch_that_is_refused_is_tried_again_or_listed_again() {
    let steps = |input, next: String| {
        vec![
            (Pass(0), then(FIRST)),
            (page("10", "", &["a@5"]), watch("10")),
            (input, then("wait 800")),
            (Pass(800), next),
        ]
    };
    let list = || then("resourceVersion=10");
    for (input, next, words) in [
        (Fail, watch("10"), "no answer came (refused)"),
        (refusal(429, "TooManyRequests"), watch("10"), "the server answered 429"),
        (refusal(500, "InternalError"), list(), "the server answered 500"),
        (refusal(503, "ServiceUnavailable"), list(), "the server answered 503"),
        (refusal(410, "Expired"), list(), "the version to go on from has expired"),
        (Answer(200, String::new()), list(), "the watch was over within a second and brought nothing"),
    ] {
        let what = if next == list() { "list again, from 10 or newer" } else { "watch again from 10" };
        let decided = [format!("wait 0.8 s before trying again: {words}"), format!("{what}: {words}")];
        let decided: Vec<&str> = WATCHING.into_iter().chain(decided.iter().map(String::as_str)).collect();
        check(lists(), &steps(input, next), &decided);
    }
}

#[test]
fn an_error_in_a_watch_is_waited_out() {
    let list = || then("resourceVersion=10");
    for (input, next, words) in [
        (error(429, "TooManyRequests"), watch("10"), "the server answered 429"),
        (error(500, "InternalError"), list(), "the server answered 500"),
        (Chunk("{}".to_owned()), list(), "what the server sent could not be read"),
        (
            Chunk(r#"{"type":"ADDED","object":1}"#.to_owned()),
            list(),
            "what the server sent could not be read",
        ),
    ] {
        let what = if next == list() { "list again, from 10 or newer" } else { "watch again from 10" };
        check_watching(
            vec![(input, then("close; wait 800")), (Pass(800), next)],
            &[&format!("wait 0.8 s before trying again: {words}"), &format!("{what}: {words}")],
        );
    }
}

#[test]
fn a_watch_that_is_over_at_once_counts_as_failed() {
    let short = "the watch was over within a second and brought nothing";
    let steps = |millis, next: String| {
        [
            (Pass(0), then(FIRST)),
            (page("10", "", &["a@5"]), watch("10")),
            (Open, then("read")),
            (Pass(millis), then("read")),
            (End, next),
        ]
    };
    let wait = format!("wait 0.8 s before trying again: {short}");
    check(lists(), &steps(999, then("wait 800")), &[&WATCHING[..], &[&wait]].concat());
    let again = "watch again from 10: the server closed the watch";
    check(lists(), &steps(1000, watch("10")), &[&WATCHING[..], &[again]].concat());
}

#[test]
fn what_follows_an_error_is_not_read() {
    let Chunk(gone) = error(410, "Expired") else { return };
    let Chunk(more) = event("ADDED", "b@11") else { return };
    let reflector = check_watching(
        vec![(Chunk(gone + &more), then("close; wait 800")), (event("ADDED", "c@12"), then("wait 800"))],
        &["wait 0.8 s before trying again: the version to go on from has expired"],
    );
    assert_eq!((copy(&reflector), reflector.version()), (vec!["n/a@5".to_owned()], "10"));
}

#[test]
fn a_server_that_says_how_long_to_wait_is_asked_the_same_again() {
    let list = "list, from whatever state is at hand";
    let wait = "wait 2.0 s before trying again: the server answered 503, and says how long to wait";
    let waits = (0..RETRIES).flat_map(|_| [(Later("2"), then("wait 2000")), (Pass(2000), then(FIRST))]);
    let refused = "wait 0.8 s before trying again: the server answered 503";
    let steps = [(Pass(0), then(FIRST))].into_iter().chain(waits).chain([(Later("2"), then("wait 800"))]);
    let decided = [&[list][..], &[wait; RETRIES as usize], &[refused]].concat();
    check(lists(), &steps.collect::<Vec<_>>(), &decided);
    let soon = [(Pass(0), then(FIRST)), (Later("soon"), then("wait 800"))];
    check(lists(), &soon, &[list, refused]);
}

#[test]
fn a_watch_of_the_present_state_has_no_version_before_it_is_over() {
    let from = "allowWatchBookmarks=true&timeoutSeconds=300&watch=true";
    let start = || vec![(Pass(0), then(FIRST)), (page("", "", &[]), then(from)), (Open, then("read"))];
    let first = ["list, from whatever state is at hand", "synced at , with 0 objects", "watch from "];
    let closed = |version| format!("watch again from {version}: the server closed the watch");
    let added = vec![(event("ADDED", "a@9"), then("read")), (event("ADDED", "b@5"), then("read"))];
    let steps: Vec<_> = start().into_iter().chain(added).chain([(End, then(from))]).collect();
    check(lists(), &steps, &[&first[..], &[&closed("")]].concat());
    let more = vec![(event("BOOKMARK", "@11"), then("read")), (event("ADDED", "c@12"), then("read"))];
    let steps: Vec<_> = start().into_iter().chain(more).chain([(End, watch("12"))]).collect();
    check(lists(), &steps, &[&first[..], &[&closed("12")]].concat());
}

#[test]
fn spreads_its_timeouts() {
    let random = Arc::new(apiserver::SeededRandom::new(1));
    let reflector = Reflector::new(lists(), random, Duration::ZERO);
    let timeouts: Vec<u64> = (0..1000).map(|_| reflector.timeout().parse().unwrap()).collect();
    assert!(timeouts.iter().all(|seconds| (300..600).contains(seconds)));
    assert!(timeouts.iter().any(|seconds| *seconds < 310) && timeouts.iter().any(|seconds| *seconds > 590));
}
