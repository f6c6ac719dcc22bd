//! Failures, as far as they matter for what to do next.

use crate::cluster::status::{self, Status};

/// Why something is done again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The version is older than what the server keeps: 410, reason `Expired`.
    Expired,
    /// As `Expired`, but said in another way: 410 with any other reason.
    Gone,
    /// The version is newer than anything the server has: cause `ResourceVersionTooLarge`.
    TooLarge,
    /// The server has too much to do: 429.
    TooManyRequests,
    /// The server answered with any other status code, or sent an ERROR event with it.
    Refused(u16),
    /// The server answered with this status code, and said how long to wait.
    RetryAfter(u16),
    /// No answer came, and why.
    NoAnswer(String),
    /// The data that came is neither a list nor an event.
    Unreadable,
    /// The server closed the watch.
    Closed,
    /// The connection broke, and why.
    Broken(String),
    /// The watch was over within a second, without an event.
    Short,
}

impl Why {
    /// Returns the meaning of a response that is not 200.
    pub(super) fn answered(code: u16, body: &[u8]) -> Self {
        let mut status = status::failure(body).unwrap_or_default();
        status.code = code;
        Self::said(&status)
    }

    /// Returns the meaning of a `Status`.
    /// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses>.
    pub(super) fn said(status: &Status) -> Self {
        let too_large = |cause: &status::Cause| cause.reason == "ResourceVersionTooLarge";
        match (status.reason.as_str(), status.code) {
            _ if status.details.causes.iter().any(too_large) => Self::TooLarge,
            ("Expired", _) => Self::Expired,
            ("Gone", _) | (_, 410) => Self::Gone,
            ("TooManyRequests", _) | (_, 429) => Self::TooManyRequests,
            (_, code) => Self::Refused(code),
        }
    }

    /// Reports whether the same request may succeed a little later: the server is not there, or has too much to do.
    pub(super) fn passes(&self) -> bool {
        matches!(self, Self::NoAnswer(_) | Self::TooManyRequests)
    }

    /// Reports whether the server cannot serve the version that was asked for.
    pub(super) fn unavailable(&self) -> bool {
        matches!(self, Self::Expired | Self::Gone | Self::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: u16, body: &str, expected: &Why) {
        assert_eq!(&Why::answered(code, body.as_bytes()), expected, "{code} {body}");
    }

    #[test]
    fn reads_answers() {
        let status = |code: u16, reason: &str, more: &str| {
            format!(r#"{{"kind":"Status","status":"Failure","reason":"{reason}"{more},"code":{code}}}"#)
        };
        let too_large =
            r#","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large"}]}"#;
        check(410, &status(410, "Expired", ""), &Why::Expired);
        check(410, &status(410, "Gone", ""), &Why::Gone);
        check(410, "gone", &Why::Gone);
        check(504, &status(504, "Timeout", too_large), &Why::TooLarge);
        check(504, &status(504, "Timeout", ""), &Why::Refused(504));
        check(429, &status(429, "TooManyRequests", ""), &Why::TooManyRequests);
        check(429, "", &Why::TooManyRequests);
        check(500, &status(500, "InternalError", ""), &Why::Refused(500));
        check(403, &status(403, "Forbidden", ""), &Why::Refused(403));
        check(502, "<html>", &Why::Refused(502));
    }
}
