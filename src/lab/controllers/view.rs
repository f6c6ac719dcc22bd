//! The controllers: a row for each, with its queue, and the buttons that have them wait and go on.

use clock::Clock;
use leptos::prelude::*;
use protocol::controllers::{Command, Controller, Waiting};

use super::latest::Latest;
use super::{mode, short, switches};
use crate::model::lab::controllers::all;
use crate::model::watch::hue_class;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::controllers as words;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};

/// More keys of a queue than this are not shown.
const MOST_KEYS: usize = 3;

/// The controllers, or the button that starts them.
#[component]
pub(crate) fn AtWork() -> impl IntoView {
    let page = expect_context::<Page>();
    let runs = Memo::new(move |_| page.controllers(|known| known.state.choice.is_some()));
    // Others may have started them.
    if !runs.get_untracked() {
        page.ask_controllers(None);
    }
    let body = move || if runs.get() { at_work(page) } else { at_rest(page) };
    view! {
        <p class="about">{words::ABOUT}</p>
        <p class="bad" role="alert" hidden=flag(move || page.controllers(|known| known.trouble.is_empty()))>
            {text(move || page.controllers(|known| known.trouble.clone()))}
        </p>
        {live(body)}
    }
    .part()
}

fn at_rest(page: Page) -> Part {
    let starts = move || page.controllers(|known| known.is_asking && known.wanted.is_some());
    view! {
        <div class="lab-tools">
            <button
                type="button"
                class="resume"
                disabled=flag(starts)
                on:click=act(move |_| page.start_controllers(all()))
            >
                {text(move || if starts() { words::STARTS } else { words::START })}
            </button>
        </div>
    }
    .part()
}

fn at_work(page: Page) -> Part {
    let paused = Memo::new(move |_| page.controllers(|known| known.state.paused));
    let count = Memo::new(move |_| page.controllers(|known| known.state.controllers.len()));
    let command = move |command: Command| page.ask_controllers(Some(command));
    view! {
        <div class="lab-tools">
            <button
                type="button"
                title=words::PAUSE_ABOUT
                aria-pressed=text(move || paused.get().to_string())
                on:click=act(move |_| command(Command::Pause(!paused.get_untracked())))
            >
                {text(move || if paused.get() { words::RESUME } else { words::PAUSE })}
            </button>
            <button type="button" title=words::STEP_ABOUT disabled=flag(move || !paused.get()) on:click=act(move |_| command(Command::Step(None)))>
                {words::STEP}
            </button>
            <button type="button" title=words::UNTIL_QUIET_ABOUT disabled=flag(move || !paused.get()) on:click=act(move |_| command(Command::UntilQuiet))>
                {words::UNTIL_QUIET}
            </button>
            <button type="button" title=words::STOP_ABOUT on:click=act(move |_| page.stop_controllers())>
                {words::STOP}
            </button>
        </div>
        <p class="standing" role="status" hidden=flag(move || !paused.get())>{words::ALL_PAUSED}</p>
        <table class="controllers">
            <thead>
                <tr>
                    <th scope="col">{words::NAME}</th>
                    <th scope="col" class="amount">{words::QUEUE}</th>
                    <th scope="col" class="amount" title=words::RECONCILES_ABOUT>{words::RECONCILES}</th>
                    <th scope="col" class="amount" title=words::FAILED_ABOUT>{words::FAILED}</th>
                    <th scope="col" title=words::MODE_ABOUT>{words::MODE}</th>
                </tr>
            </thead>
            {each(move || (0..count.get() as u64).collect(), move |place| row(page, place, paused))}
        </table>
        <Latest />
    }
    .part()
}

fn row(page: Page, place: u64, paused: Memo<bool>) -> Part {
    let one = Memo::new(move |_| {
        page.controllers(|known| known.state.controllers.get(place as usize).cloned()).unwrap_or_default()
    });
    let name = move || one.with_untracked(|one| one.name.clone());
    let switch = move |event| {
        let mode = event_target_value(&event).parse().unwrap_or_default();
        let command = Command::Switch { name: name(), switches: switches(mode) };
        page.ask_controllers(Some(command));
    };
    let keys = move || one.with(|one| keys(page, one));
    view! {
        <tbody>
            <tr>
                <th scope="row" title=text(move || one.with(|one| one.user.clone()))>
                    <span class=["letter ", hue_class(place)].concat() aria-hidden="true"></span>
                    {text(move || one.with(|one| short(&one.name).to_owned()))}
                </th>
                <td class="figure">{text(move || one.with(|one| one.queued.to_string()))}</td>
                <td class="figure">{text(move || one.with(|one| one.reconciles.to_string()))}</td>
                <td class="figure">{text(move || one.with(|one| one.failures.to_string()))}</td>
                <td>
                    <select
                        aria-label=text(move || one.with(|one| [words::MODE, " ", &one.name].concat()))
                        prop:value=text(move || one.with(|one| mode(one.switches).to_string()))
                        on:change=switch
                    >
                        {words::MODES
                            .iter()
                            .enumerate()
                            .map(|(mode, word)| view! { <option value=mode.to_string()>{*word}</option> })
                            .collect_view()}
                    </select>
                    <button
                        type="button"
                        title=words::STEP_ABOUT
                        hidden=flag(move || !paused.get() || one.with(|one| one.queued == 0))
                        on:click=act(move |_| page.ask_controllers(Some(Command::Step(Some(name())))))
                    >
                        {words::STEP_ONE}
                    </button>
                </td>
            </tr>
            {live(keys)}
        </tbody>
    }
    .part()
}

/// The first keys of a queue, and when they are due.
fn keys(page: Page, one: &Controller) -> Part {
    if one.waiting.is_empty() {
        return ().part();
    }
    let now = Clock::now(&page.embedded().clock);
    let item = |waiting: &Waiting| {
        let due = words::due(waiting.due.saturating_sub(now), waiting.failures);
        view! { <li><code>{waiting.key.clone()}</code>" "{due}</li> }.part()
    };
    let items: Vec<Part> = one.waiting.iter().take(MOST_KEYS).map(item).collect();
    let more = one.queued.saturating_sub(items.len());
    view! {
        <tr>
            <td colspan="5">
                <ul class="behind">
                    {items}
                    {(more > 0).then(|| view! { <li>{words::more(more)}</li> }.part())}
                </ul>
            </td>
        </tr>
    }
    .part()
}
