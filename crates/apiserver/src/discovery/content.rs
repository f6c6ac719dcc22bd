//! Content as `ServeContent` of Go's `net/http` serves it: by preconditions, and in parts.
//!
//! <https://datatracker.ietf.org/doc/html/rfc9110#name-conditional-requests>

use std::ops::Range;
use std::time::Duration;

use http::HeaderMap;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE, ETAG, EXPIRES, HeaderName, IF_MATCH,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, LAST_MODIFIED, RANGE,
};

use crate::answer::{Answer, Outcome};
use apimachinery::time;

/// Content that is served.
pub(super) struct Content<'a> {
    pub(super) media_type: &'static str,
    /// The tag in quotes; an empty one if it has none.
    pub(super) tag: &'a str,
    /// When it last changed, since the Unix epoch.
    pub(super) modified: Duration,
    /// How long the response may be kept, in the form of `Expires`; empty if nobody says.
    pub(super) expires: String,
}

impl Content<'_> {
    /// Returns the response to a request with these headers. `read` is asked for the content if it is needed.
    ///
    /// Several ranges in one request are not told apart: the response has all of the content then.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) fn serve(
        &self,
        headers: &HeaderMap,
        read: impl FnOnce() -> Result<Vec<u8>, Box<apimachinery::status::Status>>,
    ) -> Outcome {
        let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        if self.has_changed(header(IF_MATCH), header(IF_UNMODIFIED_SINCE)) {
            let answer = self.described(Answer::empty(412));
            // Of content without a tag nobody has looked yet what it is.
            return Ok(if self.tag.is_empty() { answer } else { answer.with(CONTENT_TYPE, self.media_type) });
        }
        if self.is_known(header(IF_NONE_MATCH), header(IF_MODIFIED_SINCE)) {
            return Ok(self.tagged(Answer::empty(304)));
        }
        let bytes = read()?;
        let range = header(RANGE).filter(|_| header(IF_RANGE).is_none_or(|known| self.is_same(known)));
        let size = bytes.len();
        let part = match range.map_or(Ok(None), |range| part(range, size)) {
            Ok(part) => part,
            Err(RangeError::Invalid) => return Ok(Answer::text(416, "invalid range\n")),
            Err(RangeError::Beyond) => {
                let answer = Answer::text(416, "invalid range: failed to overlap\n");
                return Ok(answer.with(CONTENT_RANGE, format!("bytes */{size}")));
            }
        };
        let answer = match part {
            None => Answer::bytes(self.media_type, bytes),
            Some(part) => {
                let place = format!("bytes {}-{}/{size}", part.start, part.end.saturating_sub(1));
                Answer::bytes(self.media_type, bytes[part].to_vec()).code(206).with(CONTENT_RANGE, place)
            }
        };
        Ok(self.described(answer).with(ACCEPT_RANGES, "bytes"))
    }

    fn tagged(&self, answer: Answer) -> Answer {
        let answer = if self.tag.is_empty() { answer } else { answer.with(ETAG, self.tag) };
        match self.expires.as_str() {
            "" => answer,
            expires => answer.with(CACHE_CONTROL, "public, immutable").with(EXPIRES, expires),
        }
    }

    fn described(&self, answer: Answer) -> Answer {
        let modified = time::rfc1123(self.modified).replace("UTC", "GMT");
        self.tagged(answer).with(LAST_MODIFIED, modified)
    }

    /// Reports whether the content is not what the client still wants to have.
    fn has_changed(&self, tags: Option<&str>, since: Option<&str>) -> bool {
        match (tags, since.and_then(http_date)) {
            (Some(tags), _) => !self.is_among(tags, false),
            (None, Some(since)) => self.modified.as_secs() > since.as_secs(),
            (None, None) => false,
        }
    }

    /// Reports whether the client has the content.
    fn is_known(&self, tags: Option<&str>, since: Option<&str>) -> bool {
        match (tags, since.and_then(http_date)) {
            (Some(tags), _) => self.is_among(tags, true),
            (None, Some(since)) => self.modified.as_secs() <= since.as_secs(),
            (None, None) => false,
        }
    }

    /// Reports whether `known` is the tag or the time of the content.
    fn is_same(&self, known: &str) -> bool {
        let is_time = || http_date(known).is_some_and(|time| time.as_secs() == self.modified.as_secs());
        (known == self.tag && !self.tag.is_empty()) || is_time()
    }

    /// Reports whether the tag is in a list of tags. In a `weak` comparison `W/` is passed over.
    fn is_among(&self, tags: &str, weak: bool) -> bool {
        let plain = |tag: &str| tag == self.tag || (weak && tag.strip_prefix("W/") == Some(self.tag));
        tags.split(',').map(str::trim).any(|tag| tag == "*" || (plain(tag) && !self.tag.is_empty()))
    }
}

