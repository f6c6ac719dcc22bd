//! The chunks that no pane has to itself: what is in them, and who loads them. Whoever puts the page together hands that in, for
//! what they lead to knows the page.

use futures::future::LocalBoxFuture;
use leptos::prelude::*;

use super::Page;
use crate::cluster::{Answer, Request, Transport};
use crate::ui::later::{Loading, later};
use crate::ui::part::{IntoPart, Part};

/// Functions whose code is loaded when it is first needed.
#[derive(Clone, Copy)]
pub(crate) struct Rarely {
    /// Sends a request to a remote cluster: see [`crate::cluster::remote`].
    pub(crate) remote: fn(Request) -> LocalBoxFuture<'static, Result<Answer, String>>,
    /// Applies the manifest in the body, or previews that: see [`crate::manifest::run::apply`].
    pub(crate) apply: fn(Page, bool),
    /// Puts the line that was pasted into the form, and sends it if that is wanted: see [`crate::request::pasted::take`].
    pub(crate) pasted: fn(Page, bool),
}

/// Makes a view.
pub(crate) type View = fn() -> Part;

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

/// The features that few users need.
#[derive(Clone, Copy)]
pub(crate) struct More {
    pub(crate) rarely: Rarely,
    /// See [`crate::state::others::hear`].
    pub(crate) others: fn(Page),
    /// See [`crate::tour::begin`].
    pub(crate) tour: fn(Page),
    /// The card of the tour, and the welcome.
    pub(crate) guide: View,
    /// See [`crate::state::tabs::open_another`].
    pub(crate) open_another: fn(Page),
    /// See [`crate::state::tabs::recall`].
    pub(crate) tabs_before: fn(Page),
    /// The requests that are open.
    pub(crate) tabs: View,
    /// See [`crate::manifest::view::show`].
    pub(crate) manifest: fn(Page) -> Part,
    /// The bar over a manifest in the body.
    pub(crate) manifest_bar: View,
    /// Lets somebody choose files with manifests.
    pub(crate) open_file: View,
    /// See [`crate::manifest::files::listen`].
    pub(crate) files: fn(Page),
    /// Asks for the address of a server.
    pub(crate) address: fn(RwSignal<bool>) -> Part,
    /// Asks for a file with a recording, and says which part of it is shown.
    pub(crate) recording: fn(RwSignal<bool>) -> Part,
    /// The tree of what is served.
    pub(crate) reference: View,
    /// The objects of the cluster.
    pub(crate) browser: View,
    /// The Access view: who may do what.
    pub(crate) access: View,
    /// The dialogs.
    pub(crate) dialogs: View,
}

/// The functions that load them.
#[derive(Clone, Copy)]
pub(crate) struct Chunks {
    /// Loads the panes that are not there from the beginning.
    pub(crate) panes: fn() -> Loading<Panes>,
    /// Loads what few people need.
    pub(crate) more: fn() -> Loading<More>,
}

impl Page {
    /// Returns what loads the chunks that no pane has to itself.
    pub(crate) fn chunks(self) -> Chunks {
        self.chunks.get_value()
    }

    /// Shows a part of what few people need, once it is there. One function for all: each closure would make machine code of its own.
    pub(crate) fn of_more(self, show: fn(More) -> Part) -> Part {
        later(self.chunks().more, || ().part(), show)
    }
}

/// A remote cluster.
pub(super) struct Remote(pub(super) fn() -> Loading<More>);

impl Transport for Remote {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let loading = (self.0)();
        Box::pin(async move {
            let code = loading.await.map_err(|error| error.to_string())?;
            (code.rarely.remote)(request).await
        })
    }
}
