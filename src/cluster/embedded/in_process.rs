//! An engine in this very program, for tests: it is driven whenever somebody waits for it.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use apiserver::ApiServer;
use engine::{Config, Engine};
use futures::future::LocalBoxFuture;
use glass::Glass;
use protocol::client::Client;

use super::Embedded;
use crate::cluster::{Answer, Request, Transport};

/// The way to an engine in this program, and what is behind it.
#[derive(Clone)]
pub(crate) struct InProcess {
    embedded: Rc<Embedded>,
    /// The first API server itself, to compare with.
    pub(crate) server: ApiServer,
    engine: Rc<RefCell<Engine>>,
    glass: Rc<RefCell<Glass>>,
}

impl InProcess {
    /// Makes an engine whose clock stands at `now` (since the Unix epoch).
    pub(crate) fn new(now: Duration, seed: u64) -> Self {
        let engine = Engine::new(Config { now, seed, ..Config::default() });
        let server = engine.server(0).expect("there is a first one");
        let (clock, client) = (engine.clock().expect("it is its own").clone(), Client::new(|| ()));
        let engine = Rc::new(RefCell::new(engine));
        let glass = Rc::new(RefCell::new(Glass::default()));
        let (own, known) = (client.clone(), Rc::clone(&glass));
        let driving = Cell::new(false);
        let waiting = Arc::new(Waiting::default());
        let waker = Waker::from(Arc::clone(&waiting));
        let driven = Rc::clone(&engine);
        let drive = move |cx: &mut Context<'_>| {
            waiting.register(cx.waker());
            // Whoever is woken by what it does may wait for it once more.
            if driving.replace(true) {
                return;
            }
            let cx = &mut Context::from_waker(&waker);
            loop {
                let sent = own.flush();
                if let Some(packet) = &sent {
                    driven.borrow_mut().receive_packet(&packet.to_bytes()).expect("a packet");
                }
                let told = driven.borrow_mut().poll_packet(cx, true, false);
                if let Some(packet) = &told {
                    for batch in own.receive(&packet.to_bytes()).expect("a packet") {
                        own.taken_trace(batch.number);
                        known.borrow_mut().take(batch).expect("in order");
                    }
                }
                if sent.is_none() && told.is_none() {
                    break;
                }
            }
            driving.set(false);
        };
        client.subscribe();
        Self { embedded: Rc::new(Embedded::with(client, Some(Rc::new(drive)), clock)), server, engine, glass }
    }

    /// Returns the way to it.
    pub(crate) fn embedded(&self) -> Rc<Embedded> {
        Rc::clone(&self.embedded)
    }

    /// Returns an API server by its number.
    pub(crate) fn server_at(&self, number: usize) -> ApiServer {
        self.engine.borrow().server(number).expect("there is a cluster")
    }

    /// Looks at what is known of it by now.
    pub(crate) fn glass<T>(&self, look: impl FnOnce(&Glass) -> T) -> T {
        if let Some(drive) = &self.embedded.drive {
            drive(&mut Context::from_waker(Waker::noop()));
        }
        look(&self.glass.borrow())
    }
}

/// Everybody who waits for something of the engine.
#[derive(Default)]
struct Waiting(Mutex<Vec<Waker>>);

impl Waiting {
    fn register(&self, waker: &Waker) {
        let mut waiting = self.0.lock().expect("nobody panics with it");
        if waiting.iter().all(|known| !known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        let waiting = std::mem::take(&mut *self.0.lock().expect("nobody panics with it"));
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Deref for InProcess {
    type Target = Embedded;

    fn deref(&self) -> &Embedded {
        &self.embedded
    }
}

impl Transport for InProcess {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        self.embedded.send(request)
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::stream::LocalBoxStream;
    use futures::{FutureExt, StreamExt};
    use protocol::command::Command;
    use protocol::trace::{Layer, Source};

    use super::super::MOST_SERVERS;
    use super::*;
    use crate::cluster::Body;

    fn cluster() -> InProcess {
        InProcess::new(Duration::from_secs(1_800_000_000), 1)
    }

    #[test]
    fn answers_through_the_transport() {
        let answer = block_on(cluster().send(Request::get("/no/such/path"))).unwrap();
        let served = answer.served.unwrap();
        assert_eq!((answer.status, served.code, served.source), (404, 404, None));
        assert!(matches!(answer.body, Body::Bytes(bytes) if !bytes.is_empty()));
    }

    #[test]
    fn says_what_an_answer_was_read_from() {
        let cluster = cluster();
        let head = cluster.server.inspect().revision();
        for (query, layer, revision) in [
            ("", Layer::Cache, head),
            ("?resourceVersion=10246&resourceVersionMatch=Exact", Layer::Snapshot, 10246),
        ] {
            let request = Request::get(&format!("/api/v1/namespaces{query}"));
            let answer = block_on(cluster.send(request)).unwrap();
            assert_eq!(answer.served.unwrap().source, Some(Source { layer, revision }), "{query}");
            assert_eq!(answer.revision, Some(head));
        }
    }

    #[test]
    fn requests_go_to_the_server_that_is_chosen_or_take_turns() {
        let cluster = cluster();
        block_on(cluster.join().unwrap()).unwrap();
        let mut asked = |chosen| {
            cluster.choose(chosen);
            let answer = block_on(cluster.send(Request::get("/api/v1/namespaces")));
            answer.unwrap().served.unwrap().server
        };
        assert_eq!([Some(0), Some(1), Some(7), None, None].map(&mut asked), [0, 1, 0, 1, 0]);
        (2..MOST_SERVERS).for_each(|_| drop(block_on(cluster.join().unwrap())));
        assert!(cluster.join().is_none());
        assert_eq!(cluster.servers(), MOST_SERVERS);
    }

    #[test]
    fn a_watch_brings_what_is_written_until_it_is_dropped() {
        let cluster = cluster();
        let watch = Request::get("/api/v1/namespaces/default/configmaps?watch=1");
        let Body::Stream(mut stream) = block_on(cluster.send(watch)).unwrap().body else {
            panic!("no stream")
        };
        let next = |stream: &mut LocalBoxStream<'_, _>| stream.next().now_or_never();
        assert!(next(&mut stream).is_none());
        let body = r#"{"metadata":{"name":"a"}}"#;
        let post = Request::json("POST", "/api/v1/namespaces/default/configmaps", body);
        block_on(cluster.send(post)).unwrap();
        let event = next(&mut stream).flatten().unwrap().unwrap();
        assert!(event.starts_with(br#"{"type":"ADDED""#), "{event:?}");
        let open = || cluster.server.inspect().overview().watches.len();
        assert_eq!(open(), 1);
        drop(stream);
        cluster.glass(|_| ());
        assert_eq!(open(), 0);
    }

    #[test]
    fn says_why_a_request_cannot_be_sent() {
        let answer = block_on(cluster().send(Request::get("not a path")));
        assert!(answer.is_err_and(|why| !why.is_empty()));
    }

    #[test]
    fn what_happens_is_known() {
        let cluster = cluster();
        let before = cluster.glass(Glass::revision);
        let body = r#"{"metadata":{"name":"a"}}"#;
        let post = Request::json("POST", "/api/v1/namespaces/default/configmaps", body);
        assert_eq!(block_on(cluster.send(post)).unwrap().status, 201);
        assert_eq!(cluster.glass(Glass::revision), before + 1);
        block_on(cluster.command(Command::Compact { revision: before + 1 })).unwrap();
        assert_eq!(cluster.glass(Glass::compact_revision), before + 1);
    }
}
