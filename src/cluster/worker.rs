//! The engine in a worker: starting it, carrying packets, and noticing when it stops.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use js_sys::{Array, ArrayBuffer, Object, Reflect, Uint8Array};
use protocol::client::Client;
use protocol::message::Error;
use protocol::packet::Packet;
use protocol::trace::Batch;
use wasm_bindgen::prelude::*;
use web_sys::{Event, MessageEvent, Worker};

use crate::cluster::host;
use crate::ui::{dom, messages};

/// The time for which the engine waits for the page, in milliseconds: by then the panes have had their turns.
const PAGE_FIRST: i32 = 30;

/// The property of the window with the worker that is begun before the page is there.
const BEGUN: &str = "kubeglassEngine";

/// How the engine is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Engine {
    /// It is not started yet: the cluster that it goes on with is being read.
    Recalling,
    /// It is being loaded: so many bytes of so many.
    Loading(f64, f64),
    /// It works.
    #[default]
    Ready,
    /// It has not answered for some time.
    Silent,
    /// It could not be loaded, or has stopped; the text says why.
    Stopped(String),
}

/// A worker with an engine. Dropped, it is terminated.
pub(crate) struct EngineWorker {
    worker: Worker,
    client: Client,
    /// The closures that the worker calls for as long as it lives.
    _listeners: [Closure<dyn FnMut(JsValue)>; 2],
}

/// The functions that take what the worker tells.
pub(crate) struct Listener {
    /// Batches of the trace have come.
    pub(crate) traced: Box<dyn Fn(Vec<Batch>)>,
    /// The engine is in another state.
    pub(crate) changed: Box<dyn Fn(Engine)>,
}

impl EngineWorker {
    /// Starts a worker, whose cluster's clock begins at `now` (Unix milliseconds), and whose first write has a revision. What is sent
    /// before it is there waits.
    ///
    /// # Errors
    /// This browser has no workers of modules, or none are allowed: what to tell.
    pub(crate) fn start(
        now: f64,
        seed: u64,
        first_revision: Option<u64>,
        listener: Listener,
    ) -> Result<Self, String> {
        Self::try_start(now, seed, first_revision, listener).map_err(|why| {
            messages::engine::no_worker(&field(&why, "message").as_string().unwrap_or_default())
        })
    }

    fn try_start(
        now: f64,
        seed: u64,
        first_revision: Option<u64>,
        listener: Listener,
    ) -> Result<Self, JsValue> {
        let worker = match begun() {
            Some(worker) => worker,
            None => host::start()?,
        };
        let begin = Object::new();
        Reflect::set(&begin, &"seed".into(), &js_sys::BigInt::from(seed).into())?;
        if let Some(first) = first_revision {
            Reflect::set(&begin, &"firstRevision".into(), &js_sys::BigInt::from(first).into())?;
        }
        begin_soon(worker.clone(), begin, now);
        let client = client(worker.clone());
        let listener = Rc::new(listener);
        let (known, told) = (client.clone(), Rc::clone(&listener));
        let ready = Cell::new(false);
        let message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            let data = event.unchecked_into::<MessageEvent>().data();
            match data.dyn_into::<ArrayBuffer>() {
                Ok(buffer) => {
                    if !ready.replace(true) {
                        (told.changed)(Engine::Ready);
                    }
                    let packet = Bytes::from(Uint8Array::new(&buffer).to_vec());
                    match known.receive(&packet) {
                        Ok(batches) if batches.is_empty() => {}
                        Ok(batches) => (told.traced)(batches),
                        Err(error) => stop(&known, &told, &error.to_string()),
                    }
                }
                Err(other) => hear(&known, &told, &other),
            }
        });
        let known = client.clone();
        let error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            // A script that cannot be loaded has no message.
            let why = field(&event, "message").as_string().unwrap_or_default();
            event.unchecked_into::<Event>().prevent_default();
            stop(&known, &listener, &why);
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok(Self { worker, client, _listeners: [message, error] })
    }

    /// Returns the client of the engine.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }
}

impl Drop for EngineWorker {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Has the worker begin when the page is made: compiling the engine would take the processor from that.
fn begin_soon(worker: Worker, begin: Object, now: f64) {
    let asked = dom::monotonic();
    wasm_bindgen_futures::spawn_local(async move {
        dom::sleep(PAGE_FIRST).await;
        let now = now + dom::monotonic() - asked;
        // A number can be set, and what a worker that has ended is sent is lost.
        let _ = Reflect::set(&begin, &"now".into(), &now.into());
        let _ = worker.post_message(&begin);
    });
}

/// Takes the worker that the page's script has begun while it loaded the page, see `static/boot.js`.
fn begun() -> Option<Worker> {
    let window = dom::window();
    let worker = Reflect::get(&window, &BEGUN.into()).ok().filter(JsValue::is_object)?;
    Reflect::delete_property(&window, &BEGUN.into()).ok()?;
    // That of all tabs only behaves as a worker.
    Some(worker.unchecked_into())
}

/// Takes what is no packet: how far it is loaded, or why it has stopped.
fn hear(client: &Client, listener: &Listener, data: &JsValue) {
    let number = |name| field(data, name).as_f64();
    if let Some((loaded, total)) = number("loaded").zip(number("total")) {
        (listener.changed)(Engine::Loading(loaded, total));
    } else if let Some(why) = field(data, "stopped").as_string() {
        stop(client, listener, &why);
    }
}

fn stop(client: &Client, listener: &Listener, why: &str) {
    client.stop(&Error::Stopped(why.to_owned()));
    (listener.changed)(Engine::Stopped(why.to_owned()));
}

/// Makes a client whose packets go to the worker, all that is sent in one go in one packet.
fn client(worker: Worker) -> Client {
    let own: Rc<RefCell<Option<Client>>> = Rc::default();
    let known = Rc::clone(&own);
    let client = Client::new(move || {
        let (known, worker) = (Rc::clone(&known), worker.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let packet = known.borrow().as_ref().and_then(Client::flush);
            if let Some(packet) = packet {
                // What a worker that has ended is sent is lost, and it is known to have ended.
                let _ = post(&worker, &packet);
            }
        });
    });
    *own.borrow_mut() = Some(client.clone());
    client
}

/// Sends a packet: its pieces are copied once, and the copy changes hands.
fn post(worker: &Worker, packet: &Packet) -> Result<(), JsValue> {
    let length = u32::try_from(packet.len()).map_err(|_| JsValue::NULL)?;
    let bytes = Uint8Array::new_with_length(length);
    for (place, piece) in packet.places() {
        bytes.subarray(place.start as u32, place.end as u32).copy_from(piece);
    }
    let buffer = bytes.buffer();
    worker.post_message_with_transfer(&buffer, &Array::of1(&buffer))
}

fn field(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// The time in which the engine answers what it can answer at once, in milliseconds.
pub(crate) const PATIENCE: i32 = 8_000;

/// Waits for as long as the engine may take to answer.
pub(crate) async fn patience() {
    dom::sleep(PATIENCE).await;
}
