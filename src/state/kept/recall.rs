//! Going on with a cluster that was kept, with one that came in a file or a link, or with what this one was at an older revision.

use std::rc::Rc;

use futures::future::LocalBoxFuture;
use glass::Glass;
use leptos::prelude::*;
use leptos::task::spawn_local;
use recording::Recording;

use crate::cluster::host::Host;
use crate::cluster::{Request, Which};
use crate::model::views::View;
use crate::state::feeding::News;
use crate::state::kept::desk::{Again, Desk};
use crate::state::kept::keeper::{self, Keeper};
use crate::state::kept::link::Link;
use crate::state::kept::place::{About, Place};
use crate::state::kept::{Kept, Recalled, is_on, slots};
use crate::state::others::Others;
use crate::state::recording::fold;
use crate::state::{Model, Page, Shown, Step, history, views};
use crate::ui::dom;
use crate::ui::messages::kept as words;

/// How many clusters are kept. Those that were left longest ago are forgotten.
const MOST: usize = 12;

/// The knowledge of a cluster, and the other state of the page.
pub(crate) struct Cluster {
    pub(crate) glass: Glass,
    pub(crate) desk: Desk,
}

/// Opens what the page begins with: the cluster of a link, or the one that this tab had, if it is kept. Begins to keep what happens.
pub(crate) fn open(page: Page) -> LocalBoxFuture<'static, Recalled> {
    Box::pin(async move {
        let hash = dom::window().location().hash().unwrap_or_default();
        let link = match Link::read(&hash) {
            Some(Ok(link)) => Some(link),
            Some(Err(trouble)) => {
                page.tell_over(trouble.sentence().to_owned(), None);
                None
            }
            None => None,
        };
        if page.host.with_value(Host::is_shared) {
            return Recalled { cluster: false, asked: link.map(|link| asked(page, link)) };
        }
        let place = place(page).await;
        if let Some(carried) = &link
            && let Some(glass) = carried.glass().await
        {
            match glass {
                Ok(glass) => {
                    begin_with(page, place, slots::new().await, None);
                    page.put_back(Cluster { glass, desk: Desk::default() });
                    return Recalled { cluster: true, asked: link.map(|link| asked(page, link)) };
                }
                Err(trouble) => page.tell_over(trouble.sentence().to_owned(), None),
            }
        }
        let cluster = match &place {
            Some(place) if is_on() => kept(page, place).await,
            _ => None,
        };
        let asked = link.map(|link| asked(page, link));
        match cluster {
            Some((id, branched, cluster)) => {
                page.put_back(cluster);
                begin_with(page, place, id, branched);
                Recalled { cluster: true, asked }
            }
            None => {
                begin_with(page, place, slots::new().await, None);
                Recalled { cluster: false, asked }
            }
        }
    })
}

/// Returns the place where clusters are kept. Where there is none, it says so.
async fn place(page: Page) -> Option<Place> {
    let opened = Place::open().await;
    opened.map_err(|why| page.kept.set(Kept::Failed(why))).ok()
}

/// Returns the cluster that this tab goes on with, and its id from now on. One that cannot be read stays where it is.
async fn kept(page: Page, place: &Place) -> Option<(String, Option<u64>, Cluster)> {
    let read = async {
        let Some(slot) = slots::choose(place.clusters().await?).await? else { return Ok(None) };
        let cluster = read(place, &slot.id, &slot.about).await?;
        let id = if slot.copy { slots::new().await } else { slot.id };
        Ok(Some((id, slot.about.branched, cluster)))
    };
    match read.await {
        Ok(read) => read,
        Err(why) => {
            page.tell_over(why, None);
            None
        }
    }
}

/// Shows what a link carries besides the cluster. Returns the request, and the revision to show it at.
fn asked(page: Page, link: Link) -> (Option<u64>, Request) {
    let Link { request, namespace, at, view, .. } = link;
    page.namespace.set(namespace);
    if let Some(view) = View::of(&view) {
        views::turn(page, view);
    }
    // A reload is to find what comes of it, and not to begin with the link once more.
    history::put(page, &request, false);
    (at, request)
}

/// Begins to keep what happens in a page that had nothing to go on with, unless that has begun.
pub(crate) fn begin(page: Page) -> LocalBoxFuture<'static, ()> {
    Box::pin(async move {
        if page.keeper().is_some() {
            return;
        }
        let (place, id) = (place(page).await, slots::new().await);
        // Somebody else may have begun meanwhile.
        if page.keeper().is_some() {
            return;
        }
        if !is_on() {
            page.kept.set(Kept::Off);
        }
        begin_with(page, place, id, None);
    })
}

fn begin_with(page: Page, place: Option<Place>, id: String, branched: Option<u64>) {
    let keeper = Keeper::begin(page, place, id, branched);
    page.quietly(|model| model.keeper = Some(Rc::clone(&keeper) as Rc<dyn super::Keep>));
    keeper::follow(page);
    spawn_local(async move {
        let Some(place) = keeper.place() else { return };
        let clusters = place.clusters().await.unwrap_or_default();
        for (id, _) in clusters.into_iter().skip(MOST) {
            // What another tab has, or what cannot be forgotten now, is another time.
            if slots::hold(&id).await {
                let _ = place.forget(&id).await;
            }
        }
    });
}

