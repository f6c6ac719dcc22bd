//! The bar over a manifest in the body, and the outcome of applying one: a row for each object.

use leptos::prelude::*;

use crate::manifest::{files, run};
use crate::model::manifest::split::{is_several, split};
use crate::model::manifest::{Outcome, Row, Run};
use crate::model::messages::manifest as words;
use crate::model::request::form;
use crate::state::{Page, Shown};
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, flag, live, text};
use crate::widgets::check::check;
use crate::widgets::version::Version;

/// The most rows that are shown of objects that did not fail.
const SHOWN: usize = 200;

/// Offers to apply the manifest in the body. Nothing is shown where there is none.
#[component]
pub(crate) fn ManifestBar() -> impl IntoView {
    let page = expect_context::<Page>();
    let form = page.form;
    let manifest = page.change.manifest;
    let documents = Memo::new(move |_| {
        let carries = form.method.with(|method| form::carries_objects(method));
        form.body.with(|body| if carries && is_several(body) { split(body).len() } else { 0 })
    });
    // Several documents cannot be JSON.
    Effect::new(move || {
        if documents.get() > 1 {
            form.send_as_yaml();
        }
    });
    let has_run = move || manifest.look(|run| run.going || !run.rows.is_empty());
    let bar = move || {
        let documents = documents.get();
        (documents > 1).then(|| {
            view! {
                <button type="button" class="primary" title=words::ABOUT on:click=act(move |_| run::apply(page, false))>
                    {words::apply(documents)}
                </button>
                {check(words::FORCE, words::FORCE_ABOUT, manifest.force)}
            }
            .part()
        })
    };
    view! {
        <div class="manifest-bar" role="group" aria-label=words::LABEL hidden=flag(move || documents.get() == 0)>
            {live(bar)}
            <button
                type="button"
                title=words::RESULTS_ABOUT
                hidden=flag(move || !has_run() || page.shown.get() == Shown::Manifest)
                on:click=act(move |_| page.show(Shown::Manifest))
            >
                {words::RESULTS}
            </button>
        </div>
    }
    .part()
}

/// Lets somebody choose files with manifests.
#[component]
pub(crate) fn OpenFile() -> impl IntoView {
    let page = expect_context::<Page>();
    view! {
        <label class="file" title=words::OPEN_ABOUT>
            {words::OPEN}
            <input
                type="file"
                class="unseen"
                accept=".yaml,.yml,.json,.txt"
                multiple
                on:change=act(move |event| files::chosen(page, &event))
            />
        </label>
    }
    .part()
}

/// Shows the outcome of the manifest that was applied last.
pub(crate) fn show(page: Page) -> Part {
    let manifest = page.change.manifest;
    let head = move || {
        manifest.look(|run| {
            let done = run.rows.iter().filter(|row| row.outcome != Outcome::Waiting).count();
            if run.going { words::going(run.dry, done, run.rows.len()) } else { run.summary() }
        })
    };
    let rows = move || {
        manifest.look(|run| {
            let dry = run.dry;
            let going = run.going;
            let failed = |row: &&Row| matches!(row.outcome, Outcome::Failed(_));
            let long = run.rows.len() > SHOWN;
            // Of many, those that failed come first.
            let first = run.rows.iter().filter(failed).filter(|_| long);
            let others = run.rows.iter().filter(|row| !long || !failed(row)).take(SHOWN);
            let rows: Vec<Part> = first.chain(others).map(|row| self::row(page, row, (dry, going))).collect();
            let more = run.rows.len() - rows.len();
            (
                rows,
                (more > 0).then(|| view! { <tr><td colspan="4" class="quiet">{words::more(more)}</td></tr> }),
            )
                .part()
        })
    };
    view! {
        <div class="answer-head">
            <span class="status" class:bad=flag(move || manifest.look(Run::has_failed)) role="status">{text(head)}</span>
            <button
                type="button"
                hidden=flag(move || manifest.look(|run| !run.going))
                on:click=act(move |_| manifest.stop())
            >
                {words::STOP}
            </button>
        </div>
        <div class="panel scroll" role="group" tabindex="0" aria-label=words::LABEL>
            <table class="manifest-rows">
                <thead>
                    <tr>
                        <th scope="col">{words::LINE}</th>
                        <th scope="col">{words::OBJECT}</th>
                        <th scope="col">{words::VERSION}</th>
                        <th scope="col" title=words::WATCHES_ABOUT>{words::WATCHES}</th>
                    </tr>
                </thead>
                <tbody>{live(rows)}</tbody>
            </table>
        </div>
    }
    .part()
}

impl Run {
    fn has_failed(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.outcome, Outcome::Failed(_)))
    }
}

fn row(page: Page, row: &Row, (dry, going): (bool, bool)) -> Part {
    let said = [&row.name, " ", &words::outcome(&row.outcome, dry, going)].concat();
    let why = match &row.outcome {
        Outcome::Failed(why) => Some(why.clone()),
        _ => None,
    };
    let bad = why.is_some();
    let line = row.line;
    let object = match row.exchange {
        Some(id) => view! {
            <button type="button" class="row mono" class:bad=bad title=words::SHOW_ABOUT on:click=act(move |_| page.show(Shown::Exchange(id, false)))>
                {said}
            </button>
        }
        .part(),
        None => view! { <span class="mono" class:bad=bad>{said}</span> }.part(),
    };
    let wrote = row.wrote().filter(|_| !dry);
    let version = wrote.map(|wrote| view! { <Version version=wrote.to_string() /> }.part());
    let watches = text(move || wrote.map(|wrote| sent_to(page, wrote)).unwrap_or_default());
    view! {
        <tr>
            <td class="figure">{line}</td>
            <td>{object} {why.map(|why| view! { <p class="message">{why}</p> })}</td>
            <td>{version}</td>
            <td>{watches}</td>
        </tr>
    }
    .part()
}

/// Returns the letters of the watches that were sent the event of a write, and what each was sent.
fn sent_to(page: Page, revision: u64) -> String {
    let which = page.cluster.get();
    page.read(|model| {
        let watches = model.watches.iter().filter(|watch| watch.cluster == which);
        let sent = watches.filter_map(|watch| {
            let sent = model.glass(which).lane(watch.id)?.at(revision)?.sent?;
            Some([&watch.letter(), " ", sent.name()].concat())
        });
        sent.collect::<Vec<_>>().join(", ")
    })
}
