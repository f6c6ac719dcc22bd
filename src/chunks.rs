//! The chunks that the page is split into: what only such a function leads to is in a module of its own, which is loaded
//! when the function is first called.
//!
//! Each gives functions, not views: a view is made where it is shown, in the scope of what it belongs to. There are few: what
//! some of them share is in files of its own, one for each of the sets of chunks that share something.

// The macro declares what the module imports.
#![allow(unsafe_code)]

use ::bytes::Bytes;
use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::access::view as decided;
use crate::access::who::WhoMay;
use crate::aside::Aside;
use crate::browse::view::Browser;
use crate::change::{going, owned, trial};
use crate::cluster::host::Host;
use crate::cluster::status::Status;
use crate::cluster::trace::Exchange;
use crate::cluster::{Request, remote};
use crate::explore::offer;
use crate::explore::view::Reference;
use crate::kept::view::ThisCluster;
use crate::learn::reader::Reader;
use crate::learn::running::Running;
use crate::learn::view::Learn;
use crate::learn::{lesson, present, shelf, step};
use crate::manifest::view::{ManifestBar, OpenFile};
use crate::manifest::{self, files};
use crate::model::change::trial::Trial;
use crate::policy::view as policy;
use crate::request::controls::Controls;
use crate::request::editor::view::Editor;
use crate::request::pasted;
use crate::request::sent::History;
use crate::request::tabs::Strip;
use crate::response::tree::Handle;
use crate::response::{against, bytes, event, find, next, representations, waiting};
use crate::shell::address::Address;
use crate::shell::help::Help;
use crate::shell::palette::Palette;
use crate::shell::recorded::Recorded;
use crate::state::kept::{Kept, Recalled, recall};
use crate::state::rarely::Rarely;
use crate::state::{Page, address, others, recording, tabs};
use crate::timeline::view::Timeline;
use crate::tour;
use crate::tour::view::{TourCard, Welcome};
use crate::ui::later::{Loading, later};
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part};
use crate::why::view as why;

/// Makes a view.
type View = fn() -> Part;

/// The panes whose code is loaded as soon as the page is there.
#[derive(Clone, Copy)]
pub(crate) struct Panes {
    /// The right pane: the watches, and what is done to the cluster on purpose.
    pub(crate) aside: View,
    /// The timeline.
    pub(crate) timeline: View,
    /// The requests that were sent.
    pub(crate) history: View,
}

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

/// The parts of the form with which a change is composed.
#[derive(Clone, Copy)]
pub(crate) struct Composing {
    /// How it is sent.
    pub(crate) controls: View,
    /// The editor of its body.
    pub(crate) editor: View,
}

/// Loads the parts of the form with which a change is composed.
pub(crate) fn composing() -> Loading<Composing> {
    Box::pin(load_composing())
}

#[wasm_split(editor, fallible)]
fn load_composing() -> Result<Composing, SplitLoaderError> {
    Ok(Composing { controls: || view! { <Controls /> }.part(), editor: || view! { <Editor /> }.part() })
}

/// What few people need.
#[derive(Clone, Copy)]
pub(crate) struct More {
    rarely: Rarely,
    /// See [`others::hear`].
    others: fn(Page),
    /// See [`tour::begin`].
    pub(crate) tour: fn(Page),
    /// The card of the tour, and the welcome.
    pub(crate) guide: View,
    /// See [`tabs::open_another`].
    pub(crate) open_another: fn(Page),
    /// See [`tabs::recall`].
    tabs_before: fn(Page),
    /// The requests that are open.
    pub(crate) tabs: View,
    /// See [`manifest::view::show`].
    pub(crate) manifest: fn(Page) -> Part,
    /// The bar over a manifest in the body.
    pub(crate) manifest_bar: View,
    /// Lets somebody choose files with manifests.
    pub(crate) open_file: View,
    /// See [`files::listen`].
    files: fn(Page),
    /// Asks for the address of a server.
    pub(crate) address: fn(RwSignal<bool>) -> Part,
    /// Asks for a file with a recording, and says which part of it is shown.
    pub(crate) recording: fn(RwSignal<bool>) -> Part,
    /// The tree of what is served.
    pub(crate) reference: View,
    /// The objects of the cluster.
    pub(crate) browser: View,
    /// Who may do what.
    pub(crate) access: View,
    /// The dialogs.
    pub(crate) dialogs: View,
}

/// Loads what few people need, but for the views.
pub(crate) fn rarely() -> Loading<Rarely> {
    Box::pin(async { load_more().await.map(|more| more.rarely) })
}

/// Loads what few people need.
pub(crate) fn more() -> Loading<More> {
    Box::pin(load_more())
}

/// Shows a part of what few people need, once it is there. One function for all: each closure would make machine code of its own.
pub(crate) fn of_more(show: fn(More) -> Part) -> Part {
    later(more, || ().part(), show)
}

#[wasm_split(more, fallible)]
fn load_more() -> Result<More, SplitLoaderError> {
    Ok(More {
        rarely: Rarely { remote: remote::send, apply: manifest::run::apply, pasted: pasted::take },
        others: others::hear,
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
        dialogs: || (view! { <Help /> }, view! { <Palette /> }).part(),
    })
}

/// Loads the documents that run.
pub(crate) fn reading() -> Loading<View> {
    Box::pin(load_reading())
}

#[wasm_split(reading, fallible)]
fn load_reading() -> Result<View, SplitLoaderError> {
    Ok(|| view! { <Learn /> }.part())
}

/// Shows what can be read. See [`shelf::show`].
type Shelf = fn(Page, Option<String>) -> Part;

