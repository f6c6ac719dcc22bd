//! The origin of a server: how URLs of it begin.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use crate::args::Options;

/// The address by which this machine's own one is found out: one that is for documentation, and gets no packet.
///
/// <https://www.rfc-editor.org/rfc/rfc5737>
const ELSEWHERE: &str = "192.0.2.1:9";

/// Returns the origin by which others reach a server that listens at an address.
pub(crate) fn origin(options: &Options, address: SocketAddr) -> String {
    let (port, scheme) = (address.port(), options.scheme());
    let host = options.listen.rsplit_once(':').map_or("", |(host, _)| host);
    let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    if address.ip().is_unspecified() {
        let own = own_address().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        return format!("{scheme}://{}", SocketAddr::new(own, port));
    }
    if is_address || host.is_empty() {
        format!("{scheme}://{address}")
    } else {
        format!("{scheme}://{host}:{port}")
    }
}

/// Returns the address of this machine in the network that its packets leave it by.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Of UDP this sends nothing: it only finds the way.
    socket.connect(ELSEWHERE).ok()?;
    let address = socket.local_addr().ok()?.ip();
    Some(address).filter(|address| !address.is_unspecified())
}
