//! Schedules of CronJobs: five fields of cron, or a name such as `@daily`, with a time zone before it or without.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax>.

mod fields;
mod next;

use golang::time::{Time, Zone, parse_duration};

use fields::Fields;

/// The schedules that have names.
const NAMED: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// One second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// A schedule.
///
/// ```
/// use apimachinery::cron::Schedule;
/// use golang::time::Time;
///
/// let schedule = Schedule::parse("TZ=Asia/Tokyo 30 6 * * mon-fri")?;
/// let next = schedule.next(Time::unix(1_800_000_000));
/// assert_eq!(next.rfc3339(), "2027-01-17T21:30:00Z");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(When);

#[derive(Clone, Debug, PartialEq, Eq)]
enum When {
    /// Again and again after so many seconds, from the last time on.
    Every(i64),
    /// At the times of a clock in a zone.
    At(Fields, Zone),
}

impl Schedule {
    /// Reads a schedule. One without a zone is in UTC.
    ///
    /// # Errors
    ///
    /// Fails with the words of Kubernetes if it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("empty spec string".to_owned());
        }
        let (mut rest, mut zone) = (text, Zone::default());
        if let Some(zoned) = ["TZ=", "CRON_TZ="].iter().find_map(|prefix| text.strip_prefix(prefix)) {
            // So Go tells of the place of a space that is not there.
            let Some((name, fields)) = zoned.split_once(' ') else {
                let why = "invalid schedule format: runtime error: slice bounds out of range [:-1]";
                return Err(why.to_owned());
            };
            zone = Zone::load(name).map_err(|why| format!("provided bad location {name}: {why}"))?;
            rest = fields.trim();
        }
        if rest.starts_with('@') {
            return descriptor(rest, zone);
        }
        Fields::parse(rest).map(|fields| Self(When::At(fields, zone)))
    }

    /// Returns the first time of the schedule after another; [`Time::ZERO`] if there is none within five years.
    pub fn next(&self, after: Time) -> Time {
        match &self.0 {
            When::Every(seconds) => Time::unix(after.seconds.saturating_add(*seconds)),
            When::At(fields, zone) => Time::unix(next::next(fields, zone, after)),
        }
    }
}

/// Reads a schedule that begins with an at sign.
fn descriptor(text: &str, zone: Zone) -> Result<Schedule, String> {
    if let Some((_, fields)) = NAMED.iter().find(|(name, _)| *name == text) {
        return Fields::parse(fields).map(|fields| Schedule(When::At(fields, zone)));
    }
    let Some(every) = text.strip_prefix("@every ") else {
        return Err(format!("unrecognized descriptor: {text}"));
    };
    let nanos = parse_duration(every).map_err(|why| format!("failed to parse duration {text}: {why}"))?;
    Ok(Schedule(When::Every((nanos / SECOND).max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: &str, expected: &str) {
        assert_eq!(Schedule::parse(schedule).err().unwrap_or_default(), expected, "{schedule}");
    }

    #[test]
    fn schedules() {
        for valid in [
            "* * * * *",
            "*/5 0-23 1,15 JAN-dec sun",
            "? 1/2 * * *",
            "@hourly",
            "@every 1h30.5m",
            ", * * * *",
            "TZ=UTC 1 * * * *",
            "CRON_TZ=Europe/Berlin @daily",
            "TZ= 1 * * * *",
        ] {
            check(valid, "");
        }
        check("", "empty spec string");
        check("nope", "expected exactly 5 fields, found 1: [nope]");
        check("* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]");
        check("60 * * * *", "end of range (60) above maximum (59): 60");
        check("* * 0 * *", "beginning of range (0) below minimum (1): 0");
        check("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3");
        check("*/0 * * * *", "step of range should be a positive number: */0");
        check("1-2-3 * * * *", "too many hyphens: 1-2-3");
        check("1/2/3 * * * *", "too many slashes: 1/2/3");
        check("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax");
        check("-5 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax");
        check(
            "99999999999999999999 * * * *",
            "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value out of range",
        );
        check(
            "* * * * sunday",
            "failed to parse int from sunday: strconv.Atoi: parsing \"sunday\": invalid syntax",
        );
        check("@fortnightly", "unrecognized descriptor: @fortnightly");
        check("@every x", "failed to parse duration @every x: time: invalid duration \"x\"");
        check("@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\"");
        check("@every 5d", "failed to parse duration @every 5d: time: unknown unit \"d\" in duration \"5d\"");
        check("TZ=Nowhere 1 * * * *", "provided bad location Nowhere: unknown time zone Nowhere");
        check("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]");
    }
}
