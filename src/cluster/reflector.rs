//! A local copy of a collection that follows the cluster, kept as client-go's Reflector (v0.36) keeps it, with the REST
//! client below it that sends again what the server says to send again later.
//!
//! It lists, watches from the list's version on, and does again what has to be done again: when the server closes the
//! watch, when the connection breaks, when the version to go on from has expired. See
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>.
//!
//! [`Reflector`] does no I/O, and is handed time and randomness. [`Reflector::poll`] says what is to be done next, and
//! the other methods take what came of it. [`run::run`] is somebody who does it.

mod backoff;
pub(crate) mod decision;
mod listing;
pub(crate) mod objects;
pub(crate) mod run;
mod stream;
#[cfg(test)]
mod tests;
pub(crate) mod why;

use std::sync::Arc;
use std::time::Duration;

use clock::Random;

use crate::cluster::Request;
use crate::cluster::reflector::backoff::Backoff;
use crate::cluster::reflector::decision::{Decision, Log};
use crate::cluster::reflector::listing::Listing;
use crate::cluster::reflector::objects::Objects;
use crate::cluster::reflector::stream::Reading;
use crate::cluster::reflector::why::Why;
use apimachinery::target;

/// How often a request is sent again because the server said how long to wait.
const RETRIES: u32 = 10;
/// A watch asks to be closed after at least this many seconds; up to as many again are added at random.
const WATCH_TIMEOUT: f64 = 300.0;

/// The collection to reflect, and how to reflect it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The collection's path, and in its query the selectors.
    pub(crate) target: String,
    /// How the first copy, and every later one, comes.
    pub(crate) mode: Mode,
    /// How many objects a page of a list has. 0 leaves it to the reflector: 500, where pages do not keep the server
    /// from answering out of its cache.
    pub(crate) page_size: u32,
}

/// How a copy comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As a list. Then a watch is opened.
    List,
    /// As the initial events of a watch, which then goes on. A server that refuses is asked for a list.
    /// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists>.
    #[default]
    StreamingList,
}

/// The next action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Send this, and call [`Reflector::answered`], [`Reflector::opened`] or [`Reflector::failed`].
    Send(Request),
    /// Poll again at this time (since the Unix epoch).
    Wait(Duration),
    /// Read on in the open stream, and call [`Reflector::chunk`] or [`Reflector::ended`].
    Read,
    /// Close the open stream, and poll again.
    Close,
}

/// A local copy of a collection, and what keeps it.
pub(crate) struct Reflector {
    options: Options,
    random: Arc<dyn Random>,
    backoff: Backoff,
    phase: Phase,
    /// True if a stream is open that nobody will read any more.
    close: bool,
    objects: Objects,
    /// The last version seen; empty before the first copy.
    version: String,
    /// True if the server could not serve that version when it was last asked for a list from it.
    unavailable: bool,
    /// True if the server gives pages even where it need not.
    paginated: bool,
    synced: bool,
    log: Log,
}

/// The activity that is under way.
enum Phase {
    Waiting { until: Duration, next: Next },
    Asking(Box<Ask>),
    Reading(Reading),
}

/// A request that is to be answered.
struct Ask {
    request: Request,
    purpose: Purpose,
    /// When it was sent first.
    sent: Duration,
    /// How often it has been sent again.
    retries: u32,
}

/// The purpose of a request.
enum Purpose {
    /// A list, or a page of one.
    List(Listing),
    /// A list that comes as a stream.
    StreamingList,
    /// A watch; whether it begins after a version, not with the present state.
    Watch { after: bool },
}

/// The next step, and the reason for it.
enum Next {
    /// A new copy, in the way that the options say.
    Sync(Option<Why>),
    /// A watch.
    Watch(Option<Why>),
    /// The same request.
    Again(Box<Ask>),
}

impl Reflector {
    /// A reflector that has nothing yet. Its randomness goes into pauses and timeouts.
    pub(crate) fn new(options: Options, random: Arc<dyn Random>, now: Duration) -> Self {
        Self {
            options,
            random,
            backoff: Backoff::new(now),
            phase: Phase::Waiting { until: now, next: Next::Sync(None) },
            close: false,
            objects: Objects::default(),
            version: String::new(),
            unavailable: false,
            paginated: false,
            synced: false,
            log: Log::default(),
        }
    }

    /// The copy.
    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The last version seen, to go on from; empty before the first copy.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Reports whether there has been a whole copy.
    pub(crate) fn synced(&self) -> bool {
        self.synced
    }

    /// Returns the decisions, when each was made, and why.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the action to take now. It stays the same until it has been done.
    pub(crate) fn poll(&mut self, now: Duration) -> Action {
        if std::mem::take(&mut self.close) {
            return Action::Close;
        }
        if matches!(self.phase, Phase::Waiting { until, .. } if until <= now)
            && let Phase::Waiting { next, .. } = self.leave(now)
        {
            self.go(now, next);
        }
        match &self.phase {
            Phase::Waiting { until, .. } => Action::Wait(*until),
            Phase::Asking(ask) => Action::Send(ask.request.clone()),
            Phase::Reading(_) => Action::Read,
        }
    }

