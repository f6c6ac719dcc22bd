//! Which revision answered a request, and why, in a sentence.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>

use protocol::trace::{Layer, Source};

use crate::cluster::trace::stream::End;
use crate::timeline::waterfall::asked::{Asked, Verb};
use crate::ui::messages::waterfall::sentence as said;

/// The facts from which the sentence is made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts<'a> {
    /// The verb of the request.
    pub(crate) verb: Option<Verb>,
    /// The revision that it asked for.
    pub(crate) asked: Option<Asked>,
    /// True if it is about one object.
    pub(crate) one: bool,
    /// True if it was a dry run.
    pub(crate) dry: bool,
    /// The result.
    pub(crate) came: Came<'a>,
    /// The source that it was read from.
    pub(crate) source: Option<Source>,
    /// The store's newest revision when the answer came.
    pub(crate) head: Option<u64>,
    /// The revisions that it made; `None` where the cluster does not tell.
    pub(crate) wrote: Option<&'a [u64]>,
    /// The version of its object when the answer came.
    pub(crate) current: Option<u64>,
    /// Which page of a list it is; 0 if nobody knows.
    pub(crate) page: u64,
    /// The code of the ERROR event with which its stream ended.
    pub(crate) error: Option<u16>,
    /// How its stream ended.
    pub(crate) end: Option<&'a End>,
}

