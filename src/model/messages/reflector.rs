//! The decisions of a reflector and the reasons for them, in words.

use crate::cluster::reflector::decision::Decision;
use crate::cluster::reflector::why::Why;

/// Describes the decision of a reflector, in a sentence.
pub(crate) fn decision(decision: &Decision) -> String {
    match decision {
        Decision::List { version, limit, why } => {
            let from = match (version.as_str(), *limit) {
                ("0", _) => "from whatever state is at hand".to_owned(),
                ("", 0) => "from the newest state".to_owned(),
                ("", limit) => format!("from the newest state, in pages of {limit}"),
                (version, 0) => format!("from {version} or newer"),
                (version, limit) => format!("from {version}, in pages of {limit}"),
            };
            because(&format!("list{}, {from}", again(why)), why.as_ref())
        }
        Decision::StreamList { version, why } => {
            let from = match version.as_str() {
                "" => "from the newest state".to_owned(),
                version => format!("from {version} or newer"),
            };
            because(&format!("list as a stream{}, {from}", again(why)), why.as_ref())
        }
        Decision::FallBack(why) => because("do without the stream", Some(why)),
        Decision::NextPage(objects) => format!("read the next page, after {}", count(*objects)),
        Decision::WholeList => "list all at once: the version of the pages has expired".to_owned(),
        Decision::Synced { version, objects } => format!("synced at {version}, with {}", count(*objects)),
        Decision::Watch { version, why } => {
            because(&format!("watch{} from {version}", again(why)), why.as_ref())
        }
        Decision::Wait { pause, why } => {
            let tenths = (pause.as_millis() + 50) / 100;
            let wait = format!("wait {}.{} s before trying again", tenths / 10, tenths % 10);
            because(&wait, Some(why))
        }
    }
}

fn again(why: &Option<Why>) -> &'static str {
    if why.is_some() { " again" } else { "" }
}

fn count(objects: usize) -> String {
    format!("{objects} object{}", if objects == 1 { "" } else { "s" })
}

fn because(what: &str, why: Option<&Why>) -> String {
    why.map_or_else(|| what.to_owned(), |why| [what, &self::why(why)].join(": "))
}

/// Describes what went wrong, to stand after a colon.
pub(crate) fn why(why: &Why) -> String {
    match why {
        Why::Expired | Why::Gone => "the version to go on from has expired".to_owned(),
        Why::TooLarge => "the server has not come to that version yet".to_owned(),
        Why::TooManyRequests => "the server answered 429".to_owned(),
        Why::Refused(code) => format!("the server answered {code}"),
        Why::RetryAfter(code) => format!("the server answered {code}, and says how long to wait"),
        Why::NoAnswer(why) => format!("no response came ({why})"),
        Why::Unreadable => "what the server sent could not be read".to_owned(),
        Why::Closed => "the server closed the watch".to_owned(),
        Why::Broken(why) => format!("the connection broke ({why})"),
        Why::Short => "the watch was over within a second and brought nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[track_caller]
    fn check(decision: &Decision, expected: &str) {
        assert_eq!(crate::model::messages::reflector::decision(decision), expected);
    }

    #[test]
    fn says_what_and_why() {
        let list = |version: &str, limit, why| Decision::List { version: version.to_owned(), limit, why };
        check(&list("0", 500, None), "list, from whatever state is at hand");
        check(
            &list("", 0, Some(Why::Expired)),
            "list again, from the newest state: the version to go on from has expired",
        );
        check(
            &list("", 500, Some(Why::TooLarge)),
            "list again, from the newest state, in pages of 500: the server has not come to that version yet",
        );
        check(&list("7", 0, Some(Why::Refused(500))), "list again, from 7 or newer: the server answered 500");
        check(
            &list("7", 2, Some(Why::Unreadable)),
            "list again, from 7, in pages of 2: what the server sent could not be read",
        );
        let stream = |version: &str, why| Decision::StreamList { version: version.to_owned(), why };
        check(&stream("", None), "list as a stream, from the newest state");
        check(
            &stream("7", Some(Why::Closed)),
            "list as a stream again, from 7 or newer: the server closed the watch",
        );
        check(&Decision::FallBack(Why::Refused(422)), "do without the stream: the server answered 422");
        check(&Decision::NextPage(500), "read the next page, after 500 objects");
        check(&Decision::WholeList, "list all at once: the version of the pages has expired");
        let synced = |objects| Decision::Synced { version: "10251".to_owned(), objects };
        check(&synced(1), "synced at 10251, with 1 object");
        check(&synced(0), "synced at 10251, with 0 objects");
        let watch = |why| Decision::Watch { version: "10251".to_owned(), why };
        check(&watch(None), "watch from 10251");
        check(
            &watch(Some(Why::Broken("reset".to_owned()))),
            "watch again from 10251: the connection broke (reset)",
        );
    }

    #[test]
    fn rounds_pauses_to_tenths() {
        let wait = |millis, why| Decision::Wait { pause: Duration::from_millis(millis), why };
        check(&wait(1_600, Why::TooManyRequests), "wait 1.6 s before trying again: the server answered 429");
        check(
            &wait(1_960, Why::NoAnswer("refused".to_owned())),
            "wait 2.0 s before trying again: no response came (refused)",
        );
        check(
            &wait(59_940, Why::Short),
            "wait 59.9 s before trying again: the watch was over within a second and brought nothing",
        );
        check(
            &wait(1_000, Why::RetryAfter(503)),
            "wait 1.0 s before trying again: the server answered 503, and says how long to wait",
        );
    }
}
