//! A cluster elsewhere, which the page's own server passes `remote/` on to; for an attendee of a workshop, that server itself. Watches
//! are streams of fetch, which tell why one is refused; where a browser would let more of them wait, they are WebSockets.

mod socket;

use std::cell::Cell;

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream;
use gloo_net::http::RequestBuilder;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStream, ReadableStreamDefaultReader};

use crate::cluster::workshop::Attendee;
use crate::cluster::{Answer, Body, Request, Stream};

/// The prefix of every target, relative to the page, but for an attendee.
const PREFIX: &str = "./remote";

/// How many streams are read at most: a browser opens six connections to a server, and two are kept for everything else.
///
/// <https://developer.mozilla.org/en-US/docs/Web/API/Server-sent_events/Using_server-sent_events>
const MOST_STREAMS: usize = 4;

thread_local! {
    static STREAMS: Cell<usize> = const { Cell::new(0) };
}

/// One of the connections that are for streams, for as long as it lives.
struct Slot;

impl Slot {
    /// Takes one, if any is free.
    fn take() -> Option<Self> {
        let taken = STREAMS.get();
        (taken < MOST_STREAMS).then(|| {
            STREAMS.set(taken + 1);
            Self
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        STREAMS.set(STREAMS.get() - 1);
    }
}

/// Sends a request to a cluster behind `kubectl proxy` or `kubeglass serve`. An error says in words why there is no answer.
pub(crate) fn send(request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
    Box::pin(async move {
        let attendee = Attendee::here();
        // Without one it would wait for another stream to end, and everything else with it.
        let slot = match request.watches().then(Slot::take) {
            Some(None) => return socket::watch(&request, attendee.as_ref()).await,
            Some(slot) => slot,
            None => None,
        };
        let method =
            http::Method::from_bytes(request.method.as_bytes()).map_err(|error| error.to_string())?;
        let mut builder = RequestBuilder::new(&address(&request, attendee.as_ref())).method(method);
        if let Some(attendee) = &attendee {
            builder = builder.header("Authorization", &attendee.authorization());
        }
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let built = match &*request.bytes() {
            [] => builder.build(),
            bytes => builder.body(Uint8Array::from(bytes)),
        };
        let response =
            built.map_err(|error| error.to_string())?.send().await.map_err(|error| error.to_string())?;
        let status = response.status();
        let headers = response.headers().entries().collect();
        let body = if request.watches() && status == 200 {
            Body::Stream(
                response.body().map_or_else(|| stream::empty().boxed_local(), |body| chunks(&body, slot)),
            )
        } else {
            Body::Bytes(response.binary().await.map_err(|error| error.to_string())?.into())
        };
        Ok(Answer { status, headers, body, revision: None, served: None })
    })
}

/// Returns where a request goes, relative to the page.
fn address(request: &Request, attendee: Option<&Attendee>) -> String {
    let prefix = if attendee.is_some() { "" } else { PREFIX };
    [prefix, &request.target].concat()
}

/// Reads a stream of the browser's; dropped, it is cancelled.
struct Reader(ReadableStreamDefaultReader, Option<Slot>);

impl Drop for Reader {
    fn drop(&mut self) {
        let (cancelled, slot) = (self.0.cancel(), self.1.take());
        // A stream that has broken cannot be cancelled, and nobody needs to hear of it.
        wasm_bindgen_futures::spawn_local(async move {
            let _ = JsFuture::from(cancelled).await;
            drop(slot);
        });
    }
}

fn chunks(stream: &ReadableStream, slot: Option<Slot>) -> Stream {
    let reader = Reader(stream.get_reader().unchecked_into(), slot);
    stream::unfold(Some(reader), |reader| async move {
        let reader = reader?;
        match JsFuture::from(reader.0.read()).await {
            Ok(result) => {
                let done = field(&result, "done").is_truthy();
                let chunk = field(&result, "value").dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec());
                (!done).then(|| (Ok(chunk.unwrap_or_default().into()), Some(reader)))
            }
            Err(error) => {
                let why = field(&error, "message").as_string().unwrap_or_else(|| format!("{error:?}"));
                Some((Err(why), None))
            }
        }
    })
    .boxed_local()
}

fn field(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED)
}
