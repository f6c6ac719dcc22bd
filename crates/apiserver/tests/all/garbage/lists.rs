//! Lists and watches with parameters and continue tokens that nobody would send.

use std::time::Duration;

use apiserver::Body;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures::{FutureExt, StreamExt};
use http::{Request, Response};
use json_tree::{Value, json};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{config, is_status, one_of, populated};
use crate::common::Cluster;

/// Paths of collections, and one of a single object.
fn collection() -> impl Strategy<Value = String> {
    one_of(&[
        "/api/v1/namespaces/default/configmaps",
        "/api/v1/namespaces/kube-system/configmaps",
        "/api/v1/configmaps",
        "/api/v1/namespaces",
        "/api/v1/namespaces/default/secrets",
        "/api/v1/events",
        "/apis/apps/v1/namespaces/default/deployments",
        "/api/v1/watch/configmaps",
        "/api/v1/watch/namespaces/default/configmaps",
        "/api/v1/watch/namespaces/default/configmaps/a",
    ])
}

/// Values at the borders of numbers and of texts; escaped, as a query has them.
fn border() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => one_of(&[
            "", "0", "00", "-0", "+1", "1", "2", "-1", "105", "106", "107", "999999", "9223372036854775807",
            "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
            "18446744073709551616", "340282366920938463463374607431768211456", "1.5", "1e3", "0x1", "%201", "1%20",
            "true", "false", "False", "null", "nil", "Exact", "NotOlderThan", "exact", "Foo", "%00", "%0A", "%FF",
            "%C3%28", "%ED%A0%80", "%F4%90%80%80", "%", "%4", "%ZZ", "a%3Db", "a", "!a", "a+in+(b,c)", "a+in+(", "a%3D%3D%3Db",
            "metadata.name%3Da", "metadata.name!%3Da", "metadata.namespace%3Ddefault", "metadata.name%3D..%2Fa",
            "metadata.name", "metadata.name%3D%5C", "spec.x%3D1", "%2C", "%3B", ";", "=", "%26", "\u{fffd}",
        ]),
        1 => (1..20_000_usize).prop_map(|length| "x".repeat(length)),
        1 => (1..2_000_usize).prop_map(|count| "a%3Db%2C".repeat(count)),
        1 => vec(any::<u8>(), 0..24).prop_map(|bytes| bytes.iter().map(|byte| format!("%{byte:02X}")).collect()),
    ]
}

/// Parameters of lists and watches, some of them more than once.
fn parameters() -> impl Strategy<Value = String> {
    let key = one_of(&[
        "resourceVersion",
        "resourceVersion",
        "resourceVersionMatch",
        "limit",
        "continue",
        "watch",
        "timeoutSeconds",
        "sendInitialEvents",
        "allowWatchBookmarks",
        "labelSelector",
        "fieldSelector",
        "pretty",
        "includeUninitialized",
        "%77atch",
        "limit%00",
    ]);
    vec((key, border()), 0..7).prop_map(|pairs| {
        pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
    })
}

/// The answer to a GET, which may take the three seconds that a read waits for a version; `None` if there is no such
/// request.
fn get(cluster: &Cluster, path: &str) -> Result<Option<Response<Body>>, TestCaseError> {
    let Ok(request) = Request::get(path).body(Bytes::new()) else { return Ok(None) };
    let mut call = Box::pin(cluster.server.call(request));
    if let Some(response) = (&mut call).now_or_never() {
        return Ok(Some(response));
    }
    cluster.clock.advance(Duration::from_secs(3));
    let response = (&mut call).now_or_never();
    prop_assert!(response.is_some(), "{path} waits for more than three seconds");
    Ok(response)
}

