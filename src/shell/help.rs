//! The dialog that lists the keys and says what moves.

use leptos::html;
use leptos::prelude::*;

use crate::state::{Dialog, Page};
use crate::ui::messages;
use crate::ui::part::{IntoPart, act, flag};

/// The dialog.
#[component]
pub(crate) fn Help() -> impl IntoView {
    let page = expect_context::<Page>();
    let dialog = NodeRef::<html::Dialog>::new();
    opens_with(dialog, page, Dialog::Help);
    let terms = |pairs: &'static [(&'static str, &'static str)], keys: bool| {
        pairs
            .iter()
            .map(|(term, about)| {
                let term = if keys { view! { <kbd>{*term}</kbd> }.part() } else { (*term).part() };
                view! {
                    <dt>{term}</dt>
                    <dd>{*about}</dd>
                }
            })
            .collect_view()
    };
    view! {
        <dialog node_ref=dialog aria-labelledby="help-title" on:close=act(move |_| {
                // The news that it has closed comes late: another one may be open by now.
                if page.dialog.get_untracked() == Some(Dialog::Help) {
                    page.dialog.set(None);
                }
            })>
            <h2 id="help-title">{messages::HELP_TITLE}</h2>
            <dl class="keys">{terms(messages::HELP_KEYS, true)}</dl>
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=flag(move || page.single_keys.get())
                    on:change=move |event| page.set_single_keys(event_target_checked(&event))
                />
                {messages::HELP_SINGLE}
            </label>
            <h3>{messages::HELP_WORDS_TITLE}</h3>
            <dl>{terms(messages::HELP_WORDS, false)}</dl>
            <form method="dialog">
                <button class="primary">{messages::CLOSE}</button>
            </form>
        </dialog>
    }
    .part()
}

/// Opens and closes `dialog` as the page says.
pub(crate) fn opens_with(dialog: NodeRef<html::Dialog>, page: Page, which: Dialog) {
    Effect::new(move || {
        let wanted = page.dialog.get() == Some(which);
        let Some(dialog) = dialog.get() else { return };
        if wanted && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !wanted && dialog.open() {
            dialog.close();
        }
    });
}
