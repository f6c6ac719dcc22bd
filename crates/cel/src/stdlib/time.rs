//! Parts of times and durations.

use super::method;
use crate::{
    error::Error,
    function::Function,
    types::Sig,
    value::{Civil, Value},
};

const INT: Sig = Sig::Int;
const SPAN: Sig = Sig::Duration;
const STRING: Sig = Sig::String;
const TIME: Sig = Sig::Timestamp;

/// A part of a time, in UTC or in a zone.
macro_rules! part {
    ($name:literal, $id:literal, $part:expr) => {
        Function {
            name: $name,
            overloads: &[
                method(concat!("timestamp_to_", $id), &[TIME], INT, |values| civil(values, $part)),
                method(concat!("timestamp_to_", $id, "_with_tz"), &[TIME, STRING], INT, |values| {
                    civil(values, $part)
                }),
            ],
        }
    };
}

/// A part of a time, or how many of it are in a duration.
macro_rules! both {
    ($name:literal, $id:literal, $part:expr, $nanos:expr) => {
        Function {
            name: $name,
            overloads: &[
                method(concat!("timestamp_to_", $id), &[TIME], INT, |values| civil(values, $part)),
                method(concat!("timestamp_to_", $id, "_with_tz"), &[TIME, STRING], INT, |values| {
                    civil(values, $part)
                }),
                method(concat!("duration_to_", $id), &[SPAN], INT, |values| match values {
                    [Value::Duration(value)] => Ok(Value::Int(value.0 / $nanos)),
                    _ => Err(Error::no_such_overload()),
                }),
            ],
        }
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    part!("getFullYear", "year", |civil, _| civil.year),
    part!("getMonth", "month", |civil, _| civil.month - 1),
    part!("getDayOfYear", "day_of_year", |civil, _| civil.day_of_year),
    part!("getDayOfMonth", "day_of_month", |civil, _| civil.day - 1),
    part!("getDate", "day_of_month_1_based", |civil, _| civil.day),
    part!("getDayOfWeek", "day_of_week", |civil, _| civil.weekday),
    both!("getHours", "hours", |civil, _| civil.second_of_day / 3600, 3_600_000_000_000),
    both!("getMinutes", "minutes", |civil, _| civil.second_of_day / 60 % 60, 60_000_000_000),
    both!("getSeconds", "seconds", |civil, _| civil.second_of_day % 60, 1_000_000_000),
    both!("getMilliseconds", "milliseconds", |_, nanos| i64::from(nanos / 1_000_000), 1_000_000),
];

fn civil<'a>(values: &[Value<'a>], part: fn(Civil, u32) -> i64) -> Result<Value<'a>, Error> {
    let (at, offset) = match values {
        [Value::Timestamp(at)] => (at, 0),
        [Value::Timestamp(at), Value::String(zone)] => (at, offset_of(zone)?),
        _ => return Err(Error::no_such_overload()),
    };
    Ok(Value::Int(part(at.civil(offset), at.nanos)))
}

/// The seconds by which a zone is later than UTC: `UTC`, `+01:00`, `-08:00`, `02:00`. There is no table of places.
fn offset_of(zone: &str) -> Result<i64, Error> {
    if matches!(zone, "" | "UTC" | "Z") {
        return Ok(0);
    }
    let unknown = || Error::new(["unknown time zone ", zone].concat());
    let (hours, minutes) = zone.split_once(':').ok_or_else(unknown)?;
    let number = |text: &str| -> Option<i64> {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let fits = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        if fits { digits.parse().ok() } else { None }
    };
    let (hours_number, minutes) = (number(hours).ok_or_else(unknown)?, number(minutes).ok_or_else(unknown)?);
    let seconds = hours_number * 3600 + minutes * 60;
    Ok(if hours.starts_with('-') { -seconds } else { seconds })
}
