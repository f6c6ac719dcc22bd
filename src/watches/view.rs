//! The watches pane.

use glass::Lane;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::cluster::Request;
use crate::model::messages::lab as say;
use crate::model::panes::Pane;
use crate::model::request::presets::PRESETS;
use crate::model::watch::{Connection, Event, EventLook, EventType, Row, Watch, hue_class, short};
use crate::model::{messages, past};
use crate::state::{Model, Page, Shown};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::others;
use crate::ui::part::{IntoPart, Part, act, each, flag, live, text};
use crate::watches::copy::Copies;
use crate::watches::ways::Ways;
use crate::why::view::brief;
use crate::widgets::version::Version;

/// How many events of a watch are shown, unless more are asked for.
const SHOWN: usize = 20;
/// And how many where there are many watches.
const SHOWN_OF_MANY: usize = 6;
/// So many watches are many.
const MANY: usize = 5;

/// The watches, each with its events as they come.
#[component]
pub(crate) fn Watches() -> impl IntoView {
    let page = expect_context::<Page>();
    let watches = Memo::new(move |_| page.watches());
    let open = move |_| {
        let path = "/api/v1/namespaces/default/configmaps?watch=true&allowWatchBookmarks=true";
        page.fill_and_send(&Request::get(path));
    };
    let many = Memo::new(move |_| watches.with(|watches| watches.len() >= MANY));
    view! {
        <Copies />
        <div class="quiet" hidden=flag(move || watches.with(|watches| !watches.is_empty()))>
            <p>{messages::WATCHES_EMPTY}</p>
            <button type="button" on:click=open>{messages::WATCHES_OPEN}</button>
        </div>
        {each(move || watches.get().into_iter().rev().collect(), move |id| view! { <Card id=id many=many /> }.part())}
    }
    .part()
}

/// The parts of a watch that are shown in its head.
#[derive(Clone, PartialEq)]
struct Head {
    letter: String,
    /// The client whose watch it is, if it is another's.
    agent: Option<String>,
    target: String,
    connection: Connection,
    paused: bool,
    waiting: u64,
    received: u64,
    filtered: u64,
    server: Option<usize>,
    last: Option<String>,
}

impl Head {
    fn of(watch: &Watch, lane: Option<&Lane>) -> Self {
        Self {
            letter: watch.letter(),
            agent: watch.theirs.as_ref().map(|theirs| theirs.agent.clone()),
            target: short(&watch.target),
            connection: watch.connection.clone(),
            paused: watch.paused,
            waiting: watch.waiting,
            received: lane.filter(|_| watch.theirs.is_some()).map_or(watch.received, |lane| lane.sent),
            filtered: lane.map_or(0, |lane| lane.filtered),
            server: lane.and_then(|lane| lane.server),
            last: watch.last.clone(),
        }
    }

    fn theirs(&self) -> bool {
        self.agent.is_some()
    }

    fn open(&self) -> bool {
        self.connection == Connection::Open
    }
}

/// Looks at a watch, and again whenever it has changed, or where too much comes a few times a second.
pub(super) fn watched<T>(page: Page, id: u64, look: impl FnOnce(&Watch) -> T) -> Option<T> {
    let floods = untrack(|| page.watch(id, |watch| watch.floods));
    if floods == Some(true) {
        page.lab.slow.track();
        return untrack(|| page.watch(id, look));
    }
    page.watch(id, look)
}

