//! Admission webhooks over real sockets: whom they are asked about, what becomes of their verdicts, and how they fail.

mod common;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use common::hooks::{self, send};
use common::{raw, start_with};
use golang::base64::encode;
use json_tree::{Value, json};
use serve::{Options, ServiceAddress};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const VALIDATING: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// The verdict of a webhook at a path about a request, but for the uid.
type Judge = fn(&str, &Value) -> Value;

/// Webhooks that listen, and what they were asked.
struct Webhooks {
    address: SocketAddr,
    ca: String,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Webhooks {
    /// Starts webhooks that judge so.
    async fn start(judge: Judge) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&asked);
        let (address, ca) = hooks::listen(move |path, review| {
            let request = &review["request"];
            let mut response = judge(path, request);
            response["uid"] = request["uid"].clone();
            notes.lock().unwrap().push((path.to_owned(), request.clone()));
            json!({"kind": "AdmissionReview", "apiVersion": review["apiVersion"], "response": response})
        })
        .await;
        Self { address, ca, asked }
    }

    /// A webhook of a name, for writes of ConfigMaps, with more of its own.
    fn hook(&self, name: &str, more: Value) -> Value {
        let mut hook = json!({
            "name": name,
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": {"url": format!("https://{}/{name}", self.address), "caBundle": encode(&self.ca)},
            "rules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                "operations": ["CREATE", "UPDATE", "DELETE"],
            }],
        });
        if let (Some(hook), Value::Object(more)) = (hook.as_object_mut(), more) {
            hook.extend(more);
        }
        hook
    }

    /// Returns the paths and operations of what was asked since the last time.
    fn asked(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        asked
            .iter()
            .map(|(path, request)| format!("{} {}", &path[1..], text(&request["operation"])))
            .collect()
    }
}

/// Makes a configuration of these webhooks.
async fn configure(address: SocketAddr, path: &str, name: &str, hooks: Vec<Value>) {
    let configuration = json!({"metadata": {"name": name}, "webhooks": hooks});
    let (code, body, _) = send(address, &format!("POST {path} {configuration}")).await;
    assert_eq!(code, 201, "{body}");
}

/// Creates a ConfigMap with this data; returns the status and the message, or the labels of what was created.
async fn create(address: SocketAddr, name: &str, data: &str) -> (u16, String) {
    let line = format!("POST {MAPS} {{\"metadata\": {{\"name\": \"{name}\"}}, \"data\": {{{data}}}}}");
    let (code, body, _) = send(address, &line).await;
    let text = if code < 300 {
        body["metadata"]["labels"].to_string()
    } else {
        body["message"].as_str().unwrap_or_default().to_owned()
    };
    (code, text)
}

