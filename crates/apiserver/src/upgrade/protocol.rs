//! The protocols that are spoken over a connection that was switched, and the choice of one.
//!
//! See <https://www.rfc-editor.org/rfc/rfc6455#section-1.9> and
//! <https://kubernetes.io/blog/2024/08/20/websockets-transition/>.

use http::HeaderMap;
use http::header::{HeaderName, SEC_WEBSOCKET_PROTOCOL, UPGRADE};

use super::{Framing, is_web_socket};

/// The protocol that older clients want a connection to be switched to.
const SPDY: &str = "SPDY/3.1";

/// The header of the protocols that may be spoken over SPDY.
const VERSION: HeaderName = HeaderName::from_static("x-stream-protocol-version");

/// A response to a client with which no protocol is spoken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandshakeError {
    pub(crate) code: u16,
    pub(crate) text: String,
    /// The protocols over SPDY that would have been spoken.
    pub(crate) accepted: Vec<&'static str>,
}

/// A protocol, and the manner in which it is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Protocol {
    pub(crate) name: &'static str,
    pub(crate) framing: Framing,
    /// True if streams are those of SPDY, not channels.
    pub(crate) is_spdy: bool,
    /// True if the end of a process is told as a Status.
    pub(crate) tells_status: bool,
    /// True if a stream can be closed alone.
    pub(crate) closes_streams: bool,
    /// True if kube-apiserver speaks it itself, and translates it for the kubelet (`StreamTranslatorHandler`, `TunnelingHandler`).
    pub(crate) is_translated: bool,
}

const CHANNELS: Protocol = Protocol {
    name: "",
    framing: Framing::Binary,
    is_spdy: false,
    tells_status: false,
    closes_streams: false,
    is_translated: false,
};
const TEXT: Protocol = Protocol { framing: Framing::Text, ..CHANNELS };
const STREAMS: Protocol = Protocol { framing: Framing::Raw, is_spdy: true, closes_streams: true, ..CHANNELS };

/// The protocols of one kind of connection.
#[derive(Debug)]
pub(crate) struct Protocols {
    /// The subprotocols of WebSockets.
    pub(super) web_socket: &'static [Protocol],
    /// The protocols over SPDY.
    pub(super) spdy: &'static [Protocol],
}

/// The protocols of `exec` and `attach`.
pub(crate) const REMOTE_COMMAND: &Protocols = &Protocols {
    web_socket: &[
        Protocol {
            name: "v5.channel.k8s.io",
            tells_status: true,
            closes_streams: true,
            is_translated: true,
            ..CHANNELS
        },
        Protocol { name: "v4.channel.k8s.io", tells_status: true, ..CHANNELS },
        Protocol { name: "v4.base64.channel.k8s.io", tells_status: true, ..TEXT },
        Protocol { name: "channel.k8s.io", ..CHANNELS },
        Protocol { name: "base64.channel.k8s.io", ..TEXT },
        CHANNELS,
    ],
    spdy: &[
        Protocol { name: "v4.channel.k8s.io", tells_status: true, ..STREAMS },
        Protocol { name: "v3.channel.k8s.io", ..STREAMS },
        Protocol { name: "v2.channel.k8s.io", ..STREAMS },
        Protocol { name: "channel.k8s.io", ..STREAMS },
    ],
};

/// The protocols of `portforward`.
pub(crate) const FORWARD: &Protocols = &Protocols {
    web_socket: &[
        Protocol {
            name: "SPDY/3.1+portforward.k8s.io",
            framing: Framing::Binary,
            is_translated: true,
            ..STREAMS
        },
        Protocol { name: "v4.channel.k8s.io", ..CHANNELS },
        Protocol { name: "v4.base64.channel.k8s.io", ..TEXT },
        CHANNELS,
    ],
    spdy: &[Protocol { name: "portforward.k8s.io", ..STREAMS }],
};

