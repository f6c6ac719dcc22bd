//! How fast JSON is read and written: a Pod of 2 KiB.

mod pod;

use std::hint::black_box;

use codec::json;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pod::pod;

fn bench(criterion: &mut Criterion) {
    let bytes = pod();
    let node = json::parse(&bytes).expect("the pod is JSON");
    let value = json::to_value(&node).expect("its numbers are in range");
    let mut group = criterion.benchmark_group(format!("json of {} bytes", bytes.len()));
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter(|| json::parse(black_box(&bytes))));
    group.bench_function("parse with serde_json", |bencher| {
        bencher.iter(|| serde_json::from_slice::<json_tree::Value>(black_box(&bytes)));
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
