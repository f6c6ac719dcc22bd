//! The ways in which a watch that is closed can go on, and what each would have to go through.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks>

use glass::Replay;
use leptos::prelude::*;

use crate::cluster::Which;
use crate::model::messages::lab as say;
use crate::model::watch::Watch;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, act, live};
use crate::widgets::version::Version;

/// A way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    /// True if it makes use of bookmarks.
    bookmarks: bool,
    /// The name of the way.
    name: &'static str,
    /// The resource version at which it begins; `None` if the watch begins anew.
    version: Option<String>,
    /// The events that it would have to go through, if the page can ask the API server.
    replay: Option<Replay>,
}

/// The ways of a watch, of which `ask` tells what each would have to go through.
fn ways(watch: &Watch, ask: impl Fn(u64) -> Replay) -> Vec<Way> {
    let replay = |version: &Option<String>| {
        let here = watch.cluster == Which::ThisTab;
        version.as_ref().filter(|_| here)?.parse().ok().map(&ask)
    };
    let way = |bookmarks, name, version: &Option<String>| {
        let version = version.clone().filter(|_| !watch.expired());
        Way { bookmarks, name, replay: replay(&version), version }
    };
    if watch.last == watch.unmarked || watch.expired() {
        return vec![way(true, say::WAY_ONLY, &watch.last)];
    }
    vec![way(true, say::WAY_BOOKMARK, &watch.last), way(false, say::WAY_EVENT, &watch.unmarked)]
        .into_iter()
        .filter(|way| way.bookmarks || way.version.is_some())
        .collect()
}

/// The ways to go on, each with its button.
#[component]
pub(crate) fn Ways(id: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let found = Memo::new(move |_| {
        page.lab.slow.track();
        page.lab.server.track();
        let next = page.embedded().next();
        let found = untrack(|| {
            page.read(|model| {
                let watch = model.watches.iter().find(|watch| watch.id == id)?;
                let number = model.lane(id).and_then(|lane| lane.number);
                let replay =
                    |after| number.map(|number| model.glass(watch.cluster).replay(number, next, after));
                Some(ways(watch, |after| replay(after).unwrap_or_default()))
            })
        });
        found.unwrap_or_default()
    });
    view! {
        <ul class="ways" aria-label=say::WAYS>
            {live(move || found.get().into_iter().map(|way| line(page, id, way)).collect_view())}
        </ul>
    }
    .part()
}

fn line(page: Page, id: u64, way: Way) -> Part {
    let Way { bookmarks, name, version, replay } = way;
    let gone = replay.is_some_and(|replay| replay.gone);
    let told = replay.map(|replay| say::replay(replay.gone, replay.events, replay.sent, replay.objects));
    let label = match (&version, bookmarks) {
        (Some(version), false) => say::resume_unmarked(version),
        (version, _) => messages::resume(version.as_deref()),
    };
    let what = version.map(|version| view! { <span>{name}" "<Version version=version /></span> });
    view! {
        <li class:gone=gone>
            {what}
            <span class="replay">{told}</span>
            <button type="button" class:resume=bookmarks on:click=act(move |_| page.resume(id, bookmarks))>
                {label}
            </button>
        </li>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Request;

    fn told(watch: &Watch) -> Vec<(bool, Option<String>, Option<usize>)> {
        let ask = |after: u64| Replay { events: 20 - after as usize, ..Replay::default() };
        let found = ways(watch, ask).into_iter();
        found.map(|way| (way.bookmarks, way.version, way.replay.map(|replay| replay.events))).collect()
    }

    fn event(kind: &str, version: u32) -> Vec<u8> {
        format!(r#"{{"type":"{kind}","object":{{"metadata":{{"resourceVersion":"{version}"}}}}}}"#)
            .into_bytes()
    }

    #[test]
    fn a_bookmark_is_another_way() {
        let mut watch = Watch::new(0, Which::ThisTab, Request::get("/p?watch=true&resourceVersion=5"));
        assert_eq!(told(&watch), [(true, Some("5".to_owned()), Some(15))]);
        watch.chunk(&event("ADDED", 8), 0.0);
        assert_eq!(told(&watch), [(true, Some("8".to_owned()), Some(12))]);
        watch.chunk(&event("BOOKMARK", 12), 0.0);
        let both = [(true, Some("12".to_owned()), Some(8)), (false, Some("8".to_owned()), Some(12))];
        assert_eq!(told(&watch), both);
    }

    #[test]
    fn what_has_expired_and_what_is_elsewhere_is_not_asked_for() {
        let mut watch = Watch::new(0, Which::Remote, Request::get("/p?watch=true&resourceVersion=5"));
        assert_eq!(told(&watch), [(true, Some("5".to_owned()), None)]);
        let gone = br#"{"type":"ERROR","object":{"kind":"Status","metadata":{},"status":"Failure","reason":"Expired","code":410}}"#;
        watch.chunk(gone, 0.0);
        assert_eq!(told(&watch), [(true, None, None)]);
    }
}
