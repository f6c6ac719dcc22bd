//! Notes on a request, taken while it is handled.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use std::time::Duration;

use http::HeaderValue;
use json_tree::Value;
use store::Revision;

use crate::audit_context::AuditContext;
use crate::measure::Measure;
use crate::native::on_host;
use apimachinery::User;
use apimachinery::object::Object;
use protocol::trace::{AccessDecision, Considered, Judgement, Source};

/// Notes on one request while it is handled, for its [`RequestRecord`](protocol::trace::RequestRecord).
#[derive(Default)]
pub(crate) struct Notes {
    /// The source that the response was read from, once that is known.
    pub(crate) source: OnceLock<Source>,
    /// The decision of authorization.
    pub(crate) access: OnceLock<AccessDecision>,
    /// The id by which responses and other servers are told of it.
    pub(crate) audit_id: OnceLock<HeaderValue>,
    /// The audit of the request, if there is one.
    pub(crate) audit: OnceLock<Box<dyn AuditContext>>,
    /// The uids of the FlowSchema and the priority level that it falls under.
    pub(crate) classified: OnceLock<[HeaderValue; 2]>,
    /// The user that a review asks for, whom somebody else has recognized.
    pub(crate) recognized: OnceLock<User>,
    /// The number of the watch that it opened.
    pub(crate) watch: OnceLock<u64>,
    /// The revisions that it made, oldest first.
    wrote: Mutex<Vec<Revision>>,
    /// The judgements of policies on the request.
    judgements: Mutex<Vec<Judgement>>,
    /// The outcomes of the policies, one after the other.
    considered: Mutex<Vec<Considered>>,
    /// The times that parts of the request took.
    measures: Mutex<Vec<Measure>>,
    /// How long the request has had the storage for itself to write, in nanoseconds.
    storing: AtomicU64,
    /// When the request's turn began, on the stopwatch, in nanoseconds.
    turn: AtomicU64,
    /// Somebody else wrote the object while the request was computed.
    overtaken: AtomicBool,
    /// The objects in other versions.
    conversions: Mutex<Conversions>,
}

/// Objects in other versions, which somebody else has to convert: what is to be done with them is done again until all are
/// there.
#[derive(Default)]
struct Conversions {
    known: Vec<(Object, String, Result<Value, String>)>,
    wanted: Option<(Object, String)>,
}

/// How much is noted of policies.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize, usize);

impl Notes {
    /// The revisions that the request made, oldest first.
    pub(crate) fn wrote(&self) -> MutexGuard<'_, Vec<Revision>> {
        self.wrote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the judgements of policies on the request.
    pub(crate) fn judgements(&self) -> MutexGuard<'_, Vec<Judgement>> {
        self.judgements.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the outcomes of the policies, in a cluster that explains them.
    pub(crate) fn considered(&self) -> MutexGuard<'_, Vec<Considered>> {
        self.considered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the audit of the request, if there is one.
    pub(crate) fn audit(&self) -> Option<&dyn AuditContext> {
        on_host(self.audit.get().map(AsRef::as_ref))
    }

    /// Returns the times that parts of the request took.
    pub(crate) fn measures(&self) -> MutexGuard<'_, Vec<Measure>> {
        self.measures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the request has had the storage for itself for so long.
    pub(crate) fn stored_for(&self, took: Duration) {
        self.storing.fetch_add(nanoseconds(took), Ordering::Relaxed);
    }

    /// Returns how long the request has had the storage for itself to write.
    pub(crate) fn storing(&self) -> Duration {
        Duration::from_nanos(self.storing.load(Ordering::Relaxed))
    }

    /// Begins a turn of the request, at this time on the stopwatch.
    pub(crate) fn begin_turn(&self, now: Duration) {
        self.turn.store(nanoseconds(now), Ordering::Relaxed);
    }

    /// Returns whether its turn is over, so that others are to have theirs. Then the next one begins.
    pub(crate) fn ends_turn(&self, now: Duration) -> bool {
        const TURN: u64 = 10_000_000;
        let over = nanoseconds(now).saturating_sub(self.turn.load(Ordering::Relaxed)) >= TURN;
        if over {
            self.begin_turn(now);
        }
        over
    }

    /// Returns the place up to which judgements and outcomes of policies are noted.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.judgements().len(), self.considered().len())
    }

    /// Forgets the judgements and outcomes of policies that were noted since.
    pub(crate) fn forget_since(&self, Mark(judgements, considered): Mark) {
        self.judgements().truncate(judgements);
        self.considered().truncate(considered);
    }

    /// Returns an object in another version. If nobody has converted it, that is noted.
    ///
    /// # Errors
    /// The reason why it cannot be had in that version.
    pub(crate) fn in_version(&self, object: &Object, to: &str) -> Result<Value, String> {
        let mut conversions = self.conversions();
        let mut known = conversions.known.iter();
        if let Some((.., converted)) = known.find(|(from, version, _)| version == to && from == object) {
            return converted.clone();
        }
        conversions.wanted = Some((object.clone(), to.to_owned()));
        Err(String::new())
    }

    /// Takes what is to be converted: an object, and the version.
    pub(crate) fn wanted(&self) -> Option<(Object, String)> {
        self.conversions().wanted.take()
    }

    /// Notes what has come of a conversion.
    pub(crate) fn learn(&self, object: Object, to: String, converted: Result<Value, String>) {
        self.conversions().known.push((object, to, converted));
    }

    fn conversions(&self) -> MutexGuard<'_, Conversions> {
        self.conversions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the write was computed from a state that is no longer there.
    pub(crate) fn overtake(&self) {
        self.overtaken.store(true, Ordering::Relaxed);
    }

    /// Returns whether the write has to be computed again, and forgets what was noted of the last time.
    pub(crate) fn begin_again(&self) -> bool {
        let again = self.overtaken.swap(false, Ordering::Relaxed);
        if again {
            self.forget_since(Mark(0, 0));
        }
        again
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
