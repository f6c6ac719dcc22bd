//! Metrics of requests, as kube-apiserver counts them.
//!
//! <https://kubernetes.io/docs/reference/instrumentation/metrics/>

mod audit;
mod histogram;
mod labels;
mod parts;
mod watch;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) use audit::AuditCounts;
pub(crate) use histogram::Histogram;
pub(crate) use labels::{Labels, client, line};
pub(crate) use parts::Parts;
use watch::Counts;
pub(crate) use watch::counted;

/// The bounds of the buckets of durations, in seconds.
const DURATIONS: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0,
    20.0, 30.0, 45.0, 60.0,
];
/// The place of the first of them that the metric for service levels has.
const FIRST_LEVEL: usize = 2;
/// The bounds of the buckets of the sizes of responses, in bytes.
const SIZES: &[f64] = &[1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/// The bounds of the buckets of the sizes of events, in bytes.
const EVENT_SIZES: &[f64] = &[1024.0, 2048.0, 4096.0, 8192.0, 16_384.0, 32_768.0, 65_536.0, 131_072.0];

/// The code of requests of which there are too many.
const TOO_MANY: u16 = 429;

/// The users that are told apart; of others those whose names are addresses of e-mail.
const USERS: [&str; 7] = [
    "admin",
    "client",
    "kube_proxy",
    "kubelet",
    "system:serviceaccount:kube-system:default",
    "email_id",
    "other",
];

/// The counts of a server.
#[derive(Default)]
pub(crate) struct Metrics {
    counted: Mutex<Counted>,
    /// The requests that are being handled: those that only read, and the others.
    in_flight: [AtomicI64; 2],
    /// The requests by users: as [`USERS`] has them, and of nobody who is known.
    users: [AtomicU64; USERS.len() + 1],
}

#[derive(Default)]
struct Counted {
    requests: HashMap<String, (Labels<String>, Requests)>,
    /// The requests that were refused because there were too many others, by the labels of the total.
    dropped: BTreeMap<String, u64>,
    /// The requests that were ended early, by their labels.
    terminated: BTreeMap<String, u64>,
    /// The watches that are open, by what they watch.
    open: HashMap<u64, (Labels<String>, Arc<Counts>)>,
    opened: u64,
    /// The events of those that have ended, by group, resource and version.
    events: BTreeMap<[String; 3], Histogram>,
}

/// The requests with the same labels.
struct Requests {
    /// By code, and by the part of Kubernetes that sent them.
    codes: BTreeMap<(u16, &'static str), u64>,
    took: Histogram,
    sizes: Histogram,
}

/// A request that has been handled.
pub(crate) struct Handled {
    pub(crate) code: u16,
    /// The part of Kubernetes that sent it; empty for others.
    pub(crate) client: &'static str,
    pub(crate) took: Duration,
    pub(crate) size: usize,
}

impl Default for Requests {
    fn default() -> Self {
        Self { codes: BTreeMap::new(), took: Histogram::new(DURATIONS), sizes: Histogram::new(SIZES) }
    }
}

impl Metrics {
    /// Counts a request that is being handled.
    pub(crate) fn enter(&self, is_mutating: bool) {
        self.in_flight[usize::from(is_mutating)].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts it no more.
    pub(crate) fn leave(&self, is_mutating: bool) {
        self.in_flight[usize::from(is_mutating)].fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts a request of a user; of nobody, if it was refused for that.
    pub(crate) fn authenticated(&self, user: Option<&str>) {
        let place = match user {
            None => USERS.len(),
            Some(user) => match USERS.iter().position(|known| *known == user) {
                Some(place) => place,
                None if user.contains('@') => USERS.len() - 2,
                None => USERS.len() - 1,
            },
        };
        self.users[place].fetch_add(1, Ordering::Relaxed);
    }

    /// Reports whether requests with these labels have been counted.
    pub(crate) fn knows(&self, labels: &Labels<&str>) -> bool {
        self.counted().requests.contains_key(&labels.key())
    }

    /// Counts a request that has been handled.
    pub(crate) fn handled<S: AsRef<str>>(&self, labels: &Labels<S>, handled: &Handled) {
        let key = labels.key();
        let mut counted = self.counted();
        if !counted.requests.contains_key(&key) {
            counted.requests.insert(key.clone(), (labels.kept(), Requests::default()));
        }
        let Some((_, requests)) = counted.requests.get_mut(&key) else { return };
        *requests.codes.entry((handled.code, handled.client)).or_default() += 1;
        requests.took.observe(handled.took.as_secs_f64());
        if ["GET", "LIST"].contains(&labels.verb) {
            #[allow(clippy::cast_precision_loss)]
            requests.sizes.observe(handled.size as f64);
        }
    }

    /// Counts a request that has been refused because there are too many others.
    pub(crate) fn dropped<S: AsRef<str>>(&self, labels: &Labels<S>) {
        let mut counted = self.counted();
        let total = labels.of_total(TOO_MANY, "");
        *counted.dropped.entry(total).or_default() += 1;
        *counted.terminated.entry(labels.of_termination(TOO_MANY)).or_default() += 1;
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the families of metrics.
    pub(crate) fn write(&self, families: &mut Families) {
        let counted = self.counted();
        let read = |count: &AtomicI64| count.load(Ordering::Relaxed).to_string();
        let users = self.users.each_ref().map(|count| count.load(Ordering::Relaxed));
        families.begin("apiserver_current_inflight_requests", "gauge", IN_FLIGHT);
        families.sample("", "request_kind=\"mutating\"", &read(&self.in_flight[1]));
        families.sample("", "request_kind=\"readOnly\"", &read(&self.in_flight[0]));
        let mut requests: Vec<(&Labels<String>, &Requests)> =
            counted.requests.values().map(|(labels, requests)| (labels, requests)).collect();
        requests.sort_by_cached_key(|(labels, _)| labels.whole());
        families.begin("apiserver_request_total", "counter", TOTAL);
        let mut totals: Vec<(String, u64)> = Vec::new();
        for (labels, requests) in &requests {
            let one =
                |((code, client), count): (&(u16, &str), &u64)| (labels.of_total(*code, client), *count);
            totals.extend(requests.codes.iter().map(one));
        }
        totals.extend(counted.dropped.iter().map(|(labels, count)| (labels.clone(), *count)));
        totals.sort();
        totals.iter().for_each(|(labels, count)| families.sample("", labels, &count.to_string()));
        families.begin("apiserver_request_terminations_total", "counter", TERMINATED);
        counted.terminated.iter().for_each(|(labels, count)| families.sample("", labels, &count.to_string()));
        families.begin("apiserver_request_duration_seconds", "histogram", DURATION);
        requests.iter().for_each(|(labels, requests)| requests.took.write(families, &labels.whole(), 0));
        families.begin("apiserver_request_sli_duration_seconds", "histogram", LEVEL);
        for (labels, requests) in requests.iter().filter(|(labels, _)| labels.dry_run.is_empty()) {
            requests.took.write(families, &labels.without_dry_run(), FIRST_LEVEL);
        }
        families.begin("apiserver_response_sizes", "histogram", SIZE);
        for (labels, requests) in requests.iter().filter(|(_, requests)| requests.sizes.count() > 0) {
            requests.sizes.write(families, &labels.without_dry_run(), 0);
        }
        let mut running: BTreeMap<String, u64> = BTreeMap::new();
        let mut events = counted.events.clone();
        for (labels, counts) in counted.open.values() {
            *running.entry(labels.without_dry_run()).or_default() += 1;
            counts.add_to(events.entry(labels.watched()).or_insert_with(|| Histogram::new(EVENT_SIZES)));
        }
        families.begin("apiserver_longrunning_requests", "gauge", RUNNING);
        running.iter().for_each(|(labels, count)| families.sample("", labels, &count.to_string()));
        let named = |[group, resource, version]: &[String; 3]| {
            line(&[("group", group), ("resource", resource), ("version", version)])
        };
        families.begin("apiserver_watch_events_total", "counter", EVENTS);
        for (of, sizes) in &events {
            families.sample("", &named(of), &sizes.count().to_string());
        }
        families.begin("apiserver_watch_events_sizes", "histogram", EVENT_SIZE);
        events.iter().for_each(|(of, sizes)| sizes.write(families, &named(of), 0));
        let (unknown, known) = (users[USERS.len()], &users[..USERS.len()]);
        families.begin("authenticated_user_requests", "counter", USER_REQUESTS);
        for (user, count) in USERS.iter().zip(known).filter(|(_, count)| **count > 0) {
            families.sample("", &line(&[("username", user)]), &count.to_string());
        }
        families.begin("authentication_attempts", "counter", ATTEMPTS);
        families.sample("", "result=\"error\"", &unknown.to_string());
        families.sample("", "result=\"success\"", &known.iter().sum::<u64>().to_string());
    }
}

const IN_FLIGHT: &str = "[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.";
const TOTAL: &str = "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.";
const TERMINATED: &str = "[ALPHA] Number of requests which apiserver terminated in self-defense.";
const DURATION: &str = "[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.";
const LEVEL: &str = "[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.";
const SIZE: &str = "[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.";
const RUNNING: &str = "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.";
const EVENTS: &str = "[ALPHA] Number of events sent in watch clients";
const EVENT_SIZE: &str = "[ALPHA] Watch event size distribution in bytes";
const USER_REQUESTS: &str = "[ALPHA] Counter of authenticated requests broken out by username.";
const ATTEMPTS: &str = "[ALPHA] Counter of authenticated attempts.";

/// Families of metrics, as Prometheus reads them. Those without a sample are not told.
#[derive(Default)]
pub(crate) struct Families(Vec<(&'static str, String)>);

impl Families {
    /// Begins a family.
    pub(crate) fn begin(&mut self, name: &'static str, kind: &str, about: &str) {
        self.end();
        self.0.push((name, ["# HELP ", name, " ", about, "\n# TYPE ", name, " ", kind, "\n"].concat()));
    }

    /// Adds a sample of the last family, with its labels, if there are any; a `suffix` ends the name of its part.
    pub(crate) fn sample(&mut self, suffix: &str, labels: &str, value: &str) {
        if let Some((name, text)) = self.0.last_mut() {
            let [open, close] = if labels.is_empty() { ["", ""] } else { ["{", "}"] };
            *text += &[*name, suffix, open, labels, close, " ", value, "\n"].concat();
        }
    }

    /// Returns them, each with its name.
    pub(crate) fn finish(mut self) -> Vec<(&'static str, String)> {
        self.end();
        self.0
    }

    /// Takes the last family away if it has no sample.
    fn end(&mut self) {
        let is_empty = |(_, text): &(&str, String)| text.lines().all(|line| line.starts_with('#'));
        if self.0.last().is_some_and(is_empty) {
            self.0.pop();
        }
    }
}
