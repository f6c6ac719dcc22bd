//! The requests as a table.

use crate::ui::part::{IntoPart, live};
use leptos::prelude::*;

use crate::cluster::trace::Outcome;
use crate::state::Page;
use crate::ui::messages;

/// The requests, newest first.
#[component]
pub(crate) fn Waterfall() -> impl IntoView {
    let page = expect_context::<Page>();
    let rows = Memo::new(move |_| {
        page.read(|model| {
            let exchanges = model.trace.newest().map(|exchange| {
                let status = match &exchange.outcome {
                    Outcome::Answered(reply) => reply.status.to_string(),
                    Outcome::Pending | Outcome::Failed(_) => String::new(),
                };
                (exchange.request.method.clone(), exchange.request.target.clone(), status)
            });
            exchanges.collect::<Vec<_>>()
        })
    });
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=messages::TIMELINE_REQUESTS>
            <table class="mono">
                <tbody>
                    {live(move || {
                        let rows = rows.get().into_iter();
                        rows.map(|(method, target, status)| view! { <tr><td>{method}</td><td>{target}</td><td>{status}</td></tr> })
                            .collect_view()
                    })}
                </tbody>
            </table>
        </div>
    }
    .part()
}
