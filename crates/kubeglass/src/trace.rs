//! The trace of a cluster: a [`Trace`] gives what happens there, in order, as [`Event`]s.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::Poll;

use apiserver::inspect::Listener;
use engine::{SharedCluster, Tracer};

pub use protocol::trace::{
    Access, AccessDecision, Attributes, Change, Considered, Delivery, Event, EventType, Found, Grant,
    Judgement, Layer, Lost, Mismatch, ObjectKey, PolicyRule, RequestRecord, ServerInfo, Snapshot, Source,
    Step, Stored, Time, WatchEnd, WatchInfo, WatchScope, Write,
};

/// A subscription to what happens in a cluster: requests with who sent them, the status code of the response and what
/// they wrote; writes; watches, and what each was sent.
///
/// A test waits for a request, and says which ones it expects:
///
/// ```
/// # use http_body_util::Empty;
/// # use tower_service::Service;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let cluster = kubeglass::Cluster::builder().build()?;
/// let mut trace = cluster.trace();
/// let mut client = cluster.client().with_user_agent("my-controller")?;
/// for path in ["/api/v1/nodes", "/api/v1/pods/none"] {
///     client.call(http::Request::get(path).body(Empty::<bytes::Bytes>::new())?).await?;
/// }
/// let requests = trace.requests_until(|request| request.code == 404).await;
/// let sent: Vec<_> = requests.iter().map(|request| (&*request.method, request.path(), request.code)).collect();
/// assert_eq!(sent, [("GET", "/api/v1/nodes", 200), ("GET", "/api/v1/pods/none", 404)]);
/// assert_eq!(requests[0].user_agent, "my-controller");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Nothing is kept for a subscription: it reads what the API servers keep of the last requests (4,096) and writes. Who reads
/// too seldom misses some, and [`lost`](Self::lost) says how much.
pub struct Trace {
    cluster: SharedCluster,
    tracer: Tracer,
    listener: Listener,
    /// The events that were read, and not asked for.
    events: VecDeque<Event>,
    lost: Lost,
}

impl Trace {
    pub(crate) fn from_now(cluster: SharedCluster) -> Self {
        let listener = cluster.first().inspect().listener();
        let (tracer, events) = (Tracer::default(), VecDeque::new());
        let mut trace = Self { cluster, tracer, listener, events, lost: Lost::default() };
        while trace.read() {
            trace.events.clear();
        }
        trace.lost = Lost::default();
        trace
    }

    /// Reads what is new, and returns whether anything was.
    fn read(&mut self) -> bool {
        let Some(batch) = self.cluster.trace(&mut self.tracer) else { return false };
        self.tracer.taken(batch.number);
        self.lost.writes |= batch.lost.writes;
        self.lost.requests += batch.lost.requests;
        self.lost.deliveries += batch.lost.deliveries;
        self.events.extend(batch.events);
        true
    }

    /// Returns the next event, if it has happened already.
    pub fn try_next(&mut self) -> Option<Event> {
        loop {
            match self.events.pop_front() {
                None if self.read() => {}
                event => return event,
            }
        }
    }

    /// Waits for the next event. Time that passes does not end the wait: [`Event::Time`] comes with other events.
    pub async fn next(&mut self) -> Event {
        poll_fn(|cx| {
            // What happens after this wakes, and what has happened before is read.
            self.listener.register(cx.waker());
            self.try_next().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Returns the requests that were answered since this subscription was last read. Other events are passed over.
    pub fn requests(&mut self) -> Vec<RequestRecord> {
        std::iter::from_fn(|| self.try_next()).filter_map(request).collect()
    }

    /// Waits for a request that is answered, and returns it with those before it. Other events are passed over.
    ///
    /// A request that never comes is waited for without end: `tokio::time::timeout` ends that, and takes no time where tokio's clock
    /// is paused.
    pub async fn requests_until(
        &mut self,
        mut is_last: impl FnMut(&RequestRecord) -> bool,
    ) -> Vec<RequestRecord> {
        let mut requests = Vec::new();
        loop {
            let Some(request) = request(self.next().await) else { continue };
            let last = is_last(&request);
            requests.push(request);
            if last {
                return requests;
            }
        }
    }

    /// Returns how much this subscription has missed so far, because it was no longer kept when it was read.
    pub fn lost(&self) -> Lost {
        self.lost
    }
}

fn request(event: Event) -> Option<RequestRecord> {
    match event {
        Event::Request(request) => Some(*request),
        _ => None,
    }
}
