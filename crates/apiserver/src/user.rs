//! Users: in whose name requests are sent.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#users-in-kubernetes>

/// Somebody who sends requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The user's uid; may be empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// The extra attributes of the user: keys in the order of the alphabet, and values.
    pub extra: Vec<(String, Vec<String>)>,
}
