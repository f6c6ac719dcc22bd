//! Policies that change what is written.

use super::*;

const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";

/// A policy with these mutations, and a binding of it.
#[track_caller]
fn mutate(cluster: &Cluster, name: &str, rules: &Value, spec: &Value) {
    let own = json!({ "matchConstraints": { "resourceRules": [rules] }, "reinvocationPolicy": "Never" });
    ok(
        cluster,
        &format!("POST {MUTATING}"),
        &json!({ "metadata": { "name": name }, "spec": merged(own, spec) }),
    );
    let binding = json!({ "metadata": { "name": format!("{name}-b") }, "spec": { "policyName": name } });
    ok(cluster, "POST /apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings", &binding);
}

fn configuration(expression: &str) -> Value {
    json!({ "patchType": "ApplyConfiguration", "applyConfiguration": { "expression": expression } })
}

fn patch(expression: &str) -> Value {
    json!({ "patchType": "JSONPatch", "jsonPatch": { "expression": expression } })
}

fn deployment(replicas: u32) -> Value {
    let labels = json!({ "app": "d" });
    json!({ "metadata": { "name": "d" }, "spec": { "replicas": replicas, "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] } } } })
}

#[test]
fn configurations_are_merged() {
    let cluster = Cluster::new();
    let rules = rule(&["CREATE", "UPDATE"], "apps", "v1", &["deployments"]);
    let sidecar = "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
        initContainers: [Object.spec.template.spec.initContainers{name: 'proxy', image: variables.image}],
        containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, imagePullPolicy: 'Always'})
    }}}}";
    let spec = json!({
        "variables": [{ "name": "image", "expression": "'proxy:' + string(object.spec.replicas)" }],
        "matchConditions": [{ "name": "c", "expression": "object.spec.replicas > 1" }],
        "mutations": [configuration(sidecar), patch("[JSONPatch{op: 'add', path: '/metadata/labels', value: {'n': object.spec.template.spec.initContainers[0].name}}]")],
    });
    mutate(&cluster, "p", &rules, &spec);
    let made = ok(&cluster, &format!("POST {DEPLOYMENTS}?dryRun=All"), &deployment(1));
    assert_eq!(
        (made["metadata"].get("labels"), made["spec"]["template"]["spec"].get("initContainers")),
        (None, None)
    );
    let made = ok(&cluster, &format!("POST {DEPLOYMENTS}"), &deployment(2));
    let pod = &made["spec"]["template"]["spec"];
    assert_eq!(made["metadata"]["labels"], json!({ "n": "proxy" }));
    // What is missing in what was merged gets its default.
    let proxy = &pod["initContainers"][0];
    assert_eq!((&proxy["image"], &proxy["terminationMessagePolicy"]), (&json!("proxy:2"), &json!("File")));
    assert_eq!(
        (&pod["containers"][0]["image"], &pod["containers"][0]["imagePullPolicy"]),
        (&json!("i"), &json!("Always"))
    );
    let served = cluster.server.inspect().served(0, 100);
    let actions: Vec<&str> =
        served.iter().flat_map(|one| &one.judgements).map(|one| one.action.as_str()).collect();
    assert_eq!(actions, ["Mutate", "Mutate"]);
}

