//! Reads a recording: where its blocks are, and from any checkpoint on what they tell.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use protocol::trace::{Batch, Lost, State};

use crate::block::{BLOCK_HEADER, Block, FILE_HEADER, Kind, MOST_HELD, check_file_header};
use crate::entry::{Decoded, Table};
use crate::{Ending, Error};

/// The most events of a batch: one that has more is given as several.
const AT_ONCE: usize = 4_096;

/// A recording that has been opened: its bytes, and an index of the blocks in them. Copies of it are cheap.
#[derive(Clone, Debug)]
pub struct Recording {
    bytes: Bytes,
    blocks: Arc<[Block]>,
    ending: Ending,
}

impl Recording {
    /// Opens a recording. Only the headers of the blocks are read, so that it takes no longer where there is more in them.
    ///
    /// # Errors
    /// The bytes are no recording of this version, or not even the first state is in it. What is wrong with a block is told
    /// when it is read.
    pub fn open(bytes: Bytes) -> Result<Self, Error> {
        check_file_header(&bytes)?;
        let mut blocks = Vec::new();
        let mut at = FILE_HEADER;
        let ending = loop {
            let Some(header) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK_HEADER>()) else {
                break Ending::Cut;
            };
            let Some(block) = Block::read(header, at as u64) else { break Ending::Damaged(at as u64) };
            match (block.kind, block.entries()) {
                (Kind::End(ending), _) => break ending,
                (_, Some(entries)) if entries.end <= bytes.len() => {
                    at = entries.end;
                    blocks.push(block);
                }
                _ => break Ending::Cut,
            }
        };
        // A state of which parts are missing is none.
        let whole = |block: &Block| !matches!(block.kind, Kind::State { last: false, .. });
        let length = blocks.iter().rposition(whole).map_or(0, |last| last + 1);
        blocks.truncate(length);
        match blocks.first() {
            Some(first) if first.is_start() => Ok(Self { bytes, blocks: blocks.into(), ending }),
            Some(first) => Err(Error::Malformed(first.at)),
            None => Err(Error::Empty),
        }
    }

    /// Returns how it ends.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Returns its blocks. A reader can begin with those that are a [start](Block::is_start).
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the revision that it begins with, and the newest one in it.
    pub fn revisions(&self) -> (u64, u64) {
        let newest = self.blocks.iter().map(|block| block.revisions.1).max().unwrap_or_default();
        (self.blocks.first().map_or(0, |block| block.revisions.0), newest)
    }

    /// Returns the time that it begins at, and the last one in it, on the cluster's clock since the Unix epoch.
    pub fn times(&self) -> (Duration, Duration) {
        let newest = self.blocks.iter().map(|block| block.times.1).max().unwrap_or_default();
        (self.blocks.first().map_or(Duration::ZERO, |block| block.times.0), newest)
    }

    /// Returns all batches.
    pub fn batches(&self) -> Batches {
        self.from_block(0)
    }

    /// Returns the batches from the last state on from which a revision can be reached, which the first one has.
    pub fn at_revision(&self, revision: u64) -> Batches {
        self.at(|block| block.revisions.1 >= revision)
    }

    /// Returns the batches from the last state on from which a time on the cluster's clock can be reached, which the first
    /// one has.
    pub fn at_time(&self, time: Duration) -> Batches {
        self.at(|block| block.times.1 >= time)
    }

    /// Returns the batches from the last state that is not after a block, which the first one has.
    pub fn from_block(&self, block: usize) -> Batches {
        let until = self.blocks.get(..=block).unwrap_or(&self.blocks);
        let start = until.iter().rposition(Block::is_start).unwrap_or_default();
        Batches {
            recording: self.clone(),
            block: start,
            opened: None,
            table: Table::default(),
            number: 0,
            over: false,
        }
    }

    fn at(&self, reached: impl Fn(&Block) -> bool) -> Batches {
        self.from_block(self.blocks.iter().position(reached).unwrap_or(self.blocks.len()))
    }
}

/// The batches of a recording, from a state on. They are numbered from 1 on, as a subscriber's are; those of the writer may
/// have been put together otherwise: a state is a batch, and a batch that is large or spread over blocks is several.
#[derive(Debug)]
pub struct Batches {
    recording: Recording,
    /// The number of the next block.
    block: usize,
    opened: Option<Opened>,
    table: Table,
    number: u64,
    over: bool,
}

