//! How a change is sent, as plain choices: the type of a patch, who makes it, and what becomes of what an object owns.
//! Each of them edits the request.

use json_tree::{Value, json};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::place::Place;
use crate::cluster::{Request, Which};
use crate::model::change::patches;
use crate::model::messages::change as words;
use crate::model::request::form::Form;
use crate::model::request::subject::{How, Subject};
use crate::model::timeline::ownership;
use crate::response::view::OWNERS as OWNERS_TAB;
use crate::state::Page;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// How long nothing is typed before another cluster is asked for the object, in milliseconds.
const PAUSE: i32 = 400;

/// The choices that the method has.
#[component]
pub(crate) fn Controls() -> impl IntoView {
    let page = expect_context::<Page>();
    let managers = RwSignal::new(Vec::<String>::new());
    give_first(page, managers);
    page.look_ahead();
    let method = Memo::new(move |_| page.form.method.get());
    let choices = move || {
        method.with(|method| match method.as_str() {
            "PATCH" => (patch_types(page), options(page, managers)).part(),
            "DELETE" => deletion(page),
            _ => options(page, managers),
        })
    };
    let folded = text(move || page.folded.get().to_string());
    view! { <div class="how" role="group" aria-label=words::OPTIONS data-options=folded>{live(choices)}</div> }.part()
}

/// Puts a first body for the patch in, for as long as nobody has written one, and says who manages the object.
fn give_first(page: Page, managers: RwSignal<Vec<String>>) {
    let turn = StoredValue::new(0_u64);
    let asked = Memo::new(move |_| {
        let form = page.form;
        let path = form.path.with(|path| path.split('?').next().unwrap_or_default().trim().to_owned());
        (form.method.get(), path, form.content_type.get(), form.param("fieldManager").unwrap_or_default())
    });
    Effect::new(move || {
        let (method, path, media, manager) = asked.get();
        let which = page.cluster.get();
        let own = turn.try_update_value(|turn| {
            *turn += 1;
            *turn
        });
        if method != "PATCH" || Place::of(&path).is_none_or(|place| place.name.is_empty()) {
            return;
        }
        spawn_local(async move {
            let current = move || own.is_some() && turn.try_get_value() == own;
            if which == Which::Remote {
                dom::sleep(PAUSE).await;
                if !current() {
                    return;
                }
            }
            let object = page.object_of(which, &Request::get(&path)).await;
            if !current() {
                return;
            }
            let names = object.as_ref().map(ownership::managers).unwrap_or_default();
            let mut names: Vec<String> = names.into_iter().map(|manager| manager.name).collect();
            names.dedup();
            managers.set(names);
            let subresource = Place::of(&path).map_or("", |place| place.subresource);
            let object = object.unwrap_or_else(|| named(&path, &media));
            page.form.give(&patches::first(How::of(&media), &object, &manager, subresource));
        });
    });
}

/// Returns what is known of an object that does not exist: `apiVersion`, `kind` and its name.
fn named(path: &str, media: &str) -> Value {
    let subject = Subject::of("PATCH", path, media, "", "");
    json!({"apiVersion": subject.api_version, "kind": subject.kind, "metadata": {"name": subject.name}})
}

fn patch_types(page: Page) -> Part {
    let form = page.form;
    let chosen =
        Memo::new(move |_| form.content_type.with(|media| patches::kind(media).map(|kind| kind.how)));
    let choices = patches::KINDS.iter().map(|kind| {
        let choose = move |_| {
            form.choose_media(kind.media);
            if kind.how == How::Apply {
                // Who applies has to say who it is.
                if untrack(|| form.param("fieldManager")).is_none() {
                    form.set_param("fieldManager", Some(words::APPLIER));
                }
            } else {
                form.set_param("force", None);
            }
        };
        choice("patch-type", kind.name, flag(move || chosen.get() == Some(kind.how)), choose)
    });
    let about = move || chosen.get().and_then(|how| patches::KINDS.iter().find(|kind| kind.how == how));
    let no_object =
        move || form.path.with(|path| Place::of(path.trim()).is_none_or(|place| place.name.is_empty()));
    let ahead = move || {
        page.change.ahead.with(|ahead| {
            let fields: Vec<&str> = ahead.fields.iter().map(String::as_str).collect();
            if fields.is_empty() { String::new() } else { words::ahead(&fields, form.forces()) }
        })
    };
    view! {
        <div class="segments" role="radiogroup" aria-label=words::KINDS>{choices.collect_view()}</div>
        <p class="about">{live(move || about().map(|kind| kind.about))}</p>
        <p class="about" hidden=flag(move || !no_object())>{words::NO_OBJECT}</p>
        <p class="ahead" role="status">{text(ahead)}</p>
        <button
            type="button"
            class="small"
            hidden=flag(no_object)
            on:click=act(move |_| {
                let path = form.path.with_untracked(|path| Place::of(path).map(|place| place.object(place.name)));
                page.change.tab.set(OWNERS_TAB);
                path.into_iter().for_each(|path| page.resend(Request::get(&path)));
            })
        >
            {words::WHO_OWNS}
        </button>
    }
    .part()
}

