//! Work that waits for somebody else, such as a webhook: it computes nothing meanwhile, and keeps nobody from doing so.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::{Turn, Turns};

tokio::task_local! {
    /// The number of others whom the work of this task waits for.
    static AWAITED: Cell<usize>;
}

/// Counts one whom the work waits for, until it is dropped.
struct Awaited;

impl Awaited {
    /// Counts one more; nobody, where no work has turns.
    fn begin() -> Option<Self> {
        AWAITED.try_with(|count| count.set(count.get() + 1)).ok().map(|()| Self)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        // Work that is given up has no count any more.
        let _ = AWAITED.try_with(|count| count.set(count.get().saturating_sub(1)));
    }
}

/// Waits for somebody else. The turn of the work that this is a part of is given to others meanwhile.
pub(crate) async fn outside<T>(other: impl Future<Output = T>) -> T {
    let _awaited = Awaited::begin();
    other.await
}

/// Does work with a turn, and without one where it waits for somebody else.
pub(super) async fn work_with<T>(
    turn: Turn,
    (turns, connection): (Turns, u64),
    work: impl Future<Output = T>,
) -> T {
    let mut turn = Some(turn);
    let work = async {
        let mut work = pin!(work);
        loop {
            if let Poll::Ready(output) = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
                return output;
            }
            if AWAITED.with(|count| count.get() > 0) {
                drop(turn.take());
            }
            woken().await;
            if turn.is_none() {
                // Where too many wait, it goes on without: half a write is none.
                turn = turns.take(connection).await.ok();
            }
        }
    };
    AWAITED.scope(Cell::new(0), work).await
}

/// Waits until the task is woken.
async fn woken() {
    let mut waits = true;
    poll_fn(|_| if std::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) }).await;
}
