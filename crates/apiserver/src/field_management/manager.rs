//! The field manager of a request.

use http::HeaderMap;
use http::header::USER_AGENT;

use apimachinery::query::Query;

/// How long a manager's name may be, in bytes.
const MAX_LENGTH: usize = 128;

/// The manager of a request: what the parameter `fieldManager` says, or else the User-Agent up to its first `/`.
///
/// <https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers>
pub(crate) fn name(query: &Query, headers: &HeaderMap) -> String {
    let sent = query.text("fieldManager");
    if !sent.is_empty() {
        return sent.to_owned();
    }
    let agent = headers.get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let agent = agent.as_deref().unwrap_or_default();
    let mut name = String::new();
    for letter in agent.split('/').next().unwrap_or_default().chars().filter(|letter| !letter.is_control()) {
        if name.len() + letter.len_utf8() > MAX_LENGTH {
            break;
        }
        name.push(letter);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, agent: &str, expected: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, agent.parse().expect("a header value"));
        assert_eq!(name(&Query::parse(query), &headers), expected);
    }

    #[test]
    fn names() {
        check("fieldManager=me", "kubectl/v1.36.0", "me");
        check("fieldManager=", "kubectl/v1.36.0 (linux/amd64)", "kubectl");
        check("", "Mozilla", "Mozilla");
        check("", "/x", "");
        check("", "a\tb/1", "ab");
        check("", &"x".repeat(200), &"x".repeat(128));
    }
}
