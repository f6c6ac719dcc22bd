//! The log as a table.

use crate::ui::part::{IntoPart, live};
use leptos::prelude::*;

use crate::state::Page;
use crate::ui::messages;
use crate::ui::version::Version;

/// How many writes the table shows.
const SHOWN: usize = 200;

/// The writes as a table, newest first.
#[component]
pub(crate) fn Rails() -> impl IntoView {
    let page = expect_context::<Page>();
    let rows = Memo::new(move |_| {
        page.history(|history| {
            let newest = history.writes().iter().rev().take(SHOWN);
            newest
                .map(|write| {
                    let label = history.object(write.object).map(|object| object.label.clone());
                    (write.revision, write.change, label.unwrap_or_default())
                })
                .collect::<Vec<_>>()
        })
    });
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=messages::TIMELINE_LOG>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{messages::COLUMN_REVISION}</th>
                        <th scope="col">{messages::COLUMN_CHANGE}</th>
                        <th scope="col">{messages::COLUMN_OBJECT}</th>
                    </tr>
                </thead>
                <tbody>
                    {live(move || {
                        let rows = rows.get().into_iter().map(|(revision, change, label)| {
                            view! {
                                <tr>
                                    <td><Version version=revision.to_string() /></td>
                                    <td>
                                        <span class=format!("shape {}", change.class()) aria-hidden="true">
                                            {change.shape()}
                                        </span>
                                        " "
                                        {change.name()}
                                    </td>
                                    <td class="mono">{label}</td>
                                </tr>
                            }
                        });
                        rows.collect_view()
                    })}
                </tbody>
            </table>
        </div>
    }
    .part()
}
