//! Requests that go on after the head of their response is sent: their last event is logged when they end.
//!
//! <https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy>

use std::pin::Pin;
use std::task::{Context, Poll};

use apimachinery::Attributes;
use bytes::Bytes;
use futures::Stream;

use crate::kubelet::Chunks;
use crate::upgrade::Upgrade;

/// The subresources whose requests may run for long.
const SUBRESOURCES: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// The paths of profiles, which take long to be made.
const PROFILES: &str = "/debug/pprof/";

/// Reports whether requests of this kind may run for long.
pub(super) fn is_long_running(attributes: &Attributes) -> bool {
    let is_named = || SUBRESOURCES.contains(&attributes.subresource.as_str());
    match attributes.is_resource {
        true => ["watch", "proxy"].contains(&attributes.verb.as_str()) || is_named(),
        false => attributes.path.starts_with(PROFILES),
    }
}

/// Returns a stream whose request is over when it is dropped.
pub(super) fn follow<A: Send + Unpin + 'static>(audit: A, chunks: Chunks) -> Chunks {
    Box::pin(Followed { chunks, _audit: audit })
}

/// Returns a connection whose request is over when it is.
pub(super) fn follow_connection<A: Send + Unpin + 'static>(audit: A, upgrade: Upgrade) -> Upgrade {
    let Upgrade { protocol, framing, peer } = upgrade;
    Upgrade { protocol, framing, peer: Box::new(move |received| follow(audit, peer(received))) }
}

/// The stream of a request, and its audit.
struct Followed<A> {
    chunks: Chunks,
    _audit: A,
}

impl<A: Unpin> Stream for Followed<A> {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.chunks.as_mut().poll_next(cx)
    }
}
