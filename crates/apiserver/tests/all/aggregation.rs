//! The aggregation layer: which APIServices there are, what their conditions say, and what becomes of requests to other API servers.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use apiserver::{Body, Host, ProcessInfo, ProxyRequest, ProxyTransport, User};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::{Request, Response};
use json_tree::{Value, json};

use crate::common::{Cluster, read};

const SERVICES: &str = "/apis/apiregistration.k8s.io/v1/apiservices";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The response of an aggregated API server: its code, a media type and a body, or the error in place of one.
type Reply = Result<(u16, &'static str, String), String>;

/// Aggregated API servers that reply so to `METHOD PATH`, and what they were sent.
struct Servers {
    reply: Box<dyn Fn(&str) -> Reply + Send + Sync>,
    sent: Mutex<Vec<ProxyRequest>>,
}

impl ProxyTransport for Servers {
    fn send(&self, request: ProxyRequest) -> BoxFuture<'static, Result<Response<Body>, String>> {
        let line = format!("{} {}", request.request.method(), request.request.uri());
        self.sent.lock().unwrap().push(request);
        let response = (self.reply)(&line).map(|(code, media_type, body)| {
            let response = Response::builder().status(code).header("content-type", media_type);
            let response = if code == 302 { response.header("location", "/elsewhere") } else { response };
            let body: apiserver::Chunks = Box::pin(futures::stream::iter([Bytes::from(body)]));
            response.header("connection", "close").body(Body::Stream(body)).unwrap()
        });
        ready(response).boxed()
    }
}

/// A cluster with aggregated API servers, and the work on their APIServices.
struct Aggregation {
    cluster: Cluster,
    servers: Arc<Servers>,
    running: BoxFuture<'static, ()>,
}

impl Aggregation {
    fn new(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let cluster = Cluster::new();
        let servers = Arc::new(Servers { reply: Box::new(reply), sent: Mutex::default() });
        let running = cluster.server.set_proxy_transport(Arc::clone(&servers) as _);
        Self { cluster, servers, running }
    }

