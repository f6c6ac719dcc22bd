//! Bearer tokens that the server itself does not know, and somebody else does.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authentication-strategies>

use std::sync::Arc;

use http::{HeaderMap, Request};

use super::bearer_of;
use crate::authenticator::TokenAuthenticator;
use crate::context::{ApiServer, Shared};
use crate::user::ClientCertificate;
use apimachinery::User;

impl ApiServer {
    /// Has somebody else recognize the tokens that the server does not know, for all API servers of the cluster. The first one counts.
    pub fn set_token_authenticator(&self, authenticator: Arc<dyn TokenAuthenticator>) {
        self.shared.authenticator.set(authenticator);
    }
}

/// Returns whose a token is that is good for the API server, if somebody else knows that.
pub(crate) async fn recognize(shared: &Shared, token: &str) -> Option<User> {
    shared.authenticator.get()?.authenticate(token).await
}

/// Returns who sends a request, if somebody else knows their token.
pub(crate) async fn recognize_sender<T>(shared: &Shared, request: &Request<T>) -> Option<User> {
    shared.authenticator.get()?;
    let extensions = request.extensions();
    let is_certified = matches!(extensions.get(), Some(ClientCertificate::Of(_)));
    if is_certified || extensions.get::<User>().is_some() {
        return None;
    }
    recognize(shared, bearer_of(request.headers())?).await
}

/// Reports whether somebody else may know who sends a request with these headers.
pub(crate) fn may_be_recognized(shared: &Shared, headers: &HeaderMap) -> bool {
    shared.authenticator.get().is_some() && bearer_of(headers).is_some()
}
