//! The schedule of a CronJob: five fields of cron, or a name such as `@daily`.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax>.

use crate::kinds::batch::cron_job::time_zone;
use golang::strconv::atoi;
use golang::time::parse_duration;

/// The bounds of a field.
struct Bounds {
    min: i64,
    max: i64,
    /// Names for the numbers; the first one is the name of the smallest number.
    names: &'static [&'static str],
}

const fn numbers(min: i64, max: i64) -> Bounds {
    Bounds { min, max, names: &[] }
}

const FIELDS: [Bounds; 5] = [
    numbers(0, 59),
    numbers(0, 23),
    numbers(1, 31),
    Bounds {
        min: 1,
        max: 12,
        names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    },
    Bounds { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const NAMED: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Validates a schedule.
pub(super) fn parse(schedule: &str) -> Result<(), String> {
    let mut rest = schedule;
    for prefix in ["TZ=", "CRON_TZ="] {
        let Some((zone, fields)) = rest.strip_prefix(prefix).and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        time_zone::find(zone).map_err(|why| format!("provided bad location {zone}: {why}"))?;
        rest = fields.trim();
        break;
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let (count, list) = (fields.len(), fields.join(" "));
        return Err(format!("expected exactly 5 fields, found {count}: [{list}]"));
    }
    for (field, bounds) in fields.into_iter().zip(&FIELDS) {
        for part in field.split(',').filter(|part| !part.is_empty()) {
            range(part, bounds)?;
        }
    }
    Ok(())
}

fn descriptor(text: &str) -> Result<(), String> {
    if NAMED.contains(&text) {
        return Ok(());
    }
    match text.strip_prefix("@every ") {
        Some(every) => {
            parse_duration(every).map(|_| ()).map_err(|why| format!("failed to parse duration {text}: {why}"))
        }
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

/// One part of a field: `*`, `5`, `1-5`, each with a step or without.
fn range(part: &str, bounds: &Bounds) -> Result<(), String> {
    let steps: Vec<&str> = part.split('/').collect();
    let ends: Vec<&str> = steps.first().map(|range| range.split('-').collect()).unwrap_or_default();
    let low = ends.first().copied().unwrap_or_default();
    let (start, mut end) = if matches!(low, "*" | "?") {
        (bounds.min, bounds.max)
    } else {
        let start = number_or_name(low, bounds)?;
        match ends.as_slice() {
            [_] => (start, start),
            [_, high] => (start, number_or_name(high, bounds)?),
            _ => return Err(format!("too many hyphens: {part}")),
        }
    };
    let step = match steps.as_slice() {
        [_] => 1,
        [_, step] => {
            if ends.len() == 1 {
                end = bounds.max;
            }
            number(step)?
        }
        _ => return Err(format!("too many slashes: {part}")),
    };
    let Bounds { min, max, .. } = bounds;
    if start < *min {
        return Err(format!("beginning of range ({start}) below minimum ({min}): {part}"));
    }
    if end > *max {
        return Err(format!("end of range ({end}) above maximum ({max}): {part}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {part}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {part}"));
    }
    Ok(())
}

fn number_or_name(text: &str, bounds: &Bounds) -> Result<i64, String> {
    let lower = text.to_ascii_lowercase();
    match (bounds.min..).zip(bounds.names).find(|(_, name)| **name == lower) {
        Some((number, _)) => Ok(number),
        None => number(text),
    }
}

fn number(text: &str) -> Result<i64, String> {
    let number = atoi(text).map_err(|why| format!("failed to parse int from {text}: {why}"))?;
    if number < 0 {
        return Err(format!("negative number ({number}) not allowed: {text}"));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: &str, expected: &str) {
        assert_eq!(parse(schedule).err().unwrap_or_default(), expected, "{schedule}");
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
        ] {
            check(valid, "");
        }
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
        check("TZ=UTC 1 * * * *", "");
        check("TZ=Nowhere 1 * * * *", "provided bad location Nowhere: unknown time zone Nowhere");
    }
}
