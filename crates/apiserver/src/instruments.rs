//! Instruments: headers by which responses tell which request they are for, and metrics of requests.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#diagnostics>

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use golang::strconv::format_float;
use http::{HeaderMap, HeaderValue, Request, Response};

use crate::Body;
use crate::answer::{AUDIT_ID, Answer, Identity};
use crate::context::{ApiServer, Instruments, ProcessInfo, Shared};
use crate::flow_schemas::FlowSchemas;
use crate::metrics::{self, Handled, Labels};
use crate::notes::Notes;
use crate::user::User;
use apimachinery::Attributes;

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
    instruments.metrics.authenticated(Some(&user.name));
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
        *response.body_mut() =
            Body::Stream(metrics::counted(Arc::clone(metrics), labels.kept(), chunks, handled));
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
fn tell(shared: &Shared, request: &HeaderMap, notes: &Notes, answer: Answer) -> Answer {
    let given = request.get(AUDIT_ID).filter(|id| !id.is_empty()).cloned();
    let made = || HeaderValue::from_str(&shared.uid()).ok();
    let Some(audit_id) = given.or_else(made) else { return answer };
    answer.identified(Identity { audit_id, classified: notes.classified.get().cloned() })
}
