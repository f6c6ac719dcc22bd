//! The copy that comes as a list, in pages or whole.

use super::*;

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
            "wait 1.6 s before trying again: no response came (refused)",
            "list again, from whatever state is at hand: no response came (refused)",
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
                "wait 1.6 s before trying again: no response came (refused)",
                "list again, from the newest state, in pages of 500: no response came (refused)",
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
            // Pages that do not come from one version: the first one counts, for nothing after it is missed then.
            (page("12", "y", &["b@6"]), then("continue=y&limit=500")),
            (page("13", "", &["c@7"]), watch("10")),
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
