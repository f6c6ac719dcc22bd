//! Errors of recordings, and the ways in which one ends.

use protocol::trace::VERSION as TRACE_VERSION;

use crate::{OLDEST_TRACE, VERSION};

/// Why bytes cannot be read as a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// They begin as no recording does.
    #[error("this is no recording of Kubeglass")]
    NotARecording,
    /// The recording is of another version of the format.
    #[error("the recording has version {0} of the format, and only version {VERSION} can be read")]
    Version(u16),
    /// The trace in it is of another version.
    #[error(
        "the recording keeps a trace of version {0}, and only versions {OLDEST_TRACE} to {TRACE_VERSION} can be read"
    )]
    TraceVersion(u32),
    /// It has no block that can be read, so that nothing is known of the cluster.
    #[error("the recording ends before anything is told")]
    Empty,
    /// A block is not what was written.
    #[error("the recording is damaged: the block at byte {0} has another checksum than it should have")]
    Checksum(u64),
    /// A block that is as it was written cannot be read.
    #[error("the recording is damaged: the block at byte {0} cannot be read")]
    Malformed(u64),
    /// A block says that it takes more memory than any may.
    #[error("the block at byte {0} of the recording takes more memory than a block may")]
    TooLarge(u64),
    /// The objects that have to be kept in memory to read on take more of it than they may.
    #[error("the objects that the recording tells of up to byte {0} take more memory than they may")]
    TooMany(u64),
}

/// How a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was finished: nothing is missing.
    Finished,
    /// It had reached the most bytes that it may have. What came after is missing.
    Full,
    /// Something came that is too large to be recorded. It is missing, and so is what came after.
    TooLarge,
    /// It stops without an end, as one does whose writer was killed or is still at work: what came last is missing.
    Cut,
    /// From this byte on there is something else than blocks: nothing after it can be read.
    Damaged(u64),
}

impl Ending {
    /// Returns a sentence about what is missing; `None` if nothing is.
    pub fn sentence(self) -> Option<String> {
        let text = match self {
            Self::Finished => return None,
            Self::Full => "The recording was stopped when it had reached its limit.".to_owned(),
            Self::TooLarge => "The recording was stopped by something too large to be recorded.".to_owned(),
            Self::Cut => "The recording has no end: up to a second of what came last is missing.".to_owned(),
            Self::Damaged(at) => format!("The recording is damaged: nothing after byte {at} can be read."),
        };
        Some(text)
    }
}
