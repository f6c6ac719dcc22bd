//! The state and history of a cluster, folded from its [trace](protocol::trace): the writes and who made them, every object in
//! every kept version, what each watch was sent and why, the requests, the API servers, the clock.
//!
//! A [`Glass`] takes batches in the order of their numbers and answers all questions by itself: nobody has to ask the
//! cluster in order to draw it.
#![deny(missing_docs)]

mod history;
mod lanes;
pub mod lod;
mod retell;
mod versions;
mod watch;

use std::collections::{BTreeMap, VecDeque};

use protocol::command::Backup;
use protocol::trace::{
    Batch, Delivery, Event, Lost, RequestRecord, ServerInfo, Snapshot, State, Time, WatchEnd,
    Write as Written,
};

pub use history::{History, KEPT, Object, Write, label};
pub use lanes::Lane;
pub use protocol::watch::{Explanation, Matched, Replay};
pub use versions::{Versions, resource_of};
pub use watch::{Watch, event_of};

/// The most requests that are kept.
const REQUESTS: usize = 4_096;
/// The most watches that are kept after they have ended.
const ENDED: usize = 512;

/// The beginning of what a controller of kube-controller-manager names behind the last `/` of its User-Agent.
const ACCOUNT: &str = "system:serviceaccount:kube-system:";

/// Returns the name of whoever sent a request: of a controller by its service account, where its User-Agent names one, of all others
/// by the field manager; empty for a read.
pub fn actor(request: &RequestRecord) -> &str {
    request.user_agent.split_once(ACCOUNT).map_or(&request.manager, |(_, account)| account)
}

/// Why a batch was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfOrder {
    /// The number that it should have had.
    pub expected: u64,
    /// The number that it had.
    pub found: u64,
}

/// A cluster, as its trace tells it.
#[derive(Debug, Default)]
pub struct Glass {
    batch: u64,
    revision: u64,
    compact_revision: u64,
    history: History,
    versions: Versions,
    watches: BTreeMap<u64, Watch>,
    ended: VecDeque<u64>,
    lanes: Vec<Lane>,
    requests: VecDeque<RequestRecord>,
    servers: Vec<ServerInfo>,
    snapshots: Vec<Snapshot>,
    time: Time,
    lost: Lost,
}

impl Glass {
    /// Takes the next batch of the trace.
    ///
    /// # Errors
    /// The batch is not the next one, and was not taken.
    pub fn take(&mut self, batch: Batch) -> Result<(), OutOfOrder> {
        let expected = self.batch + 1;
        if batch.number != expected {
            return Err(OutOfOrder { expected, found: batch.number });
        }
        self.batch = batch.number;
        self.lost.writes |= batch.lost.writes;
        self.lost.requests += batch.lost.requests;
        self.lost.deliveries += batch.lost.deliveries;
        if let Some(state) = batch.state {
            self.begin(state);
        }
        batch.events.into_iter().for_each(|event| self.happen(event));
        Ok(())
    }

    fn begin(&mut self, state: State) {
        let State { revision, compact_revision, objects, watches, servers, snapshots, time } = state;
        self.revision = revision;
        self.compact_revision = compact_revision;
        self.history.listed(objects.iter().map(|(key, revision, _)| (key.clone(), *revision)).collect());
        self.versions = Versions::begin(revision, objects);
        let open: Vec<u64> = watches.iter().map(|info| info.id).collect();
        let gone: Vec<u64> = self.watches.keys().filter(|id| !open.contains(id)).copied().collect();
        gone.into_iter().for_each(|id| self.end(id, WatchEnd::Server));
        for info in watches {
            let looked = info.revision;
            self.watches.entry(info.id).or_insert_with(|| Watch::new(info)).revision = looked;
        }
        (self.servers, self.snapshots, self.time) = (servers, snapshots, time);
    }

    /// Returns what an engine is given so that its cluster goes on as this one; `None` if nothing is known yet.
    pub fn backup(&self) -> Option<Backup> {
        if self.batch == 0 {
            return None;
        }
        let request = self.requests.back().map_or(0, |request| request.id);
        let watch = self.watches.keys().next_back().copied().unwrap_or_default();
        let (revision, objects, writes) = self.versions.backup();
        Some(Backup { revision, objects, writes, head: self.revision, numbers: request.max(watch) })
    }

