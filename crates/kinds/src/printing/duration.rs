//! How long ago, as people say it.

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;

/// How many units there are in what, and how many of the next smaller are left.
struct Step {
    /// Below which number of seconds.
    below: u64,
    unit: u64,
    letter: char,
    /// The smaller unit that is told too, unless there are none of it.
    rest: Option<(u64, char)>,
}

const STEPS: &[Step] = &[
    Step { below: 2 * MINUTE, unit: 1, letter: 's', rest: None },
    Step { below: 10 * MINUTE, unit: MINUTE, letter: 'm', rest: Some((1, 's')) },
    Step { below: 3 * HOUR, unit: MINUTE, letter: 'm', rest: None },
    Step { below: 8 * HOUR, unit: HOUR, letter: 'h', rest: Some((MINUTE, 'm')) },
    Step { below: 2 * DAY, unit: HOUR, letter: 'h', rest: None },
    Step { below: 8 * DAY, unit: DAY, letter: 'd', rest: Some((HOUR, 'h')) },
    Step { below: 2 * YEAR, unit: DAY, letter: 'd', rest: None },
    Step { below: 8 * YEAR, unit: YEAR, letter: 'y', rest: Some((DAY, 'd')) },
    Step { below: u64::MAX, unit: YEAR, letter: 'y', rest: None },
];

/// A number of seconds with two digits or so of it: `5s`, `2m5s`, `47h`, `3d4h`, `2y`. What is less
/// than two seconds ahead of the clock is `0s`, and what is further is `<invalid>`.
pub(crate) fn human(seconds: i64) -> String {
    let seconds = match u64::try_from(seconds) {
        Ok(seconds) => seconds,
        Err(_) if seconds == -1 => 0,
        Err(_) => return "<invalid>".to_owned(),
    };
    let Some(step) = STEPS.iter().find(|step| seconds < step.below) else { return String::new() };
    let whole = format!("{}{}", seconds / step.unit, step.letter);
    match step.rest {
        Some((unit, letter)) if seconds % step.unit >= unit => {
            format!("{whole}{}{letter}", seconds % step.unit / unit)
        }
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seconds: i64, expected: &str) {
        assert_eq!(human(seconds), expected);
    }

    #[test]
    fn durations() {
        check(-2, "<invalid>");
        check(-1, "0s");
        check(0, "0s");
        check(119, "119s");
        check(120, "2m");
        check(125, "2m5s");
        check(599, "9m59s");
        check(600, "10m");
        check(3 * 3600 - 1, "179m");
        check(3 * 3600, "3h");
        check(3 * 3600 + 60, "3h1m");
        check(3 * 3600 + 59, "3h");
        check(8 * 3600, "8h");
        check(48 * 3600 - 1, "47h");
        check(48 * 3600, "2d");
        check(49 * 3600, "2d1h");
        check(8 * 86_400, "8d");
        check(2 * 365 * 86_400 - 1, "729d");
        check(2 * 365 * 86_400, "2y");
        check(2 * 365 * 86_400 + 86_400, "2y1d");
        check(8 * 365 * 86_400 + 86_400, "8y");
        check(i64::MAX, "292471208677y");
    }
}
