//! The next time of a schedule.
//!
//! A clock in a zone goes on unevenly, and what happens at a time that it skips or shows twice depends on the order in which the fields
//! are looked at: month, day, hour, minute. Whatever is increased begins the next smaller one anew.

use golang::time::{Time, Zone, calendar};

use super::fields::Fields;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

/// The number of years after which nothing is looked for any more.
const YEARS: i64 = 5;

/// The number of seconds from 1970 on within which times are looked for: millions of years.
const FARTHEST: u64 = 1 << 50;

/// A clock in a zone at a time.
struct Clock<'a> {
    zone: &'a Zone,
    /// The time, in seconds since 1970.
    time: i64,
    /// The clock on the wall, in seconds as if it were in UTC.
    wall: i64,
}

impl Clock<'_> {
    fn set(&mut self, time: i64) {
        self.time = time;
        self.wall = time.saturating_add(self.zone.offset(time));
    }

    /// Moves the time on.
    fn add(&mut self, seconds: i64) {
        self.set(self.time.saturating_add(seconds));
    }

    /// Sets the clock on the wall.
    fn show(&mut self, wall: i64) {
        self.set(self.zone.at(wall));
    }

    fn date(&self) -> (i64, i64, i64) {
        calendar::date(self.wall.div_euclid(DAY))
    }

    fn weekday(&self) -> i64 {
        // 1970 began with a Thursday.
        (self.wall.div_euclid(DAY) + 4).rem_euclid(7)
    }

    fn second(&self) -> i64 {
        self.wall.rem_euclid(DAY)
    }

    fn hour(&self) -> i64 {
        self.second() / HOUR
    }
}

/// Returns the first time of a schedule after another, in seconds since 1970; that of [`Time::ZERO`] if there is none.
pub(super) fn next(fields: &Fields, zone: &Zone, after: Time) -> i64 {
    if fields.is_never() || after.seconds.unsigned_abs() > FARTHEST {
        return Time::ZERO.seconds;
    }
    let mut clock = Clock { zone, time: 0, wall: 0 };
    clock.set(after.seconds.saturating_add(1));
    let last_year = clock.date().0.saturating_add(YEARS);
    let mut increased = false;
    while clock.date().0 <= last_year {
        let found = find_month(fields, &mut clock, &mut increased)
            && find_day(fields, &mut clock, &mut increased)
            && find_hour(fields, &mut clock, &mut increased)
            && find_minute(fields, &mut clock, &mut increased)
            && find_second(&mut clock, &mut increased);
        if found {
            return clock.time;
        }
    }
    Time::ZERO.seconds
}

/// Goes on to a month of the schedule. Returns false if another year has begun before.
fn find_month(fields: &Fields, clock: &mut Clock<'_>, increased: &mut bool) -> bool {
    loop {
        let (year, month, _) = clock.date();
        if fields.month.has(month) {
            return true;
        }
        if !*increased {
            *increased = true;
            clock.show(calendar::days_to(year, month, 1) * DAY);
        }
        let (year, month, day) = clock.date();
        let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        clock.show(calendar::days_to(year, month, day) * DAY + clock.second());
        if clock.date().1 == 1 {
            return false;
        }
    }
}

/// Goes on to a day of the schedule. Returns false if another month has begun before.
fn find_day(fields: &Fields, clock: &mut Clock<'_>, increased: &mut bool) -> bool {
    loop {
        if fields.has_day(clock.date().2, clock.weekday()) {
            return true;
        }
        if !*increased {
            *increased = true;
            clock.show(clock.wall - clock.second());
        }
        clock.show(clock.wall.saturating_add(DAY));
        // There is no midnight where a zone skips it.
        match clock.hour() {
            0 => {}
            hour if hour > 12 => clock.add((24 - hour) * HOUR),
            hour => clock.add(-hour * HOUR),
        }
        if clock.date().2 == 1 {
            return false;
        }
    }
}

/// Goes on to an hour of the schedule. Returns false if another day has begun before.
fn find_hour(fields: &Fields, clock: &mut Clock<'_>, increased: &mut bool) -> bool {
    loop {
        if fields.hour.has(clock.hour()) {
            return true;
        }
        if !*increased {
            *increased = true;
            clock.show(clock.wall - clock.second() % HOUR);
        }
        clock.add(HOUR);
        if clock.hour() == 0 {
            return false;
        }
    }
}

/// Goes on to a minute of the schedule. Returns false if another hour has begun before.
fn find_minute(fields: &Fields, clock: &mut Clock<'_>, increased: &mut bool) -> bool {
    loop {
        let minute = clock.second() % HOUR / MINUTE;
        if fields.minute.has(minute) {
            return true;
        }
        if !*increased {
            *increased = true;
            clock.set(clock.time - clock.time.rem_euclid(MINUTE));
        }
        clock.add(MINUTE);
        if clock.second() % HOUR / MINUTE == 0 {
            return false;
        }
    }
}

/// Goes on to the first second of a minute. Returns false if that is the next minute's.
fn find_second(clock: &mut Clock<'_>, increased: &mut bool) -> bool {
    let second = clock.wall.rem_euclid(MINUTE);
    if second != 0 {
        *increased = true;
        clock.add(MINUTE - second);
    }
    second == 0
}

#[cfg(test)]
mod tests {
    use golang::time::Time;

    use crate::cron::Schedule;

    #[test]
    fn nothing_is_too_far_away() {
        let schedule = Schedule::parse("TZ=Africa/Cairo 0 0 29 2 *").unwrap();
        for seconds in [i64::MIN, Time::ZERO.seconds, i64::MAX / 2, i64::MAX] {
            schedule.next(Time::unix(seconds));
        }
    }
}
