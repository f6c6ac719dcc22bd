//! The audit log: which events a request makes, and what is in them.

use std::io;
use std::sync::{Arc, Mutex};

use apiserver::{AuditFormat, AuditLog, AuditPolicy, Body, Host, PeerAddress, ProcessInfo, Refusal, User};
use bytes::Bytes;
use http::Request;
use json_tree::{Value, json};

use crate::common::Cluster;

/// A log in memory, which takes a number of events at most.
#[derive(Clone)]
struct Log {
    events: Arc<Mutex<Vec<String>>>,
    most: usize,
}

impl AuditLog for Log {
    fn write(&self, event: &[u8]) -> io::Result<()> {
        let mut events = self.events.lock().unwrap();
        if events.len() >= self.most {
            return Err(io::Error::other("it is full"));
        }
        events.push(String::from_utf8(event.to_vec()).unwrap());
        Ok(())
    }
}

/// A cluster and its log, with a policy of these rules and a format.
struct Audited {
    cluster: Cluster,
    log: Log,
}

impl Audited {
    fn new(rules: &str) -> Self {
        Self::with(rules, AuditFormat::default(), usize::MAX)
    }

    fn with(rules: &str, format: AuditFormat, most: usize) -> Self {
        let bob = User { name: "bob".to_owned(), groups: vec!["dev".to_owned()], ..User::default() };
        let admin =
            User { name: "admin".to_owned(), groups: vec!["system:masters".to_owned()], ..User::default() };
        let tokens = vec![("bobtok".to_owned(), bob), ("admintok".to_owned(), admin)];
        let cluster = Cluster::with_tokens(Some(tokens));
        let text = format!("{{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{rules}]}}");
        let (policy, _) = AuditPolicy::parse(text.as_bytes()).unwrap();
        let log = Log { events: Arc::default(), most };
        cluster.server.set_instruments(Host::new(ProcessInfo::default));
        cluster.server.set_audit(policy, format, Box::new(log.clone()));
        Self { cluster, log }
    }

    /// Sends `METHOD PATH` with a token, and returns the response.
    fn send(&self, line: &str, token: &str, headers: &[(&str, &str)], body: &str) -> http::Response<Body> {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(path).header("audit-id", "id");
        if !token.is_empty() {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let peer = PeerAddress("127.0.0.1:4000".parse().unwrap());
        self.cluster.send(request.extension(peer).body(Bytes::from(body.to_owned())).unwrap())
    }

    /// Takes the events that have been logged.
    fn events(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.events.lock().unwrap())
    }

    /// Sends a request of the admin, and checks the stages of its events and, by pointers, members of the last one.
    #[track_caller]
    fn check(&self, line: &str, body: &Value, stages: &str, members: &[(&str, Value)]) {
        let kind =
            if line.starts_with("PATCH") { "application/merge-patch+json" } else { "application/json" };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        drop(self.send(line, "admintok", &[("content-type", kind)], &body));
        self.check_events(line, stages, members);
    }

    #[track_caller]
    fn check_events(&self, line: &str, stages: &str, members: &[(&str, Value)]) {
        let events: Vec<Value> = self.events().iter().map(|event| event.parse().unwrap()).collect();
        let found: Vec<&str> = events.iter().map(|event| event["stage"].as_str().unwrap()).collect();
        assert_eq!(found.join(" "), stages, "{line}");
        let last = events.last().unwrap_or(&Value::Null);
        for (pointer, expected) in members {
            assert_eq!(
                last.pointer(pointer).unwrap_or(&Value::Null),
                expected,
                "{line}: {pointer} of {last}"
            );
        }
    }
}

const BOTH: &str = "RequestReceived ResponseComplete";
const LONG: &str = "RequestReceived ResponseStarted ResponseComplete";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const ALL: &str = "{level: RequestResponse}";

