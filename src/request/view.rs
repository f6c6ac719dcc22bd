//! The composer.

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;

use super::chunk;
use crate::access::switch::{ActAs, FirstRoles};
use crate::cluster::{Which, catalog};
use crate::lab::faults::Next;
use crate::model::panes::Pane;
use crate::model::request::form::{self, Param};
use crate::model::request::presets::{PRESETS, Preset};
use crate::request::complete::complete;
use crate::request::params;
use crate::state::Page;
use crate::tour;
use crate::ui::combobox::{Combobox, Offer};
use crate::ui::dom;
use crate::ui::later::later;
use crate::ui::memo::Memo;
use crate::ui::messages::{self, access, tabs, views};
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};

/// Shows the request that is sent: presets, method, path, parameters, headers and body.
#[component]
pub(crate) fn Composer() -> impl IntoView {
    let page = expect_context::<Page>();
    let form = page.form;
    let focused = RwSignal::new(false);
    let offers = Memo::new(move |_| {
        let typed = form.path.get();
        let custom = page.custom_rows();
        let namespace = page.namespace.get();
        // Objects come and go, and nobody looks at what is offered unless the field is written in.
        if !focused.get() {
            return Vec::new();
        }
        page.objects(|objects| complete(catalog::with(&custom), objects, &namespace, &typed))
            .into_iter()
            .map(|suggestion| Offer { value: suggestion.path, about: suggestion.about })
            .collect::<Vec<_>>()
    });
    let with_body = Memo::new(move |_| form::has_body(&form.method.get()));
    let several = Memo::new(move |_| page.tabs.is_several());
    let folded = text(move || page.folded.get().to_string());
    view! {
        <h2 id="request-title" class="unseen">{messages::REQUEST}</h2>
        {live(move || several.get().then(|| page.of_more(|more| (more.tabs)())))}
        <Presets />
        <div class="line" on:paste=act(move |_| {
            // The field has it in a moment.
            request_animation_frame(move || {
                page.gather();
            });
        })>
            <select
                class="method mono"
                aria-label=messages::METHOD
                prop:value=text(move || form.method.get())
                on:change=act(move |event| form.choose_method(&event_target_value(&event)))
            >
                {form::METHODS.iter().map(|method| view! { <option>{*method}</option> }).collect_view()}
            </select>
            <Combobox
                id="path"
                label=messages::PATH
                placeholder=messages::PATH_HINT
                value=form.path
                focused=focused
                offers=offers
                on_pick=Callback::new(move |path| form.path.set(path))
                on_enter=Callback::new(move |()| page.send())
                on_leave=Callback::new(move |()| {
                    page.gather();
                })
            />
            <button type="button" class="primary" title=messages::SEND_KEYS on:click=act(move |_| page.send())>
                {messages::SEND}
            </button>
            <button
                type="button"
                class="icon"
                aria-label=tabs::ANOTHER
                title=tabs::ANOTHER_ABOUT
                on:click=act(move |_| page.with_more(Box::new(move |more| (more.open_another)(page))))
            >
                "+"
            </button>
        </div>
        <Fold />
        <div class="second" data-folded=folded>
            <Parameters />
            <ActAs />
        </div>
        <div class="line headers" data-folded=folded>
            <Choice
                label=messages::ACCEPT
                value=form.accept
                choices=form::ACCEPT
                choose=Callback::new(move |media: String| form.accept.set(media))
            />
            {live(move || {
                with_body.get().then(|| {
                    view! {
                        <Choice
                            label=messages::CONTENT_TYPE
                            value=form.content_type
                            choices=form::CONTENT_TYPES
                            choose=Callback::new(move |media: String| form.choose_media(&media))
                        />
                    }
                })
            })}
            <Next />
        </div>
        <FirstRoles />
        {live(move || {
            with_body.get().then(|| {
                view! {
                    // Who writes again has room for that again.
                    <div
                        class="composing"
                        on:click=act(move |_| page.turn_to(Pane::Request))
                        on:keydown=act(move |_| page.turn_to(Pane::Request))
                    >
                        <div class="compose">
                            {later(
                                chunk::composing,
                                || ().part(),
                                move |composing| {
                                    view! {
                                        {(composing.controls)()}
                                        <div class="written">
                                            {page.of_more(|more| (more.manifest_bar)())}
                                            {(composing.editor)()}
                                        </div>
                                    }
                                    .part()
                                },
                            )}
                        </div>
                    </div>
                }
            })
        })}
    }
    .part()
}

