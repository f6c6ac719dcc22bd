//! Webhooks of clusters whose clients call them.

use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use engine::{Code, Config, Engine};
use json_tree::{Value, json};
use protocol::command::{Command, Done};
use protocol::message::{ClusterId, FromEngine, HttpRequest, Mode, ToEngine};
use protocol::webhook::{WebhookCall, WebhookOutcome};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const URL: &str = "https://hooks.example.com:8443/check";
/// The error where nothing listens at the URL.
const NOBODY: &str = "failed calling webhook \"maps.example.com\": failed to call webhook: \
                      Post \"https://hooks.example.com:8443/check?timeout=5s\": dial tcp: lookup hooks.example.com: no such host";

/// A host of an engine, with the number of its last call.
struct Host {
    engine: Engine,
    call: u64,
}

impl Host {
    /// Makes one with a configuration of a webhook for ConfigMaps.
    fn new(client: &Value) -> Self {
        let mut host =
            Self::of(Engine::new(Config { now: Duration::from_secs(1_800_000_000), ..Config::default() }));
        let rule = json!({ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"] });
        let webhook = json!({
            "name": "maps.example.com", "rules": [rule], "clientConfig": client, "sideEffects": "None",
            "admissionReviewVersions": ["v1"], "timeoutSeconds": 5,
        });
        let metadata =
            json!({ "name": "maps", "annotations": { "kubeglass.dev/function": "function review() {}" } });
        let call = host.send(
            Mode::Serve,
            ClusterId::FIRST,
            CONFIGURATIONS,
            &json!({ "metadata": metadata, "webhooks": [webhook] }),
        );
        assert_eq!(host.response(call).0, 201);
        host
    }

    fn of(engine: Engine) -> Self {
        Self { engine, call: 0 }
    }

    fn tell(&mut self, message: ToEngine) {
        self.engine.receive(message, Bytes::new());
    }

    fn send(&mut self, mode: Mode, cluster: ClusterId, uri: &str, body: &Value) -> u64 {
        self.call += 1;
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        let request = HttpRequest { method: "POST".to_owned(), uri: uri.to_owned(), headers };
        let message = ToEngine::Request { call: self.call, cluster, server: 0, mode, request };
        self.engine.receive(message, body.to_string().into());
        self.call
    }

    /// Creates a ConfigMap.
    fn create(&mut self, mode: Mode, cluster: ClusterId) -> u64 {
        self.send(mode, cluster, MAPS, &json!({ "metadata": { "name": "a" } }))
    }

    fn poll(&mut self) -> Vec<(FromEngine, Bytes)> {
        self.engine.poll(&mut Context::from_waker(Waker::noop()))
    }

    /// Returns the call of a webhook that the engine has made.
    #[track_caller]
    fn called(&mut self) -> (u64, WebhookCall, Value) {
        let told = self.poll().into_iter().find_map(|(message, payload)| match message {
            FromEngine::Webhook { webhook, call } => Some((webhook, call, payload)),
            _ => None,
        });
        let (webhook, call, review) = told.expect("a webhook is called");
        (webhook, call, serde_json::from_slice(&review).expect("a review"))
    }

    /// Answers a call by a response.
    fn answer(&mut self, webhook: u64, review: &Value, response: Value) {
        let mut response = response;
        response["uid"] = review["request"]["uid"].clone();
        let body =
            json!({ "apiVersion": review["apiVersion"], "kind": review["kind"], "response": response });
        let outcome = WebhookOutcome::Response { status: 200, content_type: "application/json".to_owned() };
        self.engine.receive(ToEngine::Webhook { webhook, outcome }, body.to_string().into());
    }

    /// Returns the response to a call, if it has come.
    fn find(&mut self, call: u64) -> Option<(u16, Value)> {
        self.poll().into_iter().find_map(|(message, body)| match message {
            FromEngine::Response { call: known, response } if known == call => {
                Some((response.status, serde_json::from_slice(&body).unwrap_or_default()))
            }
            _ => None,
        })
    }

    #[track_caller]
    fn response(&mut self, call: u64) -> (u16, Value) {
        self.find(call).expect("a response")
    }

    /// A ConfigMap cannot be created, for this reason.
    #[track_caller]
    fn check_refused(&mut self, call: u64, code: u16, message: &str) {
        let (got, status) = self.response(call);
        assert_eq!((got, status["message"].as_str()), (code, Some(message)));
    }
}

fn url() -> Value {
    json!({ "url": URL })
}

/// The response that adds a label: JSON Patch in Base64.
fn labelled() -> Value {
    // [{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]
    let patch = "W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7ImEiOiJiIn19XQ==";
    json!({ "allowed": true, "patchType": "JSONPatch", "patch": patch })
}

#[test]
fn a_client_answers_for_a_webhook() {
    let mut host = Host::new(&url());
    host.tell(ToEngine::CallWebhooks);
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let (webhook, asked, review) = host.called();
    let function = Some("function review() {}".to_owned());
    let timeout = Duration::from_secs(5);
    assert_eq!(asked, WebhookCall { url: format!("{URL}?timeout=5s"), function, timeout });
    assert_eq!((&review["kind"], &review["request"]["name"]), (&json!("AdmissionReview"), &json!("a")));
    assert!(host.find(call).is_none(), "it waits");
    host.answer(webhook, &review, labelled());
    let (code, object) = host.response(call);
    assert_eq!((code, &object["metadata"]["labels"]), (201, &json!({ "a": "b" })));
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let (webhook, _, review) = host.called();
    host.answer(
        webhook,
        &review,
        json!({ "allowed": false, "status": { "message": "not today", "code": 400 } }),
    );
    host.check_refused(call, 400, "admission webhook \"maps.example.com\" denied the request: not today");
}

#[test]
fn dry_runs_forks_and_restored_clusters_call_webhooks_too() {
    let mut host = Host::new(&url());
    host.tell(ToEngine::CallWebhooks);
    let command = Command::Fork { revision: u64::MAX, seed: 1 };
    host.tell(ToEngine::Command { call: 100, cluster: ClusterId::FIRST, command });
    let fork = host.poll().into_iter().find_map(|(message, _)| match message {
        FromEngine::Done { done: Done::Cluster(fork), .. } => Some(fork),
        _ => None,
    });
    for (mode, cluster) in [(Mode::DryRun, ClusterId::FIRST), (Mode::Serve, fork.expect("a fork"))] {
        let call = host.create(mode, cluster);
        let (webhook, _, review) = host.called();
        assert_eq!(review["request"]["dryRun"], mode == Mode::DryRun);
        host.answer(webhook, &review, labelled());
        let (code, object) = host.response(call);
        assert_eq!((code, &object["metadata"]["labels"]), (201, &json!({ "a": "b" })), "{mode:?}");
    }
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    assert!(host.find(call).is_none(), "nothing of that has happened in the cluster itself");
}

#[test]
fn where_nothing_listens_a_webhook_fails() {
    let mut host = Host::new(&url());
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    host.check_refused(call, 500, &["Internal error occurred: ", NOBODY].concat());
    // A client knows of nothing there.
    host.tell(ToEngine::CallWebhooks);
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let (webhook, ..) = host.called();
    host.tell(ToEngine::Webhook { webhook, outcome: WebhookOutcome::Unreachable });
    host.check_refused(call, 500, &["Internal error occurred: ", NOBODY].concat());
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let (webhook, ..) = host.called();
    host.tell(ToEngine::Webhook { webhook, outcome: WebhookOutcome::Failed("EOF".to_owned()) });
    let failed = "Internal error occurred: failed calling webhook \"maps.example.com\": failed to call webhook: Post \
                  \"https://hooks.example.com:8443/check?timeout=5s\": EOF";
    host.check_refused(call, 500, failed);
    let service = json!({ "service": { "namespace": "default", "name": "hooks" } });
    let mut host = Host::new(&service);
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let failed = "Internal error occurred: failed calling webhook \"maps.example.com\": failed to call webhook: Post \
                  \"https://hooks.default.svc:443/?timeout=5s\": service \"hooks\" not found";
    host.check_refused(call, 500, failed);
    let service = json!({ "service": { "namespace": "default", "name": "kubernetes", "path": "/x" } });
    let mut host = Host::new(&service);
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let (code, status) = host.response(call);
    assert_eq!(code, 500, "{status}");
    assert!(
        status["message"].as_str().is_some_and(|why| why.ends_with("connect: connection refused")),
        "{status}"
    );
}

#[test]
fn a_webhook_that_takes_too_long_fails() {
    let mut host = Host::new(&url());
    host.tell(ToEngine::CallWebhooks);
    let call = host.create(Mode::Serve, ClusterId::FIRST);
    let (webhook, _, review) = host.called();
    host.engine.elapse(Duration::from_millis(5_999));
    assert!(host.find(call).is_none(), "there is time left");
    host.engine.elapse(Duration::from_millis(1));
    let failed = "Internal error occurred: failed calling webhook \"maps.example.com\": failed to call webhook: Post \
                  \"https://hooks.example.com:8443/check?timeout=5s\": context deadline exceeded";
    host.check_refused(call, 500, failed);
    host.answer(webhook, &review, labelled());
    assert_eq!(host.poll(), [], "who comes too late is not heard");
}

#[test]
fn of_several_clients_the_last_one_is_asked_that_is_there() {
    let mut first = Host::new(&url());
    first.tell(ToEngine::CallWebhooks);
    let joined = Engine::join(first.engine.share().expect("a cluster"), Code::WHOLE, None);
    let mut second = Host::of(joined);
    second.tell(ToEngine::CallWebhooks);
    let call = first.create(Mode::Serve, ClusterId::FIRST);
    assert!(first.find(call).is_none());
    let (webhook, _, review) = second.called();
    second.answer(webhook, &review, labelled());
    assert_eq!(first.response(call).0, 201);
    let call = first.send(Mode::Serve, ClusterId::FIRST, MAPS, &json!({ "metadata": { "name": "b" } }));
    first.poll();
    second.called();
    drop(second);
    first.check_refused(call, 500, &["Internal error occurred: ", NOBODY].concat());
    let call = first.send(Mode::Serve, ClusterId::FIRST, MAPS, &json!({ "metadata": { "name": "b" } }));
    let (webhook, _, review) = first.called();
    first.answer(webhook, &review, labelled());
    assert_eq!(first.response(call).0, 201);
}
