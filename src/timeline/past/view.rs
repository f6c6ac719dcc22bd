//! The objects that existed at the cursor.

use crate::ui::part::{IntoPart, live};
use leptos::prelude::*;

use crate::state::Page;
use crate::ui::messages;

/// The objects that existed at the cursor, as far as the history goes back.
#[component]
pub(crate) fn StateAt() -> impl IntoView {
    let page = expect_context::<Page>();
    let names = Memo::new(move |_| {
        let at = page.at.get().unwrap_or(u64::MAX);
        page.history(|history| {
            let alive = |writes: &std::collections::VecDeque<u64>| {
                let last = writes.partition_point(|revision| *revision <= at).checked_sub(1)?;
                let write = history.write(*writes.get(last)?)?;
                (write.change != crate::watches::model::EventType::Deleted).then_some(())
            };
            let objects = history.objects().iter().filter(|object| alive(&object.writes).is_some());
            objects.map(|object| object.label.clone()).collect::<Vec<_>>()
        })
    });
    view! {
        <ul class="scroll mono" tabindex="0" aria-label=messages::TIMELINE_STATE>
            {live(move || names.get().into_iter().map(|name| view! { <li>{name}</li> }).collect_view())}
        </ul>
    }
    .part()
}