/// Folds the options where there is little height, and says what they are.
#[component]
fn Fold() -> impl IntoView {
    let page = expect_context::<Page>();
    let form = page.form;
    let name = |known: &[(&str, &str)], media: &str| {
        let known = known.iter().find(|(_, value)| *value == media);
        known.map_or(media, |(name, _)| name).to_owned()
    };
    let said = move || {
        let mut said = vec![[messages::ACCEPT, " ", &name(form::ACCEPT, &form.accept.get())].concat()];
        if form::has_body(&form.method.get()) {
            said.push(
                [messages::CONTENT_TYPE, " ", &name(form::CONTENT_TYPES, &form.content_type.get())].concat(),
            );
        }
        let params =
            form.params.with(|params| params.iter().map(|param| param.written()).collect::<Vec<_>>());
        said.extend(params);
        form.user.with(|user| {
            if !user.is_empty() {
                said.push([access::ACT_AS, " ", user].concat());
            }
        });
        said.join(" · ")
    };
    view! {
        <button
            type="button"
            class="options-fold"
            title=views::OPTIONS_ABOUT
            aria-expanded=text(move || (!page.folded.get()).to_string())
            on:click=act(move |_| page.folded.update(|folded| *folded = !*folded))
        >
            <strong>{views::OPTIONS}</strong>
            <span class="name">{text(said)}</span>
        </button>
    }
    .part()
}

#[component]
fn Presets() -> impl IntoView {
    let page = expect_context::<Page>();
    let is_touring = move || page.tour.at.with(Option::is_some);
    view! {
        <div class="presets" role="group" aria-label=messages::PRESETS>
            {PRESETS
                .iter()
                .filter(|preset| preset.first)
                .map(|preset| {
                    let late = preset.code > 0;
                    let code = late.then(|| view! { <span class="code bad">{preset.code}</span> });
                    view! {
                        <button type="button" class:late=late id=format!("preset-{}", preset.id) title=preset.about on:click=act(move |_| page.play(preset))>
                            {preset.title}
                            {code}
                        </button>
                    }
                })
                .collect_view()}
            {more(page)}
            <button
                type="button"
                class="take-tour"
                aria-pressed=text(move || is_touring().to_string())
                hidden=flag(move || page.cluster.get() == Which::Remote)
                on:click=act(move |_| page.with_more(Box::new(move |more| (more.tour)(page))))
            >
                {text(move || { page.tour.at.track(); tour::button().to_owned() })}
            </button>
        </div>
    }
    .part()
}

/// The presets that are not in view, and what each is.
fn more(page: Page) -> Part {
    // Those that have no room in the row of a narrow form are here as well.
    let again = |preset: &Preset| preset.first && preset.code > 0;
    let all = PRESETS.iter().filter(|preset| (again(preset) || !preset.first) && preset.user.is_empty()).map(
        |preset| {
            let again = again(preset);
            view! {
                <button
                    type="button"
                    class:again=again
                    id=[if again { "again-" } else { "preset-" }, preset.id].concat()
                    {..custom_attribute("popovertarget", "more-presets")}
                    on:click=act(move |_| page.play(preset))
                >
                    <strong>{preset.title}</strong>
                    <span>{preset.about}</span>
                </button>
            }
            .part()
        },
    );
    let all: Vec<Part> = all.collect();
    view! {
        <button type="button" id="more" {..custom_attribute("popovertarget", "more-presets")}>
            {messages::MORE_PRESETS}
        </button>
        <div id="more-presets" class="more-presets" role="group" {..custom_attribute("popover", "auto")} aria-label=messages::PRESETS>
            {all}
        </div>
    }
    .part()
}

