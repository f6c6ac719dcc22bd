//! The frame of the page.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::KeyboardEvent;

use crate::chunks;
use crate::cluster::trace::Outcome;
use crate::cluster::worker::Engine;
use crate::model::explore::REFERENCE;
use crate::model::panes::{Pane, Side};
use crate::model::views::View;
use crate::request::view::Composer;
use crate::resources::Resources;
use crate::response::view::Answer;
use crate::shell::engine::EngineNotice;
use crate::shell::header::Header;
use crate::shell::notice::NoticeLine;
use crate::shell::rail::Rail;
use crate::state::chunks::{Chunks, Panes};
use crate::state::{Dialog, Page, views};
use crate::ui::later::{later, soon};
use crate::ui::part::{IntoPart, Part, act, flag, live, maybe, text};
use crate::ui::{dom, frame, messages, theme};
use crate::watches::view::LastEvent;
use crate::widgets::separator::Separator;

/// How wide the resources are at least while what is served is looked at, in pixels.
const REFERENCE_WIDTH: f64 = 360.0;

/// Puts the page where its frame stood, and opens the cluster. Nothing is painted between the two.
pub(crate) fn start() {
    frame::take();
    mount_to_body(App);
}

/// The page.
#[component]
fn App() -> impl IntoView {
    let page = Page::new(Chunks { panes: chunks::panes, more: chunks::more, keep: chunks::keep });
    provide_context(page);
    theme::wear(page.theme);
    views::follow(page);
    dom::listen("keydown", move |event: KeyboardEvent| key(page, &event));
    let owner = Owner::current();
    // Each of what takes long has a turn of its own.
    spawn_local(async move {
        dom::sleep(0).await;
        owner.unwrap_or_default().with(|| page.open(chunks::recall(page), chunks::prefetch(page)));
    });
    // A dialog stays where it is when it has closed.
    let asked = Memo::new(move |asked: Option<&bool>| {
        asked == Some(&true) || matches!(page.dialog.get(), Some(Dialog::Help | Dialog::Palette))
    });
    let about_cluster = Memo::new(move |asked: Option<&bool>| {
        asked == Some(&true) || matches!(page.dialog.get(), Some(Dialog::Cluster | Dialog::Draft))
    });
    // Before something is written these panes have nothing to show: the engine's code, and that of writes, come first.
    let written = Memo::new(move |before: Option<&bool>| {
        before == Some(&true)
            || !frame::is_there()
            || page.goes_on.get()
            || matches!(page.engine.get(), Engine::Stopped(_))
            || page.read(|model| {
                model
                    .trace
                    .newest()
                    .any(|sent| sent.request.method != "GET" && !matches!(sent.outcome, Outcome::Pending))
            })
    });
    let asks = Memo::new(move |_| page.view.get() == View::Access);
    let browses = Memo::new(move |_| page.view.get() == View::Cluster);
    // What came of a document's examples stays.
    let reads =
        Memo::new(move |before: Option<&bool>| before == Some(&true) || page.view.get() == View::Learn);
    let pane = move |id: &'static str, show: fn(Panes) -> Part| {
        live(move || {
            if written.get() { later(chunks::panes, move || frame::part(id), show) } else { frame::part(id) }
        })
    };
    let px = move |side: Side| {
        let size = page.sizes.with(|sizes| sizes.get(side));
        // Fields and what is said of them take more room than names.
        let reads = side == Side::Left && page.explore.tab.get() == REFERENCE;
        format!("{}px", if reads { size.max(REFERENCE_WIDTH) } else { size })
    };
    view! {
        <nav class="skip" aria-label=messages::SKIP>
            <a href="#request">{messages::SKIP_REQUEST}</a>
            <a href="#answer">{messages::SKIP_ANSWER}</a>
            <a href="#watches">{messages::SKIP_WATCHES}</a>
            <a href="#timeline">{messages::SKIP_TIMELINE}</a>
        </nav>
        <Header />
        <EngineNotice />
        <NoticeLine />
        <main
            data-pane=text(move || page.pane.get().id())
            data-view=text(move || page.view.get().id())
            data-browses=flag(move || page.browse.path.with(|path| !path.is_empty()))
            data-tour=maybe(move || page.tour.place.get())
            style=("--left", move || px(Side::Left))
            style=("--right", move || px(Side::Right))
            style=("--request", move || px(Side::Request))
            style=("--bottom", move || px(Side::Bottom))
            style=("--details", move || px(Side::Details))
        >
            <Rail />
            <section id="resources" class="pane" tabindex="-1" aria-labelledby="resources-title">
                {soon(|| frame::part("resources"), move || view! { <Resources written=flag(move || written.get()) /> }.part())}
            </section>
            <Separator side=Side::Left />
            <div class="middle">
                <section id="request" class="pane" tabindex="-1" aria-labelledby="request-title">
                    {soon(|| frame::part("request"), || view! { <Composer /> }.part())}
                </section>
                <Separator side=Side::Request />
                <section
                    id="answer"
                    class="pane"
                    tabindex="-1"
                    aria-labelledby="answer-title"
                    on:click=act(move |_| page.turn_to(Pane::Answer))
                    on:keyup=act(move |_| page.turn_to(Pane::Answer))
                >
                    {soon(|| frame::part("answer"), || view! { <Answer /> }.part())}
                </section>
            </div>
            <section id="objects" class="pane" tabindex="-1" aria-labelledby="objects-title">
                {live(move || browses.get().then(|| page.of_more(|more| (more.browser)())))}
            </section>
            <section id="access" class="pane" tabindex="-1" aria-labelledby="access-title">
                {live(move || asks.get().then(|| page.of_more(|more| (more.access)())))}
            </section>
            <section id="learn" class="pane" tabindex="-1" aria-labelledby="learn-title">
                {live(move || reads.get().then(|| later(chunks::reading, || ().part(), |show| show())))}
            </section>
            <Separator side=Side::Right />
            <section id="watches" class="pane" tabindex="-1" aria-labelledby="watches-title">
                {pane("watches", |panes| (panes.aside)())}
            </section>
            <Separator side=Side::Bottom />
            <section id="timeline" class="pane" tabindex="-1" aria-labelledby="timeline-title">
                {pane("timeline", |panes| (panes.timeline)())}
            </section>
        </main>
        <LastEvent />
        <nav class="bar" aria-label=messages::PANES>
            {Pane::ALL
                .into_iter()
                .map(|pane| {
                    view! {
                        <button
                            type="button"
                            aria-current=maybe(move || (page.pane.get() == pane).then_some("true"))
                            on:click=act(move |_| {
                                if pane == Pane::Resources && matches!(page.view.get_untracked(), View::Access | View::Learn) {
                                    views::choose(page, View::Cluster);
                                }
                                page.pane.set(pane);
                            })
                        >
                            {pane.name()}
                        </button>
                    }
                })
                .collect_view()}
        </nav>
        <div class="unseen" role="status" aria-live="polite">{live(move || page.said.get())}</div>
        {live(move || asked.get().then(|| page.of_more(|more| (more.dialogs)())))}
        {live(move || page.tour.is_ready.get().then(|| page.of_more(|more| (more.guide)())))}
        {live(move || about_cluster.get().then(|| later(chunks::about_cluster, || ().part(), |show| show())))}
    }
    .part()
}

/// The keys that work wherever one is.
fn key(page: Page, event: &KeyboardEvent) {
    let command = event.ctrl_key() || event.meta_key();
    match event.key().as_str() {
        "Enter" if command && event.shift_key() && page.dialog.get_untracked().is_none() => {
            event.prevent_default();
            page.try_it();
        }
        "Enter" if command && page.dialog.get_untracked().is_none() => {
            event.prevent_default();
            page.send();
        }
        "Escape" if page.at.get_untracked().is_some() && page.dialog.get_untracked().is_none() => {
            let focused = dom::document().active_element();
            if focused.is_some_and(|element| element.closest("#timeline").ok().flatten().is_some()) {
                page.at.set(None);
            }
        }
        "k" | "K" if command => {
            event.prevent_default();
            page.dialog.set(Some(Dialog::Palette));
        }
        "?" if !command && page.single_keys.get_untracked() && page.dialog.get_untracked().is_none() => {
            let typing = dom::document().active_element().is_some_and(|element| dom::is_editable(&element));
            if !typing {
                event.prevent_default();
                page.dialog.set(Some(Dialog::Help));
            }
        }
        _ => {}
    }
}
