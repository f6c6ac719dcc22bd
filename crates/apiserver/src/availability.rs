//! The work of kube-apiserver's own controllers on the APIServices of aggregated API servers: their conditions, and what these servers
//! tell of themselves.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>

mod condition;
mod download;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::future::{BoxFuture, Either, join_all, select};
use futures::{FutureExt, StreamExt};
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue, Method};

use crate::Body;
use crate::aggregator::{Aggregator, Location, ProxyTransport, as_user};
use crate::api_services::ApiService;
use crate::context::{ApiServer, Shared};
use apimachinery::User;

/// How often a server is checked that was well.
const RESYNC: Duration = Duration::from_secs(30);
/// How soon one is checked again that failed, and twice that after every other time.
const FIRST_RETRY: Duration = Duration::from_millis(5);
/// How often a server is asked what it serves.
const REFRESH: Duration = Duration::from_secs(60);
/// The longest time that a check may take.
const CHECK: Duration = Duration::from_secs(5);
/// The most bytes of a document that are read.
const DOCUMENT_LIMIT: usize = 16 * 1024 * 1024;

/// When a server is to be asked again.
#[derive(Default)]
struct Schedule {
    /// When it is to be checked.
    check: Duration,
    /// How often it has failed since it was last well.
    failures: u32,
    /// When it is to be asked what it serves, and the revision of the APIService that it was last asked for.
    download: (Duration, u64),
}

impl ApiServer {
    /// Has requests for what aggregated API servers serve passed on, for all API servers of the cluster. Without this none of them is
    /// available. Returns the work on their APIServices, which keeps their conditions and what is known of them for as long as it is
    /// polled; it is over at once if there is a transport already.
    pub fn set_proxy_transport(&self, transport: Arc<dyn ProxyTransport>) -> BoxFuture<'static, ()> {
        let aggregator = Arc::new(Aggregator::new(transport));
        if !self.shared.aggregator.set(Arc::clone(&aggregator) as _) {
            return Box::pin(std::future::ready(()));
        }
        let server = self.clone();
        Box::pin(async move { server.run_aggregator(&aggregator).await })
    }

    async fn run_aggregator(&self, aggregator: &Aggregator) {
        let shared = &self.shared;
        let clock = shared.config.clock.as_ref();
        let mut schedules: BTreeMap<String, Schedule> = BTreeMap::new();
        let mut changed = true;
        loop {
            let resources = shared.resources();
            let services: Vec<&Arc<ApiService>> =
                resources.services.iter().filter(|service| service.server.is_some()).collect();
            aggregator.keep(&services);
            schedules.retain(|name, _| services.iter().any(|service| service.name == *name));
            let now = clock.now();
            let mut due = Vec::new();
            for service in &services {
                let schedule = schedules.entry(service.name.clone()).or_default();
                if changed || schedule.check <= now {
                    let downloads = schedule.download.0 <= now || schedule.download.1 != service.revision;
                    due.push(sync(shared, aggregator, service, downloads));
                }
            }
            for (name, revision, is_well) in join_all(due).await {
                let Some(schedule) = schedules.get_mut(&name) else { continue };
                let now = clock.now();
                if schedule.download.0 <= now || schedule.download.1 != revision {
                    schedule.download = (now + REFRESH, revision);
                }
                schedule.failures = if is_well { 0 } else { schedule.failures.saturating_add(1) };
                let retry = 2_u32.saturating_pow(schedule.failures.saturating_sub(1));
                schedule.check = now + if is_well { RESYNC } else { (FIRST_RETRY * retry).min(RESYNC) };
            }
            let next = schedules.values().map(|schedule| schedule.check.min(schedule.download.0)).min();
            changed = match next {
                None => {
                    wait_for_change(shared).await;
                    true
                }
                Some(next) => {
                    let rest = clock.sleep(next.saturating_sub(clock.now()));
                    matches!(select(Box::pin(wait_for_change(shared)), rest).await, Either::Left(_))
                }
            };
        }
    }
}

