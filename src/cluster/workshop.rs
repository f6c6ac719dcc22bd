//! The workshop that the page was opened for, if it was opened by an attendee's link: see `static/enter.js`, which reads that.

use golang::base64;

use crate::cluster::host;
use crate::ui::dom;

/// The subprotocol that is a bearer token begins so. Browsers let scripts send no header with a WebSocket.
const BEARER: &str = "base64url.bearer.authorization.k8s.io.";
/// A subprotocol beside the token, as the API server demands. It means nothing.
const BESIDE: &str = "v1.json";

/// Somebody who takes part in a workshop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attendee {
    /// The name, which is that of the namespace, too.
    pub(crate) name: String,
    /// The bearer token.
    token: String,
}

impl Attendee {
    /// Returns whose page this is.
    pub(crate) fn here() -> Option<Self> {
        let name = host::script("attendee").as_string().filter(|name| !name.is_empty())?;
        let token = host::token(&dom::window().location().origin().ok()?)?;
        Some(Self { name, token })
    }

    /// Returns the value of the header `Authorization`.
    pub(crate) fn authorization(&self) -> String {
        ["Bearer ", &self.token].concat()
    }

    /// Returns the subprotocols of a WebSocket.
    pub(crate) fn protocols(&self) -> [String; 2] {
        [[BEARER, base64::encode_url(&self.token).trim_end_matches('=')].concat(), BESIDE.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_a_header_and_as_a_subprotocol() {
        let anna = Attendee { name: "anna".to_owned(), token: "a?b~c".to_owned() };
        assert_eq!(anna.authorization(), "Bearer a?b~c");
        assert_eq!(anna.protocols(), ["base64url.bearer.authorization.k8s.io.YT9ifmM", "v1.json"]);
    }
}
