//! The Access view: who may do something, whether somebody may, and what else they may.

use std::sync::Arc;

use leptos::prelude::*;
use protocol::trace::{Access, Attributes};

use crate::cluster::decided::{Decided, ROOT};
use crate::cluster::{Request, Which};
use crate::model::access::grant;
use crate::model::access::question::{Question, VERBS, review, verdict};
use crate::model::access::rules::{Given, KINDS, LISTS, MASTERS, Rules, Subject};
use crate::model::explore::served::Kind;
use crate::model::views::View;
use crate::state::peek::Refusal;
use crate::state::{Page, views};
use crate::ui::dom;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::access as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};

/// How long somebody writes before it is asked, in milliseconds.
const PAUSE: i32 = 150;
/// More rules than this are not shown.
const MOST: usize = 200;
/// The users that can be named before anybody has a role.
const USERS: [&str; 2] = ["alice", "bob"];

/// The view of who may do what.
#[component]
pub(crate) fn WhoMay() -> impl IntoView {
    let page = expect_context::<Page>();
    let question = page.question;
    let written = page.last_written(|key| LISTS.contains(&key.resource.as_str()));
    let (rules, refused) = known_rules(page, written);
    let asked = Memo::new(move |_| question.attributes(page.explore));
    let who = Memo::new(move |_| question.who());
    let given = Memo::new(move |_| rules.with(|rules| rules.who_may(&asked.get())));
    let own = Memo::new(move |_| rules.with(|rules| rules.of(&who.get())));
    let heading = move || words::who_may(&words::asked(&asked.get()));
    let subject_heading = move || words::may_do(&who.get().written());
    view! {
        <div class="access-head">
            <h2 id="access-title">{words::ACCESS}</h2>
            <p class="browse-note">{words::ACCESS_ABOUT}</p>
        </div>
        {form(page, question)}
        <p class="browse-refusal" role="alert" hidden=flag(move || refused.with(Option::is_none))>
            {live(move || refused.get().map(|refusal| refusal.message))}
        </p>
        <div class="access-body">
            <section class="scroll" aria-labelledby="access-who" tabindex="0">
                <h3 id="access-who">{text(heading)}</h3>
                {live(move || table(page, &given.get(), true))}
                <p class="browse-note">{words::MASTERS_ABOUT}" "<code>{MASTERS}</code></p>
            </section>
            <section class="scroll" aria-labelledby="access-one" tabindex="0">
                {subject_form(question, rules)}
                {live(move || verdict_of(page, written, who.get(), asked.get()))}
                <h3 id="access-one">{text(subject_heading)}</h3>
                {live(move || table(page, &own.get(), false))}
            </section>
        </div>
    }
    .part()
}

/// The rules of the cluster, read again whenever one has been written.
fn known_rules(page: Page, written: Memo<(Which, u64)>) -> (RwSignal<Rules>, RwSignal<Option<Refusal>>) {
    let (rules, refused) = (RwSignal::new(Rules::default()), RwSignal::new(None));
    let latest = Latest::new();
    Effect::new(move || {
        written.get();
        let (which, at) = (page.cluster.get(), page.reads_at());
        let work = async move {
            let (mut found, mut why) = (Rules::default(), None);
            for resource in LISTS {
                match page.peek_at(which, at, Request::get(&[ROOT, "/", resource].concat())).await {
                    Ok(list) => found.take(resource, &list),
                    Err(refusal) => why = Some(refusal),
                }
            }
            (found, why)
        };
        latest.begin(work, move |(found, why)| {
            refused.set(why);
            if rules.with_untracked(|known| *known != found) {
                rules.set(found);
            }
        });
    });
    (rules, refused)
}

fn choice(label: &'static str, value: RwSignal<String>, options: Vec<(String, String)>) -> Part {
    let options =
        options.into_iter().map(|(value, name)| view! { <option value=value>{name}</option> }.part());
    let options: Vec<Part> = options.collect();
    view! {
        <label>
            <span>{label}</span>
            <select
                prop:value=text(move || value.get())
                on:change=act(move |event| value.set(event_target_value(&event)))
            >
                {options}
            </select>
        </label>
    }
    .part()
}

