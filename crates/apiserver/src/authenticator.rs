//! Somebody else who knows whose bearer tokens are.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authentication-strategies>

use futures::future::BoxFuture;

use apimachinery::User;

/// Recognizes bearer tokens that the server itself does not know, for a host that can ask somebody else: a provider of OpenID Connect, say.
pub trait TokenAuthenticator: Send + Sync {
    /// Returns the user that a token belongs to, with all of their groups, `system:authenticated` among them; nobody, if it is not good.
    fn authenticate(&self, token: &str) -> BoxFuture<'static, Option<User>>;
}
