//! Media types besides JSON: a module that is loaded when one of them is first needed.
//!
//! The server in this page decides everything itself. It has only not the code that reads and writes YAML, CBOR and
//! Protobuf, makes tables, applies strategic merge patches, and says what is wrong with objects: that is in
//! `crates/media`, and each call of it goes from one WebAssembly instance to the other. Before a request that may need it is sent, the module is there, or the request is not sent.

use std::cell::{Cell, OnceCell, RefCell};

use apiserver::{Elsewhere, Validation};
use bytes::Bytes;
use js_sys::{ArrayBuffer, Object, Promise, Reflect, Uint8Array};
use serde_json::value::RawValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{ReadableWritablePair, Response};

use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::request::editor::subject::resource;
use crate::request::{form, target};
use crate::ui::{dom, messages};

/// Where the module is. A page asks for the one that it was built with, so that a browser's cache cannot give it another.
const SCRIPT: &str = concat!("./kubeglass-media.js?v=", env!("KUBEGLASS_MEDIA"));
const PROGRAM: &str = concat!("kubeglass-media_bg.wasm?v=", env!("KUBEGLASS_MEDIA"));

/// How many milliseconds each representation is made over and over to find out how long it takes: a browser's clock is
/// too coarse for one.
const LONG: f64 = 5.0;

