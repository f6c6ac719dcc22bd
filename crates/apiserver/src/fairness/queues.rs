//! The queues of a priority level. Of those that wait, the next one is chosen by fair queuing: a flow that sends much waits
//! for itself, and not others for it.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#queuing>

use std::collections::VecDeque;
use std::time::Duration;

use futures::channel::oneshot;

use super::demand::Demand;
use super::hand;

/// How long a request is thought to take before it has, in seconds.
const GUESS: f64 = 0.003;

/// The treatment of requests that find no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// There is always one.
    Exempt,
    /// They are refused.
    Reject,
    /// They wait in one of so many queues, which have a length; a flow uses a hand of them.
    Queue { queues: usize, hand: usize, length: usize },
}

/// A request that waits, or has waited.
pub(super) struct Waiting {
    pub(super) ticket: u64,
    /// The place of its flow among the counts.
    pub(super) flow: usize,
    pub(super) seats: u64,
    pub(super) since: Duration,
    /// The virtual time at which it came.
    arrival: f64,
    /// Tells it that it may begin, and when that was.
    pub(super) begins: oneshot::Sender<Duration>,
}

/// A queue, and those of it that are being handled.
#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
    executing: usize,
    seats: u64,
    /// The virtual time at which the next request of it begins.
    next: f64,
}

impl Queue {
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn executing(&self) -> usize {
        self.executing
    }

    pub(super) fn seats(&self) -> u64 {
        self.seats
    }

    pub(super) fn next(&self) -> f64 {
        self.next
    }

    pub(super) fn seats_waiting(&self) -> u64 {
        self.waiting.iter().map(|waiting| waiting.seats).sum()
    }

    /// Returns the work that is waited for, in seconds of a seat.
    pub(super) fn work_waiting(&self) -> f64 {
        work(self.seats_waiting())
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.executing == 0
    }

    /// Has nothing begin before it has come, in virtual time.
    fn bound(&mut self) {
        if let Some(oldest) = self.waiting.front() {
            self.next = self.next.max(oldest.arrival);
        }
    }
}

/// A request that comes.
pub(super) struct Arrival {
    pub(super) ticket: u64,
    pub(super) flow: usize,
    pub(super) seats: u64,
}

/// The outcome of coming.
pub(super) enum Outcome {
    /// It may begin; it stands in no queue.
    Begins,
    /// It stands in this queue, and may begin when it is told so: now, if it is among those that are returned.
    Queued { queue: usize, length: usize, turn: oneshot::Receiver<Duration> },
    /// It is refused, for this reason.
    Refused(&'static str),
}

/// The queues of a priority level, and its seats.
pub(super) struct Queues {
    shape: Shape,
    /// The seats that there are now.
    pub(super) limit: u64,
    queues: Vec<Queue>,
    pub(super) waiting: usize,
    pub(super) executing: usize,
    seats: u64,
    seats_waiting: u64,
    /// The virtual time: the work, in seconds of a seat, that each queue with requests could have had done.
    progress: f64,
    synced: Duration,
    dealt: usize,
    robin: usize,
    pub(super) demand: Demand,
}

impl Queues {
    pub(super) fn new(now: Duration) -> Self {
        let mut demand = Demand::default();
        demand.set(now, 0.0);
        demand.end(now);
        Self {
            shape: Shape::Reject,
            limit: 0,
            queues: Vec::new(),
            waiting: 0,
            executing: 0,
            seats: 0,
            seats_waiting: 0,
            progress: 0.0,
            synced: now,
            dealt: 0,
            robin: 0,
            demand,
        }
    }

    pub(super) fn all(&self) -> &[Queue] {
        &self.queues
    }

    pub(super) fn is_idle(&self) -> bool {
        self.waiting == 0 && self.executing == 0
    }

    /// Changes the shape and the seats. Queues that are too many are left when those in them are done. Returns those that may begin.
    pub(super) fn configure(&mut self, now: Duration, shape: Shape, limit: u64) -> Vec<Waiting> {
        self.sync(now);
        (self.shape, self.limit) = (shape, limit);
        if let Shape::Queue { queues, .. } = shape
            && self.queues.len() < queues
        {
            self.queues.resize_with(queues, Queue::default);
        }
        self.dispatch(now)
    }

    /// Takes a request in; `hash` is of its flow. Returns what becomes of it, and those that may begin.
    pub(super) fn arrive(
        &mut self,
        now: Duration,
        arrival: &Arrival,
        hash: impl FnOnce() -> u64,
    ) -> (Outcome, Vec<Waiting>) {
        self.sync(now);
        let (hand, length) = match self.shape {
            Shape::Queue { queues, hand, length } => (hand::deal(hash(), queues, hand), length),
            Shape::Reject if !self.has_room(arrival.seats) => {
                return (Outcome::Refused("concurrency-limit"), Vec::new());
            }
            Shape::Exempt | Shape::Reject => {
                self.executing += 1;
                self.seats += arrival.seats;
                self.note_demand(now);
                return (Outcome::Begins, Vec::new());
            }
        };
        let place = self.shortest(&hand);
        let is_full = self.seats >= self.limit;
        let progress = self.progress;
        let Some(queue) = self.queues.get_mut(place) else {
            return (Outcome::Refused("queue-full"), Vec::new());
        };
        if is_full && queue.waiting.len() >= length {
            queue.bound();
            return (Outcome::Refused("queue-full"), Vec::new());
        }
        if queue.is_idle() {
            queue.next = progress;
        }
        let (begins, turn) = oneshot::channel();
        queue.waiting.push_back(Waiting {
            ticket: arrival.ticket,
            flow: arrival.flow,
            seats: arrival.seats,
            since: now,
            arrival: progress,
            begins,
        });
        queue.bound();
        let length = queue.waiting.len();
        self.waiting += 1;
        self.seats_waiting += arrival.seats;
        self.note_demand(now);
        (Outcome::Queued { queue: place, length, turn }, self.dispatch(now))
    }