    /// Takes an answer that is no stream. Only what was asked for is taken; likewise below.
    pub(crate) fn answered(&mut self, now: Duration, status: u16, headers: &[(String, String)], body: &[u8]) {
        let Some(mut ask) = self.asked(now) else { return };
        if status == 200 {
            match ask.purpose {
                Purpose::List(listing) => self.listed(now, listing, body),
                purpose => {
                    self.read(ask.sent, &purpose);
                    self.chunk(now, body);
                    self.ended(now, None);
                    self.close = false;
                }
            }
            return;
        }
        match retry_after(status, headers) {
            Some(pause) if ask.retries < RETRIES => {
                ask.retries += 1;
                self.wait(now, pause, Why::RetryAfter(status), Next::Again(Box::new(ask)));
            }
            _ => self.refused(now, ask.purpose, Why::answered(status, body)),
        }
    }

    /// Takes an answer of 200 that is a stream.
    pub(crate) fn opened(&mut self, now: Duration) {
        let Some(ask) = self.asked(now) else { return };
        if let Purpose::List(listing) = ask.purpose {
            self.close = true;
            self.unlisted(now, listing, Why::Unreadable);
        } else {
            self.read(ask.sent, &ask.purpose);
        }
    }

    /// Takes that no response came, and why. A page is not told why, so it is taken for client-go's "connection refused".
    pub(crate) fn failed(&mut self, now: Duration, why: String) {
        if let Some(ask) = self.asked(now) {
            self.refused(now, ask.purpose, Why::NoAnswer(why));
        }
    }

    /// The request that is under way.
    fn asked(&mut self, now: Duration) -> Option<Ask> {
        match self.leave(now) {
            Phase::Asking(ask) => Some(*ask),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// Takes out the current phase, so that another one can be put in its place.
    fn leave(&mut self, now: Duration) -> Phase {
        std::mem::replace(&mut self.phase, Phase::Waiting { until: now, next: Next::Sync(None) })
    }

    fn refused(&mut self, now: Duration, purpose: Purpose, why: Why) {
        match purpose {
            Purpose::List(listing) => self.unlisted(now, listing, why),
            Purpose::StreamingList => self.unstreamed(now, why),
            Purpose::Watch { .. } => self.unwatched(now, why),
        }
    }

    /// Turns to what comes next.
    fn go(&mut self, now: Duration, next: Next) {
        match next {
            Next::Sync(why) if self.options.mode == Mode::StreamingList => self.stream_list(now, why),
            Next::Sync(why) => self.list(now, why),
            Next::Watch(why) => self.watch(now, why),
            Next::Again(ask) => self.phase = Phase::Asking(ask),
        }
    }

    /// Waits as long as it takes before trying again.
    fn back_off(&mut self, now: Duration, why: Why, next: Next) {
        let fraction = self.fraction();
        let pause = self.backoff.step(now, fraction);
        self.wait(now, pause, why, next);
    }

    fn wait(&mut self, now: Duration, pause: Duration, why: Why, next: Next) {
        self.log.push(now, Decision::Wait { pause, why });
        self.phase = Phase::Waiting { until: now.saturating_add(pause), next };
    }

    /// Takes a whole new copy.
    fn replace(&mut self, now: Duration, objects: Objects, version: String) {
        self.log.push(now, Decision::Synced { version: version.clone(), objects: objects.len() });
        (self.objects, self.version) = (objects, version);
        (self.unavailable, self.synced) = (false, true);
    }

    fn ask(&mut self, now: Duration, purpose: Purpose, params: &[(&str, &str)]) {
        let request = Request::get(&with(&self.options.target, params));
        self.phase = Phase::Asking(Box::new(Ask { request, purpose, sent: now, retries: 0 }));
    }

    /// A random number from 0 up to but not including 1.
    fn fraction(&self) -> f64 {
        let mut bytes = [0; 4];
        self.random.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0)
    }

    /// `timeoutSeconds` for a watch.
    fn timeout(&self) -> String {
        ((WATCH_TIMEOUT * (1.0 + self.fraction())) as u64).to_string()
    }
}

/// The target with more parameters, those without a value left out, each before the first that the alphabet has later.
fn with(target: &str, more: &[(&str, &str)]) -> String {
    let (path, mut params) = target::split(target);
    let more = more.iter().filter(|(_, value)| !value.is_empty());
    for (name, value) in more {
        let place = params.iter().position(|(known, _)| known.as_str() > *name).unwrap_or(params.len());
        params.insert(place, ((*name).to_owned(), (*value).to_owned()));
    }
    target::join(&path, &params)
}

/// How long a server that will not answer now asks to wait.
fn retry_after(status: u16, headers: &[(String, String)]) -> Option<Duration> {
    let (_, value) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))?;
    let seconds = value.parse().ok()?;
    (status == 429 || status >= 500).then_some(Duration::from_secs(seconds))
}
