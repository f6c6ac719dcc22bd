//! Requests for what aggregated API servers serve.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>

use std::sync::Arc;

use bytes::Bytes;
use http::Request;

use super::path_and_query;
use crate::aggregator::{Aggregator, Forwarded, Location, ProxyTransport, unavailable};
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
    pub(super) async fn forward(
        &self,
        service: &ApiService,
        request: &Request<Bytes>,
        user: User,
        mode: Mode,
    ) -> Answer {
        let aggregator = self.shared.aggregator.get().filter(|_| mode == Mode::Serve);
        let available = service.server.as_ref().is_some_and(|server| server.available);
        let Some(aggregator) = aggregator.filter(|_| available) else { return unavailable() };
        let forwarded = Forwarded {
            transport: Arc::clone(&aggregator.transport),
            location: Location::of(service, self.shared.as_ref()),
            user,
            method: request.method().clone(),
            uri: path_and_query(request.uri()).to_owned(),
            headers: request.headers().clone(),
            body: request.body().clone(),
        };
        (aggregator.forward)(forwarded).await
    }
}
