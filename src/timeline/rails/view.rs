//! The log as a table, of which only what is seen is drawn.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::model::messages::rails as messages;
use crate::model::timeline::tracks;
use crate::model::watch::hue_class;
use crate::state::Page;
use crate::timeline::rails::log::{FOLDED, Log, ONLY, resource};
use crate::timeline::rails::row::LogRow;
use crate::timeline::rails::rows::Rows;
use crate::timeline::rails::window::ROW;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages as words;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, maybe, text};

/// The writes, newest first, each with the watches that got it.
#[component]
pub(crate) fn Rails() -> impl IntoView {
    let log = Log::new(expect_context::<Page>());
    log.keep_place();
    log.follow_cursor();
    log.measure(log.scroller, move |(width, height)| {
        let _ = log.size.try_set((width, (height - ROW).max(0.0)));
    });
    let keys = Memo::new(move |_| log.keys());
    let count = move || {
        log.changes.get();
        log.rows.with_value(Rows::len)
    };
    let lines = move || count() + 1 + usize::from(log.open.get().is_some());
    let resource = Memo::new(move |_| resource(log.page).map(|(_, name)| name).unwrap_or_default());
    let choose = move |only: bool| {
        log.only.set(only);
        log.unfolded.set(Vec::new());
        dom::remember(ONLY, if only { "only" } else { "all" });
    };
    let newest = move |_| {
        log.anchor.set_value(None);
        log.scroll_to(0.0);
    };
    view! {
        <div class="log">
            <div class="log-head">
                <div class="log-filter" role="group" aria-label=messages::SHOWN>
                    <button type="button" aria-pressed=text(move || (!log.only.get()).to_string()) on:click=act(move |_| choose(false))>
                        {messages::ALL}
                    </button>
                    <button
                        type="button"
                        aria-pressed=text(move || log.only.get().to_string())
                        hidden=flag(move || resource.with(String::is_empty))
                        on:click=act(move |_| choose(true))
                    >
                        {text(move || resource.with(|resource| messages::only(resource)))}
                    </button>
                </div>
                <span class="figure">{text(move || messages::count(log.page.history(|history| history.writes().len())))}</span>
                <span class="space"></span>
                <button type="button" hidden=flag(move || log.scroll.get() < ROW) on:click=act(newest)>
                    {messages::NEWEST}
                </button>
            </div>
            <div
                class="log-scroll"
                node_ref=log.scroller
                role="table"
                tabindex=maybe(move || (count() == 0).then_some("0"))
                aria-label=messages::LOG
                aria-rowcount=text(move || lines().to_string())
                style=("--rails", text(move || log.board.with(|board| board.tracks.len().to_string())))
                on:scroll=act(move |_| log.scrolled())
                on:focusin=act(move |_| log.hold())
                on:keydown=act(move |event: KeyboardEvent| log.key(&event))
            >
                {titles(log)}
                <div role="rowgroup" class="log-body" node_ref=log.body>
                    {each(
                        move || keys.get(),
                        move |key| view! { <LogRow log=log from=key & !FOLDED /> }.part(),
                    )}
                </div>
            </div>
            <p class="quiet" hidden=flag(move || count() > 0)>{words::TIMELINE_EMPTY}</p>
        </div>
    }
    .part()
}

/// Shows the names of the columns, and of the rails.
fn titles(log: Log) -> Part {
    view! {
        <div role="rowgroup" class="log-top">
            <div role="row" class="log-row" aria-rowindex="1">
                <span role="columnheader" class="log-rv">{messages::REVISION}</span>
                <span role="columnheader" class="log-time">{messages::TIME}</span>
                <span role="columnheader" class="log-verb">{messages::VERB}</span>
                <span role="columnheader" class="log-object">{messages::OBJECT}</span>
                <span role="columnheader" class="log-manager">{messages::WRITTEN_BY}</span>
                <span role="columnheader" class="log-rails">
                    <span class="unseen">{messages::RAILS}" "</span>
                    {live(move || {
                        log.board.with(|board| {
                            let letter = |track: &tracks::Track| view! { <span class=["rail ", hue_class(track.watch)].concat()>{track.letter.clone()}</span> }.part();
                            let more = (board.more > 0).then(|| {
                                view! { <span class="unseen">{messages::more_watches(board.more)}</span> }.part()
                            });
                            (board.tracks.iter().map(letter).collect_view(), more).part()
                        })
                    })}
                </span>
                <span role="columnheader" class="log-marks">{messages::CURSORS}</span>
            </div>
        </div>
    }
    .part()
}
