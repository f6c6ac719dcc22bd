//! Admission plugins, on and off.

use apiserver::{Config, Plugin};
use json_tree::{Value, json};

use crate::common::Cluster;

const CONFIGMAPS: &str = "POST /api/v1/namespaces/default/configmaps";
const PODS: &str = "POST /api/v1/namespaces/default/pods";
const CLAIMS: &str = "POST /api/v1/namespaces/default/persistentvolumeclaims";
const POLICIES: &str = "POST /apis/admissionregistration.k8s.io/v1/";

/// Sends requests to a cluster with a plugin and to one without it, and checks what the last response says at a place in both; the status
/// code, where no place is named.
#[track_caller]
fn check(plugin: Plugin, requests: &[(&str, Value)], place: &str, expected: &[Value; 2]) {
    let clusters = [
        Cluster::new(),
        Cluster::with(|config| Config { plugins: config.plugins.without(plugin), ..config }),
    ];
    let found = clusters.map(|cluster| {
        let mut last = Value::Null;
        for (line, body) in requests {
            let (code, object) = cluster.json(line, body);
            last = if place.is_empty() {
                code.into()
            } else {
                object.pointer(place).cloned().unwrap_or_default()
            };
        }
        last
    });
    assert_eq!(found, *expected, "{}", plugin.name());
}

fn pod(spec: &Value) -> Value {
    let mut pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for (key, value) in spec.as_object().into_iter().flatten() {
        pod["spec"][key.as_str()] = value.clone();
    }
    pod
}

fn claim() -> Value {
    let resources = json!({"requests": {"storage": "1Gi"}});
    json!({"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources}})
}

fn named(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

#[test]
fn what_plugins_add_is_missing_without_them() {
    let bare = pod(&json!({}));
    check(Plugin::Priority, &[(PODS, bare.clone())], "/spec/priority", &[json!(0), Value::Null]);
    let first = "/spec/tolerations/0/key";
    check(
        Plugin::DefaultTolerationSeconds,
        &[(PODS, bare.clone())],
        first,
        &["node.kubernetes.io/not-ready".into(), Value::Null],
    );
    let limits = json!([{"type": "Container", "default": {"cpu": "2"}}]);
    let range = json!({"metadata": {"name": "r"}, "spec": {"limits": limits}});
    check(
        Plugin::LimitRanger,
        &[("POST /api/v1/namespaces/default/limitranges", range), (PODS, bare)],
        "/spec/containers/0/resources/limits/cpu",
        &["2".into(), Value::Null],
    );
    check(
        Plugin::StorageObjectInUseProtection,
        &[(CLAIMS, claim())],
        "/metadata/finalizers/0",
        &["kubernetes.io/pvc-protection".into(), Value::Null],
    );
    let class = json!({
        "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "example.com/disks",
    });
    check(
        Plugin::DefaultStorageClass,
        &[("POST /apis/storage.k8s.io/v1/storageclasses", class), (CLAIMS, claim())],
        "/spec/storageClassName",
        &["fast".into(), Value::Null],
    );
    let class = json!({
        "metadata": {"name": "web", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
        "spec": {"controller": "example.com/web"},
    });
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let ingress = json!({"metadata": {"name": "i"}, "spec": {"defaultBackend": backend}});
    check(
        Plugin::DefaultIngressClass,
        &[
            ("POST /apis/networking.k8s.io/v1/ingressclasses", class),
            ("POST /apis/networking.k8s.io/v1/namespaces/default/ingresses", ingress),
        ],
        "/spec/ingressClassName",
        &["web".into(), Value::Null],
    );
    check(
        Plugin::TaintNodesByCondition,
        &[("POST /api/v1/nodes", named("n"))],
        "/spec/taints/0/key",
        &["node.kubernetes.io/not-ready".into(), Value::Null],
    );
}

#[test]
fn what_plugins_refuse_is_done_without_them() {
    let done = |refused: u16, done: u16| [refused.into(), done.into()];
    check(
        Plugin::NamespaceLifecycle,
        &[("POST /api/v1/namespaces/nowhere/configmaps", named("a"))],
        "",
        &done(404, 201),
    );
    check(
        Plugin::NamespaceLifecycle,
        &[("DELETE /api/v1/namespaces/default", Value::Null)],
        "",
        &done(403, 200),
    );
    check(Plugin::RuntimeClass, &[(PODS, pod(&json!({"runtimeClassName": "missing"})))], "", &done(403, 201));
    let labels = json!({"pod-security.kubernetes.io/enforce": "baseline"});
    check(
        Plugin::PodSecurity,
        &[
            ("POST /api/v1/namespaces", json!({"metadata": {"name": "safe", "labels": labels}})),
            ("POST /api/v1/namespaces/safe/pods", pod(&json!({"hostNetwork": true}))),
        ],
        "",
        &done(403, 201),
    );
    let (path, hard) = ("/api/v1/namespaces/default/resourcequotas", json!({"configmaps": "0"}));
    let status = json!({"hard": hard, "used": {"configmaps": "0"}});
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": hard}, "status": status});
    check(
        Plugin::ResourceQuota,
        &[
            (&["POST ", path].concat(), quota.clone()),
            (&["PUT ", path, "/q/status"].concat(), quota),
            (CONFIGMAPS, named("a")),
        ],
        "",
        &done(403, 201),
    );
}

#[test]
fn policies_do_nothing_without_their_plugins() {
    let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]);
    let path = |resource: &str| [POLICIES, resource].concat();
    let policy = json!({
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "false"}]},
    });
    let binding =
        json!({"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"]}});
    check(
        Plugin::ValidatingAdmissionPolicy,
        &[
            (&path("validatingadmissionpolicies"), policy),
            (&path("validatingadmissionpolicybindings"), binding),
            (CONFIGMAPS, named("a")),
        ],
        "",
        &[422.into(), 201.into()],
    );
    let expression = "Object{metadata: Object.metadata{labels: Object.metadata.labels{by: 'policy'}}}";
    let mutations =
        json!([{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}]);
    let policy = json!({
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": rules}, "mutations": mutations, "reinvocationPolicy": "Never"},
    });
    let binding = json!({"metadata": {"name": "b"}, "spec": {"policyName": "p"}});
    check(
        Plugin::MutatingAdmissionPolicy,
        &[
            (&path("mutatingadmissionpolicies"), policy),
            (&path("mutatingadmissionpolicybindings"), binding),
            (CONFIGMAPS, named("a")),
        ],
        "/metadata/labels/by",
        &["policy".into(), Value::Null],
    );
}
