//! Times as Kubernetes writes them, by what the clock gives: the time since the Unix epoch.

use std::time::Duration;

use golang::time::{self, Layout, Time};

/// Returns a time as RFC 3339 with whole seconds, in UTC: `2026-11-20T13:22:00Z`.
pub fn rfc3339(since_epoch: Duration) -> String {
    time_of(since_epoch).rfc3339()
}

/// Returns a time as RFC 3339 with six digits after the second, in UTC: `2026-11-20T13:22:00.000000Z`.
pub fn rfc3339_micro(since_epoch: Duration) -> String {
    time_of(since_epoch).rfc3339_micro()
}

/// Returns a time as headers of HTTP have it: `Fri, 20 Nov 2026 13:22:00 UTC`.
pub fn rfc1123(since_epoch: Duration) -> String {
    time_of(since_epoch).rfc1123()
}

fn time_of(since_epoch: Duration) -> Time {
    Time {
        seconds: i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX),
        nanos: since_epoch.subsec_nanos(),
    }
}

/// Reads a time of RFC 3339. Returns nothing for any other text, and for times before the Unix epoch.
pub fn parse(text: &str) -> Option<Duration> {
    time::parse(Layout::Rfc3339, text).ok()?.since_epoch()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Duration>) {
        assert_eq!(parse(text), expected, "{text}");
    }

    #[test]
    fn times() {
        check("1970-01-01T00:00:00Z", Some(Duration::ZERO));
        check("2024-02-29T23:59:59.5Z", Some(Duration::from_millis(1_709_251_199_500)));
        check("1970-01-01T01:00:00+01:00", Some(Duration::ZERO));
        check("1969-12-31T23:59:59Z", None);
        check("2026-02-30T00:00:00Z", None);
        check("1970-01-01", None);
        check("", None);
        assert_eq!(rfc3339(Duration::from_millis(951_782_400_999)), "2000-02-29T00:00:00Z");
    }
}
