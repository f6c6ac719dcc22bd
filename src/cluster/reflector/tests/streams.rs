//! The copy that comes as the initial events of a watch.

use super::*;

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
    assert!(!reflector.synced() && reflector.objects().len() == 0);
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
            "wait 0.8 s before trying again: no response came (refused)",
            "list as a stream again, from the newest state: no response came (refused)",
            "wait 1.6 s before trying again: the server answered 429",
            "list as a stream again, from the newest state: the server answered 429",
            "list as a stream again, from the newest state: the version to go on from has expired",
            "list as a stream again, from the newest state: the server has not come to that version yet",
            &format!("do without the stream: {short}"),
            &format!("list again, from the newest state, in pages of 500: {short}"),
        ],
    );
}
