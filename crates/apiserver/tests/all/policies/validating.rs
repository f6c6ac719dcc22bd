//! Policies that refuse, warn and audit.

use super::*;

#[test]
fn a_denial_is_a_status() {
    let cluster = Cluster::new();
    bind(
        &cluster,
        "p",
        &rule(&["CREATE", "UPDATE"], "", "v1", &["configmaps"]),
        "has(object.data) && object.data.a == 'b'",
        &["Deny", "Audit"],
    );
    check(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({ "a": "b" })), 201, "");
    let (code, status) =
        cluster.json(&format!("PUT {CONFIG_MAPS}/a"), &config_map("a", &json!({ "a": "c" })));
    let why = "ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: failed expression: has(object.data) && object.data.a == 'b'";
    assert_eq!(code, 422);
    assert_eq!(
        status.to_string(),
        json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": format!("configmaps \"a\" is forbidden: {why}"),
            "reason": "Invalid",
            "details": { "name": "a", "kind": "configmaps", "causes": [{ "message": why }] },
            "code": 422,
        })
        .to_string()
    );
    let generated = json!({ "metadata": { "generateName": "x-" }, "data": { "a": "c" } });
    let (code, status) = cluster.json(&format!("POST {CONFIG_MAPS}?dryRun=All"), &generated);
    assert_eq!((code, status["details"]["name"].as_str().is_some_and(|name| name.len() == 7)), (422, true));
    let patch = Request::builder()
        .method("PATCH")
        .uri(format!("{CONFIG_MAPS}/a"))
        .header("content-type", "application/merge-patch+json")
        .body(r#"{"data":{"a":null}}"#.into())
        .expect("a request");
    let (code, status) = crate::common::read(&cluster.send(patch));
    let why = "ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: expression 'has(object.data) && object.data.a == 'b'' resulted in error: no such key: a";
    assert!(
        code == 422
            && (status["details"]["causes"][0]["message"] == why
                || status["message"].as_str().is_some_and(|text| text.ends_with("'b'"))),
        "{status}"
    );
    // What was denied is not stored.
    assert_eq!(ok(&cluster, &format!("GET {CONFIG_MAPS}/a"), &Value::Null)["data"]["a"], "b");
    let served = cluster.server.inspect().served(0, 100);
    let judgements: Vec<String> = served
        .iter()
        .flat_map(|served| &served.judgements)
        .map(|one| format!("{} {} {}", one.policy, one.binding, one.action))
        .collect();
    assert_eq!(judgements.len(), 6, "{judgements:?}");
    assert_eq!(judgements[..2], ["p p-b Audit", "p p-b Deny"]);
}

#[test]
fn reasons_and_warnings() {
    let cluster = Cluster::new();
    let rules = rule(&["*"], "", "v1", &["configmaps"]);
    let validation = json!({ "validations": [{ "expression": "object == null || object.metadata.name != 'no'", "reason": "Forbidden", "message": "not this name" }] });
    bind_all(&cluster, "p", &rules, &validation, &json!({}));
    bind(&cluster, "warner", &rules, "request.name.size() < 3", &["Warn"]);
    let (code, status) = cluster.json(&format!("POST {CONFIG_MAPS}"), &config_map("no", &json!({})));
    let message = "configmaps \"no\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: not this name";
    assert_eq!((code, &status["reason"], &status["message"]), (403, &json!("Forbidden"), &json!(message)));
    let warnings = |line: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = cluster.request(line, body);
        let headers = response.headers().get_all("warning").iter();
        let headers: Vec<String> =
            headers.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect();
        (response.status().as_u16(), headers)
    };
    let told = "299 - \"Validation failed for ValidatingAdmissionPolicy 'warner' with binding 'warner-b': failed expression: request.name.size() < 3\"";
    assert_eq!(
        warnings(&format!("POST {CONFIG_MAPS}"), &config_map("long", &json!({}))),
        (201, vec![told.to_owned()])
    );
    assert_eq!(warnings(&format!("DELETE {CONFIG_MAPS}/long"), &Value::Null), (200, vec![told.to_owned()]));
    ok(&cluster, &format!("DELETE {BINDINGS}/p-b"), &Value::Null);
    check(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("no", &json!({})), 201, "");
}

