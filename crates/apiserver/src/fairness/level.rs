//! A priority level as it is at work: its configuration, its seats and its queues.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#prioritylevelconfiguration>

use std::time::Duration;

use json_tree::Value;

use super::demand::Observed;
use super::queues::{Queues, Shape};
use super::retry_after::RetryAfter;
use crate::seats::Seats;

/// The part of the past in a smoothed demand.
const SMOOTHING: f64 = 0.977;
/// The part of a level's seats that one request may take.
const WIDEST: f64 = 0.15;

/// A priority level.
pub(super) struct Level {
    pub(super) spec: Value,
    pub(super) seats: Seats,
    pub(super) queues: Queues,
    /// True if it is configured no more: it is left when its last request is done.
    pub(super) is_quiescing: bool,
    /// The demand of the last period, and its smoothed value.
    pub(super) observed: Observed,
    pub(super) smoothed: f64,
    pub(super) target: f64,
    pub(super) retry_after: RetryAfter,
    pub(super) totals: Totals,
}

/// The numbers of requests that a level has had.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) dispatched: u64,
    pub(super) rejected: u64,
    pub(super) cancelled: u64,
}

impl Level {
    pub(super) fn new(seats: Seats, spec: Value, now: Duration) -> Self {
        let mut queues = Queues::new(now);
        queues.limit = u64::try_from(seats.nominal - (seats.nominal - seats.lower) / 2).unwrap_or_default();
        Self {
            spec,
            seats,
            queues,
            is_quiescing: false,
            observed: Observed::default(),
            smoothed: 0.0,
            target: 0.0,
            retry_after: RetryAfter::default(),
            totals: Totals::default(),
        }
    }

    pub(super) fn is_exempt(&self) -> bool {
        self.spec["type"] == "Exempt"
    }

    /// Returns the shape of its queues, as it is configured.
    pub(super) fn shape(&self) -> Shape {
        if self.is_exempt() {
            return Shape::Exempt;
        }
        let response = &self.spec["limited"]["limitResponse"];
        if response["type"] != "Queue" {
            return Shape::Reject;
        }
        let number =
            |field: &str| response["queuing"][field].as_u64().and_then(|number| usize::try_from(number).ok());
        let queues = number("queues").unwrap_or_default();
        let (hand, length) =
            (number("handSize").unwrap_or_default(), number("queueLengthLimit").unwrap_or_default());
        if queues == 0 || hand == 0 { Shape::Reject } else { Shape::Queue { queues, hand, length } }
    }

    /// Returns the most seats that one request takes; none, if the level has no queues, which sets no limit.
    pub(super) fn widest(&self) -> Option<u64> {
        let Shape::Queue { hand, .. } = self.shape() else { return None };
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "as Go computes it; seats are few"
        )]
        let part = (self.seats.nominal as f64 * WIDEST).ceil() as i64;
        let of_hand = self.seats.nominal / i64::try_from(hand).unwrap_or(i64::MAX);
        u64::try_from(part.min(of_hand).max(1)).ok()
    }

    /// Ends a period of the demand for its seats.
    pub(super) fn observe(&mut self, now: Duration) {
        let last = self.observed;
        self.observed = self.queues.demand.end(now);
        if !self.observed.lasted {
            self.observed = Observed { max: self.observed.max, ..last };
            return;
        }
        let envelope = self.observed.average + self.observed.deviation;
        self.smoothed = envelope.max(SMOOTHING * self.smoothed + (1.0 - SMOOTHING) * envelope);
    }

    /// Returns the seats that it needs at least, whatever others would borrow.
    #[allow(clippy::cast_possible_truncation, reason = "seats are few")]
    pub(super) fn needed(&self) -> i64 {
        let demanded = self.observed.max.round() as i64;
        if self.is_exempt() {
            self.seats.lower.max(demanded)
        } else {
            self.seats.lower.max(self.seats.nominal.min(demanded))
        }
    }
}
