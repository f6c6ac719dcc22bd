//! The times of a CronJob: which have come without a Job, and which comes next.

use std::time::Duration;

use apimachinery::cron::Schedule;
use golang::time::{Time, Zone};
use json_tree::Value;

use super::time;
use crate::object;

/// One second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// The time after one of the schedule at which a CronJob is looked at, in nanoseconds, because clocks differ.
const DELTA: i64 = 100_000_000;

/// The number of times without a Job that are too many.
const MANY: i64 = 100;

/// Returns the schedule of a CronJob, in its zone if that is known.
///
/// # Errors
///
/// Fails if it is none.
pub(super) fn schedule(cron_job: &Value) -> Result<Schedule, String> {
    let schedule = cron_job.text_at("/spec/schedule");
    match cron_job.pointer("/spec/timeZone").and_then(Value::as_str) {
        Some(zone) if !schedule.contains("TZ") && Zone::load(zone).is_ok() => {
            Schedule::parse(&["TZ=", zone, " ", schedule].concat())
        }
        _ => Schedule::parse(schedule),
    }
}

/// The times that have come.
struct Come {
    /// The last time for which there was a Job, or from which on times count.
    earliest: Time,
    /// The latest one that has come since.
    latest: Option<Time>,
    /// About as many have come; 0 if it is one or none.
    missed: i64,
}

/// Returns the times that have come since the last Job. If the deadline counts, those are left out for which it is too late.
///
/// # Errors
///
/// Fails if the schedule has no times.
fn come(cron_job: &Value, now: Time, schedule: &Schedule, deadline_counts: bool) -> Result<Come, String> {
    let last = cron_job.pointer("/status/lastScheduleTime").and_then(object::time);
    let mut earliest = time(last.unwrap_or_else(|| object::creation_time(cron_job)));
    if let Some(seconds) = deadline(cron_job).filter(|_| deadline_counts) {
        earliest = earliest.max(now.plus(seconds.wrapping_neg()));
    }
    let first = schedule.next(earliest);
    if first == Time::ZERO {
        return Err(NO_TIMES.to_owned());
    }
    let second = schedule.next(first);
    if now < first {
        return Ok(Come { earliest, latest: None, missed: 0 });
    }
    if now < second {
        return Ok(Come { earliest, latest: Some(first), missed: 0 });
    }
    let between = second.since(first) / SECOND;
    if between < 1 {
        return Err(NO_TIMES.to_owned());
    }
    let missed = now.since(first) / SECOND / between + 1;
    // Times need not be evenly distributed: it is the time before that the last one is looked for after.
    let mut time = schedule.next(first.plus((missed - 2).saturating_mul(between).saturating_mul(SECOND)));
    let mut latest = None;
    while time != Time::ZERO && time <= now {
        latest = Some(time);
        time = schedule.next(time);
    }
    Ok(Come { earliest, latest, missed })
}

/// The error of a schedule without times, such as the 31st of February.
const NO_TIMES: &str = "time difference between two schedules is less than 1 second";

/// Returns for how long after its time a Job may start, in nanoseconds, if there is a limit. As in Go, one of centuries is another.
fn deadline(cron_job: &Value) -> Option<i64> {
    let seconds = cron_job.pointer("/spec/startingDeadlineSeconds")?.as_i64()?;
    Some(seconds.wrapping_mul(SECOND))
}

/// Returns the time for which there is to be a Job now, if there is one, and whether there were too many before it.
///
/// # Errors
///
/// Fails if the schedule has no times.
pub(super) fn unmet(
    cron_job: &Value,
    now: Time,
    schedule: &Schedule,
) -> Result<Option<(Time, bool)>, String> {
    let come = come(cron_job, now, schedule, true)?;
    Ok(come.latest.map(|latest| (latest, come.missed > MANY)))
}

/// Reports whether it is too late for the Job of a time.
pub(super) fn is_too_late(cron_job: &Value, scheduled: Time, now: Time) -> bool {
    deadline(cron_job).is_some_and(|deadline| scheduled.plus(deadline) < now)
}

