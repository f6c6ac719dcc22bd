//! The threads that handle requests, apart from the others, so that long computations keep no client from being served.
//!
//! Requests with large bodies take turns, connection by connection, and leave a core to the others.

mod outside;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

use crate::limits::{IN_FLIGHT, WAITING};
pub(crate) use outside::outside;

/// The number of threads that handle quick requests. A small body can have much computed, by an admission policy: while some threads
/// do that, the operating system lets the others handle what is quick.
const QUICK_THREADS: usize = 6;

/// How long a request is expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// It reads, or has a small body.
    Quick,
    /// It has a large body.
    Slow,
}

/// How often all threads tidy up.
const TIDY_UP_EVERY: Duration = Duration::from_secs(10);

/// Called by a thread that has had much memory: see [`tidy_up_by`].
static TIDY_UP: OnceLock<fn()> = OnceLock::new();

/// Has threads call this from time to time, and after work that takes much memory, so that the allocator gives back what it keeps
/// for them: it looks at what a thread has only when that thread asks. The first call counts.
pub fn tidy_up_by(tidy_up: fn()) {
    let _ = TIDY_UP.set(tidy_up);
}

/// There are too many requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// Threads that handle requests.
pub(crate) struct Pool {
    runtime: Option<Runtime>,
    quick: Turns,
    slow: Turns,
}

impl Pool {
    /// Starts the threads: for large bodies as many as there are cores but one, and some for the others.
    pub(crate) fn new() -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let slow = (cores - 1).max(1);
        let runtime = Builder::new_multi_thread()
            .worker_threads(slow + QUICK_THREADS)
            .thread_name("handler")
            .enable_time()
            .build()?;
        runtime.spawn(tidy_up_regularly([Some(runtime.handle().clone()), Handle::try_current().ok()]));
        Ok(Self { runtime: Some(runtime), quick: Turns::new(IN_FLIGHT), slow: Turns::new(slow) })
    }

    /// Does the work of a connection when it is its turn.
    ///
    /// # Errors
    /// [`Busy`]: too many wait already. Nothing was done.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        connection: u64,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Busy> {
        let turns = match lane {
            Lane::Quick => &self.quick,
            Lane::Slow => &self.slow,
        };
        let turn = turns.take(connection).await?;
        let Some(runtime) = &self.runtime else { return Err(Busy) };
        let (done, outcome) = oneshot::channel();
        let turns = turns.clone();
        // Who no longer wants the outcome has the work done all the same: half a write is none.
        runtime.spawn(async move {
            let output = outside::work_with(turn, (turns, connection), work).await;
            let _ = done.send(output);
            if lane == Lane::Slow
                && let Some(tidy_up) = TIDY_UP.get()
            {
                tidy_up();
            }
        });
        outcome.await.map_err(|_| Busy)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Whatever is being computed ends with the process.
            runtime.shutdown_background();
        }
    }
}

/// Has each thread of the runtimes tidy up, again and again: one that sleeps keeps what others have freed of its memory.
async fn tidy_up_regularly(runtimes: [Option<Handle>; 2]) {
    let Some(tidy_up) = TIDY_UP.get() else { return };
    loop {
        tokio::time::sleep(TIDY_UP_EVERY).await;
        for runtime in runtimes.iter().flatten() {
            // While one thread tidies up, the next task wakes another.
            for _ in 0..runtime.metrics().num_workers() {
                runtime.spawn(async { tidy_up() });
            }
        }
    }
}

/// A number of turns, which are given to connections one after the other.
#[derive(Clone)]
struct Turns(Arc<Mutex<Waiting>>);

struct Waiting {
    free: usize,
    count: usize,
    /// The connections that wait, the next one first, each with who waits for it.
    queues: VecDeque<(u64, VecDeque<oneshot::Sender<Turn>>)>,
}

/// Leave to compute. Dropping it passes it on.
struct Turn(Turns);

impl Turns {
    fn new(free: usize) -> Self {
        Self(Arc::new(Mutex::new(Waiting { free, count: 0, queues: VecDeque::new() })))
    }

