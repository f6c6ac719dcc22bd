//! The clock of an engine.

use std::sync::Arc;
use std::time::Duration;

use clock::{Clock, ManualClock};
use protocol::message::Error;
use protocol::trace::Time;

/// A clock that goes as the engine lets it, or the host's own.
#[derive(Clone)]
pub(crate) enum EngineClock {
    Manual(ManualClock),
    Host(Arc<dyn Clock>),
}

impl EngineClock {
    /// Returns the clock as the trace tells it.
    pub(crate) fn time(&self) -> Time {
        match self {
            Self::Manual(clock) => Time { now: clock.now(), rate: clock.rate() },
            Self::Host(clock) => Time { now: clock.now(), rate: 1.0 },
        }
    }

    /// Returns the clock, whosever it is.
    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        match self {
            Self::Manual(clock) => Arc::new(clock.clone()),
            Self::Host(clock) => Arc::clone(clock),
        }
    }

    /// Lets real time elapse, where the clock does not do that by itself.
    pub(crate) fn elapse(&self, real: Duration) {
        if let Self::Manual(clock) = self {
            clock.elapse(real);
        }
    }

    /// Returns the clock, if it can be set.
    ///
    /// # Errors
    /// It is the host's.
    pub(crate) fn settable(&self) -> Result<&ManualClock, Error> {
        match self {
            Self::Manual(clock) => Ok(clock),
            Self::Host(_) => Err(Error::Refused("the clock is the machine's, and cannot be set".to_owned())),
        }
    }
}
