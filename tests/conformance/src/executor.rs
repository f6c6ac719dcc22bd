//! Running a server's futures on one thread, with its clock in hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use apiserver::{Clock as _, ManualClock};

/// How often something may wake itself while the clock stands still. Whoever does it more often is taken to wait.
const WAKES_AT_ONCE: usize = 1000;

/// Polls until all wait, then moves the clock to when the next of them wakes.
pub struct Executor {
    clock: ManualClock,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Executor {
    /// An executor that moves `clock`.
    pub fn new(clock: ManualClock) -> Self {
        Self { clock, woken: Arc::default() }
    }

    /// Polls until there is something, for at most `limit` on the clock; `None` if that has passed.
    pub fn run<T>(&self, limit: Duration, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
        let end = self.clock.now().saturating_add(limit);
        let waker = Waker::from(Arc::clone(&self.woken));
        let mut wakes = 0;
        loop {
            self.woken.0.store(false, Ordering::SeqCst);
            if let Poll::Ready(value) = poll(&mut Context::from_waker(&waker)) {
                return Some(value);
            }
            if self.woken.0.load(Ordering::SeqCst) && wakes < WAKES_AT_ONCE {
                wakes += 1;
                continue;
            }
            wakes = 0;
            let now = self.clock.now();
            if now >= end {
                return None;
            }
            let next = self.clock.next_deadline().map_or(end, |deadline| deadline.min(end));
            self.clock.advance(next.saturating_sub(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Sleeps one after the other, within a limit: whether they end, and how far the clock has gone.
    #[track_caller]
    fn check(sleeps: &[u64], limit: u64, want: (bool, u64)) {
        let clock = ManualClock::new(ms(5));
        let executor = Executor::new(clock.clone());
        let mut all = Box::pin(async {
            for sleep in sleeps {
                clock.sleep(ms(*sleep)).await;
            }
        });
        let done = executor.run(ms(limit), |cx| all.as_mut().poll(cx)).is_some();
        assert_eq!((done, clock.now() - ms(5)), (want.0, ms(want.1)));
    }

    #[test]
    fn the_clock_goes_as_far_as_it_must() {
        check(&[], 10, (true, 0));
        check(&[3, 4], 10, (true, 7));
        check(&[10], 10, (true, 10));
        check(&[11], 10, (false, 10));
        check(&[3, 0, 30_000], 15_000, (false, 15_000));
    }

    #[test]
    fn whoever_always_wakes_himself_does_not_stop_the_clock() {
        let clock = ManualClock::new(ms(0));
        let executor = Executor::new(clock.clone());
        let nothing = executor.run(ms(50), |cx| {
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        assert_eq!((nothing, clock.now()), (None, ms(50)));
    }
}