/// The entries of a block that is being read.
#[derive(Debug)]
struct Opened {
    at: u64,
    entries: Vec<u8>,
    /// The place of the next entry.
    next: usize,
    /// The bytes that the entries to come may take.
    room: usize,
    /// The events that were lost before the next batch.
    lost: Lost,
}

impl Batches {
    /// Returns the number of the block that is read next, in [`Recording::blocks`].
    pub fn block(&self) -> usize {
        self.block
    }

    fn read(&mut self) -> Result<Option<Batch>, Error> {
        loop {
            if let Some(mut opened) = self.opened.take()
                && let Some(batch) = self.events(&mut opened)?
            {
                self.opened = Some(opened);
                return Ok(Some(batch));
            }
            let Some(block) = self.recording.blocks.get(self.block).copied() else { return Ok(None) };
            match block.kind {
                Kind::State { checkpoint, .. } => {
                    // The first batch has a state, whoever has told it.
                    let batch = self.state()?;
                    if !checkpoint || self.number == 0 {
                        return Ok(Some(batch));
                    }
                }
                _ => {
                    self.block += 1;
                    self.opened = Some(self.open(&block)?);
                }
            }
        }
    }

    fn open(&self, block: &Block) -> Result<Opened, Error> {
        let entries = block.open(&self.recording.bytes)?;
        Ok(Opened { at: block.at, entries, next: 0, room: block.told, lost: Lost::default() })
    }

    fn told(&mut self, opened: &mut Opened) -> Result<Decoded, Error> {
        let mut rest = opened.entries.get(opened.next..).unwrap_or_default();
        let told = self.table.read(&mut rest, &mut opened.room).ok_or(Error::Malformed(opened.at))?;
        opened.next = opened.entries.len() - rest.len();
        if self.table.held() > MOST_HELD {
            return Err(Error::TooMany(opened.at));
        }
        Ok(told)
    }

    /// Reads the parts of a state.
    fn state(&mut self) -> Result<Batch, Error> {
        let mut begun: Option<(Lost, State)> = None;
        loop {
            let next = self.recording.blocks.get(self.block).copied();
            let Some(Block { kind: Kind::State { first, last, .. }, at, .. }) = next else {
                let before = self.recording.blocks.get(self.block.wrapping_sub(1));
                return Err(Error::Malformed(before.map_or(0, |block| block.at)));
            };
            let Some(block) = next.filter(|_| first == begun.is_none()) else {
                return Err(Error::Malformed(at));
            };
            self.block += 1;
            let mut opened = self.open(&block)?;
            while opened.next < opened.entries.len() {
                match (self.told(&mut opened)?, &begun) {
                    (Decoded::State(lost, state), None) if state.objects.is_empty() => {
                        self.table.begin(state.revision);
                        begun = Some((lost, *state));
                    }
                    (Decoded::Object, Some(_)) => {}
                    _ => return Err(Error::Malformed(at)),
                }
            }
            if last {
                let (lost, mut state) = begun.ok_or(Error::Malformed(at))?;
                let known = self.table.objects().iter();
                state.objects = known
                    .filter_map(|known| Some((known.key.clone(), known.revision, known.stored.clone()?)))
                    .collect();
                return Ok(Batch { number: 0, state: Some(state), lost, events: Vec::new() });
            }
        }
    }

    /// Reads events up to where the next batch begins. `None`: there are no more in this block.
    fn events(&mut self, opened: &mut Opened) -> Result<Option<Batch>, Error> {
        let mut batch = Batch { lost: std::mem::take(&mut opened.lost), ..Batch::default() };
        while opened.next < opened.entries.len() && batch.events.len() < AT_ONCE {
            match self.told(opened)? {
                Decoded::Event(event) => batch.events.push(event),
                Decoded::Begin(lost) if batch.events.is_empty() && batch.lost == Lost::default() => {
                    batch.lost = lost
                }
                Decoded::Begin(lost) => {
                    opened.lost = lost;
                    return Ok(Some(batch));
                }
                _ => return Err(Error::Malformed(opened.at)),
            }
        }
        let nothing = batch.events.is_empty() && batch.lost == Lost::default();
        Ok((!nothing).then_some(batch))
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let read = self.read().transpose();
        self.over = !matches!(read, Some(Ok(_)));
        read.map(|read| {
            read.map(|mut batch| {
                self.number += 1;
                batch.number = self.number;
                batch
            })
        })
    }
}