/// Reads what there is of a stream: events, and at most one ERROR, at the end.
fn check_stream(cluster: &Cluster, body: Body) -> Result<(), TestCaseError> {
    let Body::Stream(mut stream) = body else { return Ok(()) };
    let mut failed = false;
    for _ in 0..2 {
        while let Some(Some(frame)) = stream.next().now_or_never() {
            prop_assert!(!failed, "something comes behind an error");
            let event: Value = serde_json::from_slice(&frame).unwrap_or_default();
            let kind = event["type"].as_str().unwrap_or_default();
            failed = kind == "ERROR";
            let code = event["object"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let known = ["ADDED", "BOOKMARK"].contains(&kind)
                || failed && matches!(code, Some(code @ (410 | 504)) if is_status(&event["object"], code));
            prop_assert!(known, "{event}");
        }
        cluster.clock.advance(Duration::from_secs(61));
    }
    Ok(())
}

/// Sends a GET of a list or a watch. Gives the body of a 200 that is no stream.
fn check_get(cluster: &Cluster, path: &str) -> Result<Option<Value>, TestCaseError> {
    let before = cluster.server.inspect().overview().revision;
    let Some(response) = get(cluster, path)? else { return Ok(None) };
    let code = response.status().as_u16();
    prop_assert_eq!(cluster.server.inspect().overview().revision, before, "{} wrote something", path);
    let body = response.into_body();
    let Some(bytes) = body.bytes() else {
        prop_assert_eq!(code, 200, "{}", path);
        check_stream(cluster, body)?;
        return Ok(None);
    };
    let answer: Value = serde_json::from_slice(bytes).unwrap_or_default();
    if code == 200 {
        return Ok(Some(answer));
    }
    prop_assert!(
        [400, 410, 422, 500, 504].contains(&code) && is_status(&answer, code),
        "{path}: {code} {answer}"
    );
    let message = answer["message"].as_str().unwrap_or_default();
    prop_assert!(code != 500 || message.starts_with("resourceVersion: Invalid value: "), "{path}: {message}");
    Ok(None)
}

/// Returns a strategy for the contents of a continue token.
fn token() -> impl Strategy<Value = String> {
    let version = one_of(&[
        "\"meta.k8s.io/v1\"",
        "\"meta.k8s.io/v1\"",
        "\"meta.k8s.io/v1\"",
        "\"meta.k8s.io/v2\"",
        "\"\"",
        "1",
        "null",
    ]);
    let revision = one_of(&[
        "-1",
        "-9223372036854775808",
        "0",
        "1",
        "99",
        "108",
        "112",
        "113",
        "9223372036854775807",
        "18446744073709551615",
        "1.5",
        "1e2",
        "\"5\"",
        "null",
        "{}",
    ]);
    let start = prop_oneof![
        6 => one_of(&[
            "", "a\0", "b\0", "/b\0", "default/b\0", "default/", "default", "kube-system/a\0", "..", "../a", "../secrets/a",
            "a/../b", "./a", "/", "//a", "a//b", "/registry/secrets/default/a", "\u{1}", "\0", "\u{10ffff}", "~", "%2e%2e",
            "a\nb",
        ]),
        1 => (1..5_000_usize).prop_map(|length| "x".repeat(length)),
        1 => "\\PC{0,12}",
    ];
    let made = (version, revision, start).prop_map(|(version, revision, start)| {
        URL_SAFE_NO_PAD.encode(format!("{{\"v\":{version},\"rv\":{revision},\"start\":{}}}", json!(start)))
    });
    // One that the server gave out, with something done to it.
    let own = URL_SAFE_NO_PAD.encode("{\"v\":\"meta.k8s.io/v1\",\"rv\":112,\"start\":\"a\\u0000\"}\n");
    let broken =
        (Just(own), any::<proptest::sample::Index>(), any::<u8>(), 0..4).prop_map(|(own, at, byte, how)| {
            let mut bytes = own.into_bytes();
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at),
                2 => bytes.insert(at, byte),
                _ => bytes[at] ^= 1,
            }
            bytes.iter().map(|byte| format!("%{byte:02X}")).collect()
        });
    prop_oneof![2 => made, 1 => broken]
}

/// The key of an item, less what all keys of the list begin with.
fn key_of(item: &Value, path: &str) -> String {
    let text = |key: &str| item["metadata"][key].as_str().unwrap_or_default();
    match text("namespace") {
        namespace if namespace.is_empty() || path.contains("/namespaces/") => text("name").to_owned(),
        namespace => format!("{namespace}/{}", text("name")),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_list_and_watch_has_an_answer(requests in vec((collection(), parameters()), 1..12)) {
        let cluster = populated();
        for (path, parameters) in requests {
            check_get(&cluster, &format!("{path}?{parameters}"))?;
        }
    }

    /// A token leads no further than to the collection that is asked for.
    #[test]
    fn every_token_has_an_answer(
        requests in vec((collection(), token(), one_of(&["", "limit=1", "limit=2&labelSelector=a", "resourceVersion=0"])), 1..12)
    ) {
        let cluster = populated();
        for (path, token, more) in requests.iter().filter(|(path, ..)| !path.contains("/watch/")) {
            let Some(page) = check_get(&cluster, &format!("{path}?continue={token}&{more}"))? else { continue };
            let (_, whole) = cluster.get(path);
            let sent = URL_SAFE_NO_PAD.decode(token).unwrap_or_default();
            let sent: Value = serde_json::from_slice(&sent).unwrap_or_default();
            let start = sent["start"].as_str().map(|start| start.strip_prefix('/').unwrap_or(start));
            let items = |list: &Value| list["items"].as_array().cloned().unwrap_or_default();
            prop_assert_eq!(&page["kind"], &whole["kind"]);
            for item in items(&page) {
                // No revision before the newest had an object that has gone since.
                prop_assert!(items(&whole).contains(&item), "{} is not in {}", item, path);
                let key = key_of(&item, path);
                prop_assert!(start.is_none_or(|start| key.as_str() >= start), "{} is before {:?}", key, start);
            }
            if more.is_empty() && sent["rv"].as_i64().is_some_and(|rv| rv < 0) {
                let all = items(&whole).into_iter();
                let behind = all.filter(|item| {
                    start.is_some_and(|start| key_of(item, path).as_str() >= start)
                });
                prop_assert_eq!(items(&page), behind.collect::<Vec<_>>(), "{} from {:?}", path, start);
            }
        }
    }
}
