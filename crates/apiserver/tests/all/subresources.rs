//! Subresources, and what is asked for and never stored.

use crate::common::{Cluster, read, version};
use apiserver::{Component, User};
use http::Request;
use json_tree::{Value, json};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const PODS: &str = "/api/v1/namespaces/default/pods";
const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

#[track_caller]
fn create(cluster: &Cluster, collection: &str, object: &Value) -> Value {
    let (code, created) = cluster.json(&format!("POST {collection}"), object);
    assert_eq!(code, 201, "{created}");
    created
}

fn pod(name: &str, node: &str) -> Value {
    json!({
        "metadata": { "name": name, "labels": { "app": "a" } },
        "spec": { "containers": [{ "name": "c", "image": "i" }], "nodeName": node },
    })
}

/// Sends a request and compares the status code and the message; a refusal has written nothing.
#[track_caller]
fn check(cluster: &Cluster, line: &str, body: &Value, code: u16, message: &str) {
    let before = cluster.server.inspect().overview().revision;
    let (got, answer) = cluster.json(line, body);
    let told = answer["message"].as_str().unwrap_or_default();
    assert_eq!((got, told), (code, message), "{line} {answer}");
    if code >= 400 {
        assert_eq!(
            cluster.server.inspect().overview().revision,
            before,
            "a refused request has written something"
        );
    }
}

#[test]
fn a_scale_is_its_workload_s() {
    let cluster = Cluster::new();
    let selector = json!({ "matchLabels": { "a": "b" } });
    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": pod("p", "")["spec"] });
    let deployment =
        json!({ "metadata": { "name": "d" }, "spec": { "selector": selector, "template": template } });
    let created = create(&cluster, DEPLOYMENTS, &deployment);
    let scale = |replicas: Value| json!({ "metadata": { "name": "d" }, "spec": { "replicas": replicas } });
    let (_, scaled) = cluster.json(&format!("PUT {DEPLOYMENTS}/d/scale"), &scale(json!(3)));
    assert_eq!(scaled["kind"], "Scale");
    assert_eq!(scaled["status"], json!({ "replicas": 0, "selector": "a=b" }));
    assert_eq!(version(&scaled), version(&created) + 1);
    let (_, deployment) = cluster.get(&format!("{DEPLOYMENTS}/d"));
    assert_eq!(
        (&deployment["spec"]["replicas"], &deployment["metadata"]["generation"]),
        (&json!(3), &json!(2))
    );
    let (_, tried) = cluster.json(&format!("PUT {DEPLOYMENTS}/d/scale?dryRun=All"), &scale(json!(5)));
    assert_eq!(tried["spec"]["replicas"], 5);
    assert_eq!(cluster.get(&format!("{DEPLOYMENTS}/d/scale")).1, scaled);
    let negative = "Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0";
    check(&cluster, &format!("PUT {DEPLOYMENTS}/d/scale"), &scale(json!(-1)), 422, negative);
}

#[test]
fn a_pod_is_bound_once() {
    let cluster = Cluster::new();
    create(&cluster, PODS, &pod("p", ""));
    let binding = json!({ "metadata": { "name": "p" }, "target": { "kind": "Node", "name": "n" } });
    check(&cluster, "POST /api/v1/namespaces/default/bindings?dryRun=All", &binding, 201, "");
    check(&cluster, "POST /api/v1/namespaces/default/bindings", &binding, 201, "");
    let bound =
        "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"";
    check(&cluster, &format!("POST {PODS}/p/binding"), &binding, 409, bound);
    let (_, pod) = cluster.get(&format!("{PODS}/p"));
    assert_eq!(pod["spec"]["nodeName"], "n");
    assert_eq!(pod["status"]["conditions"][0]["lastTransitionTime"], "2026-01-01T00:00:00Z");
}

