//! How fast CBOR and Protobuf are read and written: a Pod of 2 KiB, as JSON has it.

use std::hint::black_box;

use codec::protobuf::Shape;
use codec::{cbor, json, protobuf};
use criterion::{Criterion, criterion_group, criterion_main};
use schema::{Types, decode};

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
    let types = Types::builtin();
    let ty = types.find("k8s.io/api/core/v1", "Pod").expect("a core type");
    let bytes = pod();
    let node = json::parse(&bytes).expect("the pod is JSON");
    let value = decode(types, ty, &node).expect("a pod").value;
    let mut message = Vec::new();
    protobuf::write(types, Shape::Object(ty), "v1", "Pod", &value, &mut message);
    let mut item = Vec::new();
    cbor::write_typed(types, ty, &value, &mut item);

    let mut out = Vec::with_capacity(4096);
    criterion.bench_function("protobuf/write", |bench| {
        bench.iter(|| {
            out.clear();
            protobuf::write(types, Shape::Object(ty), "v1", "Pod", black_box(&value), &mut out);
        });
    });
    criterion.bench_function("protobuf/parse", |bench| {
        bench.iter(|| {
            let envelope = protobuf::open(black_box(&message)).expect("written");
            drop(black_box(protobuf::parse(types, Shape::Object(ty), envelope.raw)));
        });
    });
    criterion.bench_function("cbor/write", |bench| {
        bench.iter(|| {
            out.clear();
            cbor::write_typed(types, ty, black_box(&value), &mut out);
        });
    });
    criterion.bench_function("cbor/parse", |bench| {
        bench.iter(|| {
            let document = cbor::Document::parse(black_box(&item)).expect("written");
            drop(black_box(document.typed(types, ty)));
        });
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
