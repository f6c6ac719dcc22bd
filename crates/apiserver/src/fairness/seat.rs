//! A seat: leave for a request to be handled. Dropping it lets the next one begin.

use std::sync::Arc;
use std::time::Duration;

use super::{Fairness, State};

/// A request that has a seat, or waits for one.
pub(crate) struct Seat {
    pub(super) fairness: Arc<Fairness>,
    pub(super) level: String,
    pub(super) is_watch: bool,
    pub(super) ticket: u64,
    /// The place of its flow among the counts.
    pub(super) flow: usize,
    /// The queue that it stood in.
    pub(super) queue: Option<usize>,
    pub(super) seats: u64,
    pub(super) arrived: Duration,
    /// The time at which it began, as far as it knows.
    pub(super) began: Option<Duration>,
}

impl Seat {
    /// Notes that its request began at a time.
    pub(super) fn begun(mut self, began: Duration) -> Self {
        self.began = Some(began);
        self
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let now = self.fairness.clock.stopwatch();
        let mut state = self.fairness.state();
        let State { levels, flows, .. } = &mut *state;
        let Some(level) = levels.get_mut(&self.level) else { return };
        let left = match (self.began, self.queue) {
            (None, Some(queue)) => level.queues.leave(now, queue, self.ticket),
            _ => None,
        };
        let begun = if left.is_some() {
            level.totals.rejected += 1;
            level.totals.cancelled += 1;
            flows.dequeue(self.flow, self.seats);
            flows.reject(self.flow, "time-out");
            flows.waited(self.flow, now.saturating_sub(self.arrived), false);
            Vec::new()
        } else {
            let began = self.began.unwrap_or(now);
            flows.end(self.flow, self.seats);
            flows.took(self.flow, now.saturating_sub(began), self.is_watch);
            level.queues.finish(now, self.queue, self.seats, began)
        };
        Fairness::begin(level, flows, begun, now);
        if level.is_quiescing && level.queues.is_idle() {
            levels.remove(&self.level);
        }
    }
}