    /// Does what there is to do.
    fn settle(&mut self) {
        assert!(self.running.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }

    fn check(&self, line: &str, body: &Value, code: u16) -> Value {
        let (got, answer) = self.cluster.json(line, body);
        assert_eq!(got, code, "{line} {answer}");
        answer
    }

    /// Makes the service `tools/api` with this spec, and one that registers `v1.a.io` for it.
    fn register(&mut self, spec: &Value, more: &Value) {
        self.check("POST /api/v1/namespaces", &json!({ "metadata": { "name": "tools" } }), 201);
        if !spec.is_null() {
            let service = json!({ "metadata": { "name": "api" }, "spec": spec });
            self.check("POST /api/v1/namespaces/tools/services", &service, 201);
        }
        let mut registered = json!({
            "group": "a.io", "version": "v1", "groupPriorityMinimum": 2000, "versionPriority": 15,
            "service": { "namespace": "tools", "name": "api" },
        });
        registered.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        let service = json!({ "metadata": { "name": "v1.a.io" }, "spec": registered });
        self.check(&format!("POST {SERVICES}"), &service, 201);
        self.settle();
    }

    /// Returns the condition of `v1.a.io`: status, reason and message.
    fn condition(&self) -> String {
        let service = self.check(&format!("GET {SERVICES}/v1.a.io"), &Value::Null, 200);
        let condition = &service["status"]["conditions"][0];
        ["status", "reason", "message"].map(|key| condition[key].as_str().unwrap_or("-")).join(" ")
    }

    /// Sends a request in the name of somebody; returns the response with the whole body.
    fn send(&self, method: &str, path: &str, user: Option<User>) -> (Response<()>, String) {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("accept", "text/x")
            .header("authorization", "Bearer x")
            .header("x-remote-user", "mallory")
            .header("host", "kube.example");
        if let Some(user) = user {
            request = request.extension(user);
        }
        let response = self.cluster.send(request.body("in".into()).unwrap());
        let (parts, body) = response.into_parts();
        let text = match body {
            Body::Bytes(bytes) => bytes,
            Body::Stream(chunks) => {
                let all = pin!(futures::StreamExt::collect::<Vec<Bytes>>(chunks));
                all.now_or_never().unwrap().concat().into()
            }
            other => panic!("{other:?}"),
        };
        (Response::from_parts(parts, ()), String::from_utf8(text.into()).unwrap())
    }
}

/// A service that is reached by an EndpointSlice.
fn behind_slices() -> Value {
    json!({ "ports": [{ "name": "https", "port": 443 }], "clusterIP": "10.96.7.7" })
}

fn outside() -> Value {
    json!({ "type": "ExternalName", "externalName": "api.example.com" })
}

fn well(_: &str) -> Reply {
    Ok((200, "application/json", "{}".to_owned()))
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_new_cluster_has_those_of_its_own_versions() {
    let cluster = Cluster::new();
    let (_, list) = cluster.get(SERVICES);
    let names = names(&list);
    assert_eq!((names.len(), names[0].as_str()), (21, "v1."));
    let (_, service) = cluster.get(&format!("{SERVICES}/v2.autoscaling"));
    let expected = json!({
        "group": "autoscaling", "version": "v2", "groupPriorityMinimum": 17500, "versionPriority": 30,
    });
    assert_eq!(service["spec"], expected);
    let labels = json!({ "kube-aggregator.kubernetes.io/automanaged": "onstart" });
    assert_eq!(service["metadata"]["labels"], labels);
    assert_eq!(service["status"]["conditions"][0]["reason"], "Local");
    assert_eq!(service["metadata"]["managedFields"][0]["manager"], "kube-apiserver");
    assert_eq!(service["metadata"]["managedFields"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_not_registered_is_not_told_but_served() {
    let cluster = Cluster::new();
    assert_eq!(cluster.json(&format!("DELETE {SERVICES}/v1.batch"), &Value::Null).0, 200);
    let (_, groups) = cluster.get("/apis");
    let has_batch =
        |groups: &Value| groups["groups"].as_array().unwrap().iter().any(|group| group["name"] == "batch");
    assert!(!has_batch(&groups));
    assert_eq!(cluster.get("/apis/batch").0, 200);
    assert_eq!(cluster.get("/apis/batch/v1/jobs").0, 200);
    // An order of one's own.
    let first = json!({ "spec": { "groupPriorityMinimum": 20_000 } });
    let request = Request::patch(format!("{SERVICES}/v1.policy"));
    let request = request.header("content-type", "application/merge-patch+json");
    assert_eq!(cluster.send(request.body(first.to_string().into()).unwrap()).status(), 200);
    let (_, groups) = cluster.get("/apis");
    assert_eq!(groups["groups"][1]["name"], "policy");
}

#[test]
fn definitions_have_apiservices() {
    let cluster = Cluster::new();
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    let version = |name: &str, served: bool| json!({ "name": name, "served": served, "storage": name == "v1", "schema": schema });
    let definition = |plural: &str| {
        json!({
            "metadata": { "name": format!("{plural}.example.com") },
            "spec": {
                "group": "example.com", "scope": "Namespaced", "names": { "plural": plural, "kind": plural },
                "versions": [version("v1", true), version("v2", true), version("v3", false)],
            },
        })
    };
    for plural in ["as", "bs"] {
        assert_eq!(cluster.json(&format!("POST {DEFINITIONS}"), &definition(plural)).0, 201);
    }
    let own = || {
        let mut names = names(&cluster.get(SERVICES).1);
        names.retain(|name| name.ends_with("example.com"));
        names
    };
    assert_eq!(own(), ["v1.example.com", "v2.example.com"]);
    let path = format!("{SERVICES}/v1.example.com");
    let patch = |patch: &str| {
        let request = Request::patch(&path).header("content-type", "application/merge-patch+json");
        assert_eq!(cluster.send(request.body(patch.to_owned().into()).unwrap()).status(), 200);
        cluster.get(&path).1["spec"]["versionPriority"].clone()
    };
    // It is corrected for as long as it has the label.
    assert_eq!(patch(r#"{"spec":{"versionPriority":5}}"#), 100);
    assert_eq!(cluster.json(&format!("DELETE {path}"), &Value::Null).0, 200);
    assert_eq!(own(), ["v1.example.com", "v2.example.com"]);
    let unmanaged = r#"{"metadata":{"labels":null},"spec":{"versionPriority":5}}"#;
    assert_eq!(patch(unmanaged), 5);
    for plural in ["as", "bs"] {
        cluster.json(&format!("DELETE {DEFINITIONS}/{plural}.example.com"), &Value::Null);
    }
    assert_eq!(own(), ["v1.example.com"]);
}

#[test]
fn conditions_say_what_is_behind_a_service() {
    let check = |service: Value, slice: Value, reply: Reply, expected: &str| {
        let mut aggregation = Aggregation::new(move |_| reply.clone());
        aggregation.register(&service, &json!({}));
        if !slice.is_null() {
            let mut slice = slice;
            slice["metadata"] = json!({ "name": "api", "labels": { "kubernetes.io/service-name": "api" } });
            slice["addressType"] = "IPv4".into();
            let path = "POST /apis/discovery.k8s.io/v1/namespaces/tools/endpointslices";
            aggregation.check(path, &slice, 201);
            // What leads there has changed.
            aggregation.settle();
        }
        assert_eq!(aggregation.condition(), expected);
    };
    let ok = || Ok((200, "", String::new()));
    let slice = |port: &str, ready: bool| {
        json!({
            "ports": [{ "name": port, "port": 6443 }],
            "endpoints": [{ "addresses": ["10.1.2.3"], "conditions": { "ready": ready } }],
        })
    };
    check(Value::Null, Value::Null, ok(), "False ServiceNotFound service/api in \"tools\" is not present");
    let other = json!({ "ports": [{ "port": 444 }] });
    let line = "False ServicePortError service/api in \"tools\" is not listening on port 443";
    check(other, Value::Null, ok(), line);
    let line = "False EndpointsNotFound cannot find endpointslices for service/api in \"tools\"";
    check(behind_slices(), Value::Null, ok(), line);
    let line = "False MissingEndpoints endpointslices for service/api in \"tools\" have no addresses with port name \"https\"";
    check(behind_slices(), slice("https", false), ok(), line);
    check(behind_slices(), slice("http", true), ok(), line);
    check(behind_slices(), slice("https", true), ok(), "True Passed all checks passed");
    check(outside(), Value::Null, ok(), "True Passed all checks passed");
    let line = "False FailedDiscoveryCheck failing or missing response from https://api.example.com:443/apis/a.io/v1: \
                bad status from https://api.example.com:443/apis/a.io/v1: 404";
    check(outside(), Value::Null, Ok((404, "", String::new())), line);
    let line = "False FailedDiscoveryCheck failing or missing response from https://10.96.7.7:443/apis/a.io/v1: \
                Get \"https://10.96.7.7:443/apis/a.io/v1\": EOF";
    check(behind_slices(), slice("https", true), Err("EOF".to_owned()), line);
    let mut headless = behind_slices();
    headless["clusterIP"] = "None".into();
    let line = "False FailedDiscoveryCheck cannot route to service with ClusterIP \"None\"";
    check(headless, slice("https", true), ok(), line);
}

#[test]
fn a_server_that_fails_is_asked_again_later_and_later() {
    let well_at = Arc::new(Mutex::new(false));
    let now = Arc::clone(&well_at);
    let mut aggregation = Aggregation::new(move |line| {
        let is_check = line.ends_with("/apis/a.io/v1");
        if *now.lock().unwrap() || !is_check { well(line) } else { Err("EOF".to_owned()) }
    });
    aggregation.register(&outside(), &json!({}));
    let asked = |aggregation: &mut Aggregation, after: Duration| {
        aggregation.servers.sent.lock().unwrap().clear();
        aggregation.cluster.clock.advance(after);
        aggregation.settle();
        let sent = aggregation.servers.sent.lock().unwrap();
        let is_check = |sent: &&ProxyRequest| {
            sent.request.uri().path() == "/apis/a.io/v1"
                && sent.request.headers().contains_key("x-remote-group")
        };
        sent.iter().filter(is_check).count()
    };
    assert_eq!(asked(&mut aggregation, Duration::from_millis(1)), 0);
    assert!(aggregation.condition().starts_with("False FailedDiscoveryCheck"));
    assert_eq!(asked(&mut aggregation, Duration::from_secs(1)), 1);
    *well_at.lock().unwrap() = true;
    assert_eq!(asked(&mut aggregation, Duration::from_secs(30)), 2, "its condition has changed");
    assert_eq!(aggregation.condition(), "True Passed all checks passed");
    assert_eq!(asked(&mut aggregation, Duration::from_secs(29)), 0);
    assert_eq!(asked(&mut aggregation, Duration::from_secs(1)), 1);
}

#[test]
fn requests_are_passed_on_in_the_name_of_whoever_sends_them() {
    let mut aggregation = Aggregation::new(|line| match line {
        "GET https://api.example.com:443/apis/a.io/v1/gone" => Err("dial tcp: no route".to_owned()),
        "GET https://api.example.com:443/apis/a.io/v1/moved" => Ok((302, "", String::new())),
        "POST https://api.example.com:443/apis/a.io/v1/things?x=%20y" => {
            Ok((418, "text/tea", "out".to_owned()))
        }
        other => well(other),
    });
    aggregation.register(&outside(), &json!({ "caBundle": "YQ==" }));
    let user = User {
        name: "alice".to_owned(),
        groups: vec!["a".to_owned(), "system:masters".to_owned()],
        ..User::default()
    };
    let (response, body) = aggregation.send("POST", "/apis/a.io/v1/things?x=%20y", Some(user));
    assert_eq!((response.status().as_u16(), body.as_str()), (418, "out"));
    assert_eq!(response.headers()["content-type"], "text/tea");
    assert!(!response.headers().contains_key("connection"));
    let sent = aggregation.servers.sent.lock().unwrap().pop().unwrap();
    let mut headers: Vec<String> = sent
        .request
        .headers()
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    let expected = [
        "accept: text/x",
        "x-forwarded-host: kube.example",
        "x-forwarded-proto: https",
        "x-forwarded-uri: /apis/a.io/v1/things",
        "x-remote-group: a",
        "x-remote-group: system:masters",
        "x-remote-user: alice",
    ];
    assert_eq!(headers, expected);
    assert_eq!((sent.ca_bundle.as_slice(), sent.insecure, sent.timeout), (&b"a"[..], false, None));
    assert_eq!(sent.request.body(), "in");
    let check = |path: &str, code: u16, text: &str| {
        let (response, body) = aggregation.send("GET", path, None);
        assert_eq!((response.status().as_u16(), body.as_str()), (code, text), "{path}");
    };
    check("/apis/a.io/v1/gone", 503, "error trying to reach service: dial tcp: no route\n");
    let line = "the backend attempted to redirect this request, which is not permitted";
    check("/apis/a.io/v1/moved", 502, line);
    check("/apis/a.io/v1", 200, "{}");
    check("/apis/a.io/v12", 404, "404 page not found\n");
    // Where requests have ids, both servers tell the same.
    aggregation.cluster.server.set_instruments(Host::new(ProcessInfo::default));
    let (response, _) = aggregation.send("GET", "/apis/a.io/v1", None);
    let sent = aggregation.servers.sent.lock().unwrap().pop().unwrap();
    assert_eq!(sent.request.headers()["audit-id"], response.headers()["audit-id"]);
    let check = |path: &str, code: u16, text: &str| {
        let (response, body) = aggregation.send("GET", path, None);
        assert_eq!((response.status().as_u16(), body.as_str()), (code, text), "{path}");
    };
    // Where nothing is known of the service any more, nobody is asked.
    aggregation.check("DELETE /api/v1/namespaces/tools/services/api", &Value::Null, 200);
    check("/apis/a.io/v1", 503, "service unavailable\n");
    aggregation.settle();
    assert!(aggregation.condition().starts_with("False ServiceNotFound"));
}

#[test]
fn without_a_way_to_them_servers_are_unavailable() {
    let cluster = Cluster::new();
    let service = json!({ "metadata": { "name": "v1.a.io" }, "spec": {
        "group": "a.io", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1,
        "service": { "namespace": "n", "name": "s" },
    }});
    assert_eq!(cluster.json(&format!("POST {SERVICES}"), &service).0, 201);
    let response = cluster.request("GET /apis/a.io/v1/things", "");
    assert_eq!(response.status(), 503);
    assert_eq!(response.body().bytes().unwrap(), "service unavailable\n");
    let aggregated = Request::get("/apis").header("accept", AGGREGATED).body(Bytes::new()).unwrap();
    let (_, list) = read(&cluster.send(aggregated));
    let last = list["items"].as_array().unwrap().last().unwrap();
    assert_eq!(
        last.to_string(),
        r#"{"metadata":{"name":"a.io"},"versions":[{"version":"v1","freshness":"Stale"}]}"#
    );
}

#[test]
fn discovery_tells_what_other_servers_tell() {
    let mut aggregation = Aggregation::new(|line| {
        let thing = r#"{"resource":"things","responseKind":{"group":"a.io","version":"v1","kind":"Thing"},"scope":"Cluster","singularResource":"thing","verbs":["get"]}"#;
        let groups = format!(
            r#"{{"items":[{{"metadata":{{"name":"a.io"}},"versions":[{{"version":"v1","resources":[{thing}]}}]}}]}}"#
        );
        match line.rsplit_once(":443").unwrap().1 {
            "/apis" => Ok((200, AGGREGATED, groups)),
            "/openapi/v3" => {
                let url =
                    r#"{"paths":{"apis/a.io/v1":{"serverRelativeURL":"/openapi/v3/apis/a.io/v1?hash=1"}}}"#;
                Ok((200, "application/json", url.to_owned()))
            }
            "/openapi/v3/apis/a.io/v1?hash=1" => Ok((200, "application/json", "theirs".to_owned())),
            _ => well(line),
        }
    });
    aggregation.register(&outside(), &json!({}));
    let (_, group) = aggregation.cluster.get("/apis/a.io");
    assert_eq!(group["preferredVersion"]["groupVersion"], "a.io/v1");
    let aggregated = || {
        let request = Request::get("/apis").header("accept", AGGREGATED).body(Bytes::new()).unwrap();
        let (_, list) = read(&aggregation.cluster.send(request));
        let items = list["items"].as_array().unwrap().clone();
        items.into_iter().find(|group| group["metadata"]["name"] == "a.io").unwrap()["versions"][0].clone()
    };
    let version = aggregated();
    assert_eq!(
        (&version["freshness"], &version["resources"][0]["resource"]),
        (&json!("Current"), &json!("things"))
    );
    let (_, index) = aggregation.cluster.get("/openapi/v3");
    assert_eq!(index["paths"]["apis/a.io/v1"]["serverRelativeURL"], "/openapi/v3/apis/a.io/v1?hash=1");
    let (_, document) = aggregation.send("GET", "/openapi/v3/apis/a.io/v1?hash=1", None);
    assert_eq!(document, "theirs");
    // It is told for as long as it is registered.
    aggregation.check(&format!("DELETE {SERVICES}/v1.a.io"), &Value::Null, 200);
    aggregation.settle();
    assert_eq!(aggregation.cluster.get("/apis/a.io").0, 404);
    let (_, index) = aggregation.cluster.get("/openapi/v3");
    assert!(index["paths"].get("apis/a.io/v1").is_none());
}

#[test]
fn servers_without_aggregated_discovery_are_asked_for_each_version() {
    let mut aggregation = Aggregation::new(|line| match line.rsplit_once(":443").unwrap().1 {
        "/apis/a.io/v1" => {
            let list = r#"{"resources":[{"name":"things","singularName":"thing","namespaced":true,"kind":"Thing","verbs":["list"]},{"name":"things/scale","kind":"Scale","group":"autoscaling","version":"v1","verbs":["get"]}]}"#;
            Ok((200, "application/json", list.to_owned()))
        }
        "/openapi/v3" => Ok((404, "", String::new())),
        _ => well(line),
    });
    aggregation.register(&outside(), &json!({}));
    let request = Request::get("/apis").header("accept", AGGREGATED).body(Bytes::new()).unwrap();
    let (_, list) = read(&aggregation.cluster.send(request));
    let items = list["items"].as_array().unwrap();
    let own = items.iter().find(|group| group["metadata"]["name"] == "a.io").unwrap();
    let resource = &own["versions"][0]["resources"][0];
    assert_eq!(
        (&resource["scope"], &resource["subresources"][0]["subresource"]),
        (&json!("Namespaced"), &json!("scale"))
    );
}