#[test]
fn an_event_is_a_line() {
    let audited = Audited::new("{level: RequestResponse, omitManagedFields: true}");
    let body = r#"{"metadata":{"name":"a"},"data":{"k":"<v>"}}"#;
    drop(audited.send(&format!("POST {MAPS}"), "admintok", &[("user-agent", "test")], body));
    let head = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":""#;
    let who = r#"","requestURI":"/api/v1/namespaces/default/configmaps","verb":"create","user":{"username":"admin","groups":["system:masters","system:authenticated"]},"sourceIPs":["127.0.0.1"],"userAgent":"test","objectRef":{"resource":"configmaps","namespace":"default","#;
    let times = r#""requestReceivedTimestamp":"2026-01-01T00:00:00.000000Z","stageTimestamp":"2026-01-01T00:00:00.000000Z""#;
    let [received, complete] = audited.events().try_into().unwrap();
    assert_eq!(received, format!("{head}RequestReceived{who}\"apiVersion\":\"v1\"}},{times}}}\n"));
    let sent = r#""requestObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"\u003cv\u003e"}}"#;
    let (before, after) = complete.split_once(",\"responseObject\":").unwrap();
    let expected = format!(
        "{head}ResponseComplete{who}\"name\":\"a\",\"apiVersion\":\"v1\"}},\"responseStatus\":{{\"metadata\":{{}},\"code\":201}},{sent}"
    );
    assert_eq!(before, expected);
    assert!(after.starts_with(
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":""#
    ));
    assert!(!after.contains("managedFields"));
    let annotations =
        r#""annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}"#;
    assert!(after.ends_with(&format!("}},{times},{annotations}\n")), "{after}");
}

#[test]
fn each_request_has_its_events() {
    let audited = Audited::new(ALL);
    let (one, none) = (format!("{MAPS}/a"), Value::Null);
    let map = json!({ "metadata": { "name": "a", "uid": "" }, "data": { "k": "v" } });
    let sent = "/requestObject";
    audited.check(&format!("POST {MAPS}"), &map, BOTH, &[("/responseStatus/code", 201.into())]);
    let exists = [("/responseStatus/reason", "AlreadyExists".into()), ("/responseObject/code", 409.into())];
    audited.check(&format!("POST {MAPS}"), &map, BOTH, &exists);
    let patch = json!({ "data": { "k": null } });
    audited.check(&format!("PATCH {one}"), &patch, BOTH, &[(sent, patch.clone())]);
    let listed = [("/responseObject/kind", "ConfigMapList".into()), ("/objectRef/name", none.clone())];
    audited.check(&format!("GET {MAPS}"), &none, BOTH, &listed);
    let found = [("/responseObject/metadata/name", "a".into()), ("/verb", "get".into())];
    for accept in ["application/yaml", "application/vnd.kubernetes.protobuf", "application/json"] {
        drop(audited.send(&format!("GET {one}?pretty=1"), "admintok", &[("accept", accept)], ""));
        audited.check_events(accept, BOTH, &found);
    }
    let watched = [("/verb", "watch".into()), ("/responseObject", none.clone())];
    audited.check(&format!("GET {MAPS}?watch=1"), &none, LONG, &watched);
    let wrong = [("/responseStatus/code", 400.into()), (sent, none.clone())];
    audited.check(&format!("POST {MAPS}"), &json!([]), BOTH, &wrong);
    let options = json!({ "propagationPolicy": "Background" });
    let policy = ("/requestObject/propagationPolicy", "Background".into());
    let details = ("/responseStatus/details/name", "a".into());
    audited.check(&format!("DELETE {one}"), &options, BOTH, &[policy, details]);
    let missing = [("/responseStatus/reason", "NotFound".into()), ("/objectRef/name", "a".into())];
    audited.check(&format!("GET {one}"), &none, BOTH, &missing);
    let version = [("/objectRef", none.clone()), ("/responseObject", none.clone())];
    audited.check("GET /version", &none, BOTH, &version);
    let deprecated = [("/annotations/k8s.io~1deprecated", "true".into())];
    audited.check("GET /api/v1/namespaces/default/endpoints", &none, BOTH, &deprecated);
}

#[test]
fn levels_say_how_much_is_logged() {
    let of = |verb: &str, level: &str| format!("{{level: {level}, verbs: [{verb}]}}");
    let rules = [of("create", "Metadata"), of("patch", "Request"), of("get", "None")].join(",");
    let audited = Audited::new(&rules);
    let map = json!({ "metadata": { "name": "a", "resourceVersion": "" } });
    let neither =
        [("/requestObject", Value::Null), ("/responseObject", Value::Null), ("/objectRef/name", "a".into())];
    audited.check(&format!("POST {MAPS}"), &map, BOTH, &neither);
    let patch = json!({ "data": { "k": "v" } });
    let only_sent = [("/requestObject", patch.clone()), ("/responseObject", Value::Null)];
    audited.check(&format!("PATCH {MAPS}/a"), &patch, BOTH, &only_sent);
    for line in ["GET /version".to_owned(), format!("GET {MAPS}/a"), format!("DELETE {MAPS}/a")] {
        audited.check(&line, &Value::Null, "", &[]);
    }
}

