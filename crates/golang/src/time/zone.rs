//! Time zones, by the names of the IANA's database.
//!
//! A time before 2026 has the offset of the rules of then: older ones are not known. `tests/tables/zones` writes the table.

use super::{Time, calendar, date_time};

/// A line for each rule, and behind it words of zones: an area, which may be empty, and the names in it.
const ZONES: &str = include_str!("zones.txt");

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;

/// The unit of changes that no rule tells, in seconds.
const HALF_HOUR: i64 = 1800;

/// A time zone, as Go's `time.Location`.
///
/// ```
/// use golang::time::Zone;
///
/// let berlin = Zone::load("Europe/Berlin")?;
/// assert_eq!([1_800_000_000, 1_815_000_000].map(|time| berlin.offset(time)), [3600, 7200]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// The offset without daylight saving time, in seconds east of UTC.
    standard: i64,
    daylight: Option<Daylight>,
    /// The other offset, until the last of the times at which changes happen that no rule tells: from one offset to the other.
    other: i64,
    changes: Vec<i64>,
}

/// Daylight saving time: its offset in seconds, and the days of a year on which it begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Daylight {
    offset: i64,
    begin: Day,
    end: Day,
}

/// A moment of each year: that of a weekday of a month, the last one if the week is the fifth, and seconds from its midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Day {
    month: i64,
    week: i64,
    weekday: i64,
    second: i64,
}

impl Day {
    fn read(text: &str) -> Option<Self> {
        let numbers: Vec<i64> = text.split('.').filter_map(|number| number.parse().ok()).collect();
        let [month, week, weekday, minute] = *numbers.as_slice() else { return None };
        Some(Self { month, week, weekday, second: minute * MINUTE })
    }

    /// Returns the moment in a year, in seconds of a clock on the wall.
    fn of(self, year: i64) -> i64 {
        let first = calendar::days_to(year, self.month, 1);
        // 1970 began with a Thursday.
        let offset = (self.weekday - (first + 4)).rem_euclid(7);
        let day = offset + (self.week - 1) * 7;
        let day = if day >= calendar::days_in(year, self.month) { day - 7 } else { day };
        (first + day) * DAY + self.second
    }
}

impl Zone {
    /// Finds the zone of a name, as Go's `time.LoadLocation`. The empty name and `Local` are UTC.
    ///
    /// # Errors
    ///
    /// Fails with Go's words if there is none of that name, or if it is no name.
    pub fn load(name: &str) -> Result<Self, String> {
        if matches!(name, "" | "Local") {
            return Ok(Self::default());
        }
        if name.split('/').any(|part| part == "..") || name.starts_with(['/', '\\']) {
            return Err("time: invalid location name".to_owned());
        }
        let (area, name_there) = name.rsplit_once('/').unwrap_or(("", name));
        let has = |word: &str| {
            word.rsplit_once('/')
                .is_some_and(|(own, names)| own == area && names.split(',').any(|own| own == name_there))
        };
        let mut lines = ZONES.lines().filter_map(|line| line.split_once(' '));
        let rule = lines.find(|(_, words)| words.split(' ').any(has)).and_then(|(rule, _)| Self::read(rule));
        rule.ok_or_else(|| ["unknown time zone ", name].concat())
    }

    /// Reads a rule of the table.
    fn read(rule: &str) -> Option<Self> {
        let (rule, changes) = rule.split_once(';').unwrap_or((rule, ""));
        let mut changes = changes.split(',').filter_map(|change| change.parse::<i64>().ok());
        let other = changes.next().unwrap_or_default() * MINUTE;
        let changes = changes.map(|change| change * HALF_HOUR).collect();
        let mut parts = rule.split(',');
        let standard = parts.next()?.parse::<i64>().ok()? * MINUTE;
        let daylight = match parts.next() {
            Some(offset) => Some(Daylight {
                offset: offset.parse::<i64>().ok()? * MINUTE,
                begin: Day::read(parts.next()?)?,
                end: Day::read(parts.next()?)?,
            }),
            None => None,
        };
        Some(Self { standard, daylight, other, changes })
    }

    /// Returns how many seconds east of UTC a zone is at a time, in seconds since 1970.
    pub fn offset(&self, time: i64) -> i64 {
        if self.changes.last().is_some_and(|last| time < *last) {
            let before = self.changes.partition_point(|change| *change <= time);
            return if before % 2 == 0 { self.standard } else { self.other };
        }
        let Some(daylight) = self.daylight else { return self.standard };
        let (year, ..) = calendar::date(time.saturating_add(self.standard).div_euclid(DAY));
        let (begin, end) = (daylight.begin.of(year) - self.standard, daylight.end.of(year) - daylight.offset);
        let is_daylight =
            if begin < end { (begin..end).contains(&time) } else { !(end..begin).contains(&time) };
        if is_daylight { daylight.offset } else { self.standard }
    }

    /// Returns the time at which a clock on the wall shows this, in seconds since 1970 as if the wall were in UTC, as Go's `time.Date`:
    /// where none does, or several do, it takes what one of the two offsets gives.
    pub fn at(&self, wall: i64) -> i64 {
        let first = wall.saturating_sub(self.offset(wall));
        wall.saturating_sub(self.offset(first))
    }

    /// Returns the text of RFC 3339 of a time with whole seconds in this zone, as `Time.In(zone).Format(time.RFC3339)`.
    pub fn rfc3339(&self, time: Time) -> String {
        let offset = self.offset(time.seconds);
        let text = date_time(time.seconds.saturating_add(offset));
        if offset == 0 {
            return text + "Z";
        }
        let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / MINUTE);
        format!("{text}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_have_names() {
        let check = |name: &str, expected: &str| {
            assert_eq!(Zone::load(name).err().unwrap_or_default(), expected, "{name}");
        };
        check("UTC", "");
        check("Etc/UTC", "");
        check("America/Argentina/Buenos_Aires", "");
        check("Local", "");
        check("Europe", "unknown time zone Europe");
        check("Europe/Atlantis", "unknown time zone Europe/Atlantis");
        check("Europe/Berlin,Bratislava", "unknown time zone Europe/Berlin,Bratislava");
        check("-/UTC", "unknown time zone -/UTC");
        check("../UTC", "time: invalid location name");
    }

    #[test]
    fn all_rules_are_read() {
        for line in ZONES.lines() {
            let rule = line.split(' ').next().unwrap();
            assert!(Zone::read(rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn offsets_stand_behind_times() {
        let check = |zone: &str, expected: &str| {
            assert_eq!(Zone::load(zone).unwrap().rfc3339(Time::unix(1_800_000_000)), expected);
        };
        check("UTC", "2027-01-15T08:00:00Z");
        check("Europe/London", "2027-01-15T08:00:00Z");
        check("Asia/Kolkata", "2027-01-15T13:30:00+05:30");
        check("America/St_Johns", "2027-01-15T04:30:00-03:30");
    }

    #[test]
    fn no_time_is_too_far_away() {
        let zone = Zone::load("Europe/Berlin").unwrap();
        for time in [i64::MIN, -62_135_596_800, 0, i64::MAX] {
            zone.offset(time);
            zone.at(time);
        }
    }
}
