//! Tests of pod security admission: the level that a namespace demands of its pods.

use crate::common::{Cluster, read};
use http::Request;
use json_tree::{Value, json};

/// The violations of a pod that sets nothing, at the restricted level.
const BARE: &str = "allowPrivilegeEscalation != false (container \"c\" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"c\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")";

fn namespace(name: &str, labels: &Value) -> Value {
    json!({ "metadata": { "name": name, "labels": labels } })
}

fn pod(name: &str) -> Value {
    json!({ "metadata": { "name": name }, "spec": { "containers": [{ "name": "c", "image": "i" }] } })
}

/// Sends a request; gives the status code, the message, and the warnings.
fn send(cluster: &Cluster, line: &str, body: &Value) -> (u16, String, Vec<String>) {
    let (method, path) = line.split_once(' ').unwrap_or(("GET", line));
    let request = Request::builder().method(method).uri(path).header(
        "Content-Type",
        if method == "PATCH" { "application/merge-patch+json" } else { "application/json" },
    );
    let response = cluster.send(request.body(body.to_string().into()).expect("a request"));
    let warnings = response.headers().get_all("warning").iter();
    let warnings = warnings.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect();
    let (code, answer) = read(&response);
    (code, answer["message"].as_str().unwrap_or_default().to_owned(), warnings)
}

#[test]
fn pods_that_are_not_safe_enough_are_refused_or_warned_of() {
    let cluster = Cluster::new();
    let key = |mode: &str| format!("pod-security.kubernetes.io/{mode}");
    let (code, message, _) =
        send(&cluster, "POST /api/v1/namespaces", &namespace("x", &json!({ key("warn"): "none" })));
    assert_eq!(code, 422);
    assert_eq!(
        message,
        "Namespace \"x\" is invalid: metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: \"none\": must be one of privileged, baseline, restricted"
    );
    let labels =
        json!({ key("enforce"): "baseline", key("warn"): "restricted", key("warn-version"): "v1.36" });
    assert_eq!(send(&cluster, "POST /api/v1/namespaces", &namespace("safe", &labels)).0, 201);

    let pods = "POST /api/v1/namespaces/safe/pods";
    let (code, message, warnings) = send(&cluster, pods, &pod("a"));
    assert_eq!((code, message.as_str()), (201, ""));
    let told = format!("would violate PodSecurity \"restricted:v1.36\": {BARE}").replace('"', "\\\"");
    assert_eq!(warnings, [format!("299 - \"{told}\"")]);

    let mut host = pod("b");
    host["spec"]["hostNetwork"] = json!(true);
    let (code, message, warnings) = send(&cluster, pods, &host);
    let why = "pods \"b\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostNetwork=true)";
    assert_eq!((code, message.as_str(), warnings.len()), (403, why, 0));

    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": host["spec"] });
    let selector = json!({ "matchLabels": { "a": "b" } });
    let deployment =
        json!({ "metadata": { "name": "d" }, "spec": { "selector": selector, "template": template } });
    let (code, _, warnings) = send(&cluster, "POST /apis/apps/v1/namespaces/safe/deployments", &deployment);
    assert_eq!(code, 201);
    assert!(warnings.iter().any(|warning| warning.contains("host namespaces (hostNetwork=true), allowPriv")));

    assert_eq!(send(&cluster, pods, &pod("c")).0, 201);
    let stricter = json!({ "metadata": { "labels": { key("enforce"): "restricted" } } });
    let (code, _, warnings) = send(&cluster, "PATCH /api/v1/namespaces/safe", &stricter);
    assert_eq!(code, 200);
    assert_eq!(
        warnings,
        [
            "299 - \"existing pods in namespace \\\"safe\\\" violate the new PodSecurity enforce level \\\"restricted:latest\\\"\"",
            "299 - \"a (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile\"",
        ]
    );
    // Labels of a pod do not make it less safe.
    let labels = json!({ "metadata": { "labels": { "a": "b" } } });
    assert_eq!(send(&cluster, "PATCH /api/v1/namespaces/safe/pods/a", &labels).0, 200);
}

#[test]
fn claims_of_devices_that_others_use_need_a_label() {
    let cluster = Cluster::new();
    let claim = |template: bool| {
        let requests = json!([{ "name": "r", "exactly": { "deviceClassName": "c", "adminAccess": true } }]);
        let spec = json!({ "devices": { "requests": requests } });
        let spec = if template { json!({ "spec": spec }) } else { spec };
        json!({ "metadata": { "name": "a" }, "spec": spec })
    };
    assert_eq!(send(&cluster, "POST /api/v1/namespaces", &namespace("plain", &json!({}))).0, 201);
    let labels = json!({ "resource.kubernetes.io/admin-access": "true" });
    assert_eq!(send(&cluster, "POST /api/v1/namespaces", &namespace("admin", &labels)).0, 201);
    for (resource, kind, body) in [
        ("resourceclaims", "ResourceClaim", claim(false)),
        ("resourceclaimtemplates", "ResourceClaimTemplate", claim(true)),
    ] {
        let path =
            |namespace: &str| format!("POST /apis/resource.k8s.io/v1/namespaces/{namespace}/{resource}");
        let (code, message, _) = send(&cluster, &path("plain"), &body);
        let why = format!(
            "{kind}.resource.k8s.io \"a\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to \
             devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
        );
        assert_eq!((code, message), (422, why));
        assert_eq!(send(&cluster, &path("admin"), &body).0, 201);
    }
}