/// Reads a cluster that is kept.
///
/// # Errors
/// The text to show: nothing of it can be read, or not even its beginning.
pub(crate) async fn read(place: &Place, id: &str, about: &About) -> Result<Cluster, String> {
    let (bytes, desk) = place.read(id, about.generation).await?;
    let recording = Recording::open(bytes).map_err(|error| words::damaged(&error.to_string()))?;
    let mut glass = Glass::default();
    // What is there before the damage is a cluster all the same.
    let _ = fold(recording.batches(), usize::MAX, &mut glass, |_| ()).await;
    if glass.backup().is_none() {
        return Err(words::damaged(&recording::Error::Empty.to_string()));
    }
    let desk = desk.and_then(|desk| Desk::read(&desk)).unwrap_or_default();
    Ok(Cluster { glass, desk })
}

/// Ends the watches of the cluster of this tab.
fn clear(model: &mut Model) {
    for watch in model.watches.extract_if(.., |watch| watch.cluster == Which::ThisTab) {
        if let Some(stream) = model.streams.remove(&watch.id) {
            stream.abort();
        }
    }
}

impl Page {
    /// Puts a cluster in the place of what the page shows. Its watches go on where they were.
    pub(crate) fn put_back(self, cluster: Cluster) {
        let Cluster { mut glass, mut desk } = cluster;
        let Some(backup) = glass.backup() else { return };
        glass.restart();
        let (exchanges, watches) = desk.unpack();
        let mut open = Vec::new();
        self.goes_on.set(true);
        self.at.set(None);
        self.recorded.set(None);
        self.update(|model| {
            clear(model);
            model.embedded.told(glass.time());
            model.here = glass;
            model.trace.begin(exchanges);
            for Again { watch, lane: (number, server, start), open: origin } in watches {
                model.here.open_lane(watch.id, number, server, start);
                open.extend(origin.map(|origin| (watch.id, origin)));
                model.next_watch = model.next_watch.max(watch.id + 1);
                model.watches.push(watch);
            }
            model.news = News::default();
            model.others = Others::default();
        });
        self.end_engine();
        self.start_engine(Some(backup));
        self.keeping(|keeper| keeper.anew());
        // What is defined may be something else.
        if self.explore.kinds.with_untracked(|kinds| !kinds.is_empty()) {
            self.explore.written.update(|written| *written += 1);
        }
        if !desk.form.method.is_empty() {
            self.act_as(&desk.form);
            self.form.fill(&desk.form);
            self.namespace.set(desk.namespace);
        }
        self.show(desk.shown.map_or(Shown::Nothing, |id| Shown::Exchange(id, false)));
        self.at.set(desk.at);
        for (id, origin) in open {
            self.resume_as(id, true, origin);
        }
    }

    /// Makes the cluster what it was when `revision` was the newest one. What came after it stays with the cluster as it is
    /// kept; this tab goes on with another one.
    ///
    /// # Errors
    /// The text to show: the revision is no longer kept.
    pub(crate) async fn branch(self, revision: u64) -> Result<(), String> {
        let batches = self.quietly(|model| model.here.retell(revision)).unwrap_or_default();
        let mut glass = Glass::default();
        for batch in batches {
            // They were numbered in order.
            let _ = glass.take(batch);
        }
        if glass.backup().is_none() {
            return Err(words::not_kept(revision));
        }
        // What is left and what takes its place are both looked at as they are.
        self.at.set(None);
        let mut desk = Desk::of(self);
        desk.go_back(revision);
        let mut before = None;
        if let Some(keeper) = self.keeper() {
            keeper.keep_all().await;
            before = keeper.go_on(slots::new().await, Some(revision));
        }
        self.put_back(Cluster { glass, desk });
        let leave: fn(Self) = |page| spawn_local(page.leave_branch());
        let back: Option<Step> = before.map(|_| (words::RETURN, leave));
        self.tell_over(words::branched(revision, back.is_some()), back);
        Ok(())
    }

    /// Goes on with the cluster that this one was branched off from.
    pub(super) async fn leave_branch(self) {
        let Some(keeper) = self.keeper() else { return };
        if let Some((id, about)) = keeper.before()
            && let Err(why) = self.turn_to_kept(&id, &about).await
        {
            self.tell_over(why, None);
        }
    }

    /// Returns the revision before the last change that a client has made, if that is kept.
    pub(crate) fn before_last_change(self) -> Option<u64> {
        self.read(|model| {
            let last = model.here.requests().iter().rev().find_map(|request| request.wrote.iter().min())?;
            let before = last.checked_sub(1)?;
            (before >= model.here.versions().oldest()).then_some(before)
        })
    }

    /// Leaves the cluster that the page shows with those that are kept, and goes on with one that is still to come.
    pub(crate) async fn leave_kept(self) {
        if let Some(keeper) = self.keeper() {
            keeper.keep_all().await;
            let _ = keeper.go_on(slots::new().await, None);
        }
    }

    /// Begins with a new cluster. The one that the page shows stays with those that are kept.
    pub(crate) async fn start_anew(self) {
        self.leave_kept().await;
        self.recorded.set(None);
        self.update(|model| {
            clear(model);
            model.trace.clear();
        });
        self.show(Shown::Nothing);
        self.restart_with_new().await;
    }

    /// Goes on with another cluster that is kept, or with a copy of it, if another tab has it.
    ///
    /// # Errors
    /// The text to show: it cannot be read. What the page shows stays.
    pub(crate) async fn turn_to_kept(self, id: &str, about: &About) -> Result<(), String> {
        let Some(keeper) = self.keeper() else { return Ok(()) };
        let Some(place) = keeper.place() else { return Ok(()) };
        let cluster = read(place, id, about).await?;
        keeper.keep_all().await;
        let own = if slots::hold(id).await { id.to_owned() } else { slots::new().await };
        let _ = keeper.go_on(own, about.branched);
        self.notice.set(None);
        self.put_back(cluster);
        Ok(())
    }
}
