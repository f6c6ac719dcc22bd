//! Connections that are switched to another protocol: those of `exec`, `attach` and `portforward`, whose data goes both ways.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#websockets> and <https://www.rfc-editor.org/rfc/rfc9110#name-upgrade>.

mod channels;
pub(crate) mod ports;
pub(crate) mod process;
mod protocol;
// In a page, nobody has a connection that could be switched to it.
#[cfg(not(target_family = "wasm"))]
pub(crate) mod spdy;

use http::HeaderMap;
use http::header::{CONNECTION, UPGRADE};

pub(crate) use process::Told;
pub(crate) use protocol::{FORWARD, REMOTE_COMMAND, Refusal, Speaks};

use crate::kubelet::{Chunks, Peer};

/// A connection that is switched to another protocol, once its client has been told so by the code 101.
pub struct Upgrade {
    /// The subprotocol that client and server agree on.
    pub protocol: &'static str,
    /// The form in which the server sends.
    pub framing: Framing,
    /// The server's end of the connection.
    pub peer: Peer,
}

impl Upgrade {
    /// Returns what the server sends to a client that sends nothing.
    pub fn sent(self) -> Chunks {
        (self.peer)(Box::pin(futures::stream::pending()))
    }
}

/// The form of what is sent over a connection that was switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Messages of a WebSocket that are text.
    Text,
    /// Messages of a WebSocket that are bytes.
    Binary,
    /// The bytes of the connection itself.
    Raw,
}

/// Reports whether a request asks for another protocol.
pub(crate) fn is_asked_for(headers: &HeaderMap) -> bool {
    let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    values.map(str::to_ascii_lowercase).any(|value| value.contains("upgrade"))
}

/// Reports whether the protocol that a request asks for is that of WebSockets.
pub(crate) fn is_web_socket(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(UPGRADE).and_then(|value| value.to_str().ok());
    is_asked_for(headers) && upgrade.is_some_and(|upgrade| upgrade.eq_ignore_ascii_case("websocket"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn requests_that_ask_for_another_protocol() {
        #[track_caller]
        fn check(connection: &'static str, upgrade: &'static str, expected: (bool, bool)) {
            let pairs = [(CONNECTION, connection), (UPGRADE, upgrade)];
            let headers =
                pairs.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
            assert_eq!((is_asked_for(&headers), is_web_socket(&headers)), expected);
        }

        check("", "", (false, false));
        check("keep-alive, Upgrade", "WebSocket", (true, true));
        check("upgrade", "SPDY/3.1", (true, false));
        check("keep-alive", "websocket", (false, false));
        assert!(!is_asked_for(&HeaderMap::new()));
    }
}
