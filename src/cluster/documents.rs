//! Documents in media types besides JSON: the engine of this tab reads and writes them, for whatever cluster they come
//! from or go to.

use apimachinery::target;
use bytes::Bytes;
use futures::StreamExt;
use js_sys::{ArrayBuffer, Uint8Array};
use protocol::document::{Answer, FormRequest, Question, Range};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableWritablePair, Response};

use crate::cluster::embedded::Embedded;
use crate::cluster::{Request, Stream};
use crate::ui::{dom, messages};

/// The forms of a response that are compared: what each is called, what it is asked for as, and whether it is printed
/// for people.
const FORMS: &[(&str, &str, bool)] = &[
    ("JSON", JSON, false),
    ("Pretty JSON", JSON, true),
    ("YAML", "application/yaml", false),
    ("CBOR", "application/cbor", false),
    ("Protobuf", "application/vnd.kubernetes.protobuf", false),
    ("Table", "application/json;as=Table;v=v1;g=meta.k8s.io", false),
    ("Metadata only", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", false),
    ("Metadata only", METADATA_OF_LIST, false),
];

/// The media type of "Metadata only" for a list.
pub(crate) const METADATA_OF_LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

const JSON: &str = "application/json";

#[wasm_bindgen]
extern "C" {
    /// `CompressionStream`, which `web_sys` still calls unstable.
    #[wasm_bindgen(extends = ReadableWritablePair)]
    type CompressionStream;

    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;
}

/// Returns whether bytes of this `Content-Type` are no text.
pub(crate) fn is_binary(content_type: &str) -> bool {
    content_type.contains("cbor") || content_type.contains("protobuf")
}

/// Returns whether a document of this `Content-Type` can be had as JSON, and is none.
pub(crate) fn is_readable(content_type: &str) -> bool {
    is_binary(content_type) || content_type.contains("yaml")
}

/// Returns the `Content-Type` of an event that was sent in bytes.
pub(crate) fn stream_of(event: &[u8]) -> &'static str {
    // The length of a frame does not begin with as much as this.
    if event.starts_with(&[0xd9, 0xd9, 0xf7]) {
        "application/cbor-seq"
    } else {
        "application/vnd.kubernetes.protobuf;stream=watch"
    }
}

/// A form of a response, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// The name of the form.
    pub(crate) name: &'static str,
    /// The media type to request it with.
    pub(crate) media: &'static str,
    /// The bytes of the body in this form.
    pub(crate) body: Bytes,
    /// How many these are gzipped, if the browser can tell.
    pub(crate) gzip: Option<usize>,
    /// How many milliseconds it takes to make of JSON.
    pub(crate) ms: f64,
}

impl Embedded {
    /// Reads a document as JSON.
    ///
    /// # Errors
    /// It is none, or the engine cannot read it now.
    pub(crate) fn to_json(
        &self,
        content_type: &str,
        document: Bytes,
    ) -> impl Future<Output = Result<Bytes, String>> + use<> {
        let question = Question::ToJson { content_type: content_type.to_owned() };
        document_of(self.question(question, document))
    }

    /// Reads the body of a response as JSON, if it is in another media type that can be.
    pub(crate) async fn decoded(&self, content_type: &str, body: &Bytes) -> Option<Bytes> {
        if !is_readable(content_type) || body.is_empty() {
            return None;
        }
        self.to_json(content_type, body.clone()).await.ok()
    }

    /// Reads the frames of a watch of this `Content-Type` as lines of JSON.
    pub(crate) fn events_to_json(self: &std::rc::Rc<Self>, content_type: String, frames: Stream) -> Stream {
        let embedded = std::rc::Rc::clone(self);
        let read = move |frame: Result<Bytes, String>| {
            let question = Question::EventToJson { content_type: content_type.clone() };
            let event = frame.map(|frame| document_of(embedded.question(question, frame)));
            async move { event?.await }
        };
        frames.then(read).boxed_local()
    }

