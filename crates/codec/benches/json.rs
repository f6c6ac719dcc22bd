//! How fast JSON is read and written: a Pod of 2 KiB.

use std::hint::black_box;

use codec::json;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn pod() -> Vec<u8> {
    let container = |name: &str| {
        serde_json::json!({
            "name": name,
            "image": "registry.example.com/team/application:v1.36.0",
            "command": ["/bin/sh", "-c", "while true; do echo \"$(date) alive\"; sleep 5; done"],
            "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
            "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}, "requests": {"cpu": "250m"}},
            "volumeMounts": [{"name": "data", "mountPath": "/var/lib/data", "readOnly": true}],
            "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
        })
    };
    let pod = serde_json::json!({
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

fn bench(criterion: &mut Criterion) {
    let bytes = pod();
    let node = json::parse(&bytes).expect("the pod is JSON");
    let value = json::to_value(&node).expect("its numbers are in range");
    let mut group = criterion.benchmark_group(format!("json of {} bytes", bytes.len()));
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter(|| json::parse(black_box(&bytes))));
    group.bench_function("parse with serde_json", |bencher| {
        bencher.iter(|| serde_json::from_slice::<serde_json::Value>(black_box(&bytes)));
    });
    group.bench_function("to_value", |bencher| bencher.iter(|| json::to_value(black_box(&node))));
    let types = schema::Types::builtin();
    let ty = types.find("k8s.io/api/core/v1", "Pod").expect("the table has Pod");
    group.bench_function("decode", |bencher| bencher.iter(|| schema::decode(types, ty, black_box(&node))));
    group.bench_function("write", |bencher| bencher.iter(|| json::to_vec(black_box(&value))));
    group.bench_function("pretty", |bencher| bencher.iter(|| json::pretty(black_box(&bytes))));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
