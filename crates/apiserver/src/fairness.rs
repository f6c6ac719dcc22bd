//! API Priority and Fairness: how many requests are handled at once, and which of those that wait is the next.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>

mod allocation;
mod borrowing;
mod demand;
mod dump;
mod flows;
mod hand;
mod in_flight;
mod level;
mod queues;
mod retry_after;
mod seat;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, select};
use http::HeaderValue;

use crate::clock::Clock;
use crate::context::{RequestDigest, Shared};
use crate::flow_schemas::FlowSchemas;
use crate::seats;
use flows::Flows;
pub(crate) use in_flight::{InFlightLimits, TooMany};
use kinds::flowcontrol::initial;
use level::Level;
use queues::{Arrival, Outcome, Waiting};
pub(crate) use seat::Seat;

/// How long a request waits for a seat: a quarter of the time that it may take, or this long where that is not bounded.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// The longest that any request waits.
const HARD_LIMIT: Duration = Duration::from_secs(60);

/// The priority levels of a server, with the requests that they have.
pub(crate) struct Fairness {
    clock: Arc<dyn Clock>,
    /// The seats of the server.
    server: i64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    schemas: Option<FlowSchemas>,
    levels: BTreeMap<String, Level>,
    flows: Flows,
    tickets: u64,
    /// When the levels last lent each other seats.
    lent: Duration,
    /// The fraction of its demand that each level has got then.
    fair_fraction: f64,
}

/// The decision on a request that comes.
pub(crate) enum Decision {
    /// It may begin.
    Dispatched(Seat),
    /// It may begin when it is told so.
    Queued(Turn),
    /// It may not: the client is to try again after so many seconds.
    Rejected(u32),
}

/// A request that waits for a seat.
pub(crate) struct Turn {
    seat: Seat,
    begins: oneshot::Receiver<Duration>,
    /// How long it waits.
    limit: Duration,
}

impl Fairness {
    /// Returns the priority levels of a server that handles so many requests at once.
    pub(crate) fn new(clock: Arc<dyn Clock>, server: i64) -> Self {
        Self { clock, server, state: Mutex::default() }
    }

    /// Takes a request in. Returns the uids of its FlowSchema and of its priority level, and what becomes of it.
    pub(crate) fn start_request(
        self: &Arc<Self>,
        shared: &Shared,
        asked: RequestDigest<'_>,
    ) -> Option<([HeaderValue; 2], Decision)> {
        let RequestDigest { user, attributes, query, timeout, .. } = asked;
        let now = self.clock.stopwatch();
        let mut state = self.state();
        let schemas = self.follow(&mut state, shared, now);
        let schema = schemas.classify(user, attributes)?;
        let uids = schema.uids.clone();
        Self::lend(&mut state, now);
        let level = state.levels.get(&schema.level)?;
        let seats = if level.is_exempt() || !work::varies(attributes) {
            1
        } else {
            let widest = level.widest();
            // A long list is looked at while others go on.
            drop(state);
            let seats = work::seats(&shared.storage(), attributes, query, widest);
            state = self.state();
            seats
        };
        let State { levels, flows, tickets, .. } = &mut *state;
        let level = levels.get_mut(&schema.level)?;
        *tickets += 1;
        let flow = flows.place(&schema.level, &schema.name);
        let hash = || hand::hash(&schema.name, schema.distinguisher(user, attributes));
        let arrival = Arrival { ticket: *tickets, flow, seats };
        let (outcome, begun) = level.queues.arrive(now, &arrival, hash);
        flows.estimated(flow, seats);
        let seat = |queue: Option<usize>, began: Option<Duration>| Seat {
            fairness: Arc::clone(self),
            level: schema.level.clone(),
            is_watch: attributes.verb == "watch",
            ticket: arrival.ticket,
            flow,
            queue,
            seats,
            arrived: now,
            began,
        };
        let decision = match outcome {
            Outcome::Begins => {
                flows.begin(flow, seats);
                level.totals.dispatched += 1;
                if !level.is_exempt() {
                    flows.waited(flow, Duration::ZERO, true);
                }
                Decision::Dispatched(seat(None, Some(now)))
            }
            Outcome::Queued { queue, length, turn } => {
                flows.enqueue(flow, seats, length);
                let limit = timeout.map_or(LONGEST_WAIT, |timeout| timeout / 4).min(HARD_LIMIT);
                Decision::Queued(Turn { seat: seat(Some(queue), None), begins: turn, limit })
            }
            Outcome::Refused(why) => {
                level.totals.rejected += 1;
                flows.reject(flow, why);
                flows.waited(flow, Duration::ZERO, false);
                Decision::Rejected(level.retry_after.refuse(self.clock.now().as_secs()))
            }
        };
        Self::begin(level, flows, begun, now);
        drop(state);
        Some((uids, Self::dispatched_already(decision)))
    }

