//! A server whose code is loaded when it is needed answers as one that has it all; and so do documents that are
//! represented later.

mod common;

use std::time::Duration;

use apiserver::documents::{Represented, event_to_json, represent, represent_event};
use apiserver::{Body, Formats};
use bytes::Bytes;
use common::{Cluster, START};
use futures::{FutureExt, StreamExt};
use http::Request;

const META: &str = "g=meta.k8s.io;v=v1";

/// Returns the `Accept` headers to request: single media types, and some with others to fall back to.
fn accepts() -> Vec<String> {
    let mut accepts: Vec<String> = [
        "application/json",
        "application/yaml",
        "application/cbor",
        "application/vnd.kubernetes.protobuf",
        "*/*",
        "application/*",
        "text/html",
        "application/vnd.kubernetes.protobuf,application/json",
        "application/json;q=0.1,application/yaml;q=0.7,application/cbor;q=0.3",
        "text/html,application/yaml;q=0",
        "application/yaml;as=Table;g=meta.k8s.io;v=v2,application/cbor",
    ]
    .map(str::to_owned)
    .into();
    for media_type in ["json", "yaml", "cbor", "vnd.kubernetes.protobuf"] {
        for view in ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"] {
            accepts.push(format!("application/{media_type};as={view};{META}"));
            accepts.push(format!("application/{media_type};as={view};{META}beta1,application/json"));
        }
    }
    accepts
}

