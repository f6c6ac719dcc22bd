//! A cluster with controllers whose time stands until it is moved on.
#![allow(dead_code, reason = "an example uses a part of it")]

pub(crate) mod jobs;
pub(crate) mod pods;
pub(crate) mod stateful_sets;

use std::sync::Arc;
use std::time::Duration;

use apiserver::{ApiServer, Body, Config};
use bytes::Bytes;
use clock::{Clock, ManualClock, SeededRandom};
use controllers::{Manager, Options, Selection};
use futures::executor::block_on;
use golang::time::Time;
use http::Request;
use json_tree::{Value, json};

/// A cluster, and who controls it.
pub(crate) struct Cluster {
    pub(crate) server: ApiServer,
    pub(crate) clock: ManualClock,
    pub(crate) manager: Manager,
}

impl Cluster {
    /// Makes a cluster with all controllers.
    pub(crate) fn new() -> Self {
        Self::with(&["*"])
    }

    /// Makes a cluster with some controllers.
    pub(crate) fn with(controllers: &[&str]) -> Self {
        Self::with_options(controllers, &Options::default())
    }

    /// Makes a cluster with some controllers, and with options.
    pub(crate) fn with_options(controllers: &[&str], options: &Options) -> Self {
        let clock = ManualClock::new(Duration::from_secs(1_800_000_000));
        let server = ApiServer::new(Config::new(Arc::new(clock.clone()), Arc::new(SeededRandom::new(7))));
        let selection = Selection::parse(controllers).unwrap();
        let manager = Manager::new(&server, Arc::new(clock.clone()), &selection, options);
        Self { server, clock, manager }
    }

    /// Lets the controllers work until they rest.
    pub(crate) fn settle(&mut self) {
        self.manager.settle();
    }

    /// Lets time pass, and the controllers work whenever something is due.
    pub(crate) fn wait(&mut self, time: Duration) {
        let end = self.clock.now() + time;
        loop {
            self.settle();
            let now = self.clock.now();
            if now >= end {
                return;
            }
            let next = self.clock.next_deadline().filter(|due| *due > now);
            self.clock.advance(next.map_or(end, |next| next.min(end)) - now);
        }
    }

    /// Sends a request, and returns the status and the body of the response.
    pub(crate) fn call(&self, method: &str, path: &str, body: &Value, media_type: &str) -> (u16, Value) {
        let bytes = if body.is_null() { Vec::new() } else { serde_json::to_vec(body).unwrap() };
        let request = Request::builder().method(method).uri(path).header("Content-Type", media_type);
        let request = request.header("User-Agent", "scene").body(Bytes::from(bytes)).unwrap();
        let (head, body) = block_on(self.server.call(request)).into_parts();
        let Body::Bytes(bytes) = body else { panic!("{method} {path}: no bytes") };
        (head.status.as_u16(), serde_json::from_slice(&bytes).unwrap_or_default())
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.call("GET", path, &Value::Null, "application/json").1
    }

    /// Sends a request that must succeed.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value, media_type: &str) -> Value {
        let (code, response) = self.call(method, path, body, media_type);
        assert!(code < 400, "{method} {path}: {response}");
        response
    }

    /// Returns how many requests came from users whose names end so, and the codes and targets of those that were refused.
    pub(crate) fn requests_of(&self, user: &str) -> (usize, Vec<(u16, String)>) {
        let served = self.server.inspect().served(0, usize::MAX);
        let own = served
            .iter()
            .filter(|request| request.access.as_ref().is_some_and(|access| access.user.ends_with(user)));
        let codes: Vec<_> = own.map(|request| (request.code, request.uri.clone())).collect();
        (codes.len(), codes.into_iter().filter(|(code, _)| *code >= 400).collect())
    }

    /// Counts the requests that have written something.
    pub(crate) fn writes(&self) -> usize {
        let served = self.server.inspect().served(0, usize::MAX);
        served.iter().filter(|request| !request.wrote.is_empty()).count()
    }

    /// Puts other controllers in the place of these, which know of nothing yet.
    pub(crate) fn restart(&mut self, controllers: &[&str], options: &Options) {
        let selection = Selection::parse(controllers).unwrap();
        self.manager = Manager::new(&self.server, Arc::new(self.clock.clone()), &selection, options);
    }

    /// Has all pods of a namespace that a selector matches end, one after the other, as a step of a scene says: with its `phase`, and
    /// their containers with the exit code `exit`.
    pub(crate) fn finish(&mut self, namespace: &str, selector: &str, step: &Value) {
        let pods = self.get(&format!("/api/v1/namespaces/{namespace}/pods?labelSelector={selector}"));
        for pod in pods["items"].as_array().unwrap() {
            if !["Pending", "Running"].contains(&pod.text_at("/status/phase")) {
                continue;
            }
            let now = Time::unix(self.clock.now().as_secs() as i64).rfc3339();
            let code = step.get("exit").and_then(Value::as_i64).unwrap_or_default();
            let state = json!({
                "terminated": {"exitCode": code, "startedAt": now.as_str(), "finishedAt": now.as_str()}
            });
            let ended = |container: &Value| {
                json!({
                    "name": container.text("name"), "image": container.text("image"), "imageID": "",
                    "ready": false, "restartCount": 0, "state": state
                })
            };
            let statuses: Vec<Value> =
                pod["spec"]["containers"].as_array().unwrap().iter().map(ended).collect();
            let status = json!({"status": {"phase": step.text("phase"), "containerStatuses": statuses}});
            let path =
                format!("/api/v1/namespaces/{namespace}/pods/{}/status", pod.text_at("/metadata/name"));
            self.call("PATCH", &path, &status, "application/merge-patch+json");
            self.wait(Duration::from_millis(400));
        }
    }

    /// Makes all pods of a namespace that a selector matches ready, one after the other.
    pub(crate) fn make_ready(&mut self, namespace: &str, selector: &str) {
        self.make_ready_in(namespace, selector, None);
    }

    /// Makes them ready, with addresses in a network such as `10.244.1` by their places in the list, if there is one.
    pub(crate) fn make_ready_in(&mut self, namespace: &str, selector: &str, network: Option<&str>) {
        let pods = self.get(&format!("/api/v1/namespaces/{namespace}/pods?labelSelector={selector}"));
        let now = Time::unix(self.clock.now().as_secs() as i64).rfc3339();
        let condition = json!({"type": "Ready", "status": "True", "lastTransitionTime": now});
        let mut status = json!({"status": {"phase": "Running", "conditions": [condition]}});
        for (number, pod) in pods["items"].as_array().unwrap().iter().enumerate() {
            if pod.text_at("/status/phase") == "Pending" {
                if let Some(network) = network {
                    let address = format!("{network}.{}", number + 1);
                    status["status"]["podIP"] = address.as_str().into();
                    status["status"]["podIPs"] = json!([{"ip": address}]);
                }
                let path =
                    format!("/api/v1/namespaces/{namespace}/pods/{}/status", pod.text_at("/metadata/name"));
                // It may be gone by now.
                self.call("PATCH", &path, &status, "application/merge-patch+json");
                self.wait(Duration::from_millis(400));
            }
        }
    }
}