#[test]
fn mutations_that_cannot_be_done() {
    let cluster = Cluster::new();
    let rules = rule(&["*"], "", "v1", &["configmaps"]);
    let refused = |name: &str, mutation: Value, why: &str| {
        mutate(&cluster, name, &rules, &json!({ "mutations": [mutation] }));
        let (code, status) =
            cluster.json(&format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({ "a": "b" })));
        let message = format!("policy '{name}' with binding '{name}-b' denied request: {why}");
        assert_eq!(
            (code, status.to_string()),
            (
                403,
                json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "reason": "Invalid",
                    "details": { "name": "a", "kind": "configmaps", "causes": [{ "message": message }] }, "code": 403 })
                .to_string()
            )
        );
        ok(&cluster, &format!("DELETE {MUTATING}/{name}"), &Value::Null);
    };
    refused(
        "a",
        configuration("Object{datum: 'x'}"),
        "error applying patch: failed to convert patch object to typed object: .datum: field not declared in schema",
    );
    refused(
        "b",
        configuration("Object{metadata: Object.metadata{ownerReferences: [object.none]}}"),
        "expression 'Object{metadata: Object.metadata{ownerReferences: [object.none]}}' resulted in error: no such key: none",
    );
    refused(
        "c",
        patch("[JSONPatch{op: 'remove', path: '/data/none'}]"),
        "JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    );
    refused(
        "d",
        configuration("Object{data: Object.datum{}}"),
        "type mismatch: unexpected type name \"Object.datum\", expected \"Object.data\", which matches field name path from root Object type",
    );
    // A test that fails keeps the patch from being applied, and no more.
    let test =
        patch("[JSONPatch{op: 'test', path: '/data/a', value: 'c'}, JSONPatch{op: 'remove', path: '/data'}]");
    mutate(&cluster, "e", &rules, &json!({ "mutations": [test] }));
    let ignored = json!({ "failurePolicy": "Ignore", "mutations": [patch("[JSONPatch{op: 'remove', path: '/none'}]"), patch("[JSONPatch{op: 'add', path: '/data/x', value: 'y'}]")] });
    mutate(&cluster, "f", &rules, &ignored);
    let made = ok(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({ "a": "b" })));
    assert_eq!(made["data"], json!({ "a": "b", "x": "y" }));
    ok(&cluster, &format!("DELETE {CONFIG_MAPS}/a"), &Value::Null);
    let selector =
        configuration("Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}");
    mutate(
        &cluster,
        "g",
        &rule(&["CREATE"], "apps", "v1", &["deployments"]),
        &json!({ "mutations": [selector] }),
    );
    let (_, status) = cluster.json(&format!("POST {DEPLOYMENTS}"), &deployment(1));
    assert_eq!(
        status["message"],
        "policy 'g' with binding 'g-b' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector"
    );
}

#[test]
fn annotations_that_are_numbers_are_read() {
    let cluster = Cluster::new();
    let key = "deprecated.deployment.rollback.to";
    let noted =
        format!("Object{{metadata: Object.metadata{{annotations: {{'{key}': object.metadata.name}}}}}}");
    mutate(
        &cluster,
        "a",
        &rule(&["CREATE"], "apps", "v1", &["deployments"]),
        &json!({ "mutations": [configuration(&noted)] }),
    );
    let named = |name: &str| merged(deployment(1), &json!({ "metadata": { "name": name } }));
    let made = ok(&cluster, &format!("POST {DEPLOYMENTS}"), &named("07"));
    assert_eq!(made["metadata"]["annotations"][key], "7");
    let (_, status) = cluster.json(&format!("POST {DEPLOYMENTS}"), &named("x"));
    let parsed = "strconv.ParseInt: parsing \"x\": invalid syntax";
    let why = format!("failed to convert object: failed to parse annotation[{key}]=x as int64: {parsed}");
    assert_eq!(status["message"], format!("Internal error occurred: {why}"));
}

#[test]
fn policies_are_asked_again() {
    let cluster = Cluster::new();
    let rules = rule(&["CREATE"], "", "v1", &["configmaps"]);
    let count = "[JSONPatch{op: 'add', path: '/data/count', value: string(('count' in object.data ? int(object.data.count) : 0) + 1)}]";
    mutate(&cluster, "a", &rules, &json!({ "reinvocationPolicy": "IfNeeded", "mutations": [patch(count)] }));
    let seen = "[JSONPatch{op: 'add', path: '/data/seen', value: object.data.count}]";
    mutate(&cluster, "b", &rules, &json!({ "mutations": [patch(seen)] }));
    let validation =
        json!({ "validations": [{ "expression": "object.data.count == '2' && object.data.seen == '1'" }] });
    bind_all(&cluster, "v", &rules, &validation, &json!({}));
    let made = ok(&cluster, &format!("POST {CONFIG_MAPS}"), &config_map("a", &json!({ "a": "b" })));
    assert_eq!(made["data"], json!({ "a": "b", "count": "2", "seen": "1" }));
}

