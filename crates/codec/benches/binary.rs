//! How fast CBOR and Protobuf are read and written: a Pod of 2 KiB, as JSON has it.

mod pod;

use std::hint::black_box;

use codec::protobuf::Shape;
use codec::{cbor, json, protobuf};
use criterion::{Criterion, criterion_group, criterion_main};
use pod::pod;
use schema::{Node, Types, decode};

fn bench(criterion: &mut Criterion) {
    let types = Types::builtin();
    let ty = types.find("k8s.io/api/core/v1", "Pod").expect("a core type");
    let bytes = pod();
    let node = json::parse(&bytes).expect("the pod is JSON");
    let value = decode(types, ty, &node).expect("a pod").value;
    let node = Node::from(&value);
    let mut message = Vec::new();
    protobuf::write(types, Shape::Object(ty), "v1", "Pod", &node, &mut message);
    let mut item = Vec::new();
    cbor::write_typed(types, ty, &value, &mut item);

    let mut out = Vec::with_capacity(4096);
    criterion.bench_function("protobuf/write", |bench| {
        bench.iter(|| {
            out.clear();
            protobuf::write(types, Shape::Object(ty), "v1", "Pod", black_box(&node), &mut out);
        });
    });
    criterion.bench_function("protobuf/decode", |bench| {
        bench.iter(|| {
            let envelope = protobuf::open(black_box(&message)).expect("written");
            drop(black_box(protobuf::decode(types, Shape::Object(ty), envelope.raw)));
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
