//! The timeline pane: the ribbon, and what stands beside it.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent, MouseEvent};

use crate::cluster::Which;
use crate::model::panes::Side;
use crate::state::Page;
use crate::timeline::details::Details;
use crate::timeline::ribbon::labels::NUMBER;
use crate::timeline::ribbon::pointer::{CONFIRM, ID};
use crate::timeline::ribbon::readout;
use crate::timeline::ribbon::stage::Ribbon;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::{self, ribbon as words};
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::widgets::separator::Separator;

/// The media queries that change the colours besides the theme that is chosen.
const MEDIA: [&str; 2] = ["(prefers-color-scheme: dark)", "(forced-colors: active)"];

/// Every write in revision order, and where the watches stand.
#[component]
pub(crate) fn Timeline() -> impl IntoView {
    let page = expect_context::<Page>();
    let ribbon = Ribbon::new(page);
    let empty = Memo::new(move |_| page.history(|history| history.writes().is_empty()));
    view! {
        <div class="pane-head">{head(page, ribbon)}</div>
        {ask(ribbon)}
        <div class="timeline-body">
            <p class="quiet" hidden=flag(move || !empty.get())>{messages::TIMELINE_EMPTY}</p>
            {stage(page, ribbon, empty)}
            <Separator side=Side::Details />
            <div class="details"><Details /></div>
        </div>
    }
    .part()
}

/// Returns the controls that move the ribbon, for those who do not drag.
fn head(page: Page, ribbon: Ribbon) -> Part {
    let head = move || page.revisions().0;
    let chosen = move || page.at.get().map_or_else(head, |at| at.min(head()));
    let oldest = move || page.history(|history| history.writes().front().map_or(1, |write| write.revision));
    let typed = move |value: String| {
        if let Ok(revision) = value.trim().parse() {
            ribbon.choose(revision);
        }
    };
    let button = |label: &'static str, sign: &'static str, press: fn(Ribbon)| {
        view! {
            <button type="button" class="icon" aria-label=label title=label on:click=act(move |_| press(ribbon))>
                {sign}
            </button>
        }
        .part()
    };
    view! {
        <h2 id="timeline-title">{messages::TIMELINE}</h2>
        <label class="cursor">
            <span>{messages::TIMELINE_CURSOR}</span>
            <input
                type="range"
                step="1"
                min=text(move || oldest().to_string())
                max=text(move || head().max(1).to_string())
                prop:value=text(move || chosen().to_string())
                aria-valuetext=text(move || page.history(|history| readout::write(history, chosen())))
                on:input=move |event| typed(event_target_value(&event))
                on:keydown=move |event| ribbon.key(&event)
            />
        </label>
        <input
            type="text"
            class="mono number"
            inputmode="numeric"
            aria-label=words::NUMBER
            title=words::NUMBER
            prop:value=text(move || chosen().to_string())
            on:change=move |event| typed(event_target_value(&event))
        />
        <span class="space"></span>
        {button(messages::TIMELINE_EARLIER, "‹", |ribbon| ribbon.page_by(-1.0))}
        {button(messages::TIMELINE_LATER, "›", |ribbon| ribbon.page_by(1.0))}
        <button
            type="button"
            aria-pressed=text(move || ribbon.follows.get().to_string())
            on:click=act(move |_| ribbon.follow())
        >
            {messages::TIMELINE_FOLLOW}
        </button>
        {button(messages::TIMELINE_NARROWER, "−", |ribbon| ribbon.zoom(false))}
        {button(messages::TIMELINE_WIDER, "+", |ribbon| ribbon.zoom(true))}
        {button(words::WHOLE, "⤢", Ribbon::whole)}
        <button
            type="button"
            hidden=flag(move || page.cluster.get() == Which::Remote)
            on:click=act(move |_| page.compact(untrack(chosen)))
        >
            {text(move || messages::compact_to(chosen()))}
        </button>
    }
    .part()
}