/// Waits until something was written that may make a difference to an aggregated API server.
async fn wait_for_change(shared: &Shared) {
    poll_fn(|cx| {
        let aggregation = &mut shared.storage().aggregation;
        if std::mem::take(&mut aggregation.changed) {
            return Poll::Ready(());
        }
        aggregation.waiting = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
}

/// Checks a server and writes its condition; asks it what it serves, if that `downloads`. Gives the name and the revision of its
/// APIService, and whether it is well.
async fn sync(
    shared: &Arc<Shared>,
    aggregator: &Aggregator,
    service: &Arc<ApiService>,
    downloads: bool,
) -> (String, u64, bool) {
    let condition = match condition::of_service(service, shared.as_ref()) {
        Err(condition) => condition,
        Ok(()) => match check(shared, aggregator, service).await {
            Ok(()) => condition::PASSED.into(),
            Err(why) => condition::Condition::failed_discovery(why),
        },
    };
    let is_well = condition.reason != condition::FAILED_DISCOVERY;
    condition::write(shared, service, condition);
    if downloads {
        download::download(shared, aggregator, service).await;
    }
    (service.name.clone(), service.revision, is_well)
}

/// Asks a server for what it has to serve.
///
/// # Errors
/// The reply in place of that, as the condition of the APIService tells it.
async fn check(shared: &Shared, aggregator: &Aggregator, service: &ApiService) -> Result<(), String> {
    let root = if service.group.is_empty() { ["/api/", &service.version].concat() } else { service.root() };
    let location = Location::of(service, shared)?;
    let url = location.url(&root);
    let user = masters();
    let asked = ask(shared, aggregator, &location, (&root, CHECK), &user, "");
    let failed = |why: String| format!("failing or missing response from {url}: {why}");
    match asked.await {
        Ok((200..=299, ..)) => Ok(()),
        Ok((code, ..)) => Err(failed(format!("bad status from {url}: {code}"))),
        Err(why) => Err(failed(format!("Get {}: {why}", field::quote(&url)))),
    }
}

/// Returns the user by whom servers are asked.
fn masters() -> User {
    let groups = vec!["system:masters".to_owned()];
    User { name: "system:kube-aggregator".to_owned(), groups, ..User::default() }
}

/// Sends a GET to a server, and reads the whole response: its code, its media type and its body.
///
/// # Errors
/// The response does not come, as Go's HTTP client words it.
async fn ask(
    shared: &Shared,
    aggregator: &Aggregator,
    location: &Location,
    (path, limit): (&str, Duration),
    user: &User,
    accept: &'static str,
) -> Result<(u16, String, Bytes), String> {
    let mut headers = HeaderMap::new();
    if !accept.is_empty() {
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
    }
    as_user(&mut headers, user);
    let mut request = location.request(Method::GET, path, headers, Bytes::new())?;
    request.timeout = Some(limit);
    let read = async {
        let response = aggregator.transport.send(request).await?;
        let (parts, body) = response.into_parts();
        let media_type = parts.headers.get(http::header::CONTENT_TYPE);
        let media_type = media_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Ok((parts.status.as_u16(), media_type.unwrap_or_default(), collect(body).await))
    };
    match select(read.boxed(), shared.config.clock.sleep(limit)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => Err("context deadline exceeded".to_owned()),
    }
}

/// Reads a body; what is too long is cut.
async fn collect(body: Body) -> Bytes {
    let mut chunks = match body {
        Body::Bytes(bytes) => return bytes,
        Body::Stream(chunks) => chunks,
        Body::Upgrade(_) | Body::Cut => return Bytes::new(),
    };
    let mut whole = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        if whole.len() + chunk.len() > DOCUMENT_LIMIT {
            break;
        }
        whole.extend_from_slice(&chunk);
    }
    whole.freeze()
}
