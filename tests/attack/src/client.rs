//! HTTP/1.1 by hand: requests as they are written, and what comes back.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection over which one request after the other is sent.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

/// A request as bytes. Its body may be announced longer than it is.
pub(crate) fn request(line: &str, media_type: &str, body: &[u8], announced: usize) -> Vec<u8> {
    // Nothing has no media type.
    let media_type =
        if media_type.is_empty() { String::new() } else { format!("Content-Type: {media_type}\r\n") };
    let head =
        format!("{line} HTTP/1.1\r\nHost: localhost\r\n{media_type}Content-Length: {announced}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// Sends bytes, and waits for nothing.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Sends a request, and gives the status code of its response, which is read to its end.
    pub(crate) async fn send(&mut self, request: &[u8]) -> io::Result<u16> {
        self.write(request).await?;
        let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let end = loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(ended());
            }
        };
        let head = String::from_utf8_lossy(&self.read[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(ended)?;
        let whole = end + length.unwrap_or(0_usize);
        while self.read.len() < whole {
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(ended());
            }
        }
        self.read.drain(..whole);
        Ok(code)
    }
}