#[test]
fn refused_requests_are_logged() {
    let audited = Audited::new(ALL);
    let get = format!("GET {MAPS}");
    drop(audited.send(&get, "bobtok", &[], ""));
    let decision = ("/annotations/authorization.k8s.io~1decision", "forbid".into());
    audited.check_events("403", BOTH, &[decision, ("/responseStatus/reason", "Forbidden".into())]);
    drop(audited.send(&get, "wrong", &[], ""));
    let nobody = [("/user", json!({})), ("/responseStatus/reason", "Unauthorized".into())];
    audited.check_events("401", "ResponseStarted", &nobody);
    let (head, _) =
        Request::get(MAPS).header("authorization", "Bearer bobtok").body(()).unwrap().into_parts();
    drop(audited.cluster.server.refuse(&head, Refusal::TooMany));
    let by_bob = ("/user/username", "bob".into());
    audited.check_events("429", BOTH, &[("/responseStatus/code", 429.into()), by_bob]);
    let as_jane = [("impersonate-user", "jane"), ("impersonate-group", "system:masters")];
    drop(audited.send(&get, "admintok", &as_jane, ""));
    let jane = json!({ "username": "jane", "groups": ["system:masters", "system:authenticated"] });
    audited.check_events(
        "impersonation",
        BOTH,
        &[("/impersonatedUser", jane), ("/user/username", "admin".into())],
    );
}

#[test]
fn yaml_is_no_part_of_an_event() {
    let audited = Audited::new(ALL);
    let apply = [("content-type", "application/apply-patch+yaml")];
    let line = format!("PATCH {MAPS}/a?fieldManager=m");
    drop(audited.send(&line, "admintok", &apply, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"));
    audited.check_events("YAML", "RequestReceived", &[]);
    let response = audited.send("GET /metrics", "admintok", &[], "");
    let text = String::from_utf8(response.body().bytes().unwrap().to_vec()).unwrap();
    let samples: Vec<&str> = text.lines().filter(|line| line.starts_with("apiserver_audit_")).collect();
    let expected = [
        "apiserver_audit_error_total{plugin=\"log\"} 1",
        "apiserver_audit_event_total 3",
        "apiserver_audit_level_total{level=\"RequestResponse\"} 2",
        "apiserver_audit_requests_rejected_total 0",
    ];
    assert_eq!(samples, expected);
}

#[test]
fn formats() {
    let legacy = AuditFormat { legacy: true, ..AuditFormat::default() };
    let audited = Audited::with(ALL, legacy, usize::MAX);
    drop(audited.send(&format!("GET {MAPS}/a"), "bobtok", &[("impersonate-user", "")], ""));
    let line = |stage: &str, code: &str| {
        format!(
            "2026-01-01T00:00:00Z AUDIT: id=\"id\" stage=\"{stage}\" ip=\"127.0.0.1\" method=\"get\" user=\"bob\" groups=\"\\\"dev\\\",\\\"system:authenticated\\\"\" as=\"<self>\" asgroups=\"<lookup>\" user-agent=\"\" namespace=\"default\" uri=\"{MAPS}/a\" response=\"{code}\"\n"
        )
    };
    assert_eq!(audited.events(), [line("RequestReceived", "<deferred>"), line("ResponseComplete", "403")]);
    let small = AuditFormat { most_bytes: Some(800), ..AuditFormat::default() };
    let audited = Audited::with(ALL, small, usize::MAX);
    let map = json!({ "metadata": { "name": "a" }, "data": { "k": "v".repeat(500) } });
    let truncated =
        [("/annotations/audit.k8s.io~1truncated", "true".into()), ("/requestObject", Value::Null)];
    audited.check(&format!("POST {MAPS}"), &map, BOTH, &truncated);
}

#[test]
fn a_strict_log_refuses_what_it_cannot_have() {
    let strict = AuditFormat { strict: true, ..AuditFormat::default() };
    let audited = Audited::with(ALL, strict, 2);
    let map = json!({ "metadata": { "name": "a" } }).to_string();
    let codes = ["a", "b"].map(|name| {
        audited.send(&format!("POST {MAPS}"), "admintok", &[], &map.replace('a', name)).status().as_u16()
    });
    assert_eq!(codes, [201, 500]);
    assert_eq!(audited.events().len(), 2);
}
