//! The chunks that the page is split into: what only such a function leads to is in a module of its own, which is loaded
//! when the function is first called.
//!
//! Each gives functions, not views: a view is made where it is shown, in the scope of what it belongs to. There are few: what
//! some of them share is in files of its own, one for each of the sets of chunks that share something.
//!
//! Those that one pane alone calls are in its folder: `learn/chunk.rs`, `request/chunk.rs`, `response/chunk.rs`. Those here are made of
//! several panes; who calls them from a pane has them of the page ([`Chunks`](crate::state::chunks::Chunks)).

// The macro declares what the module imports.
#![allow(unsafe_code)]

use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::access::who::WhoMay;
use crate::aside::Aside;
use crate::browse::view::Browser;
use crate::cluster::host::Host;
use crate::cluster::remote;
use crate::explore::view::Reference;
use crate::kept::view::ThisCluster;
use crate::lab::race::view::Racing;
use crate::learn;
use crate::learn::view::Learn;
use crate::manifest::view::{ManifestBar, OpenFile};
use crate::manifest::{self, files};
use crate::model::request::presets::late_steps;
use crate::request::sent::History;
use crate::request::tabs::Strip;
use crate::request::{self, pasted};
use crate::response;
use crate::shell::address::Address;
use crate::shell::help::Help;
use crate::shell::palette::Palette;
use crate::shell::recorded::Recorded;
use crate::state::chunks::{More, Panes, Show};
use crate::state::kept::{Kept, Recalled, recall};
use crate::state::{Dialog, Page, address, controllers, growing, others, recording, tabs, webhooks};
use crate::timeline::view::Timeline;
use crate::tour;
use crate::tour::view::{TourCard, Welcome};
use crate::ui::later::{Loading, later};
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, live};

/// Loads the panes that are not there from the beginning.
pub(crate) fn panes() -> Loading<Panes> {
    Box::pin(load_panes())
}

#[wasm_split(panes, fallible)]
fn load_panes() -> Result<Panes, SplitLoaderError> {
    Ok(Panes {
        aside: || view! { <Aside /> }.part(),
        timeline: || view! { <Timeline /> }.part(),
        history: || view! { <History /> }.part(),
    })
}

/// Loads what few people need.
pub(crate) fn more() -> Loading<More> {
    Box::pin(load_more())
}

#[wasm_split(more, fallible)]
fn load_more() -> Result<More, SplitLoaderError> {
    Ok(More {
        remote: remote::send,
        late_steps,
        grow: growing::grow,
        apply: manifest::run::apply,
        pasted: pasted::take,
        others: others::hear,
        controllers: controllers::begin,
        tour: tour::begin,
        guide: || (view! { <TourCard /> }, view! { <Welcome /> }).part(),
        open_another: tabs::open_another,
        tabs_before: tabs::recall,
        tabs: || view! { <Strip /> }.part(),
        manifest: manifest::view::show,
        manifest_bar: || view! { <ManifestBar /> }.part(),
        open_file: || view! { <OpenFile /> }.part(),
        files: files::listen,
        address: |asks| view! { <Address asks=asks /> }.part(),
        recording: |asks| view! { <Recorded asks=asks load=recordings /> }.part(),
        reference: || view! { <Reference /> }.part(),
        access: || view! { <WhoMay /> }.part(),
        browser: || view! { <Browser /> }.part(),
        webhook: webhooks::call,
        race: || view! { <Racing /> }.part(),
        dialogs: || (view! { <Help /> }, view! { <Palette /> }).part(),
    })
}

/// Loads the documents that run.
pub(crate) fn reading() -> Loading<Show> {
    Box::pin(load_reading())
}

#[wasm_split(reading, fallible)]
fn load_reading() -> Result<Show, SplitLoaderError> {
    Ok(|| view! { <Learn /> }.part())
}

/// The functions that keep clusters over a reload, and that open recordings.
#[derive(Clone, Copy)]
pub(crate) struct Keeping {
    /// See [`recording::open`].
    recording: recording::Open,
    /// See [`recall::open`].
    open: fn(Page) -> LocalBoxFuture<'static, Recalled>,
    /// See [`recall::begin`].
    begin: fn(Page) -> LocalBoxFuture<'static, ()>,
    /// The dialog about the cluster.
    dialog: Show,
}

/// The dialog about the cluster, and the one in which a document is written, whose code is loaded when it is opened first.
fn dialogs() -> Part {
    let page = expect_context::<Page>();
    let writes = Memo::new(move |asked: Option<&bool>| {
        asked == Some(&true) || page.dialog.get() == Some(Dialog::Draft)
    });
    let write = live(move || {
        writes.get().then(|| later(learn::chunk::writing, || ().part(), |writing| (writing.dialog)()))
    });
    (view! { <ThisCluster /> }, write).part()
}

/// Loads what keeps clusters.
pub(crate) fn keeping() -> Loading<Keeping> {
    Box::pin(load_keeping())
}

#[wasm_split(keeping, fallible)]
fn load_keeping() -> Result<Keeping, SplitLoaderError> {
    Ok(Keeping { recording: recording::open, open: recall::open, begin: recall::begin, dialog: dialogs })
}

/// Loads the dialog about the cluster.
pub(crate) fn about_cluster() -> Loading<Show> {
    Box::pin(async { keeping().await.map(|keeping| keeping.dialog) })
}

/// Loads what opens recordings.
pub(crate) fn recordings() -> Loading<recording::Open> {
    Box::pin(async { keeping().await.map(|keeping| keeping.recording) })
}

/// Opens what the page begins with: see [`recall::open`].
pub(crate) async fn recall(page: Page) -> Recalled {
    match keeping().await {
        Ok(keeping) => (keeping.open)(page).await,
        Err(error) => {
            page.kept.set(Kept::Failed(messages::kept::refused(&error.to_string())));
            Recalled::default()
        }
    }
}

/// Loads all that is not there, one after the other, so that it is there when it is wanted, and has what others do shown. What
/// cannot be loaded is loaded when it is wanted.
pub(crate) async fn prefetch(page: Page) {
    let _ = request::chunk::composing().await;
    let _ = response::chunk::explanations().await;
    if let Ok(more) = more().await {
        (more.others)(page);
        (more.controllers)(page);
        (more.files)(page);
        (more.tabs_before)(page);
        if !address::is_open(page) {
            page.tour.ready();
        }
    }
    if page.host.with_value(|host| *host == Host::Tab) && !address::is_open(page) {
        keep(page).await;
    }
}

/// Begins to keep what happens, unless that has begun. Resolves once it has, or if its code cannot be loaded.
pub(crate) fn keep(page: Page) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        if let Ok(keeping) = keeping().await {
            (keeping.begin)(page).await;
        }
    })
}