#[test]
fn rules_and_selectors() {
    let cluster = Cluster::new();
    let rules = rule(&["CREATE"], "", "v1", &["configmaps"]);
    let constraints = |more: Value| merged(json!({ "resourceRules": [rules] }), &more);
    let never = |more: Value| json!({ "matchConstraints": constraints(more), "validations": [{ "expression": "false" }] });
    let in_test = json!({ "namespaceSelector": { "matchLabels": { "env": "test" } } });
    bind_all(&cluster, "by-namespace", &rules, &never(in_test), &json!({}));
    let labelled =
        json!({ "objectSelector": { "matchExpressions": [{ "key": "bad", "operator": "Exists" }] } });
    bind_all(&cluster, "by-object", &rules, &never(labelled), &json!({}));
    let but = json!({ "excludeResourceRules": [merged(rules.clone(), &json!({ "resourceNames": ["a", "b"] }))], "objectSelector": {"matchLabels": {"x": "y"}} });
    bind_all(&cluster, "but", &rules, &never(but), &json!({}));
    ok(
        &cluster,
        "POST /api/v1/namespaces",
        &json!({ "metadata": { "name": "t", "labels": { "env": "test" } } }),
    );
    let denied = |name: &str, policy: &str| {
        format!(
            "configmaps \"{name}\" is forbidden: ValidatingAdmissionPolicy '{policy}' with binding '{policy}-b' denied request: failed expression: false"
        )
    };
    check(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({})), 201, "");
    check(
        &cluster,
        "POST /api/v1/namespaces/t/configmaps",
        &config_map("a", &json!({})),
        422,
        &denied("a", "by-namespace"),
    );
    let object = |name: &str, labels: Value| json!({ "metadata": { "name": name, "labels": labels } });
    check(
        &cluster,
        &format!("POST {CONFIG_MAPS}"),
        &object("b", json!({ "bad": "" })),
        422,
        &denied("b", "by-object"),
    );
    check(&cluster, &format!("POST {CONFIG_MAPS}"), &object("b", json!({ "x": "y" })), 201, "");
    check(
        &cluster,
        &format!("POST {CONFIG_MAPS}"),
        &object("c", json!({ "x": "y" })),
        422,
        &denied("c", "but"),
    );
    // A namespace is in itself, and selected by the labels that it is to have.
    let namespaces = rule(&["*"], "", "*", &["namespaces"]);
    let in_test = json!({ "matchConstraints": { "resourceRules": [namespaces], "namespaceSelector": { "matchLabels": { "env": "test" } } },
        "validations": [{ "expression": "request.namespace != 'u' && namespaceObject == null" }] });
    bind_all(&cluster, "of-namespaces", &namespaces, &in_test, &json!({}));
    let namespace = |name: &str, env: &str| json!({ "metadata": { "name": name, "labels": { "env": env } } });
    check(&cluster, "POST /api/v1/namespaces", &namespace("u", "prod"), 201, "");
    let why = "namespaces \"u\" is forbidden: ValidatingAdmissionPolicy 'of-namespaces' with binding 'of-namespaces-b' denied request: failed expression: request.namespace != 'u' && namespaceObject == null";
    check(&cluster, "PUT /api/v1/namespaces/u", &namespace("u", "test"), 422, why);
    check(&cluster, "DELETE /api/v1/namespaces/u", &Value::Null, 200, "");
}

