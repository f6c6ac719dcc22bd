//! A failure in words: what happened, why, the versions at play, and the buttons that go on from it.

use glass::Write;
use glass::{Explanation as Decided, Matched};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::place::Place;
use crate::cluster::status::{self, Status};
use crate::cluster::trace::Exchange;
use crate::cluster::{Request, Which, head};
use crate::model::panes::Pane;
use crate::model::request::form::has_body;
use crate::model::watch::{Event, EventType};
use crate::model::why::action::Action;
use crate::model::why::failure::Failure;
use crate::model::why::rules::{self, DOCS, Explanation, SELECTOR};
use crate::state::{Page, Shown};
use crate::ui::memo::Memo;
use crate::ui::messages::editor as edit;
use crate::ui::messages::why as words;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::ui::{dom, messages};
use crate::why::conflict;
use crate::widgets::version::Version;

/// Shows what a response tells of a failure, and what can be done about it.
pub(crate) fn of_answer(page: Page, exchange: &Exchange, status: Status) -> Part {
    show(page, Failure::new(exchange.cluster, exchange.request.clone(), status))
}

/// Shows what a dry run tells of a failure. What can be done about it is tried, too.
pub(crate) fn of_trial(page: Page, cluster: Which, request: Request, status: Status) -> Part {
    show(page, Failure { trial: true, ..Failure::new(cluster, request, status) })
}

/// The failure of a watch, once and for all: the event that ended it.
pub(crate) fn of_event(page: Page, cluster: Which, request: Request, status: Status) -> Part {
    show(page, Failure { event: true, ..Failure::new(cluster, request, status) })
}

/// Shows what there is to say of a deletion that is not over. `None` if the object in `body` is not being deleted, or
/// has no finalizer.
pub(crate) fn of_deletion(page: Page, exchange: &Exchange, body: &[u8]) -> Option<Part> {
    let object: json_tree::Value = serde_json::from_slice(body).ok()?;
    object.pointer("/metadata/deletionTimestamp")?;
    object.pointer("/metadata/finalizers/0")?;
    let mut failure =
        Failure::new(exchange.cluster, exchange.request.clone(), Status::plain(200, String::new()));
    known(page, &mut failure);
    failure.object = head::head(body)?.metadata.version.parse().ok();
    Some(why(page, words::TITLE_KEPT, &rules::explain(&failure), &failure, &[]))
}

/// Why a watch was told that an object is deleted which still exists.
pub(crate) fn of_selection(page: Page, cluster: Which, watch: u64, event: &Event) -> Option<Part> {
    let revision = event.version.parse().ok().filter(|_| event.kind == EventType::Deleted)?;
    if cluster == Which::Remote {
        return None;
    }
    let decided: Decided =
        untrack(|| page.read(|model| model.glass(cluster).explain(model.lane(watch)?.number?, revision)))?;
    let after = decided.after.as_ref().filter(|_| decided.sent == Some(EventType::Deleted))?;
    let labels = |matched: &Matched| {
        let pairs: Vec<String> =
            matched.labels.iter().map(|(key, value)| [key, "=", value].concat()).collect();
        pairs.join(", ")
    };
    let selectors = [decided.label_selector.as_str(), decided.field_selector.as_str()];
    let selector = selectors.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join(", ");
    let before = decided.before.as_ref().map(labels).unwrap_or_default();
    let notes = [words::selected(&selector), words::relabelled(&before, &labels(after))];
    let explanation =
        Explanation { rule: &SELECTOR, plays: vec![(revision, words::PLAY_EVENT)], actions: Vec::new() };
    Some(why(page, words::TITLE_SELECTOR, &explanation, &Failure::default(), &notes))
}

/// The failure of a watch in short, among its events: the long one is a button away.
pub(crate) fn brief(page: Page, status: &Status, watch: u64, row: u64) -> Part {
    view! {
        <div class="failure brief" role="group" aria-label=status::words(status.code)>
            <p class="message">{status.message.clone()}</p>
            <button
                type="button"
                aria-label=words::TITLE_LONG
                on:click=act(move |_| {
                    page.show(Shown::Event(watch, row));
                    page.pane.set(Pane::Answer);
                    dom::focus_soon("answer");
                })
            >
                {words::TITLE}
            </button>
        </div>
    }
    .part()
}

fn show(page: Page, mut failure: Failure) -> Part {
    known(page, &mut failure);
    let explanation = rules::explain(&failure);
    let status = &failure.status;
    let causes = status
        .details
        .causes
        .iter()
        .map(|cause| {
            let field = (!cause.field.is_empty()).then(|| view! { <code>{cause.field.clone()}</code>": " });
            view! { <li>{field}{cause.message.clone()}" "{in_body(page, &failure.request, &cause.field)}</li> }
        })
        .collect_view();
    let claims = conflict::show(page, &failure);
    let listed = claims.is_none() && !status.details.causes.is_empty();
    let label = if status.code == 0 { messages::NO_ANSWER } else { status::words(status.code) };
    let retry = status.details.retry_after_seconds;
    view! {
        <div class="failure" role="group" aria-label=label>
            <p class="message">
                {(!status.reason.is_empty()).then(|| view! { <strong>{status.reason.clone()}</strong>" " })}
                {status.message.clone()}
            </p>
            {listed.then(|| view! { <ul>{causes}</ul> })}
            {claims}
            {(retry > 0).then(|| view! { <p>{messages::retry_after(retry)}</p> })}
            {why(page, words::TITLE, &explanation, &failure, &[])}
        </div>
    }
    .part()
}

