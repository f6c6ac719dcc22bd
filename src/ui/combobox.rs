//! A text field that offers what may be meant.
//! See <https://www.w3.org/WAI/ARIA/apg/patterns/combobox/>.

use leptos::prelude::*;

use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, act, flag, live, maybe, text};

/// One of the offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The value of the field if the offer is taken.
    pub(crate) value: String,
    /// The description of the offer.
    pub(crate) about: String,
}

/// A text field with a list of offers beneath while it is being written in.
#[component]
pub(crate) fn Combobox(
    /// The id of the field.
    id: &'static str,
    /// The name of the field, for users who do not see it.
    label: &'static str,
    /// The text in the field while it is empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// The text in the field.
    value: RwSignal<String>,
    /// True if the offers show without being asked for.
    #[prop(optional)]
    always: bool,
    /// True while the field is being written in.
    #[prop(optional)]
    focused: RwSignal<bool>,
    /// The offers for the field.
    offers: Memo<Vec<Offer>>,
    /// An offer was taken.
    on_pick: Callback<String>,
    /// Enter was pressed on what was typed.
    on_enter: Callback<()>,
    /// The field was left.
    on_leave: Callback<()>,
) -> impl IntoView {
    let opened = RwSignal::new(false);
    let open = Signal::derive(move || always || opened.get());
    let active = RwSignal::new(None::<usize>);
    let list = format!("{id}-list");
    let option = move |at: usize| format!("{id}-option-{at}");
    let shows = move || open.get() && offers.with(|offers| !offers.is_empty());
    let pick = move |value: String| {
        opened.set(false);
        active.set(None);
        on_pick.run(value);
    };
    let move_to = move |at: usize| {
        active.set(Some(at));
        dom::reveal_soon(option(at));
    };
    let keydown = move |event: web_sys::KeyboardEvent| {
        if event.is_composing() || event.ctrl_key() || event.meta_key() {
            return;
        }
        let count = offers.with(Vec::len);
        match event.key().as_str() {
            "ArrowDown" | "ArrowUp" if count > 0 => {
                event.prevent_default();
                let down = event.key() == "ArrowDown";
                let next = match active.get().filter(|_| open.get()) {
                    None if down => 0,
                    None => count - 1,
                    Some(at) if down => (at + 1) % count,
                    Some(at) => (at + count - 1) % count,
                };
                opened.set(true);
                move_to(next);
            }
            "Enter" => {
                event.prevent_default();
                let taken = active.get().filter(|_| open.get());
                let taken = taken.and_then(|at| offers.with(|offers| Some(offers.get(at)?.value.clone())));
                match taken {
                    Some(value) => pick(value),
                    None => {
                        opened.set(false);
                        on_enter.run(());
                    }
                }
            }
            "Escape" if opened.get() && !always => {
                event.stop_propagation();
                opened.set(false);
                active.set(None);
            }
            _ => {}
        }
    };
    let listed = list.clone();
    // A list that no pane cuts off stands where the field stands.
    let place = Memo::new(move |_| {
        let field = dom::by_id(id).filter(|_| shows() && !always)?;
        let rect = field.get_bounding_client_rect();
        Some((rect.left().round(), rect.bottom().round() + 4.0, rect.width().round()))
    });
    let px = move |of: fn((f64, f64, f64)) -> f64| place.get().map(|place| format!("{}px", of(place)));
    view! {
        <div class="combobox">
            <input
                id=id
                class="mono"
                type="text"
                role="combobox"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder=placeholder
                aria-label=label
                aria-autocomplete="list"
                aria-expanded=text(move || shows().to_string())
                aria-controls=list.clone()
                aria-activedescendant=maybe(move || active.get().filter(|_| shows()).map(option))
                prop:value=text(move || value.get())
                on:input=move |event| {
                    value.set(event_target_value(&event));
                    active.set(None);
                    opened.set(true);
                }
                on:keydown=keydown
                on:focus=act(move |_| focused.set(true))
                on:blur=act(move |_| {
                    focused.set(false);
                    opened.set(false);
                    active.set(None);
                    on_leave.run(());
                })
            />
            <ul
                id=listed
                role="listbox"
                aria-label=label
                hidden=flag(move || !shows())
                style=("--left", move || px(|place| place.0))
                style=("--top", move || px(|place| place.1))
                style=("--width", move || px(|place| place.2))
            >
                {live(move || {
                    let offers = if shows() { offers.get() } else { Vec::new() };
                    offers
                        .into_iter()
                        .enumerate()
                        .map(|(at, Offer { value, about })| {
                            let taken = value.clone();
                            view! {
                                <li
                                    id=option(at)
                                    role="option"
                                    aria-selected=text(move || (active.get() == Some(at)).to_string())
                                    on:pointerdown=move |event| {
                                        event.prevent_default();
                                        pick(taken.clone());
                                    }
                                >
                                    <span class="mono">{value}</span>
                                    <span class="about">{about}</span>
                                </li>
                            }
                        })
                        .collect_view()
                })}
            </ul>
        </div>
    }
    .part()
}
