//! Requests for what aggregated API servers serve.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>

use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::Request;

use crate::aggregator::{Aggregator, ProxyTransport, unavailable};
use crate::answer::Answer;
use crate::api_services::ApiService;
use crate::context::ApiServer;
use crate::user::User;
use protocol::message::Mode;

impl ApiServer {
    /// Has requests for what aggregated API servers serve passed on, for all API servers of the cluster. Without this none of them is
    /// available. The first transport counts. Whoever sets it also runs [`ApiServer::run_aggregator`].
    pub fn set_proxy_transport(&self, transport: Arc<dyn ProxyTransport>) {
        let _ = self.shared.aggregator.set(Aggregator::new(transport));
    }

    /// Passes a request on to the server of an APIService, if it is available.
    pub(super) fn forward(
        &self,
        service: &ApiService,
        request: &Request<Bytes>,
        user: User,
        mode: Mode,
    ) -> BoxFuture<'static, Answer> {
        let available = service.server.as_ref().is_some_and(|server| server.available);
        match self.shared.aggregator.get() {
            Some(aggregator) if available && mode == Mode::Serve => {
                (aggregator.forward)(aggregator, self.shared.as_ref(), service, (request, user))
            }
            _ => Box::pin(ready(unavailable())),
        }
    }
}
