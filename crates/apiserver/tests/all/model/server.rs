//! The state that an API server's cache must and may have.

use std::time::Duration;

use apiserver::ApiServer;

use super::history::History;
use super::world::{Checked, ensure};

/// An API server, and what the model knows of its cache.
pub(crate) struct Server {
    pub(crate) api: ApiServer,
    /// The revision that its cache was seen to have reached.
    pub(crate) reached: u64,
    /// How often its cache was filled anew since it fell behind.
    pub(crate) relists: usize,
    /// The revision of the list that it was last filled with.
    pub(crate) listed: u64,
    /// Up to where it was told to forget.
    pub(crate) forgot: u64,
    pub(crate) lag: Duration,
    pub(crate) stopped: bool,
    /// When it was last told to lag, or not to.
    pub(crate) changed: Duration,
}

impl Server {
    pub(crate) fn new(api: ApiServer, head: u64, now: Duration) -> Self {
        Self {
            api,
            reached: head,
            relists: 0,
            listed: head,
            forgot: 0,
            lag: Duration::ZERO,
            stopped: false,
            changed: now,
        }
    }

    /// Checks a step of the server's cache: it has reached `reached`, and the store was compacted to `floor` before.
    pub(crate) fn follow(&mut self, reached: u64, floor: u64, history: &History, now: Duration) -> Checked {
        let old = std::mem::replace(&mut self.reached, reached);
        ensure!(reached >= old, "a cache went back from {old} to {reached}");
        ensure!(
            reached <= history.head,
            "a cache at {reached} knows more than the store at {}",
            history.head
        );
        let heard =
            if self.lag.is_zero() { history.head } else { history.revision_at(now.saturating_sub(self.lag)) };
        if reached > old && old < floor {
            ensure!(reached == history.head, "a list at {reached} is not the newest, {}", history.head);
            self.relists += 1;
            self.listed = reached;
        } else if reached > old {
            ensure!(!self.stopped, "a stopped cache went on from {old} to {reached}");
            ensure!(reached <= heard, "a cache at {reached} may have heard up to {heard}");
        }
        // How old revisions are is not known from before it began to lag.
        let known = self.lag.is_zero() || now >= self.changed + self.lag;
        ensure!(
            self.stopped || !known || reached >= heard,
            "a cache at {reached} must have heard of {heard}"
        );
        Ok(())
    }

    /// The oldest version after which a watch cannot but be possible, if nothing was dropped for want of room.
    pub(crate) fn oldest(&self) -> u64 {
        self.listed.max(self.forgot)
    }
}