/// One of a few, of which one is chosen.
fn choice(
    group: &'static str,
    name: &'static str,
    chosen: Signal<bool>,
    choose: impl Fn(()) + 'static,
) -> Part {
    view! {
        <label>
            <input type="radio" name=group prop:checked=chosen on:change=act(move |_| choose(())) />
            <span>{name}</span>
        </label>
    }
    .part()
}

/// Returns the controls for the options of writes.
fn options(page: Page, managers: RwSignal<Vec<String>>) -> Part {
    let form = page.form;
    let applies = move || {
        form.method.with(|method| method == "PATCH")
            && form.content_type.with(|media| How::of(media) == How::Apply)
    };
    let names = move || {
        let mut names = managers.get();
        names.extend([words::APPLIER, "bob"].map(str::to_owned));
        names.into_iter().map(|name| view! { <option value=name></option> }.part()).collect_view()
    };
    view! {
        <div class="options">
            {written(form, &MANAGER)}
            <datalist id="managers">{live(names)}</datalist>
            <div hidden=flag(move || !applies())>{ticked(form, words::FORCE, words::FORCE_ABOUT, "force", "true")}</div>
            <label title=words::VALIDATION_ABOUT>
                <span class="mono">{words::VALIDATION}</span>
                <select
                    prop:value=text(move || form.param("fieldValidation").unwrap_or_default())
                    on:change=act(move |event| {
                        let value = event_target_value(&event);
                        form.set_param("fieldValidation", Some(value.as_str()).filter(|value| !value.is_empty()));
                    })
                >
                    {words::VALIDATIONS.iter().map(|(name, value)| view! { <option value=*value>{*name}</option> }).collect_view()}
                </select>
            </label>
            {ticked(form, words::DRY_RUN, words::DRY_RUN_ABOUT, "dryRun", "All")}
        </div>
    }
    .part()
}

/// A parameter that is written out.
struct Written {
    param: &'static str,
    name: &'static str,
    about: &'static str,
    hint: &'static str,
    /// The list of what it may be, if there is one.
    list: Option<&'static str>,
    numeric: bool,
}

const MANAGER: Written = Written {
    param: "fieldManager",
    name: words::MANAGER,
    about: words::MANAGER_ABOUT,
    hint: words::MANAGER_HINT,
    list: Some("managers"),
    numeric: false,
};

const GRACE: Written = Written {
    param: "gracePeriodSeconds",
    name: words::GRACE,
    about: words::GRACE_ABOUT,
    hint: words::GRACE_HINT,
    list: None,
    numeric: true,
};

fn written(form: Form, written: &'static Written) -> Part {
    view! {
        <label title=written.about>
            <span class="mono">{written.name}</span>
            <input
                class="mono"
                class:number=written.numeric
                type="text"
                inputmode=written.numeric.then_some("numeric")
                autocomplete="off"
                spellcheck="false"
                list=written.list
                placeholder=written.hint
                prop:value=text(move || form.param(written.param).unwrap_or_default())
                on:change=act(move |event| {
                    let value = event_target_value(&event);
                    form.set_param(written.param, Some(value.trim()).filter(|value| !value.is_empty()));
                })
            />
        </label>
    }
    .part()
}

/// A parameter that is there with `value`, or not.
fn ticked(
    form: Form,
    name: &'static str,
    about: &'static str,
    param: &'static str,
    value: &'static str,
) -> Part {
    view! {
        <label class="check" title=about>
            <input
                type="checkbox"
                prop:checked=flag(move || form.is_on(param))
                on:change=act(move |event| form.set_param(param, event_target_checked(&event).then_some(value)))
            />
            <span class="mono">{name}</span>
        </label>
    }
    .part()
}

/// Returns the controls for the options of a DELETE.
fn deletion(page: Page) -> Part {
    let form = page.form;
    let policy = Memo::new(move |_| form.param("propagationPolicy").unwrap_or_default());
    let choices = words::POLICIES.iter().map(|(name, value, _)| {
        let choose =
            move |_| form.set_param("propagationPolicy", Some(*value).filter(|value| !value.is_empty()));
        choice("policy", name, flag(move || policy.with(|policy| policy == value)), choose)
    });
    let about = move || {
        let known = words::POLICIES.iter().find(|(_, value, _)| policy.with(|policy| policy == value));
        known.map(|(_, _, about)| *about)
    };
    view! {
        <div class="segments" role="radiogroup" aria-label=words::POLICY>{choices.collect_view()}</div>
        <p class="about">{live(about)}</p>
        <div class="options">
            {written(form, &GRACE)}
            {ticked(form, words::DRY_RUN, words::DRY_RUN_ABOUT, "dryRun", "All")}
        </div>
        <p class="about" hidden=flag(move || form.body.with(|body| body.trim().is_empty()))>{words::BODY_WINS}</p>
    }
    .part()
}
