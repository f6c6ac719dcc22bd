//! Instruments: headers by which responses tell which request they are for, and metrics of requests.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#diagnostics>

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use golang::strconv::format_float;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};

use crate::Body;
use crate::context::{ApiServer, Host, Instruments, ProcessInfo, RequestDigest, Seat, Seating, Shared};
use crate::fairness::{Decision, Fairness, InFlightLimits, TooMany, Turn};
use crate::metrics::{self, AuditCounts, Families, Handled, Labels, Metrics, Parts};
use crate::notes::Notes;
use apimachinery::Attributes;
use protocol::trace::Layer;

/// The subresources whose requests are not classified: they run for long.
const LONG_RUNNING: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// The headers with the uids of a FlowSchema and of its priority level.
const CLASSIFIED: [HeaderName; 2] = [
    HeaderName::from_static("x-kubernetes-pf-flowschema-uid"),
    HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid"),
];
/// The header with the id of a request.
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// The instruments of a cluster.
struct Observer {
    host: Host,
    limiter: Limiter,
    metrics: Arc<Metrics>,
    parts: Parts,
}

/// The part that has requests wait or be refused.
enum Limiter {
    Fairness(Arc<Fairness>),
    InFlight(InFlightLimits),
}

impl ApiServer {
    /// Has each response tell the id of its request, and the FlowSchema and the priority level that it falls under, and has `/metrics`
    /// tell how many there were and how long they took, for all API servers of the cluster. Requests wait while too many others are
    /// handled, and are refused if too many wait.
    pub fn set_instruments(&self, host: Host) {
        let limits = host.limits;
        let limiter = if limits.fairness {
            let clock = Arc::clone(&self.shared.config.clock);
            Limiter::Fairness(Arc::new(Fairness::new(clock, limits.seats())))
        } else {
            Limiter::InFlight(InFlightLimits::new(limits.reads, limits.writes))
        };
        let observer = Observer { host, limiter, metrics: Arc::default(), parts: Parts::default() };
        self.shared.instruments.set(Arc::new(observer));
    }
}

impl Instruments for Observer {
    fn enter(&self, is_mutating: bool) {
        self.metrics.enter(is_mutating);
    }

    fn leave(&self, is_mutating: bool) {
        self.metrics.leave(is_mutating);
    }

    fn identify(&self, shared: &Shared, request: &HeaderMap, notes: &Notes) {
        let given = request.get(AUDIT_ID).filter(|id| !id.is_empty()).cloned();
        let made = || HeaderValue::from_str(&shared.uid()).ok();
        if let Some(id) = given.or_else(made) {
            let _ = notes.audit_id.set(id);
        }
    }

    fn seat(&self, shared: &Shared, asked: RequestDigest<'_>, notes: &Notes) -> Seating {
        let RequestDigest { user, attributes, .. } = asked;
        self.metrics.authenticated(Some(&user.name));
        let runs_long = attributes.is_resource && LONG_RUNNING.contains(&attributes.subresource.as_str());
        if runs_long {
            return Seating::Taken(None);
        }
        let fairness = match &self.limiter {
            Limiter::Fairness(fairness) => fairness,
            Limiter::InFlight(_) if attributes.verb == "watch" => return Seating::Taken(None),
            Limiter::InFlight(limits) => {
                return match limits.admit(user, attributes) {
                    Ok(place) => Seating::Taken(place.map(|place| Box::new(place) as Seat)),
                    Err(TooMany) => {
                        Refusals::of(&self.metrics, shared, asked).count();
                        Seating::Refused(1)
                    }
                };
            }
        };
        let Some((uids, decision)) = fairness.start_request(shared, asked) else {
            return Seating::Taken(None);
        };
        let _ = notes.classified.set(uids);
        match decision {
            Decision::Dispatched(seat) => Seating::Taken(Some(Box::new(seat))),
            Decision::Queued(turn) => {
                let refusals = Refusals::of(&self.metrics, shared, asked);
                Seating::Waits(Box::pin(waited(self.host.wait, turn, refusals)))
            }
            Decision::Rejected(after) => {
                Refusals::of(&self.metrics, shared, asked).count();
                Seating::Refused(after)
            }
        }
    }

    fn tell(&self, shared: &Shared, request: &HeaderMap, notes: &Notes, response: &mut HeaderMap) {
        if notes.audit_id.get().is_none() {
            self.identify(shared, request, notes);
        }
        let mut told = HeaderMap::with_capacity(response.len() + 3);
        told.extend(notes.audit_id.get().map(|id| (AUDIT_ID, id.clone())));
        // In the order of their names, as Go sends them: these are the first and the last.
        for (name, value) in response.iter() {
            told.append(name.clone(), value.clone());
        }
        for (name, uid) in CLASSIFIED.into_iter().zip(notes.classified.get().into_iter().flatten()) {
            told.append(name, uid.clone());
        }
        *response = told;
    }

