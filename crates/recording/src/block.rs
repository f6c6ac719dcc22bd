//! The layout of a recording: the header of the file, and the headers of the blocks. `docs/recording.md` has the tables.

use std::time::Duration;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use protocol::trace::VERSION as TRACE_VERSION;

use crate::{Ending, Error, OLDEST_TRACE, VERSION};

/// The bytes that a recording begins with. The line break shows whether somebody has taken it for text.
const FILE_MAGIC: [u8; 8] = *b"KGREC\r\n\x1a";
/// The length of the header of the file.
pub(crate) const FILE_HEADER: usize = 16;
/// The bytes that a block begins with.
const BLOCK_MAGIC: [u8; 4] = *b"KGRB";
/// The length of the header of a block.
pub(crate) const BLOCK_HEADER: usize = 68;
/// The bytes of the header that its checksum is of.
const CHECKED: usize = BLOCK_HEADER - 4;

/// The most bytes of a block's entries.
pub(crate) const MOST_RAW: usize = 16 << 20;
/// The most bytes of what a block's entries tell, with the objects whole.
pub(crate) const MOST_TOLD: usize = 64 << 20;
/// The most bytes of the objects that are kept in memory to read on.
pub(crate) const MOST_HELD: usize = 512 << 20;

const FIRST: u8 = 1;
const LAST: u8 = 2;
const CHECKPOINT: u8 = 4;

/// The content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of a state, from which a reader can go on without what came before.
    State {
        /// `true` of its first part: a reader can begin here.
        first: bool,
        /// `true` of its last part.
        last: bool,
        /// `true` if the writer has put it there for those who begin in the middle; the trace has not told it.
        checkpoint: bool,
    },
    /// Events.
    Events,
    /// The end of the recording.
    End(Ending),
}

impl Kind {
    fn to_bytes(self) -> [u8; 2] {
        match self {
            Self::State { first, last, checkpoint } => {
                let flag = |on: bool, flag: u8| if on { flag } else { 0 };
                [1, flag(first, FIRST) | flag(last, LAST) | flag(checkpoint, CHECKPOINT)]
            }
            Self::Events => [2, 0],
            Self::End(Ending::Full) => [3, 1],
            Self::End(Ending::TooLarge) => [3, 2],
            Self::End(_) => [3, 0],
        }
    }

    fn from_bytes(bytes: [u8; 2]) -> Option<Self> {
        Some(match bytes {
            [1, flags] if flags <= FIRST | LAST | CHECKPOINT => {
                let has = |flag: u8| flags & flag != 0;
                Self::State { first: has(FIRST), last: has(LAST), checkpoint: has(CHECKPOINT) }
            }
            [2, 0] => Self::Events,
            [3, 0] => Self::End(Ending::Finished),
            [3, 1] => Self::End(Ending::Full),
            [3, 2] => Self::End(Ending::TooLarge),
            _ => return None,
        })
    }
}

/// A block, as its header tells it: what is known without decompressing anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The kind of its content.
    pub kind: Kind,
    /// The place of its header in the recording.
    pub at: u64,
    /// The length of its compressed entries.
    pub(crate) length: usize,
    /// The length of its entries.
    pub(crate) raw: usize,
    /// The bytes of what its entries tell, with the objects whole.
    pub(crate) told: usize,
    /// The CRC-32 of its compressed entries.
    pub(crate) checksum: u32,
    /// The number of batches that begin in it.
    pub batches: u32,
    /// The number of events; of a state, of objects.
    pub events: u32,
    /// The newest revision that was known before it, and after it.
    pub revisions: (u64, u64),
    /// The time on the cluster's clock before it, and after it, since the Unix epoch.
    pub times: (Duration, Duration),
}

