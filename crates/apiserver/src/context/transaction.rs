//! Access of a request to its cluster while it is handled: it has the storage for itself, notes what it read, and lets
//! others go on.

use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::task::Poll;
use std::time::Duration;

use protocol::trace::{Layer, Source};
use store::Revision;

use super::RequestContext;
use crate::clock::Clock;
use crate::notes::Notes;
use crate::storage::Storage;
use apimachinery::status::Status;

/// The storage while a request has it for itself. Whatever is written until it is given back, the request has written.
pub(crate) struct Transaction<'a> {
    storage: MutexGuard<'a, Storage>,
    before: Revision,
    notes: &'a Notes,
    /// When it began, and the clock for that, if somebody counts how long it takes.
    timed: Option<(Duration, &'a dyn Clock)>,
}

impl Deref for Transaction<'_> {
    type Target = Storage;

    fn deref(&self) -> &Storage {
        &self.storage
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Storage {
        &mut self.storage
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        let head = self.storage.store.revision();
        if head > self.before {
            self.notes.wrote().extend(self.before + 1..=head);
        }
        if let Some((begin, clock)) = self.timed {
            self.notes.stored_for(clock.stopwatch().saturating_sub(begin));
        }
    }
}

impl<'a> RequestContext<'a> {
    /// The storage, to write to it.
    pub(crate) fn transaction(&self) -> Transaction<'a> {
        let timed = self.measured();
        let storage = self.shared.storage();
        Transaction { before: storage.store.revision(), storage, notes: self.notes, timed }
    }

    /// Returns the time on the stopwatch and its clock, if somebody counts how long parts of requests take.
    pub(crate) fn measured(&self) -> Option<(Duration, &'a dyn Clock)> {
        self.shared.instruments.get()?;
        let clock = self.shared.config.clock.as_ref();
        Some((clock.stopwatch(), clock))
    }

    /// Notes what the answer is read from.
    pub(crate) fn read_from(&self, layer: Layer, revision: Revision) {
        // Only the first reading counts: what a handler looks up besides is not the answer.
        let _ = self.notes.source.set(Source { layer, revision });
    }
}

impl RequestContext<'_> {
    /// Checks that there is time left, and lets other requests go on if this one has been computed for a while. To be called
    /// between two parts of a write, before a commit: a request that is given up here has changed nothing, but that a deletion
    /// of a collection may have deleted some objects. One that is only tried out is computed in one go.
    ///
    /// # Errors
    /// Those of [`Self::check_time`].
    pub(crate) async fn give_way(&self) -> Result<(), Box<Status>> {
        self.check_time()?;
        if self.gives_way && self.notes.ends_turn(self.shared.config.clock.stopwatch()) {
            let mut waited = false;
            poll_fn(|cx| {
                if std::mem::replace(&mut waited, true) {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
        Ok(())
    }

    /// Checks that there is time left. To be called between two parts of what may take long.
    ///
    /// # Errors
    /// The 504 that says that there is none.
    pub(crate) fn check_time(&self) -> Result<(), Box<Status>> {
        self.deadline.check(self.shared.config.clock.as_ref())
    }
}
