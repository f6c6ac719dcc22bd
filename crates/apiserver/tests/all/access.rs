//! Tests of access control: RBAC roles and bindings from their first request to the last.

use crate::common::{Cluster, read};
use apiserver::inspect::{Attributes, Grant, PolicyRule};
use apiserver::{Config, User};
use http::Request;
use json_tree::{Value, json};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// A cluster with the tokens `admin` (of a master) and `alice` and `bob` (of users who are in the group `dev`).
fn cluster() -> Cluster {
    let user = |name: &str, group: &str| {
        let user = User { name: name.to_owned(), groups: vec![group.to_owned()], ..User::default() };
        (name.to_owned(), user)
    };
    let tokens = vec![user("admin", "system:masters"), user("alice", "dev"), user("bob", "dev")];
    Cluster::with_tokens(Some(tokens))
}

/// Sends a request with a token.
fn send(cluster: &Cluster, token: &str, line: &str, body: &Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut request = Request::builder().method(method).uri(path);
    if !token.is_empty() {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    if method == "PATCH" {
        request = request.header("Content-Type", "application/merge-patch+json");
    }
    read(&cluster.send(request.body(body.into()).unwrap()))
}

fn role(name: &str, rules: &Value) -> Value {
    json!({ "metadata": { "name": name }, "rules": rules })
}

fn binding(name: &str, kind: &str, role: &str, user: &str) -> Value {
    json!({
        "metadata": { "name": name },
        "subjects": [{ "kind": "User", "name": user }],
        "roleRef": { "kind": kind, "name": role },
    })
}

/// Sends as the master, and expects that it is done.
#[track_caller]
fn make(cluster: &Cluster, path: &str, body: &Value) {
    let (code, answer) = send(cluster, "admin", &format!("POST {RBAC}{path}"), body);
    assert_eq!(code, 201, "{answer}");
}

/// Sends without a body, and compares the code and, of a failure, the message.
#[track_caller]
fn check(cluster: &Cluster, token: &str, line: &str, code: u16, message: &str) {
    check_with(cluster, token, line, &Value::Null, code, message);
}

#[track_caller]
fn check_with(cluster: &Cluster, token: &str, line: &str, body: &Value, code: u16, message: &str) {
    let (found, answer) = send(cluster, token, line, body);
    let text = answer["message"].as_str().unwrap_or_default();
    assert_eq!((found, text), (code, message), "{token}: {line}");
}

#[test]
fn rights_come_and_go_with_their_bindings() {
    let cluster = cluster();
    let read = "GET /api/v1/namespaces/default/configmaps";
    let refusal = "configmaps is forbidden: User \"alice\" cannot list resource \"configmaps\" in API group \"\" in the \
                   namespace \"default\"";
    check(&cluster, "alice", read, 403, refusal);
    let rule = json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"] }]);
    make(&cluster, "/namespaces/default/rolebindings", &binding("b", "Role", "r", "alice"));
    let ghost = format!("{refusal}: RBAC: role.rbac.authorization.k8s.io \"r\" not found");
    check(&cluster, "alice", read, 403, &ghost);
    make(&cluster, "/namespaces/default/roles", &role("r", &rule));
    check(&cluster, "alice", read, 200, "");
    check(&cluster, "bob", read, 403, &refusal.replace("alice", "bob"));
    check(
        &cluster,
        "alice",
        "GET /api/v1/configmaps",
        403,
        &refusal.replace("in the namespace \"default\"", "at the cluster scope"),
    );
    send(&cluster, "admin", &format!("DELETE {RBAC}/namespaces/default/rolebindings/b"), &Value::Null);
    check(&cluster, "alice", read, 403, refusal);
}

#[test]
fn who_may_not_is_told_before_anything_else() {
    let cluster = cluster();
    let cases = [
        ("GET /", "forbidden: User \"alice\" cannot get path \"/\""),
        ("POST /nope", "forbidden: User \"alice\" cannot post path \"/nope\""),
        ("GET /%3Cb%3E", "forbidden: User \"alice\" cannot get path \"/&lt;b&gt;\""),
        (
            "GET /apis/e.com/v1/namespaces/n/things/t",
            "things.e.com \"t\" is forbidden: User \"alice\" cannot get resource \"things\" in API group \"e.com\" in the namespace \"n\"",
        ),
        (
            "PUT /api/v1/nodes",
            "nodes is forbidden: User \"alice\" cannot update resource \"nodes\" in API group \"\" at the cluster scope",
        ),
        (
            "OPTIONS /api/v1/nodes/n/status",
            "nodes \"n\" is forbidden: User \"alice\" cannot  resource \"nodes/status\" in API group \"\" at the cluster scope",
        ),
    ];
    for (line, message) in cases {
        check(&cluster, "alice", line, 403, message);
    }
    check(&cluster, "nobody", "GET /", 401, "Unauthorized");
    check(&cluster, "", "GET /", 403, "forbidden: User \"system:anonymous\" cannot get path \"/\"");
    check(&cluster, "alice", "GET /apis", 200, "");
    check(&cluster, "", "GET /version", 200, "");
    check(&cluster, "", "GET /apis", 403, "forbidden: User \"system:anonymous\" cannot get path \"/apis\"");
}

#[test]
fn nobody_gives_more_than_they_have() {
    let cluster = cluster();
    let own = json!([
        {
            "apiGroups": ["rbac.authorization.k8s.io"],
            "resources": ["clusterroles", "clusterrolebindings"],
            "verbs": ["create", "update", "patch", "get"],
        },
        { "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] },
    ]);
    make(&cluster, "/clusterroles", &role("own", &own));
    make(&cluster, "/clusterrolebindings", &binding("own", "ClusterRole", "own", "alice"));
    let create = format!("POST {RBAC}/clusterroles");
    let get = json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }]);
    let delete = json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get", "delete"] }]);
    check_with(&cluster, "alice", &create, &role("a", &get), 201, "");
    let held = "user \"alice\" (groups=[\"dev\" \"system:authenticated\"]) is attempting to grant RBAC permissions not \
                currently held:\n";
    let message = format!(
        "clusterroles.rbac.authorization.k8s.io \"b\" is forbidden: {held}{{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}}"
    );
    check_with(&cluster, "alice", &create, &role("b", &delete), 403, &message);
    let put = format!("PUT {RBAC}/clusterroles/b");
    check_with(&cluster, "alice", &put, &role("b", &delete), 403, &message);
    let gathers = json!({ "metadata": { "name": "c" }, "aggregationRule": { "clusterRoleSelectors": [{}] } });
    let message = "clusterroles.rbac.authorization.k8s.io \"c\" is forbidden: must have cluster-admin privileges to use an \
                   aggregationRule";
    check_with(&cluster, "alice", &create, &gathers, 403, message);
    let bind = format!("POST {RBAC}/clusterrolebindings");
    let message = format!(
        "clusterrolebindings.rbac.authorization.k8s.io \"x\" is forbidden: {held}{{APIGroups:[\"*\"], Resources:[\"*\"], \
         Verbs:[\"*\"]}}\n{{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}}"
    );
    check_with(
        &cluster,
        "alice",
        &bind,
        &binding("x", "ClusterRole", "cluster-admin", "alice"),
        403,
        &message,
    );
    check_with(
        &cluster,
        "alice",
        &bind,
        &binding("x", "ClusterRole", "nope", "alice"),
        404,
        "clusterrolebindings.rbac.authorization.k8s.io \"nope\" not found",
    );
    check_with(
        &cluster,
        "alice",
        &bind,
        &binding("x", "Role", "nope", "alice"),
        400,
        "Namespace parameter required.",
    );
    // What only keeps an object from being deleted gives no rights.
    let path = format!("PATCH {RBAC}/clusterroles/cluster-admin");
    check_with(&cluster, "alice", &path, &json!({ "metadata": { "finalizers": ["e.com/x"] } }), 200, "");
    let (code, _) = send(&cluster, "alice", &path, &json!({ "metadata": { "labels": { "a": "b" } } }));
    assert_eq!(code, 403);
}

