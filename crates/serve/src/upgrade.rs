//! Connections that are switched to SPDY, which older clients want for `exec`, `attach` and `portforward`. The frames are the API
//! server's; here go the bytes.
//!
//! See <https://www.rfc-editor.org/rfc/rfc9110#name-upgrade>.

use apiserver::Upgrade;
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::stream::unfold;
use http::header::{CONNECTION, HeaderName, UPGRADE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::body::{ResponseBody, until};
use crate::connection::UnderWay;
use crate::limits::STALL_TIMEOUT;

/// The most bytes that are read at once.
const CHUNK: usize = 32 * 1024;

/// Returns the response that switches a connection, which is then served until one side has done or `stop` becomes true.
pub(crate) fn switch(
    connection: OnUpgrade,
    upgrade: Upgrade,
    under_way: UnderWay,
    stop: watch::Receiver<bool>,
) -> Response<ResponseBody> {
    let mut response = Response::new(Full::default().boxed_unsync());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("SPDY/3.1"));
    let version = HeaderName::from_static("x-stream-protocol-version");
    headers.insert(version, HeaderValue::from_static(upgrade.protocol));
    tokio::spawn(async move {
        // An error here is the client's: it is gone.
        if let Ok(connection) = connection.await {
            exchange(connection, upgrade, stop).await;
        }
        drop(under_way);
    });
    response
}

/// Sends what the server's end has to say, and hands it what the client sends.
async fn exchange(connection: Upgraded, upgrade: Upgrade, stop: watch::Receiver<bool>) {
    let (reader, mut writer) = tokio::io::split(TokioIo::new(connection));
    let received = unfold(reader, |mut reader| async {
        let mut bytes = BytesMut::with_capacity(CHUNK);
        match reader.read_buf(&mut bytes).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some((Bytes::from(bytes), reader)),
        }
    });
    let mut sent = until(stop, (upgrade.peer)(Box::pin(received)));
    while let Some(bytes) = sent.next().await {
        // Who takes nothing is left alone.
        match timeout(STALL_TIMEOUT, writer.write_all(&bytes)).await {
            Ok(Ok(())) => {}
            _ => return,
        }
    }
    // Who is gone need not be told.
    let _ = timeout(STALL_TIMEOUT, writer.shutdown()).await;
}