    async fn take(&self, connection: u64) -> Result<Turn, Busy> {
        let turn = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.free > 0 {
                waiting.free -= 1;
                return Ok(Turn(self.clone()));
            }
            if waiting.count >= WAITING {
                return Err(Busy);
            }
            let (sender, turn) = oneshot::channel();
            match waiting.queues.iter_mut().find(|(own, _)| *own == connection) {
                Some((_, queue)) => queue.push_back(sender),
                None => waiting.queues.push_back((connection, [sender].into())),
            }
            waiting.count += 1;
            turn
        };
        turn.await.map_err(|_| Busy)
    }

    /// Takes the next waiter: the first of the first connection, which goes to the end.
    fn next(&self) -> Option<oneshot::Sender<Turn>> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((connection, mut queue)) = waiting.queues.pop_front() else {
            waiting.free += 1;
            return None;
        };
        let next = queue.pop_front();
        if !queue.is_empty() {
            waiting.queues.push_back((connection, queue));
        }
        waiting.count -= 1;
        next
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        while let Some(next) = self.0.next() {
            // Who has gone is passed over; the turn that comes back is not dropped, for that would pass it on twice.
            match next.send(Self(self.0.clone())) {
                Ok(()) => return,
                Err(unwanted) => std::mem::forget(unwanted),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// Takes turns for these connections while one is taken, and gives the order in which they come.
    fn order(connections: &[u64]) -> Vec<usize> {
        let turns = Turns::new(1);
        let first = turns.take(0).now_or_never().unwrap().ok();
        let mut waiting: Vec<_> =
            connections.iter().map(|connection| Some(Box::pin(turns.take(*connection)))).collect();
        for take in waiting.iter_mut().flatten() {
            assert!(take.now_or_never().is_none());
        }
        drop(first);
        let mut order = Vec::new();
        while order.len() < connections.len() {
            for (index, take) in waiting.iter_mut().enumerate() {
                if let Some(turn) = take.as_mut().and_then(|take| take.now_or_never()) {
                    *take = None;
                    order.push(index);
                    drop(turn);
                    break;
                }
            }
        }
        order
    }

    #[test]
    fn connections_take_turns() {
        assert_eq!(order(&[1, 1, 1, 2, 3]), [0, 3, 4, 1, 2]);
        assert_eq!(order(&[1, 2, 1, 2]), [0, 1, 2, 3]);
    }

    #[tokio::test]
    async fn who_waits_for_others_has_no_turn() {
        let pool = Pool::new().unwrap();
        let (answer, awaited) = oneshot::channel::<u8>();
        let (waits, begun) = oneshot::channel();
        let first = pool.run(Lane::Slow, 0, async move {
            let _ = waits.send(());
            outside(awaited).await
        });
        // All turns but that one are taken.
        let others = std::thread::available_parallelism().map_or(1, |cores| cores.get()).saturating_sub(2);
        let _others: Vec<_> = (0..others).map(|_| pool.slow.take(1).now_or_never().unwrap().ok()).collect();
        let last = async {
            begun.await.unwrap();
            let found = pool.run(Lane::Slow, 99, async { 7 }).await;
            answer.send(found.unwrap()).unwrap();
        };
        let (first, ()) = tokio::join!(first, last);
        assert_eq!(first, Ok(Ok(7)));
    }

    #[test]
    fn who_has_gone_is_passed_over() {
        let turns = Turns::new(1);
        let first = turns.take(0).now_or_never().unwrap().ok();
        let (mut gone, mut there) = (Box::pin(turns.take(1)), Box::pin(turns.take(2)));
        assert!(gone.as_mut().now_or_never().is_none() && there.as_mut().now_or_never().is_none());
        drop(gone);
        drop(first);
        let second = there.now_or_never().unwrap();
        assert!(second.is_ok());
        drop(second);
        assert!(turns.take(3).now_or_never().unwrap().is_ok());
    }

    #[test]
    fn too_many_are_refused() {
        let turns = Turns::new(1);
        let _first = turns.take(0).now_or_never().unwrap().ok();
        let mut waiting: Vec<_> = (0..WAITING).map(|number| Box::pin(turns.take(number as u64))).collect();
        assert!(waiting.iter_mut().all(|take| take.now_or_never().is_none()));
        assert!(turns.take(1).now_or_never().unwrap().is_err());
    }
}
