//! A connection that has been accepted: its handshake, and the requests that come over it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use apiserver::{ClientCertificate, PeerAddress};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::connection::Connection;
use crate::connections::Place;
use crate::exchange::Site;
use crate::limits::{HEAD_TIMEOUT, MAX_HEADERS, MAX_STREAMS, STALL_TIMEOUT, STREAM_BUFFER};
use crate::lingering::Lingering;
use crate::tls::Tls;

/// The response to HTTP without TLS where TLS is spoken: Go's words.
const NO_TLS: &[u8] = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/// Answers what comes over one connection, in a task of its own.
pub(crate) fn serve(stream: TcpStream, site: &Arc<Site>, place: Place) {
    // An event is small and wants to be seen at once. A socket that refuses still works.
    let _ = stream.set_nodelay(true);
    let peer = stream.peer_addr().ok();
    let peer = peer.map(|peer| PeerAddress(SocketAddr::new(peer.ip().to_canonical(), peer.port())));
    let local = stream.local_addr();
    let (site, stream) = (Arc::clone(site), Lingering::new(stream));
    tokio::spawn(async move {
        match &site.tls {
            None => answer(stream, &site, &place, (peer, None)).await,
            Some(tls) => {
                let Ok(local) = local else { return };
                let shaken = tokio::select! {
                    shaken = shake_hands(tls, stream, local) => shaken,
                    () = expired(&place.connection) => None,
                };
                let Some(stream) = shaken else { return };
                let certificate = tls.identify(stream.get_ref().1.peer_certificates());
                answer(stream, &site, &place, (peer, certificate)).await;
            }
        }
    });
}

/// Speaks the handshake with a client that has reached an address. `None`: it has failed, or the client speaks no TLS, and has been
/// told so.
async fn shake_hands(
    tls: &Tls,
    mut stream: Lingering<TcpStream>,
    local: SocketAddr,
) -> Option<TlsStream<Lingering<TcpStream>>> {
    // A TLS connection begins with the number of a kind of record, HTTP with a letter.
    let mut first = [0];
    if stream.get_ref().peek(&mut first).await.ok()? == 1 && first[0].is_ascii_alphabetic() {
        // Who does not listen need not be told.
        let _ = stream.write_all(NO_TLS).await;
        let _ = stream.shutdown().await;
        return None;
    }
    let config = match tls.config(local.ip(), SystemTime::now()) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("kubeglass: {error}");
            return None;
        }
    };
    TlsAcceptor::from(config).accept(stream).await.ok()
}

/// Ready when a connection is to end, or has been quiet for too long.
async fn expired(connection: &Connection) {
    let mut ended = std::pin::pin!(connection.ended());
    loop {
        let due = connection.due();
        tokio::select! {
            () = &mut ended => return,
            () = tokio::time::sleep_until(due) => {
                // Something may have happened in between.
                if connection.due() <= Instant::now() {
                    return;
                }
            }
        }
    }
}

/// Answers requests until one side has done. `peer`: the client's address. `certificate`: whose the client's is, if it has shown one.
async fn answer<S>(
    stream: S,
    site: &Arc<Site>,
    place: &Place,
    (peer, certificate): (Option<PeerAddress>, Option<ClientCertificate>),
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let is_local = peer.is_some_and(|PeerAddress(address)| address.ip().is_loopback());
    let service = hyper::service::service_fn(|mut request| {
        if let Some(certificate) = &certificate {
            request.extensions_mut().insert(certificate.clone());
        }
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        Arc::clone(site).answer(Arc::clone(&place.connection), is_local, request)
    });
    let builder = protocols();
    let mut serving = std::pin::pin!(builder.serve_connection_with_upgrades(TokioIo::new(stream), service));
    let mut stop = site.stop.clone();
    let mut expired = std::pin::pin!(expired(&place.connection));
    let mut leaves = false;
    loop {
        tokio::select! {
            // An error here is the client's: it is gone, or it does not speak HTTP.
            _ = serving.as_mut() => return,
            () = &mut expired => return,
            _ = stop.wait_for(|stop| *stop), if !leaves => {
                leaves = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Returns how HTTP/1.1 and HTTP/2 are spoken, whichever of them a client begins with.
fn protocols() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Names of headers are spelled as Go's servers spell them over HTTP/1.1.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .title_case_headers(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_send_buf_size(STREAM_BUFFER)
        .keep_alive_interval(STALL_TIMEOUT)
        .keep_alive_timeout(STALL_TIMEOUT);
    builder
}