#[test]
fn questions_are_mutated() {
    let cluster = Cluster::new();
    ok(&cluster, "POST /api/v1/namespaces/default/serviceaccounts", &json!({ "metadata": { "name": "s" } }));
    let shorter = configuration("Object{spec: Object.spec{expirationSeconds: 700}}");
    let later = patch(
        "[JSONPatch{op: 'replace', path: '/spec/expirationSeconds', value: object.spec.expirationSeconds + 1}]",
    );
    mutate(
        &cluster,
        "t",
        &rule(&["CREATE"], "", "v1", &["serviceaccounts/token"]),
        &json!({ "mutations": [shorter, later] }),
    );
    let token = json!({ "spec": { "audiences": [], "expirationSeconds": 4000 } });
    let made = ok(&cluster, "POST /api/v1/namespaces/default/serviceaccounts/s/token", &token);
    assert_eq!(made["spec"]["expirationSeconds"], 701);
    let node = json!({ "metadata": { "name": "n" } });
    ok(&cluster, "POST /api/v1/nodes", &node);
    bind(
        &cluster,
        "proxy",
        &rule(&["CONNECT"], "", "v1", &["nodes/proxy"]),
        "object.path != 'logs/secret'",
        &["Deny"],
    );
    check(
        &cluster,
        "GET /api/v1/nodes/n/proxy/logs/secret?x=y",
        &Value::Null,
        422,
        "nodes \"n\" is forbidden: ValidatingAdmissionPolicy 'proxy' with binding 'proxy-b' denied request: failed expression: object.path != 'logs/secret'",
    );
    assert_eq!(cluster.get("/api/v1/nodes/n/proxy/logs/other").0, 500);
}

#[test]
fn scales_and_custom_resources_are_mutated() {
    let cluster = Cluster::new();
    let scale = configuration(
        "Object{spec: Object.spec{replicas: object.spec.replicas > 3 ? 3 : object.spec.replicas}}",
    );
    mutate(
        &cluster,
        "scale",
        &rule(&["UPDATE"], "apps", "v1", &["deployments/scale"]),
        &json!({ "mutations": [scale] }),
    );
    ok(&cluster, &format!("POST {DEPLOYMENTS}"), &deployment(5));
    let body = json!({ "metadata": { "name": "d" }, "spec": { "replicas": 7 } });
    assert_eq!(ok(&cluster, &format!("PUT {DEPLOYMENTS}/d/scale"), &body)["spec"]["replicas"], 3);
    let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": {
        "size": { "type": "integer" }, "color": { "type": "string", "default": "red" } } } } });
    let definition = json!({ "metadata": { "name": "widgets.example.com" }, "spec": { "group": "example.com", "scope": "Cluster",
        "names": { "plural": "widgets", "kind": "Widget" }, "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }] } });
    ok(&cluster, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    let mutations = json!([
        configuration("Object{spec: Object.spec{size: 3}}"),
        patch("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'color': object.spec.color}}]")
    ]);
    mutate(
        &cluster,
        "widgets",
        &rule(&["*"], "example.com", "v1", &["widgets"]),
        &json!({ "mutations": mutations }),
    );
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" } });
    let made = ok(&cluster, "POST /apis/example.com/v1/widgets", &widget);
    assert_eq!(
        (&made["spec"], &made["metadata"]["annotations"]),
        (&json!({ "color": "red", "size": 3 }), &json!({ "color": "red" }))
    );
}
