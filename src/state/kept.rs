//! The state that outlives a reload: the cluster of this tab with its history, the requests and watches, and what is
//! being written.
//!
//! A database of this browser (`place.rs`) has several clusters. Each is a recording, to which what happens is appended as it
//! happens (`keeper.rs`), and a desk (`desk.rs`): what the page knows besides. A tab has one of them to itself (`slots.rs`);
//! `recall.rs` puts one in the place of what the page shows. All of that comes in a chunk: here is what the page needs of it
//! before.

mod desk;
pub(crate) mod keeper;
pub(crate) mod link;
pub(crate) mod place;
pub(crate) mod recall;
pub(crate) mod slots;

use std::any::Any;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::trace::Batch;

use super::{Page, address};
use crate::cluster::Request;
use crate::cluster::host::Host;
use crate::ui::{dom, messages};

/// The name of the setting; if its value is `off`, nothing is kept.
const KEPT: &str = "kubeglass.kept";
/// The value of the setting once something is kept.
const SOME: &str = "some";
const OFF: &str = "off";

/// The state of keeping the cluster of this tab.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Kept {
    /// Not yet, or this cluster is not in this tab.
    #[default]
    Not,
    /// All of it, in so many bytes, at a time (Unix milliseconds).
    Saved(u64, f64),
    /// An error: from now on nothing is kept, for the reason that the text tells.
    Failed(String),
    /// Somebody does not want it.
    Off,
}

/// The beginning of a page: what it goes on with, and what its address asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recalled {
    /// True if there is a cluster to go on with.
    pub(crate) cluster: bool,
    /// The request that a link carries, and the revision to show it at.
    pub(crate) asked: Option<(Option<u64>, Request)>,
}

/// Keeps what happens.
pub(crate) trait Keep {
    /// Returns it as what it is, to those who have its code.
    fn itself(self: Rc<Self>) -> Rc<dyn Any>;
    /// Returns whether a cluster that is left can be returned to.
    fn keeps(&self) -> bool;
    /// Takes what has happened in the cluster.
    fn take(&self, batch: &Batch);
    /// The page has another cluster, or has the same one by another engine: what was kept is to be written anew.
    fn anew(&self);
    /// The page knows something else than before.
    fn touched(&self);
    /// Makes the cluster what it was when a revision was the newest one, and resolves once it is: see [`Page::branch`].
    fn branch(&self, revision: u64) -> LocalBoxFuture<'static, ()>;
    /// Begins with a new cluster, and resolves once something is in it: see [`Page::start_anew`].
    fn start_anew(&self) -> LocalBoxFuture<'static, ()>;
    /// Goes on with the cluster that the page had before this one, and resolves once it is there.
    fn turn_back(&self) -> LocalBoxFuture<'static, ()>;
}

/// Returns whether the clusters of tabs are to be kept. Within another page none is: there may be many on one.
pub(crate) fn is_on() -> bool {
    dom::remembered(KEPT).as_deref() != Some(OFF) && !dom::is_within()
}

/// Remembers whether clusters are to be kept, and for the next visit that some are.
pub(crate) fn turn(on: bool) {
    dom::remember(KEPT, if on { SOME } else { OFF });
}

/// Returns whether the page may begin with more than a new cluster, which takes the code that opens it.
pub(crate) fn is_expected(page: Page) -> bool {
    let is_kept = dom::remembered(KEPT).as_deref() == Some(SOME) && !dom::is_within();
    address::is_link() || (is_kept && page.host.with_value(|host| *host == Host::Tab))
}

impl Page {
    /// Returns who keeps the cluster.
    pub(crate) fn who_keeps(self) -> Option<Rc<dyn Keep>> {
        self.quietly(|model| model.keeper.clone()).flatten()
    }

    /// Returns who keeps the cluster, once that code is there, or tells that it cannot be loaded.
    pub(crate) async fn who_will_keep(self) -> Option<Rc<dyn Keep>> {
        (self.chunks().keep)(self).await;
        let keeper = self.who_keeps();
        if keeper.is_none() {
            self.tell_over(messages::NEEDS_CODE.to_owned(), None);
        }
        keeper
    }

    /// Begins to make the cluster what it was when a revision was the newest one.
    pub(crate) fn go_back_to(self, revision: u64) {
        spawn_local(async move {
            if let Some(keeper) = self.who_will_keep().await {
                keeper.branch(revision).await;
            }
        });
    }

    /// Tells who keeps the cluster something.
    pub(crate) fn keeping(self, tell: impl FnOnce(&dyn Keep)) {
        if let Some(keeper) = self.who_keeps() {
            tell(&*keeper);
        }
    }
}
