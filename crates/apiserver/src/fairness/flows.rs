//! The counts of the requests of each FlowSchema.

use std::time::Duration;

use crate::metrics::{Families, Histogram};

/// The bounds of the buckets of times, in seconds.
const TIMES: &[f64] = &[0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0];
/// The bounds of the buckets of the lengths of queues.
const LENGTHS: &[f64] = &[0.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];
/// The bounds of the buckets of seats.
const SEATS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0];
/// The reasons for which requests are refused.
const REASONS: [&str; 3] = ["concurrency-limit", "queue-full", "time-out"];

/// The counts of all flows.
#[derive(Default)]
pub(super) struct Flows(Vec<Flow>);

/// The counts of the requests of a FlowSchema that have fallen to a level.
struct Flow {
    level: String,
    schema: String,
    dispatched: u64,
    rejected: [u64; REASONS.len()],
    waiting: Load,
    executing: Load,
    lengths: Histogram,
    widths: Histogram,
    /// The times that requests waited which were refused, and of those that were not.
    waited: [Histogram; 2],
    /// The times that requests took, and that watches took to begin.
    took: [Histogram; 2],
}

/// A number of requests, and of the seats that they take.
#[derive(Default)]
struct Load {
    requests: u64,
    seats: u64,
}

impl Flows {
    /// Returns the place of the counts of a FlowSchema and a level.
    pub(super) fn place(&mut self, level: &str, schema: &str) -> usize {
        let place = self.0.iter().position(|flow| flow.schema == schema && flow.level == level);
        place.unwrap_or_else(|| {
            self.0.push(Flow::new(level, schema));
            self.0.len() - 1
        })
    }

    /// Counts the seats that a request is thought to take.
    pub(super) fn estimated(&mut self, place: usize, seats: u64) {
        self.0[place].widths.observe(float(seats));
    }

    /// Counts a request that waits, in a queue of so many.
    pub(super) fn enqueue(&mut self, place: usize, seats: u64, length: usize) {
        let flow = &mut self.0[place];
        flow.lengths.observe(float(length as u64));
        flow.waiting.add(seats);
    }

    /// Counts it no more.
    pub(super) fn dequeue(&mut self, place: usize, seats: u64) {
        self.0[place].waiting.remove(seats);
    }

    /// Counts a request that is being handled.
    pub(super) fn begin(&mut self, place: usize, seats: u64) {
        let flow = &mut self.0[place];
        flow.executing.add(seats);
        flow.dispatched += 1;
    }

    /// Counts it no more.
    pub(super) fn end(&mut self, place: usize, seats: u64) {
        self.0[place].executing.remove(seats);
    }

    /// Counts a refusal.
    pub(super) fn reject(&mut self, place: usize, reason: &str) {
        let counts = REASONS.iter().zip(&mut self.0[place].rejected);
        counts.filter(|(known, _)| **known == reason).for_each(|(_, count)| *count += 1);
    }

    /// Counts how long a request waited.
    pub(super) fn waited(&mut self, place: usize, time: Duration, executed: bool) {
        self.0[place].waited[usize::from(executed)].observe(time.as_secs_f64());
    }

    /// Counts how long a request took.
    pub(super) fn took(&mut self, place: usize, time: Duration, is_watch: bool) {
        self.0[place].took[usize::from(is_watch)].observe(time.as_secs_f64());
    }

