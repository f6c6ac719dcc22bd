//! Watches over WebSockets, of which a browser opens as many as anybody wants. A browser does not tell why one was refused.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>

use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{BinaryType, MessageEvent, WebSocket};

use super::address;
use crate::cluster::workshop::Attendee;
use crate::cluster::{Answer, Body, Request};
use crate::ui::{dom, messages};

/// An event of a WebSocket.
enum Happened {
    Opened,
    Came(Bytes),
    Closed,
}

/// A WebSocket. Dropped, it is closed.
struct Socket {
    socket: WebSocket,
    _listeners: [Closure<dyn FnMut(JsValue)>; 3],
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        // One that is closed already stays so.
        let _ = self.socket.close();
    }
}

/// Opens a watch.
///
/// # Errors
/// It is refused, in words; or nothing answers.
pub(super) async fn watch(request: &Request, attendee: Option<&Attendee>) -> Result<Answer, String> {
    let refused = |_: JsValue| messages::others::NO_SOCKET.to_owned();
    let base = dom::document().base_uri().map_err(refused)?.unwrap_or_default();
    let url = web_sys::Url::new_with_base(&address(request, attendee), &base).map_err(refused)?;
    url.set_protocol(if url.protocol() == "https:" { "wss:" } else { "ws:" });
    let protocols: Array = attendee.into_iter().flat_map(Attendee::protocols).map(JsValue::from).collect();
    let socket = WebSocket::new_with_str_sequence(&url.href(), &protocols).map_err(refused)?;
    socket.set_binary_type(BinaryType::Arraybuffer);
    let (sender, mut happened) = mpsc::unbounded();
    let [opened, came, closed] = [sender.clone(), sender.clone(), sender];
    // Who no longer listens has dropped the socket.
    let listeners = [
        Closure::<dyn FnMut(JsValue)>::new(move |_| drop(opened.unbounded_send(Happened::Opened))),
        Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            drop(came.unbounded_send(Happened::Came(frame(&event.unchecked_into::<MessageEvent>().data()))));
        }),
        Closure::<dyn FnMut(JsValue)>::new(move |_| drop(closed.unbounded_send(Happened::Closed))),
    ];
    socket.set_onopen(Some(listeners[0].as_ref().unchecked_ref()));
    socket.set_onmessage(Some(listeners[1].as_ref().unchecked_ref()));
    socket.set_onclose(Some(listeners[2].as_ref().unchecked_ref()));
    let socket = Socket { socket, _listeners: listeners };
    if !matches!(happened.next().await, Some(Happened::Opened)) {
        return Err(messages::others::NO_SOCKET.to_owned());
    }
    let frames = happened
        .take_while(move |happened| {
            let _ = &socket;
            futures::future::ready(!matches!(happened, Happened::Closed))
        })
        .filter_map(|happened| {
            futures::future::ready(match happened {
                Happened::Came(frame) => Some(Ok(frame)),
                _ => None,
            })
        });
    // A browser tells no headers of it: kube-apiserver sends events as JSON, unless something else was asked for.
    let accept = request.header("Accept").unwrap_or_default();
    let media_type = accept.split([',', ';']).next().filter(|one| one.starts_with("application/"));
    let headers = vec![("Content-Type".to_owned(), media_type.unwrap_or("application/json").to_owned())];
    Ok(Answer {
        status: 200,
        headers,
        body: Body::Stream(frames.boxed_local()),
        revision: None,
        served: None,
    })
}

/// Returns an event as a line, as a stream has it.
fn frame(data: &JsValue) -> Bytes {
    match data.as_string() {
        Some(text) if text.ends_with('\n') => text.into(),
        Some(text) => [&text, "\n"].concat().into(),
        None => data
            .dyn_ref::<ArrayBuffer>()
            .map(|bytes| Uint8Array::new(bytes).to_vec())
            .unwrap_or_default()
            .into(),
    }
}
