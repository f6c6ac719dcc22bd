//! A resource version: the same chip wherever one stands. Point at one, and every other place that shows the same
//! version lights up.

use leptos::prelude::*;

use crate::state::Page;
use crate::ui::part::{IntoPart, act};

/// A resource version.
#[component]
pub(crate) fn Version(
    /// The version.
    #[prop(into)]
    version: String,
) -> impl IntoView {
    let page = expect_context::<Page>();
    let version = StoredValue::new(version);
    let lit = move || page.lit.with(|lit| version.with_value(|version| lit.as_ref() == Some(version)));
    view! {
        <span
            class="rv"
            class:lit=lit
            on:pointerenter=act(move |_| page.light(Some(version.get_value())))
            on:pointerleave=act(move |_| page.light(None))
        >
            {version.get_value()}
        </span>
    }
    .part()
}
