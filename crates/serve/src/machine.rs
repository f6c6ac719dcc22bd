//! The machine's clock, its randomness, and how many files it lets us open.

use std::{
    io,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use apiserver::{Clock, Random, clock::Sleep};
use rand::{RngCore, SeedableRng, rngs::StdRng};

/// How many files the process may have open, once it has asked for as many as it can get.
pub fn open_files() -> u64 {
    // Where that is not known, the system's usual number is.
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or(256)
}

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
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        BEGIN.get_or_init(Instant::now).elapsed()
    }
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