#[test]
fn an_eviction_needs_a_budget_that_allows_it() {
    let cluster = Cluster::new();
    create(&cluster, PODS, &pod("p", "n"));
    let mut status = pod("p", "n");
    status["status"] = json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] });
    cluster.json(&format!("PUT {PODS}/p/status"), &status);
    let mut budget = create(
        &cluster,
        BUDGETS,
        &json!({ "metadata": { "name": "b" }, "spec": { "selector": { "matchLabels": { "app": "a" } } } }),
    );
    let evict = format!("POST {PODS}/p/eviction");
    let eviction = json!({ "metadata": { "name": "p" } });
    let refused = "Cannot evict pod as it would violate the pod's disruption budget.";
    check(&cluster, &evict, &eviction, 429, refused);
    budget["status"] = json!({ "observedGeneration": 1, "disruptionsAllowed": 1, "currentHealthy": 1, "desiredHealthy": 0, "expectedPods": 1 });
    let (code, answer) = cluster.json(&format!("PUT {BUDGETS}/b/status"), &budget);
    assert_eq!(code, 200, "{answer}");
    let uid = json!({ "metadata": { "name": "p" }, "deleteOptions": { "preconditions": { "uid": "x" } } });
    assert_eq!(cluster.json(&format!("{evict}?dryRun=All"), &uid).0, 409);
    let before = cluster.server.inspect().overview().revision;
    check(&cluster, &format!("{evict}?dryRun=All"), &eviction, 201, "");
    assert_eq!(cluster.server.inspect().overview().revision, before, "a dry run writes nothing");
    check(&cluster, &evict, &eviction, 201, "");
    let (_, budget) = cluster.get(&format!("{BUDGETS}/b"));
    assert_eq!(budget["status"]["disruptionsAllowed"], 0);
    let (_, pod) = cluster.get(&format!("{PODS}/p"));
    assert_eq!(pod["status"]["conditions"][1]["type"], "DisruptionTarget");
    assert!(pod["metadata"]["deletionTimestamp"].is_string(), "{pod}");
}

#[test]
fn a_namespace_goes_with_its_last_finalizer() {
    let cluster = Cluster::new();
    create(&cluster, "/api/v1/namespaces", &json!({ "metadata": { "name": "n" } }));
    let finalize = |finalizers: Value| {
        let body = json!({ "metadata": { "name": "n" }, "spec": { "finalizers": finalizers } });
        cluster.json("PUT /api/v1/namespaces/n/finalize", &body).0
    };
    assert_eq!(finalize(json!(["kubernetes", "a.io/b"])), 200);
    cluster.json("DELETE /api/v1/namespaces/n", &Value::Null);
    assert_eq!(finalize(json!(["a.io/b"])), 200);
    assert_eq!(cluster.get("/api/v1/namespaces/n").1["status"]["phase"], "Terminating");
    assert_eq!(finalize(json!([])), 200);
    assert_eq!(cluster.get("/api/v1/namespaces/n").0, 404);
}

#[test]
fn no_kubelet_answers() {
    let cluster = Cluster::new();
    create(&cluster, PODS, &pod("p", "n"));
    let log = format!("GET {PODS}/p/log");
    check(&cluster, &log, &Value::Null, 404, "pods \"n\" not found");
    let addresses = json!([{ "type": "InternalIP", "address": "10.1.2.3" }]);
    create(
        &cluster,
        "/api/v1/nodes",
        &json!({ "metadata": { "name": "n" }, "status": { "addresses": addresses } }),
    );
    let away = "Get \"https://10.1.2.3:10250/containerLogs/default/p/c\": dial tcp 10.1.2.3:10250: connect: connection refused";
    check(&cluster, &log, &Value::Null, 500, away);
    let unreachable = "error trying to reach service: dial tcp 10.1.2.3:10250: connect: connection refused";
    check(&cluster, "GET /api/v1/nodes/https:n:10250/proxy/stats", &Value::Null, 503, unreachable);
    check(&cluster, "GET /api/v1/nodes/a:b:c:d/proxy", &Value::Null, 400, "invalid node request \"a:b:c:d\"");
    let elsewhere = "error trying to reach service: dial tcp 10.1.2.3:80: connect: connection refused";
    check(&cluster, "GET /api/v1/nodes/n:80/proxy/", &Value::Null, 503, elsewhere);
    let addresses = json!([{ "type": "InternalIP", "address": "127.0.0.1" }]);
    let node = json!({ "metadata": { "name": "here" }, "status": { "addresses": addresses } });
    create(&cluster, "/api/v1/nodes", &node);
    check(&cluster, "GET /api/v1/nodes/here:80/proxy/", &Value::Null, 400, "address not allowed");
}

#[test]
fn reviews_know_who_has_a_token() {
    let user = User {
        name: "alice".to_owned(),
        uid: "2".to_owned(),
        groups: vec!["system:masters".to_owned()],
        ..User::default()
    };
    let cluster = Cluster::with_tokens(Some(vec![("secret".to_owned(), user)]));
    let ask = |path: &str, body: Value| {
        let request = Request::post(path).header("Authorization", "Bearer secret");
        let (code, answer) = read(&cluster.send(request.body(body.to_string().into()).expect("a request")));
        assert_eq!(code, 201, "{answer}");
        answer["status"].clone()
    };
    let alice =
        json!({ "username": "alice", "uid": "2", "groups": ["system:masters", "system:authenticated"] });
    let who = ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", json!({}));
    assert_eq!(who, json!({ "userInfo": alice }));
    let whose = |token: &str| {
        ask("/apis/authentication.k8s.io/v1/tokenreviews", json!({ "spec": { "token": token } }))["user"]
            .clone()
    };
    assert_eq!((whose("secret"), whose("other")), (alice, json!({})));
    let may = |group: &str| {
        let asked = json!({ "verb": "get", "resource": "pods" });
        let body = json!({ "spec": { "groups": [group], "resourceAttributes": asked } });
        ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", body)["allowed"].clone()
    };
    assert_eq!((may("system:masters"), may("dev")), (json!(true), json!(false)));
    assert_eq!(cluster.server.inspect().overview().revision, 103, "nothing is stored");
}

