//! The local copies: what each has, how far it is behind, and what it decided.

use leptos::prelude::*;

use crate::cluster::reflector::Mode;
use crate::cluster::reflector::objects::Pair;
use crate::model::messages;
use crate::model::messages::lab as say;
use crate::model::watch::short;
use crate::state::Page;
use crate::state::copies::LocalCopy;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};
use crate::widgets::version::Version;

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

#[component]
fn Card(id: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let is = move |look: fn(&LocalCopy) -> bool| page.copy(id, look).unwrap_or_default();
    let say = move |look: fn(&LocalCopy) -> String| text(move || page.copy(id, look).unwrap_or_default());
    let numbers = move |look: fn(&LocalCopy) -> Vec<u64>| move || page.copy(id, look).unwrap_or_default();
    let title = format!("copy-{id}");
    let titled = title.clone();
    let compared = RwSignal::new(false);
    view! {
        <article class="watch copy" class:closed=flag(move || !is(LocalCopy::runs)) aria-labelledby=titled>
            <div class="watch-head">
                <h3 id=title>
                    {messages::COPY_OF}
                    " "
                    <span class="mono">{say(|copy| short(&copy.options.target))}</span>
                </h3>
                <span class="now" title=messages::past::NOW_ABOUT hidden=flag(move || page.at.with(Option::is_none))>
                    {messages::past::NOW}
                </span>
                <select
                    aria-label=messages::COPY_MODE
                    title=messages::COPY_MODE_ABOUT
                    on:change=move |event| {
                        let streams = event_target_value(&event) == messages::COPY_STREAM;
                        page.renew_copy(id, Some(if streams { Mode::StreamingList } else { Mode::List }));
                    }
                >
                    <option>{messages::COPY_STREAM}</option>
                    <option>{messages::COPY_LIST}</option>
                </select>
            </div>
            <div class="watch-tools">
                <span class="figure">
                    {say(|copy| messages::copied(copy.version().is_some()).to_owned())}
                    " "
                    // A list of one, so that it is replaced when it has changed, and only then.
                    {each(
                        numbers(|copy| copy.version().into_iter().collect()),
                        |version| view! { <Version version=version.to_string() /> }.part(),
                    )}
                    {say(|copy| copy.version().map(|_| messages::copied_objects(copy.objects())).unwrap_or_default())}
                    <span class:same=flag(move || page.behind(id) == Some(0))>
                        {text(move || page.behind(id).map(messages::behind).unwrap_or_default())}
                    </span>
                </span>
                <button
                    type="button"
                    class:resume=flag(move || is(|copy| copy.line.is_cut() || !copy.runs()))
                    title=say(|copy| messages::copy_first_about(copy.runs(), copy.line.is_cut()).to_owned())
                    on:click=act(move |_| {
                        if untrack(|| is(LocalCopy::runs)) { page.cut_copy(id) } else { page.renew_copy(id, None) }
                    })
                >
                    {say(|copy| messages::copy_first(copy.runs(), copy.line.is_cut()).to_owned())}
                </button>
                <button
                    type="button"
                    on:click=act(move |_| {
                        if untrack(|| is(LocalCopy::runs)) { page.stop_copy(id) } else { page.dismiss_copy(id) }
                    })
                >
                    {say(|copy| if copy.runs() { messages::STOP } else { messages::DISMISS }.to_owned())}
                </button>
            </div>
            <details class="compare" hidden=flag(move || page.behind(id).is_none()) on:toggle=move |event| {
                compared.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
            }>
                <summary>{say::COMPARE}</summary>
                {live(move || compared.get().then(|| view! { <Compare id=id /> }))}
            </details>
            <ul class="decisions scroll" tabindex="0" aria-label=messages::COPY_LOG>
                {each(numbers(LocalCopy::decisions), move |number| line(page, id, number))}
            </ul>
        </article>
    }
    .part()
}

/// How many objects are compared at most: those that differ come first.
const COMPARED: usize = 60;

/// The copy and the server, side by side.
#[component]
fn Compare(id: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let pairs = Memo::new(move |_| {
        page.lab.slow.track();
        let all = untrack(|| {
            page.read(|model| {
                let copy = model.copies.iter().find(|copy| copy.id == id)?;
                Some(copy.pairs(model.glass(copy.cluster)))
            })
        });
        let all = all.unwrap_or_default();
        let (mut shown, same): (Vec<_>, Vec<_>) = all.into_iter().partition(|pair| pair.copy != pair.server);
        shown.extend(same);
        let more = shown.len().saturating_sub(COMPARED);
        shown.truncate(COMPARED);
        (shown, more)
    });
    view! {
        <div class="scroll compared" tabindex="0" role="group" aria-label=say::COMPARE>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{say::COMPARE_NAME}</th>
                        <th scope="col">{say::COMPARE_COPY}</th>
                        <th scope="col">{say::COMPARE_SERVER}</th>
                    </tr>
                </thead>
                <tbody>{live(move || pairs.with(|(pairs, _)| pairs.iter().map(pair).collect_view()))}</tbody>
            </table>
            <p class="figure">
                {text(move || pairs.with(|(_, more)| if *more > 0 { say::compare_more(*more) } else { String::new() }))}
            </p>
        </div>
    }
    .part()
}

fn pair(pair: &Pair) -> Part {
    let mark = match (&pair.copy, &pair.server) {
        (None, _) => say::COMPARE_MISSING,
        (_, None) => say::COMPARE_GONE,
        (copy, server) if copy != server => say::COMPARE_OLDER,
        _ => "",
    };
    let version =
        |version: &Option<String>| version.clone().map(|version| view! { <Version version=version /> });
    view! {
        <tr class:differs=!mark.is_empty()>
            <th scope="row">{pair.key.clone()}</th>
            <td>{version(&pair.copy)}</td>
            <td>{version(&pair.server)}" "<span class="mark-word">{mark}</span></td>
        </tr>
    }
    .part()
}

/// A decision, and when it was made.
fn line(page: Page, copy: u64, number: u64) -> Part {
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