#[test]
fn who_writes_a_status_leaves_metadata_alone() {
    let cluster = Cluster::new();
    let path = "/apis/storage.k8s.io/v1/volumeattachments";
    let body = json!({ "metadata": { "name": "a", "annotations": { "a": "1" } },
        "spec": { "attacher": "d.io", "nodeName": "n", "source": { "persistentVolumeName": "v" } } });
    assert_eq!(send(&cluster, &format!("POST {path}"), &body).0, 201);
    let change = json!({ "metadata": { "annotations": { "a": "2" }, "finalizers": ["x.io/y"] }, "status": { "attached": true } });
    assert_eq!(send(&cluster, &format!("PATCH {path}/a/status"), &change).0, 200);
    let (_, stored) = cluster.get(&format!("{path}/a"));
    assert_eq!(stored["status"]["attached"], true);
    assert_eq!(stored["metadata"]["annotations"], json!({ "a": "1" }));
    assert!(stored["metadata"].get("finalizers").is_none(), "{stored}");
}

#[test]
fn claims_grow_as_their_class_says() {
    let cluster = Cluster::new();
    for (name, grows) in [("big", true), ("small", false)] {
        let class =
            json!({ "metadata": { "name": name }, "provisioner": "a.io/b", "allowVolumeExpansion": grows });
        assert_eq!(send(&cluster, "POST /apis/storage.k8s.io/v1/storageclasses", &class).0, 201);
    }
    let refused = |name: &str| {
        format!(
            "persistentvolumeclaims \"{name}\" is forbidden: only dynamically provisioned pvc can be resized and the \
             storageclass that provisions the pvc must support resize"
        )
    };
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    for (class, expected) in [("big", (200, String::new())), ("small", (403, refused("small")))] {
        let claim = json!({ "metadata": { "name": class }, "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": class, "volumeName": "v",
            "resources": { "requests": { "storage": "1Gi" } },
        } });
        assert_eq!(send(&cluster, &format!("POST {claims}"), &claim).0, 201);
        let bound = json!({ "status": { "phase": "Bound" } });
        assert_eq!(send(&cluster, &format!("PATCH {claims}/{class}/status"), &bound).0, 200);
        let more = json!({ "spec": { "resources": { "requests": { "storage": "2Gi" } } } });
        let (code, message, _) = send(&cluster, &format!("PATCH {claims}/{class}"), &more);
        assert_eq!((code, message), expected);
    }
}

#[test]
fn pods_know_where_their_node_is() {
    let cluster = Cluster::new();
    let (zone, region) = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region");
    let labels = json!({ zone: "a1", region: "a", "other": "x" });
    let node = json!({ "metadata": { "name": "n", "labels": labels } });
    assert_eq!(send(&cluster, "POST /api/v1/nodes", &node).0, 201);
    let pods = "/api/v1/namespaces/default/pods";
    let mut placed = pod("placed");
    placed["spec"]["nodeName"] = json!("n");
    placed["metadata"]["labels"] = json!({ zone: "elsewhere" });
    for pod in [placed, pod("bound"), pod("plain")] {
        assert_eq!(send(&cluster, &format!("POST {pods}"), &pod).0, 201);
    }
    let binding = json!({ "metadata": { "name": "bound" }, "target": { "kind": "Node", "name": "n" } });
    assert_eq!(send(&cluster, &format!("POST {pods}/bound/binding"), &binding).0, 201);
    let binding = json!({ "metadata": { "name": "plain" }, "target": { "kind": "Node", "name": "n" } });
    assert_eq!(send(&cluster, "POST /api/v1/namespaces/default/bindings", &binding).0, 201);
    assert!(cluster.get(&format!("{pods}/plain")).1["metadata"].get("labels").is_none());
    for name in ["placed", "bound"] {
        let (_, pod) = cluster.get(&format!("{pods}/{name}"));
        assert_eq!(pod["metadata"]["labels"], json!({ region: "a", zone: "a1" }));
    }
}

#[test]
fn one_priority_class_is_the_default() {
    let cluster = Cluster::new();
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let class = |name: &str, default: bool| json!({ "metadata": { "name": name }, "value": 1, "globalDefault": default });
    let refused = |name: &str| {
        format!(
            "priorityclasses.scheduling.k8s.io \"{name}\" is forbidden: PriorityClass a is already marked as default. \
             Only one default can exist"
        )
    };
    for (line, class, expected) in [
        (format!("POST {classes}"), class("a", true), (201, String::new())),
        (format!("POST {classes}"), class("b", false), (201, String::new())),
        (format!("POST {classes}"), class("a", true), (403, refused("a"))),
        (format!("PATCH {classes}/a"), json!({ "description": "x" }), (200, String::new())),
        (format!("PATCH {classes}/b"), json!({ "globalDefault": true }), (403, refused("b"))),
    ] {
        let (code, message, _) = send(&cluster, &line, &class);
        assert_eq!((code, message), expected, "{line}");
    }
}
