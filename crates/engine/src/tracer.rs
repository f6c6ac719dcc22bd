//! The trace of a cluster for one subscriber: what is new since the last batch, in order.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use apiserver::ApiServer;
use apiserver::inspect::{Inspect, WatchNews};
use protocol::message::WINDOW;
use protocol::trace::{Batch, Event, Lost, RequestRecord, ServerInfo, Snapshot, State, Time, Write};

/// The most writes, and the most requests, of a batch.
const AT_ONCE: usize = 4_096;
/// The time after which the subscriber is told of the clock again.
const TIME: Duration = Duration::from_secs(1);

/// The place of a subscriber in the trace: at first, of one who knows nothing.
#[derive(Default)]
pub struct Tracer {
    /// The number of the last batch, and of the last that was taken.
    sent: u64,
    taken: u64,
    /// The newest revision that was told; `None` before the first state.
    revision: Option<u64>,
    compact_revision: u64,
    /// The number of requests that were told.
    requests: u64,
    /// The number of watches whose end was told.
    ended: u64,
    /// Of each open watch, how many deliveries were told, and up to which revision it has looked.
    watches: BTreeMap<u64, (u64, u64)>,
    servers: Vec<ServerInfo>,
    snapshots: Vec<Snapshot>,
    time: Time,
}

impl Tracer {
    /// Takes note that the subscriber has taken the batches up to this number.
    pub fn taken(&mut self, batch: u64) {
        self.taken = batch.clamp(self.taken, self.sent);
    }

    /// Returns what is new in the cluster of an API server at a time of its clock; `None` if nothing is, or if the subscriber is too far behind to be told.
    pub fn batch(&mut self, server: &ApiServer, time: Time) -> Option<Batch> {
        if self.sent - self.taken >= WINDOW {
            return None;
        }
        let inspect = server.inspect();
        let mut batch = Batch::default();
        let (head, compact_revision) = inspect.revisions();
        let after = match self.revision {
            Some(revision) if revision >= compact_revision => revision,
            known => {
                batch.lost.writes = known.is_some();
                batch.state = Some(self.state(&inspect, head, compact_revision, time));
                batch.state.as_ref().map_or(head, |state| state.revision)
            }
        };
        let mut writes: VecDeque<Write> = inspect.writes(after, AT_ONCE).into();
        let written = writes.back().map_or(after, |write| write.revision);
        let told = if writes.len() < AT_ONCE { written.max(head) } else { written };
        self.revision = Some(told);
        let mut requests = inspect.requests(self.requests, AT_ONCE);
        // A request waits until all that it has written is told.
        let ready = requests.entries.iter().take_while(|request| request.wrote.last() <= Some(&told)).count();
        self.requests = requests.total - (requests.entries.len() - ready) as u64;
        requests.entries.truncate(ready);
        batch.lost.requests = requests.lost;
        for request in requests.entries {
            take_writes(&mut writes, &request, &mut batch.events);
            batch.events.push(Event::Request(Box::new(request)));
        }
        batch.events.extend(writes.into_iter().map(Event::Write));
        if told > written {
            batch.events.push(Event::Revision(told));
        }
        self.watches(&inspect, &mut batch.events, &mut batch.lost);
        self.state_of_servers(&inspect, compact_revision, &mut batch.events);
        self.tell_time(time, &mut batch.events);
        if batch.state.is_none() && batch.events.is_empty() && batch.lost == Lost::default() {
            return None;
        }
        self.sent += 1;
        batch.number = self.sent;
        Some(batch)
    }

    /// Begins anew with the state of the cluster at the oldest revision that is kept. The history since then follows.
    fn state(&mut self, inspect: &Inspect, head: u64, compact_revision: u64, time: Time) -> State {
        let (revision, objects) = match inspect.objects_at(compact_revision) {
            Some(objects) => (compact_revision, objects),
            None => (head, inspect.objects_at(head).unwrap_or_default()),
        };
        self.watches.clear();
        self.ended = u64::MAX;
        let (news, ended) = inspect.watch_news(self.ended, |_| None);
        self.ended = ended;
        let mut watches = Vec::new();
        for one in news {
            self.watches.insert(one.id, (one.deliveries.total, one.revision));
            watches.extend(one.info);
        }
        self.servers = inspect.servers();
        self.snapshots = inspect.snapshots();
        self.compact_revision = compact_revision;
        self.time = time;
        State {
            revision,
            compact_revision,
            objects,
            watches,
            servers: self.servers.clone(),
            snapshots: self.snapshots.clone(),
            time: self.time,
        }
    }

    fn watches(&mut self, inspect: &Inspect, events: &mut Vec<Event>, lost: &mut Lost) {
        let known = &self.watches;
        let (news, ended) = inspect.watch_news(self.ended, |id| known.get(&id).copied());
        self.ended = ended;
        for WatchNews { id, info, revision, deliveries, end } in news {
            events.extend(info.map(Event::WatchOpened));
            lost.deliveries += deliveries.lost;
            let before = self.watches.insert(id, (deliveries.total, revision));
            if before != Some((deliveries.total, revision)) {
                events.push(Event::Delivered { watch: id, revision, deliveries: deliveries.entries });
            }
            if let Some(end) = end {
                self.watches.remove(&id);
                events.push(Event::WatchEnded { watch: id, end });
            }
        }
    }

    fn state_of_servers(&mut self, inspect: &Inspect, compact_revision: u64, events: &mut Vec<Event>) {
        let servers = inspect.servers();
        if self.servers != servers {
            events.push(Event::Servers(servers.clone()));
            self.servers = servers;
        }
        if self.compact_revision != compact_revision {
            self.compact_revision = compact_revision;
            events.push(Event::Compacted(compact_revision));
        }
        let snapshots = inspect.snapshots();
        if self.snapshots != snapshots {
            events.push(Event::Snapshots(snapshots.clone()));
            self.snapshots = snapshots;
        }
    }

    fn tell_time(&mut self, now: Time, events: &mut Vec<Event>) {
        if now.rate != self.time.rate || now.now.saturating_sub(self.time.now) >= TIME {
            self.time = now;
            events.push(Event::Time(now));
        }
    }
}

/// Moves the writes that a request has made, and those before them, to the events.
fn take_writes(writes: &mut VecDeque<Write>, request: &RequestRecord, events: &mut Vec<Event>) {
    let newest = request.wrote.last().copied().unwrap_or_default();
    let own = writes.iter().take_while(|write| write.revision <= newest).count();
    events.extend(writes.drain(..own).map(Event::Write));
}
