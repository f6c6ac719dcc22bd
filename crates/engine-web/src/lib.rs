//! The engine as WebAssembly. `worker.js` drives it: it hands packets in, lets time elapse, and sends what comes out.

mod chunks;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use bytes::Bytes;
use engine::{Code, Config, Engine, FIRST_REVISION, SharedCluster};
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The milliseconds of a clock that only goes forward.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn monotonic() -> f64;

    /// Posts a message to who has started the worker.
    #[wasm_bindgen(js_name = postMessage)]
    fn post(message: &JsValue);
}

/// An engine, and whether there is more to be done.
#[wasm_bindgen]
pub struct Host {
    engine: Engine,
    woken: Arc<Woken>,
    /// The time up to which the engine's clock has gone, in milliseconds; `None` where another host lets it go.
    elapsed: Option<f64>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[wasm_bindgen]
impl Host {
    /// Makes an engine whose clock stands at `now`, in milliseconds since the Unix epoch. The first write has the revision
    /// `first_revision`, if that is told.
    #[wasm_bindgen(constructor)]
    pub fn new(now: f64, seed: u64, first_revision: Option<u64>) -> Self {
        std::panic::set_hook(Box::new(|info| stopped(&info.to_string())));
        let config = Config {
            now: milliseconds(now),
            seed,
            first_revision: first_revision.unwrap_or(FIRST_REVISION),
            // Not `..Config::default()`, which leads to all code, so that nothing would be split off.
            code: Code::late(Rc::new(chunks::load), chunks::load_controllers),
            stopwatch: Some(stopwatch),
        };
        Self {
            engine: Engine::new(config),
            woken: Arc::new(Woken(AtomicBool::new(true))),
            elapsed: Some(monotonic()),
        }
    }

    /// Makes an engine for another client of this one's cluster. The cluster's time is still this host's.
    pub fn join(&self) -> Option<Self> {
        let cluster: SharedCluster = self.engine.share()?;
        let engine = Engine::join(
            cluster,
            Code::late(Rc::new(chunks::load), chunks::load_controllers),
            Some(stopwatch),
        );
        Some(Self { engine, woken: Arc::new(Woken(AtomicBool::new(true))), elapsed: None })
    }

    /// Takes a packet of messages.
    ///
    /// # Errors
    /// It is no packet of this version of the protocol.
    pub fn receive(&mut self, packet: &Uint8Array) -> Result<(), String> {
        self.woken.0.store(true, Ordering::Relaxed);
        self.engine.receive_packet(&Bytes::from(packet.to_vec())).map_err(|error| error.to_string())
    }

    /// Lets the time elapse that has passed, and makes progress with everything that is under way. Returns a packet to be
    /// sent, if there is one; with `trace`, what is new is in it, and with `quick`, large requests wait.
    pub fn poll(&mut self, trace: bool, quick: bool) -> Option<Uint8Array> {
        if let Some(elapsed) = &mut self.elapsed {
            let now = monotonic();
            self.engine.elapse(milliseconds(now - *elapsed));
            *elapsed = now;
        }
        let waker = Waker::from(Arc::clone(&self.woken));
        self.woken.0.store(false, Ordering::Relaxed);
        let packet = self.engine.poll_packet(&mut Context::from_waker(&waker), trace, quick)?;
        let length = u32::try_from(packet.len()).ok()?;
        let bytes = Uint8Array::new_with_length(length);
        for (place, piece) in packet.places() {
            bytes.subarray(place.start as u32, place.end as u32).copy_from(piece);
        }
        Some(bytes)
    }

    /// Returns whether there is more to be done at once.
    pub fn is_woken(&self) -> bool {
        self.woken.0.load(Ordering::Relaxed)
    }
}

/// Tells who has started the worker why the engine stops.
fn stopped(why: &str) {
    let message = Object::new();
    // Where even this fails, the worker's error is all that is told.
    let _ = Reflect::set(&message, &"stopped".into(), &why.into());
    post(&message);
}

fn milliseconds(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default()
}

fn stopwatch() -> Duration {
    milliseconds(monotonic())
}