impl Block {
    /// Returns the place of its compressed entries.
    pub(crate) fn entries(&self) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(self.at).ok()?.checked_add(BLOCK_HEADER)?;
        Some(start..start.checked_add(self.length)?)
    }

    /// Returns whether a reader can begin here.
    pub fn is_start(&self) -> bool {
        matches!(self.kind, Kind::State { first: true, .. })
    }

    /// Appends its header.
    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        // Whoever writes keeps to the limits, which fit.
        let short = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).to_le_bytes();
        out.extend(BLOCK_MAGIC);
        out.extend(self.kind.to_bytes());
        out.extend([0, 0]);
        [short(self.length), short(self.raw), short(self.told)].iter().for_each(|field| out.extend(field));
        [self.batches, self.events, self.checksum].iter().for_each(|field| out.extend(field.to_le_bytes()));
        [self.revisions.0, self.revisions.1].iter().for_each(|field| out.extend(field.to_le_bytes()));
        [nanos(self.times.0), nanos(self.times.1)].iter().for_each(|field| out.extend(field));
        out.extend(crc32fast::hash(&out[start..]).to_le_bytes());
    }

    /// Reads a header. `None`: it is none.
    pub(crate) fn read(header: &[u8; BLOCK_HEADER], at: u64) -> Option<Self> {
        let short = |at: usize| header[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let long = |at: usize| header[at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let size = |at: usize| short(at).and_then(|size| usize::try_from(size).ok());
        let time = |at: usize| long(at).map(Duration::from_nanos);
        if !header.starts_with(&BLOCK_MAGIC) || crc32fast::hash(&header[..CHECKED]) != short(CHECKED)? {
            return None;
        }
        Some(Self {
            kind: Kind::from_bytes([header[4], header[5]])?,
            at,
            length: size(8)?,
            raw: size(12)?,
            told: size(16)?,
            batches: short(20)?,
            events: short(24)?,
            checksum: short(28)?,
            revisions: (long(32)?, long(40)?),
            times: (time(48)?, time(56)?),
        })
    }

    /// Compresses entries, and appends the block that they are; returns its length.
    pub(crate) fn seal(mut self, entries: &[u8], level: u8, out: &mut Vec<u8>) -> u64 {
        let packed = if entries.is_empty() { Vec::new() } else { compress_to_vec(entries, level) };
        self.raw = entries.len();
        self.length = packed.len();
        self.checksum = crc32fast::hash(&packed);
        self.write(out);
        out.extend_from_slice(&packed);
        (BLOCK_HEADER + packed.len()) as u64
    }

    /// Decompresses the entries of a block of `recording`.
    pub(crate) fn open(&self, recording: &[u8]) -> Result<Vec<u8>, Error> {
        let packed =
            self.entries().and_then(|place| recording.get(place)).ok_or(Error::Malformed(self.at))?;
        if crc32fast::hash(packed) != self.checksum {
            return Err(Error::Checksum(self.at));
        }
        if self.raw > MOST_RAW || self.told > MOST_TOLD {
            return Err(Error::TooLarge(self.at));
        }
        if packed.is_empty() {
            return Ok(Vec::new());
        }
        let entries =
            decompress_to_vec_with_limit(packed, self.raw).map_err(|_| Error::Malformed(self.at))?;
        if entries.len() == self.raw { Ok(entries) } else { Err(Error::Malformed(self.at)) }
    }
}

/// Returns the header of a file.
pub(crate) fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&FILE_MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header[12..].copy_from_slice(&TRACE_VERSION.to_le_bytes());
    header
}

/// Reads the header of a file.
pub(crate) fn check_file_header(bytes: &[u8]) -> Result<(), Error> {
    if !bytes.starts_with(&FILE_MAGIC) {
        return Err(if FILE_MAGIC.starts_with(bytes) { Error::Empty } else { Error::NotARecording });
    }
    let header: &[u8; FILE_HEADER] = bytes.first_chunk().ok_or(Error::Empty)?;
    let [.., v0, v1, _, _, t0, t1, t2, t3] = *header;
    match (u16::from_le_bytes([v0, v1]), u32::from_le_bytes([t0, t1, t2, t3])) {
        // What came since then is told by events that there were none of.
        (VERSION, OLDEST_TRACE..=TRACE_VERSION) => Ok(()),
        (VERSION, trace) => Err(Error::TraceVersion(trace)),
        (version, _) => Err(Error::Version(version)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: Kind) -> Block {
        Block {
            kind,
            at: 16,
            length: 0,
            raw: 0,
            told: 7,
            checksum: 0,
            batches: 1,
            events: 2,
            revisions: (3, 4),
            times: (Duration::from_secs(5), Duration::from_nanos(6)),
        }
    }

    #[track_caller]
    fn check(kind: Kind) {
        let mut out = vec![0; 16];
        block(kind).seal(b"entries", 6, &mut out);
        let read = Block::read(out[16..].first_chunk().unwrap(), 16).unwrap();
        assert_eq!(
            (read.kind, read.events, read.revisions, read.times),
            (kind, 2, (3, 4), block(kind).times)
        );
        assert_eq!(read.open(&out).unwrap(), b"entries");
        out[20] ^= 1;
        assert_eq!(Block::read(out[16..].first_chunk().unwrap(), 16), None, "another checksum");
    }

    #[test]
    fn blocks_come_back() {
        check(Kind::Events);
        check(Kind::State { first: true, last: false, checkpoint: true });
        check(Kind::State { first: false, last: true, checkpoint: false });
        [Ending::Finished, Ending::Full, Ending::TooLarge].into_iter().for_each(|end| check(Kind::End(end)));
    }

    #[test]
    fn bombs_are_refused() {
        let mut out = Vec::new();
        let zeros = vec![0; MOST_RAW + 1];
        block(Kind::Events).seal(&zeros, 6, &mut out);
        let mut read = Block::read(out.first_chunk().unwrap(), 0).unwrap();
        assert_eq!(read.open(&out), Err(Error::TooLarge(0)));
        read.raw = 100;
        assert_eq!(read.open(&out), Err(Error::Malformed(0)), "it says less than it has");
    }
}
