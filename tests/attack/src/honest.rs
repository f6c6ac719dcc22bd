//! An honest client beside the attack: it reads a namespace again and again, over a connection that is new each time, on a
//! thread of its own.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::client::request;

/// How long it waits for a response.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it rests between two requests.
const REST: Duration = Duration::from_millis(4);

/// How its requests went.
#[derive(Default)]
pub(crate) struct Times {
    /// How long each took that was answered, the shortest first.
    took: Vec<Duration>,
    pub(crate) failed: usize,
}

impl Times {
    /// Returns the time that so many per cent of the requests took at most. Of fewer than 100 % one at least may take longer,
    /// however few requests there are.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let longer = if percent < 100 { 2 } else { 1 };
        let place = (self.took.len() * percent / 100).min(self.took.len().saturating_sub(longer));
        self.took.get(place).copied().unwrap_or(Duration::MAX)
    }
}

/// The client, while it is at work.
pub(crate) struct Honest {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Times>,
}

impl Honest {
    pub(crate) fn start(address: SocketAddr) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut times = Times::default();
            while !stopped.load(Ordering::Relaxed) {
                let begin = Instant::now();
                match ask(address) {
                    Ok(true) => times.took.push(begin.elapsed()),
                    _ => times.failed += 1,
                }
                thread::sleep(REST);
            }
            times.took.sort();
            times
        });
        Self { stop, thread }
    }

    pub(crate) fn finish(self) -> Times {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

/// Returns whether the response is a good one.
fn ask(address: SocketAddr) -> io::Result<bool> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    stream.write_all(&request("GET /api/v1/namespaces/default", "application/json", b"", 0))?;
    let mut read = [0; 4096];
    let count = stream.read(&mut read)?;
    Ok(read[..count].starts_with(b"HTTP/1.1 200"))
}
