//! Time and randomness, handed to whoever needs them: nothing below the hosts has a clock or a source of randomness
//! of its own.
#![deny(missing_docs)]

#[cfg(feature = "machine")]
pub mod machine;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A wait that ends when its time has come.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Tells the time, and waits.
pub trait Clock: Send + Sync {
    /// The time since the Unix epoch.
    fn now(&self) -> Duration;
    /// A future that is ready once `duration` has passed on this clock.
    fn sleep(&self, duration: Duration) -> Sleep;
    /// The time since some beginning, which goes on while something is computed: by it is measured how long that takes.
    fn stopwatch(&self) -> Duration {
        self.now()
    }
}

/// The source of uids and generated names.
pub trait Random: Send + Sync {
    /// Fills `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}

/// Makes up a random UUID, of version 4.
pub fn uuid(random: &dyn Random) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut uuid = String::with_capacity(36);
    for (place, byte) in bytes.into_iter().enumerate() {
        if [4, 6, 8, 10].contains(&place) {
            uuid.push('-');
        }
        uuid.extend([byte >> 4, byte & 15].map(|half| char::from(DIGITS[usize::from(half)])));
    }
    uuid
}

/// A clock that stands still until it is told to go on: for tests, and for a page whose user may pause,
/// step and speed up the cluster's time.
///
/// ```
/// use std::time::Duration;
/// use clock::{Clock, ManualClock};
///
/// let clock = ManualClock::new(Duration::ZERO);
/// clock.advance(Duration::from_secs(1)); // a step
/// clock.set_rate(10.0);
/// clock.elapse(Duration::from_secs(1)); // ten times as fast
/// clock.set_rate(0.0);
/// clock.elapse(Duration::from_secs(1)); // paused
/// assert_eq!(clock.now(), Duration::from_secs(11));
/// ```
#[derive(Clone, Default)]
pub struct ManualClock(Arc<Mutex<Hands>>);

struct Hands {
    now: Duration,
    rate: f64,
    next: u64,
    sleepers: BTreeMap<(Duration, u64), Option<Waker>>,
    stopwatch: Option<fn() -> Duration>,
}

impl Default for Hands {
    fn default() -> Self {
        Self { now: Duration::ZERO, rate: 1.0, next: 0, sleepers: BTreeMap::new(), stopwatch: None }
    }
}

impl ManualClock {
    /// A clock that stands at `now`, counted from the Unix epoch.
    pub fn new(now: Duration) -> Self {
        Self(Arc::new(Mutex::new(Hands { now, ..Hands::default() })))
    }

    /// Measures by the time of the host how long something takes, instead of by its own.
    pub fn measure_by(&self, stopwatch: fn() -> Duration) {
        self.hands().stopwatch = Some(stopwatch);
    }

    /// Moves the time on and wakes whoever's time has come, in the order of their deadlines.
    pub fn advance(&self, by: Duration) {
        let mut hands = self.hands();
        let now = hands.now.saturating_add(by);
        hands.now = now;
        let later = hands.sleepers.split_off(&(now.saturating_add(Duration::from_nanos(1)), 0));
        let due = std::mem::replace(&mut hands.sleepers, later);
        drop(hands);
        due.into_values().flatten().for_each(Waker::wake);
    }

    /// Sets how fast this clock goes while [real time elapses](Self::elapse): 1 is as fast, 0 is paused. What is
    /// no such number is taken for 0.
    pub fn set_rate(&self, rate: f64) {
        self.hands().rate = if rate.is_finite() { rate.max(0.0) } else { 0.0 };
    }

    /// How fast this clock goes.
    pub fn rate(&self) -> f64 {
        self.hands().rate
    }

    /// Moves the time on by what `real` time comes to on this clock.
    pub fn elapse(&self, real: Duration) {
        let passed = real.as_secs_f64() * self.rate();
        self.advance(Duration::try_from_secs_f64(passed).unwrap_or(Duration::MAX));
    }

    /// When the next sleeper wakes, if anybody sleeps.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.hands().sleepers.keys().next().map(|(at, _)| *at)
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        self.hands().now
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        let mut hands = self.hands();
        hands.next += 1;
        let key = (hands.now.saturating_add(duration), hands.next);
        hands.sleepers.insert(key, None);
        Box::pin(ManualSleep { clock: self.clone(), key })
    }

    fn stopwatch(&self) -> Duration {
        let (now, stopwatch) = {
            let hands = self.hands();
            (hands.now, hands.stopwatch)
        };
        stopwatch.map_or(now, |stopwatch| stopwatch())
    }
}

struct ManualSleep {
    clock: ManualClock,
    key: (Duration, u64),
}

impl Future for ManualSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut hands = self.clock.hands();
        if hands.now >= self.key.0 {
            return Poll::Ready(());
        }
        hands.sleepers.insert(self.key, Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for ManualSleep {
    fn drop(&mut self) {
        self.clock.hands().sleepers.remove(&self.key);
    }
}

/// Random numbers that a seed determines (SplitMix64): the same requests make the same cluster.
pub struct SeededRandom(Mutex<u64>);

impl SeededRandom {
    /// A source that `seed` determines.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Random for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
        }
    }
}
