//! The chunks that no pane has to itself. What is in them knows the page, so this module has only their types: [`crate::app`] hands
//! the page the functions that load them.

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::client::Client;
use protocol::webhook::WebhookCall;

use super::Page;
use crate::cluster::{Answer, Request, Stream, Transport};
use crate::model::request::presets::{Preset, Step};
use crate::ui::later::{Loading, later};
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part};

/// Makes a view.
pub(crate) type Show = fn() -> Part;

/// The panes whose code is loaded with the first write, or when the page goes on with a cluster.
#[derive(Clone, Copy)]
pub(crate) struct Panes {
    /// The right pane: the watches, and what is done to the cluster on purpose.
    pub(crate) aside: Show,
    /// The timeline.
    pub(crate) timeline: Show,
    /// The requests that were sent.
    pub(crate) history: Show,
}

/// The features that few users need.
#[derive(Clone, Copy)]
pub(crate) struct More {
    /// Sends a request to a remote cluster: see [`crate::cluster::remote`].
    pub(crate) remote: fn(Request) -> LocalBoxFuture<'static, Result<Answer, String>>,
    /// See [`crate::model::request::presets::late_steps`].
    pub(crate) late_steps: fn(&Preset) -> &'static [Step],
    /// See [`crate::state::growing::grow`].
    pub(crate) grow: fn(Page, u64, Stream),
    /// Applies the manifest in the body, or previews that: see [`crate::manifest::run::apply`].
    pub(crate) apply: fn(Page, bool),
    /// Puts the line that was pasted into the form, and sends it if that is wanted: see [`crate::request::pasted::take`].
    pub(crate) pasted: fn(Page, bool),
    /// See [`crate::state::others::hear`].
    pub(crate) others: fn(Page),
    /// See [`crate::state::controllers::begin`].
    pub(crate) controllers: fn(Page),
    /// See [`crate::tour::begin`].
    pub(crate) tour: fn(Page),
    /// The card of the tour, and the welcome.
    pub(crate) guide: Show,
    /// See [`crate::state::tabs::open_another`].
    pub(crate) open_another: fn(Page),
    /// See [`crate::state::tabs::recall`].
    pub(crate) tabs_before: fn(Page),
    /// The requests that are open.
    pub(crate) tabs: Show,
    /// See [`crate::manifest::view::show`].
    pub(crate) manifest: fn(Page) -> Part,
    /// The bar over a manifest in the body.
    pub(crate) manifest_bar: Show,
    /// Lets somebody choose files with manifests.
    pub(crate) open_file: Show,
    /// See [`crate::manifest::files::listen`].
    pub(crate) files: fn(Page),
    /// Asks for the address of a server.
    pub(crate) address: fn(RwSignal<bool>) -> Part,
    /// Asks for a file with a recording, and says which part of it is shown.
    pub(crate) recording: fn(RwSignal<bool>) -> Part,
    /// The tree of what is served.
    pub(crate) reference: Show,
    /// The objects of the cluster.
    pub(crate) browser: Show,
    /// The Access view: who may do what.
    pub(crate) access: Show,
    /// Calls a webhook with a review, by its number: see [`crate::state::webhooks::call`].
    pub(crate) webhook: fn(Page, Client, u64, WebhookCall, Bytes),
    /// The race of two clients.
    pub(crate) race: Show,
    /// The dialogs.
    pub(crate) dialogs: Show,
}

/// The functions that load them.
#[derive(Clone, Copy)]
pub(crate) struct Chunks {
    /// Loads the panes that are not there from the beginning.
    pub(crate) panes: fn() -> Loading<Panes>,
    /// Loads what few people need.
    pub(crate) more: fn() -> Loading<More>,
    /// Begins to keep what happens, unless that has begun.
    pub(crate) keep: fn(Page) -> LocalBoxFuture<'static, ()>,
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

    /// Does something that few people need, once its code is there.
    pub(crate) fn with_more(self, act: Box<dyn FnOnce(More)>) {
        self.with((self.chunks().more)(), act);
    }

    /// Does something once its code is there. (Boxed, for each closure would make machine code of its own.)
    pub(crate) fn with<C: 'static>(self, loading: Loading<C>, act: Box<dyn FnOnce(C)>) {
        spawn_local(async move {
            match loading.await {
                Ok(code) => act(code),
                Err(_) => self.tell_over(messages::NEEDS_CODE.to_owned(), None),
            }
        });
    }
}

/// A remote cluster.
pub(super) struct Remote(pub(super) fn() -> Loading<More>);

impl Transport for Remote {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let loading = (self.0)();
        Box::pin(async move {
            let code = loading.await.map_err(|error| error.to_string())?;
            (code.remote)(request).await
        })
    }
}
