//! The dialog about the cluster of this tab.

use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::host::Host;
use crate::kept::export;
use crate::shell::help::opens_with;
use crate::state::kept::keeper::Keeper;
use crate::state::kept::place::About;
use crate::state::kept::{Kept, is_on, link, slots, turn};
use crate::state::{Dialog, Page, recording};
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::messages::kept as words;
use crate::ui::messages::{self, learn};
use crate::ui::part::{IntoPart, Part, act, each, flag, maybe, text};
use crate::widgets::check::check;

/// The dialog.
#[component]
pub(crate) fn ThisCluster() -> impl IntoView {
    let page = expect_context::<Page>();
    let dialog = NodeRef::<html::Dialog>::new();
    opens_with(dialog, page, Dialog::Cluster);
    let (said, clusters) = (RwSignal::new(String::new()), RwSignal::new(Vec::new()));
    // What is kept is looked at whenever the dialog opens, and when something was kept.
    Effect::new(move |_| {
        page.kept.track();
        if page.dialog.get() == Some(Dialog::Cluster) {
            spawn_local(async move { clusters.set(kept(page).await) });
        } else {
            said.set(String::new());
        }
    });
    let is_tab = page.host.with_value(|host| *host == Host::Tab);
    view! {
        <dialog node_ref=dialog class="this-cluster" aria-labelledby="cluster-title" on:close=act(move |_| {
            if page.dialog.get_untracked() == Some(Dialog::Cluster) {
                page.dialog.set(None);
            }
        })>
            <h2 id="cluster-title">{words::TITLE}</h2>
            {if is_tab { keeping(page).part() } else { view! { <p>{words::ELSEWHERE}</p> }.part() }}
            {is_tab.then(|| back(page, said))}
            {is_tab.then(|| others(page, said, clusters))}
            {taking(page, said, is_tab)}
            <p class="bad" role="alert">{text(move || said.get())}</p>
            <form method="dialog">
                <button class="primary">{messages::CLOSE}</button>
            </form>
        </dialog>
    }
    .part()
}

/// The state of keeping, and the choice.
fn keeping(page: Page) -> impl IntoView {
    let state = move || match page.kept.get() {
        Kept::Not => words::NOT_YET.to_owned(),
        Kept::Off => words::OFF.to_owned(),
        Kept::Saved(bytes, at) => words::saved(bytes, &messages::time_of_day(local_seconds(at))),
        Kept::Failed(why) => why,
    };
    let failed = move || page.kept.with(|kept| matches!(kept, Kept::Failed(_)));
    let choose = move |event: web_sys::Event| {
        let on = event_target_checked(&event);
        turn(on);
        with_keeper(page, move |keeper| async move {
            if on {
                keeper.again();
            } else {
                keeper.stop().await;
            }
        });
    };
    view! {
        <p class=text(move || if failed() { "bad" } else { "quiet" }) role="status">{text(state)}</p>
        <div class="cluster-tools">
            <label class="check">
                <input type="checkbox" prop:checked=flag(move || { page.kept.track(); is_on() }) on:change=choose />
                {words::KEEP}
            </label>
            <button
                type="button"
                hidden=flag(move || !failed() || page.keeper().is_none_or(|keeper| keeper.place().is_none()))
                on:click=act(move |_| with_keeper(page, |keeper| async move { keeper.again() }))
            >
                {words::TRY_AGAIN}
            </button>
        </div>
    }
}

/// Going back: undoing the last change, and branching off from the revision that the page shows.
fn back(page: Page, said: RwSignal<String>) -> Part {
    let before = Memo::new(move |_| page.before_last_change());
    let go = move |revision: Option<u64>| {
        spawn_local(async move {
            let Some(revision) = revision else { return };
            match page.branch(revision).await {
                Ok(()) => page.dialog.set(None),
                Err(why) => said.set(why),
            }
        });
    };
    let about = move || before.get().map_or_else(|| words::NOTHING.to_owned(), words::undo_to);
    view! {
        <h3>{words::BACK}</h3>
        <p class="quiet">{words::BACK_ABOUT}</p>
        <div class="cluster-tools">
            <button
                type="button"
                title=text(about)
                disabled=flag(move || before.with(Option::is_none))
                on:click=act(move |_| go(before.get_untracked()))
            >
                {words::UNDO}
            </button>
            <button
                type="button"
                title=words::BRANCH_ABOUT
                hidden=flag(move || page.at.with(Option::is_none))
                on:click=act(move |_| go(page.at.get_untracked()))
            >
                {text(move || [words::BRANCH, ": ", &page.at.get().unwrap_or_default().to_string()].concat())}
            </button>
        </div>
    }
    .part()
}