#[test]
fn a_service_account_s_token_is_its_own_for_a_while() {
    const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
    let groups = vec!["system:masters".to_owned()];
    let user = User { name: "alice".to_owned(), groups, ..User::default() };
    let cluster = Cluster::with_tokens(Some(vec![("secret".to_owned(), user)]));
    let send = |method: &str, path: &str, token: &str, body: &Value| {
        let request =
            Request::builder().method(method).uri(path).header("Authorization", format!("Bearer {token}"));
        read(&cluster.send(request.body(body.to_string().into()).expect("a request")))
    };
    let path = format!("{ACCOUNTS}/robot/token");
    let (code, answer) = send("POST", &path, "secret", &json!({}));
    assert_eq!((code, &answer["message"]), (404, &json!("serviceaccounts \"robot\" not found")));
    assert_eq!(send("POST", ACCOUNTS, "secret", &json!({ "metadata": { "name": "robot" } })).0, 201);
    for (spec, code, message) in [
        (
            json!({ "expirationSeconds": 1 }),
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes",
        ),
        (
            json!({ "boundObjectRef": { "kind": "Pod", "apiVersion": "v1", "name": "p" } }),
            404,
            "pods \"p\" not found",
        ),
        (
            json!({ "boundObjectRef": { "kind": "ConfigMap", "apiVersion": "v1", "name": "p" } }),
            400,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
        ),
    ] {
        let (got, answer) = send("POST", &path, "secret", &json!({ "spec": spec }));
        assert_eq!((got, answer["message"].as_str().unwrap_or_default()), (code, message));
    }
    assert_eq!(send("POST", "/api/v1/nodes", "secret", &json!({ "metadata": { "name": "n" } })).0, 201);
    let node = json!({ "boundObjectRef": { "kind": "Node", "apiVersion": "v1", "name": "n" } });
    assert_eq!(send("POST", &path, "secret", &json!({ "spec": node })).0, 201);
    let (code, made) = send("POST", &path, "secret", &json!({ "spec": { "expirationSeconds": 600 } }));
    assert_eq!((code, &made["kind"]), (201, &json!("TokenRequest")), "{made}");
    let token = made["status"]["token"].as_str().unwrap_or_default().to_owned();
    let who =
        |token: &str| send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", token, &json!({}));
    let (code, review) = who(&token);
    assert_eq!(
        (code, &review["status"]["userInfo"]["username"]),
        (201, &json!("system:serviceaccount:default:robot"))
    );
    assert_eq!(who(&token[..token.len() - 1]).0, 401);
    cluster.clock.advance(std::time::Duration::from_secs(601));
    assert_eq!(who(&token).0, 401);
    let (_, fresh) = send("POST", &path, "secret", &json!({}));
    let token = fresh["status"]["token"].as_str().unwrap_or_default().to_owned();
    assert_eq!(who(&token).0, 201);
    assert_eq!(send("DELETE", &format!("{ACCOUNTS}/robot"), "secret", &Value::Null).0, 200);
    assert_eq!(who(&token).0, 401);
}