#[test]
fn a_put_and_an_apply_that_create_need_the_right_to_create() {
    let cluster = cluster();
    let rule =
        json!([{ "apiGroups": ["", "coordination.k8s.io"], "resources": ["leases"], "verbs": ["update"] }]);
    make(&cluster, "/clusterroles", &role("r", &rule));
    make(&cluster, "/clusterrolebindings", &binding("b", "ClusterRole", "r", "alice"));
    let put = "PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    let message = "leases.coordination.k8s.io \"l\" is forbidden: User \"alice\" cannot create resource \"leases\" in API \
                   group \"coordination.k8s.io\" in the namespace \"default\"";
    check_with(&cluster, "alice", put, &json!({ "metadata": { "name": "l" } }), 403, message);
    check_with(&cluster, "admin", put, &json!({ "metadata": { "name": "l" } }), 201, "");
}

#[test]
fn a_role_that_gathers_others_has_their_rules() {
    let cluster = cluster();
    make(&cluster, "/namespaces/default/rolebindings", &binding("v", "ClusterRole", "view", "alice"));
    make(&cluster, "/namespaces/default/rolebindings", &binding("a", "ClusterRole", "admin", "bob"));
    check(&cluster, "alice", "GET /api/v1/namespaces/default/pods", 200, "");
    check(&cluster, "bob", "GET /api/v1/namespaces/default/pods", 200, "");
    check(&cluster, "bob", "GET /api/v1/namespaces/default/secrets", 200, "");
    let (code, _) = send(&cluster, "alice", "GET /api/v1/namespaces/default/secrets", &Value::Null);
    assert_eq!(code, 403);
    let more = json!({
        "metadata": { "name": "more", "labels": { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
        "rules": [{ "apiGroups": [""], "resources": ["secrets"], "verbs": ["list"] }],
    });
    make(&cluster, "/clusterroles", &more);
    check(&cluster, "alice", "GET /api/v1/namespaces/default/secrets", 200, "");
}

#[test]
fn reviews_agree_with_what_is_done() {
    let cluster = cluster();
    make(
        &cluster,
        "/namespaces/default/rolebindings",
        &binding("v", "ClusterRole", "system:kube-dns", "alice"),
    );
    let review = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let ask = |attributes: Value| {
        send(&cluster, "alice", review, &json!({ "spec": { "resourceAttributes": attributes } })).1
    };
    let answer = ask(json!({ "namespace": "default", "verb": "list", "resource": "services" }));
    let reason =
        "RBAC: allowed by RoleBinding \"v/default\" of ClusterRole \"system:kube-dns\" to User \"alice\"";
    assert_eq!(answer["status"], json!({ "allowed": true, "reason": reason }));
    let answer = ask(
        json!({ "verb": "list", "resource": "services", "fieldSelector": { "rawSelector": "a" },
        "labelSelector": { "requirements": [{ "key": "a", "operator": "Exists" }, { "key": "a", "operator": "Like" }] } }),
    );
    let error = "spec.resourceAttributes.fieldSelector ignored due to parse error; \
                 spec.resourceAttributes.labelSelector partially ignored due to parse error";
    assert_eq!(answer["status"], json!({ "allowed": false, "evaluationError": error }));
    let rules = "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let (_, answer) = send(&cluster, "alice", rules, &json!({ "spec": { "namespace": "default" } }));
    let own =
        json!({ "verbs": ["list", "watch"], "apiGroups": [""], "resources": ["endpoints", "services"] });
    assert_eq!(answer["status"]["resourceRules"].as_array().and_then(|rules| rules.last()), Some(&own));
    assert_eq!(answer["status"]["incomplete"], false);
}

#[test]
fn the_rule_that_allows_a_request_can_be_told() {
    let cluster = cluster();
    let inspect = cluster.server.inspect();
    let request = |token: &str| {
        let request = Request::builder().uri("/apis").header("Authorization", format!("Bearer {token}"));
        request.body(bytes::Bytes::new()).unwrap()
    };
    let alice = inspect.user(&request("alice")).expect("she is known");
    let asked = inspect.attributes(&request("alice")).expect("the path is whole");
    assert_eq!((asked.verb.as_str(), asked.path.as_str()), ("get", "/apis"));
    let access = inspect.decision(&alice, &asked);
    let urls: Vec<String> = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ]
    .map(str::to_owned)
    .into();
    let grant = Grant {
        namespace: String::new(),
        binding: "system:discovery".to_owned(),
        role_kind: "ClusterRole".to_owned(),
        role: "system:discovery".to_owned(),
        subject: "Group \"system:authenticated\"".to_owned(),
        rule: PolicyRule { verbs: vec!["get".to_owned()], non_resource_urls: urls, ..PolicyRule::default() },
    };
    assert_eq!((access.allowed, access.grant), (true, Some(grant)));
    let other = Attributes { path: "/metrics".to_owned(), ..asked };
    assert!(!inspect.decision(&alice, &other).allowed);
    assert_eq!(inspect.user(&request("nope")), None);
}

#[test]
fn a_cluster_begins_with_more_than_namespaces() {
    let cluster = Cluster::new();
    let get = |path: &str| cluster.json(&format!("GET {path}"), &Value::Null).1;
    for (path, count) in [
        (format!("{RBAC}/namespaces/kube-system/roles"), 6),
        (format!("{RBAC}/namespaces/kube-public/rolebindings"), 1),
        ("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas".to_owned(), 11),
        ("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations".to_owned(), 8),
        ("/apis/scheduling.k8s.io/v1/priorityclasses".to_owned(), 2),
        ("/apis/networking.k8s.io/v1/servicecidrs".to_owned(), 1),
        ("/api/v1/services".to_owned(), 1),
        ("/api/v1/endpoints".to_owned(), 1),
        ("/apis/discovery.k8s.io/v1/endpointslices".to_owned(), 1),
    ] {
        let list = get(&path);
        assert_eq!(list["items"].as_array().map(Vec::len), Some(count), "{path}");
        for object in list["items"].as_array().into_iter().flatten() {
            // They are from before the first revision, and the server's own.
            assert_eq!(object["metadata"]["resourceVersion"], "99");
            let managers = object["metadata"]["managedFields"].as_array();
            let manager = managers.and_then(|managers| managers.last()?["manager"].as_str());
            let flows =
                path.contains("flowcontrol").then_some("api-priority-and-fairness-config-producer-v1");
            assert_eq!(manager, flows.or(Some("kube-apiserver")), "{path}");
            // What is there is what would be accepted.
            let mut object = object.clone();
            object["kind"] = list["kind"].as_str().map(|kind| kind.trim_end_matches("List")).into();
            object["apiVersion"] = list["apiVersion"].clone();
            let metadata = &object["metadata"];
            let namespace = metadata["namespace"].as_str().map(|name| format!("/namespaces/{name}"));
            let base = path.split("/namespaces").next().unwrap_or_default();
            let (base, plural) = base
                .rsplit_once('/')
                .filter(|_| !path.contains("/namespaces/"))
                .unwrap_or((base, path.rsplit('/').next().unwrap()));
            let name = metadata["name"].as_str().unwrap();
            let line = format!("PUT {base}{}/{plural}/{name}", namespace.unwrap_or_default());
            let (code, answer) = cluster.json(&line, &object);
            assert_eq!(
                (code, &answer["metadata"]["resourceVersion"]),
                (200, &json!("99")),
                "{line}: {answer}"
            );
        }
    }
    assert_eq!(get("/api/v1/namespaces/kube-system")["metadata"]["resourceVersion"], "100");
}

#[test]
fn who_approves_certificates_needs_a_right_for_the_signer() {
    let cluster = cluster();
    let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let pem = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIY01JR0NBZ0VBTUNBeEVEQU9CZ05WQkFNTUIzTnZiV1Z2Ym1VeEREQUtCZ05WQkFvTUEyUmxkakJaTUJNRwpCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQk1tNDdRZDZnNDNNVUR3TjhkTU43ak5WYUo1a3ZGZXNiZ01PCnBYQnNXdlNlaGZKdUxBVlpkUm1OVm9MNWxlUGhIUStHWHl1a3lTWFlCWDZZbXgveHB1Q2dBREFLQmdncWhrak8KUFFRREFnTkpBREJHQWlFQTFFSTdUeE1KMGJML2JudDFFU2NkTk02VDJaN3V2WFB5Y201dVhPTkdVcWdDSVFDbQpHN3Ftei9EcnRHQzZBQnlmdGIxMGRsWGZaZW53OFlhYUZNd2NFQ2R4VWc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
    let spec = json!({ "request": pem, "signerName": "a.io/b", "usages": ["client auth"] });
    let request = json!({ "metadata": { "name": "r" }, "spec": spec });
    assert_eq!(send(&cluster, "admin", &format!("POST {requests}"), &request).0, 201);
    let write = json!({
        "apiGroups": ["certificates.k8s.io"], "verbs": ["update", "patch"],
        "resources": ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
    });
    let signers = |verbs: Value, names: Value| json!({ "apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "verbs": verbs, "resourceNames": names });
    let bob = signers(json!(["approve", "sign"]), json!(["a.io/*"]));
    for (name, rules) in [
        ("alice", json!([write, signers(json!(["approve"]), json!(["a.io/c"]))])),
        ("bob", json!([write, bob])),
    ] {
        make(&cluster, "/clusterroles", &role(name, &rules));
        make(&cluster, "/clusterrolebindings", &binding(name, "ClusterRole", name, name));
    }
    let condition = |ty: &str| json!({ "status": { "conditions": [{ "type": ty, "status": "True" }] } });
    let refused = |what: &str| {
        format!(
            "certificatesigningrequests.certificates.k8s.io \"r\" is forbidden: user not permitted to {what} requests \
             with signerName \"a.io/b\""
        )
    };
    for (token, part, body, code, message) in [
        ("alice", "approval", condition("Approved"), 403, refused("approve")),
        ("alice", "status", condition("Failed"), 403, refused("sign")),
        ("alice", "status", json!({ "metadata": { "annotations": { "a": "b" } } }), 200, String::new()),
        ("bob", "approval", condition("Approved"), 200, String::new()),
    ] {
        check_with(&cluster, token, &format!("PATCH {requests}/r/{part}"), &body, code, &message);
    }
}

#[test]
fn a_node_has_the_rules_of_nodes_but_for_what_its_pods_decide() {
    let groups = ["system:nodes", "system:authenticated"].map(str::to_owned).to_vec();
    let node = User { name: "system:node:a".to_owned(), groups, ..User::default() };
    let cluster = Cluster::with_tokens(Some(vec![("node".to_owned(), node)]));
    check(&cluster, "node", "GET /api/v1/services", 200, "");
    let refused = |line: &str, verb: &str, resource: &str, group: &str, place: &str| {
        let message = format!(
            "{resource} is forbidden: User \"system:node:a\" cannot {verb} resource \"{}\" in API group \"{group}\" {place}",
            resource.split([' ', '.']).next().unwrap()
        );
        check(&cluster, "node", line, 403, &message);
    };
    let everywhere = "at the cluster scope";
    refused("GET /api/v1/secrets", "list", "secrets", "", everywhere);
    refused("GET /api/v1/pods", "list", "pods", "", everywhere);
    let default = "in the namespace \"default\"";
    refused("GET /api/v1/namespaces/default/secrets/s", "get", "secrets \"s\"", "", default);
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    let (code, lease) =
        send(&cluster, "node", &format!("POST {leases}"), &json!({ "metadata": { "name": "a" } }));
    assert_eq!(code, 201, "{lease}");
    check(&cluster, "node", &format!("GET {leases}/a"), 200, "");
    let place = "in the namespace \"kube-node-lease\"";
    refused(
        &format!("GET {leases}/b"),
        "get",
        "leases.coordination.k8s.io \"b\"",
        "coordination.k8s.io",
        place,
    );
    let rules = "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let (_, answer) = send(&cluster, "node", rules, &json!({ "spec": { "namespace": "default" } }));
    assert_eq!(answer["status"]["incomplete"], true);
    assert_eq!(answer["status"]["evaluationError"], "node authorizer does not support user rule resolution");
}

#[test]
fn a_node_reads_what_the_pods_on_it_refer_to() {
    let groups = ["system:nodes", "system:authenticated"].map(str::to_owned).to_vec();
    let user = |token: &str, name: &str, groups: &[String]| {
        (token.to_owned(), User { name: name.to_owned(), groups: groups.to_vec(), ..User::default() })
    };
    let masters = ["system:masters".to_owned()];
    let nodes = [user("a", "system:node:a", &groups), user("b", "system:node:b", &groups)];
    let cluster =
        Cluster::with_tokens(Some([vec![user("admin", "root", &masters)], nodes.to_vec()].concat()));
    let create = |plural: &str, body: &Value| {
        let (code, answer) =
            send(&cluster, "admin", &format!("POST /api/v1/namespaces/default/{plural}"), body);
        assert_eq!(code, 201, "{answer}");
    };
    create("serviceaccounts", &json!({ "metadata": { "name": "default" } }));
    for name in ["mounted", "other"] {
        create("configmaps", &json!({ "metadata": { "name": name } }));
        create("secrets", &json!({ "metadata": { "name": name } }));
    }
    create(
        "pods",
        &json!({ "metadata": { "name": "p" }, "spec": {
            "nodeName": "a",
            "containers": [{ "name": "c", "image": "i", "envFrom": [{ "configMapRef": { "name": "mounted" } }] }],
            "volumes": [{ "name": "v", "secret": { "secretName": "mounted" } }],
        } }),
    );
    let read = |token: &str, verb: &str, object: &str| {
        let line = format!("{verb} /api/v1/namespaces/default/{object}");
        let (code, _) = send(&cluster, token, &line, &Value::Null);
        let (plural, name) = object.split_once('/').unwrap();
        let asked =
            json!({ "namespace": "default", "verb": verb.to_lowercase(), "resource": plural, "name": name });
        let review = json!({ "spec": { "resourceAttributes": asked } });
        let reviews = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let (_, answer) = send(&cluster, token, reviews, &review);
        assert_eq!(answer["status"]["allowed"], code == 200, "{token}: {line}");
        code
    };
    for plural in ["configmaps", "secrets"] {
        assert_eq!(read("a", "GET", &format!("{plural}/mounted")), 200);
        assert_eq!(read("b", "GET", &format!("{plural}/mounted")), 403);
        assert_eq!(read("a", "GET", &format!("{plural}/other")), 403);
        assert_eq!(read("a", "DELETE", &format!("{plural}/mounted")), 403);
    }
}

#[test]
fn all_is_allowed_if_the_server_says_so() {
    let user = |name: &str| (name.to_owned(), User { name: name.to_owned(), ..User::default() });
    let cluster =
        Cluster::with(|config| Config { tokens: Some(vec![user("alice")]), always_allows: true, ..config });
    check(&cluster, "", "GET /api/v1/namespaces", 401, "Unauthorized");
    check(&cluster, "alice", "GET /api/v1/namespaces", 200, "");
    // Whoever may do everything may give it to others.
    let rule = json!([{ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] }]);
    let line = format!("POST {RBAC}/clusterroles");
    check_with(&cluster, "alice", &line, &role("r", &rule), 201, "");
    let ask = |kind: &str, spec: Value| {
        let line = format!("POST /apis/authorization.k8s.io/v1/{kind}");
        send(&cluster, "alice", &line, &json!({ "spec": spec })).1["status"].clone()
    };
    let access =
        ask("selfsubjectaccessreviews", json!({"resourceAttributes": {"verb": "get", "resource": "pods"}}));
    assert_eq!(access, json!({"allowed": true}));
    let rules = ask("selfsubjectrulesreviews", json!({"namespace": "default"}));
    let last = |list: &str| rules[list].as_array().unwrap().last().cloned();
    assert_eq!(last("resourceRules"), Some(json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})));
    assert_eq!(last("nonResourceRules"), Some(json!({"verbs": ["*"], "nonResourceURLs": ["*"]})));
}
