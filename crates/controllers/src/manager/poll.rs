//! Polling: how a manager's work goes on, gives way and waits.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake};
use std::time::Duration;

use clock::Clock;

/// The time after which to look again whether a request that waits has gone on.
const PATIENCE: Duration = Duration::from_secs(1);

/// Notes that there may be more to do.
#[derive(Default)]
pub(super) struct Woken(AtomicBool);

impl Woken {
    /// Reports whether there may be more to do since the last call.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// Works, and tells when to look again if it has to wait.
pub(super) async fn telling<T>(
    work: impl Future<Output = T>,
    clock: &dyn Clock,
    set: impl Fn(Option<Duration>),
) -> T {
    let mut work = std::pin::pin!(work);
    let mut due = None;
    let done = poll_fn(|cx| {
        let polled = work.as_mut().poll(cx);
        if polled.is_pending() {
            let now = clock.now();
            let is_later = |due: &Duration| *due > now;
            due = due.filter(is_later).or(now.checked_add(PATIENCE));
            set(due);
        }
        polled
    })
    .await;
    set(None);
    done
}

/// Lets whoever polls do something else in between.
pub(super) async fn give_way() {
    let mut has_given = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_given, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
