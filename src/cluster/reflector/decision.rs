//! What a reflector has decided, to be read by people.

use std::collections::VecDeque;
use std::time::Duration;

use super::why::Why;

/// How many decisions are kept.
pub(crate) const KEPT: usize = 200;

/// What a reflector has decided to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Ask for a list.
    List {
        /// The version asked for: `0` is any, an empty one the newest.
        version: String,
        /// The most objects in one page; 0 is all of them.
        limit: u32,
        /// What made it necessary; nothing, the first time.
        why: Option<Why>,
    },
    /// Ask for a list as a stream.
    StreamList {
        /// The version that must have been reached; an empty one is the newest.
        version: String,
        /// What made it necessary; nothing, the first time.
        why: Option<Why>,
    },
    /// Ask for a list after all, not for a stream.
    FallBack(Why),
    /// Ask for the next page, after so many objects.
    NextPage(usize),
    /// Ask for the whole list, for the version of its pages has expired.
    WholeList,
    /// Take what came as the new copy.
    Synced {
        /// The version of the whole.
        version: String,
        /// How many objects it has.
        objects: usize,
    },
    /// Watch.
    Watch {
        /// The version after which the events begin.
        version: String,
        /// What ended the watch before; nothing, after a list.
        why: Option<Why>,
    },
    /// Wait before the next request.
    Wait {
        /// For how long.
        pause: Duration,
        /// What went wrong.
        why: Why,
    },
}

impl Decision {
    /// It in a sentence.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::List { version, limit, why } => {
                let from = match (version.as_str(), *limit) {
                    ("0", _) => "from whatever state is at hand".to_owned(),
                    ("", 0) => "from the newest state".to_owned(),
                    ("", limit) => format!("from the newest state, in pages of {limit}"),
                    (version, 0) => format!("from {version} or newer"),
                    (version, limit) => format!("from {version}, in pages of {limit}"),
                };
                because(&format!("list{}, {from}", again(why)), why.as_ref())
            }
            Self::StreamList { version, why } => {
                let from = match version.as_str() {
                    "" => "from the newest state".to_owned(),
                    version => format!("from {version} or newer"),
                };
                because(&format!("list as a stream{}, {from}", again(why)), why.as_ref())
            }
            Self::FallBack(why) => because("do without the stream", Some(why)),
            Self::NextPage(objects) => format!("read the next page, after {}", count(*objects)),
            Self::WholeList => "list all at once: the version of the pages has expired".to_owned(),
            Self::Synced { version, objects } => format!("synced at {version}, with {}", count(*objects)),
            Self::Watch { version, why } => {
                because(&format!("watch{} from {version}", again(why)), why.as_ref())
            }
            Self::Wait { pause, why } => {
                let tenths = (pause.as_millis() + 50) / 100;
                let wait = format!("wait {}.{} s before trying again", tenths / 10, tenths % 10);
                because(&wait, Some(why))
            }
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
    why.map_or_else(|| what.to_owned(), |why| [what, &why.words()].join(": "))
}

/// The newest decisions, at most [`KEPT`], each with the time when it was made.
#[derive(Debug, Default)]
pub(crate) struct Log {
    kept: VecDeque<(Duration, Decision)>,
    /// How many older ones are no longer kept.
    dropped: u64,
}

impl Log {
    /// Adds a decision.
    pub(super) fn push(&mut self, now: Duration, decision: Decision) {
        self.kept.push_back((now, decision));
        if self.kept.len() > KEPT {
            self.kept.pop_front();
            self.dropped += 1;
        }
    }

    /// The decisions, oldest first, each with its number: 0 is the first that was ever made.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &Duration, &Decision)> {
        let kept = self.kept.iter().enumerate();
        kept.map(|(place, (at, decision))| (self.dropped + place as u64, at, decision))
    }

    /// The decision of this number, if it is kept, and the time when it was made.
    pub(crate) fn get(&self, number: u64) -> Option<&(Duration, Decision)> {
        self.kept.get(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(decision: &Decision, expected: &str) {
        assert_eq!(decision.sentence(), expected);
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

    #[test]
    fn keeps_the_newest() {
        let mut log = Log::default();
        for objects in 0..KEPT + 3 {
            log.push(Duration::ZERO, Decision::NextPage(objects));
        }
        assert_eq!(log.iter().count(), KEPT);
        let oldest = (3, &Duration::ZERO, &Decision::NextPage(3));
        assert_eq!(log.iter().next(), Some(oldest));
        assert_eq!((log.get(2), log.get(3)), (None, Some(&(Duration::ZERO, Decision::NextPage(3)))));
    }
}
