//! A connection: what is under way over it, and when it has been quiet for too long.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::ledger::Ledger;
use crate::limits::{CONNECTION_RESPONSES_LIMIT, HEAD_TIMEOUT, IDLE_TIMEOUT, STALL_TIMEOUT};

/// The state of a connection.
pub(crate) struct Connection {
    /// A number that no other has.
    pub(crate) id: u64,
    /// The bytes of responses that are held for it.
    pub(crate) responses: Arc<Ledger>,
    state: Mutex<State>,
    ended: Notify,
}

struct State {
    /// How many requests are being answered.
    under_way: usize,
    /// How many there have been.
    requests: u64,
    /// Since when there is none.
    quiet_since: Instant,
    /// The responses that have something for their readers, and since when nobody took it.
    waiting: BTreeMap<u64, Instant>,
    /// That it is to end, whatever is under way.
    is_over: bool,
}

impl Connection {
    pub(crate) fn new(id: u64) -> Arc<Self> {
        let state = State {
            under_way: 0,
            requests: 0,
            quiet_since: Instant::now(),
            waiting: BTreeMap::new(),
            is_over: false,
        };
        let responses = Ledger::new(CONNECTION_RESPONSES_LIMIT);
        Arc::new(Self { id, responses, state: Mutex::new(state), ended: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request has come.
    pub(crate) fn begin(self: &Arc<Self>) -> UnderWay {
        let mut state = self.state();
        state.under_way += 1;
        state.requests += 1;
        UnderWay { connection: Arc::clone(self), number: state.requests }
    }

    /// Since when nothing is under way, and whether there has ever been a request.
    pub(crate) fn quiet(&self) -> Option<(bool, Instant)> {
        let state = self.state();
        (state.under_way == 0 && !state.is_over).then_some((state.requests > 0, state.quiet_since))
    }

    /// When it has been quiet for too long, or a reader has taken nothing, unless something happens before.
    pub(crate) fn due(&self) -> Instant {
        let state = self.state();
        if state.under_way == 0 {
            return state.quiet_since + if state.requests == 0 { HEAD_TIMEOUT } else { IDLE_TIMEOUT };
        }
        let first = state.waiting.values().min().copied().unwrap_or_else(Instant::now);
        first + STALL_TIMEOUT
    }

    /// How long a reader has taken nothing, if one has.
    pub(crate) fn stalled(&self) -> Option<Duration> {
        self.state().waiting.values().min().map(Instant::elapsed)
    }

    /// Ends it.
    pub(crate) fn end(&self) {
        self.state().is_over = true;
        self.ended.notify_waiters();
    }

    /// Waits until it has been ended.
    pub(crate) async fn ended(&self) {
        loop {
            let ended = self.ended.notified();
            if self.state().is_over {
                return;
            }
            ended.await;
        }
    }
}

/// A request that is being answered, until this is dropped.
pub(crate) struct UnderWay {
    connection: Arc<Connection>,
    number: u64,
}

impl UnderWay {
    /// Notes that there is something for the reader to take.
    pub(crate) fn offer(&self) {
        self.connection.state().waiting.insert(self.number, Instant::now());
    }

    /// Notes that the reader has taken it, and wants more.
    pub(crate) fn taken(&self) {
        self.connection.state().waiting.remove(&self.number);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.connection.state();
        state.waiting.remove(&self.number);
        state.under_way -= 1;
        if state.under_way == 0 {
            state.quiet_since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn quiet_connections_and_readers_who_do_not_read_are_due() {
        let connection = Connection::new(1);
        let begin = Instant::now();
        assert_eq!(connection.due(), begin + HEAD_TIMEOUT);
        let first = connection.begin();
        assert!(connection.quiet().is_none());
        first.offer();
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(connection.due(), begin + STALL_TIMEOUT);
        assert_eq!(connection.stalled(), Some(Duration::from_secs(5)));
        first.taken();
        assert_eq!(connection.due(), Instant::now() + STALL_TIMEOUT);
        assert_eq!(connection.stalled(), None);
        drop(first);
        assert_eq!(connection.due(), Instant::now() + IDLE_TIMEOUT);
        assert_eq!(connection.quiet(), Some((true, Instant::now())));
    }
}
