//! How fast one field of a 2 KiB Deployment with three managers is applied, from trees to a tree and its entries.

use std::hint::black_box;

use apply::{Converter, Manager, Managers, Operation, Set, Shape, Updater};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use json_tree::{Value, json};
use schema::{TypeId, Types};

/// The allocator of the command `kubeglass`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The Deployment as its author applies it.
fn deployment(replicas: u64) -> Value {
    let container = |name: &str| {
        json!({
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
    json!({
        "metadata": {
            "name": "application",
            "namespace": "default",
            "labels": {"app.kubernetes.io/name": "application"},
        },
        "spec": {
            "replicas": replicas,
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
    })
}

struct OneVersion(TypeId);

impl Converter for OneVersion {
    fn root(&self, _: &str) -> Option<Shape<'_>> {
        Some(Shape::Object(self.0))
    }

    fn convert(&self, object: &Value, _: &str, _: &str) -> Result<Option<Value>, String> {
        Ok(Some(object.clone()))
    }
}

fn benches(c: &mut Criterion) {
    let types = Types::builtin();
    let Some(root) = types.find("k8s.io/api/apps/v1", "Deployment") else { return };
    let ignored = Set::of_fields(&[&["status"]]);
    let updater = Updater {
        types,
        converter: &OneVersion(root),
        api_version: "apps/v1",
        root: Shape::Object(root),
        ignored: &ignored,
        now: "2026-11-20T10:00:00Z",
    };
    let manager = |name: &str, operation| Manager::new(name, operation, "apps/v1", "");
    let mut managers = Managers::default();
    let (author, labeler) = (manager("author", Operation::Apply), manager("labeler", Operation::Apply));
    let mut live = schema::zero(types, root);
    let label = json!({"metadata": {"labels": {"team": "a"}}});
    for (manager, config) in [(&author, deployment(3)), (&labeler, label)] {
        if let Ok(Some(new)) = updater.apply(&live, &config, &mut managers, manager, false) {
            live = new;
        }
    }
    let mut annotated = live.clone();
    annotated["metadata"]["annotations"] =
        json!({"example.com/checksum": "9b74c9897bac770ffc029102a200c5de"});
    updater.update(&live, &annotated, &mut managers, &manager("controller", Operation::Update));
    assert_eq!(managers.0.len(), 3);
    let config = deployment(5);
    c.bench_function("apply: one field of a Deployment", |b| {
        b.iter_batched(
            || managers.clone(),
            |mut managers| {
                let new = updater.apply(&annotated, black_box(&config), &mut managers, &author, false);
                (new, managers.write())
            },
            BatchSize::SmallInput,
        );
    });
    let entries = managers.write();
    c.bench_function("apply: read and write three entries", |b| {
        b.iter(|| Managers::read(black_box(entries.as_ref())).and_then(|managers| managers.write()));
    });
}

criterion_group!(apply_one_field, benches);
criterion_main!(apply_one_field);
