//! Connections to servers that the cluster calls: webhooks, and aggregated API servers.

mod trust;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use apiserver::ServiceReference;
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

pub(crate) use trust::{Identity, Trust};

/// The address of a service, for those that lead nowhere: no cluster has a network here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAddress {
    /// The namespace of the service.
    pub namespace: String,
    /// The name of the service.
    pub name: String,
    /// The port of the service; `None`: all of them.
    pub port: Option<u16>,
    /// Where it is instead, as `host:port`.
    pub address: String,
}

impl ServiceAddress {
    fn is_of(&self, service: &ServiceReference) -> bool {
        self.namespace == service.namespace
            && self.name == service.name
            && self.port.is_none_or(|port| port == service.port)
    }
}

/// Returns where a service is: where one of the addresses that were given says, or else where it leads to by itself.
///
/// # Errors
/// The reason why it leads nowhere.
pub(crate) fn address_of(given: &[ServiceAddress], service: &ServiceReference) -> Result<String, String> {
    match given.iter().find(|one| one.is_of(service)) {
        Some(given) => Ok(given.address.clone()),
        None => service.address.clone(),
    }
}

/// Reads the address of a service: `NAMESPACE/NAME=HOST:PORT`, or `NAMESPACE/NAME:PORT=HOST:PORT`.
pub(crate) fn parse(text: &str) -> Option<ServiceAddress> {
    let (service, address) = text.split_once('=')?;
    let (namespace, name) = service.split_once('/')?;
    let (name, port) = match name.split_once(':') {
        Some((name, port)) => (name, Some(port.parse().ok()?)),
        None => (name, None),
    };
    let (host, own_port) = address.rsplit_once(':')?;
    let is_whole =
        ![namespace, name, host].iter().any(|part| part.is_empty()) && own_port.parse::<u16>().is_ok();
    is_whole.then(|| ServiceAddress {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        port,
        address: address.to_owned(),
    })
}

/// Connects to an address, to a server of this name. The connection works for as long as the task runs that comes with it.
///
/// # Errors
/// There is no connection, in Go's words.
pub(crate) async fn connect(
    address: &str,
    name: &str,
    trust: Trust<'_>,
) -> Result<(SendRequest<Full<Bytes>>, JoinHandle<hyper::Result<()>>), String> {
    let stream = dial(address).await?;
    // A socket that refuses still works.
    let _ = stream.set_nodelay(true);
    let name =
        ServerName::try_from(name.trim_matches(['[', ']']).to_owned()).map_err(|error| error.to_string())?;
    let config = trust.config()?;
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| trust::worded(&error))?;
    let (sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    Ok((sender, tokio::spawn(connection)))
}

/// Opens a connection: IPv4 first, and to the first address that takes it.
///
/// # Errors
/// None does: why the first one does not, in Go's words.
async fn dial(address: &str) -> Result<TcpStream, String> {
    let no_host = || {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        format!("dial tcp: lookup {host}: no such host")
    };
    let mut all: Vec<SocketAddr> = lookup_host(address).await.map_err(|_| no_host())?.collect();
    all.sort_by_key(SocketAddr::is_ipv6);
    let mut first = None;
    for one in all {
        match TcpStream::connect(one).await {
            Ok(stream) => return Ok(stream),
            Err(error) => drop(first.get_or_insert_with(|| dialed(one, &error))),
        }
    }
    Err(first.unwrap_or_else(no_host))
}

/// Words the error from connecting as Go does.
fn dialed(address: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        io::ErrorKind::HostUnreachable => format!("dial tcp {address}: connect: no route to host"),
        io::ErrorKind::NetworkUnreachable => format!("dial tcp {address}: connect: network is unreachable"),
        _ => format!("dial tcp {address}: {error}"),
    }
}

/// Words the end of a connection as Go does.
pub(crate) fn ended(error: &hyper::Error) -> String {
    if error.is_incomplete_message() { "EOF".to_owned() } else { error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_services() {
        let of = |namespace: &str, name: &str, port, address: &str| ServiceAddress {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            port,
            address: address.to_owned(),
        };
        assert_eq!(parse("a/b=localhost:9443"), Some(of("a", "b", None, "localhost:9443")));
        assert_eq!(parse("a/b:443=[::1]:1"), Some(of("a", "b", Some(443), "[::1]:1")));
        for wrong in ["", "a/b", "a=b:1", "a/b=c", "a/b=:1", "/b=c:1", "a/=c:1", "a/b:x=c:1", "a/b=c:99999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
