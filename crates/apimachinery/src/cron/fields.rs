//! The five fields of a schedule.

use golang::strconv::atoi;

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

/// The numbers of a field: a bit for each, and whether any will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    bits: u64,
    is_any: bool,
}

impl Field {
    /// Reports whether it has a number.
    pub(super) fn has(self, number: i64) -> bool {
        u32::try_from(number)
            .ok()
            .and_then(|number| self.bits.checked_shr(number))
            .is_some_and(|bits| bits & 1 == 1)
    }
}

/// The fields of a schedule: when the clock shows these, its time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) minute: Field,
    pub(super) hour: Field,
    day: Field,
    pub(super) month: Field,
    weekday: Field,
}

impl Fields {
    /// Reads five fields.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() != FIELDS.len() {
            let (count, list) = (words.len(), words.join(" "));
            return Err(format!("expected exactly 5 fields, found {count}: [{list}]"));
        }
        let mut fields = [Field::default(); 5];
        for ((field, word), bounds) in fields.iter_mut().zip(words).zip(&FIELDS) {
            for part in word.split(',').filter(|part| !part.is_empty()) {
                let range = range(part, bounds)?;
                field.bits |= range.bits;
                field.is_any |= range.is_any;
            }
        }
        let [minute, hour, day, month, weekday] = fields;
        Ok(Self { minute, hour, day, month, weekday })
    }

    /// Reports whether the time of no clock has all of them, because one is empty.
    pub(super) fn is_never(&self) -> bool {
        let days_are_empty = match self.day.is_any || self.weekday.is_any {
            true => self.day.bits == 0 || self.weekday.bits == 0,
            false => self.day.bits == 0 && self.weekday.bits == 0,
        };
        days_are_empty || [self.minute, self.hour, self.month].iter().any(|field| field.bits == 0)
    }

    /// Reports whether a day of a month that is this weekday is one of the schedule's. If both say which, one of them will do.
    pub(super) fn has_day(&self, day: i64, weekday: i64) -> bool {
        let (day_is, weekday_is) = (self.day.has(day), self.weekday.has(weekday));
        if self.day.is_any || self.weekday.is_any { day_is && weekday_is } else { day_is || weekday_is }
    }
}

/// Reads one part of a field: `*`, `5`, `1-5`, each with a step or without.
fn range(part: &str, bounds: &Bounds) -> Result<Field, String> {
    let steps: Vec<&str> = part.split('/').collect();
    let ends: Vec<&str> = steps.first().map(|range| range.split('-').collect()).unwrap_or_default();
    let low = ends.first().copied().unwrap_or_default();
    let mut is_any = matches!(low, "*" | "?");
    let (start, mut end) = if is_any {
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
    is_any &= step <= 1;
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
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    // No number of a field is above 59.
    let bits = (start..=end).step_by(step).map(|number| 1 << number).sum();
    Ok(Field { bits, is_any })
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