#[test]
fn other_versions_and_parts() {
    let cluster = Cluster::new();
    let rules = rule(&["CREATE", "UPDATE"], "autoscaling", "v2", &["horizontalpodautoscalers"]);
    bind(
        &cluster,
        "hpa",
        &rules,
        "object.apiVersion == 'autoscaling/v2' && !has(object.spec.targetCPUUtilizationPercentage) && request.kind.version == 'v2' && request.requestKind.version == 'v1' && object.spec.maxReplicas < 5",
        &["Deny"],
    );
    let hpa = |most: u32| json!({ "metadata": { "name": "h" }, "spec": { "maxReplicas": most, "targetCPUUtilizationPercentage": 50, "scaleTargetRef": { "kind": "Deployment", "name": "d", "apiVersion": "apps/v1" } } });
    let path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
    check(&cluster, &format!("POST {path}"), &hpa(3), 201, "");
    assert_eq!(cluster.json(&format!("POST {path}"), &hpa(7)).0, 422);
    bind(
        &cluster,
        "scale",
        &rule(&["UPDATE"], "apps", "v1", &["deployments/scale"]),
        "object.kind == 'Scale' && request.subResource == 'scale' && object.spec.replicas < oldObject.spec.replicas + 2",
        &["Deny"],
    );
    let labels = json!({ "app": "d" });
    let deployment = json!({ "metadata": { "name": "d" }, "spec": { "replicas": 1, "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] } } } });
    ok(&cluster, &format!("POST {DEPLOYMENTS}"), &deployment);
    let scale = |replicas: u32| json!({ "metadata": { "name": "d" }, "spec": { "replicas": replicas } });
    check(&cluster, &format!("PUT {DEPLOYMENTS}/d/scale"), &scale(2), 200, "");
    let why = "deployments.apps \"d\" is forbidden: ValidatingAdmissionPolicy 'scale' with binding 'scale-b' denied request: failed expression: object.kind == 'Scale' && request.subResource == 'scale' && object.spec.replicas < oldObject.spec.replicas + 2";
    check(&cluster, &format!("PUT {DEPLOYMENTS}/d/scale"), &scale(4), 422, why);
}

#[test]
fn warnings_about_connections() {
    let cluster = Cluster::new();
    let pods = "/api/v1/namespaces/default/pods";
    ok(
        &cluster,
        &format!("POST {pods}"),
        &json!({ "metadata": { "name": "a" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } }),
    );
    bind(&cluster, "w", &rule(&["CONNECT"], "", "*", &["*/*"]), "false", &["Warn"]);
    let warning = "299 - \"Validation failed for ValidatingAdmissionPolicy 'w' with binding 'w-b': failed expression: false\"";
    for (line, code) in [
        ("GET /api/v1/namespaces/default/pods/a/exec", 400),
        ("POST /api/v1/namespaces/default/pods/a/attach", 400),
        ("POST /api/v1/namespaces/default/pods/a/portforward", 400),
        ("PATCH /api/v1/namespaces/default/pods/none/proxy", 404),
        ("HEAD /api/v1/namespaces/default/services/none/proxy", 404),
        ("OPTIONS /api/v1/nodes/none/proxy", 404),
    ] {
        let (method, path) = line.split_once(' ').unwrap();
        let request = Request::builder().method(method).uri(path).body(bytes::Bytes::new()).unwrap();
        let response = cluster.send(request);
        let found = response.headers().get("warning").map(|value| value.to_str().unwrap());
        assert_eq!((response.status().as_u16(), found), (code, Some(warning)), "{line}");
    }
}

#[test]
fn deletions_connections_and_questions() {
    let cluster = Cluster::new();
    let pods = "/api/v1/namespaces/default/pods";
    let pod = |name: &str| json!({ "metadata": { "name": name }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    for name in ["a", "b"] {
        ok(&cluster, &format!("POST {pods}"), &pod(name));
    }
    bind(
        &cluster,
        "delete",
        &rule(&["DELETE"], "", "v1", &["pods"]),
        "object == null && oldObject.metadata.name != 'a' && request.options.kind == 'DeleteOptions'",
        &["Deny"],
    );
    bind(
        &cluster,
        "exec",
        &rule(&["CONNECT"], "", "*", &["pods/*"]),
        "!(has(object.command) && 'rm' in object.command)",
        &["Deny"],
    );
    bind(
        &cluster,
        "ask",
        &rule(&["CREATE"], "", "*", &["pods/eviction", "serviceaccounts/token"]),
        "object.kind == 'Eviction' || object.spec.expirationSeconds < 5000",
        &["Deny"],
    );
    let denied = |resource: &str, name: &str, policy: &str, text: &str| {
        format!(
            "{resource} \"{name}\" is forbidden: ValidatingAdmissionPolicy '{policy}' with binding '{policy}-b' denied request: failed expression: {text}"
        )
    };
    let of_deletion = denied(
        "pods",
        "a",
        "delete",
        "object == null && oldObject.metadata.name != 'a' && request.options.kind == 'DeleteOptions'",
    );
    check(&cluster, &format!("DELETE {pods}/a"), &Value::Null, 422, &of_deletion);
    assert_eq!(cluster.json(&format!("DELETE {pods}"), &Value::Null).0, 422);
    let of_exec = denied("pods", "b", "exec", "!(has(object.command) && 'rm' in object.command)");
    ok(&cluster, &format!("POST {pods}"), &pod("b2"));
    check(
        &cluster,
        &format!("POST {pods}/b2/exec?command=rm&command=-r"),
        &Value::Null,
        422,
        &of_exec.replace("\"b\"", "\"b2\""),
    );
    check(
        &cluster,
        &format!("POST {pods}/b2/exec?command=ls"),
        &Value::Null,
        400,
        "pod b2 does not have a host assigned",
    );
    // An eviction deletes a pod, and is not judged as a deletion.
    check(&cluster, &format!("POST {pods}/a/eviction"), &json!({ "metadata": { "name": "a" } }), 201, "");
    ok(&cluster, "POST /api/v1/namespaces/default/serviceaccounts", &json!({ "metadata": { "name": "s" } }));
    let token = |seconds: u32| json!({ "spec": { "audiences": [], "expirationSeconds": seconds } });
    let path = "POST /api/v1/namespaces/default/serviceaccounts/s/token";
    check(&cluster, path, &token(4000), 201, "");
    check(
        &cluster,
        path,
        &token(6000),
        422,
        &denied(
            "serviceaccounts",
            "s",
            "ask",
            "object.kind == 'Eviction' || object.spec.expirationSeconds < 5000",
        ),
    );
}

#[test]
fn parameters() {
    let cluster = Cluster::new();
    ok(&cluster, "POST /api/v1/namespaces", &json!({ "metadata": { "name": "params" } }));
    let rules = rule(&["CREATE"], "", "v1", &["secrets"]);
    let kind = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
    let spec = json!({ "paramKind": kind, "validations": [{ "expression": "params != null && params.kind == 'ConfigMap' && params.data.name == object.metadata.name", "messageExpression": "'by ' + params.metadata.name" }] });
    let reference =
        |more: Value| json!({ "paramRef": merged(json!({ "parameterNotFoundAction": "Deny" }), &more) });
    bind_all(&cluster, "p", &rules, &spec, &reference(json!({ "name": "one" })));
    let secrets = "POST /api/v1/namespaces/default/secrets?dryRun=All";
    let secret = |name: &str| json!({ "metadata": { "name": name } });
    let denied = |name: &str, why: &str| {
        format!(
            "secrets \"{name}\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: {why}"
        )
    };
    let missing =
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    check(&cluster, secrets, &secret("a"), 422, &denied("a", missing));
    ok(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("one", &json!({ "name": "a" })));
    check(&cluster, secrets, &secret("a"), 201, "");
    check(&cluster, secrets, &secret("b"), 422, &denied("b", "by one"));
    let binding = |spec: Value| {
        let spec = merged(json!({ "policyName": "p", "validationActions": ["Deny"] }), &spec);
        json!({ "metadata": { "name": "p-b" }, "spec": spec })
    };
    let put = |spec: Value| {
        let mut next = binding(spec);
        let now = ok(&cluster, &format!("GET {BINDINGS}/p-b"), &Value::Null);
        next["metadata"]["resourceVersion"] = now["metadata"]["resourceVersion"].clone();
        ok(&cluster, &format!("PUT {BINDINGS}/p-b"), &next);
    };
    put(reference(
        json!({ "selector": { "matchLabels": { "x": "y" } }, "namespace": "params", "parameterNotFoundAction": "Allow" }),
    ));
    check(&cluster, secrets, &secret("b"), 201, "");
    let labelled = json!({ "metadata": { "name": "two", "labels": { "x": "y" } }, "data": { "name": "c" } });
    ok(&cluster, "POST /api/v1/namespaces/params/configmaps", &labelled);
    check(&cluster, secrets, &secret("b"), 422, &denied("b", "by two"));
    check(&cluster, secrets, &secret("c"), 201, "");
    let nowhere = json!({ "paramKind": { "apiVersion": "example.com/v1", "kind": "Widget" }, "validations": [{ "expression": "true" }] });
    bind_all(&cluster, "a", &rules, &nowhere, &reference(json!({ "name": "one" })));
    let why = "secrets \"c\" is forbidden: ValidatingAdmissionPolicy 'a' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Widget'";
    check(&cluster, secrets, &secret("c"), 422, why);
}

#[test]
fn who_may_do_what() {
    let user = |name: &str, groups: &[&str]| User {
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..User::default()
    };
    let tokens = [("root", user("root", &["system:masters"])), ("jane", user("jane", &[]))];
    let cluster = Cluster::with_tokens(Some(tokens.map(|(token, user)| (token.to_owned(), user)).into()));
    let send = |token: &str, line: &str, body: &Value| {
        let (method, path) = line.split_once(' ').expect("a line");
        let request =
            Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"));
        crate::common::read(&cluster.send(request.body(body.to_string().into()).expect("a request")))
    };
    let root = |line: &str, body: Value| {
        let (code, answer) = send("root", line, &body);
        assert_eq!(code, 201, "{answer}");
    };
    let policy = json!({ "metadata": { "name": "p" }, "spec": {
        "matchConstraints": { "resourceRules": [rule(&["CREATE"], "", "v1", &["configmaps"])] },
        "variables": [{ "name": "may", "expression": "authorizer.group('').resource('configmaps').namespace(request.namespace).name('special').check('bless')" }],
        "validations": [{ "expression": "variables.may.allowed() || authorizer.requestResource.check('bless').allowed()", "message": "blessings are needed" }],
    } });
    root(&format!("POST {POLICIES}"), policy);
    root(
        &format!("POST {BINDINGS}"),
        json!({ "metadata": { "name": "b" }, "spec": { "policyName": "p", "validationActions": ["Deny"] } }),
    );
    let roles = "POST /apis/rbac.authorization.k8s.io/v1";
    root(
        &format!("{roles}/clusterroles"),
        json!({ "metadata": { "name": "makes" }, "rules": [{ "verbs": ["create"], "apiGroups": [""], "resources": ["configmaps"] }] }),
    );
    root(
        &format!("{roles}/clusterroles"),
        json!({ "metadata": { "name": "blesses" }, "rules": [{ "verbs": ["bless"], "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["special"] }] }),
    );
    let bound = |name: &str, role: &str| json!({ "metadata": { "name": name }, "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role }, "subjects": [{ "kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io" }] });
    root(&format!("{roles}/clusterrolebindings"), bound("makes", "makes"));
    let make =
        |token: &str, name: &str| send(token, &format!("POST {CONFIG_MAPS}"), &config_map(name, &json!({})));
    assert_eq!(make("root", "a").0, 201);
    let (code, status) = make("jane", "b");
    let why = "configmaps \"b\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: blessings are needed";
    assert_eq!((code, status["message"].as_str()), (422, Some(why)));
    root(&format!("{roles}/clusterrolebindings"), bound("blesses", "blesses"));
    assert_eq!(make("jane", "b").0, 201);
}

#[test]
fn custom_resources_and_policies_themselves() {
    let cluster = Cluster::new();
    let version = |name: &str, storage: bool| json!({ "name": name, "served": true, "storage": storage, "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } } } });
    let definition = json!({ "metadata": { "name": "widgets.example.com" }, "spec": { "group": "example.com", "scope": "Namespaced",
        "names": { "plural": "widgets", "kind": "Widget" }, "versions": [version("v1", true), version("v2", false)] } });
    ok(&cluster, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    let rules = json!({ "operations": ["*"], "apiGroups": ["*"], "apiVersions": ["v2"], "resources": ["*"] });
    bind(
        &cluster,
        "p",
        &rules,
        "object.apiVersion == 'example.com/v2' && object.kind == 'Widget' && object.spec.size < 3",
        &["Deny"],
    );
    let widget = |size: u32| json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" }, "spec": { "size": size } });
    let path = "POST /apis/example.com/v1/namespaces/default/widgets";
    let why = "widgets.example.com \"w\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: failed expression: object.apiVersion == 'example.com/v2' && object.kind == 'Widget' && object.spec.size < 3";
    check(&cluster, path, &widget(4), 422, why);
    check(&cluster, path, &widget(2), 201, "");
    let rules =
        json!({ "operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"] });
    bind(&cluster, "all", &rules, "false", &["Deny"]);
    assert_eq!(cluster.json(&format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({}))).0, 422);
    let review = json!({ "spec": { "nonResourceAttributes": { "path": "/", "verb": "get" } } });
    check(&cluster, "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review, 201, "");
    check(&cluster, &format!("DELETE {POLICIES}/all"), &Value::Null, 200, "");
    check(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({})), 201, "");
}

#[test]
fn the_code_may_be_loaded_later() {
    let here = Cluster::new();
    let there = Cluster::late();
    let said = [here, there].map(|cluster| {
        let spec = json!({ "validations": [{ "expression": "authorizer.path('/x').check('get').allowed() && object.data.a == 'b'", "messageExpression": "request.operation" }] });
        bind_all(&cluster, "p", &rule(&["*"], "", "v1", &["configmaps"]), &spec, &json!({}));
        let (code, status) = cluster.json(&format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({ "a": "c" })));
        assert_eq!(code, 422);
        status
    });
    assert_eq!(said[0], said[1]);
    assert_eq!(
        said[0]["details"]["causes"][0]["message"],
        "ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: CREATE"
    );
}
