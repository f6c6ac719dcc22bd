//! Media types besides JSON: a module that is loaded when one of them is first needed.
//!
//! The server in this page decides everything itself. It has only not the code that reads and writes YAML, CBOR and
//! Protobuf, and makes tables: that is in `crates/media`, and each call of it goes from one WebAssembly instance to
//! the other. Before a request that may need it is sent, the module is there, or the request is not sent.

use std::cell::{Cell, OnceCell, RefCell};

use apiserver::Elsewhere;
use bytes::Bytes;
use js_sys::{ArrayBuffer, Object, Promise, Reflect, Uint8Array};
use serde_json::value::RawValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{ReadableWritablePair, Response};

use crate::cluster::Request;
use crate::request::form;
use crate::ui::{dom, messages};

/// Where the module is. A page asks for the one that it was built with, so that a browser's cache cannot give it another.
const SCRIPT: &str = concat!("./kubeglass-media.js?v=", env!("KUBEGLASS_MEDIA"));
const PROGRAM: &str = concat!("kubeglass-media_bg.wasm?v=", env!("KUBEGLASS_MEDIA"));

/// How many milliseconds each representation is made over and over to find out how long it takes: a browser's clock is
/// too coarse for one.
const LONG: f64 = 5.0;

/// What "Metadata only" is for a list.
const METADATA_OF_LIST: (&str, &str) =
    ("Metadata only", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");

#[wasm_bindgen]
extern "C" {
    /// The browser's own `import()`; what is relative is so to the page's script.
    #[wasm_bindgen(js_name = import)]
    fn import(url: &str) -> Promise;

    /// What `web_sys` still calls unstable.
    #[wasm_bindgen(extends = ReadableWritablePair)]
    type CompressionStream;

    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;

    /// The module's script.
    type Module;

    #[wasm_bindgen(method, catch, js_name = default)]
    fn start(this: &Module, options: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn version(this: &Module) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn answer(this: &Module, question: &str, bytes: &[u8]) -> Result<Vec<u8>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn event(this: &Module, uri: &str, accept: &str, line: &[u8]) -> Result<Option<Vec<u8>>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn represent(
        this: &Module,
        uri: &str,
        accept: &str,
        json: &[u8],
        now: f64,
    ) -> Result<Option<Vec<u8>>, JsValue>;
}

thread_local! {
    static MODULE: OnceCell<Module> = const { OnceCell::new() };
    /// That it is on its way.
    static LOADING: RefCell<Option<Promise>> = const { RefCell::new(None) };
    /// How often it could not be loaded.
    static FAILURES: Cell<usize> = const { Cell::new(0) };
}

/// Loads the module, once.
///
/// # Errors
/// It cannot be loaded: what to tell whoever needed it. The next one tries again.
pub(crate) async fn load() -> Result<(), String> {
    if MODULE.with(|module| module.get().is_some()) {
        return Ok(());
    }
    let loading = LOADING.with_borrow_mut(|loading| {
        loading
            .get_or_insert_with(|| future_to_promise(async { fetch().await.map(|()| JsValue::NULL) }))
            .clone()
    });
    let loaded = JsFuture::from(loading).await;
    LOADING.set(None);
    loaded.map(drop).map_err(|why| {
        FAILURES.set(FAILURES.get() + 1);
        why.as_string().unwrap_or_else(|| messages::MEDIA_MISSING.to_owned())
    })
}

async fn fetch() -> Result<(), JsValue> {
    // A browser may remember of an address that it could not be imported.
    let again = "&again".repeat(FAILURES.get());
    let script: Module = JsFuture::from(import(&[SCRIPT, &again].concat())).await?.unchecked_into();
    let options = Object::new();
    let base = dom::document().base_uri()?.unwrap_or_default();
    let program = web_sys::Url::new_with_base(PROGRAM, &base)?;
    Reflect::set(&options, &"module_or_path".into(), &program)?;
    JsFuture::from(script.start(&options)?).await?;
    if script.version()? != env!("KUBEGLASS_MEDIA") {
        return Err(messages::MEDIA_OTHER.into());
    }
    MODULE.with(|module| drop(module.set(script)));
    Ok(())
}

/// Whether it is the lack of the module that `why` tells of.
pub(crate) fn is_missing(why: &str) -> bool {
    why == messages::MEDIA_MISSING || why == messages::MEDIA_OTHER
}

/// Whether a request may need the module.
pub(crate) fn needed(request: &Request) -> bool {
    request.headers.iter().any(|(name, value)| {
        let names = |words: &[&str]| words.iter().any(|word| value.contains(word));
        if name.eq_ignore_ascii_case("Accept") {
            names(&["yaml", "cbor", "protobuf", "as=Table"])
        } else if name.eq_ignore_ascii_case("Content-Type") {
            // A configuration to apply is YAML by its name, but mostly JSON.
            names(&["cbor", "protobuf", "application/yaml"])
                || names(&["yaml"]) && serde_json::from_str::<&RawValue>(&request.body).is_err()
        } else {
            false
        }
    })
}

/// What the server in this page asks for what it has not itself.
pub(crate) struct Lazy;

impl Elsewhere for Lazy {
    fn ask(question: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
        MODULE.with(|module| {
            let module = module.get().ok_or_else(|| messages::MEDIA_MISSING.to_owned())?;
            // What is thrown is a text; if it is not, the module has broken.
            module
                .answer(question, bytes)
                .map_err(|why| why.as_string().unwrap_or_else(|| messages::MEDIA_BROKEN.to_owned()))
        })
    }
}

/// The question to ask of each event of a stream of this media type, to get it as JSON. `None` where it is JSON.
pub(crate) fn unreadable(content_type: &http::HeaderValue) -> Option<&'static str> {
    match content_type.as_bytes() {
        b"application/cbor-seq" => Some("event application/cbor-seq"),
        bytes if bytes.starts_with(b"application/vnd.kubernetes.protobuf") => {
            Some("event application/vnd.kubernetes.protobuf")
        }
        _ => None,
    }
}

/// Asks the module, which is there.
pub(crate) fn ask(question: &str, bytes: &[u8]) -> Result<Bytes, String> {
    Lazy::ask(question, bytes).map(Bytes::from)
}

/// The bytes of an event of the watch that `request` opened, of which `line` is the JSON. `None` where it came as JSON.
pub(crate) fn sent(request: &Request, line: &[u8]) -> Option<Vec<u8>> {
    let accept = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("Accept"));
    let accept = accept.map(|(_, value)| value).filter(|_| needed(request))?;
    let event =
        MODULE.with(|module| module.get().map(|module| module.event(&request.target, accept, line)))?;
    event.ok().flatten().filter(|event| !event.starts_with(b"{"))
}

