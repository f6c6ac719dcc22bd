//! The machine's clock and randomness, for hosts that have them.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use rand::{RngCore, SeedableRng, rngs::StdRng};

use crate::{Clock, Random, Sleep};

/// The machine's clock. Its sleeps need a tokio runtime around them.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        // A machine whose clock stands before 1970 has no better time to offer than the epoch itself.
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }

    /// Goes by a clock that nobody sets.
    fn stopwatch(&self) -> Duration {
        stopwatch()
    }
}

/// A clock that begins at the machine's time and goes on as tokio's does: where a test has paused that, it stands, and jumps to the
/// next timer when everybody waits. Its sleeps need a tokio runtime around them.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    begin: Duration,
    since: tokio::time::Instant,
}

impl TokioClock {
    /// Begins now.
    pub fn start() -> Self {
        Self { begin: SystemClock.now(), since: tokio::time::Instant::now() }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Duration {
        self.begin + self.since.elapsed()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }

    /// Goes on while tokio's clock stands.
    fn stopwatch(&self) -> Duration {
        stopwatch()
    }
}

fn stopwatch() -> Duration {
    static BEGIN: OnceLock<std::time::Instant> = OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed()
}

/// Random numbers from a generator that the operating system seeds.
pub struct SystemRandom(Mutex<StdRng>);

impl SystemRandom {
    /// A generator with a seed of its own.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn new() -> io::Result<Self> {
        StdRng::try_from_os_rng().map(|rng| Self(Mutex::new(rng))).map_err(io::Error::other)
    }
}

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_from_the_epoch() {
        let first_of_2025 = Duration::from_secs(1_735_689_600);
        assert!(SystemClock.now() > first_of_2025);
        assert!(SystemClock.stopwatch() < first_of_2025);
    }

    #[tokio::test(start_paused = true)]
    async fn a_paused_clock_jumps_to_the_next_timer() {
        let clock = TokioClock::start();
        let begin = clock.now();
        assert_eq!(clock.now(), begin);
        clock.sleep(Duration::from_secs(3600)).await;
        assert_eq!(clock.now() - begin, Duration::from_secs(3600));
    }

    #[test]
    fn two_generators_differ() {
        let draw = || {
            let mut bytes = [0; 16];
            SystemRandom::new().unwrap().fill(&mut bytes);
            bytes
        };
        assert_ne!(draw(), draw());
    }
}