/// Objects of several kinds: where they are created, and what they are.
const OBJECTS: &[(&str, &str)] = &[
    (
        "/api/v1/namespaces/default/configmaps",
        r#"{"metadata":{"name":"a","labels":{"on":"0644"}},"data":{"k":"no: <v>\n"},"binaryData":{"b":"AAEC/w=="}}"#,
    ),
    ("/api/v1/namespaces/default/secrets", r#"{"metadata":{"name":"a"},"data":{"k":"c2VjcmV0"}}"#),
    (
        "/api/v1/namespaces/default/pods",
        r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100m"}}}]}}"#,
    ),
    (
        "/api/v1/namespaces/default/services",
        r#"{"metadata":{"name":"a"},"spec":{"ports":[{"port":80,"targetPort":"http"}],"selector":{"a":"b"}}}"#,
    ),
    (
        "/apis/apps/v1/namespaces/default/deployments",
        r#"{"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}"#,
    ),
    (
        "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
        r#"{"metadata":{"name":"a"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"a","apiVersion":"apps/v1"},"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":50}}}]}}"#,
    ),
    (
        "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
        r#"{"metadata":{"name":"b"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"a","apiVersion":"apps/v1"},"maxReplicas":3,"targetCPUUtilizationPercentage":70}}"#,
    ),
    (
        "/api/v1/namespaces/default/events",
        r#"{"metadata":{"name":"a"},"involvedObject":{"kind":"Pod","name":"a","namespace":"default"},"reason":"R","message":"m","type":"Normal","count":3,"firstTimestamp":"2025-12-31T23:00:00Z","lastTimestamp":"2025-12-31T23:30:00Z","source":{"component":"c"}}"#,
    ),
    (
        "/apis/events.k8s.io/v1/namespaces/default/events",
        r#"{"metadata":{"name":"b"},"regarding":{"kind":"Pod","name":"a","namespace":"default"},"reason":"R","note":"n","type":"Warning","action":"A","eventTime":"2025-12-31T23:00:00.123456Z","reportingController":"c","reportingInstance":"i"}"#,
    ),
    ("/api/v1/nodes", r#"{"metadata":{"name":"a"},"spec":{"podCIDR":"10.0.0.0/24"}}"#),
    (
        "/apis/batch/v1/namespaces/default/cronjobs",
        r#"{"metadata":{"name":"a"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}"#,
    ),
    (
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        r#"{"metadata":{"name":"a"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}"#,
    ),
    (
        "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
        r#"{"metadata":{"name":"a"},"spec":{"podSelector":{},"policyTypes":["Ingress"]}}"#,
    ),
];

fn filled(cluster: Cluster) -> Cluster {
    for (path, body) in OBJECTS {
        let (code, answer) = common::read(&cluster.request(&format!("POST {path}"), *body));
        assert_eq!(code, 201, "{path}: {answer}");
    }
    cluster.clock.advance(Duration::from_secs(4000));
    cluster
}

/// A cluster that has all code by itself.
fn complete() -> Cluster {
    filled(Cluster::new())
}

/// A cluster that loads what it needs.
fn late() -> Cluster {
    filled(Cluster::late())
}

/// Everything that can be read: every collection, what was created, subresources, what is not there, discovery.
fn targets() -> Vec<String> {
    let mut targets: Vec<String> =
        OBJECTS.iter().enumerate().map(|(index, (path, _))| format!("{path}/{}", name(index))).collect();
    for row in schema::resources().iter().filter(|row| row.allows("list")) {
        let root = if row.group.is_empty() { "/api" } else { "/apis" };
        targets.push(format!("{root}/{}/{}", row.api_version(), row.name));
    }
    let others = [
        "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/a",
        "/apis/events.k8s.io/v1/namespaces/default/events/a",
        "/api/v1/namespaces/default/events/b",
        "/apis/apps/v1/namespaces/default/deployments/a/scale",
        "/apis/apps/v1/namespaces/default/deployments/a/status",
        "/api/v1/namespaces/default/pods/absent",
        "/api/v1/namespaces?limit=1",
        "/api/v1/namespaces?pretty=true",
        "/api/v1/namespaces/default/pods?includeObject=Object",
        "/apis/autoscaling/v1/horizontalpodautoscalers?includeObject=Object",
        "/apis/autoscaling/v1/horizontalpodautoscalers?includeObject=None",
        "/api/v1/pods?resourceVersion=x",
        "/api/v1/pods?timeout=x",
        "/api/v1/gizmos",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/apps",
        "/version",
        "/healthz",
        "/nope",
    ];
    targets.extend(others.map(str::to_owned));
    targets
}

fn name(index: usize) -> &'static str {
    if OBJECTS[index].1.contains(r#""name":"b"}"#) { "b" } else { "a" }
}

/// Status, content type, warnings, and the body or the first events of the stream.
type Told = (u16, String, Vec<String>, Vec<Bytes>);

fn told(response: http::Response<Body>) -> Told {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let content_type = response.headers().get("Content-Type").map(text).unwrap_or_default();
    let warnings = response.headers().get_all("Warning").iter().map(text).collect();
    let status = response.status().as_u16();
    let body = match response.into_body() {
        Body::Bytes(bytes) => vec![bytes],
        Body::Stream(mut stream) => std::iter::from_fn(|| stream.next().now_or_never().flatten()).collect(),
        Body::Upgrade(_) | Body::Cut => Vec::new(),
    };
    (status, content_type, warnings, body)
}

fn send(
    cluster: &Cluster,
    method: &str,
    target: &str,
    accept: &str,
    content_type: &str,
    body: &[u8],
) -> Told {
    let mut request = Request::builder().method(method).uri(target).header("Accept", accept);
    if !content_type.is_empty() {
        request = request.header("Content-Type", content_type);
    }
    told(cluster.send(request.body(Bytes::copy_from_slice(body)).expect("a request")))
}

#[test]
fn what_is_read_does_not_depend_on_when_code_is_loaded() {
    let (all, late) = (complete(), late());
    for target in targets() {
        for accept in accepts() {
            let get = |cluster| send(cluster, "GET", &target, &accept, "", b"");
            assert_eq!(get(&late), get(&all), "{target} as {accept}");
        }
    }
}

#[test]
fn an_answer_in_json_can_be_represented_later() {
    let all = complete();
    let now = START + Duration::from_secs(4000);
    let mut count = 0;
    for target in targets() {
        let (status, json_type, _, json) = send(&all, "GET", &target, "application/json", "", b"");
        if json_type != "application/json" {
            continue;
        }
        for accept in accepts() {
            let (code, content_type, _, body) = send(&all, "GET", &target, &accept, "", b"");
            let expected = (code == status)
                .then(|| (content_type, String::from_utf8_lossy(&body.concat()).into_owned()));
            let got = represent(Formats::ALL, &target, &accept, &json.concat(), now);
            let got = got.map(|Represented { content_type, body }| {
                (content_type.to_owned(), String::from_utf8_lossy(&body).into_owned())
            });
            assert_eq!(got, expected, "{target} as {accept}");
            count += usize::from(code == 200);
        }
    }
    assert!(count > 1000, "{count}");
}

/// Checks that a write in any media type has the same result, whether the code is complete or is loaded late.
#[track_caller]
fn check_write(line: &str, content_type: &str, body: &[u8], code: u16) {
    let (method, target) = line.split_once(' ').expect("a method and a path");
    let (all, late) = (complete(), late());
    for accept in ["application/json", "application/yaml", "application/cbor"] {
        let written = send(&late, method, target, accept, content_type, body);
        assert_eq!(written, send(&all, method, target, accept, content_type, body), "{line}");
        if accept == "application/json" {
            assert_eq!(written.0, code, "{:?}", written.3);
        }
    }
}

#[test]
fn what_is_written_does_not_depend_on_when_code_is_loaded() {
    const MAPS: &str = "POST /api/v1/namespaces/default/configmaps";
    const YAML: &str = "application/yaml";
    check_write(MAPS, YAML, b"metadata:\n  name: yam\ndata:\n  k: 'on'\n", 201);
    check_write(MAPS, YAML, b"metadata: {name: yam}\ndata: {k: a, k: b}\nmore: 1\n", 201);
    let strict = &format!("{MAPS}?fieldValidation=Strict");
    check_write(strict, YAML, b"metadata: {name: yam}\ndata: {k: a, k: b}\nmore: 1\n", 400);
    check_write(MAPS, YAML, b"metadata: {name: 5}", 400);
    check_write(MAPS, YAML, b"{", 400);
    check_write(MAPS, YAML, b"kind: Pod\napiVersion: v1\n", 400);
    check_write(MAPS, "text/plain", b"x", 415);
    check_write(MAPS, "application/cbor", b"\xa1Hmetadata\xa1DnameAc", 201);
    check_write(MAPS, "application/cbor", b"\xa1", 400);
    check_write(
        MAPS,
        "application/vnd.kubernetes.protobuf",
        b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x05\x0a\x03\x0a\x01p",
        201,
    );
    check_write(MAPS, "application/vnd.kubernetes.protobuf", b"k8s\0\x0b", 400);
    check_write("DELETE /api/v1/namespaces/default/configmaps/a", YAML, b"propagationPolicy: Orphan", 200);
    check_write("DELETE /api/v1/namespaces/default/configmaps/a", "", b"", 200);
    let apply = "PATCH /api/v1/namespaces/default/configmaps/nam?fieldManager=m";
    let patch = "application/apply-patch+yaml";
    check_write(
        apply,
        patch,
        b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nam\ndata: {a: b}\n",
        201,
    );
    check_write(
        apply,
        patch,
        b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nam}\ndata: {a: b, a: c}\n",
        201,
    );
    check_write(
        apply,
        patch,
        br#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"nam"},"data":{"a":"b"}}"#,
        201,
    );
    check_write(apply, patch, b"a: [", 400);
}

#[test]
fn what_is_wrong_does_not_depend_on_when_code_is_loaded() {
    let check = |line: &str, body: &str, code| check_write(line, "application/json", body.as_bytes(), code);
    const PODS: &str = "POST /api/v1/namespaces/default/pods";
    check(PODS, r#"{"metadata":{"name":"P"},"spec":{"containers":[{"name":"a b","image":" "}]}}"#, 422);
    check(PODS, r#"{"metadata":{"name":"p"},"spec":{"containers":[]}}"#, 422);
    check(
        PODS,
        r#"{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"a","ports":[{"containerPort":0},{"containerPort":70000,"protocol":"X"}],"resources":{"limits":{"cpu":"-1"}}}],"restartPolicy":"Now"}}"#,
        422,
    );
    check(
        "PUT /api/v1/namespaces/default/configmaps/a",
        r#"{"metadata":{"name":"a"},"data":{"/":"x"}}"#,
        422,
    );
    check(
        "POST /api/v1/namespaces/default/services",
        r#"{"metadata":{"name":"1"},"spec":{"type":"Any","ports":[]}}"#,
        422,
    );
    check(
        "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        r#"{"spec":{"resourceAttributes":{"verb":"get"},"nonResourceAttributes":{"path":"/"}}}"#,
        422,
    );
    let patch = "PATCH /api/v1/namespaces/default/configmaps/a";
    check_write(patch, "application/merge-patch+json", br#"{"immutable":true,"data":{"k":"v","/":""}}"#, 422);
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GAUGES: &str = "/apis/example.com/v1/namespaces/default/gauges";

/// A definition with something of everything that is said of its objects, and one rule that may differ.
fn definition(limit: &str) -> String {
    let schema = r#"{"type":"object","properties":{
        "spec":{"type":"object","required":["size"],"properties":{
            "size":{"type":"integer","minimum":0,"maximum":9},
            "share":{"type":"number","multipleOf":0.1,"enum":[0.5,1,2]},
            "code":{"type":"string","pattern":"^[a-z]+$"},
            "when":{"type":"string","format":"date-time"},
            "kept":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf","message":"it stays"}]},
            "free":{"x-kubernetes-preserve-unknown-fields":true},
            "template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
            "list":{"type":"array","maxItems":5,"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}},
                "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]}},
            "x-kubernetes-validations":[{"rule":"LIMIT","messageExpression":"self.size > 5 ? 'much' : 'little'"}]},
        "status":{"type":"object","properties":{"size":{"type":"integer"},"phase":{"type":"string","enum":["A","B"]}}}}}"#;
    [
        r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gauges.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Gauge","plural":"gauges"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"}},"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},{"name":"First","type":"string","jsonPath":".spec.list[0].k"},{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],"schema":{"openAPIV3Schema":"#,
        &schema.replace("LIMIT", limit),
        "}}]}}",
    ]
    .concat()
}

/// A gauge with this metadata, beside its name, and this spec.
fn gauge(metadata: &str, spec: &str) -> String {
    [
        r#"{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"name":"a""#,
        metadata,
        r#"},"spec":"#,
        spec,
        "}",
    ]
    .concat()
}

#[test]
fn what_a_definition_says_does_not_depend_on_when_code_is_loaded() {
    let (all, late) = (Cluster::new(), Cluster::late());
    let check = |line: &str, content_type: &str, body: &str, code: u16| {
        let (method, target) = line.split_once(' ').expect("a method and a path");
        let here = send(&all, method, target, "application/json", content_type, body.as_bytes());
        let there = send(&late, method, target, "application/json", content_type, body.as_bytes());
        assert_eq!(there, here, "{line} {body}");
        assert_eq!(here.0, code, "{line} {body} {:?}", here.3);
    };
    let json = |line: &str, body: &str, code| check(line, "application/json", body, code);
    let merge = |line: &str, body: &str, code| check(line, "application/merge-patch+json", body, code);
    let (post, put) = (&*format!("POST {GAUGES}"), &*format!("PUT {GAUGES}/a"));
    let (patch, status) = (&*format!("PATCH {GAUGES}/a"), &*format!("PATCH {GAUGES}/a/status"));
    json(&format!("POST {DEFINITIONS}"), &definition("self.size > '1'"), 422);
    json(&format!("POST {DEFINITIONS}"), &definition("self.size > 1"), 201);
    let wrong = [
        "{}",
        r#"{"size":1}"#,
        r#"{"size":10,"share":1.0}"#,
        r#"{"size":2.0,"share":100000000.0}"#,
        r#"{"size":2.5,"share":0.30000000000000004}"#,
        r#"{"size":"2","code":"A","when":"now"}"#,
        r#"{"size":2,"list":[{"k":"a"},{"k":"a"},{}]}"#,
        r#"{"size":2,"template":{"kind":"","metadata":{"name":"_"}}}"#,
        r#"{"size":-1,"kept":1}"#,
    ];
    for spec in wrong {
        json(post, &gauge("", spec), 422);
    }
    json(post, &gauge(r#","labels":{"a":"-"}"#, r#"{"size":2}"#), 422);
    json(post, &gauge("", r#"{"size":2}"#).replace("Gauge", "Gouge"), 422);
    let whole = r#"{"size":2,"share":0.5,"kept":"k","free":{"f":1.0,"g":1e30},"list":[{"k":"a"},{"k":"b"}]}"#;
    json(post, &gauge(r#","finalizers":["mine"]"#, whole), 201);
    json(put, &gauge("", r#"{"size":3}"#), 422);
    merge(patch, r#"{"spec":{"kept":"other","size":0},"metadata":{"finalizers":["x/y","yours"]}}"#, 422);
    merge(patch, r#"{"spec":{"size":4},"metadata":{"finalizers":["x/y","yours"]}}"#, 200);
    merge(patch, r#"{"spec":{"kept":"a"}}"#, 422);
    merge(patch, r#"{"spec":{"kept":null}}"#, 200);
    merge(patch, r#"{"spec":{"kept":"b"}}"#, 200);
    merge(status, r#"{"status":{"phase":"C"}}"#, 422);
    merge(status, r#"{"status":{"phase":"B","size":1}}"#, 200);
    merge(&format!("PATCH {GAUGES}/a/scale"), r#"{"spec":{"replicas":1}}"#, 422);
    merge(&format!("PATCH {GAUGES}/a/scale"), r#"{"spec":{"replicas":5}}"#, 200);
    check(patch, "application/strategic-merge-patch+json", "{}", 415);
    // Other rules are other definitions, whatever else stays.
    let changed = r#"[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations/0/rule","value":"self.size < 3"}]"#;
    check(&format!("PATCH {DEFINITIONS}/gauges.example.com"), "application/json-patch+json", changed, 200);
    merge(patch, r#"{"spec":{"size":6}}"#, 422);
    merge(patch, r#"{"spec":{"size":2}}"#, 200);
    for target in [GAUGES.to_owned(), format!("{GAUGES}/a"), format!("{GAUGES}/a/scale")] {
        for view in ["", "beta1"] {
            let accept = format!("application/json;as=Table;{META}{view}");
            let get = |cluster| send(cluster, "GET", &target, &accept, "", b"");
            assert_eq!(get(&late), get(&all), "{target}");
        }
    }
}

#[test]
fn what_is_said_of_pods_does_not_depend_on_when_code_is_loaded() {
    const PODS: &str = "/api/v1/namespaces/default/pods";
    let strategic = "application/strategic-merge-patch+json";
    let post = &*format!("POST {PODS}");
    let check = |line: &str, body: &str, code| check_write(line, strategic, body.as_bytes(), code);
    let patch = &*format!("PATCH {PODS}/a");
    check(patch, r#"{"spec":{"containers":[{"name":"c","image":"j"}]}}"#, 200);
    check(
        patch,
        r#"{"metadata":{"labels":{"$patch":"replace","a":"b"}},"spec":{"containers":[{"name":"d"}]}}"#,
        422,
    );
    check(patch, r#"{"spec":{"containers":[{"image":"j"}]}}"#, 500);
    check(patch, r#"{"spec":{"containers":[{"name":"c","$patch":"none"}]}}"#, 500);
    check(patch, r#"{"spec":{"containers":[{"name":"c","image":1.5}]}}"#, 422);
    check(patch, "[]", 400);
    check(
        "PATCH /api/v1/namespaces/default",
        r#"{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}"#,
        200,
    );
    let warned = r#"{"metadata":{"name":"w"},"spec":{"nodeSelector":{"beta.kubernetes.io/os":"linux"},"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}}"#;
    check_write(post, "application/json", warned.as_bytes(), 201);
    // A namespace that asks for safe pods.
    let (all, late) = (complete(), late());
    let label = |cluster: &Cluster| {
        let body = br#"{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted","pod-security.kubernetes.io/enforce-version":"v1.30"}}}"#;
        send(cluster, "PATCH", "/api/v1/namespaces/default", "application/json", strategic, body)
    };
    let create = |cluster: &Cluster| {
        send(cluster, "POST", PODS, "application/json", "application/json", warned.as_bytes())
    };
    assert_eq!(label(&late), label(&all));
    let refused = create(&late);
    assert_eq!(refused, create(&all));
    assert_eq!(refused.0, 403);
}

#[test]
fn every_event_can_be_read_as_json_and_made_of_it() {
    let all = complete();
    let watched = ["/api/v1/configmaps", "/api/v1/pods", "/apis/events.k8s.io/v1/events"];
    for target in watched.map(|path| format!("{path}?watch=1")) {
        for view in ["", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"] {
            let accept = |media_type: &str| format!("application/{media_type}{view}");
            let watch = |media_type: &str| send(&all, "GET", &target, &accept(media_type), "", b"");
            let (_, _, _, lines) = send(&all, "GET", &target, &accept("json"), "", b"");
            let (_, _, _, whole) = send(&all, "GET", &target, "application/json", "", b"");
            assert_eq!(represent_event(Formats::ALL, &target, "application/yaml", &whole[0], START), None);
            for media_type in ["cbor", "vnd.kubernetes.protobuf"] {
                let (code, content_type, _, frames) = watch(media_type);
                assert_eq!((code, frames.len()), (200, lines.len()));
                for (frame, line) in frames.iter().zip(&whole) {
                    let made = represent_event(Formats::ALL, &target, &accept(media_type), line, START)
                        .expect("an event");
                    assert_eq!((made.content_type, &made.body[..]), (content_type.as_str(), &frame[..]));
                }
                for (frame, line) in frames.iter().zip(&lines) {
                    let event = event_to_json(&content_type, frame).expect("an event");
                    assert_eq!(
                        String::from_utf8_lossy(&event),
                        String::from_utf8_lossy(line),
                        "{content_type}"
                    );
                }
            }
        }
    }
}

#[test]
fn an_event_that_is_none_is_refused() {
    assert!(event_to_json("application/cbor-seq", b"").is_err());
    assert!(event_to_json("application/vnd.kubernetes.protobuf;stream=watch", b"\0\0").is_err());
}
