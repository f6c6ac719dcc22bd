//! Keeps what happens: appends the trace to the recording, and writes the desk, some moments after something has happened and
//! when the page is left.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use glass::Glass;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::trace::{Batch, Event};
use recording::{Options, Writer};
use wasm_bindgen::JsValue;

use super::desk::Desk;
use super::place::{About, FORMAT, Pieces, Place};
use super::{Keep, Kept, is_on, slots, turn};
use crate::state::Page;
use crate::ui::dom;

/// How long what has happened waits, in milliseconds.
const WAIT: f64 = 200.0;
/// Keeping takes no more than one part in so many of the time.
const SHARE: f64 = 20.0;
/// The longest that something waits, in milliseconds.
const LONGEST: f64 = 5_000.0;
/// How long the page does nothing else, in milliseconds.
const TURN: f64 = 10.0;
/// A recording is written anew once it is so many times as long as it was, and
const GROWTH: u64 = 4;
/// has so many bytes more, or is in more pieces than this.
const LEAST: u64 = 8 << 20;
const MOST_PIECES: u32 = 4_000;

/// Keeps the cluster of a tab.
pub(crate) struct Keeper {
    page: Page,
    /// `None` where this browser has none for the page: then nothing is kept.
    place: Option<Place>,
    /// The id of the cluster. Another one is kept from the next time on that all is written.
    id: RefCell<String>,
    /// The recording; `None` until all that is known has been written to one.
    writer: RefCell<Option<Writer>>,
    /// The batches of what has happened while all that was known was being written.
    queue: RefCell<Option<Vec<Batch>>>,
    /// The cluster that the page had before, if it is kept.
    before: RefCell<Option<(String, About)>>,
    /// The description of the cluster as it was kept last.
    about: RefCell<About>,
    /// The pieces of the recording that are kept, and those that are to be.
    pieces: Cell<u32>,
    waiting: RefCell<Vec<Vec<u8>>>,
    /// The length of the recording when all had been written.
    begun: Cell<u64>,
    /// Flags: all is to be written anew; the desk has changed.
    anew: Cell<bool>,
    touched: Cell<bool>,
    /// Flags: something is to be kept soon, is being kept, or can no longer be kept.
    pending: Cell<bool>,
    busy: Cell<bool>,
    failed: Cell<bool>,
    /// How long it took last, in milliseconds.
    took: Cell<f64>,
}

impl Keeper {
    /// Begins to keep the cluster of a page. What is known of it is written anew.
    pub(super) fn begin(page: Page, place: Option<Place>, id: String, branched: Option<u64>) -> Rc<Self> {
        slots::own(&id);
        Rc::new(Self {
            page,
            place,
            id: RefCell::new(id),
            before: RefCell::default(),
            writer: RefCell::default(),
            queue: RefCell::default(),
            about: RefCell::new(About { format: FORMAT, branched, ..About::default() }),
            pieces: Cell::default(),
            waiting: RefCell::default(),
            begun: Cell::default(),
            anew: Cell::new(true),
            touched: Cell::new(true),
            pending: Cell::default(),
            busy: Cell::default(),
            failed: Cell::default(),
            took: Cell::default(),
        })
    }

    /// Returns the place where it keeps the cluster.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// Returns the id of the cluster.
    pub(crate) fn id(&self) -> String {
        self.id.borrow().clone()
    }

    /// Goes on with another cluster, which the page has in the place of the last one. Returns the last one, if it is kept.
    pub(super) fn go_on(&self, id: String, branched: Option<u64>) -> Option<(String, About)> {
        slots::own(&id);
        let before = self.id.replace(id);
        let about = self.about.replace(About { format: FORMAT, branched, ..About::default() });
        let is_kept = about.generation > 0 && !self.failed.get() && is_on();
        self.before.replace(is_kept.then_some((before, about)));
        self.again();
        self.before()
    }

    /// Returns the cluster that the page had before this one.
    pub(super) fn before(&self) -> Option<(String, About)> {
        self.before.borrow().clone()
    }

    /// Tries again where it has failed, or has been stopped.
    pub(crate) fn again(&self) {
        self.failed.set(false);
        self.anew();
    }

    /// Stops keeping, and forgets what was kept of this cluster.
    pub(crate) async fn stop(&self) {
        self.failed.set(true);
        while self.busy.get() {
            dom::sleep(TURN as i32).await;
        }
        self.anew.set(true);
        self.writer.replace(None);
        let forgotten = match &self.place {
            Some(place) => place.forget(&self.id()).await,
            None => Ok(()),
        };
        self.page.kept.set(forgotten.map_or_else(Kept::Failed, |()| Kept::Off));
    }

    /// Keeps what has happened, once that is worth it.
    fn soon(&self) {
        if self.pending.get() || self.failed.get() {
            return;
        }
        self.pending.set(true);
        let pause = (self.took.get() * SHARE).clamp(WAIT, LONGEST);
        let page = self.page;
        set_timeout(move || page.keep_now(false), dom::duration(pause));
    }

    /// Writes all that is known to a new recording.
    async fn write_all(&self) -> Writer {
        self.anew.set(false);
        self.queue.replace(Some(Vec::new()));
        let batches = self.page.quietly(|model| model.here.retell(u64::MAX)).unwrap_or_default();
        let mut writer = Writer::new(options());
        let mut out = Vec::new();
        let mut turn = dom::monotonic();
        for batch in batches {
            out.push(writer.push(batch, Duration::ZERO));
            if dom::monotonic() - turn > TURN {
                dom::sleep(0).await;
                turn = dom::monotonic();
            }
        }
        for batch in self.queue.take().unwrap_or_default() {
            out.push(writer.push(batch, Duration::ZERO));
        }
        out.push(writer.flush());
        self.begun.set(writer.length());
        self.waiting.replace(vec![out.concat()]);
        self.pieces.set(0);
        self.about.borrow_mut().generation += 1;
        writer
    }

