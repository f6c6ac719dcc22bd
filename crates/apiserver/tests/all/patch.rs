//! PATCH over the wire.

use crate::common::{Cluster, read};
use http::Request;
use json_tree::{Value, json};
use proptest::prelude::*;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

const CONFIG_MAP: &str = "/api/v1/namespaces/default/configmaps/a";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/default/deployments/d";

fn send(cluster: &Cluster, media_type: &str, path: &str, body: &str) -> (u16, Value, Vec<String>) {
    let request = Request::patch(path).header("content-type", media_type).body(body.to_owned().into());
    let response = cluster.send(request.expect("a request"));
    let warnings = response.headers().get_all("warning").iter();
    let warnings = warnings.map(|value| value.to_str().expect("text").to_owned()).collect();
    let (code, object) = read(&response);
    (code, object, warnings)
}

/// A ConfigMap `a` and a Deployment `d`.
fn cluster() -> Cluster {
    let cluster = Cluster::new();
    let body = json!({ "metadata": { "name": "a", "labels": { "x": "1" } }, "data": { "k": "v", "l": "<" } });
    assert_eq!(cluster.json("POST /api/v1/namespaces/default/configmaps", &body).0, 201);
    let template = json!({
        "metadata": { "labels": { "app": "d" } },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    let spec = json!({ "replicas": 1, "selector": { "matchLabels": { "app": "d" } }, "template": template });
    let body = json!({ "metadata": { "name": "d" }, "spec": spec });
    assert_eq!(cluster.json("POST /apis/apps/v1/namespaces/default/deployments", &body).0, 201);
    cluster
}

/// Patches, and looks at what is at a pointer of the answer; `""` is the code, `message` that of a failure.
#[track_caller]
fn check(media_type: &str, path: &str, body: &str, pointer: &str, expected: &Value) {
    let cluster = cluster();
    let target = path.split('?').next().unwrap_or_default();
    let before = cluster.get(target);
    let (code, object, _) = send(&cluster, media_type, path, body);
    let found = match pointer {
        "" => Value::from(code),
        "message" => Value::from(format!("{code} {}", object["message"].as_str().unwrap_or_default())),
        _ => object.pointer(pointer).cloned().unwrap_or_default(),
    };
    assert_eq!(found, *expected, "{object}");
    let after = cluster.get(target);
    if code < 300 && !path.contains("dryRun") {
        assert_eq!(after, (code, object));
    } else {
        assert_eq!(after, before, "a patch that fails, or is dry, changes nothing");
    }
}

#[test]
fn each_kind_of_patch() {
    let data = json!({ "k": "w", "l": "<" });
    check(MERGE, CONFIG_MAP, r#"{"data":{"k":"w"}}"#, "/data", &data);
    check(JSON, CONFIG_MAP, r#"[{"op":"replace","path":"/data/k","value":"w"}]"#, "/data", &data);
    check(STRATEGIC, CONFIG_MAP, r#"{"data":{"k":"w"}}"#, "/data", &data);
    check(MERGE, CONFIG_MAP, r#"{"data":null}"#, "/data", &Value::Null);
    check(MERGE, DEPLOYMENT, r#"{"spec":{"replicas":null}}"#, "/spec/replicas", &json!(1));
    check(MERGE, DEPLOYMENT, r#"{"spec":{"replicas":2}}"#, "/metadata/generation", &json!(2));
    let containers = r#"{"spec":{"template":{"spec":{"containers":[{"name":"e","image":"j"}]}}}}"#;
    check(STRATEGIC, DEPLOYMENT, containers, "/spec/template/spec/containers/1/name", &json!("c"));
    check(MERGE, DEPLOYMENT, containers, "/spec/template/spec/containers/1/name", &Value::Null);
    check(MERGE, &format!("{CONFIG_MAP}?dryRun=All"), r#"{"data":{"k":"w"}}"#, "/data", &data);
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let cluster = cluster();
    let revision = cluster.server.inspect().overview().revision;
    for (media_type, body) in [
        (MERGE, "{}"),
        (MERGE, r#"{"data":{"k":"v"},"metadata":{"labels":{"y":null}}}"#),
        (JSON, "[]"),
        (JSON, "null"),
        (JSON, r#"[{"op":"add","path":"/data/t","value":"1"},{"op":"remove","path":"/data/t"}]"#),
        (STRATEGIC, "null"),
        (STRATEGIC, r#"{"kind":"Secret","data":{"k":"v"}}"#),
    ] {
        let (code, _, warnings) = send(&cluster, media_type, CONFIG_MAP, body);
        assert_eq!((code, warnings.len()), (200, 0), "{body}");
    }
    assert_eq!(cluster.server.inspect().overview().revision, revision);
}

#[test]
fn status() {
    let path = format!("{DEPLOYMENT}/status");
    let body = r#"{"status":{"replicas":2},"spec":{"replicas":9}}"#;
    check(MERGE, &path, body, "/status/replicas", &json!(2));
    check(MERGE, &path, body, "/spec/replicas", &json!(1));
    check(MERGE, DEPLOYMENT, body, "/status/replicas", &Value::Null);
    check(MERGE, &format!("{CONFIG_MAP}/status"), "{}", "", &json!(404));
}

#[test]
fn versions_of_a_kind() {
    let cluster = cluster();
    let path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "d" });
    let body = json!({ "metadata": { "name": "h" }, "spec": { "maxReplicas": 3, "scaleTargetRef": target } });
    let (code, object) = cluster.json(&format!("POST {path}"), &body);
    assert_eq!(code, 201, "{object}");
    let old = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/h";
    for (media_type, body) in [
        (MERGE, r#"{"spec":{"maxReplicas":4}}"#),
        (STRATEGIC, r#"{"spec":{"maxReplicas":5}}"#),
        (JSON, r#"[{"op":"replace","path":"/spec/maxReplicas","value":6}]"#),
    ] {
        let (code, object, _) = send(&cluster, media_type, old, body);
        assert_eq!((code, &object["apiVersion"]), (200, &json!("autoscaling/v1")), "{object}");
    }
    assert_eq!(cluster.get(&format!("{path}/h")).1["spec"]["maxReplicas"], 6);
}

#[test]
fn preconditions() {
    let stale = r#"{"metadata":{"resourceVersion":"1"},"data":{"k":"w"}}"#;
    check(MERGE, CONFIG_MAP, stale, "/reason", &json!("Conflict"));
    check(
        MERGE,
        CONFIG_MAP,
        r#"{"metadata":{"resourceVersion":null},"data":{"k":"w"}}"#,
        "/data/k",
        &json!("w"),
    );
    let garbage = "500 strconv.ParseUint: parsing \"abc\": invalid syntax";
    check(MERGE, CONFIG_MAP, r#"{"metadata":{"resourceVersion":"abc"}}"#, "message", &json!(garbage));
    let name = "400 the name of the object (b) does not match the name on the URL (a)";
    check(MERGE, CONFIG_MAP, r#"{"metadata":{"name":"b"}}"#, "message", &json!(name));
    check(JSON, CONFIG_MAP, r#"[{"op":"test","path":"/data/k","value":"x"}]"#, "/reason", &json!("Invalid"));
    let namespace =
        "400 the namespace of the provided object does not match the namespace sent on the request";
    check(MERGE, CONFIG_MAP, r#"{"metadata":{"namespace":"other"}}"#, "message", &json!(namespace));
    let own = "/api/v1/namespaces/default";
    check(MERGE, own, r#"{"metadata":{"namespace":"other"}}"#, "/metadata/namespace", &Value::Null);
}

#[test]
fn malformed_patches() {
    let object = "Go value of type map[string]interface {}";
    let wrong = format!("400 error decoding patch: json: cannot unmarshal array into {object}");
    check(MERGE, CONFIG_MAP, "[]", "message", &json!(wrong));
    let wrong = format!("400 json: cannot unmarshal array into {object}");
    check(STRATEGIC, CONFIG_MAP, "[]", "message", &json!(wrong));
    let end = "400 error decoding patch: unexpected end of JSON input";
    check(MERGE, CONFIG_MAP, "", "message", &json!(end));
    check(JSON, CONFIG_MAP, "", "message", &json!(end));
    check(STRATEGIC, CONFIG_MAP, "", "message", &json!("400 unexpected end of JSON input"));
    check(MERGE, CONFIG_MAP, "null", "message", &json!("400 Invalid JSON Patch"));
    let ignoring = format!("{CONFIG_MAP}?fieldValidation=Ignore");
    check(MERGE, &ignoring, "{", "message", &json!("400 Invalid JSON Patch"));
    check(JSON, &ignoring, "{", "message", &json!("400 unexpected end of JSON input"));
    let wrong = "400 json: cannot unmarshal object into Go value of type jsonpatch.Patch";
    check(JSON, &ignoring, "{}", "message", &json!(wrong));
    check("application/json", CONFIG_MAP, "{}", "message", &json!("415 415: Unsupported Media Type"));
    check(MERGE, "/api/v1/namespaces/default/configmaps/none", "{", "", &json!(404));
    let force = "422 PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for non-apply \
                 patch";
    check(MERGE, &format!("{CONFIG_MAP}?force=false"), "{}", "message", &json!(force));
}

#[test]
fn what_does_not_decode_is_shown() {
    let cluster = cluster();
    let stored = cluster.get(CONFIG_MAP).1["metadata"].to_string();
    let shown = |text: &str, why: &str| {
        let text = text.replace("META", &stored);
        json!(format!("422  \"\" is invalid: patch: Invalid value: {}: {why}", Value::from(text)))
    };
    let number = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string";
    let document = r#"{"apiVersion":"v1","data":{"k":1.50,"l":"\u003c"},"kind":"ConfigMap","metadata":META}"#;
    check(MERGE, CONFIG_MAP, r#"{"data":{"k":1.50}}"#, "message", &shown(document, number));
    let document = r#"{"apiVersion":"v1","data":{"k":"v","l":"\u003c"},"kind":"Nope","metadata":META}"#;
    let why =
        "no kind \"Nope\" is registered for version \"v1\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"";
    check(MERGE, CONFIG_MAP, r#"{"kind":"Nope"}"#, "message", &shown(document, why));
    let document = r#"{"apiVersion":"v1","kind":"Secret","metadata":META}"#;
    let why = "converting (v1.Secret) to (core.ConfigMap): unknown conversion";
    check(MERGE, CONFIG_MAP, r#"{"kind":"Secret","data":null}"#, "message", &shown(document, why));
    let why = "cannot convert int64 to string";
    check(STRATEGIC, CONFIG_MAP, r#"{"data":{"k":1}}"#, "message", &shown("map[data:map[k:1]]", why));
    let why = "strict decoding error: unknown field \"x\"";
    let strict = format!("{CONFIG_MAP}?fieldValidation=Strict");
    check(STRATEGIC, &strict, r#"{"x":1}"#, "message", &shown("map[x:1]", why));
    let why = "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { \
               APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";
    check(JSON, CONFIG_MAP, r#"[{"op":"replace","path":"","value":[]}]"#, "message", &shown("[]", why));
}

#[test]
fn fields_that_nobody_knows() {
    let cluster = cluster();
    let warnings = |media_type: &str, body: &str| send(&cluster, media_type, CONFIG_MAP, body).2;
    assert_eq!(
        warnings(MERGE, r#"{"x":1,"data":{"k":"1","k":"2"}}"#),
        [r#"299 - "duplicate field \"data.k\"""#, r#"299 - "unknown field \"x\"""#]
    );
    assert_eq!(
        warnings(JSON, r#"[{"op":"test","path":"/kind","value":"ConfigMap","x":1}]"#),
        [r#"299 - "json patch unknown field \"[0].x\"""#]
    );
    assert_eq!(warnings(STRATEGIC, r#"{"metadata":{"$x":1}}"#), [r#"299 - "unknown field \"metadata.$x\"""#]);
    let failed = r#"{"x":1,"data":{"bad key":""}}"#;
    assert_eq!(warnings(MERGE, failed), [r#"299 - "unknown field \"x\"""#]);
}

/// Values of every type under keys of a ConfigMap, or under directives.
fn document() -> impl Strategy<Value = Value> {
    let key = proptest::sample::select(vec![
        "metadata",
        "data",
        "binaryData",
        "labels",
        "name",
        "finalizers",
        "ownerReferences",
        "uid",
        "kind",
        "k",
        "apiVersion",
        "immutable",
        "resourceVersion",
        "deletionTimestamp",
        "managedFields",
        "op",
        "path",
        "from",
        "value",
        "$patch",
        "$retainKeys",
        "$setElementOrder/finalizers",
        "$deleteFromPrimitiveList/finalizers",
    ])
    .prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        proptest::sample::select(vec![
            "",
            "a",
            "v1",
            "ConfigMap",
            "add",
            "remove",
            "test",
            "/data/k",
            "/metadata",
            "replace",
            "delete",
            "AA==",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => proptest::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)))]

    #[test]
    fn whatever_is_sent_a_failure_changes_nothing(
        documents in proptest::collection::vec(
            (proptest::sample::select(vec![JSON, MERGE, STRATEGIC]), document()),
            1..6,
        ),
    ) {
        let cluster = cluster();
        for (media_type, document) in documents {
            let revision = cluster.server.inspect().overview().revision;
            let (code, object, _) = send(&cluster, media_type, CONFIG_MAP, &document.to_string());
            if code == 200 {
                prop_assert_eq!(&object["metadata"]["name"], "a");
            } else {
                prop_assert!((400..=500).contains(&code));
                prop_assert_eq!(&object["kind"], "Status");
                prop_assert_eq!(cluster.server.inspect().overview().revision, revision);
            }
        }
    }
}