/// The other clusters that are kept.
fn others(page: Page, said: RwSignal<String>, clusters: RwSignal<Vec<(String, About)>>) -> Part {
    let numbers = move || (0..clusters.with(Vec::len) as u64).collect();
    let row = move |number: u64| {
        let known = move || clusters.with(|clusters| clusters.get(number as usize).cloned());
        let told = move || known().map(|(_, about)| told(&about)).unwrap_or_default();
        let sure = RwSignal::new(false);
        let open = move |_| {
            let Some((id, about)) = untrack(known) else { return };
            spawn_local(async move {
                match page.turn_to_kept(&id, &about).await {
                    Ok(()) => page.dialog.set(None),
                    Err(why) => said.set(why),
                }
            });
        };
        let delete = move |_| {
            let Some((id, _)) = untrack(known) else { return };
            if !sure.get_untracked() {
                return sure.set(true);
            }
            sure.set(false);
            with_keeper(page, move |keeper| async move {
                if !slots::hold(&id).await {
                    said.set(words::HELD.to_owned());
                } else if let Some(place) = keeper.place()
                    && let Err(why) = place.forget(&id).await
                {
                    said.set(why);
                }
                clusters.set(kept(page).await);
            });
        };
        view! {
            <li>
                <span>{text(told)}</span>
                <button type="button" aria-label=text(move || [words::TURN, ": ", &told()].concat()) on:click=act(open)>
                    {words::TURN}
                </button>
                <button type="button" class=maybe(move || sure.get().then_some("danger")) on:click=act(delete)>
                    {text(move || if sure.get() { words::DELETE_SURE } else { words::DELETE })}
                </button>
            </li>
        }
        .part()
    };
    let import = move |event: web_sys::Event| {
        let Some(file) = dom::chosen_file(&event) else { return };
        spawn_local(async move {
            let done = match dom::read_file(&file).await {
                Some(bytes) => recording::open(page, file.name(), bytes, None).await,
                None => Err(messages::others::unreadable(&file.name())),
            };
            match done {
                Ok(()) => page.dialog.set(None),
                Err(why) => said.set(why),
            }
        });
    };
    let anew = move |_| {
        spawn_local(async move {
            page.start_anew().await;
            page.dialog.set(None);
        });
    };
    view! {
        <h3>{words::OTHERS}</h3>
        <p class="quiet" hidden=flag(move || clusters.with(|clusters| !clusters.is_empty()))>{words::NO_OTHERS}</p>
        <ul class="kept-clusters">{each(numbers, row)}</ul>
        <div class="cluster-tools">
            <button type="button" title=words::NEW_ABOUT on:click=act(anew)>{words::NEW}</button>
            <label class="file" title=words::IMPORT_ABOUT>
                {words::IMPORT}
                <input type="file" class="unseen" accept=".kgrec" on:change=import />
            </label>
        </div>
    }
    .part()
}

/// Taking the cluster, or the request, away.
fn taking(page: Page, said: RwSignal<String>, is_tab: bool) -> Part {
    let with = RwSignal::new(false);
    let manifest = move |_| {
        spawn_local(async move {
            match export::manifest(page).await {
                Ok(manifest) => export::save("cluster.yaml", &manifest),
                Err(why) => said.set(why),
            }
        });
    };
    let share = move |_| match link::address(page, with.get_untracked()) {
        Ok(address) => {
            dom::copy(&address);
            said.set(String::new());
            page.say(words::LINKED);
            page.dialog.set(None);
        }
        Err(why) => said.set(why),
    };
    view! {
        <h3>{words::TAKE}</h3>
        <div class="cluster-tools">
            <button type="button" title=words::AS_YAML_ABOUT on:click=act(manifest)>{words::AS_YAML}</button>
            <button
                type="button"
                title=words::ALL_ABOUT
                on:click=act(move |_| export::save("cluster.kgrec", &link::recorded(page)))
            >
                {words::ALL}
            </button>
            {is_tab.then(|| view! {
                <button type="button" title=learn::WRITE_ABOUT on:click=act(move |_| page.dialog.set(Some(Dialog::Draft)))>{learn::WRITE}</button>
            }.part())}
        </div>
        <div class="cluster-tools">
            <button type="button" title=words::LINK_ABOUT on:click=act(share)>{words::LINK}</button>
            {is_tab.then(|| check(words::LINK_WITH, "", with))}
        </div>
    }
    .part()
}

/// Returns the clusters that are kept, but for the one that the page shows.
async fn kept(page: Page) -> Vec<(String, About)> {
    let Some(keeper) = page.keeper() else { return Vec::new() };
    let Some(place) = keeper.place() else { return Vec::new() };
    let mut clusters = place.clusters().await.unwrap_or_default();
    clusters.retain(|(id, _)| *id != keeper.id());
    clusters
}

fn told(about: &About) -> String {
    let ago = dom::duration(dom::now() - about.saved);
    words::cluster(about.revision, about.objects, ago, about.branched)
}

fn with_keeper<F: Future<Output = ()> + 'static>(page: Page, act: impl FnOnce(Rc<Keeper>) -> F + 'static) {
    spawn_local(async move {
        if let Some(keeper) = page.keeper() {
            act(keeper).await;
        }
    });
}

/// Returns the seconds of a time in Unix milliseconds as clocks on the wall have them.
fn local_seconds(at: f64) -> u64 {
    let offset = js_sys::Date::new(&at.into()).get_timezone_offset() * 60.0;
    (at / 1e3 - offset).max(0.0) as u64
}
