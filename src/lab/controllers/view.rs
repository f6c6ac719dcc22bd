//! The controllers: a row for each, with its queue, and the buttons that have them wait and go on.

use clock::Clock;
use leptos::prelude::*;
use protocol::controllers::{Command, Controller, Switches, Waiting};

use super::latest::Latest;
use super::scene::Scenes;
use super::{MODES, short};
use crate::cluster::host::Host;
use crate::model::lab::controllers::{Controllers, all, has_due};
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
    let runs = Memo::new(move |_| page.controllers(|known| known.work()));
    // Others may have started them.
    if !runs.get_untracked() {
        page.ask_controllers(None);
    }
    let has_scenes = Memo::new(move |_| can_start(page) || runs.get());
    let scenes = move || if has_scenes.get() { view! { <Scenes /> }.part() } else { ().part() };
    let body = move || if runs.get() { at_work(page) } else { at_rest(page) };
    view! {
        <p class="about" hidden=flag(move || runs.get())>{words::ABOUT}</p>
        <p class="bad" role="alert" hidden=flag(move || page.controllers(|known| known.trouble.is_empty()))>
            {text(move || page.controllers(|known| known.trouble.clone()))}
        </p>
        {live(scenes)}
        {live(body)}
    }
    .part()
}

fn at_rest(page: Page) -> Part {
    if !can_start(page) {
        return view! { <p class="about">{words::SERVED}</p> }.part();
    }
    let starts = move || page.controllers(|known| known.is_starting);
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

/// Reports whether controllers are started and stopped here: those of a server in another program begin and end with that.
fn can_start(page: Page) -> bool {
    page.host.with_value(Host::keeps_time)
}

fn at_work(page: Page) -> Part {
    let paused = Memo::new(move |_| page.controllers(|known| known.wait()));
    let every = RwSignal::new(false);
    let count = Memo::new(move |_| page.controllers(|known| known.state.controllers.len()));
    let shown = Memo::new(move |_| page.controllers(|known| places(known, every.get())));
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
            {can_start(page).then(|| view! {
                <button type="button" title=words::STOP_ABOUT on:click=act(move |_| page.stop_controllers())>
                    {words::STOP}
                </button>
            }.part())}
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
            {each(move || shown.get(), move |place| row(page, place, paused))}
        </table>
        <div class="lab-tools" hidden=flag(move || shown.with(Vec::len) == count.get())>
            <button type="button" title=words::ALL_ABOUT on:click=act(move |_| every.set(true))>
                {text(move || words::all_controllers(count.get()))}
            </button>
        </div>
        <Latest />
    }
    .part()
}

/// Returns the places of the controllers that are shown: of every one, or of those that have anything to do or have done, and of
/// those that somebody has switched.
fn places(known: &Controllers, every: bool) -> Vec<u64> {
    let has_part = |one: &Controller| {
        one.queued > 0 || one.reconciles > 0 || known.switches(&one.name) != Switches::default()
    };
    let all = known.state.controllers.iter().zip(0..);
    all.filter(|(one, _)| every || has_part(one)).map(|(_, place)| place).collect()
}

fn row(page: Page, place: u64, paused: Memo<bool>) -> Part {
    let one = Memo::new(move |_| {
        page.controllers(|known| known.state.controllers.get(place as usize).cloned()).unwrap_or_default()
    });
    let name = move || one.with_untracked(|one| one.name.clone());
    let switch = move |event| {
        let mode: usize = event_target_value(&event).parse().unwrap_or_default();
        if let Some((_, switches)) = MODES.get(mode) {
            page.ask_controllers(Some(Command::Switch { name: name(), switches: *switches }));
        }
    };
    let mode = move || {
        let switches = page.controllers(|known| one.with(|one| known.switches(&one.name)));
        MODES.iter().position(|(_, own)| *own == switches).unwrap_or_default().to_string()
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
                        prop:value=text(mode)
                        on:change=switch
                    >
                        {MODES
                            .iter()
                            .enumerate()
                            .map(|(mode, (word, _))| view! { <option value=mode.to_string()>{*word}</option> })
                            .collect_view()}
                    </select>
                    <button
                        type="button"
                        title=words::STEP_ONE_ABOUT
                        hidden=flag(move || !paused.get() || one.with(|one| !has_due(one)))
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
    page.lab.now.track();
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
