//! Webhooks that a function of the test stands in for.

use std::sync::Arc;

use apiserver::{WebhookCall, WebhookCaller, WebhookResponse};
use bytes::Bytes;
use clock::Clock;
use futures::FutureExt;
use futures::future::{BoxFuture, Either, select};
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response};

/// A function that stands in for webhooks.
type Respond = dyn Fn(Request<Bytes>) -> BoxFuture<'static, Response<Bytes>> + Send + Sync;

/// The webhooks of a cluster and of its forks. Where no function stands in for them, nothing listens at any URL.
#[derive(Clone, Default)]
pub(crate) struct Webhooks(Option<Arc<Respond>>);

impl Webhooks {
    /// Has a function stand in for them.
    pub(crate) fn of<F, R>(respond: F) -> Self
    where
        F: Fn(Request<Bytes>) -> R + Send + Sync + 'static,
        R: Future<Output = Response<Bytes>> + Send + 'static,
    {
        Self(Some(Arc::new(move |request| respond(request).boxed())))
    }

    /// Has an API server call them. Their time goes by a clock.
    pub(crate) fn install(&self, server: &apiserver::ApiServer, clock: Arc<dyn Clock>) {
        server.set_webhooks(Arc::new(Caller { respond: self.0.clone(), clock }));
    }
}

struct Caller {
    respond: Option<Arc<Respond>>,
    clock: Arc<dyn Clock>,
}

impl Caller {
    /// Begins a call.
    ///
    /// # Errors
    /// The reason why it cannot be made.
    fn begin(&self, call: &WebhookCall) -> Result<BoxFuture<'static, Response<Bytes>>, String> {
        let respond = self.respond.as_ref().ok_or_else(|| call.unreachable())?;
        let mut request = Request::builder().method(Method::POST).uri(&call.url);
        for (name, value) in WebhookCall::HEADERS {
            request = request.header(name, value);
        }
        Ok(respond(request.body(call.body.clone()).map_err(|error| error.to_string())?))
    }
}

impl WebhookCaller for Caller {
    fn call(&self, call: WebhookCall) -> BoxFuture<'static, Result<WebhookResponse, String>> {
        let begun = self.begin(&call);
        let late = self.clock.sleep(call.timeout);
        async move {
            let outcome = match begun {
                Ok(response) => match select(response, late).await {
                    Either::Left((response, _)) => Ok(response),
                    Either::Right(_) => Err(WebhookCall::DEADLINE.to_owned()),
                },
                Err(why) => Err(why),
            };
            let response = outcome.map_err(|why| WebhookCall::error(&call.url, &why))?;
            let (head, body) = response.into_parts();
            let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let content_type = content_type.unwrap_or_default().to_owned();
            Ok(WebhookResponse { code: head.status.as_u16(), content_type, body })
        }
        .boxed()
    }
}
