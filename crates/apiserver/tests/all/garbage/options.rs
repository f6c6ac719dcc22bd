//! The parameters of lists and watches that kube-apiserver refuses, and its error messages.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use json_tree::{Value, json};

use super::{is_status, populated};

/// Invalid parameters are refused; of two invalid ones the error is about the one that is validated first.
#[test]
fn what_is_wrong_with_parameters() {
    let cluster = populated();
    let check = |query: &str, code: u16, message: &str| {
        let (found, body) = cluster.get(&format!("/api/v1/{query}"));
        assert_eq!((found, body["message"].as_str().unwrap_or_default()), (code, message), "{query}");
        assert!(is_status(&body, code), "{body}");
    };
    let token = |json: &str| URL_SAFE_NO_PAD.encode(json);
    let good = token("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"a\"}");
    for watch in ["", "watch=1&", "watch=0&"] {
        let list = format!("configmaps?{watch}");
        let with = |query: &str| format!("{list}{query}");
        for key in ["timeoutSeconds", "limit"] {
            for (sent, shown, why) in [
                ("", "", "invalid syntax"),
                ("abc", "abc", "invalid syntax"),
                ("1.5", "1.5", "invalid syntax"),
                ("%201", " 1", "invalid syntax"),
                ("9223372036854775808", "9223372036854775808", "value out of range"),
                ("-9223372036854775809", "-9223372036854775809", "value out of range"),
            ] {
                let message = format!("strconv.ParseInt: parsing \"{shown}\": {why}");
                check(&with(&format!("{key}={sent}")), 400, &message);
            }
        }
        let seconds = "strconv.ParseInt: parsing \"s\": invalid syntax";
        check(&with("limit=l&timeoutSeconds=s"), 400, seconds);
        check(&with("labelSelector=!&limit=1&timeoutSeconds=s&resourceVersion=x"), 400, seconds);
        let label = "unable to parse requirement: found '', expected: identifier";
        check(&with("fieldSelector=f&labelSelector=!"), 400, label);
        check(
            &with("fieldSelector=f&resourceVersionMatch=F"),
            400,
            "invalid selector: 'f'; can't understand 'f'",
        );
    }
    let invalid = "ListOptions.meta.k8s.io \"\" is invalid: ";
    let initial = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list";
    check("configmaps?sendInitialEvents=1&fieldSelector=x%3Dy", 422, &format!("{invalid}{initial}"));
    check("watch/configmaps?sendInitialEvents=0", 422, &format!("{invalid}{initial}"));
    let unknown = "\"x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    for query in [
        "fieldSelector=x%3Dy&continue=!",
        "fieldSelector=x%3Dy&resourceVersion=x",
        "watch=1&fieldSelector=x%3Dy",
    ] {
        check(&format!("configmaps?{query}"), 400, unknown);
    }
    let another = "fieldSelector metadata.name doesn't match requested name";
    check(
        "watch/namespaces/default/configmaps/a?fieldSelector=metadata.name!%3Da&resourceVersion=x",
        400,
        another,
    );

    for (sent, why) in [
        ("abc", "parsing \"abc\": invalid syntax"),
        ("-1", "parsing \"-1\": invalid syntax"),
        ("%2B1", "parsing \"+1\": invalid syntax"),
        ("18446744073709551616", "parsing \"18446744073709551616\": value out of range"),
    ] {
        let shown = sent.replace("%2B", "+");
        let message = format!("resourceVersion: Invalid value: \"{shown}\": strconv.ParseUint: {why}");
        for query in ["", "limit=1&", "watch=0&", "resourceVersionMatch=Exact&"] {
            check(
                &format!("configmaps?{query}resourceVersion={sent}"),
                400,
                &format!("invalid resource version: {message}"),
            );
        }
        for query in ["configmaps?watch=1&", "watch/configmaps?", "namespaces/default/configmaps/a?"] {
            check(&format!("{query}resourceVersion={sent}"), 500, &message);
        }
        let why = "specifying resource version is not allowed when using continue";
        check(&format!("configmaps?continue={good}&resourceVersion={sent}"), 400, why);
    }
    let key = |why: &str| format!("invalid continue token: continue key is not valid: {why}");
    for (sent, why) in [
        ("!".to_owned(), "illegal base64 data at input byte 0"),
        ("YQ%3D%3D".to_owned(), "illegal base64 data at input byte 2"),
        ("YQ%2B".to_owned(), "illegal base64 data at input byte 2"),
        ("a".to_owned(), "illegal base64 data at input byte 0"),
        (token("{"), "unexpected end of JSON input"),
        (token("null"), "server does not recognize this encoded version "),
        (token("\"a\""), "json: cannot unmarshal string into Go value of type storage.continueToken"),
        (
            token("{\"v\":\"meta.k8s.io/v1\",\"rv\":9223372036854775808}"),
            "json: cannot unmarshal number 9223372036854775808 into Go struct field continueToken.rv of type int64",
        ),
        (
            token("{\"v\":\"meta.k8s.io/v1\",\"rv\":0,\"start\":\"\"}"),
            "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ),
        (token("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"a/\"}"), "a/"),
    ] {
        // A token is looked at before the version that must not stand beside it.
        for query in ["", "&resourceVersion=5", "&limit=0"] {
            check(&format!("configmaps?continue={sent}{query}"), 400, &key(why));
        }
    }
}

