//! Instruments: headers by which responses tell which request they are for, and metrics of requests.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#diagnostics>

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use golang::strconv::format_float;
use http::{HeaderMap, HeaderName, Request, Response};

use crate::Body;
use crate::answer::Answer;
use crate::context::{ApiServer, Instruments, ProcessInfo, Shared};
use crate::flow_schemas::FlowSchemas;
use crate::metrics::{self, Handled, Labels};
use crate::notes::Notes;
use crate::user::User;
use apimachinery::Attributes;
use apimachinery::query::Query;

/// The header with the id of a request.
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
/// The headers with the uids of a FlowSchema and of its priority level.
const CLASSIFIED: [HeaderName; 2] = [
    HeaderName::from_static("x-kubernetes-pf-flowschema-uid"),
    HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid"),
];
/// The subresources whose requests are not classified: they run for long.
const LONG_RUNNING: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

impl ApiServer {
    /// Has each response tell the id of its request, and the FlowSchema and the priority level that it falls under, and has `/metrics`
    /// tell how many there were and how long they took, for all API servers of the cluster. `process` tells of the process.
    pub fn set_instruments(&self, process: fn() -> ProcessInfo) {
        let _ = self.shared.instruments.set(Instruments {
            classify,
            tell,
            observe,
            write,
            process,
            schemas: Mutex::default(),
            metrics: Arc::default(),
        });
    }
}

/// Notes how a request is classified.
fn classify(shared: &Shared, instruments: &Instruments, user: &User, attributes: &Attributes, notes: &Notes) {
    instruments.metrics.authenticated(Some(compressed(&user.name)));
    if attributes.is_resource && LONG_RUNNING.contains(&attributes.subresource.as_str()) {
        return;
    }
    let schemas = {
        let mut last = instruments.schemas();
        let now = FlowSchemas::now(&shared.storage().store, last.as_ref());
        *last = Some(now.clone());
        now
    };
    if let Some(uids) = schemas.classify(user, attributes) {
        let _ = notes.classified.set(uids.clone());
    }
}

/// Returns the name by which requests of a user are counted: few are told apart.
fn compressed(name: &str) -> &str {
    match name {
        "admin" | "client" | "kube_proxy" | "kubelet" | "system:serviceaccount:kube-system:default" => name,
        _ if name.contains('@') => "email_id",
        _ => "other",
    }
}

/// Counts a request that has been handled in so long; a watch, once it has ended.
fn observe(
    shared: &Arc<Shared>,
    request: &Request<Bytes>,
    notes: &Notes,
    took: Duration,
    response: &mut Response<Body>,
) {
    let Some(instruments) = shared.instruments.get() else { return };
    let metrics = &instruments.metrics;
    let code = response.status().as_u16();
    if code == 401 {
        metrics.authenticated(None);
    }
    let Some(decision) = notes.access.get().filter(|decision| decision.access.allowed) else { return };
    let attributes = &decision.attributes;
    let query = Query::parse(request.uri().query().unwrap_or_default());
    let Some(labels) = Labels::of(attributes, request.method(), &query, request.headers()) else { return };
    if attributes.is_resource && !labels.are_served(&shared.resources()) {
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
        *response.body_mut() = Body::Stream(metrics::counted(Arc::clone(metrics), labels, chunks, handled));
        return;
    }
    let size = response.body().bytes().map_or(0, Bytes::len);
    metrics.handled(&labels, &Handled { code, client, took, size });
}

/// Returns the families of metrics of requests, and of the process.
fn write(instruments: &Instruments) -> Vec<(&'static str, String)> {
    let ProcessInfo { cpu, resident_memory, open_files, start } = (instruments.process)();
    let seconds = |time: Duration| format_float(time.as_secs_f64());
    let process = [
        ("process_cpu_seconds_total", "counter", CPU, cpu.map(seconds)),
        ("process_open_fds", "gauge", FILES, open_files.map(|count| count.to_string())),
        ("process_resident_memory_bytes", "gauge", MEMORY, resident_memory.map(|bytes| bytes.to_string())),
        ("process_start_time_seconds", "gauge", START, start.map(seconds)),
    ];
    let told = process.into_iter().filter_map(|(name, kind, about, value)| {
        let head = format!("# HELP {name} {about}\n# TYPE {name} {kind}\n");
        Some((name, format!("{head}{name} {}\n", value?)))
    });
    instruments.metrics.write().into_iter().chain(told).collect()
}

const CPU: &str = "Total user and system CPU time spent in seconds.";
const FILES: &str = "Number of open file descriptors.";
const MEMORY: &str = "Resident memory size in bytes.";
const START: &str = "Start time of the process since unix epoch in seconds.";

/// Adds the headers to a response.
fn tell(shared: &Shared, request: &HeaderMap, notes: &Notes, mut answer: Answer) -> Answer {
    let given = request.get(AUDIT_ID).and_then(|id| id.to_str().ok()).filter(|id| !id.is_empty());
    answer = answer.with(AUDIT_ID, given.map_or_else(|| shared.uid(), str::to_owned));
    for (name, uid) in CLASSIFIED.into_iter().zip(notes.classified.get().into_iter().flatten()) {
        answer = answer.with(name, uid.as_str());
    }
    answer
}
