//! Requests and their answers, where they go wrong above all.

use crate::common::{Cluster, read, version};
use apiserver::{Body, User};
use bytes::Bytes;
use http::Request;
use json_tree::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Sends a request and compares the status code and the message (or of an object the kind).
#[track_caller]
fn check(cluster: &Cluster, line: &str, body: &str, code: u16, message: &str) {
    let before = cluster.server.inspect().overview().revision;
    let (got, answer) = read(&cluster.request(line, body.to_owned()));
    let told = answer.get("message").or(answer.get("kind")).and_then(Value::as_str).unwrap_or_default();
    assert_eq!((got, told), (code, message), "{line} {body}");
    if code >= 400 {
        assert_eq!(
            cluster.server.inspect().overview().revision,
            before,
            "a refused request has written something"
        );
    }
}

#[test]
fn an_object_from_its_creation_to_its_end() {
    let cluster = Cluster::new();
    let body = json!({ "metadata": { "name": "a" }, "data": { "k": "1" } });
    let (code, created) = cluster.json(&format!("POST {MAPS}"), &body);
    assert_eq!((code, &created["kind"], &created["apiVersion"]), (201, &json!("ConfigMap"), &json!("v1")));
    assert_eq!(created["metadata"]["creationTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(created["metadata"]["uid"].as_str().map(str::len), Some(36));

    let replaced = json!({ "metadata": { "name": "a" }, "data": { "k": "2" } });
    let (_, updated) = cluster.json(&format!("PUT {MAPS}/a"), &replaced);
    assert_eq!(version(&updated), version(&created) + 1);
    let (_, same) = cluster.json(&format!("PUT {MAPS}/a"), &replaced);
    assert_eq!(version(&same), version(&updated), "what changes nothing writes nothing");

    let stale = json!({ "metadata": { "name": "a", "resourceVersion": version(&created).to_string() } });
    let (code, conflict) = cluster.json(&format!("PUT {MAPS}/a"), &stale);
    assert_eq!((code, &conflict["reason"]), (409, &json!("Conflict")));

    let (code, list) = cluster.get(MAPS);
    assert_eq!((code, list["items"].as_array().map(Vec::len)), (200, Some(1)));
    let (code, status) = cluster.json(&format!("DELETE {MAPS}/a"), &Value::Null);
    assert_eq!((code, &status["details"]["uid"]), (200, &created["metadata"]["uid"]));
    assert_eq!(cluster.get(&format!("{MAPS}/a")).0, 404);
}

#[test]
fn a_new_cluster_has_its_namespaces() {
    let cluster = Cluster::new();
    let (_, list) = cluster.get("/api/v1/namespaces");
    let names: Vec<&Value> =
        list["items"].as_array().into_iter().flatten().map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
    assert_eq!(version(&list), 103);
}

#[test]
fn paths_that_lead_nowhere() {
    let cluster = Cluster::new();
    let lost = "the server could not find the requested resource";
    let refused = "the server does not allow this method on the requested resource";
    check(&cluster, "GET /api/v1/gizmos", "", 404, lost);
    check(&cluster, "GET /apis/apps/v9/deployments", "", 404, lost);
    check(&cluster, "GET /nope", "", 404, "");
    check(&cluster, "GET /api/v1/namespaces/default/configmaps/a", "", 404, "configmaps \"a\" not found");
    check(&cluster, "POST /api/v1/configmaps", "{}", 405, refused);
    check(&cluster, "PUT /api/v1/namespaces", "{}", 405, refused);
    check(&cluster, "HEAD /api/v1/namespaces", "", 405, "");
    check(&cluster, "BREW /api/v1/namespaces", "", 405, refused);
}

#[test]
fn names_that_can_be_no_part_of_a_key() {
    let cluster = Cluster::new();
    let wrong = "Name parameter invalid: \"a%b\": may not contain '%'";
    let maps = format!("{MAPS}/a%25b");
    check(&cluster, &format!("GET {maps}"), "", 400, wrong);
    check(&cluster, &format!("GET {MAPS}/.."), "", 400, "Name parameter invalid: \"..\": may not be '..'");
    check(&cluster, &format!("PUT {maps}"), r#"{"metadata":{"name":"a%b"}}"#, 400, wrong);
    check(&cluster, &format!("DELETE {maps}"), "", 400, wrong);
    check(&cluster, "GET /api/v1/namespaces/default/pods/a%25b/log", "", 400, wrong);
    check(&cluster, "GET /apis/apps/v1/namespaces/default/deployments/a%25b/scale", "", 400, wrong);
    let roles = "PUT /apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/a%25b";
    check(&cluster, roles, r#"{"metadata":{"name":"a%b"}}"#, 400, wrong);
    check(&cluster, &format!("GET {MAPS}?fieldSelector=metadata.name=a%25b"), "", 200, "ConfigMapList");
}

/// If the deprecated field requests a cascading deletion, the status code tells whether the object waits.
#[test]
fn a_cascading_deletion_that_waits_is_accepted() {
    let cluster = Cluster::new();
    let delete = |name: &str, finalizers: Value, options: &Value| {
        let body = json!({ "metadata": { "name": name, "finalizers": finalizers } });
        assert_eq!(cluster.json(&format!("POST {MAPS}"), &body).0, 201);
        cluster.json(&format!("DELETE {MAPS}/{name}"), options).0
    };
    assert_eq!(delete("a", json!([]), &json!({ "orphanDependents": false })), 200);
    assert_eq!(delete("b", json!(["example.com/f"]), &json!({ "orphanDependents": false })), 202);
    assert_eq!(delete("c", json!(["example.com/f"]), &json!({ "orphanDependents": true })), 200);
    assert_eq!(delete("d", json!(["example.com/f"]), &json!({ "propagationPolicy": "Background" })), 200);
    assert_eq!(delete("e", json!(["example.com/f"]), &Value::Null), 200);
}

#[test]
fn what_may_not_be_deleted() {
    let cluster = Cluster::new();
    let why = "namespaces \"default\" is forbidden: this namespace may not be deleted";
    check(&cluster, "DELETE /api/v1/namespaces/default", "", 403, why);
    let class = "DELETE /apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical";
    let why = "priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system priority class \
               and cannot be deleted";
    check(&cluster, class, "", 403, why);
}

/// A deletion in two steps compares preconditions by itself, and its error message says so.
#[test]
fn preconditions_that_do_not_hold() {
    let cluster = Cluster::new();
    let (code, namespace) = cluster.json("POST /api/v1/namespaces", &json!({ "metadata": { "name": "n" } }));
    assert_eq!(code, 201);
    let (uid, version) = (&namespace["metadata"]["uid"], &namespace["metadata"]["resourceVersion"]);
    let (uid, version) = (uid.as_str().unwrap_or_default(), version.as_str().unwrap_or_default());
    let failed = "Operation cannot be fulfilled on namespaces \"n\": Precondition failed:";
    for (body, why) in [
        (
            r#"{"preconditions":{"uid":"x"}}"#,
            format!("{failed} UID in precondition: x, UID in object meta: {uid}"),
        ),
        (
            r#"{"preconditions":{"resourceVersion":"1"}}"#,
            format!("{failed} ResourceVersion in precondition: 1, ResourceVersion in object meta: {version}"),
        ),
    ] {
        check(&cluster, "DELETE /api/v1/namespaces/n", body, 409, &why);
    }
}

#[test]
fn bodies_that_are_not_objects() {
    let cluster = Cluster::new();
    let post = format!("POST {MAPS}");
    let unrecognized = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json \
                        parse error: ";
    check(&cluster, &post, "", 400, &format!("{unrecognized}unexpected end of JSON input (<empty>)"));
    check(
        &cluster,
        &post,
        "{'a'}",
        400,
        &format!(
            "{unrecognized}invalid character '\\'' looking for beginning of object key string ({{'a'}})"
        ),
    );
    check(
        &cluster,
        &post,
        r#"{"metadata":{"name":5}}"#,
        400,
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct \
         field ObjectMeta.metadata.name of type string",
    );
    check(
        &cluster,
        &post,
        r#"{"kind":"Pod","apiVersion":"v1"}"#,
        400,
        "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown \
         conversion",
    );
    check(
        &cluster,
        &post,
        "{}",
        422,
        "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required",
    );
    let named = r#"{"metadata":{"name":"a","generateName":"a-"}}"#;
    check(&cluster, &post, named, 201, "ConfigMap");
    check(
        &cluster,
        &post,
        named,
        409,
        "configmaps \"a\" already exists, the server was not able to generate a unique name for the object",
    );
    let again = cluster.request(&post, named.to_owned());
    assert_eq!(again.headers().get("retry-after").map(|value| value.as_bytes()), Some(&b"1"[..]));
    let large = format!("{{\"metadata\":{{\"name\":\"a\"}},\"data\":{{\"k\":\"{}\"}}}}", "x".repeat(3 << 20));
    check(&cluster, &post, &large, 413, "Request entity too large: limit is 3145728");
}

/// A body may be larger than what is stored of it.
#[test]
fn objects_that_are_too_large_to_store() {
    let cluster = Cluster::new();
    let template = |size: usize| {
        let container = json!({"name": "c", "image": "i", "env": [{"name": "E", "value": "x".repeat(size)}]});
        json!({"metadata": {"name": "t"}, "template": {"spec": {"containers": [container]}}}).to_string()
    };
    let templates = "/api/v1/namespaces/default/podtemplates";
    let (post, put) = (format!("POST {templates}"), format!("PUT {templates}/t"));
    check(&cluster, &post, &template(1_600_000), 500, "etcdserver: request is too large");
    check(&cluster, &post, &template(1_500_000), 201, "PodTemplate");
    check(&cluster, &put, &template(1_600_000), 500, "etcdserver: request is too large");
    check(&cluster, &format!("{put}?dryRun=All"), &template(1_600_000), 200, "PodTemplate");
}

/// Checks that what fits without its managers is stored without them, unless it was applied.
#[test]
fn objects_that_are_too_large_with_their_managers() {
    let cluster = Cluster::new();
    let entries: Vec<String> =
        (0..9_999).map(|index| format!("\"k{index:05}{}\":\"v\"", "x".repeat(72))).collect();
    let map = |name: &str, more: &str| {
        format!("{{\"metadata\":{{\"name\":\"{name}\"{more}}},\"data\":{{{}}}}}", entries.join(","))
    };
    let check = |request: &str, body: String, has_managers: bool| {
        let response = cluster.request(request, body);
        assert!(response.status().is_success(), "{request}: {}", response.status());
        let text = String::from_utf8_lossy(response.body().bytes().expect("bytes")).into_owned();
        assert_eq!(text.contains("managedFields"), has_managers, "{request}");
    };
    check(&format!("POST {MAPS}"), map("a", ""), false);
    check(&format!("PUT {MAPS}/a"), map("a", r#","labels":{"b":"c"}"#), false);
    check(&format!("POST {MAPS}"), r#"{"metadata":{"name":"b"},"data":{"c":"d"}}"#.to_owned(), true);
    let apply = |data: &str| {
        let body = format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"e\"}},\"data\":{{{data}}}}}"
        );
        let request = Request::patch(format!("{MAPS}/e?fieldManager=m&force=true"));
        let request = request.header("content-type", "application/apply-patch+yaml").body(Bytes::from(body));
        cluster.send(request.expect("a request")).status().as_u16()
    };
    assert_eq!(apply(&entries.join(",")), 500);
    assert_eq!(cluster.request(&format!("GET {MAPS}/e"), String::new()).status(), 404);
    assert_eq!(apply("\"c\":\"d\""), 201);
    assert_eq!(apply(&entries.join(",")), 500);
    check(&format!("GET {MAPS}/e"), String::new(), true);
}

#[test]
fn media_types_that_are_not_spoken() {
    let cluster = Cluster::new();
    let send = |header: &str, value: &str| {
        let request = Request::post(MAPS).header(header, value).body(Bytes::from_static(b"a: b"));
        cluster.send(request.expect("a request")).status().as_u16()
    };
    assert_eq!(send("content-type", "text/plain"), 415);
    assert_eq!(send("accept", "text/html"), 406);
}

#[test]
fn tokens() {
    let alice = User {
        name: "alice".to_owned(),
        uid: String::new(),
        groups: vec!["system:masters".to_owned()],
        ..User::default()
    };
    let cluster = Cluster::with_tokens(Some(vec![("secret".to_owned(), alice)]));
    let send = |header: Option<&str>, path: &str| {
        let mut request = Request::get(path);
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        read(&cluster.send(request.body(Bytes::new()).expect("a request")))
    };
    assert_eq!(send(Some("Bearer secret"), MAPS).0, 200);
    assert_eq!(send(Some("Bearer wrong"), MAPS).0, 401);
    let (code, status) = send(None, MAPS);
    assert_eq!(
        (code, status["message"].as_str()),
        (
            403,
            Some(
                "configmaps is forbidden: User \"system:anonymous\" cannot list resource \"configmaps\" in API group \
                 \"\" in the namespace \"default\""
            )
        )
    );
    assert_eq!(send(None, "/healthz").0, 200);
}

#[test]
fn pages_keep_to_the_version_of_the_first() {
    let cluster = Cluster::new();
    for name in ["a", "b", "c"] {
        cluster.create(name, &json!({}));
    }
    let (_, first) = cluster.get(&format!("{MAPS}?limit=2"));
    assert_eq!(first["metadata"]["remainingItemCount"], 1);
    cluster.create("d", &json!({}));
    let token = first["metadata"]["continue"].as_str().unwrap_or_default();
    let (_, rest) = cluster.get(&format!("{MAPS}?limit=2&continue={token}"));
    assert_eq!(rest["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(version(&rest), version(&first));

    cluster.server.inspect().compact(u64::MAX);
    let (code, expired) = cluster.get(&format!("{MAPS}?limit=2&continue={token}"));
    assert_eq!((code, &expired["reason"]), (410, &json!("Expired")));
    let token = expired["metadata"]["continue"].as_str().unwrap_or_default();
    let (_, rest) = cluster.get(&format!("{MAPS}?continue={token}"));
    assert_eq!(rest["items"].as_array().map(Vec::len), Some(2), "what is left of the present state");
}

#[test]
fn pretty_json_is_for_people() {
    let cluster = Cluster::new();
    let body = |agent: &str| {
        let request =
            Request::get("/api/v1/namespaces/default").header("user-agent", agent).body(Bytes::new());
        match cluster.send(request.expect("a request")).into_body() {
            Body::Bytes(bytes) => bytes,
            Body::Stream(_) | Body::Upgrade(_) | Body::Cut => Bytes::new(),
        }
    };
    assert!(body("kubectl/v1.36").starts_with(b"{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\""));
    assert!(body("curl/8").starts_with(b"{\n  \"kind\": \"Namespace\",\n"));
}

#[test]
fn the_endpoints_go_with_their_service() {
    let cluster = Cluster::new();
    let services = "/api/v1/namespaces/default/services";
    let endpoints = "/api/v1/namespaces/default/endpoints";
    for (name, finalizers) in [("a", json!([])), ("b", json!(["x.io/y"]))] {
        let service = json!({ "metadata": { "name": name }, "spec": { "ports": [{ "port": 80 }] } });
        assert_eq!(cluster.json(&format!("POST {services}"), &service).0, 201);
        let own = json!({ "metadata": { "name": name, "finalizers": finalizers } });
        assert_eq!(cluster.json(&format!("POST {endpoints}"), &own).0, 201);
        assert_eq!(cluster.json(&format!("DELETE {services}/{name}?dryRun=All"), &json!(null)).0, 200);
        assert_eq!(cluster.get(&format!("{endpoints}/{name}")).0, 200);
        assert_eq!(cluster.json(&format!("DELETE {services}/{name}"), &json!(null)).0, 200);
    }
    assert_eq!(cluster.get(&format!("{endpoints}/a")).0, 404);
    assert_eq!(cluster.get(&format!("{endpoints}/b")).0, 200);
}
