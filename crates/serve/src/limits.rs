//! The limits on what any client may take of the server: time, connections, memory.

use std::time::Duration;

/// How long a client may take to send a request's head, or to begin with its first one.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a connection may be open between two requests: as long as with kube-apiserver.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

/// How long a request may take that is no watch, its body among it: as long as with kube-apiserver.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a reader may take none of what is there for it.
pub const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long requests that are being answered may take once the server is to stop.
pub const GRACE: Duration = Duration::from_secs(3);

/// How long a connection that is being closed is still listened to, so that its client hears the last response.
pub const LINGER: Duration = Duration::from_millis(500);

/// After this time a body has to arrive at [`BODY_RATE`].
pub const BODY_START: Duration = Duration::from_secs(10);

/// How many bytes of a body arrive in a second at least, on average.
pub const BODY_RATE: u64 = 8 * 1024;

/// The most bytes of a request's body that the API server takes: one more is 413 Request Entity Too Large.
pub const BODY_LIMIT: usize = 3 * 1024 * 1024;

/// The most bytes of a body that does not matter which are read, so that its connection can be used again: as many as Go's server
/// reads.
pub const PASSED_OVER: usize = 256 * 1024;

/// How many bytes of bodies are kept that have not arrived whole, or wait to be read.
pub const BODIES_LIMIT: usize = 64 * 1024 * 1024;

/// How many bytes of responses are kept that have not been sent: before some are, no more writes are handled, and no more
/// reads whose responses are large.
pub const RESPONSES_LIMIT: usize = 128 * 1024 * 1024;

/// A response of up to so many bytes is sent however many are kept.
pub const SMALL_RESPONSE: usize = 64 * 1024;

/// How long a reader may take none of what is there for it while others wait because of that.
pub const PRESSED_STALL_TIMEOUT: Duration = Duration::from_millis(500);

/// How many bytes of responses are kept for one connection.
pub const CONNECTION_RESPONSES_LIMIT: usize = 48 * 1024 * 1024;

/// How many connections there are at most; fewer where the system allows for fewer open files.
pub const CONNECTIONS: usize = 4_096;

/// How many connections may wait to be accepted: one that finds no room there tries again only a second later.
pub const BACKLOG: u32 = CONNECTIONS as u32;

/// How many files the process has open beside connections, and some to spare.
const OTHER_FILES: usize = 40;

/// How many requests a client may have open over one HTTP/2 connection: each watch is one. kube-apiserver allows as many.
pub const MAX_STREAMS: u32 = 1000;

/// How many bytes are buffered for one stream of HTTP/2.
pub const STREAM_BUFFER: usize = 64 * 1024;

/// How many headers a request may have.
pub const MAX_HEADERS: usize = 1000;

/// How many requests with small bodies are handled at once.
pub const IN_FLIGHT: usize = 400;

/// How many requests with small bodies may wait to be handled, and how many with large ones.
pub const WAITING: usize = 1000;

/// A body of up to so many bytes makes a request a quick one.
pub const QUICK_BODY: usize = 64 * 1024;

/// Asks for as many open files as the process can get, and returns how many it may have.
pub(crate) fn open_files() -> u64 {
    // Where that is not known, the system's usual number is.
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or(256)
}

/// How many connections there may be if the process can have `files` open.
pub fn connections(files: u64) -> usize {
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    CONNECTIONS.min(files.saturating_sub(OTHER_FILES)).max(8)
}