/// The parameters of a list or a watch, as far as they exclude each other.
struct Sent {
    watch: bool,
    matching: &'static str,
    version: &'static str,
    token: &'static str,
    initial: bool,
}

/// An error about two parameters: its text, and when it is.
type Rule = (&'static str, fn(&Sent) -> bool);

const OF_LISTS: &[Rule] = &[
    (
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        |sent| !sent.matching.is_empty() && sent.version.is_empty(),
    ),
    (
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
        |sent| !sent.matching.is_empty() && !sent.token.is_empty(),
    ),
    (
        "resourceVersionMatch: Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
        |sent| sent.matching == "Foo",
    ),
    (
        "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        |sent| sent.matching == "Exact" && sent.version == "0",
    ),
    ("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list", |sent| sent.initial),
];

const OF_WATCHES: &[Rule] = &[
    (
        "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        |sent| sent.initial && sent.matching != "NotOlderThan",
    ),
    (
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        |sent| !sent.initial && !sent.matching.is_empty(),
    ),
    ("resourceVersionMatch: Unsupported value: \"Foo\": supported values: \"NotOlderThan\"", |sent| {
        sent.matching == "Foo"
    }),
    ("resourceVersionMatch: Unsupported value: \"Exact\": supported values: \"NotOlderThan\"", |sent| {
        sent.matching == "Exact"
    }),
    (
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
        |sent| {
            // A watch from no version or any is one that begins with the state, and is not older than nothing.
            let implied = !sent.initial && sent.matching.is_empty() && ["", "0"].contains(&sent.version);
            !sent.token.is_empty() && (implied || !sent.matching.is_empty())
        },
    ),
];

impl Sent {
    fn query(&self, initial: &str) -> String {
        let mut query = format!("/api/v1/configmaps?watch={}", u8::from(self.watch));
        for (key, value) in [
            ("resourceVersionMatch", self.matching),
            ("resourceVersion", self.version),
            ("continue", self.token),
        ] {
            if !value.is_empty() {
                query.push_str(&format!("&{key}={value}"));
            }
        }
        query + initial
    }
}

/// Every combination of the parameters that exclude each other.
#[test]
fn what_parameters_exclude_each_other() {
    let cluster = populated();
    let mut sent = Vec::new();
    for watch in [false, true] {
        for matching in ["", "Exact", "NotOlderThan", "Foo"] {
            for version in ["", "0", "105"] {
                for token in ["", "x"] {
                    for initial in
                        ["", "&sendInitialEvents", "&sendInitialEvents=false", "&sendInitialEvents=1"]
                    {
                        sent.push((
                            Sent { watch, matching, version, token, initial: !initial.is_empty() },
                            initial,
                        ));
                    }
                }
            }
        }
    }
    for (sent, initial) in sent {
        let rules = if sent.watch { OF_WATCHES } else { OF_LISTS };
        let errors: Vec<&str> = rules.iter().filter(|(_, is)| is(&sent)).map(|(text, _)| *text).collect();
        let query = sent.query(initial);
        let response = cluster.request(&format!("GET {query}"), "");
        if errors.is_empty() {
            assert_ne!(response.status(), 422, "{query}");
            continue;
        }
        let (code, body) = crate::common::read(&response);
        let list = if let [one] = errors[..] { one.to_owned() } else { format!("[{}]", errors.join(", ")) };
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {list}");
        assert_eq!((code, body["message"].as_str()), (422, Some(message.as_str())), "{query}");
        let causes = errors.iter().map(|text| {
            let (field, why) = text.split_once(": ").unwrap_or_default();
            let forbidden = why.starts_with("Forbidden");
            let reason = if forbidden { "FieldValueForbidden" } else { "FieldValueNotSupported" };
            json!({ "reason": reason, "message": why, "field": field })
        });
        let causes: Vec<Value> = causes.collect();
        let details = json!({ "group": "meta.k8s.io", "kind": "ListOptions", "causes": causes });
        assert_eq!(body["details"], details, "{query}");
    }
}