impl Protocols {
    /// Returns the protocol to speak: the first that the client offers and that is known. One that kube-apiserver translates goes before
    /// all others.
    ///
    /// # Errors
    /// The response to a client that knows none of them.
    pub(crate) fn negotiate(&'static self, headers: &HeaderMap) -> Result<&'static Protocol, HandshakeError> {
        if !is_web_socket(headers) {
            return self.negotiate_spdy(headers);
        }
        let offered = values(headers, &SEC_WEBSOCKET_PROTOCOL);
        let find = |name: &str| self.web_socket.iter().find(|own| own.name == name);
        let common: Vec<_> = match offered.as_slice() {
            [] => find("").into_iter().collect(),
            offered => offered.iter().filter_map(|name| find(name)).collect(),
        };
        let first = common.iter().copied().find(|protocol| protocol.is_translated);
        let refusal = || HandshakeError { code: 403, text: String::new(), accepted: Vec::new() };
        first.or_else(|| common.first().copied()).ok_or_else(refusal)
    }

    fn negotiate_spdy(&'static self, headers: &HeaderMap) -> Result<&'static Protocol, HandshakeError> {
        let refuse = |code, why: &str| {
            let text = ["unable to upgrade: ", why, "\n"].concat();
            HandshakeError { code, text, accepted: Vec::new() }
        };
        let offered = values(headers, &VERSION);
        if offered.is_empty() {
            // A header is added on the way.
            let count = headers.keys().count() + 1;
            let why =
                format!("header X-Stream-Protocol-Version does not exist in request with {count} headers");
            return Err(refuse(400, &why));
        }
        let find = |name: &&str| self.spdy.iter().find(|own| own.name == *name);
        let Some(protocol) = offered.iter().find_map(find) else {
            let names: Vec<&str> = self.spdy.iter().map(|own| own.name).collect();
            let (offered, accepted) = (offered.join(" "), names.join(" "));
            let why = format!(
                "unable to negotiate protocol: client supports [{offered}], server accepts [{accepted}]"
            );
            return Err(HandshakeError { accepted: names, ..refuse(403, &why) });
        };
        if values(headers, &UPGRADE).iter().any(|upgrade| upgrade.eq_ignore_ascii_case(SPDY)) {
            Ok(protocol)
        } else {
            Err(refuse(400, "missing upgrade headers in request"))
        }
    }
}

/// Returns the values of a header that is a list.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|value| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::CONNECTION;

    use super::*;

    #[track_caller]
    fn check(known: &'static Protocols, upgrade: &'static str, offered: &[&'static str], expected: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static(upgrade));
        let name = if upgrade == "websocket" { SEC_WEBSOCKET_PROTOCOL } else { VERSION };
        for value in offered {
            headers.append(&name, HeaderValue::from_static(value));
        }
        let found = match known.negotiate(&headers) {
            Ok(protocol) => protocol.name.to_owned(),
            Err(HandshakeError { code, text, .. }) => format!("{code} {}", text.trim_end()),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn subprotocols() {
        let check =
            |known, offered: &[&'static str], expected: &str| check(known, "websocket", offered, expected);
        check(REMOTE_COMMAND, &[], "");
        check(REMOTE_COMMAND, &["v4.channel.k8s.io"], "v4.channel.k8s.io");
        check(REMOTE_COMMAND, &["x, base64.channel.k8s.io", "v4.channel.k8s.io"], "base64.channel.k8s.io");
        check(REMOTE_COMMAND, &["v4.channel.k8s.io, v5.channel.k8s.io"], "v5.channel.k8s.io");
        check(REMOTE_COMMAND, &["x"], "403 ");
        check(FORWARD, &["v5.channel.k8s.io"], "403 ");
        check(FORWARD, &["v4.channel.k8s.io,SPDY/3.1+portforward.k8s.io"], "SPDY/3.1+portforward.k8s.io");
        check(FORWARD, &[], "");
    }

    #[test]
    fn protocols_over_spdy() {
        check(REMOTE_COMMAND, "SPDY/3.1", &["v5.channel.k8s.io", "v4.channel.k8s.io"], "v4.channel.k8s.io");
        check(REMOTE_COMMAND, "spdy/3.1", &["v3.channel.k8s.io, v4.channel.k8s.io"], "v3.channel.k8s.io");
        check(FORWARD, "SPDY/3.1", &["portforward.k8s.io"], "portforward.k8s.io");
        check(
            FORWARD,
            "h2c",
            &["portforward.k8s.io"],
            "400 unable to upgrade: missing upgrade headers in request",
        );
        check(
            FORWARD,
            "SPDY/3.1",
            &[],
            "400 unable to upgrade: header X-Stream-Protocol-Version does not exist in request with 3 headers",
        );
        check(
            FORWARD,
            "SPDY/3.1",
            &["a", "b"],
            "403 unable to upgrade: unable to negotiate protocol: client supports [a b], server accepts [portforward.k8s.io]",
        );
    }
}