/// The button that shows a field in the body, for as long as it is the body that was sent.
fn in_body(page: Page, sent: &Request, field: &str) -> Option<Part> {
    let (body, field) = (sent.body.clone(), field.to_owned());
    let sent = move || page.form.body.with(|text| *text == body) && has_body(&page.form.method.get());
    let label = edit::show_label(&field);
    (!field.is_empty()).then(|| {
        view! {
            <button
                type="button"
                class="small"
                aria-label=label
                hidden=flag(move || !sent())
                on:click=act(move |_| {
                    page.pane.set(Pane::Request);
                    page.form.show.set(Some(field.clone()));
                })
            >
                {edit::SHOW}
            </button>
        }
        .part()
    })
}

/// Adds what the page knows of the cluster and of the object.
fn known(page: Page, failure: &mut Failure) {
    match failure.cluster {
        Which::ThisTab => {
            untrack(|| page.read(|model| failure.look(model.glass(Which::ThisTab))));
            failure.head = page.at.get_untracked().map_or(failure.head, |at| at.min(failure.head));
        }
        Which::Remote => (failure.head, failure.floor) = untrack(|| page.revisions()),
    }
    let path = failure.path();
    if let Some(place) = Place::of(&path).filter(|place| !place.name.is_empty()) {
        let head = failure.head;
        let around = untrack(|| {
            page.history(|history| {
                let object = history.objects().iter().find(|object| {
                    let known = &object.known;
                    known.name == place.name
                        && known.resource == place.resource
                        && known.namespace == place.namespace
                })?;
                let later = object.writes.partition_point(|revision| *revision <= head);
                let write = |place: Option<usize>| history.write(*object.writes.get(place?)?);
                let made = |change: EventType| move |write: &Write| write.change == change;
                let gone = write(later.checked_sub(1)).filter(made(EventType::Deleted));
                let born = write(Some(later)).filter(made(EventType::Added));
                Some((gone.map(|write| write.revision), born.map(|write| write.revision)))
            })
        });
        (failure.gone, failure.born) = around.unwrap_or_default();
    }
}

fn why(
    page: Page,
    title: &'static str,
    explanation: &Explanation,
    failure: &Failure,
    notes: &[String],
) -> Part {
    let rule = explanation.rule;
    mark(page, &explanation.plays);
    let plays = explanation.plays.iter().map(|(revision, label)| {
        view! { <li>{*label}" "<Version version=revision.to_string() /></li> }
    });
    let notes = notes.iter().map(|note| view! { <p class="note">{note.clone()}</p> }).collect_view();
    let buttons = explanation.actions.iter().enumerate().map(|(at, action)| {
        let label = action.label(failure);
        button(page, *action, label, failure.clone(), at == 0)
    });
    view! {
        <section class="why" aria-label=title data-rule=rule.id>
            <div class="why-head">
                <h3>{title}</h3>
                {(!explanation.plays.is_empty()).then(|| view! { <ul class="plays" aria-label=words::AT_PLAY>{plays.collect_view()}</ul> })}
            </div>
            <p>{rule.words.rule}" "{rule.words.because}</p>
            {notes}
            <p class="next">{rule.words.next}</p>
            <div class="actions">
                {buttons.collect_view()}
                <a href=[DOCS, rule.link].concat() target="_blank" rel="noreferrer">
                    {words::DOCS}
                    <span class="unseen">{words::DOCS_TAB}</span>
                </a>
            </div>
        </section>
    }
    .part()
}

/// Marks the versions at play on the ribbon, for as long as they are shown.
fn mark(page: Page, plays: &[(u64, &'static str)]) {
    page.at_play.set(plays.iter().map(|(revision, label)| (*revision, (*label).to_owned())).collect());
    on_cleanup(move || {
        // The page may be gone by then.
        let _ = page.at_play.try_set(Vec::new());
    });
}

fn button(page: Page, action: Action, label: String, failure: Failure, first: bool) -> Part {
    // How long it is still waited; `None` while nobody waits.
    let left = RwSignal::new(None::<u64>);
    let failure = StoredValue::new(failure);
    let click = move |_| {
        let seconds = failure.with_value(|failure| action.seconds(failure));
        if left.get_untracked().is_some() || seconds == 0 {
            left.set(None);
            page.recover(action, failure.get_value());
            return;
        }
        left.set(Some(seconds));
        spawn_local(async move {
            for rest in (0..seconds).rev() {
                dom::sleep(1000).await;
                // Whoever looks at something else by then does not want it sent any more.
                if left.try_get_untracked().flatten().is_none() {
                    return;
                }
                left.set(Some(rest));
            }
            left.set(None);
            page.recover(action, failure.get_value());
        });
    };
    view! {
        <button type="button" class:primary=first on:click=act(click)>
            {text(move || left.get().map_or_else(|| label.clone(), words::sends_in))}
        </button>
        <button type="button" hidden=flag(move || left.get().is_none()) on:click=act(move |_| left.set(None))>
            {words::CANCEL}
        </button>
    }
    .part()
}

/// The failure of a watch, where its answer is shown: the newest event that tells of one.
#[component]
pub(crate) fn OfWatch(watch: u64) -> impl IntoView {
    let page = expect_context::<Page>();
    let failure = Memo::new(move |_| {
        let found = page.watch(watch, |watch| {
            let status = watch.failure()?.clone();
            let request = Request { target: watch.target.clone(), ..watch.request.clone() };
            Some((watch.cluster, request, status))
        });
        found.flatten()
    });
    live(move || failure.get().map(|(cluster, request, status)| of_event(page, cluster, request, status)))
        .part()
}
