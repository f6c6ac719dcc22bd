//! Connections that are switched to another protocol: those of `exec`, `attach` and `portforward`, whose data goes both ways.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#websockets> and <https://www.rfc-editor.org/rfc/rfc9110#name-upgrade>.

mod channels;
#[cfg(not(target_family = "wasm"))]
mod ports;
mod process;
mod protocol;
#[cfg(not(target_family = "wasm"))]
mod spdy;

use http::HeaderMap;
use http::header::{CONNECTION, UPGRADE};

pub(crate) use process::RemoteCommand;
pub(crate) use protocol::{FORWARD, HandshakeError, Protocol, REMOTE_COMMAND};

use crate::kubelet::{Chunks, Peer, Process, Streams};

/// The servers of ports: an error is the text for the client of why nobody listens there.
pub(crate) type Dial = Box<dyn Fn(u16) -> Result<Peer, String> + Send>;

/// Makes the server's end of a connection to a process; `None` in a page, where nobody has a connection that could be switched to SPDY.
/// An error, which only a protocol that is translated can tell, is the reason why there is no process.
pub(crate) fn remote_command(
    protocol: &'static Protocol,
    streams: Streams,
    command: RemoteCommand,
    process: Result<Process, String>,
) -> Option<Upgrade> {
    let peer = match process {
        #[cfg(not(target_family = "wasm"))]
        Ok(process) if protocol.is_spdy => spdy::process(protocol, streams, command, process),
        _ if protocol.is_spdy => return None,
        process => process::peer(protocol, streams, command, process),
    };
    Some(Upgrade::new(protocol, peer))
}

/// Makes the server's end of a connection to ports: those that the client names by its streams, or these. `None` in a page, where no
/// ports are forwarded.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn forward(protocol: &'static Protocol, ports: Vec<u16>, dial: Dial) -> Option<Upgrade> {
    let peer = if protocol.is_spdy {
        spdy::ports(dial)
    } else {
        ports::peer(protocol, ports.into_iter().map(|port| (port, dial(port))).collect())
    };
    Some(Upgrade::new(protocol, peer))
}

/// Forwards nothing: see above.
#[cfg(target_family = "wasm")]
pub(crate) fn forward(_: &'static Protocol, _: Vec<u16>, _: Dial) -> Option<Upgrade> {
    None
}

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
    fn new(protocol: &Protocol, peer: Peer) -> Self {
        Self { protocol: protocol.name, framing: protocol.framing, peer }
    }

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