    /// Begins with the trace of another engine, whose cluster was restored from this one's [backup](Self::backup). The
    /// requests, and the watches as they were in the end, are kept.
    pub fn restart(&mut self) {
        self.batch = 0;
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Write(write) => self.write(write),
            Event::Request(request) => self.note_request(*request),
            Event::WatchOpened(info) => {
                let mut watch = Watch::new(info);
                // Its response may have come before.
                let lane = self.lanes.iter().find(|lane| lane.number == Some(watch.info.id));
                watch.lane = lane.map(|lane| lane.watch);
                self.watches.insert(watch.info.id, watch);
            }
            Event::Delivered { watch, revision, deliveries } => self.deliver(watch, revision, deliveries),
            Event::WatchEnded { watch, end } => self.end(watch, end),
            Event::Servers(servers) => self.servers = servers,
            Event::Snapshots(snapshots) => self.snapshots = snapshots,
            Event::Compacted(revision) => {
                self.compact_revision = revision;
                self.versions.compact(revision);
            }
            Event::Time(time) => self.time = time,
            Event::Revision(revision) => self.revision = self.revision.max(revision),
        }
    }

    fn write(&mut self, write: Written) {
        self.revision = self.revision.max(write.revision);
        self.history.push(write.revision, event_of(write.change), write.key.clone());
        self.versions.write(write);
    }

    fn note_request(&mut self, request: RequestRecord) {
        for revision in &request.wrote {
            self.history.attribute(*revision, request.id, actor(&request));
        }
        if self.requests.len() == REQUESTS {
            self.requests.pop_front();
        }
        self.requests.push_back(request);
    }

    fn deliver(&mut self, id: u64, revision: u64, deliveries: Vec<Delivery>) {
        let Some(watch) = self.watches.get_mut(&id) else { return };
        watch.revision = revision;
        let lane = watch.lane.and_then(|lane| self.lanes.iter_mut().find(|known| known.watch == lane));
        match lane {
            Some(lane) => {
                lane.take(deliveries);
                lane.looked = lane.looked.max(revision);
            }
            None => watch.keep(deliveries),
        }
    }

    fn end(&mut self, id: u64, end: WatchEnd) {
        let Some(watch) = self.watches.get_mut(&id).filter(|watch| watch.end.is_none()) else { return };
        watch.end = Some(end);
        self.ended.push_back(id);
        if self.ended.len() > ENDED
            && let Some(oldest) = self.ended.pop_front()
        {
            self.watches.remove(&oldest);
        }
    }

    /// Adds a lane, or lets one that is there be that of another connection: it takes what the watch of the server's
    /// number was sent, as far as that is known, and is sent from now on.
    pub fn open_lane(&mut self, lane: u64, number: Option<u64>, server: Option<usize>, from: Option<u64>) {
        let at = self.lanes.iter().position(|known| known.watch == lane).unwrap_or_else(|| {
            self.lanes.push(Lane::new(lane));
            self.lanes.len() - 1
        });
        let own = &mut self.lanes[at];
        own.opened(number, server, from);
        if let Some(watch) = number.and_then(|number| self.watches.get_mut(&number)) {
            watch.lane = Some(lane);
            own.take(std::mem::take(&mut watch.deliveries));
            own.looked = own.looked.max(watch.revision);
        }
    }

    /// Takes a lane away.
    pub fn close_lane(&mut self, lane: u64) {
        self.lanes.retain(|known| known.watch != lane);
    }

    /// Returns the lanes, oldest first.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Returns a lane.
    pub fn lane(&self, lane: u64) -> Option<&Lane> {
        self.lanes.iter().find(|known| known.watch == lane)
    }

    /// Returns a lane, to tell it what the trace does not.
    pub fn lane_mut(&mut self, lane: u64) -> Option<&mut Lane> {
        self.lanes.iter_mut().find(|known| known.watch == lane)
    }

    /// Returns the number of the last batch; 0 if there was none.
    pub fn batch(&self) -> u64 {
        self.batch
    }

    /// Returns the newest revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the revision up to which the store has been compacted.
    pub fn compact_revision(&self) -> u64 {
        self.compact_revision
    }

    /// Returns the writes.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the writes, to tell them what the trace does not.
    pub fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Returns the objects in all their kept versions.
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Returns a watch by its number, open or ended not long ago.
    pub fn watch(&self, id: u64) -> Option<&Watch> {
        self.watches.get(&id)
    }

    /// Returns the watches that are open, oldest first.
    pub fn open_watches(&self) -> impl Iterator<Item = &Watch> {
        self.watches.values().filter(|watch| watch.end.is_none())
    }

    /// Returns the last requests, oldest first.
    pub fn requests(&self) -> &VecDeque<RequestRecord> {
        &self.requests
    }

    /// Returns a request by its number.
    pub fn request(&self, id: u64) -> Option<&RequestRecord> {
        let at = self.requests.binary_search_by_key(&id, |request| request.id).ok()?;
        self.requests.get(at)
    }

    /// Returns the API servers, by their numbers.
    pub fn servers(&self) -> &[ServerInfo] {
        &self.servers
    }

    /// Returns the continue tokens that are remembered.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// Returns the clock, as it was told last.
    pub fn time(&self) -> Time {
        self.time
    }

    /// Returns how much was lost in all.
    pub fn lost(&self) -> Lost {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(user_agent: &str, manager: &str, expected: &str) {
        let (user_agent, manager) = (user_agent.to_owned(), manager.to_owned());
        assert_eq!(actor(&RequestRecord { user_agent, manager, ..RequestRecord::default() }), expected);
    }

    #[test]
    fn controllers_go_by_their_accounts_and_others_by_their_managers() {
        let agent = "kube-controller-manager/v1.36.2 (linux/amd64) kubernetes/abc/";
        check(&[agent, ACCOUNT, "job-controller"].concat(), "kube-controller-manager", "job-controller");
        check(&[agent, "shared-informers"].concat(), "kube-controller-manager", "kube-controller-manager");
        check("kubectl/v1.36.0 (linux/amd64) kubernetes/abc", "kubectl-create", "kubectl-create");
        check("", "", "");
    }
}
