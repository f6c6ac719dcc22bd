//! How fast one field of a 2 KiB Deployment is changed, from bytes to a document that can be decoded.

use std::hint::black_box;

use codec::json;
use criterion::{Criterion, criterion_group, criterion_main};
use patch::{json_patch::Patch, merge, strategic};
use schema::Types;

fn deployment() -> Vec<u8> {
    let container = |name: &str| {
        json_tree::json!({
            "name": name,
            "image": "registry.example.com/team/application:v1.36.0",
            "command": ["/bin/sh", "-c", "while true; do date; sleep 5; done"],
            "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
            "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}, "requests": {"cpu": "250m"}},
            "volumeMounts": [{"name": "data", "mountPath": "/var/lib/data", "readOnly": true}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
        })
    };
    let deployment = json_tree::json!({
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {
            "name": "application",
            "namespace": "default",
            "uid": "6f1d2c3b-4a59-4e8f-9c0d-1b2a3c4d5e6f",
            "resourceVersion": "10245",
            "creationTimestamp": "2026-11-20T10:00:00Z",
            "labels": {"app.kubernetes.io/name": "application"},
            "annotations": {"example.com/checksum": "9b74c9897bac770ffc029102a200c5de"},
        },
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app.kubernetes.io/name": "application"}},
            "template": {
                "metadata": {"labels": {"app.kubernetes.io/name": "application"}},
                "spec": {
                    "containers": [container("main"), container("sidecar")],
                    "restartPolicy": "Always",
                    "terminationGracePeriodSeconds": 30,
                    "dnsPolicy": "ClusterFirst",
                    "volumes": [{"name": "data", "configMap": {"name": "application-data"}}],
                },
            },
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        },
        "status": {"observedGeneration": 4, "replicas": 3, "readyReplicas": 3, "availableReplicas": 3},
    });
    json::to_vec(&deployment)
}

fn benches(c: &mut Criterion) {
    let original = deployment();
    let changes = br#"{"spec":{"replicas":5}}"#;
    c.bench_function("patch: merge patch", |b| {
        b.iter(|| {
            let nodes = (json::parse(black_box(&original)), json::parse(black_box(changes)));
            nodes.0.ok().zip(nodes.1.ok()).map(|(original, patch)| merge::apply(original, patch))
        });
    });
    let operations = br#"[{"op":"replace","path":"/spec/replicas","value":5}]"#;
    c.bench_function("patch: JSON patch", |b| {
        b.iter(|| {
            let nodes = (json::parse(black_box(&original)), json::parse(black_box(operations)));
            let patch = nodes.1.ok().and_then(|patch| Patch::new(patch).ok());
            nodes.0.ok().zip(patch).map(|(original, patch)| patch.apply(original))
        });
    });
    let image = br#"{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","image":"x"}]}}}}"#;
    let types = Types::builtin();
    let ty = types.find("k8s.io/api/apps/v1", "Deployment");
    c.bench_function("patch: strategic merge patch", |b| {
        b.iter(|| {
            let node = json::parse(black_box(&original)).ok()?;
            let patch = json::parse(black_box(image)).ok()?;
            let mut patch = json::to_value(&patch).ok()?;
            let merged = strategic::apply(types, ty?, json::to_value(&node).ok()?, &mut patch).ok()?;
            strategic::convert(types, ty?, merged).ok()
        });
    });
}

criterion_group!(patches, benches);
criterion_main!(patches);