    /// Returns what is to be kept now.
    fn pieces(&self) -> Pieces {
        if let Some(writer) = self.writer.borrow_mut().as_mut() {
            self.waiting.borrow_mut().push(writer.flush());
        }
        let mut pieces = self.waiting.take();
        pieces.retain(|piece| !piece.is_empty());
        let desk = self.touched.replace(false).then(|| Desk::of(self.page).write());
        let known = |glass: &Glass| {
            let objects = glass.versions().counts().iter().map(|(_, count)| count).sum();
            (glass.revision(), objects)
        };
        let (revision, objects) = self.page.quietly(|model| known(&model.here)).unwrap_or_default();
        let mut about = self.about.borrow_mut();
        let length = self.writer.borrow().as_ref().map_or(0, Writer::length);
        *about = About {
            saved: dom::now(),
            revision,
            objects,
            bytes: length + desk.as_ref().map_or(0, |desk| desk.len() as u64),
            ..about.clone()
        };
        let first = self.pieces.replace(self.pieces.get() + pieces.len() as u32);
        Pieces { about: about.clone(), first, pieces, desk }
    }

    /// Keeps what has happened, and waits until that is done.
    pub(super) async fn keep_all(&self) {
        while self.busy.get() {
            dom::sleep(TURN as i32).await;
        }
        self.touched.set(true);
        self.keep(false).await;
    }

    /// Keeps what has happened. `leaves` says that the page may be gone in a moment.
    async fn keep(&self, leaves: bool) {
        self.pending.set(false);
        let writes_all = self.queue.borrow().is_some();
        let Some(place) = &self.place else { return };
        if self.failed.get() || !is_on() || writes_all || (self.busy.get() && !leaves) {
            return;
        }
        self.busy.set(true);
        let begun = dom::monotonic();
        let grown = self.writer.borrow().as_ref().is_some_and(|writer| {
            self.pieces.get() > MOST_PIECES
                || writer.length() > (self.begun.get() * GROWTH).max(self.begun.get() + LEAST)
                || writer.ending().is_some()
        });
        // What has grown can wait when the page is left.
        let all = self.anew.get() || self.writer.borrow().is_none() || (grown && !leaves);
        if all {
            let writer = self.write_all().await;
            self.writer.replace(Some(writer));
        }
        let (id, pieces) = (self.id(), self.pieces());
        let written = place.write(&id, &pieces);
        self.took.set(dom::monotonic() - begun);
        let kept = match written.await {
            // Somebody may have decided against it meanwhile.
            Ok(()) if !is_on() => Kept::Off,
            Ok(()) => {
                turn(true);
                Kept::Saved(pieces.about.bytes, pieces.about.saved)
            }
            Err(why) => {
                self.failed.set(true);
                self.anew.set(true);
                Kept::Failed(why)
            }
        };
        self.busy.set(false);
        let _ = self.page.kept.try_set(kept);
        if self.anew.get() || self.touched.get() {
            self.soon();
        }
    }
}

impl Keep for Keeper {
    fn itself(self: Rc<Self>) -> Rc<dyn Any> {
        self
    }

    fn take(&self, batch: &Batch) {
        // The time alone can wait for what happens next.
        let is_news =
            batch.state.is_some() || batch.events.iter().any(|event| !matches!(event, Event::Time(_)));
        if let Some(queue) = self.queue.borrow_mut().as_mut() {
            queue.push(batch.clone());
        } else if !self.anew.get()
            && let Some(writer) = self.writer.borrow_mut().as_mut()
        {
            let out = writer.push(batch.clone(), Duration::ZERO);
            self.waiting.borrow_mut().push(out);
        }
        if is_news {
            self.soon();
        }
    }

    fn anew(&self) {
        self.anew.set(true);
        self.touched();
    }

    fn branch(&self, revision: u64) -> LocalBoxFuture<'static, ()> {
        let page = self.page;
        Box::pin(async move {
            if let Err(why) = page.branch(revision).await {
                page.tell_over(why, None);
            }
        })
    }

    fn touched(&self) {
        self.touched.set(true);
        self.soon();
    }

    fn keeps(&self) -> bool {
        self.place.is_some() && !self.failed.get() && is_on()
    }

    fn start_anew(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(self.page.start_anew())
    }

    fn turn_back(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(self.page.leave_branch())
    }
}

impl Page {
    /// Returns who keeps the cluster.
    pub(crate) fn keeper(self) -> Option<Rc<Keeper>> {
        self.who_keeps()?.itself().downcast().ok()
    }

    /// Keeps what has happened.
    pub(crate) fn keep_now(self, leaves: bool) {
        let keeper = self.keeper();
        spawn_local(async move {
            if let Some(keeper) = keeper {
                keeper.keep(leaves).await;
            }
        });
    }
}

/// How recordings are written that are kept: whoever keeps them decides when.
fn options() -> Options {
    Options { limit: u64::MAX, wait: Duration::MAX, level: 1, secrets: true, ..Options::default() }
}

/// Follows what the page shows, and keeps all when it is left.
pub(super) fn follow(page: Page) {
    Effect::new(move |_| {
        page.form.watched();
        page.form.accept.track();
        page.namespace.track();
        page.at.track();
        page.shown.track();
        page.keeping(|keeper| keeper.touched());
    });
    dom::listen("pagehide", move |_: JsValue| page.keep_now(true));
    dom::listen("visibilitychange", move |_: JsValue| page.keep_now(true));
}