/// The representations of an answer that are compared: what each is called, what it is asked for as, and whether it is
/// printed for people.
const FORMS: &[(&str, &str, bool)] = &[
    ("JSON", JSON, false),
    ("Pretty JSON", JSON, true),
    ("YAML", "application/yaml", false),
    ("CBOR", "application/cbor", false),
    ("Protobuf", "application/vnd.kubernetes.protobuf", false),
    ("Table", "application/json;as=Table;v=v1;g=meta.k8s.io", false),
    ("Metadata only", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", false),
    ("Metadata only", form::METADATA_OF_LIST, false),
];

const JSON: &str = "application/json";

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
    // Without a browser nothing is elsewhere but media types, of which nobody asks for one then.
    if cfg!(not(target_arch = "wasm32")) || MODULE.with(|module| module.get().is_some()) {
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

/// Whether the module is there.
pub(crate) fn is_loaded() -> bool {
    MODULE.with(|module| module.get().is_some())
}

/// Whether it is the lack of the module that `why` tells of.
pub(crate) fn is_missing(why: &str) -> bool {
    why == messages::MEDIA_MISSING || why == messages::MEDIA_OTHER
}

/// Whether a request may need the module.
pub(crate) fn needed(request: &Request) -> bool {
    // It makes the documents of OpenAPI too.
    request.target.starts_with("/openapi/v")
        || writes_custom(request)
        || request.headers.iter().any(|(name, value)| {
            let names = |words: &[&str]| words.iter().any(|word| value.contains(word));
            if name.eq_ignore_ascii_case("Accept") {
                names(&["yaml", "cbor", "protobuf", "as=Table"])
            } else if name.eq_ignore_ascii_case("Content-Type") {
                // A configuration to apply is YAML by its name, but mostly JSON.
                names(&["cbor", "protobuf", "application/yaml", "strategic-merge"])
                    || names(&["yaml"]) && serde_json::from_str::<&RawValue>(&request.body).is_err()
            } else {
                false
            }
        })
}

/// Whether what a request writes is to be validated, which takes the module.
pub(crate) fn validated(request: &Request) -> bool {
    ["POST", "PUT", "PATCH"].contains(&request.method.as_str())
}

/// Whether a request writes a custom object: what its definition says of it is known to the module alone, so that nothing
/// of that may be left out, whoever sends it.
fn writes_custom(request: &Request) -> bool {
    let path = target::split(&request.target).0;
    validated(request) && Place::of(&path).is_some_and(|place| resource(place).is_none())
}

/// How the server in this page validates. Of built-in kinds, what this page writes of its own before the module is there is not.
#[cfg(target_arch = "wasm32")]
pub(crate) const VALIDATION: Validation = Validation::elsewhere::<Lazy>();
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const VALIDATION: Validation = Validation::HERE;

/// What the server in this page asks for what it has not itself.
pub(crate) struct Lazy;

impl Elsewhere for Lazy {
    fn ask(question: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
        MODULE.with(|module| {
            let Some(module) = module.get() else {
                return if question.starts_with("validate ") {
                    Ok(b"[[],[]]".to_vec())
                } else {
                    Err(messages::MEDIA_MISSING.to_owned())
                };
            };
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
    let accept = request.header("Accept").filter(|_| needed(request))?;
    let event =
        MODULE.with(|module| module.get().map(|module| module.event(&request.target, accept, line)))?;
    event.ok().flatten().filter(|event| !event.starts_with(b"{"))
}

/// What the bytes of an event are of, which [`sent`] has given.
pub(crate) fn stream_of(event: &[u8]) -> &'static str {
    // The length of a frame does not begin with as much as this.
    if event.starts_with(&[0xd9, 0xd9, 0xf7]) {
        "application/cbor-seq"
    } else {
        "application/vnd.kubernetes.protobuf;stream=watch"
    }
}

/// Whether bytes of this `Content-Type` are no text.
pub(crate) fn is_binary(content_type: &str) -> bool {
    content_type.contains("cbor") || content_type.contains("protobuf")
}

/// The first word of a `Content-Type`, for a question.
fn word(content_type: &str) -> &str {
    content_type.split_ascii_whitespace().next().unwrap_or_default()
}

/// What each of the bytes is, and the JSON that they mean, or why they mean none.
///
/// # Errors
/// The module cannot be loaded: what to tell.
pub(crate) async fn explain(
    content_type: &str,
    bytes: &[u8],
) -> Result<(Bytes, Result<Bytes, String>), String> {
    load().await?;
    let told = ask(&["explain ", word(content_type)].concat(), bytes)?;
    Ok((told, to_json(content_type, bytes)))
}

/// A document as JSON.
///
/// # Errors
/// It is none, or the module is not there.
pub(crate) fn to_json(content_type: &str, bytes: &[u8]) -> Result<Bytes, String> {
    ask(&["json ", word(content_type)].concat(), bytes)
}

/// What was typed, in the media type that `request` says its body is of. `None` where it is sent as it is.
///
/// # Errors
/// It cannot be written so, or the module cannot be loaded: what to tell.
pub(crate) async fn encoded(request: &Request) -> Result<Option<Bytes>, String> {
    let media = request.header("Content-Type").unwrap_or_default();
    if request.body.is_empty() || !is_binary(media) {
        return Ok(None);
    }
    load().await?;
    let encoded = ask(&["body ", word(media)].concat(), request.body.as_bytes());
    encoded.map(Some).map_err(|why| messages::bytes::unwritable(&why))
}

/// A representation of an answer, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is asked for as.
    pub(crate) media: &'static str,
    /// Its bytes.
    pub(crate) body: Bytes,
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
    for (name, media, pretty) in FORMS {
        let target = target::with(&request.target, &[("pretty", Some(if *pretty { "1" } else { "0" }))]);
        if let Some((body, ms)) = MODULE.with(|module| timed(module.get()?, &target, media, json)) {
            let gzip = gzipped(&body).await.ok();
            all.push(Measured { name, media, body: body.into(), gzip, ms });
        }
    }
    Ok(all)
}

/// A representation, and how long it takes, as the mean of as many as fit into [`LONG`]. The first does not count: it may
/// be the one that finds the module as it was loaded, with its tables still to be read.
fn timed(module: &Module, target: &str, media: &str, json: &[u8]) -> Option<(Vec<u8>, f64)> {
    let represent = || module.represent(target, media, json, dom::now()).ok()?;
    represent()?;
    let begun = dom::monotonic();
    let mut runs = 0.0;
    loop {
        let body = represent()?;
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
        check(("Content-Type", "application/strategic-merge-patch+json"), "{}", true);
    }

    #[test]
    fn so_does_writing_custom_objects() {
        #[track_caller]
        fn check(method: &str, target: &str, expected: bool) {
            assert_eq!(needed(&Request::json(method, target, "{}")), expected, "{method} {target}");
        }
        check("POST", "/apis/example.com/v1/namespaces/default/widgets?dryRun=All", true);
        check("PUT", "/apis/example.com/v1/namespaces/default/widgets/a/status", true);
        check("PATCH", "/apis/apps/v2/namespaces/default/deployments/a", true);
        check("DELETE", "/apis/example.com/v1/namespaces/default/widgets/a", false);
        check("POST", "/apis/apps/v1/namespaces/default/deployments", false);
        check("POST", "/api/v1/namespaces", false);
        check("PUT", "/api/v1/namespaces/a/finalize", false);
        check("POST", "/version", false);
    }
}