/// A representation of an answer, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is asked for as.
    pub(crate) media: &'static str,
    /// How many bytes it has.
    pub(crate) bytes: usize,
    /// How many these are gzipped, if the browser can tell.
    pub(crate) gzip: Option<usize>,
    /// How many milliseconds it takes to make of JSON.
    pub(crate) ms: f64,
}

/// The representations of `json`, the body of the answer to `request`. What it cannot be represented as is left out.
///
/// # Errors
/// The module cannot be loaded: what to tell.
pub(crate) async fn measure(request: &Request, json: &Bytes) -> Result<Vec<Measured>, String> {
    load().await?;
    let mut all = Vec::new();
    for (name, media) in form::ACCEPT.iter().chain([&METADATA_OF_LIST]) {
        if let Some((body, ms)) = MODULE.with(|module| timed(module.get()?, &request.target, media, json)) {
            let gzip = gzipped(&body).await.ok();
            all.push(Measured { name, media, bytes: body.len(), gzip, ms });
        }
    }
    Ok(all)
}

/// A representation, and how long it takes, as the mean of as many as fit into [`LONG`].
fn timed(module: &Module, target: &str, media: &str, json: &[u8]) -> Option<(Vec<u8>, f64)> {
    let begun = dom::monotonic();
    let mut runs = 0.0;
    loop {
        let body = module.represent(target, media, json, dom::now()).ok()??;
        let took = dom::monotonic() - begun;
        runs += 1.0;
        if took >= LONG {
            return Some((body, took / runs));
        }
    }
}

/// How many bytes they are when the browser has gzipped them.
async fn gzipped(bytes: &[u8]) -> Result<usize, JsValue> {
    let plain = Response::new_with_opt_js_u8_array(Some(&Uint8Array::from(bytes)))?;
    let stream = plain.body().ok_or(JsValue::NULL)?;
    let gzip = CompressionStream::new("gzip")?;
    let stream = stream.pipe_through(&gzip);
    let buffer =
        JsFuture::from(Response::new_with_opt_readable_stream(Some(&stream))?.array_buffer()?).await?;
    Ok(buffer.unchecked_into::<ArrayBuffer>().byte_length() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: (&str, &str), body: &str, expected: bool) {
        let headers = vec![(header.0.to_owned(), header.1.to_owned())];
        let request = Request { headers, body: body.to_owned(), ..Request::default() };
        assert_eq!(needed(&request), expected, "{header:?} {body}");
    }

    #[test]
    fn json_needs_nothing() {
        check(("Accept", "application/json"), "", false);
        check(("Accept", "*/*"), "", false);
        check(("Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"), "", false);
        check(("Content-Type", "application/merge-patch+json"), "{}", false);
        check(("Content-Type", "application/apply-patch+yaml"), "{\"a\": 1}", false);
        check(("X-Note", "application/yaml"), "", false);
    }

    #[test]
    fn everything_else_does() {
        check(("accept", "application/yaml"), "", true);
        check(("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"), "", true);
        check(("Accept", "application/cbor, application/json;q=0.5"), "", true);
        check(("Content-Type", "application/yaml"), "{}", true);
        check(("Content-Type", "application/apply-patch+yaml"), "a: 1", true);
        check(("Content-Type", "application/apply-patch+cbor"), "", true);
    }
}
