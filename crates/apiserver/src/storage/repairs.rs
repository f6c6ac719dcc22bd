//! The times at which cluster IPs are looked at that nobody has written, and the events of that.

use std::time::Duration;

use json_tree::Value;

use apimachinery::object::Object;

/// How often all of them are looked at.
const EVERY: Duration = Duration::from_secs(180);

/// The collections that are looked at then.
const ALL: [&str; 2] = ["/registry/services/specs/", "/registry/ipaddresses/"];

/// The state of the repair of cluster IPs.
pub(crate) struct Repairs {
    /// When all of them were looked at.
    looked: Duration,
    /// The keys of objects to look at, and when.
    later: Vec<(Duration, String)>,
    /// The events that may come again.
    pub(crate) reported: Vec<Reported>,
    /// When those were looked at that may have come for the last time, and when the series were last written.
    pub(crate) rounds: [Duration; 2],
}

/// An event, and how often it has come.
pub(crate) struct Reported {
    /// The object that it is about, and its reason.
    pub(crate) about: (Value, &'static str),
    /// The key of the event, and the event as it came first.
    pub(crate) event: (String, Object),
    /// When it came first.
    pub(crate) first: Duration,
    /// How often it has come, and when it came last; nothing if it has come once.
    pub(crate) series: Option<(u64, Duration)>,
}

impl Repairs {
    /// All is well at `now`.
    pub(super) fn new(now: Duration) -> Self {
        Self { looked: now, later: Vec::new(), reported: Vec::new(), rounds: [now; 2] }
    }

    /// Returns the keys to look at by `now`, and notes that somebody does: those of objects, or the prefixes of all. A clock that was set
    /// back does not put it off.
    pub(crate) fn due(&mut self, now: Duration) -> Vec<String> {
        if now < self.looked || now - self.looked >= EVERY {
            self.looked = now;
            self.later.clear();
            return ALL.map(str::to_owned).into();
        }
        let due = self.later.extract_if(.., |(at, _)| *at <= now);
        due.map(|(_, key)| key).collect()
    }

    /// Has an object be looked at later.
    pub(crate) fn look_again(&mut self, key: &str, at: Duration) {
        if !self.later.iter().any(|(_, known)| known == key) {
            self.later.push((at, key.to_owned()));
        }
    }
}

/// Reports whether a write of this key asks for a look at it.
pub(crate) fn concerns(key: &str) -> bool {
    ALL.iter().any(|prefix| key.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let seconds = Duration::from_secs;
        let mut repairs = Repairs::new(seconds(1000));
        let mut check =
            |now: u64, expected: &[&str]| assert_eq!(repairs.due(seconds(now)), expected, "{now}");
        check(1000, &[]);
        check(1179, &[]);
        check(1180, &ALL);
        check(1181, &[]);
        check(900, &ALL);
        repairs.look_again("a", seconds(960));
        repairs.look_again("a", seconds(961));
        repairs.look_again("b", seconds(970));
        let mut check =
            |now: u64, expected: &[&str]| assert_eq!(repairs.due(seconds(now)), expected, "{now}");
        check(959, &[]);
        check(960, &["a"]);
        check(980, &["b"]);
        check(981, &[]);
    }
}
