//! Following a copy by watches.

use super::*;

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
        (Fail, watch("10"), "no response came (refused)"),
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
    let random = Arc::new(clock::SeededRandom::new(1));
    let reflector = Reflector::new(lists(), random, Duration::ZERO);
    let timeouts: Vec<u64> = (0..1000).map(|_| reflector.timeout().parse().unwrap()).collect();
    assert!(timeouts.iter().all(|seconds| (300..600).contains(seconds)));
    assert!(timeouts.iter().any(|seconds| *seconds < 310) && timeouts.iter().any(|seconds| *seconds > 590));
}
