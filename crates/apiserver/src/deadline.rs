//! How long a client is willing to wait for an answer: the parameter `timeout` of requests that are not watches.
//!
//! Clients send it when they are told to give up after a while (`kubectl --request-timeout`). Who waits is told when that
//! time is over; who computes looks at the [`Deadline`] between two parts of its work.

use std::time::Duration;

use crate::clock::Clock;
use apimachinery::query::Query;
use apimachinery::status::Status;

/// The longest time that kube-apiserver lets a request take.
const MAXIMUM: Duration = Duration::from_secs(60);

/// When a request that is no watch has to be answered, on the stopwatch of its server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Duration);

impl Deadline {
    /// The end of so much time, or of what any request gets, from now.
    pub(crate) fn after(asked: Option<Duration>, clock: &dyn Clock) -> Self {
        Self(clock.stopwatch().saturating_add(asked.unwrap_or(MAXIMUM)))
    }

    /// Checks that there is time left.
    ///
    /// # Errors
    /// The 504 that says that there is none.
    pub(crate) fn check(self, clock: &dyn Clock) -> Result<(), Box<Status>> {
        if clock.stopwatch() < self.0 { Ok(()) } else { Err(Status::timeout()) }
    }
}

/// How long a request may take, if it asks for less than the minute that it gets anyway, in which every answer comes.
///
/// # Errors
/// The 400 for a `timeout` that is no duration.
pub(crate) fn of(query: &Query) -> Result<Option<Duration>, Box<Status>> {
    let text = query.text("timeout");
    if text.is_empty() {
        return Ok(None);
    }
    let nanoseconds = golang::time::parse_duration(text).map_err(|why| {
        Status::bad_request(format!("invalid timeout specified in the request URL - {why}"))
    })?;
    let asked = u64::try_from(nanoseconds).ok().map(Duration::from_nanos);
    Ok(asked.filter(|asked| !asked.is_zero() && *asked < MAXIMUM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(timeout: &str, expected: Result<Option<f64>, &str>) {
        let found = of(&Query::parse(&format!("timeout={timeout}")));
        let expected =
            expected.map_err(|why| format!("invalid timeout specified in the request URL - time: {why}"));
        assert_eq!(
            found.map(|time| time.map(|time| time.as_secs_f64())).map_err(|status| status.message),
            expected
        );
    }

    #[test]
    fn timeouts() {
        check("", Ok(None));
        check("2s", Ok(Some(2.0)));
        check("1.5s500ms", Ok(Some(2.0)));
        check(".5m", Ok(Some(30.0)));
        check("0", Ok(None));
        check("-5s", Ok(None));
        check("100h", Ok(None));
        check("abc", Err("invalid duration \"abc\""));
        check("5", Err("missing unit in duration \"5\""));
        check("5x", Err("unknown unit \"x\" in duration \"5x\""));
        check("-", Err("invalid duration \"-\""));
        check(".s", Err("invalid duration \".s\""));
        check("9999999h", Err("invalid duration \"9999999h\""));
        check(&format!("{}1s", "0.".repeat(2)), Err("missing unit in duration \"0.0.1s\""));
    }
}