/// The result of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Came<'a> {
    /// Nothing yet.
    #[default]
    Nothing,
    /// No answer will come, and why.
    Failed(&'a str),
    /// The status code, and the reason of a failure.
    Answered(u16, &'a str),
}

/// The sentence.
pub(crate) fn sentence(facts: &Facts<'_>) -> String {
    let asked = facts.asked.unwrap_or(Asked::Nothing);
    let named = asked.revision().unwrap_or_default();
    let (code, reason) = match facts.came {
        Came::Nothing => {
            let waits = matches!(asked, Asked::NotOlderThan(_));
            return fill(if waits { said::PENDING_NOT_OLDER } else { said::PENDING }, &[named]);
        }
        Came::Failed(why) => return words(said::FAILED, why),
        Came::Answered(code, reason) => (code, reason),
    };
    match facts.verb {
        Some(Verb::Watch) => watched(facts, asked, code),
        Some(verb) if verb.reads() => read(facts, asked, code),
        Some(verb) => written(facts, verb, asked, code, reason),
        None => said::NO_REVISION.to_owned(),
    }
}

fn read(facts: &Facts<'_>, asked: Asked, code: u16) -> String {
    let named = asked.revision().unwrap_or_default();
    let at = facts.source.map_or(0, |source| source.revision);
    let layer = facts.source.map(|source| source.layer);
    let (template, numbers) = match (code, asked, layer) {
        (410, Asked::Continue(_), _) => (said::PAGE_GONE, [named, 0]),
        (410, ..) => (said::COMPACTED, [named, 0]),
        (504, ..) if named > 0 => (said::TOO_NEW, [named, 0]),
        (400, Asked::Nothing, _) if facts.verb == Some(Verb::List) => (said::PAGE_UNREADABLE, [0, 0]),
        (404, .., Some(_)) if facts.one => (said::ABSENT, [at, 0]),
        (400.., ..) => (said::REFUSED_READ, [code.into(), 0]),
        (.., None) => (said::UNTOLD, [0, 0]),
        (_, Asked::MostRecent, Some(Layer::Store)) if facts.one => (said::RECENT_ONE, [at, 0]),
        (_, Asked::MostRecent, Some(Layer::Store)) => (said::RECENT_STORE, [at, 0]),
        (_, Asked::MostRecent, _) => (said::RECENT_CACHE, [at, 0]),
        (_, Asked::Any, _) => match facts.head.map(|head| head.saturating_sub(at)) {
            None => (said::ANY, [at, 0]),
            Some(0) => (said::ANY_LEVEL, [at, 0]),
            Some(behind) => (said::ANY_BEHIND, [at, behind]),
        },
        (_, Asked::NotOlderThan(_), Some(Layer::Store)) => (said::NOT_OLDER_STORE, [named, at]),
        (_, Asked::NotOlderThan(_), _) if at > named => (said::NOT_OLDER_NEWER, [named, at]),
        (_, Asked::NotOlderThan(_), _) => (said::NOT_OLDER, [named, 0]),
        (_, Asked::Exactly(_), Some(Layer::Store)) => (said::EXACTLY_STORE, [named, 0]),
        (_, Asked::Exactly(_), Some(Layer::Cache)) => (said::EXACTLY_CACHE, [named, 0]),
        (_, Asked::Exactly(_), _) => (said::EXACTLY_SNAPSHOT, [named, 0]),
        (_, Asked::Continue(_), _) if facts.page == 0 => (said::PAGE_NEXT, [named, 0]),
        (_, Asked::Continue(_), Some(Layer::Store)) => (said::PAGE_STORE, [facts.page, named]),
        (_, Asked::Continue(_), _) => (said::PAGE, [facts.page, named]),
        (_, Asked::ContinueNewest, _) => (said::PAGE_NEWEST, [at, 0]),
        _ => (said::UNTOLD, [0, 0]),
    };
    fill(template, &numbers)
}

fn watched(facts: &Facts<'_>, asked: Asked, code: u16) -> String {
    let named = asked.revision().unwrap_or_default();
    let how = match (asked, code) {
        (_, 410) => said::WATCH_GONE,
        (_, 504) if named > 0 => said::TOO_NEW,
        (_, 400..) => return fill(said::REFUSED_READ, &[code.into()]),
        _ if facts.error == Some(410) => said::WATCH_GONE,
        (Asked::From(_), _) => said::WATCH_FROM,
        (Asked::FromAny, _) => said::WATCH_ANY,
        (Asked::Initial(_), _) => said::WATCH_INITIAL,
        _ => said::WATCH_RECENT,
    };
    let end = match facts.end {
        None => String::new(),
        Some(End::Stopped) => [" ", said::ENDED_STOPPED].concat(),
        Some(End::Closed) => [" ", said::ENDED_CLOSED].concat(),
        Some(End::Broken(why)) => [" ", &words(said::ENDED_BROKEN, why)].concat(),
    };
    [fill(how, &[named]), end].concat()
}

fn written(facts: &Facts<'_>, verb: Verb, asked: Asked, code: u16, reason: &str) -> String {
    let named = asked.revision().unwrap_or_default();
    if code >= 400 {
        return match (code, reason, asked, facts.current) {
            (409, "AlreadyExists", ..) => said::EXISTS.to_owned(),
            (409, ..) if verb == Verb::Apply && named == 0 => said::CONFLICT_APPLY.to_owned(),
            (409, _, Asked::IfStill(_), Some(current)) if current != named => {
                fill(said::CONFLICT, &[named, current])
            }
            (409, _, Asked::IfStill(_), None) => fill(said::CONFLICT_UNTOLD, &[named]),
            (409, "Conflict", ..) => said::CONFLICT_OTHER.to_owned(),
            (404, ..) if facts.one => said::NO_OBJECT.to_owned(),
            _ => fill(said::REFUSED, &[code.into()]),
        };
    }
    match facts.wrote {
        _ if facts.dry => said::DRY.to_owned(),
        None => said::MADE_UNTOLD.to_owned(),
        Some([]) => said::UNCHANGED.to_owned(),
        Some([made]) => match asked {
            Asked::IfStill(_) => fill(said::MADE_IF_STILL, &[named, *made]),
            Asked::Whatever if matches!(verb, Verb::Update) => fill(said::MADE_WHATEVER, &[*made]),
            _ => fill(said::MADE, &[*made]),
        },
        Some([first, .., last]) => {
            let several = facts.wrote.map_or(0, <[u64]>::len) as u64;
            fill(said::MADE_SEVERAL, &[several, *first, *last])
        }
    }
}

/// Puts the numbers where the sentence has room for them.
fn fill(template: &str, numbers: &[u64]) -> String {
    let mut parts = template.split("{}");
    let mut sentence = parts.next().unwrap_or_default().to_owned();
    for (number, part) in numbers.iter().zip(parts) {
        sentence.push_str(&number.to_string());
        sentence.push_str(part);
    }
    sentence
}

fn words(template: &str, what: &str) -> String {
    template.replace("{}", what.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Asked::*;
    use Layer::{Cache, Snapshot, Store};

    fn answered(asked: Asked, layer: Layer, revision: u64) -> Facts<'static> {
        Facts {
            verb: Some(Verb::List),
            asked: Some(asked),
            came: Came::Answered(200, ""),
            source: Some(Source { layer, revision }),
            head: Some(1030),
            ..Facts::default()
        }
    }

    #[track_caller]
    fn check(facts: &Facts<'_>, expected: &str) {
        assert_eq!(sentence(facts), expected);
    }

    #[test]
    fn says_what_was_read_and_why() {
        for (asked, layer, revision, expected) in [
            (
                MostRecent,
                Cache,
                1030,
                "Most recent: the watch cache had come as far as the store, 1030, so it could answer.",
            ),
            (
                MostRecent,
                Store,
                1030,
                "Most recent: the watch cache was behind, so the store answered, at 1030.",
            ),
            (
                Any,
                Cache,
                1027,
                "resourceVersion=0: whatever the watch cache had, which was 1027, 3 behind the store.",
            ),
            (
                Any,
                Cache,
                1030,
                "resourceVersion=0: whatever the watch cache had, which was 1030, as new as the store.",
            ),
            (
                NotOlderThan(1022),
                Cache,
                1030,
                "Not older than 1022: the watch cache had 1030, so it answered with that.",
            ),
            (NotOlderThan(1030), Cache, 1030, "Not older than 1030: the watch cache was at just that."),
            (Exactly(1022), Snapshot, 1022, "Exactly 1022: out of a snapshot."),
            (
                Exactly(1022),
                Store,
                1022,
                "Exactly 1022: the watch cache had no snapshot of it, so it was read from the store.",
            ),
        ] {
            check(&answered(asked, layer, revision), expected);
        }
        let one = Facts { verb: Some(Verb::Get), one: true, ..answered(MostRecent, Store, 1030) };
        check(
            &one,
            "Most recent: one object without a resourceVersion is read from the store, which was at 1030.",
        );
        let absent = Facts { came: Came::Answered(404, "NotFound"), ..one };
        check(&absent, "There was no such object at 1030.");
        let remote = Facts { source: None, ..answered(Any, Cache, 0) };
        check(&remote, "The cluster does not say what it read this from.");
    }

    #[test]
    fn says_which_page_it_is() {
        let page = answered(Continue(1022), Snapshot, 1022);
        check(&page, "The next page of the snapshot at 1022: what was written since does not show.");
        let second = Facts { page: 2, ..page.clone() };
        check(&second, "Page 2 of the snapshot at 1022: what was written since does not show.");
        let gone = Facts { came: Came::Answered(410, "Expired"), ..page };
        check(
            &gone,
            "1022 has been compacted, so the list cannot go on. The response has a token that goes on in the newest state.",
        );
    }

    #[test]
    fn says_what_cannot_be_read() {
        let failing =
            |code, asked| Facts { came: Came::Answered(code, ""), source: None, ..answered(asked, Cache, 0) };
        check(
            &failing(410, Exactly(7)),
            "7 has been compacted: neither the store nor a snapshot has it any more. List again.",
        );
        check(
            &failing(504, NotOlderThan(9999)),
            "There is no 9999 yet: the server waited for it, and gave up. Nothing is that new.",
        );
        check(&failing(403, MostRecent), "Refused with 403 before anything was read.");
        let waiting = Facts { came: Came::Nothing, ..failing(0, NotOlderThan(9999)) };
        check(&waiting, "Not older than 9999: the response waits until the watch cache has come that far.");
        let cut = Facts { came: Came::Failed("the connection was cut"), ..waiting };
        check(&cut, "No response came: the connection was cut.");
    }

    #[test]
    fn says_where_a_watch_begins_and_how_it_ended() {
        let watch = |asked| Facts { verb: Some(Verb::Watch), ..answered(asked, Cache, 1022) };
        let from = "From 1022: every change after it is sent, in order, and none twice.";
        check(&watch(From(1022)), from);
        let stopped = Facts { end: Some(&End::Stopped), ..watch(From(1022)) };
        check(&stopped, &format!("{from} This page closed it."));
        let cut = End::Broken("cut".to_owned());
        let broken = Facts { end: Some(&cut), ..watch(From(1022)) };
        check(&broken, &format!("{from} The connection broke: cut."));
        let gone = Facts { error: Some(410), end: Some(&End::Closed), ..watch(From(7)) };
        check(
            &gone,
            "7 is older than the events that the watch cache keeps: 410 Gone. List again, and watch from there. The server closed it.",
        );
    }

    #[test]
    fn says_what_was_written() {
        let write = |verb, asked, code, reason| Facts {
            verb: Some(verb),
            asked: Some(asked),
            one: verb != Verb::Create,
            came: Came::Answered(code, reason),
            wrote: Some(&[1031]),
            current: Some(1027),
            ..Facts::default()
        };
        check(&write(Verb::Create, Nothing, 201, ""), "It made revision 1031.");
        check(
            &write(Verb::Update, IfStill(1027), 200, ""),
            "The object was still at 1027, as was sent, so this made revision 1031.",
        );
        check(
            &write(Verb::Update, Whatever, 200, ""),
            "No resourceVersion was sent, so nothing was compared: whoever writes last wins. It made revision 1031.",
        );
        check(
            &write(Verb::Update, IfStill(1015), 409, "Conflict"),
            "Conflict: sent 1015, the object is at 1027. Nothing was written.",
        );
        check(
            &write(Verb::Create, Nothing, 409, "AlreadyExists"),
            "An object of this name exists already. Nothing was written.",
        );
        check(
            &write(Verb::Apply, Whatever, 409, "Conflict"),
            "Conflict: another manager owns what was applied. Nothing was written.",
        );
        check(&write(Verb::Patch, Whatever, 422, "Invalid"), "Refused with 422. Nothing was written.");
        let same = Facts { wrote: Some(&[]), ..write(Verb::Patch, Whatever, 200, "") };
        check(&same, "Nothing changed, so no revision was made.");
        let several = Facts { wrote: Some(&[4, 5, 6]), ..write(Verb::DeleteCollection, Whatever, 200, "") };
        check(&several, "It made 3 revisions, 4 to 6.");
        let dry = Facts { dry: true, wrote: Some(&[]), ..write(Verb::Patch, Whatever, 200, "") };
        check(&dry, "A dry run: everything but the writing. No revision was made.");
    }

    #[test]
    fn everything_has_a_sentence() {
        let asked = [Nothing, MostRecent, Any, NotOlderThan(5), Exactly(5), Continue(5), ContinueNewest];
        let more = [From(5), FromMostRecent, FromAny, Initial(0), IfStill(5), Whatever];
        for asked in asked.into_iter().chain(more) {
            for code in [200, 400, 404, 409, 410, 500, 504] {
                for verb in [Verb::Get, Verb::List, Verb::Watch, Verb::Update, Verb::DeleteCollection] {
                    let facts = Facts {
                        verb: Some(verb),
                        came: Came::Answered(code, ""),
                        ..answered(asked, Store, 5)
                    };
                    let said = sentence(&facts);
                    assert!(said.ends_with('.') && !said.contains("{}"), "{said}");
                }
            }
        }
    }
}
