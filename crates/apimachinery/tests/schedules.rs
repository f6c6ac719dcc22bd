//! Compares the times of schedules with those of github.com/robfig/cron, which `schedules.go` writes.

use apimachinery::cron::Schedule;
use golang::time::{Layout, Time, parse};

#[test]
fn times_are_those_of_robfig_cron() {
    let mut wrong = Vec::new();
    for line in include_str!("schedules.txt").lines() {
        let [schedule, after, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let mut time = parse(Layout::Rfc3339, after).unwrap();
        let schedule = Schedule::parse(schedule).unwrap();
        let times = expected.split(' ').map(|_| {
            time = schedule.next(time);
            time.rfc3339()
        });
        let found = times.collect::<Vec<_>>().join(" ");
        if found != expected {
            wrong.push(format!("{line}\nfound {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(Schedule::parse("59 23 31 2 *").unwrap().next(Time::unix(0)), Time::ZERO);
}
