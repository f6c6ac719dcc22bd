//! The headers by which responses tell which request they are for.

use apiserver::User;
use bytes::Bytes;
use http::Request;
use json_tree::{Value, json};

use crate::common::Cluster;

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/// Returns the values of the three headers.
fn told(cluster: &Cluster, path: &str) -> [String; 3] {
    let groups = vec!["system:authenticated".to_owned()];
    let bob = User { name: "bob".to_owned(), groups, ..User::default() };
    let request = Request::get(path).extension(bob).body(Bytes::new()).unwrap();
    let response = cluster.send(request);
    let value = |name: &str| {
        let value = response.headers().get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default().to_owned()
    };
    ["audit-id", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"].map(value)
}

#[test]
fn nothing_is_told_unless_a_host_wants_it() {
    assert_eq!(told(&Cluster::new(), "/version"), ["", "", ""]);
}

#[test]
fn responses_tell_of_their_requests() {
    let cluster = Cluster::new();
    cluster.server.identify_requests();
    let uid = |path: &str| cluster.get(path).1["metadata"]["uid"].as_str().unwrap().to_owned();
    let levels = SCHEMAS.replace("flowschemas", "prioritylevelconfigurations");
    let default = [SCHEMAS, &levels].map(|path| uid(&format!("{path}/global-default")));
    let [first, schema, level] = told(&cluster, "/version");
    assert_eq!([schema, level], default);
    let [second, ..] = told(&cluster, "/version");
    assert!(first.len() == 36 && first != second, "{first} {second}");
    // What runs for long is not classified, and what nobody understands neither.
    let none = [String::new(), String::new()];
    for path in ["/api/v1/namespaces/default/pods/x/log", "/api/v1/watch"] {
        let [id, schema, level] = told(&cluster, path);
        assert!(!id.is_empty());
        assert_eq!([schema, level], none, "{path}");
    }
    // Nobody falls under one before its turn.
    let own = |name: &str, precedence: u32| {
        json!({ "metadata": { "name": name }, "spec": {
            "matchingPrecedence": precedence, "priorityLevelConfiguration": { "name": "system" },
            "rules": [{
                "subjects": [{ "kind": "User", "user": { "name": "*" } }],
                "nonResourceRules": [{ "verbs": ["get"], "nonResourceURLs": ["/version"] }],
            }],
        }})
    };
    for (name, precedence, comes_first) in [("late", 9950, false), ("early", 50, true)] {
        let (code, made) = cluster.json(&format!("POST {SCHEMAS}"), &own(name, precedence));
        assert_eq!(code, 201, "{made}");
        let [_, schema, level] = told(&cluster, "/version");
        let its = [made["metadata"]["uid"].as_str().unwrap().to_owned(), uid(&format!("{levels}/system"))];
        assert_eq!([schema, level], if comes_first { its } else { default.clone() });
    }
    assert_eq!(cluster.json(&format!("DELETE {SCHEMAS}/early"), &Value::Null).0, 200);
    let [_, schema, level] = told(&cluster, "/version");
    assert_eq!([schema, level], default);
}

#[test]
fn a_request_may_bring_its_id() {
    let cluster = Cluster::new();
    cluster.server.identify_requests();
    let request = Request::get("/version").header("audit-id", "mine").body(Bytes::new()).unwrap();
    assert_eq!(cluster.send(request).headers()["audit-id"], "mine");
}