/// Asks before it compacts.
fn ask(ribbon: Ribbon) -> Part {
    let asked = ribbon.asked;
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            // It is the question that it is about, not where the page stands.
            event.stop_propagation();
            ribbon.answer(false);
        }
    };
    view! {
        <div class="ask" role="group" aria-labelledby="ribbon-ask" hidden=flag(move || asked.get().is_none()) on:keydown=escape>
            <span id="ribbon-ask">{text(move || asked.get().map(words::ask).unwrap_or_default())}</span>
            <button type="button" class="primary" id=CONFIRM on:click=act(move |_| ribbon.answer(true))>{words::COMPACT}</button>
            <button type="button" on:click=act(move |_| ribbon.answer(false))>{words::CANCEL}</button>
        </div>
    }
    .part()
}

/// The canvas, the labels beside it, and what is said beneath it.
fn stage(page: Page, ribbon: Ribbon, empty: Memo<bool>) -> Part {
    let (element, labels) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let (canvas, probe) = (NodeRef::<html::Canvas>::new(), NodeRef::<html::I>::new());
    Effect::new(move || {
        let (Some(element), Some(labels), Some(canvas), Some(probe)) =
            (element.get(), labels.get(), canvas.get(), probe.get())
        else {
            return;
        };
        if let Some(place) = canvas.parent_element() {
            measure(ribbon, place.unchecked_ref());
        }
        ribbon.mount(element.into(), canvas, labels.into(), probe);
    });
    MEDIA.into_iter().for_each(|query| {
        if let Ok(Some(media)) = dom::window().match_media(query) {
            let changed = Closure::<dyn FnMut()>::new(move || ribbon.fade()).into_js_value();
            let _ = media.add_event_listener_with_callback("change", changed.unchecked_ref());
        }
    });
    // The reasons are looked up where somebody has chosen the revision, and not for every write that comes by.
    let said = Memo::new(move |_| {
        let lit = page.lit.with(|lit| lit.as_ref().and_then(|lit| lit.parse().ok()));
        let asked = lit.or_else(|| page.at.get());
        page.tick.track();
        ribbon.say(asked.unwrap_or_else(|| ribbon.chosen()), asked.is_some())
    });
    let pin = move |event: MouseEvent| {
        let label = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        let number =
            label.and_then(|label| label.get_attribute(NUMBER)).and_then(|number| number.parse().ok());
        if let Some(number) = number {
            ribbon.change(|stage| stage.rows.pin(number));
        }
    };
    let key = move |event: KeyboardEvent| {
        let label = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        // A button keeps its own keys.
        let own = label.is_some_and(|label| label.has_attribute(NUMBER))
            && matches!(event.key().as_str(), "Enter" | " ");
        if !own {
            ribbon.key(&event);
        }
    };
    view! {
        <div class="ribbon-pane" hidden=flag(move || empty.get())>
            <div
                class="ribbon"
                id=ID
                tabindex="0"
                role="group"
                aria-labelledby="timeline-title"
                aria-description=words::KEYS
                node_ref=element
                on:keydown=key
            >
                <div class="labels" on:click=pin>
                    <span class="all">{words::ALL}</span>
                    <div node_ref=labels></div>
                </div>
                <div class="stage">
                    <canvas
                        node_ref=canvas
                        aria-hidden="true"
                        on:pointerdown=move |event| ribbon.down(&event)
                        on:pointermove=move |event| ribbon.moved(&event)
                        on:pointerup=move |event| ribbon.up(&event, false)
                        on:pointercancel=move |event| ribbon.up(&event, true)
                        on:pointerleave=act(move |_| page.light(None))
                        on:wheel=move |event| ribbon.wheel(&event)
                    ></canvas>
                </div>
                <i class="probe" hidden node_ref=probe></i>
            </div>
            <p class="readout">{live(move || said.get())}</p>
        </div>
    }
    .part()
}

/// Tells the ribbon how large its place is.
fn measure(ribbon: Ribbon, place: &HtmlElement) {
    let observed = place.clone();
    let changed = Closure::<dyn FnMut()>::new(move || {
        let now = (f64::from(observed.client_width()), f64::from(observed.client_height()));
        // A hidden pane has no size, and need not be laid out for it.
        if now.0 > 0.0 && now != ribbon.look(|stage| stage.size) {
            ribbon.change(|stage| stage.size = now);
        }
    });
    // It lives as long as the page.
    if let Ok(observer) = web_sys::ResizeObserver::new(changed.into_js_value().unchecked_ref()) {
        observer.observe(place);
    }
}