    /// Writes what was typed in the media type that `request` says its body is of. `None` where it is sent as it is.
    ///
    /// # Errors
    /// It cannot be written so: what to tell.
    pub(crate) async fn encoded(&self, request: &Request) -> Result<Option<Bytes>, String> {
        let content_type = request.header("Content-Type").unwrap_or_default();
        if request.body.is_empty() || !is_binary(content_type) {
            return Ok(None);
        }
        let question = Question::Encode { content_type: first_word(content_type) };
        let encoded = document_of(self.question(question, Bytes::from(request.body.clone()))).await;
        encoded.map(Some).map_err(|why| messages::bytes::unwritable(&why))
    }

    /// Finds out what each of the bytes is.
    ///
    /// # Errors
    /// The engine cannot tell now.
    pub(crate) async fn explain(&self, content_type: &str, document: Bytes) -> Result<Vec<Range>, String> {
        let question = Question::Explain { content_type: first_word(content_type) };
        match self.question(question, document).await {
            Ok((Answer::Explained(ranges), _)) => Ok(ranges),
            Ok(_) => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Makes the bytes of an event as the watch that `request` opened had them, of which `line` is the JSON. `None` where
    /// it came as JSON.
    pub(crate) async fn sent(&self, request: &Request, line: Vec<u8>) -> Option<Bytes> {
        let accept = request.header("Accept").filter(|accept| is_binary(accept))?;
        let form = FormRequest { uri: request.target.clone(), accept: accept.to_owned() };
        let event = document_of(self.question(Question::RepresentEvent(form), line.into())).await;
        event.ok().filter(|event| !event.is_empty() && !event.starts_with(b"{"))
    }

    /// Makes the forms of `json`, the body of the response to `request`. Those that there are not are left out.
    ///
    /// # Errors
    /// The engine cannot make them now.
    pub(crate) async fn measure(&self, request: &Request, json: Bytes) -> Result<Vec<Measured>, String> {
        let forms = FORMS.iter().map(|(_, media, pretty)| FormRequest {
            uri: target::with(&request.target, &[("pretty", Some(if *pretty { "1" } else { "0" }))]),
            accept: (*media).to_owned(),
        });
        let question = Question::Represent { forms: forms.collect(), now: dom::duration(dom::now()) };
        let (answer, bodies) = self.question(question, json).await.map_err(|error| error.to_string())?;
        let Answer::Forms(forms) = answer else { return Ok(Vec::new()) };
        let (mut at, mut all) = (0, Vec::new());
        for ((name, media, _), form) in FORMS.iter().zip(forms) {
            let Some(form) = form else { continue };
            let end = (at + form.size).min(bodies.len());
            let body = bodies.slice(at.min(end)..end);
            at = end;
            let gzip = gzipped(&body).await.ok();
            all.push(Measured { name, media, body, gzip, ms: form.took.as_secs_f64() * 1000.0 });
        }
        Ok(all)
    }
}

/// Waits for a document.
async fn document_of(
    answer: impl Future<Output = Result<(Answer, Bytes), protocol::message::Error>>,
) -> Result<Bytes, String> {
    answer.await.map(|(_, document)| document).map_err(|error| error.to_string())
}

/// Returns a `Content-Type` up to its first space.
fn first_word(content_type: &str) -> String {
    content_type.split_ascii_whitespace().next().unwrap_or_default().to_owned()
}

/// Returns how many bytes they are when the browser has gzipped them.
async fn gzipped(bytes: &[u8]) -> Result<usize, JsValue> {
    let plain = Response::new_with_opt_js_u8_array(Some(&Uint8Array::from(bytes)))?;
    let stream = plain.body().ok_or(JsValue::NULL)?;
    let gzip = CompressionStream::new("gzip")?;
    let stream = stream.pipe_through(&gzip);
    let buffer =
        JsFuture::from(Response::new_with_opt_readable_stream(Some(&stream))?.array_buffer()?).await?;
    Ok(buffer.unchecked_into::<ArrayBuffer>().byte_length() as usize)
}