/// A write of the status may change all of the metadata, except the labels of Deployments, unless the kind lets a write
/// of its status change only the status. A field manager that applies a status owns the metadata that it may change.
#[test]
fn metadata_written_with_a_status() {
    let cluster = Cluster::new();
    let check = |resource: &str, body: Value, taken: &[&str], owned: bool| {
        let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let (code, created) = cluster.json(&format!("POST {resource}"), &body);
        assert_eq!(code, 201, "{created}");
        let (kind, version) = (&created["kind"], &created["apiVersion"]);
        let metadata = json!({ "name": name, "labels": { "l": "1" }, "annotations": { "a": "1" } });
        let configuration = json!({ "apiVersion": version, "kind": kind, "metadata": metadata });
        let request = Request::patch(format!("{resource}/{name}/status?fieldManager=m"))
            .header("content-type", "application/apply-patch+yaml")
            .body(configuration.to_string().into());
        let (code, object) = read(&cluster.send(request.expect("a request")));
        assert_eq!(code, 200, "{object}");
        let got: Vec<&str> = ["labels", "annotations"]
            .into_iter()
            .filter(|field| object["metadata"].get(field).is_some_and(|map| map.get(&field[..1]).is_some()))
            .collect();
        assert_eq!(got, taken, "{resource}");
        let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let owns = |entry: &Value| entry["manager"] == "m" && entry["fieldsV1"].get("f:metadata").is_some();
        assert_eq!(entries.iter().any(owns), owned, "{resource}");
    };
    let all = &["labels", "annotations"][..];
    let named = |name: &str, rest: Value| {
        let mut body = json!({ "metadata": { "name": name } });
        if let (Some(body), Value::Object(rest)) = (body.as_object_mut(), rest) {
            body.extend(rest);
        }
        body
    };
    let spec = |spec: Value| json!({ "spec": spec });
    let core = "/api/v1/namespaces/default";
    check("/api/v1/nodes", named("n", json!({})), all, true);
    check(&format!("{core}/services"), named("s", spec(json!({ "ports": [{ "port": 80 }] }))), all, true);
    check(&format!("{core}/resourcequotas"), named("q", spec(json!({ "hard": { "pods": "1" } }))), all, true);
    let volume = json!({ "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "1" }, "hostPath": { "path": "/a" } });
    check("/api/v1/persistentvolumes", named("v", spec(volume)), all, true);
    let claim = json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1" } } });
    check(&format!("{core}/persistentvolumeclaims"), named("c", spec(claim)), all, true);
    let backend = json!({ "defaultBackend": { "service": { "name": "s", "port": { "number": 1 } } } });
    let networking = "/apis/networking.k8s.io/v1";
    check(&format!("{networking}/namespaces/default/ingresses"), named("i", spec(backend)), all, true);
    check(
        &format!("{networking}/servicecidrs"),
        named("r", spec(json!({ "cidrs": ["192.168.0.0/16"] }))),
        &[],
        false,
    );
    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let deployment = json!({ "selector": { "matchLabels": { "a": "b" } }, "template": template });
    check(
        "/apis/apps/v1/namespaces/default/deployments",
        named("d", spec(deployment)),
        &["annotations"],
        true,
    );
    let rules = json!([{ "apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"] }]);
    let policy =
        json!({ "matchConstraints": { "resourceRules": rules }, "validations": [{ "expression": "true" }] });
    check(
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
        named("p", spec(policy)),
        &[],
        false,
    );
    let version = json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } } });
    let definition = json!({
        "group": "example.com", "scope": "Cluster", "versions": [version],
        "names": { "plural": "widgets", "kind": "Widget" },
    });
    check(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        named("widgets.example.com", spec(definition)),
        all,
        true,
    );
}

#[test]
fn component_statuses_tell_of_what_runs() {
    let cluster = Cluster::new();
    let path = "/api/v1/componentstatuses";
    let check = |query: &str, expected: &[&str]| {
        let (code, list) = cluster.get(&format!("{path}{query}"));
        assert_eq!((code, &list["metadata"]), (200, &json!({})), "{query}");
        let items = list["items"].as_array().into_iter().flatten().map(|item| {
            let condition = &item["conditions"][0];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            [&item["metadata"]["name"], &condition["status"], &condition["message"]].map(text).join(" ")
        });
        assert_eq!(items.collect::<Vec<_>>(), expected, "{query}");
    };
    let refused = |name: &str, port: u16| {
        format!(
            "{name} False Get \"https://127.0.0.1:{port}/healthz\": dial tcp 127.0.0.1:{port}: connect: connection refused"
        )
    };
    let manager = refused("controller-manager", 10257);
    let nobody = [manager.as_str(), &refused("scheduler", 10259), "etcd-0 True ok"];
    check("", &nobody);
    {
        let _scheduler = cluster.server.run_component(Component::Scheduler);
        check("", &[nobody[0], "scheduler True ok", nobody[2]]);
        let _manager = cluster.server.run_component(Component::ControllerManager);
        let other = cluster.server.run_component(Component::ControllerManager);
        drop(other);
        let all = ["controller-manager True ok", "scheduler True ok", "etcd-0 True ok"];
        check("", &all);
        check("?limit=1", &all);
        check("?fieldSelector=metadata.name%3Dscheduler", &all[1..2]);
        check("?fieldSelector=metadata.name!%3Dscheduler,metadata.namespace%3D", &[all[0], all[2]]);
        check("?fieldSelector=metadata.namespace%3Dx", &[]);
        check("?labelSelector=a", &[]);
        check("?labelSelector=!a", &all);
        let one = cluster.get(&format!("{path}/etcd-0")).1;
        let expected = json!({
            "kind": "ComponentStatus",
            "apiVersion": "v1",
            "metadata": {"name": "etcd-0"},
            "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}],
        });
        assert_eq!(one, expected);
    }
    check("", &nobody);
    assert_eq!(cluster.get(&format!("{path}/kubelet")).0, 404);
    assert_eq!(cluster.get(&format!("{path}?watch=1")).0, 405);
    assert_eq!(cluster.get("/api/v1/watch/componentstatuses").0, 404);
}
