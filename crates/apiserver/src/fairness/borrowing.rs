//! Levels that lend each other seats: every ten seconds each gets as many as its demand of late makes fair.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#seat-borrowing>

use std::time::Duration;

use super::allocation::{Item, allocate};
use super::level::Level;
use super::{Fairness, State};
use crate::metrics::Families;
use golang::strconv::format_float;

/// How often levels lend each other seats.
const PERIOD: Duration = Duration::from_secs(10);
/// The most periods that are made up for: after so many without a request, the demand of before does not matter.
const MOST_PERIODS: u32 = 200;

impl Fairness {
    /// Has the levels lend each other seats, if it is time.
    pub(super) fn lend(state: &mut State, now: Duration) {
        let due = now.saturating_sub(state.lent).as_secs() / PERIOD.as_secs();
        let due = u32::try_from(due).unwrap_or(u32::MAX);
        if due == 0 {
            return;
        }
        let missed = due.min(MOST_PERIODS);
        let first = now.saturating_sub(PERIOD * (missed - 1));
        (0..missed).for_each(|period| Self::share_out(state, first + PERIOD * period));
        state.lent = now;
    }

    /// Gives each level the seats that its demand makes fair.
    pub(super) fn share_out(state: &mut State, now: Duration) {
        let State { levels, flows, fair_fraction, .. } = state;
        levels.values_mut().for_each(|level| level.observe(now));
        let sum: i64 = levels.values().map(|level| level.seats.nominal).sum();
        let exempt: i64 = levels.values().filter(|level| level.is_exempt()).map(Level::needed).sum();
        let left = sum - exempt;
        let limited = || levels.values().filter(|level| !level.is_exempt());
        let lowest: i64 = limited().map(|level| level.seats.lower).sum();
        let needed: i64 = limited().map(Level::needed).sum();
        let items: Vec<Item> = limited().map(item).collect();
        *fair_fraction = 0.0;
        let seats: Vec<i64> = if left <= lowest {
            limited().map(|level| level.seats.lower).collect()
        } else if left <= needed {
            let part = float(left - lowest) / float(needed - lowest);
            limited()
                .map(|level| level.seats.lower + round(float(level.needed() - level.seats.lower) * part))
                .collect()
        } else if let Some((seats, fraction)) = allocate(float(sum), &items) {
            *fair_fraction = fraction;
            seats.into_iter().map(round).collect()
        } else {
            limited().map(|level| i64::try_from(level.queues.limit).unwrap_or(i64::MAX)).collect()
        };
        let mut seats = seats.into_iter();
        for level in levels.values_mut() {
            let limit = if level.is_exempt() { level.needed() } else { seats.next().unwrap_or_default() };
            level.target = item(level).target;
            let shape = level.shape();
            let begun = level.queues.configure(now, shape, u64::try_from(limit).unwrap_or_default());
            Self::begin(level, flows, begun, now);
        }
    }
}

fn item(level: &Level) -> Item {
    let needed = float(level.needed());
    Item { bounds: [needed, float(level.seats.upper).max(needed)], target: needed.max(level.smoothed) }
}

#[allow(clippy::cast_precision_loss, reason = "there are few seats")]
fn float(seats: i64) -> f64 {
    seats as f64
}

#[allow(clippy::cast_possible_truncation, reason = "there are few seats")]
fn round(seats: f64) -> i64 {
    seats.round() as i64
}

/// A metric of levels: its name, its description, and its value for one.
type OfLevels = (&'static str, &'static str, fn(&Level) -> f64);

const LEVELS: [OfLevels; 6] = [
    (
        "apiserver_flowcontrol_current_limit_seats",
        "[ALPHA] current derived number of execution seats available to each priority level",
        |level| float(i64::try_from(level.queues.limit).unwrap_or(i64::MAX)),
    ),
    (
        "apiserver_flowcontrol_demand_seats_average",
        "[ALPHA] Time-weighted average, over last adjustment period, of demand_seats",
        |level| level.observed.average,
    ),
    (
        "apiserver_flowcontrol_demand_seats_high_watermark",
        "[ALPHA] High watermark, over last adjustment period, of demand_seats",
        |level| level.observed.max,
    ),
    ("apiserver_flowcontrol_demand_seats_smoothed", "[ALPHA] Smoothed seat demands", |level| level.smoothed),
    (
        "apiserver_flowcontrol_demand_seats_stdev",
        "[ALPHA] Time-weighted standard deviation, over last adjustment period, of demand_seats",
        |level| level.observed.deviation,
    ),
    ("apiserver_flowcontrol_target_seats", "[ALPHA] Seat allocation targets", |level| level.target),
];

const FAIR_FRACTION: &str =
    "[ALPHA] Fair fraction of server's concurrency to allocate to each priority level that can use it";

/// Adds the metrics of the levels.
pub(super) fn write(state: &State, families: &mut Families) {
    for (name, about, of) in LEVELS {
        families.begin(name, "gauge", about);
        for (level, value) in &state.levels {
            families.sample("", &["priority_level=\"", level, "\""].concat(), &format_float(of(value)));
        }
    }
    families.begin("apiserver_flowcontrol_seat_fair_frac", "gauge", FAIR_FRACTION);
    families.sample("", "", &format_float(state.fair_fraction));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::ManualClock;
    use crate::seats;

    /// As kube-apiserver v1.36.2 has it when nobody asks for anything.
    #[test]
    fn levels_without_demand_have_what_is_fair() {
        let clock = Arc::new(ManualClock::new(Duration::ZERO));
        let fairness = Fairness::new(clock, seats::SERVER);
        let mut state = State::default();
        fairness.configure(&mut state, seats::of_new_clusters(), Duration::ZERO);
        let limits = state.levels.iter().map(|(name, level)| (name.as_str(), level.queues.limit));
        let expected = [
            ("catch-all", 30),
            ("exempt", 0),
            ("global-default", 56),
            ("leader-election", 58),
            ("node-high", 170),
            ("system", 117),
            ("workload-high", 114),
            ("workload-low", 56),
        ];
        assert_eq!(limits.collect::<Vec<_>>(), expected);
        assert!((state.fair_fraction - 7.0 / 3.0).abs() < 1e-9, "{}", state.fair_fraction);
    }
}
