//! The document that the benchmarks read and write: a Pod of nearly 2 KiB.

use codec::json;

/// The pod's JSON, with two containers, as a client sends it.
pub(crate) fn pod() -> Vec<u8> {
    let container = |name: &str| {
        json_tree::json!({
            "name": name,
            "image": "registry.example.com/team/application:v1.36.0",
            "command": ["/bin/sh", "-c", "while true; do echo \"$(date) alive\"; sleep 5; done"],
            "ports": [{"name": name, "containerPort": 8080, "protocol": "TCP"}],
            "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}, "requests": {"cpu": "250m"}},
            "volumeMounts": [{"name": "data", "mountPath": "/var/lib/data", "readOnly": true}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": name}, "periodSeconds": 10},
        })
    };
    let pod = json_tree::json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "application-5d4f8c7b6-x2x7q",
            "namespace": "default",
            "uid": "6f1d2c3b-4a59-4e8f-9c0d-1b2a3c4d5e6f",
            "resourceVersion": "10245",
            "creationTimestamp": "2026-11-20T10:00:00Z",
            "labels": {"app.kubernetes.io/name": "application", "pod-template-hash": "5d4f8c7b6"},
            "annotations": {"example.com/checksum": "9b74c9897bac770ffc029102a200c5de"},
        },
        "spec": {
            "containers": [container("main"), container("sidecar")],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
            "volumes": [{"name": "data", "configMap": {"name": "application-data"}}],
        },
        "status": {"phase": "Pending", "qosClass": "Burstable"},
    });
    json::to_vec(&pod)
}