#[component]
fn Card(id: u64, many: Memo<bool>) -> impl IntoView {
    let page = expect_context::<Page>();
    let head = Memo::new(move |_| {
        watched(page, id, |watch| {
            let of = |model: &Model| Head::of(watch, model.lane(id));
            untrack(|| page.read(of))
        })
    });
    let get = move |look: fn(&Head) -> bool| head.with(|head| head.as_ref().is_some_and(look));
    let said = move |look: fn(&Head) -> String| head.with(|head| head.as_ref().map(look).unwrap_or_default());
    let all = RwSignal::new(false);
    let most = move || match (all.get(), many.get()) {
        (true, _) => usize::MAX,
        (_, true) => SHOWN_OF_MANY,
        _ => SHOWN,
    };
    let rows = Memo::new(move |shown: Option<&(Vec<u64>, usize, usize)>| {
        let (most, at) = (most(), page.at.get());
        if let Some(shown) = shown
            && untrack(|| page.watch(id, |watch| watch.floods && !watch.in_view)) == Some(true)
        {
            page.lab.slow.track();
            return shown.clone();
        }
        let newest = |watch: &Watch| {
            let (mut rows, later) = past::rows(&watch.rows, at);
            let older = rows.len().saturating_sub(most);
            rows.truncate(most);
            (rows, later, older)
        };
        watched(page, id, newest).unwrap_or_default()
    });
    let newest = Memo::new(move |_| rows.with(|(rows, ..)| rows.first().copied()));
    let later = move || rows.with(|(_, later, _)| *later);
    let last = Memo::new(move |_| head.with(|head| head.as_ref().and_then(|head| head.last.clone())));
    let server = Memo::new(move |_| {
        let several = page.lab.servers.get() > 1;
        head.with(|head| head.as_ref()?.server.filter(|_| several).map(say::server))
    });
    let closed = Memo::new(move |_| !get(Head::open));
    let title = format!("watch-{id}");
    let titled = title.clone();
    view! {
        <article class="watch" class:closed=flag(move || !get(Head::open)) aria-labelledby=titled>
            <div class="watch-head">
                <h3 id=title>
                    <span class="unseen">{messages::WATCHES}" "</span>
                    <span class=["letter ", hue_class(id)].concat()>{text(move || said(|head| head.letter.clone()))}</span>
                    " "
                    <span class="mono">{text(move || said(|head| head.target.clone()))}</span>
                    " "
                    <span class="by" title=others::BY_OTHER_ABOUT hidden=flag(move || !get(Head::theirs))>
                        {text(move || said(|head| head.agent.clone().unwrap_or_default()))}
                    </span>
                </h3>
                {live(move || last.get().map(|version| view! { <Version version=version /> }))}
            </div>
            <div class="watch-tools">
                <span class="figure" title=say::FILTERED_ABOUT>
                    {text(move || said(|head| match head.filtered {
                        0 => messages::received(head.received),
                        filtered => say::sent(head.received, filtered),
                    }))}
                    {live(move || server.get().map(|server| view! { " · "{server} }))}
                </span>
                <span class="waiting" hidden=flag(move || !get(|head| head.waiting > 0))>
                    {text(move || said(|head| messages::waiting(head.waiting)))}
                </span>
                <button
                    type="button"
                    aria-pressed=text(move || get(|head| head.paused).to_string())
                    hidden=flag(move || !get(|head| !head.theirs() && (head.open() || head.paused)))
                    on:click=act(move |_| page.pause(id, !untrack(|| get(|head| head.paused))))
                >
                    {text(move || if get(|head| head.paused) { messages::GO_ON } else { messages::PAUSE })}
                </button>
                <button
                    type="button"
                    title=say::CUT_ABOUT
                    hidden=flag(move || !get(Head::open))
                    on:click=act(move |_| page.cut(id))
                >
                    {say::CUT}
                </button>
                <button
                    type="button"
                    title=say::STOP_ABOUT
                    hidden=flag(move || !get(|head| head.open() && !head.theirs()))
                    on:click=act(move |_| page.stop(id))
                >
                    {messages::STOP}
                </button>
                <button type="button" hidden=flag(move || get(Head::open)) on:click=act(move |_| page.dismiss(id))>
                    {messages::DISMISS}
                </button>
            </div>
            {live(move || (closed.get() && !get(Head::theirs)).then(|| view! { <Ways id=id /> }))}
            <p class="quiet" hidden=flag(move || !get(Head::theirs))>{others::WATCH}</p>
            <div class="quiet" hidden=flag(move || get(Head::theirs) || rows.with(|(rows, later, _)| !rows.is_empty() || *later > 0))>
                <p>{messages::WATCH_QUIET}</p>
                <button type="button" on:click=act(move |_| page.play(&PRESETS[0]))>{messages::CREATE_ONE}</button>
            </div>
            <p class="later" hidden=flag(move || later() == 0)>{text(move || messages::past::later(later()))}</p>
            <ul class="events" on:keydown=move |event| step(&event)>
                {each(
                    move || rows.with(|(rows, ..)| rows.clone()),
                    move |number| view! { <Line watch=id number=number newest=newest /> }.part(),
                )}
            </ul>
            <button
                type="button"
                class="older"
                hidden=flag(move || rows.with(|(_, _, older)| *older == 0))
                on:click=act(move |_| all.set(true))
            >
                {text(move || say::show_rows(rows.with(|(_, _, older)| *older)))}
            </button>
        </article>
    }
    .part()
}

