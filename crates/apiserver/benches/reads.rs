//! How fast lists, watches and OpenAPI documents are answered, in process.

use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use apiserver::{ApiServer, Body, Compaction, Config, ManualClock, SeededRandom};
use bytes::Bytes;
use criterion::{Criterion, criterion_group, criterion_main};
use futures::{FutureExt, Stream};
use http::Request;

const COLLECTION: &str = "/api/v1/namespaces/default/configmaps";

/// How much data makes a ConfigMap of 1 KiB, with its metadata and who manages it.
const DATA: usize = 672;

type Frames = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

fn cluster() -> ApiServer {
    let clock = ManualClock::new(Duration::from_secs(1_767_225_600));
    ApiServer::new(Config {
        first_revision: 1,
        compaction: Compaction { every: None, keep: None },
        ..Config::new(Arc::new(clock), Arc::new(SeededRandom::new(1)))
    })
}

fn send(server: &ApiServer, method: &str, uri: &str, body: String) -> Body {
    let request = Request::builder().method(method).uri(uri).body(Bytes::from(body)).expect("a request");
    let response = server.call(request).now_or_never().expect("the answer takes no time");
    assert!(response.status().is_success(), "{method} {uri}: {:?}", response.body().bytes());
    response.into_body()
}

fn get(server: &ApiServer, uri: &str) -> Bytes {
    match send(server, "GET", uri, String::new()) {
        Body::Bytes(bytes) => bytes,
        other => panic!("not bytes: {other:?}"),
    }
}

fn watch(server: &ApiServer, query: &str) -> Frames {
    match send(server, "GET", &format!("{COLLECTION}?watch=1&{query}"), String::new()) {
        Body::Stream(frames) => frames,
        other => panic!("not a stream: {other:?}"),
    }
}

/// A cluster with so many ConfigMaps, each of which takes 1 KiB as JSON.
fn filled(count: usize) -> ApiServer {
    let server = cluster();
    for n in 0..count {
        let data = "x".repeat(DATA);
        let body = format!(r#"{{"metadata":{{"name":"cm-{n:06}"}},"data":{{"k":"{data}"}}}}"#);
        send(&server, "POST", COLLECTION, body);
    }
    server
}

fn change(server: &ApiServer, n: usize) {
    let data = "x".repeat(DATA);
    let body = format!(r#"{{"metadata":{{"name":"cm-000000"}},"data":{{"k":"{data}","n":"{n}"}}}}"#);
    send(server, "PUT", &format!("{COLLECTION}/cm-000000"), body);
}

/// Returns the text between `"key":"` and the next quote.
fn text<'a>(body: &'a [u8], key: &str) -> Option<&'a str> {
    // The list's metadata stands in front of its items.
    let head = std::str::from_utf8(&body[..body.len().min(400)]).expect("ASCII");
    let (_, rest) = head.split_once(&format!("\"{key}\":\""))?;
    rest.split_once('"').map(|(text, _)| text)
}

fn lists(c: &mut Criterion) {
    let mut group = c.benchmark_group("apiserver");
    let server = filled(10_000);
    let bytes = get(&server, COLLECTION).len();
    assert!((10_240_000..11_000_000).contains(&bytes), "{bytes} bytes");
    group.bench_function("list 10,000 ConfigMaps of 1 KiB", |b| b.iter(|| get(&server, COLLECTION)));
    drop(server);

    let server = filled(100_000);
    group.sample_size(10);
    group.bench_function("1,000 pages of 100 over 100,000 ConfigMaps", |b| {
        b.iter(|| {
            let mut pages = 1;
            let mut page = get(&server, &format!("{COLLECTION}?limit=100"));
            while let Some(token) = text(&page, "continue") {
                page = get(&server, &format!("{COLLECTION}?limit=100&continue={token}"));
                pages += 1;
            }
            assert_eq!(pages, 1_000);
        });
    });
    group.finish();
}

fn watches(c: &mut Criterion) {
    let mut group = c.benchmark_group("apiserver");
    let cx = &mut Context::from_waker(Waker::noop());
    let next = |frames: &mut Frames, cx: &mut Context<'_>| match frames.as_mut().poll_next(cx) {
        Poll::Ready(Some(frame)) => Some(frame),
        Poll::Ready(None) => panic!("the watch has ended"),
        Poll::Pending => None,
    };

    let server = filled(1);
    let version = text(&get(&server, COLLECTION), "resourceVersion").expect("a version").to_owned();
    let mut open: Vec<Frames> =
        (0..10_000).map(|_| watch(&server, &format!("resourceVersion={version}"))).collect();
    for frames in &mut open {
        assert!(next(frames, cx).is_none());
    }
    let mut n = 0;
    group.bench_function("a write seen by 10,000 watches", |b| {
        b.iter_custom(|rounds| {
            let mut taken = Duration::ZERO;
            for _ in 0..rounds {
                n += 1;
                let begun = Instant::now();
                change(&server, n);
                for frames in &mut open {
                    black_box(next(frames, cx).expect("the write"));
                }
                taken += begun.elapsed();
                // They wait again before the next write, as a client's would.
                for frames in &mut open {
                    assert!(next(frames, cx).is_none());
                }
            }
            taken
        });
    });
    drop(open);

    let server = filled(1);
    for n in 0..10_000 {
        change(&server, n);
    }
    group.bench_function("a watch that replays 10,000 events", |b| {
        b.iter(|| {
            let mut frames = watch(&server, "resourceVersion=5");
            let mut seen = 0;
            while let Some(frame) = next(&mut frames, cx) {
                black_box(frame);
                seen += 1;
            }
            assert_eq!(seen, 10_000);
        });
    });
    group.finish();
}

fn documents(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("OpenAPI");
    group.sample_size(10);
    let server = cluster();
    let begun = Instant::now();
    let length = get(&server, "/openapi/v3").len();
    println!("OpenAPI/the index of v3, {length} bytes, when it is first asked for: {:?}", begun.elapsed());
    for (name, path) in [
        ("the index of v3", "/openapi/v3"),
        ("v3 of core/v1", "/openapi/v3/api/v1"),
        ("v3 of batch/v1", "/openapi/v3/apis/batch/v1"),
        ("v2", "/openapi/v2"),
    ] {
        let name = format!("{name}, {} bytes", get(&server, path).len());
        group.bench_function(name, |b| b.iter(|| black_box(get(&server, path))));
    }
    group.finish();
}

/// Measures a read of one object, as it is and with what a native server counts and tells of it.
fn one_object(c: &mut Criterion) {
    for (name, has_instruments) in [("a get", false), ("a get with instruments", true)] {
        let server = filled(1);
        if has_instruments {
            server.set_instruments(apiserver::Host::new(apiserver::ProcessInfo::default));
        }
        let uri = format!("{COLLECTION}/cm-000000");
        c.bench_function(name, |b| b.iter(|| black_box(get(&server, &uri))));
    }
}

criterion_group!(benches, one_object, lists, watches, documents);
criterion_main!(benches);