    fn observe(
        &self,
        shared: &Arc<Shared>,
        request: &Request<Bytes>,
        notes: &Notes,
        took: Duration,
        response: &mut Response<Body>,
    ) {
        let metrics = &self.metrics;
        let code = response.status().as_u16();
        if code == 401 {
            metrics.authenticated(None);
        }
        let Some(decision) = notes.access.get().filter(|decision| decision.access.allowed) else { return };
        let attributes = &decision.attributes;
        self.parts.observe(std::mem::take(&mut *notes.measures()));
        self.count_stored(attributes, notes, took);
        let query = request.uri().query().unwrap_or_default();
        let Some(labels) = Labels::of(attributes, request.method(), query, request.headers()) else { return };
        if !metrics.knows(&labels) && attributes.is_resource && !labels.are_served(&shared.resources()) {
            return;
        }
        let client = metrics::client(request.headers());
        if labels.is_watch() && matches!(response.body(), Body::Stream(_)) {
            let body = std::mem::replace(response.body_mut(), Body::Cut);
            let Body::Stream(chunks) = body else { return };
            let (shared, begin) = (Arc::clone(shared), shared.config.clock.stopwatch());
            let handled = move || {
                let took = shared.config.clock.stopwatch().saturating_sub(begin);
                Handled { code, client, took, size: 0 }
            };
            let watched = metrics::counted(Arc::clone(metrics), labels.kept(), chunks, handled);
            *response.body_mut() = Body::Stream(watched);
            return;
        }
        let size = response.body().bytes().map_or(0, Bytes::len);
        metrics.handled(&labels, &Handled { code, client, took, size });
    }

    fn seats(&self) -> i64 {
        self.host.limits.seats()
    }

    fn dump(&self, name: &str) -> Option<String> {
        match &self.limiter {
            Limiter::Fairness(fairness) => fairness.dump(name),
            Limiter::InFlight(_) => None,
        }
    }

    fn write(&self, audit: Option<&AuditCounts>) -> Vec<(&'static str, String)> {
        let ProcessInfo { cpu, resident_memory, open_files, start } = (self.host.process)();
        let seconds = |time: Duration| format_float(time.as_secs_f64());
        let process = [
            ("process_cpu_seconds_total", "counter", CPU, cpu.map(seconds)),
            ("process_open_fds", "gauge", FILES, open_files.map(|count| count.to_string())),
            (
                "process_resident_memory_bytes",
                "gauge",
                MEMORY,
                resident_memory.map(|bytes| bytes.to_string()),
            ),
            ("process_start_time_seconds", "gauge", START, start.map(seconds)),
        ];
        let told = process.into_iter().filter_map(|(name, kind, about, value)| {
            let head = format!("# HELP {name} {about}\n# TYPE {name} {kind}\n");
            Some((name, format!("{head}{name} {}\n", value?)))
        });
        let mut families = Families::default();
        self.metrics.write(&mut families);
        self.parts.write(&mut families);
        if let Limiter::Fairness(fairness) = &self.limiter {
            fairness.write(&mut families);
        }
        match audit {
            Some(counts) => counts.write(&mut families),
            None => AuditCounts::default().write(&mut families),
        }
        families.finish().into_iter().chain(told).collect()
    }
}

impl Observer {
    /// Counts the requests to the store that came of a request: a write of each revision that it made, or a read, if it read there.
    fn count_stored(&self, attributes: &Attributes, notes: &Notes, took: Duration) {
        let resource = [attributes.group.as_str(), &attributes.resource];
        let wrote = notes.wrote().len();
        let operation = match attributes.verb.as_str() {
            "create" => "create",
            "delete" | "deletecollection" => "delete",
            "get" | "list" => attributes.verb.as_str(),
            _ => "update",
        };
        if let Ok(count) = u32::try_from(wrote)
            && count > 0
        {
            self.parts.stored(operation, resource, wrote, notes.storing() / count);
        } else if ["get", "list"].contains(&operation)
            && notes.source.get().is_some_and(|source| source.layer == Layer::Store)
        {
            self.parts.stored(operation, resource, 1, took);
        }
    }
}

/// Waits for a seat as the host has requests wait.
async fn waited(
    wait: fn(BoxFuture<'static, ()>) -> BoxFuture<'static, ()>,
    turn: Turn,
    refusals: Refusals,
) -> Result<Seat, u32> {
    let (done, outcome) = oneshot::channel();
    wait(Box::pin(async move {
        let _ = done.send(turn.wait().await);
    }))
    .await;
    let refused = |after| {
        refusals.count();
        after
    };
    // A host that gives a request up gives its place away.
    let seat = outcome.await.unwrap_or(Err(1)).map_err(refused)?;
    Ok(Box::new(seat))
}

/// Counts the refusal of a request.
struct Refusals(Arc<Metrics>, Option<Labels<String>>);

impl Refusals {
    fn of(metrics: &Arc<Metrics>, shared: &Shared, asked: RequestDigest<'_>) -> Self {
        let RequestDigest { request, attributes, .. } = asked;
        let query = request.uri().query().unwrap_or_default();
        let labels = Labels::of(attributes, request.method(), query, request.headers());
        // Names that somebody makes up are not counted.
        let counted =
            labels.filter(|labels| !attributes.is_resource || labels.are_served(&shared.resources()));
        Self(Arc::clone(metrics), counted.map(|labels| labels.kept()))
    }

    fn count(&self) {
        if let Some(labels) = &self.1 {
            self.0.dropped(labels);
        }
    }
}

const CPU: &str = "Total user and system CPU time spent in seconds.";
const FILES: &str = "Number of open file descriptors.";
const MEMORY: &str = "Resident memory size in bytes.";
const START: &str = "Start time of the process since unix epoch in seconds.";