/// The reason why a range cannot be served.
#[derive(Debug, PartialEq, Eq)]
enum RangeError {
    Invalid,
    /// It begins behind the end.
    Beyond,
}

/// Returns the part of `size` bytes that a header asks for: nothing for all of them.
fn part(range: &str, size: usize) -> Result<Option<Range<usize>>, RangeError> {
    let ranges = range.strip_prefix("bytes=").ok_or(RangeError::Invalid)?;
    let mut parts = Vec::new();
    let mut beyond = false;
    for range in ranges.split(',').map(str::trim).filter(|range| !range.is_empty()) {
        let (start, end) = range.split_once('-').ok_or(RangeError::Invalid)?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<usize>().ok().filter(|_| is_number).ok_or(RangeError::Invalid)
        };
        match (start.trim(), end.trim()) {
            ("", end) => parts.push(size.saturating_sub(number(end)?)..size),
            (start, _) if number(start)? >= size => beyond = true,
            (start, "") => parts.push(number(start)?..size),
            (start, end) => {
                let (start, end) = (number(start)?, number(end)?);
                if start > end {
                    return Err(RangeError::Invalid);
                }
                parts.push(start..end.saturating_add(1).min(size));
            }
        }
    }
    match parts.as_slice() {
        [] if beyond => Err(RangeError::Beyond),
        [part] => Ok(Some(part.clone())),
        _ => Ok(None),
    }
}

/// Reads a time of a header: `Fri, 20 Nov 2026 13:22:00 GMT`.
fn http_date(text: &str) -> Option<Duration> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let [_, day, month, year, clock, "GMT"] = text.split(' ').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|known| *known == month)? + 1;
    time::parse(&format!("{year}-{month:02}-{day}T{clock}Z"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    /// Serves `0123456789`: the code, `Content-Range`, and the body.
    #[track_caller]
    fn check(header: HeaderName, value: &str, expected: (u16, &str, &str)) {
        let mut headers = HeaderMap::new();
        headers.insert(header, HeaderValue::from_str(value).unwrap());
        let modified = Duration::from_secs(1_767_225_600);
        let content = Content { media_type: "text/x", tag: "\"t\"", modified, expires: String::new() };
        let answer = content.serve(&headers, || Ok(b"0123456789".to_vec())).unwrap().into_response();
        let range = answer.headers().get(CONTENT_RANGE).map_or("", |value| value.to_str().unwrap());
        let body = crate::discovery::tests::text(&answer);
        assert_eq!((answer.status().as_u16(), range, body.as_str()), expected, "{value}");
    }

    #[test]
    fn ranges() {
        for (range, expected) in [
            ("bytes=0-1", (206, "bytes 0-1/10", "01")),
            ("bytes=7-", (206, "bytes 7-9/10", "789")),
            ("bytes=-3", (206, "bytes 7-9/10", "789")),
            ("bytes=-30", (206, "bytes 0-9/10", "0123456789")),
            ("bytes=8-30", (206, "bytes 8-9/10", "89")),
            ("bytes=10-", (416, "bytes */10", "invalid range: failed to overlap\n")),
            ("bytes=3-2", (416, "", "invalid range\n")),
            ("bytes=a", (416, "", "invalid range\n")),
            ("bytes=+1-2", (416, "", "invalid range\n")),
            ("chars=0-1", (416, "", "invalid range\n")),
            ("bytes=0-1,4-5", (200, "", "0123456789")),
            ("bytes=", (200, "", "0123456789")),
        ] {
            check(RANGE, range, expected);
        }
    }

    #[test]
    fn preconditions() {
        let (all, none, failed) = ((200, "", "0123456789"), (304, "", ""), (412, "", ""));
        for (header, value, expected) in [
            (IF_NONE_MATCH, "\"t\"", none),
            (IF_NONE_MATCH, "\"a\", W/\"t\"", none),
            (IF_NONE_MATCH, "*", none),
            (IF_NONE_MATCH, "\"a\"", all),
            (IF_MATCH, "\"t\"", all),
            (IF_MATCH, "W/\"t\"", failed),
            (IF_MATCH, "\"a\"", failed),
            (IF_MODIFIED_SINCE, "Thu, 01 Jan 2026 00:00:00 GMT", none),
            (IF_MODIFIED_SINCE, "Wed, 31 Dec 2025 23:59:59 GMT", all),
            (IF_MODIFIED_SINCE, "yesterday", all),
            (IF_UNMODIFIED_SINCE, "Wed, 31 Dec 2025 23:59:59 GMT", failed),
            (IF_UNMODIFIED_SINCE, "Thu, 01 Jan 2026 00:00:00 GMT", all),
        ] {
            check(header, value, expected);
        }
    }
}
