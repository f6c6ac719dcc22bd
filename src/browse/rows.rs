//! The objects of a collection: read in pages as somebody scrolls, and again when they have changed.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::collection::Collection;
use super::listing::{Listing, PAGE};
use crate::state::Page;
use crate::state::peek::Refusal;
use crate::ui::dom;
use crate::ui::memo::Memo;

/// More objects than this are not read again by themselves.
const LIVE: usize = 4 * PAGE;
/// How many are read at once while somebody looks for a name.
const MANY: usize = 4 * PAGE;
/// How long changes are waited for, to read all of them at once, in milliseconds.
const SOON: i32 = 150;
/// How often the ages are read anew.
const AGES: Duration = Duration::from_secs(10);

/// The objects that have been read. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    page: Page,
    collection: Memo<Collection>,
    /// The pages that have been read so far.
    pub(super) listing: RwSignal<Listing>,
    /// Why nothing was, the last time.
    pub(super) refusal: RwSignal<Option<Refusal>>,
    /// True while something is being read.
    pub(super) reads: RwSignal<bool>,
    /// True once there are changes that are not read by themselves.
    pub(super) is_stale: RwSignal<bool>,
    /// The revision of what was read before; 0 if that was nothing.
    pub(super) before: RwSignal<u64>,
    /// Counts the collections.
    turn: StoredValue<u64>,
    /// True while it is to be read again in a moment.
    is_due: StoredValue<bool>,
}

impl Rows {
    /// Reads the collection at `path` from now on.
    pub(super) fn of(page: Page, path: String) -> Self {
        let written = page.last_written(super::path::concerns(&path));
        let collection = Memo::new(move |_| Collection {
            which: page.cluster.get(),
            path: path.clone(),
            labels: page.browse.labels.get(),
            at: page.reads_at(),
        });
        let rows = Self {
            page,
            collection,
            listing: RwSignal::new(Listing::default()),
            refusal: RwSignal::new(None),
            reads: RwSignal::new(false),
            is_stale: RwSignal::new(false),
            before: RwSignal::new(0),
            turn: StoredValue::new(0),
            is_due: StoredValue::new(false),
        };
        Effect::new(move |before: Option<Collection>| {
            let (now, _) = (collection.get(), written.get());
            match before {
                Some(before) if before == now => rows.changed(),
                _ => rows.begin(),
            }
            now
        });
        dom::every_while_seen(AGES, move || rows.grow_older());
        rows
    }

    /// Begins anew.
    pub(super) fn begin(self) {
        self.turn.update_value(|turn| *turn += 1);
        self.listing.set(Listing::default());
        self.before.set(0);
        self.read();
    }

    /// Reads again, soon, what has been read: something has changed.
    fn changed(self) {
        // What has been is not changed by what comes.
        if self.collection.with_untracked(|own| own.at.is_some()) {
            return;
        }
        if self.listing.with_untracked(|listing| listing.rows.len()) > LIVE {
            self.is_stale.set(true);
        } else if !self.is_due.get_value() {
            self.is_due.set_value(true);
            spawn_local(async move {
                dom::sleep(SOON).await;
                if self.is_due.try_set_value(false).is_none() {
                    self.read();
                }
            });
        }
    }

    /// Reads again, for the ages, unless it takes long.
    fn grow_older(self) {
        let few = self.listing.with_untracked(|listing| listing.rows.len() <= PAGE);
        if few && self.collection.with_untracked(|own| own.at.is_none()) {
            self.read();
        }
    }

    fn read(self) {
        let (page, collection) = (self.page, self.collection.get_untracked());
        let turn = self.turn.get_value();
        let least = self.listing.with_untracked(|listing| listing.rows.len());
        self.reads.set(true);
        spawn_local(async move {
            let read = collection.first(page, least).await;
            // Who wanted to see it may look at something else by now.
            if self.turn.try_get_value() != Some(turn) {
                return;
            }
            self.reads.set(false);
            self.is_stale.set(false);
            match read {
                Ok(listing) => {
                    self.refusal.set(None);
                    let before = self.listing.with_untracked(|listing| listing.version);
                    if before != listing.version {
                        self.before.set(before);
                    }
                    if self.listing.with_untracked(|known| *known != listing) {
                        self.listing.set(listing);
                        dom::keep_focus();
                    }
                }
                Err(refusal) => self.refusal.set(Some(refusal)),
            }
        });
    }

    /// Reads the next page, if there is one; `seeks` if somebody looks for a name.
    pub(super) fn go_on(self, seeks: bool) {
        let goes_on = self.listing.with_untracked(Listing::goes_on);
        if !goes_on || self.reads.get_untracked() || self.refusal.with_untracked(Option::is_some) {
            return;
        }
        let (page, collection) = (self.page, self.collection.get_untracked());
        let turn = self.turn.get_value();
        let before = self.listing.with_untracked(|listing| Listing {
            version: listing.version,
            token: listing.token.clone(),
            ..Listing::default()
        });
        self.reads.set(true);
        spawn_local(async move {
            let read = collection.next(page, &before, if seeks { MANY } else { PAGE }).await;
            if self.turn.try_get_value() != Some(turn) {
                return;
            }
            self.reads.set(false);
            match read {
                // It may have been read again meanwhile.
                Ok(next) if self.listing.with_untracked(|listing| listing.token == before.token) => {
                    self.listing.update(|listing| listing.append(next));
                }
                Ok(_) => {}
                // The revision of the pages before has been compacted.
                Err(refusal) if refusal.code == 410 => self.begin(),
                Err(refusal) => self.refusal.set(Some(refusal)),
            }
        });
    }
}
