//! The origin of a request: its addresses, its client, and how its sender has tried to prove who it is.
//!
//! <https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event>

use std::net::IpAddr;

use apimachinery::query::Query;
use golang::base64;
use http::header::{AUTHORIZATION, HeaderName, USER_AGENT};

use crate::audit_context::{Head, PeerAddress};
use crate::user::ClientCertificate;

/// The most bytes of a user agent that are logged.
const MOST_OF_USER_AGENT: usize = 1024;

/// Returns the addresses that a request has come from, the first one first: those that proxies tell, and the last one's own.
pub(super) fn addresses(head: Head<'_>) -> Vec<String> {
    let header = |name: &'static str| text(head, &HeaderName::from_static(name));
    let mut all: Vec<IpAddr> = header("x-forwarded-for").split(',').filter_map(address).collect();
    if let Some(real) = address(&header("x-real-ip")).filter(|real| !all.contains(real)) {
        all.push(real);
    }
    let peer = head.extensions.get().map(|PeerAddress(peer)| peer.ip().to_canonical());
    if let Some(peer) = peer.filter(|peer| all.last() != Some(peer)) {
        all.push(peer);
    }
    all.iter().map(ToString::to_string).collect()
}

/// Reads an address as Go's `ParseIP` does.
fn address(text: &str) -> Option<IpAddr> {
    text.trim().parse().ok().map(|address: IpAddr| address.to_canonical())
}

/// Returns the name of the client, or as much of it as is logged.
pub(super) fn user_agent(head: Head<'_>) -> String {
    let agent = text(head, &USER_AGENT);
    match agent.char_indices().find(|(at, letter)| at + letter.len_utf8() > MOST_OF_USER_AGENT) {
        Some((end, _)) => [&agent[..end], "...TRUNCATED"].concat(),
        None => agent,
    }
}

/// Returns the ways in which the sender of a request has tried in vain to prove who it is, as a sentence.
pub(super) fn attempts(head: Head<'_>) -> String {
    let header = text(head, &AUTHORIZATION);
    let words: Vec<&str> = header.trim().split(' ').collect();
    let is = |scheme: &str| words.len() > 1 && words[0].eq_ignore_ascii_case(scheme);
    let is_pair = |text: &str| base64::decode(text).is_ok_and(|pair| pair.contains(&b':'));
    let query = Query::parse(head.uri.query().unwrap_or_default());
    let ways = [
        (is("basic") && is_pair(words[1]), "basic"),
        (is("bearer"), "bearer"),
        (!query.text("access_token").trim().is_empty(), "access_token"),
        (head.extensions.get::<ClientCertificate>().is_some(), "x509"),
    ];
    let ways: Vec<&str> = ways.into_iter().filter_map(|(is_so, way)| is_so.then_some(way)).collect();
    match ways.as_slice() {
        [] => "Authentication failed, no credentials provided".to_owned(),
        ways => ["Authentication failed, attempted: ", &ways.join(", ")].concat(),
    }
}

fn text(head: Head<'_>, name: &HeaderName) -> String {
    head.headers
        .get(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn with<T>(headers: &[(&str, &str)], uri: &str, of: impl Fn(Head<'_>) -> T) -> T {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let peer = PeerAddress("127.0.0.1:4000".parse().unwrap());
        let (head, ()) = request.extension(peer).body(()).unwrap().into_parts();
        of(Head { uri: &head.uri, headers: &head.headers, extensions: &head.extensions })
    }

    #[test]
    fn addresses_of_proxies_come_first() {
        let check = |headers: &[(&str, &str)], expected: &str| {
            assert_eq!(with(headers, "/", addresses).join(" "), expected, "{headers:?}");
        };
        check(&[], "127.0.0.1");
        check(&[("x-forwarded-for", "10.0.0.1, ::1, x")], "10.0.0.1 ::1 127.0.0.1");
        check(&[("x-forwarded-for", "10.0.0.1,127.0.0.1")], "10.0.0.1 127.0.0.1");
        check(&[("x-forwarded-for", "10.0.0.1"), ("x-real-ip", "10.0.0.1")], "10.0.0.1 127.0.0.1");
        check(&[("x-real-ip", "::ffff:10.0.0.2")], "10.0.0.2 127.0.0.1");
    }

    #[test]
    fn ways_of_authentication_are_told() {
        let check = |header: &str, uri: &str, expected: &str| {
            let headers = [("authorization", header)];
            let headers = if header.is_empty() { &headers[..0] } else { &headers };
            assert_eq!(
                with(headers, uri, attempts),
                ["Authentication failed, ", expected].concat(),
                "{header}"
            );
        };
        check("", "/", "no credentials provided");
        check("Bearer x", "/", "attempted: bearer");
        check("bearer", "/", "no credentials provided");
        check("Basic YTpi", "/?access_token=t", "attempted: basic, access_token");
        check("Basic YQ==", "/", "no credentials provided");
    }

    #[test]
    fn long_user_agents_are_cut() {
        let long = "a".repeat(1025);
        assert_eq!(with(&[("user-agent", &long)], "/", user_agent).len(), 1024 + "...TRUNCATED".len());
        assert_eq!(with(&[("user-agent", "kubectl")], "/", user_agent), "kubectl");
    }
}
