//! Failures that the embedded cluster answers with, the rules that explain them, and the buttons that recover.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use json_tree::{Value, json};
use protocol::trace::Fault;

use crate::cluster::embedded::in_process::InProcess;
use crate::cluster::status::{self, Status};
use crate::cluster::{Body, Request, Transport, Which};
use crate::model::watch::Event;
use crate::model::why::action::Action;
use crate::model::why::failure::Failure;
use crate::model::why::rules::explain;

const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";
const SETTINGS: &str = "/api/v1/namespaces/default/configmaps/settings";

/// A cluster to fail in.
struct Scene(InProcess);

impl Scene {
    /// A cluster with two ConfigMaps.
    fn new() -> Self {
        let scene = Self(InProcess::new(Duration::from_secs(1_800_000_000), 1));
        for name in ["settings", "other"] {
            let body = json!({"metadata": {"name": name}, "data": {"theme": "quiet"}});
            scene.succeed(&Request::json("POST", CONFIGMAPS, &body.to_string()));
        }
        scene
    }

    /// Sends a request; of a stream the first event's object counts.
    fn send(&self, request: &Request) -> (u16, Vec<u8>, bool) {
        let mut answer = self.0.send(request.clone());
        let answer = loop {
            match (&mut answer).now_or_never() {
                Some(answer) => break answer,
                // It waits for time to pass, and nobody else lets it.
                None => self.0.clock.advance(Duration::from_secs(1)),
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => return (0, why.into_bytes(), false),
        };
        match answer.body {
            Body::Bytes(bytes) => (answer.status, bytes.to_vec(), false),
            Body::Stream(mut stream) => {
                let first = stream.next().now_or_never().flatten();
                let first = first.map(|chunk| chunk.unwrap().to_vec());
                (answer.status, first.unwrap_or_default(), true)
            }
        }
    }

    #[track_caller]
    fn succeed(&self, request: &Request) -> Value {
        let (code, body, _) = self.send(request);
        assert!((200..300).contains(&code), "{request:?}: {code} {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap_or_default()
    }

    #[track_caller]
    fn fail(&self, request: &Request) -> Failure {
        let (code, body, streams) = self.send(request);
        let status = if streams {
            *Event::read(body, 0.0).and_then(|event| event.status).expect("an ERROR")
        } else if code == 0 {
            Status::plain(0, String::from_utf8(body).unwrap())
        } else {
            assert!(code >= 400, "{request:?}: {code}");
            status::failure(&body)
                .unwrap_or_else(|| Status::plain(code, String::from_utf8_lossy(&body).into_owned()))
        };
        let mut failure = Failure { event: streams, ..Failure::new(Which::ThisTab, request.clone(), status) };
        self.0.glass(|glass| failure.look(glass));
        failure
    }

    /// `request` fails by the rule `id` with these versions at play, and `action` recovers.
    #[track_caller]
    fn check(&self, request: &Request, id: &str, plays: &[&str], action: Option<Action>) {
        let failure = self.fail(request);
        let explanation = explain(&failure);
        let told: Vec<String> =
            explanation.plays.iter().map(|(revision, label)| format!("{label} {revision}")).collect();
        assert_eq!(
            (explanation.rule.id, told),
            (id, plays.iter().map(|&play| play.to_owned()).collect()),
            "{failure:?}"
        );
        let Some(action) = action else { return };
        assert!(explanation.actions.contains(&action), "{id}: {:?}", explanation.actions);
        assert!(!action.label(&failure).is_empty());
        self.recover(&failure, action);
    }

    #[track_caller]
    fn recover(&self, failure: &Failure, action: Action) {
        let mut answers = Vec::new();
        while let Some(request) = action.next(failure, &answers) {
            answers.push(self.succeed(&request));
        }
        assert!(!answers.is_empty(), "{action:?} does nothing");
        assert!(answers.iter().all(|answer| answer["type"] != "ERROR"), "{answers:?}");
    }
}

fn put(body: &Value) -> Request {
    Request::json("PUT", SETTINGS, &body.to_string())
}

fn settings(version: &str) -> Value {
    json!({"metadata": {"name": "settings", "resourceVersion": version}, "data": {"theme": "mine"}})
}

fn typed(method: &str, target: &str, media: &str, body: &str) -> Request {
    let mut request = Request::json(method, target, body);
    request.headers.retain(|(name, _)| name != "Content-Type");
    request.headers.push(("Content-Type".to_owned(), media.to_owned()));
    request
}

#[test]
fn conflicts() {
    let scene = Scene::new();
    let first = scene.succeed(&Request::get(SETTINGS));
    let old = first["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    scene.succeed(&put(&settings("")));
    let now =
        scene.succeed(&Request::get(SETTINGS))["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let plays = [format!("asked {old}"), format!("object is at {now}")];
    let plays: Vec<&str> = plays.iter().map(String::as_str).collect();
    scene.check(&put(&settings(&old)), "stale", &plays, Some(Action::Rebase));
    let object = |scene: &Scene| {
        let read = scene.succeed(&Request::get(SETTINGS));
        format!("object is at {}", read["metadata"]["resourceVersion"].as_str().unwrap())
    };
    let at = object(&scene);
    let same_name = json!({"metadata": {"name": "settings"}});
    let post = Request::json("POST", CONFIGMAPS, &same_name.to_string());
    scene.check(&post, "exists", &[&at], Some(Action::SendToObject));
    let at = object(&scene);
    let other_uid = json!({"metadata": {"name": "settings", "uid": "no-such-uid"}});
    scene.check(&put(&other_uid), "precondition", &[&at], Some(Action::Rebase));
    let at = object(&scene);
    let delete =
        json!({"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"resourceVersion": "1"}});
    let delete = Request::json("DELETE", SETTINGS, &delete.to_string());
    scene.check(&delete, "precondition", &["asked 1", &at], Some(Action::Rebase));
    scene.check(&put(&settings("")), "no-object", &[], Some(Action::CreateInstead));
}

#[test]
fn the_same_change_is_made_again() {
    let scene = Scene::new();
    let mine = scene.succeed(&Request::get(SETTINGS));
    let mut theirs = mine.clone();
    theirs["data"] = json!({"theme": "loud", "size": "1"});
    scene.succeed(&put(&theirs));
    let mut mine = mine;
    mine["data"]["colour"] = "blue".into();
    scene.recover(&scene.fail(&put(&mine)), Action::Reapply);
    let object = scene.succeed(&Request::get(SETTINGS));
    assert_eq!(object["data"], json!({"theme": "loud", "size": "1", "colour": "blue"}));
    // What has been compacted cannot be compared with.
    let mut failure = scene.fail(&put(&mine));
    failure.base = None;
    assert!(!Action::Reapply.is_possible(&failure));
}

#[test]
fn applying() {
    let apply = |manager: &str, theme: &str| {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"},
            "data": {"theme": theme, manager: "mine"}});
        let target = format!("{CONFIGMAPS}/applied?fieldManager={manager}");
        typed("PATCH", &target, "application/apply-patch+yaml", &body.to_string())
    };
    for action in [Action::LeaveOut, Action::Force, Action::Share] {
        let scene = Scene::new();
        let object = scene.succeed(&apply("alice", "quiet"));
        let at = format!("object is at {}", object["metadata"]["resourceVersion"].as_str().unwrap());
        scene.check(&apply("bob", "loud"), "apply-conflict", &[&at], Some(action));
        let object = scene.succeed(&Request::get(&format!("{CONFIGMAPS}/applied")));
        assert_eq!(object["data"]["theme"], if action == Action::Force { "loud" } else { "quiet" });
        let entries = object["metadata"]["managedFields"].as_array().unwrap();
        let owners = entries.iter().filter(|entry| entry.pointer("/fieldsV1/f:data/f:theme").is_some());
        let owners: Vec<&str> = owners.map(|entry| entry["manager"].as_str().unwrap()).collect();
        let expected: &[&str] = match action {
            Action::Share => &["alice", "bob"],
            Action::Force => &["bob"],
            _ => &["alice"],
        };
        assert_eq!(owners, expected, "{action:?}");
    }
}

#[test]
fn what_is_not_there() {
    let scene = Scene::new();
    let body = json!({"metadata": {"name": "a"}}).to_string();
    scene.check(
        &Request::json("POST", "/api/v1/namespaces/nowhere/configmaps", &body),
        "no-namespace",
        &[],
        Some(Action::CreateNamespace),
    );
    scene.check(&Request::get(&format!("{CONFIGMAPS}/none")), "no-object", &[], Some(Action::ListThere));
    for path in [
        "/apis/apps/v1beta1/namespaces/default/deployments",
        "/api/v1/namespaces/default/configmap",
        "/api/v1/namespaces/default/cm/settings",
        "/api/v1/configmaps/settings",
        "/api/v1/namespaces/default/deployments",
    ] {
        scene.check(&Request::get(path), "elsewhere", &[], Some(Action::SendElsewhere));
    }
    scene.check(&Request::get("/no/such/path"), "no-path", &[], None);
    scene.check(&Request::get("/apis/example.com/v1/widgets"), "no-path", &[], None);
    let mut failure = scene.fail(&Request::get(&format!("{CONFIGMAPS}/none")));
    failure.born = Some(10299);
    let explanation = explain(&failure);
    assert_eq!((explanation.rule.id, explanation.plays[1]), ("not-yet", (10299, "created at")));
    failure.gone = Some(10250);
    let explanation = explain(&failure);
    assert_eq!((explanation.rule.id, explanation.plays[0]), ("deleted", (10250, "deleted at")));
}

#[test]
fn methods_and_media_types() {
    let scene = Scene::new();
    let own = json!({"metadata": {"name": "other"}}).to_string();
    scene.check(&Request::json("PUT", CONFIGMAPS, &own), "method", &[], Some(Action::SendToObject));
    let new = json!({"metadata": {"name": "new"}}).to_string();
    let path = format!("{CONFIGMAPS}/new");
    scene.check(&Request::json("POST", &path, &new), "method", &[], Some(Action::SendToCollection));
    let mut xml = Request::get(SETTINGS);
    xml.headers = vec![("Accept".to_owned(), "text/xml".to_owned())];
    scene.check(&xml, "not-acceptable", &[], Some(Action::AcceptJson));
    let patch = r#"{"data":{"theme":"x"}}"#;
    scene.check(&Request::json("PATCH", SETTINGS, patch), "media-type", &[], Some(Action::SendAs));
    let post = typed("POST", CONFIGMAPS, "text/plain", &new.replace("new", "newer"));
    scene.check(&post, "media-type", &[], Some(Action::SendAs));
    let large = json!({"metadata": {"name": "a"}, "data": {"a": "x".repeat(3 << 20)}}).to_string();
    let explanation = explain(&scene.fail(&Request::json("POST", CONFIGMAPS, &large)));
    assert_eq!((explanation.rule.id, explanation.actions), ("too-large", vec![Action::Edit]));
}

#[test]
fn what_cannot_be_read() {
    let scene = Scene::new();
    scene.check(&put(&json!({"metadata": {"name": "x"}})), "name-mismatch", &[], Some(Action::TakeName));
    let elsewhere = json!({"metadata": {"name": "settings", "namespace": "kube-system"}});
    scene.check(&put(&elsewhere), "namespace-mismatch", &[], Some(Action::TakeNamespace));
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "settings"}});
    scene.check(&put(&secret), "kind-mismatch", &[], Some(Action::TakeKind));
    let other_version = json!({"apiVersion": "v2", "kind": "ConfigMap", "metadata": {"name": "settings"}});
    scene.check(&put(&other_version), "kind-mismatch", &[], Some(Action::TakeKind));
    let strict = json!({"metadata": {"name": "settings"}, "colour": "red"}).to_string();
    let strict = Request::json("PUT", &format!("{SETTINGS}?fieldValidation=Strict"), &strict);
    scene.check(&strict, "strict", &[], Some(Action::WithoutStrict));
    for body in ["{", "[]", r#"{"data": 1}"#, "nonsense"] {
        let explanation = explain(&scene.fail(&Request::json("POST", CONFIGMAPS, body)));
        assert_eq!(
            (explanation.rule.id, explanation.actions),
            ("body-unreadable", vec![Action::Edit]),
            "{body}"
        );
    }
    let head = scene.0.server.inspect().overview().revision;
    let newest = format!("newest {head}");
    let list = |query: &str| Request::get(&format!("{CONFIGMAPS}?{query}"));
    scene.check(&list("resourceVersion=abc"), "version-unreadable", &[&newest], Some(Action::WithoutVersion));
    scene.check(&list("continue=abc"), "continue-broken", &[], Some(Action::WithoutContinue));
    let options = list("resourceVersionMatch=Exact");
    scene.check(&options, "options", &[], Some(Action::WithoutNamed));
    let options = list("watch=true&sendInitialEvents=true");
    scene.check(&options, "options", &[], Some(Action::WithoutNamed));
    let invalid = json!({"metadata": {"name": "Not A Name"}}).to_string();
    let explanation = explain(&scene.fail(&Request::json("POST", CONFIGMAPS, &invalid)));
    assert_eq!((explanation.rule.id, explanation.actions), ("invalid", vec![Action::Edit]));
    let explanation = explain(&scene.fail(&list("limit=abc")));
    assert_eq!((explanation.rule.id, explanation.actions), ("bad-request", vec![]));
    let versioned = json!({"metadata": {"name": "brand-new", "resourceVersion": "7"}}).to_string();
    let create = Request::json("POST", CONFIGMAPS, &versioned);
    scene.check(&create, "on-create", &["asked 7"], Some(Action::WithoutBodyVersion));
}

#[test]
fn versions_that_are_gone_or_still_to_come() {
    let scene = Scene::new();
    let inspect = scene.0.server.inspect();
    let page = scene.succeed(&Request::get(&format!("{CONFIGMAPS}?limit=1")));
    let token = page["metadata"]["continue"].as_str().unwrap().to_owned();
    let read = inspect.overview().revision;
    for n in 0..5 {
        scene.succeed(&put(&json!({"metadata": {"name": "settings"}, "data": {"n": n.to_string()}})));
    }
    let (head, floor) = (read + 5, read + 3);
    inspect.compact(floor);
    inspect.forget(floor);
    let (asked, at_floor, newest) =
        ("asked 10246".to_owned(), format!("floor {floor}"), format!("newest {head}"));
    let list = |query: &str| Request::get(&format!("{CONFIGMAPS}?{query}"));
    let exact = list("resourceVersion=10246&resourceVersionMatch=Exact");
    scene.check(&exact, "list-expired", &[&asked, &at_floor, &newest], Some(Action::WithoutVersion));
    let next = list(&format!("limit=1&continue={token}"));
    let reads = format!("token reads at {read}");
    for action in [Action::GoOnFresh, Action::WithoutContinue] {
        scene.check(&next, "continue-expired", &[&reads, &at_floor, &newest], Some(action));
    }
    let both = list(&format!("limit=1&continue={token}&resourceVersion=10246"));
    let failure = scene.fail(&both);
    assert_eq!(explain(&failure).rule.id, "continue-with-version");
    let watch = list("watch=true&resourceVersion=10246&allowWatchBookmarks=true");
    let failure = scene.fail(&watch);
    let explanation = explain(&failure);
    assert_eq!((explanation.rule.id, failure.event), ("watch-expired", true));
    assert_eq!(explanation.plays[0], (10246, "asked"));
    assert!(explanation.plays.contains(&(floor, "floor")), "{:?}", explanation.plays);
    scene.recover(&failure, Action::ListAndWatch);
    let resumed =
        Action::ListAndWatch.next(&failure, &[json!({"metadata": {"resourceVersion": "9"}})]).unwrap();
    assert_eq!(resumed.target, format!("{CONFIGMAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=9"));
    let future = list(&format!("resourceVersion={}&resourceVersionMatch=Exact", head + 100));
    let asked = format!("asked {}", head + 100);
    scene.check(&future, "future", &[&asked, &newest], Some(Action::WithoutVersion));
}

#[test]
fn faults() {
    let scene = Scene::new();
    let inspect = scene.0.server.inspect();
    for (fault, id, action) in [
        (Fault::TooManyRequests, "too-many", Action::Wait),
        (Fault::InternalError, "internal", Action::Again),
        (Fault::Unavailable, "unavailable", Action::Wait),
        (Fault::Cut, "cut", Action::Again),
    ] {
        inspect.fail_next(1, fault);
        scene.check(&Request::get(CONFIGMAPS), id, &[], Some(action));
    }
    inspect.fail_next(1, Fault::Conflict);
    let failure = scene.fail(&put(&settings("")));
    assert_eq!(explain(&failure).rule.id, "stale");
    scene.recover(&failure, Action::Rebase);
    let failure = scene.fail(&Request::get("not a path"));
    assert_eq!(explain(&failure).rule.id, "unsendable");
}

#[test]
fn finalizers() {
    let scene = Scene::new();
    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/keep"]}}).to_string();
    scene.succeed(&Request::json("POST", CONFIGMAPS, &held));
    let path = format!("{CONFIGMAPS}/held");
    let delete = Request { method: "DELETE".to_owned(), ..Request::get(&path) };
    scene.succeed(&delete);
    let failure = Failure::new(Which::ThisTab, delete, Status::plain(200, String::new()));
    assert_eq!(explain(&failure).rule.id, "finalizers");
    scene.recover(&failure, Action::WithoutFinalizers);
    assert_eq!(scene.send(&Request::get(&path)).0, 404);
}

/// Checks failures that other clusters return, but the embedded cluster does not.
#[test]
fn other_clusters() {
    #[track_caller]
    fn check(code: u16, reason: &str, message: &str, id: &str, first: Option<Action>) {
        let mut status = Status::plain(code, message.to_owned());
        status.reason = reason.to_owned();
        let failure = Failure::new(Which::Remote, Request::get(CONFIGMAPS), status);
        let explanation = explain(&failure);
        assert_eq!((explanation.rule.id, explanation.actions.first().copied()), (id, first));
    }
    check(0, "", "failed to fetch", "unreachable", Some(Action::Again));
    check(502, "", "bad gateway", "unreachable", Some(Action::Again));
    check(401, "Unauthorized", "Unauthorized", "unauthorized", Some(Action::Again));
    check(403, "Forbidden", "pods is forbidden: User \"a\" cannot list resource", "forbidden", None);
    check(403, "Forbidden", "x because it is being terminated", "terminating", None);
    check(403, "Forbidden", "pods \"a\" is forbidden: exceeded quota: q", "quota", None);
    check(403, "Forbidden", "denied by policy", "admission", None);
    check(
        429,
        "TooManyRequests",
        "would violate the pod's disruption budget.",
        "eviction",
        Some(Action::Wait),
    );
    check(504, "Timeout", "request did not complete", "timeout", Some(Action::Again));
    check(418, "", "teapot", "unknown", Some(Action::Again));
}

#[test]
fn webhooks() {
    let scene = Scene::new();
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
    let webhook = json!({
        "name": "a.example.com", "rules": [rule], "clientConfig": {"url": "https://a.example.com"}, "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    });
    let configuration = json!({"metadata": {"name": "a"}, "webhooks": [webhook]});
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    scene.succeed(&Request::json("POST", path, &configuration.to_string()));
    let create = Request::json("POST", CONFIGMAPS, r#"{"metadata": {"name": "b"}}"#);
    scene.check(&create, "webhook-failed", &[], None);
    let check = |message: &str, id: &str| {
        let status = Status::plain(400, ["admission webhook \"a.example.com\" ", message].concat());
        assert_eq!(explain(&Failure::new(Which::ThisTab, create.clone(), status)).rule.id, id, "{message}");
    };
    check("denied the request: no", "webhook-denied");
    check("denied the request without explanation", "webhook-denied");
    check("does not support dry run", "bad-request");
}