/// Moves the focus along the events.
fn step(event: &KeyboardEvent) {
    let focused = dom::document().active_element();
    let line = focused.and_then(|element| element.closest("li").ok().flatten());
    let Some(line) = line else { return };
    let list = line.parent_element();
    let next = match event.key().as_str() {
        "ArrowDown" => line.next_element_sibling(),
        "ArrowUp" => line.previous_element_sibling(),
        "Home" => list.and_then(|list| list.first_element_child()),
        "End" => list.and_then(|list| list.last_element_child()),
        _ => return,
    };
    event.prevent_default();
    let button = next.and_then(|next| next.query_selector("button").ok().flatten());
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        let _ = button.focus();
    }
}

#[component]
fn Line(watch: u64, number: u64, newest: Memo<Option<u64>>) -> impl IntoView {
    let page = expect_context::<Page>();
    let row = untrack(|| page.watch(watch, |watch| watch.row_of(number).cloned()));
    match row.flatten() {
        Some(Row::Note(note)) => view! { <li class="note"><button type="button" class="row" disabled=true>{messages::note(&note)}</button></li> }.part(),
        Some(Row::Event(event)) => {
            let failure = event.status.as_deref().map(|status| brief(page, status, watch, number));
            let version = event.version.clone();
            let lit = version.clone();
            let class = format!("event {}", event.kind.class());
            view! {
                <li class=class>
                    <button
                        type="button"
                        class="row"
                        tabindex=text(move || if newest.get() == Some(number) { "0" } else { "-1" })
                        on:focus=act(move |_| page.light(Some(lit.clone()).filter(|version| !version.is_empty())))
                        on:blur=act(move |_| page.light(None))
                        on:click=act(move |_| {
                            page.show(Shown::Event(watch, number));
                            page.pane.set(Pane::Answer);
                        })
                    >
                        {label(&event)}
                    </button>
                    {failure}
                </li>
            }
            .part()
        }
        None => ().part(),
    }
}

/// An event in one line: shape, type, object, version.
pub(super) fn label(event: &Event) -> Part {
    let name = match (event.kind, event.status.as_ref()) {
        (EventType::Error, Some(status)) => format!("{} {}", status.code, status.reason),
        _ if event.name.is_empty() => event.object_kind.clone(),
        _ => event.name.clone(),
    };
    let version = (!event.version.is_empty()).then(|| view! { <Version version=event.version.clone() /> });
    view! {
        <span class=format!("shape {}", event.kind.class()) aria-hidden="true">{event.kind.shape()}</span>
        <span class="event-type">{event.kind.name()}</span>
        <span class="name">{name}</span>
        {version}
    }
    .part()
}

/// The newest event of all watches, for a narrow page.
#[component]
pub(crate) fn LastEvent() -> impl IntoView {
    let page = expect_context::<Page>();
    let last = Memo::new(move |_| {
        let which = page.cluster.get();
        page.lab.slow.track();
        untrack(|| {
            page.read(|model| {
                let watches = model.watches.iter().filter(|watch| watch.cluster == which);
                let events = watches.filter_map(|watch| {
                    watch.rows.iter().rev().find_map(|(_, row)| match row {
                        Row::Event(event) => Some((watch, event)),
                        Row::Note(_) => None,
                    })
                });
                let newest = events.max_by(|(_, a), (_, b)| a.at.total_cmp(&b.at));
                newest.map(|(watch, event)| (watch.id, watch.letter(), event.clone()))
            })
        })
    });
    view! {
        <div class="last-event" hidden=flag(move || last.with(Option::is_none))>
            {live(move || {
                last.get()
                    .map(|(id, letter, event)| {
                        view! {
                            <span class=["letter ", hue_class(id)].concat()>{letter}</span>
                            {label(&event)}
                        }
                    })
            })}
        </div>
    }
    .part()
}
