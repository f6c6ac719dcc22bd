//! Watches while they are open: each event that is sent is counted.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;

use super::histogram::Histogram;
use super::{EVENT_SIZES, Handled, Labels, Metrics};
use crate::kubelet::Chunks;

/// The events of a watch by the buckets of their sizes, and all of their bytes.
#[derive(Default)]
pub(super) struct Counts {
    events: [AtomicU64; EVENT_SIZES.len() + 1],
    bytes: AtomicU64,
}

impl Counts {
    fn count(&self, size: usize) {
        #[allow(clippy::cast_precision_loss)]
        let place = EVENT_SIZES.partition_point(|bound| *bound < size as f64);
        self.events[place].fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(size as u64, Ordering::Relaxed);
    }

    /// Adds them to a histogram of sizes.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn add_to(&self, sizes: &mut Histogram) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        sizes.add(self.events.iter().map(read), read(&self.bytes) as f64);
    }
}

/// Returns the stream of a watch with each of its events counted. The request is counted when it has ended: `handled` says how, given
/// that.
pub(crate) fn counted(
    metrics: Arc<Metrics>,
    labels: Labels<String>,
    chunks: Chunks,
    handled: impl Fn() -> Handled + Send + Unpin + 'static,
) -> Chunks {
    let counts = Arc::new(Counts::default());
    let number = {
        let mut counted = metrics.counted();
        counted.opened += 1;
        let number = counted.opened;
        counted.open.insert(number, (labels, Arc::clone(&counts)));
        number
    };
    Box::pin(Watched { metrics, number, counts, chunks, handled })
}

/// The stream of a watch.
struct Watched<F: Fn() -> Handled> {
    metrics: Arc<Metrics>,
    number: u64,
    counts: Arc<Counts>,
    chunks: Chunks,
    handled: F,
}

impl<F: Fn() -> Handled + Unpin> Stream for Watched<F> {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let next = self.chunks.as_mut().poll_next(cx);
        if let Poll::Ready(Some(frame)) = &next {
            self.counts.count(frame.len());
        }
        next
    }
}

impl<F: Fn() -> Handled> Drop for Watched<F> {
    fn drop(&mut self) {
        let mut counted = self.metrics.counted();
        let Some((labels, counts)) = counted.open.remove(&self.number) else { return };
        let sizes = counted.events.entry(labels.watched()).or_insert_with(|| Histogram::new(EVENT_SIZES));
        counts.add_to(sizes);
        drop(counted);
        self.metrics.handled(&labels, &(self.handled)());
    }
}
