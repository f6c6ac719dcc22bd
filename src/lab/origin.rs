//! Requests to the Kubernetes API that scripts send to the page's own origin: `static/sw.js` passes them on to the page, and the
//! page answers out of its engine.

pub(crate) mod view;

use bytes::Bytes;
use futures::channel::mpsc;
use futures::future::{Either, select};
use futures::stream::{self, StreamExt};
use js_sys::{Array, ArrayBuffer, Object, Reflect, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, MessagePort, ServiceWorkerContainer, ServiceWorkerRegistration};

use crate::cluster::{Answer, Body, Request, Stream};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::origin as words;

/// The service worker, relative to the page.
const SCRIPT: &str = "./sw.js";

/// A message of the service worker while a response is sent.
enum Asked {
    /// The next chunk.
    More,
    /// Nothing any more.
    Cancel,
}

/// Has requests on the page's origin answered, or no longer.
///
/// # Errors
/// Why this browser does not do that: it has no service workers, or not for a page of this origin.
pub(crate) async fn answer(page: Page, answers: bool) -> Result<(), String> {
    let workers = container().ok_or(words::NONE)?;
    if !answers {
        page.lab.answers.set(false);
        if let Ok(found) = JsFuture::from(workers.get_registration()).await
            && let Ok(registration) = found.dyn_into::<ServiceWorkerRegistration>()
            && let Ok(gone) = registration.unregister()
        {
            let _ = JsFuture::from(gone).await;
        }
        return Ok(());
    }
    let registered = JsFuture::from(workers.register(SCRIPT)).await;
    registered.map_err(|why| words::refused(&field(&why, "message").as_string().unwrap_or_default()))?;
    if let Ok(ready) = workers.ready() {
        let _ = JsFuture::from(ready).await;
    }
    listen(page, &workers);
    page.lab.answers.set(true);
    Ok(())
}

/// The browser's service workers, if it has any for this page.
fn container() -> Option<ServiceWorkerContainer> {
    let container = Reflect::get(&dom::window().navigator(), &"serviceWorker".into()).ok()?;
    container.is_object().then(|| container.unchecked_into())
}

fn listen(page: Page, workers: &ServiceWorkerContainer) {
    let take = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let message = field(&event.data(), "kubeglass");
        let Ok(port) = event.ports().get(0).dyn_into::<MessagePort>() else { return };
        if page.lab.answers.try_get_untracked() == Some(true) && message.is_object() {
            spawn_local(pass(page, request(&message), port));
        } else {
            tell(&port, &[("takes", JsValue::FALSE)]);
        }
    });
    workers.set_onmessage(Some(take.as_ref().unchecked_ref()));
    // It listens for as long as the page is there.
    take.forget();
}

fn request(message: &JsValue) -> Request {
    let text = |value: &JsValue, name| field(value, name).as_string().unwrap_or_default();
    let pairs = field(message, "headers").dyn_into::<Array>().unwrap_or_default();
    let mut headers: Vec<(String, String)> = pairs
        .iter()
        .filter_map(|pair| {
            let pair: Array = pair.dyn_into().ok()?;
            Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
        })
        .collect();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("User-Agent")) {
        headers.push(("User-Agent".to_owned(), dom::window().navigator().user_agent().unwrap_or_default()));
    }
    let body = field(message, "body").dyn_into::<ArrayBuffer>();
    let encoded = body.ok().map(|body| Bytes::from(Uint8Array::new(&body).to_vec()));
    let (method, target) = (text(message, "method"), text(message, "target"));
    Request {
        method,
        target,
        headers,
        encoded: encoded.filter(|body| !body.is_empty()),
        ..Request::default()
    }
}

/// Sends a request, and passes the response on, no faster than it is taken.
async fn pass(page: Page, request: Request, port: MessagePort) {
    let (sender, mut asked) = mpsc::unbounded();
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let asked = if event.data() == "cancel" { Asked::Cancel } else { Asked::More };
        let _ = sender.unbounded_send(asked);
    });
    port.set_onmessage(Some(hear.as_ref().unchecked_ref()));
    let Answer { status, headers, body, .. } = match page.pass(request).await {
        Ok(answer) => answer,
        Err(why) => {
            port.set_onmessage(None);
            return tell(&port, &[("error", why.into())]);
        }
    };
    let pairs = headers.iter().map(|(name, value)| Array::of2(&name.into(), &value.into()));
    tell(&port, &[("status", status.into()), ("headers", pairs.collect::<Array>().into())]);
    let mut chunks: Stream = match body {
        Body::Bytes(bytes) => stream::iter([Ok(bytes)]).boxed_local(),
        Body::Stream(chunks) => chunks,
    };
    // The number of chunks that are asked for and not sent.
    let mut wanted = 0_u32;
    let last = loop {
        if wanted == 0 {
            match asked.next().await {
                Some(Asked::More) => wanted += 1,
                _ => break None,
            }
        }
        match select(chunks.next(), asked.next()).await {
            Either::Left((Some(Ok(chunk)), _)) => {
                wanted -= 1;
                tell(&port, &[("chunk", Uint8Array::from(chunk.as_ref()).into())]);
            }
            Either::Left((Some(Err(why)), _)) => break Some(("error", why.into())),
            Either::Left((None, _)) => break Some(("end", JsValue::TRUE)),
            Either::Right((Some(Asked::More), _)) => wanted += 1,
            Either::Right(_) => break None,
        }
    };
    if let Some(last) = last {
        tell(&port, &[last]);
    }
    port.set_onmessage(None);
    port.close();
}

/// Posts an object of these properties.
fn tell(port: &MessagePort, properties: &[(&str, JsValue)]) {
    let message = Object::new();
    for (name, value) in properties {
        let _ = Reflect::set(&message, &(*name).into(), value);
    }
    // Who has gone hears nothing.
    let _ = port.post_message(&message);
}

fn field(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or(JsValue::UNDEFINED)
}
