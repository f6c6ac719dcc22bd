//! The cluster that lives in this page.

use std::sync::Arc;
use std::time::Duration;

use apiserver::inspect::Served;
use apiserver::{ApiServer, Config, ManualClock, SeededRandom};
use bytes::Bytes;
use futures::StreamExt;
use futures::future::LocalBoxFuture;

use crate::cluster::{Answer, Body, Request, Transport};

/// The first revision of a new cluster: where the examples of the Kubernetes documentation begin.
const FIRST_REVISION: u64 = 10245;

/// The API server in this page, and its clock.
pub(crate) struct Embedded {
    /// For what no API tells: overview, writes, compaction.
    pub(crate) server: ApiServer,
    /// Stands still until the page advances it.
    pub(crate) clock: ManualClock,
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
            formats: apiserver::Formats::JSON,
            compaction: apiserver::Compaction::default(),
        });
        Self { server, clock }
    }
}

impl Transport for Embedded {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let server = self.server.clone();
        Box::pin(async move {
            let mut builder =
                http::Request::builder().method(request.method.as_str()).uri(request.target.as_str());
            for (name, value) in &request.headers {
                builder = builder.header(name, value);
            }
            let request = builder.body(Bytes::from(request.body)).map_err(|error| error.to_string())?;
            let (parts, body) = server.call(request).await.into_parts();
            let headers = parts
                .headers
                .iter()
                .map(|(name, value)| {
                    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                })
                .collect();
            let body = match body {
                apiserver::Body::Bytes(bytes) => Body::Bytes(bytes),
                apiserver::Body::Stream(stream) => Body::Stream(stream.map(Ok).boxed_local()),
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
    fn says_why_a_request_cannot_be_sent() {
        let cluster = Embedded::new(Duration::ZERO, 1);
        let answer = futures::executor::block_on(cluster.send(Request::get("not a path")));
        assert!(answer.is_err_and(|why| !why.is_empty()));
    }
}
