//! Servers to be tested, and what is sent to them as it stands.
#![allow(dead_code)]

pub(crate) mod hooks;
pub(crate) mod signer;
pub(crate) mod tls;

use std::{io::Write, net::SocketAddr, path::PathBuf};

use serve::{Options, Server};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};

/// A server on a port of its own, stopped by the sender.
pub(crate) async fn start(
    token_file: Option<PathBuf>,
) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<bool>) {
    start_with(Options { token_file, ..Options::default() }).await
}

/// A server with these options, on a port of its own.
pub(crate) async fn start_with(options: Options) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<bool>) {
    let options = Options { listen: "127.0.0.1:0".to_owned(), ..options };
    let server = Server::bind(&options).await.unwrap();
    let (stop, stopped) = oneshot::channel();
    let address = server.address();
    let running = tokio::spawn(server.run(async move {
        if stopped.await.is_err() {
            // Nobody wants to stop it: it ends with the test.
            std::future::pending().await
        }
    }));
    (address, stop, running)
}

/// Sends bytes over a connection of its own and returns all that comes back.
pub(crate) async fn raw(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// Reads one response, whose length is told in its head, off a connection that goes on.
pub(crate) async fn response(stream: &mut TcpStream) -> String {
    let mut answer = String::new();
    let mut buffer = vec![0; 8192];
    loop {
        if let Some((head, body)) = answer.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return answer;
            }
        }
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "the connection ends within the response {answer:?}");
        answer.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
}

pub(crate) fn token_file(text: &str) -> (tempfile::NamedTempFile, PathBuf) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let path = file.path().to_owned();
    (file, path)
}

/// A head, of which the lines are separated by `|`; `expected` is the beginning of the response.
pub(crate) async fn check_head(address: SocketAddr, head: &str, expected: &str) -> String {
    let request = format!("{}\r\n\r\n", head.replace('|', "\r\n"));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 8192];
    let read = stream.read(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    assert!(answer.starts_with(expected), "{head}: {answer}");
    answer
}