    /// Adds the metrics of the flows.
    pub(super) fn write(&self, families: &mut Families) {
        let mut flows: Vec<&Flow> = self.0.iter().collect();
        flows.sort_by(|a, b| (&a.schema, &a.level).cmp(&(&b.schema, &b.level)));
        for (name, about, of) in GAUGES {
            families.begin(name, "gauge", about);
            flows.iter().for_each(|flow| families.sample("", &flow.labels(&[]), &of(flow).to_string()));
        }
        families.begin("apiserver_flowcontrol_dispatched_requests_total", "counter", DISPATCHED);
        for flow in flows.iter().filter(|flow| flow.dispatched > 0) {
            families.sample("", &flow.labels(&[]), &flow.dispatched.to_string());
        }
        families.begin("apiserver_flowcontrol_rejected_requests_total", "counter", REJECTED);
        for flow in &flows {
            for (reason, count) in REASONS.iter().zip(flow.rejected).filter(|(_, count)| *count > 0) {
                families.sample("", &flow.labels(&[("reason", reason)]), &count.to_string());
            }
        }
        families.begin("apiserver_flowcontrol_request_queue_length_after_enqueue", "histogram", LENGTH);
        flows.iter().for_each(|flow| flow.lengths.write_if_any(families, &flow.labels(&[])));
        families.begin("apiserver_flowcontrol_work_estimated_seats", "histogram", WIDTH);
        flows.iter().for_each(|flow| flow.widths.write_if_any(families, &flow.labels(&[])));
        families.begin("apiserver_flowcontrol_request_execution_seconds", "histogram", TOOK);
        for flow in &flows {
            for (of, times) in ["regular", "watch"].iter().zip(&flow.took) {
                times.write_if_any(families, &flow.labels(&[("type", of)]));
            }
        }
        families.begin("apiserver_flowcontrol_request_wait_duration_seconds", "histogram", WAITED);
        for flow in &flows {
            for (executed, times) in ["false", "true"].iter().zip(&flow.waited) {
                times.write_if_any(families, &flow.labels(&[("execute", executed)]));
            }
        }
    }
}

impl Load {
    fn add(&mut self, seats: u64) {
        self.requests += 1;
        self.seats += seats;
    }

    fn remove(&mut self, seats: u64) {
        self.requests -= 1;
        self.seats -= seats;
    }
}

impl Flow {
    fn new(level: &str, schema: &str) -> Self {
        Self {
            level: level.to_owned(),
            schema: schema.to_owned(),
            dispatched: 0,
            rejected: [0; REASONS.len()],
            waiting: Load::default(),
            executing: Load::default(),
            lengths: Histogram::new(LENGTHS),
            widths: Histogram::new(SEATS),
            waited: [Histogram::new(TIMES), Histogram::new(TIMES)],
            took: [Histogram::new(TIMES), Histogram::new(TIMES)],
        }
    }

    /// Returns its labels, and others, in the order of their names.
    fn labels(&self, others: &[(&str, &str)]) -> String {
        let own = [("flow_schema", self.schema.as_str()), ("priority_level", &self.level)];
        let mut labels: Vec<(&str, &str)> = own.into_iter().chain(others.iter().copied()).collect();
        labels.sort_unstable();
        crate::metrics::line(&labels)
    }
}

#[allow(clippy::cast_precision_loss, reason = "these numbers are small")]
fn float(number: u64) -> f64 {
    number as f64
}

/// A metric of flows: its name, its description, and its value for one.
type OfFlows = (&'static str, &'static str, fn(&Flow) -> u64);

const GAUGES: [OfFlows; 4] = [
    (
        "apiserver_flowcontrol_current_executing_requests",
        "[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
        |flow| flow.executing.requests,
    ),
    (
        "apiserver_flowcontrol_current_executing_seats",
        "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
        |flow| flow.executing.seats,
    ),
    (
        "apiserver_flowcontrol_current_inqueue_requests",
        "[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem",
        |flow| flow.waiting.requests,
    ),
    (
        "apiserver_flowcontrol_current_inqueue_seats",
        "[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem",
        |flow| flow.waiting.seats,
    ),
];
const DISPATCHED: &str = "[BETA] Number of requests executed by API Priority and Fairness subsystem";
const REJECTED: &str = "[BETA] Number of requests rejected by API Priority and Fairness subsystem";
const LENGTH: &str = "[ALPHA] Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued";
const WIDTH: &str = "[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness";
const TOOK: &str = "[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem";
const WAITED: &str = "[BETA] Length of time a request spent waiting in its queue";
