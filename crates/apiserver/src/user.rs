//! In whose name requests are sent, and how a client says who it is.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#users-in-kubernetes>

use apimachinery::User;

/// In whose name a request is sent.
pub(crate) struct Impersonated {
    pub(crate) user: User,
    /// The mode by which that is allowed; `None` if it is the sender's own name.
    pub(crate) mode: Option<&'static str>,
}

/// The certificate that a client has shown. A host that speaks TLS puts it into the [extensions](http::Extensions) of each request.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates>
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientCertificate {
    /// It says that the client is this user, who has all of their groups.
    Of(User),
    /// It is not one of a trusted authority, has ended, or does not say who its owner is: the request needs a token.
    Invalid,
}
