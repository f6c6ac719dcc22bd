//! Policies that take as long as they like keep nobody waiting: while one is evaluated, nobody has the storage.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use bytes::Bytes;
use futures::FutureExt;
use http::Request;
use json_tree::{Value, json};

use crate::{ApiServer, Config, ManualClock, SeededRandom, Validation};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";

/// The server whose policies are evaluated.
static SERVER: OnceLock<ApiServer> = OnceLock::new();
/// A request by somebody else that is sent, once, while a policy is evaluated.
static MEANWHILE: Mutex<Option<(&str, Value)>> = Mutex::new(None);
/// How often policies were evaluated.
static EVALUATED: AtomicUsize = AtomicUsize::new(0);

/// Evaluates a policy: on another thread somebody sends a request meanwhile, and has the response before this is over.
fn evaluate(_: &Value) -> Value {
    EVALUATED.fetch_add(1, Ordering::Relaxed);
    let server = SERVER.get().expect("there is a server");
    // Without this, a lock that is held would be waited for, and the test would not end.
    assert!(server.shared.storage.try_lock().is_ok(), "nobody has the storage");
    let read = (format!("GET {CONFIG_MAPS}/before"), Value::Null);
    let meanwhile = MEANWHILE.lock().expect("no thread panics").take();
    for (line, body) in
        [Some(read), meanwhile.map(|(line, body)| (line.to_owned(), body))].into_iter().flatten()
    {
        let (code, answer) = thread::scope(|scope| scope.spawn(|| send(server, &line, &body)).join())
            .expect("no thread panics");
        assert_eq!(code, 200, "{line}: {answer}");
    }
    json!({ "denials": [], "annotations": [] })
}

fn send(server: &ApiServer, line: &str, body: &Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let media_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let request = Request::builder().method(method).uri(path).header("content-type", media_type);
    let request = request.body(body).expect("a request");
    let response = server.call(request).now_or_never().expect("the answer takes no time");
    let answer = serde_json::from_slice(response.body().bytes().expect("not a stream")).unwrap_or_default();
    (response.status().as_u16(), answer)
}

/// A server with a policy of each kind, which are for everything, and with objects to change.
fn start() -> ApiServer {
    let server = ApiServer::new(Config {
        first_revision: 1,
        validation: Validation { policy: evaluate, ..Validation::HERE },
        ..Config::new(Arc::new(ManualClock::default()), Arc::new(SeededRandom::new(1)))
    });
    let done = |line: &str, body: &Value| {
        let (code, answer) = send(&server, line, body);
        assert_eq!(code, 201, "{line}: {answer}");
    };
    for name in ["before", "goes", "counter"] {
        done(&format!("POST {CONFIG_MAPS}"), &json!({ "metadata": { "name": name }, "data": { "n": "0" } }));
    }
    let spec = json!({ "containers": [{ "name": "c", "image": "i" }] });
    for name in ["a", "b"] {
        done(&format!("POST {PODS}"), &json!({ "metadata": { "name": name }, "spec": spec }));
    }
    let rules =
        json!([{ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"] }]);
    let constraints = json!({ "resourceRules": rules });
    let policies = "POST /apis/admissionregistration.k8s.io/v1";
    let validations = json!([{ "expression": "true" }]);
    let validating = json!({ "matchConstraints": constraints, "validations": validations });
    let configuration = json!({ "expression": "Object{}" });
    let mutations = json!([{ "patchType": "ApplyConfiguration", "applyConfiguration": configuration }]);
    let mutating =
        json!({ "matchConstraints": constraints, "reinvocationPolicy": "Never", "mutations": mutations });
    for (kind, spec, bound) in [
        ("validating", validating, json!({ "policyName": "p", "validationActions": ["Deny"] })),
        ("mutating", mutating, json!({ "policyName": "p" })),
    ] {
        let named = |spec: &Value| json!({ "metadata": { "name": "p" }, "spec": spec });
        done(&format!("{policies}/{kind}admissionpolicies"), &named(&spec));
        done(&format!("{policies}/{kind}admissionpolicybindings"), &named(&bound));
    }
    server
}

#[test]
fn nobody_has_the_storage_while_a_policy_is_evaluated() {
    let server = SERVER.get_or_init(start);
    let check = |line: &str, body: &Value, expected: u16, times: usize| {
        EVALUATED.store(0, Ordering::Relaxed);
        let (code, answer) = send(server, line, body);
        assert_eq!((code, EVALUATED.load(Ordering::Relaxed)), (expected, times), "{line}: {answer}");
    };
    let object = |name: &str| json!({ "metadata": { "name": name }, "data": { "a": "b" } });
    // A write is looked at by the policy that may change it, and by the one that may refuse it.
    check(&format!("POST {CONFIG_MAPS}"), &object("new"), 201, 2);
    check(&format!("POST {CONFIG_MAPS}?dryRun=All"), &object("other"), 201, 2);
    check(&format!("PUT {CONFIG_MAPS}/new"), &object("new"), 200, 2);
    check(&format!("PATCH {CONFIG_MAPS}/new"), &json!({ "data": { "c": "d" } }), 200, 2);
    let binding = json!({ "metadata": { "name": "a" }, "target": { "kind": "Node", "name": "n" } });
    check(&format!("POST {PODS}/a/binding"), &binding, 201, 2);
    check(&format!("GET {PODS}/a/exec?command=ls"), &Value::Null, 404, 1);
    check(&format!("POST {PODS}/b/eviction"), &json!({ "metadata": { "name": "b" } }), 201, 2);
    check(&format!("DELETE {CONFIG_MAPS}/goes"), &Value::Null, 200, 1);
    check(&format!("DELETE {CONFIG_MAPS}?fieldSelector=metadata.name%3Dnew"), &Value::Null, 200, 1);
    // Who is overtaken meanwhile begins again, with what the other has written.
    let meanwhile = |value: &str| {
        let patch =
            ("PATCH /api/v1/namespaces/default/configmaps/counter", json!({ "data": { "n": value } }));
        *MEANWHILE.lock().expect("no thread panics") = Some(patch);
    };
    // The other's own write is looked at twice as well, and the first of ours once more.
    let before = server.inspect().served(0, usize::MAX).last().map_or(0, |record| record.id);
    meanwhile("1");
    check(&format!("PATCH {CONFIG_MAPS}/counter"), &json!({ "data": { "m": "1" } }), 200, 2 + 2 + 2);
    let ours = server.inspect().served(before, usize::MAX).pop().expect("ours is answered last");
    assert_eq!(ours.judgements.len(), 1, "nothing is left of the first attempt: {:?}", ours.judgements);
    let (_, counter) = send(server, &format!("GET {CONFIG_MAPS}/counter"), &Value::Null);
    assert_eq!(counter["data"], json!({ "m": "1", "n": "1" }));
    meanwhile("2");
    check(&format!("DELETE {CONFIG_MAPS}/counter"), &Value::Null, 200, 1 + 2 + 1);
    let (code, _) = send(server, &format!("GET {CONFIG_MAPS}/counter"), &Value::Null);
    assert_eq!(code, 404);
}
