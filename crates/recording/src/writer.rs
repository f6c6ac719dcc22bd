//! Writes a recording.

use std::collections::BTreeMap;
use std::mem;
use std::time::Duration;

use protocol::trace::{Batch, Event, Lost, ServerInfo, Snapshot, State, Time, WatchInfo};

use crate::block::{BLOCK_HEADER, Block, FILE_HEADER, Kind, MOST_HELD, MOST_RAW, MOST_TOLD, file_header};
use crate::entry::Table;
use crate::{Ending, redact};

/// The bytes of entries at which a block is full.
const FULL: usize = 512 << 10;
/// The bytes of what its entries tell at which a block is full.
const FULL_TOLD: usize = 8 << 20;

/// How to record.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most bytes that the recording may have. When it would have more, it ends with a block that says so.
    pub limit: u64,
    /// The longest time that something waits in memory until it is written.
    pub wait: Duration,
    /// The bytes of what is told until there is another checkpoint, with objects whole. While the state takes more than a
    /// quarter of them, it is four times what that takes.
    pub checkpoint: usize,
    /// How hard to compress: 1 is quickly, 9 is well.
    pub level: u8,
    /// `true` if what is in Secrets is to be recorded.
    pub secrets: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limit: 256 << 20,
            wait: Duration::from_secs(1),
            checkpoint: 32 << 20,
            level: 4,
            secrets: false,
        }
    }
}

/// Makes a recording of a trace: it takes batches and gives the bytes that are to be appended to the file.
///
/// Whatever it has given can be read, whether more follows or not.
#[derive(Debug)]
pub struct Writer {
    options: Options,
    /// The bytes to be appended next.
    out: Vec<u8>,
    /// The number of bytes of the recording so far.
    length: u64,
    ending: Option<Ending>,
    table: Table,
    /// `true` once there was a state.
    begun: bool,
    compact_revision: u64,
    watches: BTreeMap<u64, WatchInfo>,
    servers: Vec<ServerInfo>,
    snapshots: Vec<Snapshot>,
    time: Time,
    /// The entries of the block that is being filled, and what is known of it.
    entries: Vec<u8>,
    block: Block,
    /// When the first of its entries came.
    since: Option<Duration>,
    /// The bytes that were told since the last state, and those that the state took.
    told: usize,
    state: usize,
}

impl Writer {
    /// Begins a recording.
    pub fn new(options: Options) -> Self {
        let header = file_header();
        Self {
            options,
            out: header.to_vec(),
            length: header.len() as u64,
            ending: None,
            table: Table::default(),
            begun: false,
            compact_revision: 0,
            watches: BTreeMap::new(),
            servers: Vec::new(),
            snapshots: Vec::new(),
            time: Time::default(),
            entries: Vec::new(),
            block: empty(Kind::Events),
            since: None,
            told: 0,
            state: 0,
        }
    }

    /// Takes the next batch of the trace, at a time by any clock that only goes forward. Returns the bytes to be appended
    /// to the file, which may be none.
    pub fn push(&mut self, mut batch: Batch, now: Duration) -> Vec<u8> {
        if !self.options.secrets {
            redact(&mut batch);
        }
        let Batch { state, lost, events, .. } = batch;
        match state {
            Some(state) => self.tell_state(lost, state, false),
            None => {
                self.begin();
                if self.told >= self.options.checkpoint.max(self.state.saturating_mul(4)) {
                    let state = self.state();
                    self.tell_state(Lost::default(), state, true);
                }
                if lost != Lost::default() || !events.is_empty() {
                    self.table.write_begin(lost, &mut self.entries);
                    self.block.batches += 1;
                }
            }
        }
        for event in events {
            self.follow(&event);
            let told = self.table.write_event(event, &mut self.entries);
            self.block.events += 1;
            self.count(told);
            self.seal_if_full();
        }
        if !self.entries.is_empty() {
            self.since.get_or_insert(now);
        }
        self.tick(now)
    }

    /// Returns the bytes to be appended now, if something has waited for long enough. To be called at least as often as
    /// [`Options::wait`] says.
    pub fn tick(&mut self, now: Duration) -> Vec<u8> {
        let due = |since: Duration| now.saturating_sub(since) >= self.options.wait;
        if self.since.is_some_and(due) { self.flush() } else { mem::take(&mut self.out) }
    }

    /// Returns all that waits as bytes to be appended.
    pub fn flush(&mut self) -> Vec<u8> {
        self.seal();
        mem::take(&mut self.out)
    }

    /// Ends the recording. Returns the last bytes to be appended.
    pub fn finish(&mut self) -> Vec<u8> {
        self.seal();
        self.end(Ending::Finished);
        mem::take(&mut self.out)
    }

    /// Returns how the recording has ended; `None` while it goes on. Once it has ended, nothing is written.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Returns the number of bytes of the recording up to now.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Begins another recording where this one has ended, with the state of the cluster; what did not find its place in the
    /// last one is told as lost. Returns the bytes that the new file begins with.
    pub fn begin_another(&mut self) -> Vec<u8> {
        let state = self.state();
        let header = file_header();
        (self.out, self.length, self.ending) = (header.to_vec(), header.len() as u64, None);
        self.clear();
        if self.begun {
            self.tell_state(Lost { writes: true, ..Lost::default() }, state, false);
        }
        self.flush()
    }

