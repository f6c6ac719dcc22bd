//! The headers by which responses tell which request they are for.

use apiserver::{Host, ProcessInfo, User};
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
    cluster.server.set_instruments(Host::new(ProcessInfo::default));
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
    cluster.server.set_instruments(Host::new(ProcessInfo::default));
    let request = Request::get("/version").header("audit-id", "mine").body(Bytes::new()).unwrap();
    assert_eq!(cluster.send(request).headers()["audit-id"], "mine");
}

/// Returns the samples of a metric, without its name.
fn samples(cluster: &Cluster, metric: &str) -> Vec<String> {
    let response = cluster.request("GET /metrics", "");
    let text = String::from_utf8(response.body().bytes().unwrap().to_vec()).unwrap();
    let of = |line: &str| Some(line.strip_prefix(metric)?.strip_prefix('{')?.to_owned());
    text.lines().filter_map(of).collect()
}

#[test]
fn metrics_count_requests() {
    let cluster = Cluster::new();
    cluster
        .server
        .set_instruments(Host::new(|| ProcessInfo { open_files: Some(7), ..ProcessInfo::default() }));
    let check = |line: &str, body: &Value, code: u16, labels: &str, count: u64| {
        let (got, answer) = cluster.json(line, body);
        assert_eq!(got, code, "{answer}");
        let sample = format!("{labels}}} {count}");
        let all = samples(&cluster, "apiserver_request_total");
        assert!(all.contains(&sample), "{sample}\n{}", all.join("\n"));
    };
    let map = json!({ "metadata": { "name": "a" } });
    let of = |code: u16, dry_run: &str, scope: &str, verb: &str| {
        format!(
            "code=\"{code}\",component=\"apiserver\",dry_run=\"{dry_run}\",group=\"\",resource=\"configmaps\",scope=\"{scope}\",\
             subresource=\"\",system_client=\"\",verb=\"{verb}\",version=\"v1\""
        )
    };
    let maps = "/api/v1/namespaces/default/configmaps";
    let create = format!("POST {maps}");
    check(&format!("{create}?dryRun=All"), &map, 201, &of(201, "All", "resource", "POST"), 1);
    check(&create, &map, 201, &of(201, "", "resource", "POST"), 1);
    check(&create, &map, 409, &of(409, "", "resource", "POST"), 1);
    check(&create, &map, 409, &of(409, "", "resource", "POST"), 2);
    check(&format!("GET {maps}/a"), &Value::Null, 200, &of(200, "", "resource", "GET"), 1);
    check(&format!("GET {maps}"), &Value::Null, 200, &of(200, "", "namespace", "LIST"), 1);
    check("GET /api/v1/configmaps", &Value::Null, 200, &of(200, "", "cluster", "LIST"), 1);
    check(&format!("DELETE {maps}"), &Value::Null, 200, &of(200, "", "namespace", "DELETECOLLECTION"), 1);
    let path = |subresource: &str, component: &str| {
        format!(
            "code=\"200\",component=\"{component}\",dry_run=\"\",group=\"\",resource=\"\",scope=\"\",subresource=\"{subresource}\",\
             system_client=\"\",verb=\"GET\",version=\"\""
        )
    };
    check("GET /apis", &Value::Null, 200, &path("apis", "apiserver"), 1);
    check("GET /readyz", &Value::Null, 200, &path("/readyz", ""), 1);
    check("GET /openapi/v3/api/v1", &Value::Null, 200, &path("openapi/v3/", ""), 1);
    // What nobody serves is not counted, whoever asks for it.
    let before = samples(&cluster, "apiserver_request_total").len();
    for path in ["/nope", "/api/v1/nopes", "/apis/nope.io/v1/nopes", "/metrics"] {
        cluster.get(path);
    }
    assert_eq!(samples(&cluster, "apiserver_request_total").len(), before);
    // Each request is in one bucket and all above it.
    let buckets = samples(&cluster, "apiserver_request_duration_seconds_bucket");
    let of_conflicts =
        buckets.iter().filter(|line| line.contains("dry_run=\"\"") && line.contains("verb=\"POST\""));
    let counts: Vec<&str> =
        of_conflicts.filter_map(|line| line.rsplit_once(' ')).map(|(_, count)| count).collect();
    assert_eq!((counts.len(), counts.last()), (24, Some(&"3")));
    let sizes = samples(&cluster, "apiserver_response_sizes_count");
    assert!(
        sizes.iter().all(|line| line.contains("verb=\"GET\"") || line.contains("verb=\"LIST\"")),
        "{sizes:?}"
    );
    assert_eq!(samples(&cluster, "authenticated_user_requests").len(), 1);
    let text = cluster.request("GET /metrics", "");
    let text = String::from_utf8(text.body().bytes().unwrap().to_vec()).unwrap();
    assert!(text.contains("\nprocess_open_fds 7\n") && !text.contains("process_cpu"), "{text}");
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn metrics_count_admission_and_the_store() {
    let cluster = Cluster::new();
    cluster.server.set_instruments(Host::new(ProcessInfo::default));
    cluster.create("a", &json!({}));
    cluster.create("b", &json!({}));
    let maps = "/api/v1/namespaces/default/configmaps";
    let sent = json!({ "metadata": { "name": "a" }, "data": { "a": "b" } });
    assert_eq!(cluster.json(&format!("PUT {maps}/a"), &sent).0, 200);
    assert_eq!(
        cluster.json(&format!("PUT {maps}/a?dryRun=All"), &json!({ "metadata": { "name": "a" } })).0,
        200
    );
    assert_eq!(cluster.get(maps).0, 200);
    assert_eq!(cluster.json(&format!("DELETE {maps}"), &Value::Null).0, 200);
    let stored = samples(&cluster, "etcd_requests_total");
    let of = |operation: &str, count: usize| {
        format!("group=\"\",operation=\"{operation}\",resource=\"configmaps\"}} {count}")
    };
    assert_eq!(stored, [of("create", 2), of("delete", 2), of("update", 1)]);
    let steps = samples(&cluster, "apiserver_admission_step_admission_duration_seconds_count");
    let of = |operation: &str, kind: &str, count: usize| {
        format!("operation=\"{operation}\",rejected=\"false\",type=\"{kind}\"}} {count}")
    };
    let expected = [
        of("CREATE", "admit", 2),
        of("CREATE", "validate", 2),
        of("DELETE", "validate", 2),
        of("UPDATE", "admit", 2),
        of("UPDATE", "validate", 2),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn metrics_count_the_events_of_watches() {
    let cluster = Cluster::new();
    cluster.server.set_instruments(Host::new(ProcessInfo::default));
    let mut watch = cluster.watch("");
    cluster.create("a", &json!({}));
    cluster.create("b", &json!({}));
    assert_eq!(watch.events().len(), 2);
    let of = "group=\"\",resource=\"configmaps\",version=\"v1\"} ";
    let check = |running: usize, ended: usize| {
        assert_eq!(samples(&cluster, "apiserver_watch_events_total"), [format!("{of}2")]);
        assert_eq!(samples(&cluster, "apiserver_watch_events_sizes_count"), [format!("{of}2")]);
        assert_eq!(samples(&cluster, "apiserver_longrunning_requests").len(), running);
        let all = samples(&cluster, "apiserver_request_total");
        assert_eq!(all.iter().filter(|line| line.contains("verb=\"WATCH\"")).count(), ended);
    };
    check(1, 0);
    drop(watch);
    check(0, 1);
}