fn field(label: &'static str, hint: &'static str, value: RwSignal<String>, list: &'static str) -> Part {
    view! {
        <label>
            <span>{label}</span>
            <input
                type="text"
                class="mono"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder=hint
                list=(!list.is_empty()).then_some(list)
                prop:value=text(move || value.get())
                on:input=act(move |event| value.set(event_target_value(&event)))
            />
        </label>
    }
    .part()
}

/// Shows the fields for what is asked about.
fn form(page: Page, question: Question) -> Part {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    let verbs = VERBS.map(same).to_vec();
    let resources = move || {
        page.explore.kinds.with(|kinds| {
            let mut names: Vec<String> = kinds.iter().map(named).collect();
            names.dedup();
            names.into_iter().map(|name| view! { <option value=name></option> }.part()).collect_view()
        })
    };
    let namespaces = move || {
        let all = (String::new(), words::ALL_NAMESPACES.to_owned());
        let mut options = vec![all];
        options.extend(page.namespaces().iter().map(|name| same(name)));
        choice(words::NAMESPACE, question.namespace, options)
    };
    view! {
        <div class="access-form" role="group" aria-label=words::WHAT>
            {choice(words::VERB, question.verb, verbs)}
            {field(words::RESOURCE, words::RESOURCE_HINT, question.resource, "access-resources")}
            <datalist id="access-resources">{live(resources)}</datalist>
            {live(namespaces)}
            {field(words::NAME, words::NAME_HINT, question.name, "")}
        </div>
    }
    .part()
}

fn named(kind: &Arc<Kind>) -> String {
    let dot = if kind.group.is_empty() { "" } else { "." };
    [&kind.resource, dot, &kind.group].concat()
}

/// Shows the fields for whom it is asked about.
fn subject_form(question: Question, rules: RwSignal<Rules>) -> Part {
    let kinds = KINDS.map(|kind| (kind.to_owned(), words::subject_kind(kind).to_owned())).to_vec();
    let subjects = move || {
        let kind = question.kind.get();
        let mut names: Vec<String> = rules.with(|rules| {
            let own = rules.subjects().into_iter().filter(|subject| subject.kind == kind);
            own.map(|subject| subject.written()).collect()
        });
        if kind == "User" {
            names.extend(USERS.map(str::to_owned));
        }
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| view! { <option value=name></option> }.part()).collect_view()
    };
    view! {
        <div class="access-form" role="group" aria-label=words::WHO>
            {choice(words::WHO, question.kind, kinds)}
            {field(words::SUBJECT, words::SUBJECT_HINT, question.subject, "access-subjects")}
            <datalist id="access-subjects">{live(subjects)}</datalist>
        </div>
    }
    .part()
}

/// Asks the API server whether somebody may, and shows its verdict with what can be done about it.
fn verdict_of(page: Page, written: Memo<(Which, u64)>, subject: Subject, attributes: Attributes) -> Part {
    let said = RwSignal::new(None::<(bool, String)>);
    let request = review(&subject, &attributes);
    let is_whole = !(subject.name.is_empty() || attributes.resource.is_empty() && attributes.path.is_empty());
    let latest = Latest::new();
    Effect::new(move || {
        written.get();
        let (which, request) = (page.cluster.get(), request.clone());
        let work = async move {
            dom::sleep(PAUSE).await;
            // Who writes on asks something else by now.
            if !is_whole || said.is_disposed() {
                return None;
            }
            let (_, _, body) = page.quietly_send(which, request).await.ok()?;
            verdict(&serde_json::from_slice(&body).ok()?)
        };
        latest.begin(work, move |verdict| said.set(verdict));
    });
    let what = words::asked(&attributes);
    live(move || {
        let (allowed, reason) = said.get()?;
        let name = subject.written();
        let sentence = if allowed { words::may_now(&what) } else { words::may_not(&what) };
        let reason = (!reason.is_empty()).then(|| view! { <p class="mono">{reason}</p> }.part());
        Some(
            view! {
                <div class="decision" data-allowed=allowed.to_string() role="status">
                    <p><strong>{name}</strong>{sentence}</p>
                    {reason}
                    <div class="actions">{steps(page, &subject, &attributes, allowed)}</div>
                </div>
            }
            .part(),
        )
    })
    .part()
}

