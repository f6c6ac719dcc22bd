//! Alice and Bob, and the server between them.

use leptos::prelude::*;

use crate::cluster::status;
use crate::model::lab::race::{CLIENTS, Client, Copy, Mode, Race, Step};
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::widgets::version::Version;

/// The race.
#[component]
pub(crate) fn Racing() -> impl IntoView {
    let page = expect_context::<Page>();
    let race = page.lab.race;
    let mode = Memo::new(move |_| race.with(|race| race.mode));
    let begun = move || race.with(|race| !race.namespace.is_empty());
    let truth = Memo::new(move |_| page.race_truth());
    let outcome = Memo::new(move |_| race.with(|race| race.outcome));
    view! {
        <p class="about" hidden=flag(begun)>{say::RACE_ABOUT}</p>
        <div class="lab-tools">
            <label>
                <span>{say::RACE_MODE}</span>
                <select
                    prop:value=text(move || (mode.get() as usize).to_string())
                    on:change=move |event| {
                        let place = event_target_value(&event).parse().unwrap_or(0_usize);
                        page.begin_race(Mode::ALL.get(place).copied().unwrap_or_default());
                    }
                >
                    {Mode::ALL
                        .into_iter()
                        .map(|mode| view! { <option value=(mode as usize).to_string()>{say::mode(mode)}</option> })
                        .collect_view()}
                </select>
            </label>
            <button type="button" on:click=act(move |_| page.begin_race(mode.get_untracked()))>
                {text(move || if begun() { say::RACE_ANEW } else { say::RACE_BEGIN })}
            </button>
            <button
                type="button"
                class="resume"
                aria-pressed=text(move || page.lab.playing.get().to_string())
                on:click=act(move |_| page.play_race())
            >
                {text(move || if page.lab.playing.get() { say::RACE_STOP } else { say::RACE_PLAY })}
            </button>
        </div>
        <p class="about" hidden=flag(move || outcome.get().is_some())>{text(move || say::mode_about(mode.get()))}</p>
        <p class="outcome" data-outcome=text(move || say::outcome_name(outcome.get())) hidden=flag(move || outcome.get().is_none())>
            {text(move || outcome.get().map(say::outcome).unwrap_or_default())}
        </p>
        <Racer who=0 />
        <section class="lab-part truth" aria-labelledby="truth-title" hidden=flag(move || !begun())>
            <h3 id="truth-title">{say::RACE_TRUTH}</h3>
            <p>{live(move || truth.get().map_or_else(|| say::RACE_NONE.part(), |copy| show(&copy)))}</p>
        </section>
        <Racer who=1 />
    }
    .part()
}

#[component]
fn Racer(who: usize) -> impl IntoView {
    let page = expect_context::<Page>();
    let race = page.lab.race;
    let client = Memo::new(move |_| race.with(|race| race.clients[who].clone()));
    let refused = move || client.with(Client::refused);
    let title = format!("racer-{who}");
    let titled = title.clone();
    view! {
        <article class="racer" data-client=CLIENTS[who] aria-labelledby=titled hidden=flag(move || race.with(|race| race.namespace.is_empty()))>
            <h3 id=title>{say::RACERS[who]}</h3>
            <p class="has">
                {live(move || client.with(|client| match &client.copy {
                    None => say::RACE_UNREAD.part(),
                    Some(copy) => view! { {say::RACE_HAS}" "{show(copy)} }.part(),
                }))}
                <b>{text(move || client.with(|client| client.changed.map(say::changed).unwrap_or_default()))}</b>
            </p>
            <div class="lab-tools">
                {[Step::Read, Step::Change, Step::Write].map(|step| view! { <Button who=who step=step race=race /> }).collect_view()}
                <button type="button" class="resume" hidden=flag(move || !refused()) on:click=act(move |_| page.race_again(who))>
                    {say::RACE_AGAIN}
                </button>
                <button
                    type="button"
                    hidden=flag(move || !race.with(|race| race.can(who, Step::Force)))
                    on:click=act(move |_| page.race_step(who, Step::Force))
                >
                    {say::RACE_FORCE}
                </button>
            </div>
            <div class="answered">{live(move || client.with(told))}</div>
        </article>
    }
    .part()
}

#[component]
fn Button(who: usize, step: Step, race: RwSignal<Race>) -> impl IntoView {
    let page = expect_context::<Page>();
    view! {
        <button
            type="button"
            disabled=flag(move || !race.with(|race| race.can(who, step)))
            on:click=act(move |_| page.race_step(who, step))
        >
            {text(move || say::step(step, race.with(|race| race.mode)))}
        </button>
    }
    .part()
}

/// An object: its data, and its version.
fn show(copy: &Copy) -> Part {
    let data: Vec<String> = copy.data.iter().map(|(key, value)| [key, ": ", value].concat()).collect();
    let data = if data.is_empty() { say::RACE_NO_DATA.to_owned() } else { data.join(", ") };
    view! { <span class="mono">{data}</span>" "<Version version=copy.version.clone() /> }.part()
}

/// Shows the last response that a client got.
fn told(client: &Client) -> Part {
    let Some(told) = &client.told else { return ().part() };
    if told.code == 0 {
        return view! { <p class="code bad">{say::RACE_NO_ANSWER}</p> }.part();
    }
    let line = [told.code.to_string().as_str(), " ", status::words(told.code)].concat();
    let bad = told.code >= 400;
    let versions = bad.then(|| {
        client.copy.as_ref().map(|copy| view! { {say::RACE_SENT}" "<Version version=copy.version.clone() /> })
    });
    let made = (!bad && !told.version.is_empty())
        .then(|| view! { " "{say::reached(told.step)}" "<Version version=told.version.clone() /> });
    view! {
        <p>
            <span class="code" class:bad=bad>{line}</span>
            {made}
        </p>
        {bad.then(|| view! { <p class="message">{told.message.clone()}</p><p>{versions}</p> })}
    }
    .part()
}