/// One of a few media types.
#[component]
fn Choice(
    label: &'static str,
    value: RwSignal<String>,
    choices: &'static [(&'static str, &'static str)],
    choose: Callback<String>,
) -> impl IntoView {
    // A request from elsewhere may have another one.
    let other = Memo::new(move |_| value.with(|value| choices.iter().all(|(_, known)| known != value)));
    view! {
        <label>
            <span>{label}</span>
            <select
                prop:value=text(move || value.get())
                title=text(move || value.get())
                on:change=act(move |event| choose.run(event_target_value(&event)))
            >
                {choices.iter().map(|(name, media)| view! { <option value=*media>{*name}</option> }).collect_view()}
                {live(move || other.get().then(|| view! { <option value=value.get() selected=true>{value.get()}</option> }))}
            </select>
        </label>
    }
    .part()
}

/// The query parameters as chips.
#[component]
fn Parameters() -> impl IntoView {
    let page = expect_context::<Page>();
    let form = page.form;
    let typed = RwSignal::new(String::new());
    let offers = Memo::new(move |_| {
        let taken: Vec<String> = form.params.get().into_iter().map(|param| param.name).collect();
        params::offer(&form.method.get(), &taken, &typed.get())
            .into_iter()
            .map(|known| Offer { value: known.name.to_owned(), about: known.about.to_owned() })
            .collect::<Vec<_>>()
    });
    let add = move |name: String| {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        let (name, given) = name.split_once('=').unwrap_or((name, ""));
        let known = params::find(name).map_or("", |known| known.value);
        let id = form.add(name, if given.is_empty() { known } else { given });
        typed.set(String::new());
        dom::focus_soon(value_id(id));
    };
    view! {
        <div class="params" role="group" aria-label=messages::PARAMETERS>
            {each(
                move || form.params.with(|params| params.iter().map(|param| param.id).collect()),
                move |id| {
                    let param = form.params.with_untracked(|params| params.iter().find(|param| param.id == id).cloned());
                    param.map(|param| view! { <Chip param=param /> }).part()
                },
            )}
            <Combobox
                id="parameter"
                label=messages::ADD_PARAMETER
                placeholder=messages::ADD_PARAMETER_HINT
                value=typed
                offers=offers
                on_pick=Callback::new(add)
                on_enter=Callback::new(move |()| add(typed.get_untracked()))
                on_leave=Callback::new(move |()| typed.set(String::new()))
            />
        </div>
    }
    .part()
}

fn value_id(param: u64) -> String {
    format!("param-{param}")
}

#[component]
fn Chip(param: Param) -> impl IntoView {
    let page = expect_context::<Page>();
    let Param { id, name, value } = param;
    let known = params::find(&name);
    let label = messages::remove_parameter(&name);
    let (shown, typed, versioned) = (value.clone(), value.clone(), value.clone());
    let width = value.clone();
    let is_version = name == "resourceVersion";
    let lit = move || is_version && page.lit.with(|lit| lit.as_ref() == Some(&versioned.get()));
    let list = known.filter(|known| !known.values.is_empty()).map(|known| {
        let list = format!("values-{id}");
        let options =
            known.values.iter().map(|value| view! { <option value=*value></option> }).collect_view();
        (list.clone(), view! { <datalist id=list>{options}</datalist> })
    });
    let (list, datalist) = list.unzip();
    view! {
        <span class="chip" class:lit=lit title=known.map(|known| known.about)>
            <label>
                <span class="mono">{name}"="</span>
                <input
                    id=value_id(id)
                    class="mono"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    list=list
                    size=text(move || width.with(|value| value.chars().count().clamp(3, 32)).to_string())
                    prop:value=text(move || shown.get())
                    on:input=move |event| typed.set(event_target_value(&event))
                    on:keydown=move |event| {
                        if event.key() == "Enter" && !event.ctrl_key() && !event.meta_key() {
                            page.send();
                        }
                    }
                />
            </label>
            {datalist}
            <button
                type="button"
                class="icon"
                aria-label=label.clone()
                title=label
                on:click=act(move |_| {
                    page.form.remove(id);
                    dom::focus_soon("parameter");
                })
            >
                "✕"
            </button>
        </span>
    }
    .part()
}