    /// Takes a request out that still waits; nothing, if it does not.
    pub(super) fn leave(&mut self, now: Duration, queue: usize, ticket: u64) -> Option<Waiting> {
        self.sync(now);
        let queue = self.queues.get_mut(queue)?;
        let place = queue.waiting.iter().position(|waiting| waiting.ticket == ticket)?;
        let left = queue.waiting.remove(place)?;
        queue.bound();
        self.waiting -= 1;
        self.seats_waiting -= left.seats;
        self.note_demand(now);
        Some(left)
    }

    /// Notes that a request is done that began at a time. Returns those that may begin.
    pub(super) fn finish(
        &mut self,
        now: Duration,
        queue: Option<usize>,
        seats: u64,
        began: Duration,
    ) -> Vec<Waiting> {
        self.sync(now);
        self.executing -= 1;
        self.seats -= seats;
        if let Some(queue) = queue.and_then(|queue| self.queues.get_mut(queue)) {
            queue.executing -= 1;
            queue.seats -= seats;
            // It took another time than was thought.
            queue.next -= work(seats) - seconds(seats, now.saturating_sub(began));
            queue.bound();
        }
        if let Shape::Queue { queues, .. } = self.shape {
            while self.queues.len() > queues && self.queues.last().is_some_and(Queue::is_idle) {
                self.queues.pop();
            }
        }
        self.note_demand(now);
        self.dispatch(now)
    }

    /// Lets the virtual time go on to `now`, at the rate at which each queue with requests could be worked on.
    fn sync(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.synced);
        self.synced = self.synced.max(now);
        let active = self.queues.iter().filter(|queue| !queue.is_idle()).count();
        if active > 0 {
            let seats = (self.seats + self.seats_waiting).min(self.limit);
            #[allow(clippy::cast_precision_loss, reason = "there are few queues")]
            let queues = active as f64;
            self.progress += seconds(seats, passed) / queues;
        }
    }

    /// Returns the queue of a hand in which the fewest seats are waited for.
    fn shortest(&mut self, hand: &[usize]) -> usize {
        let offset = self.dealt;
        self.dealt = self.dealt.wrapping_add(1);
        let order = (0..hand.len()).map(|place| hand[(place + offset % hand.len()) % hand.len()]);
        let length = |queue: &usize| self.queues.get(*queue).map_or(u64::MAX, Queue::seats_waiting);
        order.min_by_key(length).unwrap_or_default()
    }

    fn has_room(&self, seats: u64) -> bool {
        if seats > self.limit { self.executing == 0 } else { self.seats + seats <= self.limit }
    }

    /// Has requests begin while there are seats, and returns them.
    fn dispatch(&mut self, now: Duration) -> Vec<Waiting> {
        let mut begun = Vec::new();
        while self.waiting > 0
            && self.seats < self.limit
            && let Some(place) = self.next_queue()
            && let Some(queue) = self.queues.get_mut(place)
            && let Some(waiting) = queue.waiting.pop_front()
        {
            queue.executing += 1;
            queue.seats += waiting.seats;
            queue.next += work(waiting.seats);
            queue.bound();
            self.waiting -= 1;
            self.seats_waiting -= waiting.seats;
            self.executing += 1;
            self.seats += waiting.seats;
            self.note_demand(now);
            begun.push(waiting);
        }
        begun
    }

    /// Returns the queue whose first request would be done first, in virtual time, if there are seats for it. Of equal ones that
    /// one is taken whose turn it is.
    fn next_queue(&mut self) -> Option<usize> {
        let count = self.queues.len();
        let mut best: Option<(usize, f64, u64)> = None;
        for step in 1..=count {
            let place = (self.robin + step) % count;
            let queue = &self.queues[place];
            let Some(first) = queue.waiting.front() else { continue };
            let end = queue.next + work(first.seats);
            if best.is_none_or(|(_, earliest, _)| end < earliest) {
                best = Some((place, end, first.seats));
            }
        }
        let (place, _, seats) = best?;
        if !self.has_room(seats) {
            return None;
        }
        self.robin = place;
        Some(place)
    }

    fn note_demand(&mut self, now: Duration) {
        #[allow(clippy::cast_precision_loss, reason = "there are few seats")]
        self.demand.set(now, (self.seats + self.seats_waiting) as f64);
    }
}

/// Returns the work of a request before it has been done, in seconds of a seat.
fn work(seats: u64) -> f64 {
    seconds(seats, Duration::from_secs_f64(GUESS))
}

fn seconds(seats: u64, time: Duration) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "there are few seats")]
    let seats = seats as f64;
    seats * time.as_secs_f64()
}

#[cfg(test)]
mod tests;
