//! The trace of a cluster told once more, so that another [`Glass`] comes to know what this one knows: to be kept, to be sent
//! away, or to go on from an older revision.

use protocol::trace::{Batch, Change, Event, EventType, State, Stored, Write};

use crate::Glass;

/// The most events of a batch.
const AT_ONCE: usize = 1_000;

impl Glass {
    /// Returns batches, numbered from 1 on, that tell what is known up to the revision `until`: the objects in all their kept
    /// versions, the writes and who made them, the requests, and the watches, which have ended. Nothing, if nothing is known,
    /// or if `until` is no longer kept.
    ///
    /// Of writes that are compacted the batches have no objects, and what is known of them takes a state of its own before the
    /// one that the versions begin with.
    pub fn retell(&self, until: u64) -> Vec<Batch> {
        let (oldest, objects, writes) = self.versions.backup();
        if self.revision == 0 || until < oldest {
            return Vec::new();
        }
        let mut batches = Batches::default();
        let compacted: Vec<Write> = self.compacted(oldest).collect();
        if let Some(first) = compacted.first() {
            batches.begin(State { revision: first.revision.saturating_sub(1), ..State::default() });
            batches.events.extend(compacted.into_iter().map(Event::Write));
        }
        batches.begin(State {
            revision: oldest,
            compact_revision: self.compact_revision,
            objects,
            watches: Vec::new(),
            servers: self.servers.clone(),
            snapshots: self.snapshots.clone(),
            time: self.time,
        });
        let written = writes.iter().map(|write| write.revision).take_while(|revision| *revision <= until);
        let newest = written.last().unwrap_or(oldest);
        let mut writes = writes.into_iter().take_while(|write| write.revision <= until).peekable();
        // A request that wrote something newer, and whatever was sent after it, has not been yet.
        let has_been = |wrote: &[u64]| wrote.iter().all(|revision| *revision <= until);
        for request in self.requests.iter().take_while(|request| has_been(&request.wrote)) {
            let last = request.wrote.iter().copied().max().unwrap_or_default();
            while let Some(write) = writes.next_if(|write| write.revision <= last) {
                batches.push(Event::Write(write));
            }
            batches.push(Event::Request(Box::new(request.clone())));
        }
        writes.for_each(|write| batches.push(Event::Write(write)));
        if newest < self.revision.min(until) {
            batches.push(Event::Revision(self.revision.min(until)));
        }
        for (id, watch) in self.watches.iter().filter(|(_, watch)| watch.info.revision <= until) {
            let lane = self.lanes.iter().find(|lane| Some(lane.watch) == watch.lane);
            let (taken, kept) = (lane.map(crate::Lane::deliveries), &watch.deliveries);
            let all = taken.into_iter().flatten().chain(kept);
            let deliveries: Vec<_> = all.filter(|delivery| delivery.revision <= until).copied().collect();
            batches.push(Event::WatchOpened(watch.info.clone()));
            let revision = watch.revision.min(until);
            batches.push(Event::Delivered { watch: *id, revision, deliveries });
            // Whoever watched is not there any more.
            let end = watch.end.unwrap_or(protocol::trace::WatchEnd::Client);
            batches.push(Event::WatchEnded { watch: *id, end });
        }
        batches.all()
    }

    /// Returns the writes up to a revision that are known, but what they wrote is not.
    fn compacted(&self, oldest: u64) -> impl Iterator<Item = Write> {
        let known = self.history.writes().iter().take_while(move |write| write.revision <= oldest);
        known.filter_map(|write| {
            let key = self.history.object(write.object)?.known.clone();
            let (change, object) = match write.change {
                EventType::Deleted => (Change::Deleted, None),
                EventType::Added => (Change::Created, Some(Stored::default())),
                _ => (Change::Updated, Some(Stored::default())),
            };
            Some(Write { revision: write.revision, change, key, object })
        })
    }
}

/// The batches that are being made, the last one of which is open.
#[derive(Default)]
struct Batches {
    done: Vec<Batch>,
    state: Option<State>,
    events: Vec<Event>,
}

impl Batches {
    /// Begins a batch with a state.
    fn begin(&mut self, state: State) {
        self.close();
        self.state = Some(state);
    }

    fn push(&mut self, event: Event) {
        if self.events.len() == AT_ONCE {
            self.close();
        }
        self.events.push(event);
    }

    fn close(&mut self) {
        let (state, events) = (self.state.take(), std::mem::take(&mut self.events));
        if state.is_some() || !events.is_empty() {
            let number = self.done.len() as u64 + 1;
            self.done.push(Batch { number, state, events, ..Batch::default() });
        }
    }

    fn all(mut self) -> Vec<Batch> {
        self.close();
        self.done
    }
}