/// Labels an object, and refuses what says so.
fn judge(path: &str, request: &Value) -> Value {
    let object = &request["object"];
    let data = |key: &str| object["data"][key].as_str().unwrap_or_default().to_owned();
    let patch =
        |patch: Value| json!({"allowed": true, "patchType": "JSONPatch", "patch": encode(patch.to_string())});
    let labels = &object["metadata"]["labels"];
    match path {
        "/label.a.io" if request["operation"] != "DELETE" => {
            let count = labels["count"].as_str().map_or(0, |count| count.parse::<u32>().unwrap());
            patch(json!([
                {"op": "add", "path": "/metadata/labels", "value": {"count": (count + 1).to_string(), "last": labels["last"]}},
            ]))
        }
        "/last.b.io" if labels["last"] != "b" && request["operation"] != "DELETE" => {
            patch(json!([{"op": "add", "path": "/metadata/labels/last", "value": "b"}]))
        }
        "/deny.c.io" if request["operation"] == "DELETE" && request["oldObject"]["data"]["keep"] == "yes" => {
            json!({"allowed": false, "status": {"message": "it is kept", "reason": "Forbidden", "code": 403}})
        }
        "/deny.c.io" if data("deny") == "yes" => {
            json!({"allowed": false, "status": {"message": "not this one", "reason": "Mine", "code": 418}})
        }
        "/deny.c.io" => {
            json!({"allowed": true, "warnings": ["take care"], "auditAnnotations": {"seen": "yes"}})
        }
        "/changes.e.io" => patch(json!([{"op": "add", "path": "/data", "value": {}}])),
        "/broken.d.io" => {
            json!({"allowed": true, "patchType": "JSONPatch", "patch": encode(r#"[{"op":"remove","path":"/x"}]"#)})
        }
        _ => json!({"allowed": true}),
    }
}

#[tokio::test]
async fn webhooks_change_and_refuse_objects() {
    let hooks = Webhooks::start(judge).await;
    let (address, _stop, _running) = start_with(Options::default()).await;
    let again = json!({"reinvocationPolicy": "IfNeeded"});
    let mutating = vec![hooks.hook("label.a.io", again), hooks.hook("last.b.io", json!({}))];
    configure(address, MUTATING, "m", mutating).await;
    configure(address, VALIDATING, "v", vec![hooks.hook("deny.c.io", json!({}))]).await;
    // The second one changes what the first one has made, so that this one is asked again.
    let labelled = r#"{"count":"2","last":"b"}"#;
    assert_eq!(create(address, "a", "").await, (201, labelled.to_owned()));
    let all = ["label.a.io CREATE", "last.b.io CREATE", "label.a.io CREATE", "deny.c.io CREATE"];
    assert_eq!(hooks.asked(), all);
    let denied = "admission webhook \"deny.c.io\" denied the request: not this one";
    assert_eq!(create(address, "b", r#""deny": "yes""#).await, (418, denied.to_owned()));
    hooks.asked();
    // A dry run asks them as well, and what they say to an update is told in a header.
    let line = format!("PATCH {MAPS}/a?dryRun=All {{\"data\": {{\"x\": \"y\"}}}}");
    let (code, body, warnings) = send(address, &line).await;
    assert_eq!((code, body["metadata"]["labels"]["count"].as_str()), (200, Some("3")));
    assert_eq!(warnings, ["299 - \"take care\""]);
    let asked = std::mem::take(&mut *hooks.asked.lock().unwrap());
    let (_, request) = asked.last().unwrap();
    assert_eq!(
        (&request["dryRun"], &request["oldObject"]["metadata"]["labels"]["count"]),
        (&true.into(), &"2".into())
    );
    let keys: Vec<&str> = request.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "uid",
        "kind",
        "resource",
        "requestKind",
        "requestResource",
        "name",
        "namespace",
        "operation",
        "userInfo",
        "object",
        "oldObject",
        "dryRun",
        "options",
    ];
    assert_eq!(keys, expected);
    assert_eq!(request["userInfo"]["username"], "admin");
    // A deletion is shown to all of them, and can be refused.
    assert_eq!(create(address, "kept", r#""keep": "yes""#).await.0, 201);
    hooks.asked();
    let (code, status, _) = send(address, &format!("DELETE {MAPS}/kept")).await;
    assert_eq!((code, status["reason"].as_str()), (403, Some("Forbidden")));
    assert_eq!(status["message"], "admission webhook \"deny.c.io\" denied the request: it is kept");
    assert_eq!(hooks.asked().first().map(String::as_str), Some("label.a.io DELETE"));
    assert_eq!(send(address, &format!("GET {MAPS}/kept")).await.0, 200);
    // They are counted.
    let metrics = raw(address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    for sample in [
        "request_total{code=\"200\",name=\"label.a.io\",operation=\"DELETE\",rejected=\"false\",type=\"admit\"} 1",
        "request_total{code=\"418\",name=\"deny.c.io\",operation=\"CREATE\",rejected=\"true\",type=\"validating\"} 1",
        "rejection_count{error_type=\"no_error\",name=\"deny.c.io\",operation=\"DELETE\",rejection_code=\"403\",type=\"validating\"} 1",
    ] {
        assert!(
            metrics.contains(&["\napiserver_admission_webhook_", sample, "\n"].concat()),
            "{sample}\n{metrics}"
        );
    }
    // Configurations are nobody's business but their own.
    assert_eq!(send(address, &format!("DELETE {VALIDATING}/v")).await.0, 200);
    assert_eq!(hooks.asked(), [""; 0]);
}

#[tokio::test]
async fn a_patch_that_cannot_be_done_refuses_the_request() {
    let hooks = Webhooks::start(judge).await;
    let (address, _stop, _running) = start_with(Options::default()).await;
    assert_eq!(create(address, "old", "").await.0, 201);
    configure(address, MUTATING, "m", vec![hooks.hook("broken.d.io", json!({}))]).await;
    let (code, why) = create(address, "a", "").await;
    let expected = "Internal error occurred: error in remove for path: '/x': Unable to remove nonexistent key: x: missing value";
    assert_eq!((code, why.as_str()), (500, expected));
    assert_eq!(send(address, &format!("DELETE {MUTATING}/m")).await.0, 200);
    configure(address, MUTATING, "m", vec![hooks.hook("changes.e.io", json!({}))]).await;
    let (code, status, _) = send(address, &format!("DELETE {MAPS}/old")).await;
    let expected = "Internal error occurred: admission webhook \"changes.e.io\" attempted to modify the object, which is not \
                    supported for this operation";
    assert_eq!((code, status["message"].as_str()), (500, Some(expected)));
}

#[tokio::test]
async fn who_is_asked() {
    let hooks = Webhooks::start(judge).await;
    let (address, _stop, _running) = start_with(Options::default()).await;
    let when = |expression: &str| json!({"matchConditions": [{"name": "c", "expression": expression}]});
    let named = |field: &str, label: &str| json!({field: {"matchLabels": {label: "yes"}}});
    let of = |name: &str, more: Value| hooks.hook(name, more);
    let here = named("namespaceSelector", "kubernetes.io/metadata.name");
    configure(
        address,
        VALIDATING,
        "v",
        vec![
            of("all.a.io", json!({})),
            of("none.a.io", json!({"rules": []})),
            of("secrets.a.io", json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["secrets"], "operations": ["*"]}]})),
            of("elsewhere.a.io", here),
            of("labelled.a.io", named("objectSelector", "labelled")),
            of("big.a.io", when("object.data.size() > 1")),
            of("mine.a.io", when("request.userInfo.username == 'admin'")),
        ],
    )
    .await;
    let send = async |labels: &str, data: &str| {
        let object = format!(
            "{{\"metadata\": {{\"generateName\": \"a-\", \"labels\": {{{labels}}}}}, \"data\": {{{data}}}}}"
        );
        assert_eq!(send(address, &format!("POST {MAPS} {object}")).await.0, 201);
        let mut asked = hooks.asked();
        asked.sort();
        asked.iter().map(|one| one.split('.').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(send("", r#""x": "1""#).await, "all mine");
    assert_eq!(send(r#""labelled": "yes""#, r#""x": "1", "y": "2""#).await, "all big labelled mine");
}

#[tokio::test]
async fn failures() {
    let hooks = Webhooks::start(judge).await;
    let addresses = |address: String| {
        let (namespace, name) = ("tools".to_owned(), "hook".to_owned());
        vec![ServiceAddress { namespace, name, port: Some(443), address }]
    };
    let service_addresses = addresses(hooks.address.to_string());
    let (address, _stop, _running) = start_with(Options { service_addresses, ..Options::default() }).await;
    let nobody = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };
    let at = |client: Value| json!({"clientConfig": client});
    let ca = encode(&hooks.ca);
    let service = |name: &str, path: &str| {
        at(json!({"service": {"namespace": "tools", "name": name, "path": path}, "caBundle": ca}))
    };
    let own = format!("https://{}/x", hooks.address);
    for (more, expected) in [
        (service("hook", "/allow"), ""),
        (
            service("other", "/deny.c.io"),
            "Post \"https://other.tools.svc:443/deny.c.io?timeout=10s\": service \"other\" not found",
        ),
        (
            at(json!({"url": format!("https://{nobody}/x"), "caBundle": ca})),
            "Post \"https://NOBODY/x?timeout=10s\": dial tcp NOBODY: connect: connection refused",
        ),
        (
            at(json!({"url": own})),
            "Post \"https://HOOKS/x?timeout=10s\": tls: failed to verify certificate: x509: certificate signed by unknown authority",
        ),
        (
            at(json!({"url": own.replace("127.0.0.1", "localhost"), "caBundle": ca})),
            "Post \"https://localhost:PORT/x?timeout=10s\": tls: failed to verify certificate: x509: certificate is valid for \
             hook.tools.svc, not localhost",
        ),
    ] {
        for policy in ["Fail", "Ignore"] {
            let mut hook = hooks.hook("deny.c.io", more.clone());
            hook["failurePolicy"] = policy.into();
            configure(address, VALIDATING, "v", vec![hook]).await;
            let (code, body, _) =
                send(address, &format!("POST {MAPS} {{\"metadata\": {{\"generateName\": \"a-\"}}}}")).await;
            let replaced = |text: &str| {
                let text =
                    text.replace(&nobody.to_string(), "NOBODY").replace(&hooks.address.to_string(), "HOOKS");
                text.replace(&hooks.address.port().to_string(), "PORT")
            };
            if policy == "Ignore" || expected.is_empty() {
                assert_eq!(code, 201, "{body}");
            } else {
                let head =
                    "Internal error occurred: failed calling webhook \"deny.c.io\": failed to call webhook: ";
                let message = replaced(body["message"].as_str().unwrap_or_default());
                assert_eq!((code, message), (500, [head, expected].concat()));
            }
            assert_eq!(send(address, &format!("DELETE {VALIDATING}/v")).await.0, 200);
        }
    }
}
