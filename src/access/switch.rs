//! In whose name requests are sent.

use leptos::prelude::*;

use crate::cluster::Which;
use crate::model::request::presets::PRESETS;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::access as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// The users that can be chosen by one click.
const KNOWN: [&str; 3] = ["", "alice", "bob"];
/// The value of the choice for a user who has to be named.
const OTHER: &str = "*";

/// The switch, and who else there is.
#[component]
pub(crate) fn ActAs() -> impl IntoView {
    let page = expect_context::<Page>();
    let form = page.form;
    // Whether somebody is being named.
    let naming = RwSignal::new(false);
    let other = Memo::new(move |_| naming.get() || form.user.with(|user| !KNOWN.contains(&user.as_str())));
    let chosen = move || if other.get() { OTHER.to_owned() } else { form.user.get() };
    let choose = move |value: String| {
        naming.set(value == OTHER);
        form.groups.set(String::new());
        form.user.set(if value == OTHER { String::new() } else { value });
    };
    // Whoever is named is not being named any more.
    let input = move |value: RwSignal<String>, label: &'static str, hint: &'static str| {
        view! {
            <input
                type="text"
                class="mono who"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-label=label
                placeholder=hint
                prop:value=text(move || value.get())
                on:change=act(move |event| {
                    value.set(event_target_value(&event).trim().to_owned());
                    naming.set(form.user.with_untracked(String::is_empty));
                })
            />
        }
        .part()
    };
    let named = move || {
        other.get().then(|| {
            (
                input(form.user, words::USER, words::USER_HINT),
                input(form.groups, words::GROUPS, words::GROUPS_HINT),
            )
                .part()
        })
    };
    view! {
        <label title=words::ACT_AS_ABOUT>
            <span>{words::ACT_AS}</span>
            <select
                id="act-as"
                class:acting=flag(move || other.get() || form.user.with(|user| !user.is_empty()))
                prop:value=text(chosen)
                on:change=act(move |event| choose(event_target_value(&event)))
            >
                {KNOWN
                    .into_iter()
                    .chain([OTHER])
                    .map(|user| view! { <option value=user>{words::user(user)}</option> })
                    .collect_view()}
            </select>
        </label>
        {live(named)}
    }
    .part()
}

/// For somebody who has no role as yet: those that are at hand.
#[component]
pub(crate) fn FirstRoles() -> impl IntoView {
    let page = expect_context::<Page>();
    let shown = Memo::new(move |_| {
        let user = page.form.user.get();
        let known = PRESETS.iter().any(|preset| !preset.user.is_empty() && preset.user == user);
        if !known {
            return None;
        }
        page.overview.with(|overview| overview.revision);
        (page.cluster.get() == Which::Remote || !page.is_bound(&user)).then_some(user)
    });
    live(move || {
        let user = shown.get()?;
        let offers = PRESETS.iter().filter(|preset| preset.user == user).map(|preset| {
            view! {
                <button type="button" id=["preset-", preset.id].concat() title=preset.about on:click=act(move |_| page.play(preset))>
                    {preset.title}
                </button>
            }
            .part()
        });
        let offers: Vec<Part> = offers.collect();
        Some(
            view! {
                <div class="offer first-roles" role="status">
                    <p>{words::no_role(&user)}</p>
                    {offers}
                </div>
            }
            .part(),
        )
    })
    .part()
}