    /// Gives a request its seat that has been told already that it may begin.
    fn dispatched_already(decision: Decision) -> Decision {
        let Decision::Queued(mut turn) = decision else { return decision };
        match turn.begins.try_recv() {
            Ok(Some(began)) => Decision::Dispatched(turn.seat.begun(began)),
            _ => Decision::Queued(turn),
        }
    }

    /// Tells requests that they may begin.
    fn begin(level: &mut Level, flows: &mut Flows, begun: Vec<Waiting>, now: Duration) {
        for waiting in begun {
            flows.dequeue(waiting.flow, waiting.seats);
            flows.begin(waiting.flow, waiting.seats);
            flows.waited(waiting.flow, now.saturating_sub(waiting.since), true);
            level.totals.dispatched += 1;
            // One that has gone meanwhile gives its seat back when it hears of it.
            let _ = waiting.begins.send(now);
        }
    }

    /// Has the levels be as they are configured now, and returns the FlowSchemas.
    fn follow(&self, state: &mut State, shared: &Shared, now: Duration) -> FlowSchemas {
        let (schemas, specs) = {
            let storage = shared.storage();
            let schemas = FlowSchemas::now(&storage.store, state.schemas.as_ref());
            let is_same = state.schemas.as_ref().is_some_and(|last| last.is(&schemas));
            (schemas, (!is_same).then(|| seats::specs(&storage.store)))
        };
        if let Some(specs) = specs {
            self.configure(state, specs, now);
        }
        state.schemas = Some(schemas.clone());
        schemas
    }

    /// Configures the levels. One that is there no more is left once its requests are done; the mandatory ones are always there.
    fn configure(&self, state: &mut State, specs: Vec<seats::Spec>, now: Duration) {
        let mut specs: BTreeMap<String, _> = specs.into_iter().collect();
        for name in ["exempt", "catch-all"] {
            let missing = initial::spec_of("prioritylevelconfigurations", name);
            if let Some(spec) = missing.filter(|_| !specs.contains_key(name)) {
                specs.insert(name.to_owned(), spec);
            }
        }
        state.levels.retain(|name, level| specs.contains_key(name) || !level.queues.is_idle());
        for (name, level) in &mut state.levels {
            level.is_quiescing = !specs.contains_key(name);
            if level.is_quiescing {
                specs.insert(name.clone(), level.spec.clone());
            }
        }
        let shares = seats::shared_out(specs.clone().into_iter().collect(), self.server);
        for (seats, (name, spec)) in shares.into_iter().zip(specs) {
            match state.levels.get_mut(&name) {
                Some(level) => (level.seats, level.spec) = (seats, spec),
                None => drop(state.levels.insert(name, Level::new(seats, spec, now))),
            }
        }
        Self::share_out(state, now);
        state.lent = now;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the families of metrics of the levels, each with its name.
    pub(crate) fn write(&self, families: &mut crate::metrics::Families) {
        let mut state = self.state();
        Self::lend(&mut state, self.clock.stopwatch());
        borrowing::write(&state, families);
        state.flows.write(families);
    }
}

impl Turn {
    /// Waits for the seat.
    ///
    /// # Errors
    /// There has been none for too long: after how many seconds the client is to try again.
    pub(crate) async fn wait(self) -> Result<Seat, u32> {
        let Self { seat, begins, limit } = self;
        let fairness = Arc::clone(&seat.fairness);
        let level = seat.level.clone();
        let waits = fairness.clock.sleep(limit);
        match select(begins, waits).await {
            Either::Left((Ok(began), _)) => Ok(seat.begun(began)),
            // Whoever could have told it is gone.
            Either::Left((Err(_), _)) => Ok(seat),
            Either::Right((_, mut begins)) => {
                if let Ok(Some(began)) = begins.try_recv() {
                    return Ok(seat.begun(began));
                }
                drop(seat);
                let second = fairness.clock.now().as_secs();
                let mut state = fairness.state();
                Err(state.levels.get_mut(&level).map_or(1, |level| level.retry_after.refuse(second)))
            }
        }
    }
}
