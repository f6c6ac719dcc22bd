//! The trace as lines of JSON, one for each batch.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use engine::{SharedCluster, Tracer};
use futures::{Stream, stream};
use tokio::sync::OwnedSemaphorePermit;

/// How often it is looked for what is new.
const EVERY: Duration = Duration::from_millis(30);

/// Returns the lines, to their end as of now or for ever. A line is made when it is asked for: a slow reader costs nothing, and
/// gets a gap. The permit is held for as long as the stream lives.
pub(super) fn lines(
    cluster: SharedCluster,
    follow: bool,
    permit: OwnedSemaphorePermit,
) -> Pin<Box<dyn Stream<Item = Bytes> + Send>> {
    Box::pin(stream::unfold((Tracer::default(), permit), move |(mut tracer, permit)| {
        let cluster = cluster.clone();
        async move {
            loop {
                let cluster = cluster.clone();
                // A state may be large, and whoever reads sockets has no time for it.
                let made = tokio::task::spawn_blocking(move || (line(&cluster, &mut tracer), tracer)).await;
                let (line, after) = made.ok()?;
                tracer = after;
                match line {
                    Some(line) => return Some((line, (tracer, permit))),
                    None if follow => tokio::time::sleep(EVERY).await,
                    None => return None,
                }
            }
        }
    }))
}

fn line(cluster: &SharedCluster, tracer: &mut Tracer) -> Option<Bytes> {
    let batch = cluster.trace(tracer)?;
    tracer.taken(batch.number);
    let mut line = serde_json::to_vec(&batch).ok()?;
    line.push(b'\n');
    Some(line.into())
}
