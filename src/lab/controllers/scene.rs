//! The scenes: which there are, and the steps of the one that was begun, with what there is to see after each.

use leptos::prelude::*;

use crate::model::lab::scenes::{self, Played, Scene, Step};
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::messages::controllers as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// The choice of a scene, and its steps.
#[component]
pub(super) fn Scenes() -> impl IntoView {
    let page = expect_context::<Page>();
    let played = Memo::new(move |_| page.controllers(|known| known.played.clone()).unwrap_or_default());
    let chosen = RwSignal::new(played.with_untracked(|played| played.scene));
    let scenes = StoredValue::new(scenes::all(""));
    let is_begun = move || played.with(|played| !played.namespace.is_empty() && played.scene == chosen.get());
    let count =
        move || scenes.with_value(|scenes| scenes.get(chosen.get()).map_or(0, |scene| scene.steps.len()));
    let has_next = move || is_begun() && played.with(|played| played.done < count());
    let options = scenes.with_value(|scenes| {
        let option = |(place, scene): (usize, &Scene)| {
            view! { <option value=place.to_string()>{scene.title.clone()}</option> }.part()
        };
        scenes.iter().enumerate().map(option).collect::<Vec<_>>()
    });
    let about = move || scenes.with_value(|scenes| scenes.get(chosen.get()).map(|scene| scene.about.clone()));
    let steps = move || if is_begun() { played.with(steps) } else { ().part() };
    view! {
        <div class="lab-tools scenes">
            <label>
                <span>{words::SCENE}</span>
                <select
                    prop:value=text(move || chosen.get().to_string())
                    on:change=move |event| chosen.set(event_target_value(&event).parse().unwrap_or_default())
                >
                    {options}
                </select>
            </label>
            <button type="button" on:click=act(move |_| page.begin_scene(chosen.get_untracked()))>
                {text(move || if is_begun() { words::BEGIN_ANEW } else { words::BEGIN })}
            </button>
        </div>
        <p class="about">{text(move || about().unwrap_or_default())}</p>
        {live(steps)}
        <p class="bad" role="alert" hidden=flag(move || played.with(|played| played.trouble.is_empty()))>
            {text(move || played.with(|played| played.trouble.clone()))}
        </p>
        <div class="lab-tools next" hidden=flag(move || !has_next())>
            <button type="button" class="resume" on:click=act(move |_| page.next_step())>
                {words::NEXT_STEP}
            </button>
        </div>
    }
    .part()
}

/// Shows the steps that are done, and the next one.
fn steps(played: &Played) -> Part {
    let mut scenes = scenes::all(&played.namespace);
    if played.scene >= scenes.len() {
        return ().part();
    }
    let scene = scenes.swap_remove(played.scene);
    let shown = scene.steps.iter().take(played.done + 1).enumerate();
    let items: Vec<Part> = shown.map(|(number, step)| item(step, number < played.done)).collect();
    view! { <ol class="steps" aria-label=words::STEPS>{items}</ol> }.part()
}

fn item(step: &Step, is_done: bool) -> Part {
    let sends = step.requests.iter().map(|request| view! { <code>{request.send.clone()}</code> }.part());
    view! {
        <li class:done=is_done>
            <strong>{step.does.clone()}</strong>
            {sends.collect::<Vec<_>>()}
            {is_done.then(|| view! { <p>{step.see.clone()}</p> }.part())}
        </li>
    }
    .part()
}
