//! The cluster that lives in this page.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use apiserver::inspect::Served;
use apiserver::{ApiServer, Config, ManualClock, SeededRandom};
use futures::StreamExt;
use futures::future::LocalBoxFuture;

use crate::cluster::{Answer, Body, Request, Transport, media};

/// The first revision of a new cluster: where the examples of the Kubernetes documentation begin.
const FIRST_REVISION: u64 = 10245;

/// What the page calls itself, so that the fields that it writes have a manager.
pub(crate) const USER_AGENT: &str = "kubeglass";

/// How many API servers a cluster in this page has at most.
pub(crate) const MOST_SERVERS: usize = 3;

/// The API servers in this page, and their clock.
pub(crate) struct Embedded {
    /// The first one, also for what no API tells: overview, writes, compaction.
    pub(crate) server: ApiServer,
    /// Stands still until the page advances it.
    pub(crate) clock: ManualClock,
    /// All of them, by their numbers.
    servers: RefCell<Vec<ApiServer>>,
    /// The number of the one that requests go to; `None` lets each have its turn, as a load balancer does.
    chosen: Cell<Option<usize>>,
    /// How many requests have had a turn.
    turns: Cell<usize>,
}

impl Embedded {
    /// A new cluster whose clock stands at `now` (since the Unix epoch).
    pub(crate) fn new(now: Duration, seed: u64) -> Self {
        let clock = ManualClock::new(now);
        let server = ApiServer::new(Config {
            clock: Arc::new(clock.clone()),
            random: Arc::new(SeededRandom::new(seed)),
            first_revision: FIRST_REVISION,
            tokens: None,
            formats: apiserver::Formats::elsewhere::<media::Lazy>(),
            validation: media::VALIDATION,
            compaction: apiserver::Compaction::default(),
        });
        Self::of(server, clock)
    }

    /// A cluster of which this is the first API server.
    pub(crate) fn of(server: ApiServer, clock: ManualClock) -> Self {
        let servers = RefCell::new(vec![server.clone()]);
        Self { server, clock, servers, chosen: Cell::new(Some(0)), turns: Cell::new(0) }
    }

    /// Starts another API server over the same store, unless there are enough.
    pub(crate) fn join(&self) {
        let mut servers = self.servers.borrow_mut();
        if servers.len() < MOST_SERVERS {
            servers.push(self.server.join());
        }
    }

    /// How many API servers there are.
    pub(crate) fn servers(&self) -> usize {
        self.servers.borrow().len()
    }

    /// The API server of a number; the first one where there is none.
    pub(crate) fn numbered(&self, number: usize) -> ApiServer {
        self.servers.borrow().get(number).unwrap_or(&self.server).clone()
    }

    /// Sets which API server requests go to; `None` lets each have its turn.
    pub(crate) fn choose(&self, number: Option<usize>) {
        self.chosen.set(number);
    }

    /// The API server that the next request goes to.
    pub(crate) fn next(&self) -> ApiServer {
        self.numbered(self.chosen.get().unwrap_or_else(|| self.turns.get() % self.servers().max(1)))
    }
}

impl Transport for Embedded {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let server = self.next();
        self.turns.set(self.turns.get().wrapping_add(1));
        Box::pin(async move {
            if media::needed(&request) {
                media::load().await?;
            }
            let mut builder =
                http::Request::builder().method(request.method.as_str()).uri(request.target.as_str());
            for (name, value) in &request.headers {
                builder = builder.header(name, value);
            }
            if request.headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("User-Agent")) {
                builder = builder.header(http::header::USER_AGENT, USER_AGENT);
            }
            let request = builder.body(request.bytes()).map_err(|error| error.to_string())?;
            let (parts, body) = server.call(request).await.into_parts();
            let headers = parts
                .headers
                .iter()
                .map(|(name, value)| {
                    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                })
                .collect();
            let content_type = parts.headers.get(http::header::CONTENT_TYPE);
            let unreadable = content_type.and_then(media::unreadable);
            let body = match body {
                apiserver::Body::Bytes(bytes) => Body::Bytes(bytes),
                apiserver::Body::Stream(stream) => Body::Stream(match unreadable {
                    None => stream.map(Ok).boxed_local(),
                    Some(question) => stream.map(move |frame| media::ask(question, &frame)).boxed_local(),
                }),
                apiserver::Body::Cut => return Err("the connection was cut".to_owned()),
            };
            let served = parts.extensions.get::<Served>().cloned().map(Box::new);
            Ok(Answer { status: parts.status.as_u16(), headers, body, served })
        })
    }
}

#[cfg(test)]
mod tests {
    use apiserver::inspect::{Layer, Source};

    use super::*;

    #[test]
    fn answers_through_the_transport() {
        let cluster = Embedded::new(Duration::from_secs(1_800_000_000), 1);
        let answer = futures::executor::block_on(cluster.send(Request::get("/no/such/path"))).unwrap();
        let served = answer.served.unwrap();
        assert_eq!((answer.status, served.code, served.source), (404, 404, None));
        assert!(matches!(answer.body, Body::Bytes(bytes) if !bytes.is_empty()));
    }

    #[test]
    fn says_what_an_answer_was_read_from() {
        let cluster = Embedded::new(Duration::from_secs(1_800_000_000), 1);
        let head = cluster.server.inspect().overview().revision;
        for (query, layer, revision) in [
            ("", Layer::Cache, head),
            ("?resourceVersion=10246&resourceVersionMatch=Exact", Layer::Snapshot, 10246),
        ] {
            let request = Request::get(&format!("/api/v1/namespaces{query}"));
            let answer = futures::executor::block_on(cluster.send(request)).unwrap();
            assert_eq!(answer.served.unwrap().source, Some(Source { layer, revision }), "{query}");
        }
    }

    #[test]
    fn requests_go_to_the_server_that_is_chosen_or_take_turns() {
        let cluster = Embedded::new(Duration::from_secs(1_800_000_000), 1);
        cluster.join();
        let mut asked = |chosen| {
            cluster.choose(chosen);
            let answer = futures::executor::block_on(cluster.send(Request::get("/api/v1/namespaces")));
            answer.unwrap().served.unwrap().server
        };
        assert_eq!([Some(0), Some(1), Some(7), None, None].map(&mut asked), [0, 1, 0, 1, 0]);
        (0..MOST_SERVERS).for_each(|_| cluster.join());
        assert_eq!(cluster.servers(), MOST_SERVERS);
    }

    #[test]
    fn says_why_a_request_cannot_be_sent() {
        let cluster = Embedded::new(Duration::ZERO, 1);
        let answer = futures::executor::block_on(cluster.send(Request::get("not a path")));
        assert!(answer.is_err_and(|why| !why.is_empty()));
    }
}