    /// Makes sure that there is a state before the first event.
    fn begin(&mut self) {
        if !self.begun {
            self.tell_state(Lost::default(), State::default(), false);
        }
    }

    /// Returns the state of the cluster.
    fn state(&self) -> State {
        let known = self.table.objects().iter();
        let mut objects: Vec<_> = known
            .filter_map(|known| Some((known.key.clone(), known.revision, known.stored.clone()?)))
            .collect();
        objects.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        State {
            revision: self.table.revision,
            compact_revision: self.compact_revision,
            objects,
            watches: self.watches.values().cloned().collect(),
            servers: self.servers.clone(),
            snapshots: self.snapshots.clone(),
            time: self.time,
        }
    }

    /// Writes a state in blocks of its own.
    fn tell_state(&mut self, lost: Lost, mut state: State, checkpoint: bool) {
        self.seal();
        self.begun = true;
        self.compact_revision = state.compact_revision;
        self.watches = state.watches.iter().map(|watch| (watch.id, watch.clone())).collect();
        (self.servers, self.snapshots) = (state.servers.clone(), state.snapshots.clone());
        self.time = state.time;
        let objects = mem::take(&mut state.objects);
        (self.told, self.state) = (0, 0);
        self.table.write_state(lost, state, &mut self.entries);
        self.block = self.block(Kind::State { first: true, last: false, checkpoint });
        self.block.batches = 1;
        for (key, revision, object) in objects {
            if self.is_full() {
                self.seal();
                self.block = self.block(Kind::State { first: false, last: false, checkpoint });
            }
            let told = self.table.write_object(&key, revision, object, &mut self.entries);
            self.block.events += 1;
            self.count(told);
        }
        if let Kind::State { last, .. } = &mut self.block.kind {
            *last = true;
        }
        self.seal();
        self.state = mem::take(&mut self.told);
    }

    /// Takes note of what an event changes in the state, beside the objects.
    fn follow(&mut self, event: &Event) {
        match event {
            Event::Write(_) | Event::Revision(_) => {}
            Event::Request(request) => self.time.now = self.time.now.max(request.at),
            Event::WatchOpened(watch) => drop(self.watches.insert(watch.id, watch.clone())),
            Event::Delivered { watch, revision, deliveries } => {
                let Some(watch) = self.watches.get_mut(watch) else { return };
                let sent = deliveries.iter().filter(|delivery| delivery.sent.is_some()).count() as u64;
                watch.revision = *revision;
                watch.sent = watch.sent.saturating_add(sent);
                watch.filtered = watch.filtered.saturating_add(deliveries.len() as u64 - sent);
                watch.last = deliveries.last().copied().or(watch.last);
            }
            Event::WatchEnded { watch, .. } => drop(self.watches.remove(watch)),
            Event::Servers(servers) => self.servers.clone_from(servers),
            Event::Snapshots(snapshots) => self.snapshots.clone_from(snapshots),
            Event::Compacted(revision) => self.compact_revision = *revision,
            Event::Time(time) => self.time = *time,
        }
    }

    fn count(&mut self, told: usize) {
        self.block.told += told;
        self.told = self.told.saturating_add(told);
    }

    fn is_full(&self) -> bool {
        self.entries.len() >= FULL || self.block.told >= FULL_TOLD
    }

    fn seal_if_full(&mut self) {
        if self.is_full() {
            self.seal();
        }
    }

    /// A block that begins now.
    fn block(&self, kind: Kind) -> Block {
        let (revision, time) = (self.table.revision, self.time.now);
        Block { revisions: (revision, revision), times: (time, time), ..empty(kind) }
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.block = self.block(Kind::Events);
        self.since = None;
    }

    /// Writes the block that is being filled, if something is in it, and if there is room for it and for an end.
    fn seal(&mut self) {
        if !self.entries.is_empty() && self.ending.is_none() {
            let known = self.block(self.block.kind);
            let block = Block { revisions: (self.block.revisions.0, known.revisions.1), ..self.block };
            let block = Block { times: (self.block.times.0, known.times.1), ..block };
            let start = self.out.len();
            let held = self.table.held();
            if self.entries.len() > MOST_RAW || block.told > MOST_TOLD || held > MOST_HELD {
                self.end(Ending::TooLarge);
            } else {
                let length = block.seal(&self.entries, self.options.level, &mut self.out);
                if self.length + length + BLOCK_HEADER as u64 > self.options.limit {
                    self.out.truncate(start);
                    self.end(Ending::Full);
                } else {
                    self.length += length;
                }
            }
        }
        self.clear();
    }

    fn end(&mut self, ending: Ending) {
        if self.ending.is_none() {
            self.ending = Some(ending);
            self.length += self.block(Kind::End(ending)).seal(&[], self.options.level, &mut self.out);
        }
    }
}

/// A block with nothing in it.
fn empty(kind: Kind) -> Block {
    Block {
        kind,
        at: FILE_HEADER as u64,
        length: 0,
        raw: 0,
        told: 0,
        checksum: 0,
        batches: 0,
        events: 0,
        revisions: (0, 0),
        times: (Duration::ZERO, Duration::ZERO),
    }
}
