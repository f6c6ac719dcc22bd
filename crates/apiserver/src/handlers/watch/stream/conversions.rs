//! Watches of objects that a webhook converts: what is to be sent waits for it.

use std::sync::Arc;
use std::task::Context;

use super::{BATCH, Reader, State, Watch};
use crate::context::Conversions;
use crate::handlers::list::selects;
use crate::stored::Stored;
use crate::watch_cache::WatchCache;
use crate::watch_cache::window::CacheEvent;
use apimachinery::status::Status;
use protocol::trace::WatchEnd;

/// The conversions of a watch, and its steps.
pub(in crate::handlers::watch) struct Converting {
    pub(in crate::handlers::watch) conversions: Box<dyn Conversions>,
    pub(in crate::handlers::watch) steps: &'static Steps,
}

/// The steps of a watch that are other ones for objects that a webhook converts: a table, so that they are part of the program only where
/// somebody has webhooks called.
pub(in crate::handlers) struct Steps {
    pub(super) next: fn(&mut Watch) -> Option<Arc<Stored>>,
    pub(super) shown: fn(&mut Watch, &CacheEvent) -> Result<CacheEvent, ()>,
    pub(super) want: fn(&mut Watch, &mut WatchCache, Reader),
    pub(super) wait: fn(&mut Watch, &mut Context<'_>) -> Waiting,
}

/// The outcome of waiting.
pub(super) enum Waiting {
    /// There is nothing to wait for.
    Over,
    /// It goes on, and somebody wakes the watch.
    Rests,
    /// Something is to be done now.
    Begins,
}

impl Steps {
    /// The functions of this module.
    pub(in crate::handlers) const HERE: Self = Self { next, shown, want, wait };
}

/// Takes the next object of the state that is still to be sent; nothing, if there is none, or some have to be converted first: a state is
/// sent whole.
fn next(watch: &mut Watch) -> Option<Arc<Stored>> {
    let conversions = &mut watch.seldom.conversions.as_mut()?.conversions;
    if !watch.seldom.begun {
        let known = watch.initial.as_slice().iter().filter(|stored| conversions.get(stored).is_some());
        if known.count() < watch.initial.len() {
            return None;
        }
        watch.seldom.begun = true;
    }
    loop {
        let shown = conversions.get(watch.initial.as_slice().first()?)?;
        watch.initial.next();
        if selects(&watch.seldom.options, &shown) {
            return Some(shown);
        }
    }
}

/// Returns the event that is to be shown in the place of one of the cache.
///
/// # Errors
/// Webhooks have to convert its objects first.
fn shown(watch: &mut Watch, event: &CacheEvent) -> Result<CacheEvent, ()> {
    let conversions = &mut watch.seldom.conversions.as_mut().ok_or(())?.conversions;
    let mut get = |stored: &Option<Arc<Stored>>| match stored {
        Some(stored) => conversions.get(stored).map(Some).ok_or(()),
        None => Ok(None),
    };
    let (object, previous) = (get(&event.object), get(&event.previous));
    Ok(event.shown(object?, previous?))
}

/// Has the objects of the next events converted.
fn want(watch: &mut Watch, cache: &mut WatchCache, reader: Reader) {
    let Some(converting) = &mut watch.seldom.conversions else { return };
    for position in (reader.position..).take(BATCH) {
        let Some(event) = cache.window.get_mut(position) else { break };
        if event.revision > reader.after && watch.watcher.covers(&event.key) {
            for stored in [&event.object, &event.previous].into_iter().flatten() {
                converting.conversions.get(stored);
            }
        }
    }
}

/// Has what is needed next converted, and waits while something cannot be, as a watch does whose cache has not got there.
fn wait(watch: &mut Watch, cx: &mut Context<'_>) -> Waiting {
    let Some(converting) = &mut watch.seldom.conversions else { return Waiting::Over };
    if converting.conversions.poll(cx).is_ready() {
        return Waiting::Over;
    }
    let failing = converting.conversions.failing();
    watch.watcher.register(cx.waker());
    let now = watch.shared.config.clock.now();
    let begins = watch.initial.len() > 0;
    let given_up = watch.seldom.given_up.filter(|_| begins && failing.is_some());
    if given_up.is_some_and(|given_up| now >= given_up) {
        let head = watch.shared.storage().store.revision();
        watch.initial = Vec::new().into_iter();
        watch.initial_end = None;
        let reached = failing.map_or(0, |revision| revision.saturating_sub(1));
        watch.fail(&Status::too_large_resource_version(head, reached));
        return Waiting::Begins;
    }
    if now >= watch.seldom.deadline {
        watch.watcher.ended_by(WatchEnd::Timeout);
        watch.state = State::Ended;
        return Waiting::Begins;
    }
    if watch.seldom.bookmark.is_some_and(|bookmark| now >= bookmark) {
        let interval = watch.shared.storage().bookmark_interval;
        watch.schedule_bookmark(now, interval);
    }
    if watch.wait(cx, now, given_up) { Waiting::Begins } else { Waiting::Rests }
}
