//! Custom objects that a webhook converts: when it is asked, and what becomes of its answers.

mod failures;
mod requests;
mod watches;

use std::sync::{Arc, Mutex};

use crate::common::Cluster;
use apiserver::{WebhookCall, WebhookCaller, WebhookResponse};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use json_tree::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const V1: &str = "/apis/example.com/v1/namespaces/default/tabs";
const V2: &str = "/apis/example.com/v2/namespaces/default/tabs";

/// Changes the review that the webhook answers with.
type Spoil = fn(&mut Value);

/// A webhook that turns `spec.hostPort` of v1 into `spec.host` and `spec.port` of v2, and back.
struct Webhook {
    calls: Mutex<Vec<WebhookCall>>,
    spoil: Mutex<Spoil>,
}

impl WebhookCaller for Webhook {
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>> {
        let review: Value = serde_json::from_slice(&call.body).expect("a review");
        self.calls.lock().unwrap().push(call);
        let (request, to) = (&review["request"], review["request"]["desiredAPIVersion"].clone());
        let objects = request["objects"].as_array().into_iter().flatten();
        let objects: Vec<Value> = objects.map(|object| convert(object.clone(), &to)).collect();
        let mut answer = json!({
            "kind": review["kind"],
            "apiVersion": review["apiVersion"],
            "response": {
                "uid": request["uid"], "result": { "status": "Success" }, "convertedObjects": objects,
            },
        });
        (self.spoil.lock().unwrap())(&mut answer);
        let body = answer.to_string().into();
        let response = WebhookResponse { code: 200, content_type: "application/json".to_owned(), body };
        ready(Ok(response)).boxed()
    }
}

fn convert(mut object: Value, to: &Value) -> Value {
    object["apiVersion"] = to.clone();
    let Some(spec) = object["spec"].as_object_mut() else { return object };
    let mut take = |key: &str| spec.shift_remove(key).and_then(|value| value.as_str().map(str::to_owned));
    if to == "example.com/v2" {
        let both = take("hostPort").unwrap_or_default();
        let (host, port) = both.split_once(':').unwrap_or((&both, ""));
        spec.insert("host".to_owned(), host.into());
        spec.insert("port".to_owned(), port.into());
    } else {
        let (host, port) = (take("host").unwrap_or_default(), take("port").unwrap_or_default());
        spec.insert("hostPort".to_owned(), format!("{host}:{port}").into());
    }
    object
}

/// A cluster whose tabs are stored in v2, and the webhook that converts them.
struct Tabs {
    cluster: Cluster,
    webhook: Arc<Webhook>,
}

impl Tabs {
    fn new() -> Self {
        let tabs = Self::defined_by(&definition(&json!(["v1"])));
        tabs.calls();
        tabs
    }

    fn defined_by(definition: &Value) -> Self {
        let cluster = Cluster::new();
        let spoil: Spoil = |_| {};
        let webhook = Arc::new(Webhook { calls: Mutex::default(), spoil: Mutex::new(spoil) });
        cluster.server.set_webhooks(Arc::<Webhook>::clone(&webhook));
        let (code, answer) = cluster.json(&format!("POST {DEFINITIONS}"), definition);
        assert_eq!(code, 201, "{answer}");
        Self { cluster, webhook }
    }

    /// From now on the webhook answers so.
    fn spoil(&self, spoil: Spoil) {
        *self.webhook.spoil.lock().unwrap() = spoil;
    }

    /// Returns the conversions that were asked for since the last time.
    fn calls(&self) -> Vec<String> {
        let calls = std::mem::take(&mut *self.webhook.calls.lock().unwrap());
        let version = |value: &Value| {
            value.as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned()
        };
        let show = |call: &WebhookCall| {
            let request = serde_json::from_slice::<Value>(&call.body).expect("a review")["request"].clone();
            let objects = request["objects"].as_array().into_iter().flatten();
            let objects: Vec<String> = objects.map(|object| version(&object["apiVersion"])).collect();
            format!("{}->{}", objects.join(","), version(&request["desiredAPIVersion"]))
        };
        calls.iter().map(show).collect()
    }

    /// Sends a request; returns its answer if it has this code.
    #[track_caller]
    fn send(&self, line: &str, body: &Value, code: u16) -> Value {
        let (got, answer) = self.cluster.json(line, body);
        assert_eq!(got, code, "{line} {answer}");
        answer
    }

    /// Sends a patch in a media type.
    #[track_caller]
    fn patch(&self, media_type: &str, path: &str, body: &Value, code: u16) -> Value {
        let request = http::Request::builder().method("PATCH").uri(path).header("content-type", media_type);
        let request = request.body(body.to_string().into()).expect("a request");
        let (got, answer) = crate::common::read(&self.cluster.send(request));
        assert_eq!(got, code, "{path} {answer}");
        answer
    }

    /// Creates a tab in v2 that was never asked for in v1.
    fn create(&self, name: &str, host: &str) {
        self.send(&format!("POST {V2}"), &v2(name, &json!({ "host": host, "port": "1" })), 201);
    }

    #[track_caller]
    fn spec(&self, path: &str, expected: &Value) {
        assert_eq!(self.send(&format!("GET {path}"), &Value::Null, 200)["spec"], *expected, "{path}");
    }
}

/// The definition of tabs, whose webhook accepts these versions of reviews.
fn definition(reviews: &Value) -> Value {
    let version = |name: &str, fields: &[&str]| {
        let mut spec = json!({ "replicas": { "type": "integer" } });
        for field in fields {
            spec[*field] = json!({ "type": "string" });
        }
        spec["since"] = json!({ "type": "string", "default": name });
        let status = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let properties = json!({ "spec": { "type": "object", "properties": spec }, "status": status });
        json!({
            "name": name, "served": true, "storage": name == "v2",
            "schema": { "openAPIV3Schema": { "type": "object", "properties": properties } },
            "subresources": {
                "status": {},
                "scale": { "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" },
            },
            "selectableFields": [{ "jsonPath": format!(".spec.{}", fields[0]) }],
            "additionalPrinterColumns": [
                { "name": "Where", "type": "string", "jsonPath": format!(".spec.{}", fields[0]) },
            ],
        })
    };
    json!({
        "metadata": { "name": "tabs.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "tabs", "kind": "Tab" },
            "versions": [version("v1", &["hostPort"]), version("v2", &["host", "port"])],
            "conversion": {
                "strategy": "Webhook",
                "webhook": {
                    "conversionReviewVersions": reviews,
                    "clientConfig": { "url": "https://hook.example.com/convert" },
                },
            },
        },
    })
}

fn v1(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "example.com/v1", "kind": "Tab", "metadata": { "name": name }, "spec": spec })
}

fn v2(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "example.com/v2", "kind": "Tab", "metadata": { "name": name }, "spec": spec })
}