/// Loads what shows which lessons and documents there are.
pub(crate) fn shelf() -> Loading<Shelf> {
    Box::pin(load_shelf())
}

#[wasm_split(shelf, fallible)]
fn load_shelf() -> Result<Shelf, SplitLoaderError> {
    Ok(shelf::show)
}

/// Loads what runs documents.
pub(crate) fn running() -> Loading<Running> {
    Box::pin(load_running())
}

#[wasm_split(running, fallible)]
fn load_running() -> Result<Running, SplitLoaderError> {
    Ok(Running::HERE)
}

/// The functions that make a lesson of a document, or a presentation.
#[derive(Clone, Copy)]
pub(crate) struct Teaching {
    /// See [`step::show`].
    pub(crate) step: fn(Reader, usize) -> Part,
    /// See [`lesson::follow`].
    pub(crate) follow: fn(Reader),
    /// See [`present::show`].
    pub(crate) present: fn(Reader) -> Part,
}

/// Loads what makes a lesson of a document, or a presentation.
pub(crate) fn teaching() -> Loading<Teaching> {
    Box::pin(load_teaching())
}

#[wasm_split(teaching, fallible)]
fn load_teaching() -> Result<Teaching, SplitLoaderError> {
    Ok(Teaching { step: step::show, follow: lesson::follow, present: present::show })
}

/// The functions that keep clusters over a reload, and that open recordings.
#[derive(Clone, Copy)]
pub(crate) struct Keeping {
    /// See [`recording::open`].
    recording: recording::Open,
    /// See [`recall::open`].
    open: fn(Page) -> LocalBoxFuture<'static, Recalled>,
    /// See [`recall::begin`].
    begin: fn(Page),
    /// The dialog about the cluster.
    dialog: View,
}

/// Loads what keeps clusters.
pub(crate) fn keeping() -> Loading<Keeping> {
    Box::pin(load_keeping())
}

#[wasm_split(keeping, fallible)]
fn load_keeping() -> Result<Keeping, SplitLoaderError> {
    Ok(Keeping {
        recording: recording::open,
        open: recall::open,
        begin: recall::begin,
        dialog: || view! { <ThisCluster /> }.part(),
    })
}

/// Loads the dialog about the cluster.
pub(crate) fn about_cluster() -> Loading<View> {
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

/// The explanations of a response, and its other forms.
#[derive(Clone, Copy)]
pub(crate) struct Explanations {
    /// See [`why::of_answer`].
    pub(crate) of_answer: fn(Page, &Exchange, Status) -> Part,
    /// See [`decided::denied`].
    pub(crate) denied: fn(Page, &Exchange) -> Option<Part>,
    /// See [`against::show`].
    pub(crate) against: fn(Page, u64) -> Part,
    /// See [`event::show`].
    pub(crate) event: fn(Page, u64, u64) -> Part,
    /// See [`waiting::show`].
    pub(crate) waiting: fn(Page, u64, f64) -> Part,
    /// See [`why::of_deletion`].
    pub(crate) of_deletion: fn(Page, &Exchange, &[u8]) -> Option<Part>,
    /// See [`why::OfWatch`].
    pub(crate) of_watch: fn(u64) -> Part,
    /// See [`going::show`].
    pub(crate) going: fn(Page, &Request, &[u8]) -> Option<Part>,
    /// See [`next::show`].
    pub(crate) next: next::Show,
    /// See [`find::show`].
    pub(crate) find: fn(Handle) -> Part,
    /// See [`offer::show`].
    pub(crate) offer: fn(Page, &[u8]) -> Option<Part>,
    /// See [`owned::of_body`].
    pub(crate) owned: fn(&[u8], &str) -> Part,
    /// See [`representations::show`].
    pub(crate) representations: fn(Page, Request, Option<Bytes>) -> Part,
    /// See [`bytes::view::show`].
    pub(crate) bytes: fn(&str, Bytes, Option<Bytes>, String) -> Part,
    /// See [`trial::show`].
    pub(crate) trial: fn(Page, &Trial) -> Part,
    /// See [`policy::show`].
    pub(crate) policy: fn(Page) -> Part,
}

/// Loads the explanations.
pub(crate) fn explanations() -> Loading<Explanations> {
    Box::pin(load_explanations())
}

#[wasm_split(explanations, fallible)]
fn load_explanations() -> Result<Explanations, SplitLoaderError> {
    Ok(Explanations {
        of_answer: why::of_answer,
        denied: decided::denied,
        against: against::show,
        event: event::show,
        waiting: waiting::show,
        of_deletion: why::of_deletion,
        of_watch: |watch| view! { <why::OfWatch watch=watch /> }.part(),
        going: going::show,
        next: next::show,
        find: find::show,
        offer: offer::show,
        owned: owned::of_body,
        representations: representations::show,
        bytes: bytes::view::show,
        trial: trial::show,
        policy: policy::show,
    })
}

/// Loads all that is not there, one after the other, so that it is there when it is wanted, and has what others do shown. What
/// cannot be loaded is loaded when it is wanted.
pub(crate) async fn prefetch(page: Page) {
    let _ = composing().await;
    let _ = explanations().await;
    if let Ok(more) = more().await {
        (more.others)(page);
        (more.files)(page);
        (more.tabs_before)(page);
        if !address::is_open(page) {
            page.tour.ready();
        }
    }
    if page.host.with_value(|host| *host == Host::Tab)
        && !address::is_open(page)
        && let Ok(keeping) = keeping().await
    {
        (keeping.begin)(page);
    }
}