/// Makes the buttons that allow it, and that fill in the request in somebody's name.
fn steps(page: Page, subject: &Subject, asked: &Attributes, allowed: bool) -> Option<Part> {
    let user = subject.user()?;
    let denied = Decided { user: user.clone(), asked: asked.clone(), access: Access::default() };
    let grant = (!allowed).then(|| {
        let requests = grant::requests(&denied);
        let title = words::grants(&grant::line(&grant::rule(asked)));
        view! {
            <button type="button" class="primary" title=title on:click=act(move |_| page.grant(requests.clone().into()))>
                {words::GRANT}
            </button>
        }
        .part()
    });
    let asked = asked.clone();
    let send = move |_| {
        page.form.groups.set(String::new());
        page.form.user.set(user.clone());
        let is = |kind: &&Arc<Kind>| kind.group == asked.group && kind.resource == asked.resource;
        let kind = page.explore.kinds.with_untracked(|kinds| kinds.iter().find(is).cloned());
        match kind {
            Some(kind) => page.put_request(&kind, &asked.verb, &asked.subresource),
            None => page.open_request(&Request::get(if asked.is_resource { "/" } else { &asked.path })),
        }
        views::choose(page, View::Request);
    };
    let send = view! { <button type="button" title=words::TRY_ABOUT on:click=act(send)>{words::try_as(&subject.written())}</button> };
    Some((grant, send).part())
}

/// Lists rules, with the subjects that have them or with where they hold.
fn table(page: Page, given: &[Given], with_subject: bool) -> Part {
    if given.is_empty() {
        let none = if with_subject { words::NOBODY } else { words::NOTHING };
        return view! { <p class="browse-note">{none}</p> }.part();
    }
    let heads: Vec<&'static str> = if with_subject {
        vec![words::WHO, words::ROLE, words::BINDING]
    } else {
        vec![words::RULE, words::WHERE, words::BINDING]
    };
    let link = |(name, path): &(String, String)| views::link(page, name.clone(), path.clone());
    let row = |given: &Given| {
        let cells = if with_subject {
            let subject = &given.subject;
            let (kind, name) = (subject.kind.clone(), subject.written());
            let choose = move |_| {
                page.question.kind.set(kind.clone());
                page.question.subject.set(name.clone());
            };
            let label = words::subject(&subject.kind, &subject.written());
            let who = view! { <button type="button" class="small" title=words::LOOK_AT on:click=act(choose)>{label}</button> };
            vec![who.part(), link(&given.role), link(&given.binding)]
        } else {
            let space = if given.namespace.is_empty() {
                words::ALL_NAMESPACES.to_owned()
            } else {
                given.namespace.clone()
            };
            let rule = view! { <code>{words::rule(&given.rule)}</code> }.part();
            vec![rule, space.part(), link(&given.binding)]
        };
        let cells = cells.into_iter().map(|cell| view! { <td>{cell}</td> }.part());
        view! { <tr>{cells.collect::<Vec<_>>()}</tr> }.part()
    };
    let more = given.len().saturating_sub(MOST);
    view! {
        <table class="access-table">
            <thead>
                <tr>{heads.into_iter().map(|head| view! { <th scope="col">{head}</th> }.part()).collect_view()}</tr>
            </thead>
            <tbody>{given.iter().take(MOST).map(row).collect_view()}</tbody>
        </table>
        {(more > 0).then(|| view! { <p class="browse-note">{words::more(more)}</p> }.part())}
    }
    .part()
}
