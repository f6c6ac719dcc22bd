//! The local copies: what each has, how far it is behind, and what it decided.

use crate::ui::part::{IntoPart, act, each, flag, live, text};
use leptos::prelude::*;

use crate::cluster::reflector::Mode;
use crate::state::Page;
use crate::state::copies::LocalCopy;
use crate::ui::messages;
use crate::ui::version::Version;
use crate::watches::view::short;

/// The button that starts a copy.
#[component]
pub(crate) fn Keep() -> impl IntoView {
    let page = expect_context::<Page>();
    view! {
        <button
            type="button"
            title=text(move || messages::keep_copy(&short(&page.collection())))
            on:click=act(move |_| page.keep_copy())
        >
            {messages::KEEP_COPY}
        </button>
    }
    .part()
}

/// The copies, the newest first.
#[component]
pub(crate) fn Copies() -> impl IntoView {
    let page = expect_context::<Page>();
    each(move || page.copies().into_iter().rev().collect(), |id| view! { <Card id=id /> }.part())
}

/// What of a copy is shown above its log.
#[derive(Clone, Default, PartialEq)]
struct Head {
    target: String,
    streams: bool,
    runs: bool,
    cut: bool,
    synced: bool,
    version: String,
    objects: usize,
    behind: Option<usize>,
    decisions: Vec<u64>,
}

impl Head {
    fn of(copy: &LocalCopy) -> Self {
        let reflector = copy.reflector.borrow();
        Self {
            target: short(&copy.options.target),
            streams: copy.options.mode == Mode::StreamingList,
            runs: copy.runs(),
            cut: copy.line.is_cut(),
            synced: reflector.synced(),
            version: reflector.version().to_owned(),
            objects: reflector.objects().len(),
            behind: None,
            decisions: copy.decisions(),
        }
    }
}

#[component]
fn Card(id: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let head = Memo::new(move |_| {
        let head = page.copy(id, Head::of).unwrap_or_default();
        Head { behind: page.behind(id), ..head }
    });
    let get = move |look: fn(&Head) -> bool| head.with(look);
    let stopped = move || !get(|head| head.runs);
    let synced = move || match head.get() {
        Head { synced: true, version, objects, .. } => {
            view! { {messages::COPY_SYNCED}" "<Version version=version />{messages::copied_objects(objects)} }
                .part()
        }
        _ => messages::COPY_NONE.part(),
    };
    let mode = move |streams| if streams { Mode::StreamingList } else { Mode::List };
    let title = format!("copy-{id}");
    let titled = title.clone();
    view! {
        <article class="watch copy" class:closed=flag(stopped) aria-labelledby=titled>
            <div class="watch-head">
                <h3 id=title>
                    {messages::COPY_OF}
                    " "
                    <span class="mono">{text(move || head.with(|head| head.target.clone()))}</span>
                </h3>
                <select
                    aria-label=messages::COPY_MODE
                    title=messages::COPY_MODE_ABOUT
                    prop:value=text(move || if get(|head| head.streams) { "stream" } else { "list" })
                    on:change=move |event| page.renew_copy(id, mode(event_target_value(&event) == "stream"))
                >
                    <option value="stream" selected=true>{messages::COPY_STREAM}</option>
                    <option value="list">{messages::COPY_LIST}</option>
                </select>
            </div>
            <div class="watch-tools">
                <span class="figure">
                    {live(synced)}
                    <span class:same=flag(move || get(|head| head.behind == Some(0)))>
                        {text(move || head.with(|head| head.behind).map(messages::behind).unwrap_or_default())}
                    </span>
                </span>
                <button
                    type="button"
                    class:resume=flag(move || get(|head| head.cut))
                    title=text(move || if get(|head| head.cut) { messages::COPY_MEND_ABOUT } else { messages::COPY_CUT_ABOUT })
                    hidden=flag(stopped)
                    on:click=act(move |_| page.cut_copy(id, !untrack(|| get(|head| head.cut))))
                >
                    {text(move || if get(|head| head.cut) { messages::COPY_MEND } else { messages::COPY_CUT })}
                </button>
                <button type="button" hidden=flag(stopped) on:click=act(move |_| page.stop_copy(id))>
                    {messages::STOP}
                </button>
                <button
                    type="button"
                    class="resume"
                    hidden=flag(move || !stopped())
                    on:click=act(move |_| page.renew_copy(id, mode(untrack(|| get(|head| head.streams)))))
                >
                    {messages::COPY_ANEW}
                </button>
                <button type="button" hidden=flag(move || !stopped()) on:click=act(move |_| page.dismiss_copy(id))>
                    {messages::DISMISS}
                </button>
            </div>
            <ul class="decisions scroll" tabindex="0" aria-label=messages::COPY_LOG>
                {each(move || head.with(|head| head.decisions.clone()), move |number| view! { <Line copy=id number=number /> }.part())}
            </ul>
        </article>
    }
    .part()
}

/// A decision, and when it was made.
#[component]
fn Line(copy: u64, number: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let said = untrack(|| page.copy(copy, |copy| copy.decision(number)));
    let (at, sentence) = said.flatten().unwrap_or_default();
    view! {
        <li>
            <time>{messages::time_of_day(at)}</time>
            <span>{sentence}</span>
        </li>
    }
    .part()
}
