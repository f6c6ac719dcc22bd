//! Folds the trace of 100,000 writes.

use std::hint::black_box;
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use engine::{Config, Engine};
use glass::Glass;
use protocol::message::{ClusterId, HttpRequest, Mode, ToEngine};
use protocol::trace::Batch;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const WRITES: u64 = 100_000;
/// The number of objects that are written to.
const OBJECTS: u64 = 1_000;

/// Records the trace of so many writes of 500-byte ConfigMaps, with one watch of them all.
fn trace() -> Vec<Batch> {
    let mut engine = Engine::new(Config { now: Duration::from_secs(1_800_000_000), ..Config::default() });
    let mut batches = Vec::new();
    let request = |call: u64, method: &str, uri: String| {
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        let request = HttpRequest { method: method.to_owned(), uri, headers };
        ToEngine::Request { call, cluster: ClusterId::FIRST, server: 0, mode: Mode::Serve, request }
    };
    let maps = "/api/v1/namespaces/default/configmaps";
    engine.receive(ToEngine::Subscribe, Bytes::new());
    engine.receive(request(1, "GET", format!("{maps}?watch=1")), Bytes::new());
    let mut frames = 0;
    for write in 0..WRITES {
        let name = format!("c{}", write % OBJECTS);
        let body = format!(
            r#"{{"metadata":{{"name":"{name}","labels":{{"app":"web"}}}},"data":{{"k":"{write:0400}"}}}}"#
        );
        let (method, uri) = match write < OBJECTS {
            true => ("POST", maps.to_owned()),
            false => ("PUT", format!("{maps}/{name}")),
        };
        engine.receive(request(write + 2, method, uri), body.into());
        if write % 100 == 99 {
            frames += engine.poll(&mut Context::from_waker(Waker::noop())).len() as u64;
            engine.receive(ToEngine::Taken { call: 1, frames }, Bytes::new());
            while let Some(batch) = engine.trace() {
                engine.receive(ToEngine::TakenTrace { batch: batch.number }, Bytes::new());
                batches.push(batch);
            }
        }
    }
    batches
}

fn fold(criterion: &mut Criterion) {
    let batches = trace();
    let take = |batches: Vec<Batch>| {
        let mut glass = Glass::default();
        batches.into_iter().for_each(|batch| glass.take(batch).expect("in order"));
        glass
    };
    assert_eq!(take(batches.clone()).lost(), Default::default());
    let mut group = criterion.benchmark_group("glass");
    group.sample_size(10);
    group.bench_function("fold 100,000 writes", |bencher| {
        bencher.iter_batched(|| batches.clone(), |batches| black_box(take(batches)), BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, fold);
criterion_main!(benches);
