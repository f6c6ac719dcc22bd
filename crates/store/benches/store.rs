//! How fast the store writes, reads the past and feeds watches.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use store::{Cursor, Guard, KeyRange, Store};

type Value = Arc<[u8]>;

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("/registry/pods/default/web-{n:06}")).collect()
}

fn filled(keys: &[String], writes: usize) -> Store<Value> {
    let mut store = Store::new(1);
    for n in 0..writes {
        store.put(&keys[n * 7 % keys.len()], Guard::None, |_| Arc::from([0; 1024])).expect("unconditional");
    }
    store
}

fn puts(c: &mut Criterion) {
    const PUTS: usize = 20_000;
    let mut group = c.benchmark_group("put 1 KiB");
    group.throughput(Throughput::Elements(PUTS as u64));
    for count in [2_000, 20_000] {
        let keys = keys(count);
        group.bench_function(format!("over {count} keys"), |b| {
            // The value is allocated within, as whoever encodes an object has to.
            b.iter_batched(
                || Store::new(1),
                |mut store: Store<Value>| {
                    for n in 0..PUTS {
                        let key = &keys[n * 7 % keys.len()];
                        store.put(key, Guard::None, |_| Arc::from([0; 1024])).expect("unconditional");
                    }
                    store
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn reads(c: &mut Criterion) {
    let keys = keys(10_000);
    let store = filled(&keys, 100_000);
    let range = KeyRange::prefix("/registry/pods/");
    let mut group = c.benchmark_group("range of 10000 keys");
    group.throughput(Throughput::Elements(10_000));
    let sum = |sum, entry: &store::Entry<Value>| sum + entry.mod_revision + entry.value.len() as u64;
    group.bench_function("at an old revision", |b| {
        b.iter(|| store.range_at(black_box(&range), 50_000).expect("kept").fold(0, sum));
    });
    group.bench_function("at the head", |b| b.iter(|| store.range(black_box(&range)).fold(0, sum)));
    group.finish();
    c.bench_function("get", |b| {
        b.iter(|| store.get(black_box("/registry/pods/default/web-004711")).is_some())
    });
}

fn watches(c: &mut Criterion) {
    let keys = keys(1_000);
    let mut group = c.benchmark_group("one write to 1000 watches");
    group.throughput(Throughput::Elements(1_000));
    for (name, prefix, received) in
        [("that want it", "/registry/pods/", 1_000), ("that don't", "/registry/nodes/", 0)]
    {
        let mut store = filled(&keys, 10_000);
        let mut cursors: Vec<Cursor> = (0..1_000)
            .map(|_| store.watch(KeyRange::prefix(prefix), store.revision()).expect("the newest revision"))
            .collect();
        let value: Value = Arc::from([0; 1024]);
        let mut n = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                n += 1;
                store.put(&keys[n % keys.len()], Guard::None, |_| value.clone()).expect("unconditional");
                let mut delivered = 0;
                for cursor in &mut cursors {
                    while let Some(event) = store.next(cursor).expect("kept") {
                        black_box(event);
                        delivered += 1;
                    }
                }
                assert_eq!(delivered, received);
            });
        });
    }
    group.finish();
}

fn compaction(c: &mut Criterion) {
    let store = filled(&keys(2_000), 100_000);
    c.bench_function("compact 100000 revisions", |b| {
        b.iter_batched(
            || store.clone(),
            |mut store| {
                store.compact(100_000).expect("the newest revision");
                store
            },
            BatchSize::PerIteration,
        );
    });
    println!("index of 100000 revisions over 2000 keys: {} bytes\n", store.index_bytes());
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = puts, reads, watches, compaction
}
criterion_main!(benches);
