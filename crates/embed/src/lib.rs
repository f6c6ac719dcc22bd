//! The examples of somebody's page, and the cluster in which they run.
//!
//! A page that embeds examples has a hidden frame; `static/embed.js` drives this module there, and carries packets to the worker
//! with the engine. `docs/embedding.md` describes both.

mod cluster;
mod trace;
mod webhooks;

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use document::{Runner, Scene, block, json};
use js_sys::{Function, Uint8Array};
use protocol::client::Client;
use protocol::message::Error;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use cluster::Cluster;

/// The most characters of a body that a page is told.
const LONGEST: usize = 200_000;

/// A block of a page, as the page's script tells it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Written {
    text: String,
    language: String,
    heading: String,
    runs: bool,
    is_whole: bool,
}

impl Written {
    fn as_block(&self) -> block::Written<'_> {
        let Self { text, language, heading, runs, is_whole } = self;
        block::Written { text, language, heading, runs: *runs, is_whole: *is_whole }
    }
}

/// The examples of a page.
#[wasm_bindgen]
pub struct Examples {
    /// The runner; `None` while it runs something.
    runner: Rc<RefCell<Option<Runner>>>,
    cluster: Rc<Cluster>,
}

#[wasm_bindgen]
impl Examples {
    /// Reads the blocks of a page, a list of `Written` in JSON. The scenes are YAML.
    ///
    /// `send` is given packets for the engine, and `tell` what is new in JSON: events of watches and parts of the trace. `webhook` calls a
    /// function that stands in for a webhook, as `static/webhooks.js` does.
    ///
    /// # Errors
    /// A scene cannot be read: the reason.
    #[wasm_bindgen(constructor)]
    pub fn new(
        blocks: &str,
        scenes: Vec<String>,
        send: Function,
        tell: Function,
        webhook: Function,
    ) -> Result<Self, String> {
        std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
        let blocks: Vec<Written> = serde_json::from_str(blocks).map_err(|error| error.to_string())?;
        let blocks = block::of_page(blocks.iter().map(Written::as_block));
        let mut scene = Scene::default();
        for yaml in scenes {
            scene.add(Scene::read(&yaml)?);
        }
        let runner = Rc::new(RefCell::new(Some(Runner::new(blocks, scene))));
        let client = client(send);
        webhooks::serve(&client, webhook);
        Ok(Self { runner, cluster: Rc::new(Cluster::new(client, tell)) })
    }

    /// Returns for each block, in JSON, whether it runs, and why not.
    pub fn blocks(&self) -> String {
        let runner = self.runner.borrow();
        let blocks = runner.as_ref().map(Runner::blocks).unwrap_or_default();
        let told: Vec<_> = blocks
            .iter()
            .map(|block| serde_json::json!({"runs": block.runs(), "why": json::why(block)}))
            .collect();
        serde_json::Value::from(told).to_string()
    }

    /// Returns the revision of the cluster's first write, if it is not the usual one.
    #[wasm_bindgen(js_name = firstRevision)]
    pub fn first_revision(&self) -> Option<u64> {
        self.runner.borrow().as_ref()?.first_revision()
    }

    /// Takes a packet from the engine.
    ///
    /// # Errors
    /// It is none of this version.
    pub fn receive(&self, packet: &Uint8Array) -> Result<(), String> {
        let batches =
            self.cluster.client.receive(&Bytes::from(packet.to_vec())).map_err(|error| error.to_string())?;
        for batch in batches {
            self.cluster.client.taken_trace(batch.number);
            self.cluster.tell(&trace::told(batch));
        }
        Ok(())
    }

    /// Fails all that is under way: the engine has stopped.
    pub fn stop(&self, why: String) {
        self.cluster.client.stop(&Error::Stopped(why));
    }

    /// Has what happens in the cluster told from now on.
    pub fn trace(&self) {
        self.cluster.client.subscribe();
    }

    /// Closes a watch.
    pub fn close(&self, stream: f64) {
        self.cluster.close(stream as u64);
    }

    /// Makes the scene.
    ///
    /// # Errors
    /// It is refused: the reason.
    pub async fn begin(&self) -> Result<(), String> {
        let mut runner = self.take()?;
        let made = runner.begin(&*self.cluster).await;
        self.runner.replace(Some(runner));
        made
    }

    /// Runs a block, and returns its outcome in JSON.
    ///
    /// # Errors
    /// Another one runs.
    pub async fn run(&self, number: usize) -> Result<String, String> {
        let mut runner = self.take()?;
        let outcome = runner.run(&*self.cluster, number).await;
        self.runner.replace(Some(runner));
        Ok(json::outcome(&outcome, LONGEST).to_string())
    }

    /// Runs what somebody has written, and returns its outcome in JSON.
    ///
    /// # Errors
    /// Another one runs.
    #[wasm_bindgen(js_name = runWritten)]
    pub async fn run_written(&self, text: String) -> Result<String, String> {
        let mut runner = self.take()?;
        let outcome = runner.run_written(&*self.cluster, &text).await;
        self.runner.replace(Some(runner));
        Ok(json::outcome(&outcome, LONGEST).to_string())
    }

    /// Takes the runner, so that it is there once.
    fn take(&self) -> Result<Runner, String> {
        self.runner.borrow_mut().take().ok_or_else(|| "another example runs".to_owned())
    }
}

/// Makes a client whose packets are sent by a function, all that is asked for in one go in one packet.
fn client(send: Function) -> Client {
    let own: Rc<RefCell<Option<Client>>> = Rc::default();
    let known = Rc::clone(&own);
    let client = Client::new(move || {
        let (known, send) = (Rc::clone(&known), send.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let packet = known.borrow().as_ref().and_then(Client::flush);
            let Some(packet) = packet else { return };
            let Ok(length) = u32::try_from(packet.len()) else { return };
            let bytes = Uint8Array::new_with_length(length);
            for (place, piece) in packet.places() {
                bytes.subarray(place.start as u32, place.end as u32).copy_from(piece);
            }
            // What an engine that has stopped is sent is lost, and it is known to have stopped.
            let _ = send.call1(&JsValue::NULL, &bytes.buffer());
        });
    });
    *own.borrow_mut() = Some(client.clone());
    client
}
