//! How fast an object goes in and comes out: a Pod of 2 KiB.

#[path = "../../codec/benches/pod/mod.rs"]
mod pod;

use std::hint::black_box;

use codec::protobuf::{self, Shape};
use codec::{cbor, json, yaml};
use criterion::{Criterion, criterion_group, criterion_main};
use json_tree::Value;
use kinds::defaults;
use kinds::validate;
use kinds::validation::Resource;
use pod::pod;
use schema::{TypeId, Types, decode};

/// The allocator that the command `kubeglass` has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn read(types: &Types, ty: TypeId, bytes: &[u8]) -> Value {
    let node = json::parse(bytes).expect("the pod is JSON");
    decode(types, ty, &node).expect("it is a pod").value
}

fn bench(criterion: &mut Criterion) {
    let types = Types::builtin();
    let ty = types.find("k8s.io/api/core/v1", "Pod").expect("the table has Pod");
    let pods = Resource { group: "", resource: "pods", namespaced: true };
    let bytes = pod();
    let mut group = criterion.benchmark_group(format!("a Pod of {} bytes", bytes.len()));

    // The parts, and the whole.
    let value = read(types, ty, &bytes);
    let mut complete = value.clone();
    defaults::apply(types, ty, &mut complete);
    assert_eq!(validate::create(pods, &complete), []);
    group.bench_function("parse and decode", |bench| bench.iter(|| read(types, ty, black_box(&bytes))));
    group.bench_function("default", |bench| {
        bench.iter_with_setup(
            || value.clone(),
            |mut value| {
                defaults::apply(types, ty, &mut value);
                value
            },
        );
    });
    group.bench_function("validate", |bench| bench.iter(|| validate::create(pods, black_box(&complete))));
    group.bench_function("encode", |bench| bench.iter(|| json::to_vec(black_box(&complete))));
    group.bench_function("decode, default, validate, encode", |bench| {
        bench.iter(|| {
            let mut value = read(types, ty, black_box(&bytes));
            defaults::apply(types, ty, &mut value);
            let errors = validate::create(pods, &value);
            (errors.is_empty(), json::to_vec(&value))
        });
    });

    // As the server answers in Protobuf what it has stored as JSON, and reads what it will store.
    let stored = json::to_vec(&value);
    let to_protobuf = |stored: &[u8]| {
        let node = json::parse(stored).expect("it was written");
        let mut message = Vec::with_capacity(stored.len());
        protobuf::write(types, Shape::Object(ty), "v1", "Pod", &node, &mut message);
        message
    };
    let to_json = |message: &[u8]| {
        let envelope = protobuf::open(message).expect("written");
        json::to_vec(&protobuf::decode(types, Shape::Object(ty), envelope.raw).expect("a pod"))
    };
    let message = to_protobuf(&stored);
    assert_eq!(to_json(&message), stored);
    group.bench_function("JSON to Protobuf", |bench| bench.iter(|| to_protobuf(black_box(&stored))));
    group.bench_function("Protobuf to JSON", |bench| bench.iter(|| to_json(black_box(&message))));
    group.bench_function("JSON to Protobuf and back", |bench| {
        bench.iter(|| to_json(&to_protobuf(black_box(&stored))));
    });
    group.bench_function("JSON to CBOR and back", |bench| {
        bench.iter(|| {
            let value = read(types, ty, black_box(&bytes));
            let mut item = Vec::with_capacity(bytes.len());
            cbor::write_typed(types, ty, &value, &mut item);
            let document = cbor::Document::parse(&item).expect("written");
            let typed = document.typed(types, ty).expect("written");
            json::to_vec(&decode(types, ty, &typed.node).expect("a pod").value)
        });
    });
    group.bench_function("JSON to YAML and back", |bench| {
        bench.iter(|| {
            let value = read(types, ty, black_box(&bytes));
            let text = yaml::write(&value).expect("no control characters");
            let node = yaml::parse(&text).expect("written");
            json::to_vec(&decode(types, ty, &node).expect("a pod").value)
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
