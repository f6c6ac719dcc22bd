//! News of requests and watches since a reader last looked. Reading them costs as much as there is new.

use super::{Delivery, Inspect, RequestRecord, WatchEnd, WatchInfo};
use crate::watch_cache::cache_watcher::CacheWatcher;

/// The last entries of a log of which only some are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News<T> {
    /// How many entries there have been in all, up to the last of [`Self::entries`].
    pub total: u64,
    /// How many are missing before [`Self::entries`], because they are no longer kept.
    pub lost: u64,
    /// The entries, oldest first.
    pub entries: Vec<T>,
}

/// The news of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchNews {
    /// The number of the watch.
    pub id: u64,
    /// All that is known of it, if it was not known before.
    pub info: Option<WatchInfo>,
    /// The revision up to which it has looked at what happened.
    pub revision: u64,
    /// The deliveries.
    pub deliveries: News<Delivery>,
    /// Why it has ended, if it has.
    pub end: Option<WatchEnd>,
}

impl Inspect {
    /// Returns the requests that were answered after the first `after`, at most `limit`. The last 4,096 are kept.
    pub fn requests(&self, after: u64, limit: usize) -> News<RequestRecord> {
        let storage = self.shared().storage();
        let first = storage.totals.requests - storage.served.len() as u64;
        let skip = usize::try_from(after.saturating_sub(first)).unwrap_or(usize::MAX);
        let entries: Vec<RequestRecord> = storage.served.iter().skip(skip).take(limit).cloned().collect();
        News { total: first.max(after) + entries.len() as u64, lost: first.saturating_sub(after), entries }
    }

    /// Returns what is new of the watches, open or ended, in the order in which they were opened. `known` tells of the
    /// number of a watch how many deliveries and up to which revision are known already; `None` if the watch is not.
    /// Of watches that have ended, those after the first `ended` are looked at; the last 256 are kept. The second result
    /// is how many have ended by now.
    ///
    /// The last 4,096 deliveries of a watch are kept (64, if it was opened while 256 others were open).
    pub fn watch_news(&self, ended: u64, known: impl Fn(u64) -> Option<(u64, u64)>) -> (Vec<WatchNews>, u64) {
        let storage = self.shared().storage();
        let total = storage.totals.ended_watches;
        let first = total - storage.ended_watches.len() as u64;
        let skip = usize::try_from(ended.saturating_sub(first)).unwrap_or(usize::MAX);
        let gone =
            storage.ended_watches.iter().skip(skip).map(|watcher| (watcher, Some(watcher.why_ended())));
        let open = storage.watches.values().map(|watcher| (watcher, None));
        let mut news: Vec<WatchNews> =
            gone.chain(open).filter_map(|(watcher, end)| news_of(watcher, end, &known)).collect();
        schema::sort_by(&mut news, |a, b| a.id.cmp(&b.id));
        (news, total)
    }
}

fn news_of(
    watcher: &CacheWatcher,
    end: Option<WatchEnd>,
    known: impl Fn(u64) -> Option<(u64, u64)>,
) -> Option<WatchNews> {
    let (id, total, revision) = watcher.progress();
    let before = known(id);
    if end.is_none() && before == Some((total, revision)) {
        return None;
    }
    let taken = before.map_or(0, |(taken, _)| taken);
    let (total, entries) = watcher.deliveries(taken);
    let lost = (total - taken.min(total)).saturating_sub(entries.len() as u64);
    let info = before.is_none().then(|| watcher.info());
    Some(WatchNews { id, info, revision, deliveries: News { total, lost, entries }, end })
}