/// Returns the time until a CronJob is to be looked at for its next Job. `None` if there will be none.
pub(super) fn pause(cron_job: &Value, now: Time, schedule: &Schedule) -> Option<Duration> {
    let after = match come(cron_job, now, schedule, false) {
        Ok(Come { latest: Some(latest), .. }) => latest,
        Ok(Come { earliest, missed: 0, .. }) => earliest,
        Ok(_) | Err(_) => now,
    };
    let next = schedule.next(after);
    let pause = u64::try_from(next.plus(DELTA).since(now)).ok()?;
    (next != Time::ZERO && pause > 0).then(|| Duration::from_nanos(pause))
}

#[cfg(test)]
mod tests {
    use golang::time::{Layout, parse};
    use json_tree::json;

    use super::*;

    fn at(text: &str) -> Time {
        parse(Layout::Rfc3339, text).unwrap()
    }

    fn cron_job(schedule: &str, deadline: Option<i64>, last: &str) -> Value {
        let mut spec = json!({"schedule": schedule});
        if let Some(deadline) = deadline {
            object::set(&mut spec, "startingDeadlineSeconds", deadline.into());
        }
        json!({"spec": spec, "status": {"lastScheduleTime": last}})
    }

    /// Checks the time that is unmet, and the seconds until the next one.
    #[track_caller]
    fn check(schedule: &str, deadline: Option<i64>, [last, now]: [&str; 2], expected: &str) {
        let cron_job = cron_job(schedule, deadline, last);
        let (now, schedule) = (at(now), super::schedule(&cron_job).unwrap());
        let unmet = match unmet(&cron_job, now, &schedule) {
            Ok(None) => "none".to_owned(),
            Ok(Some((time, many))) => time.rfc3339() + if many { " of many" } else { "" },
            Err(error) => error,
        };
        let pause = pause(&cron_job, now, &schedule).map_or(-1.0, |pause| pause.as_secs_f64());
        assert_eq!(format!("{unmet}, {pause}"), expected);
    }

    #[test]
    fn unmet_times() {
        let none = ["2027-01-15T08:00:00Z", "2027-01-15T08:59:59Z"];
        check("@hourly", None, none, "none, 1.1");
        let one = ["2027-01-15T08:00:00Z", "2027-01-15T09:00:00.1Z"];
        check("@hourly", None, one, "2027-01-15T09:00:00Z, 3600");
        let few = ["2027-01-15T08:00:00Z", "2027-01-15T12:30:00Z"];
        check("@hourly", None, few, "2027-01-15T12:00:00Z, 1800.1");
        check("@hourly", Some(60), few, "none, 1800.1");
        check("@every 1h", None, few, "2027-01-15T12:00:00Z, 1800.1");
        let many = ["2027-01-15T08:00:00Z", "2027-01-25T12:30:00Z"];
        check("@hourly", None, many, "2027-01-25T12:00:00Z of many, 1800.1");
        check("@hourly", Some(7200), many, "2027-01-25T12:00:00Z, 1800.1");
        let weekend = ["2027-01-15T14:30:00Z", "2027-01-18T08:00:00Z"];
        check("30 6-16/4 * * 1-5", None, weekend, "2027-01-18T06:30:00Z, 9000.1");
        check("59 23 31 2 *", None, few, &format!("{NO_TIMES}, -1"));
    }

    #[test]
    fn numbers_that_make_no_sense_are_no_panic() {
        let now = at("2027-01-15T08:59:59Z");
        for deadline in [i64::MIN, -1, 0, 10_000_000_000, i64::MAX] {
            for last in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "x"] {
                let cron_job = cron_job("* * * * *", Some(deadline), last);
                let schedule = schedule(&cron_job).unwrap();
                let _ = unmet(&cron_job, now, &schedule);
                is_too_late(&cron_job, Time::ZERO, now);
                pause(&cron_job, now, &schedule);
            }
        }
    }
}
