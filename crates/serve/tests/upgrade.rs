//! Connections that are switched to another protocol: `exec` over WebSockets and SPDY, as it goes over the wire.

mod common;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use apiserver::{ApiServer, Config, FindObject, Kubelet, Log, Output, Peer, Process, SeededRandom, Streams};
use bytes::Bytes;
use clock::machine::SystemClock;
use common::check_head;
use engine::SharedCluster;
use futures::{SinkExt, StreamExt};
use json_tree::{Value, json};
use serve::{Options, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// A kubelet whose every program sends back what it reads.
struct Echo;

impl Kubelet for Echo {
    fn container(&self, _: &Value, name: &str, _: bool) -> Result<String, String> {
        Ok(name.to_owned())
    }

    fn log(&self, _: &Value, _: &str, _: Option<Duration>, _: Duration, _: FindObject<'_>) -> Option<Log> {
        None
    }

    fn exec(
        &self,
        _: &Value,
        _: &str,
        _: Vec<String>,
        _: Streams,
        _: FindObject<'_>,
    ) -> Result<Process, String> {
        Ok(Box::new(|stdin| {
            let end = futures::stream::iter([Output::End(Ok(0))]);
            Box::pin(stdin.map(Output::Stdout).chain(end))
        }))
    }

    fn attach(&self, _: &Value, name: &str) -> Result<String, String> {
        Ok(name.to_owned())
    }

    fn dial(&self, _: &Value, _: u16) -> Result<Peer, String> {
        Ok(Box::new(|sent| sent))
    }
}

/// Starts a server with a pod on a node, whose kubelet listens.
async fn start() -> SocketAddr {
    let clock = Arc::new(SystemClock);
    let api = ApiServer::new(Config {
        first_revision: 100,
        ..Config::new(clock.clone(), Arc::new(SeededRandom::new(1)))
    });
    let address = json!([{"type": "InternalIP", "address": "127.0.0.1"}]);
    let account = json!({"metadata": {"name": "default"}});
    let pod = json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}});
    let node = json!({"metadata": {"name": "n"}, "status": {"addresses": address}});
    for (path, object) in [
        ("/api/v1/nodes", &node),
        ("/api/v1/namespaces/default/serviceaccounts", &account),
        ("/api/v1/namespaces/default/pods", &pod),
    ] {
        let request = http::Request::post(path).header("Content-Type", "application/json");
        let request = request.body(Bytes::from(serde_json::to_vec(object).unwrap())).unwrap();
        assert_eq!(api.call(request).await.status().as_u16(), 201, "{path}");
    }
    api.listen("n", Arc::new(Echo));
    let options = Options { listen: "127.0.0.1:0".to_owned(), ..Options::default() };
    let server = Server::share(SharedCluster::new(api.clone(), clock), api, &options).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run(std::future::pending()));
    address
}

const EXEC: &str = "/api/v1/namespaces/default/pods/p/exec?command=cat&stdin=true&stdout=true";

#[tokio::test]
async fn websockets() {
    let address = start().await;
    let mut request = format!("ws://{address}{EXEC}").into_client_request().unwrap();
    let protocols = "v5.channel.k8s.io, v4.channel.k8s.io".parse().unwrap();
    request.headers_mut().insert("Sec-WebSocket-Protocol", protocols);
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut socket, response) = tokio_tungstenite::client_async(request, stream).await.unwrap();
    assert_eq!(response.headers()["Sec-WebSocket-Protocol"], "v5.channel.k8s.io");
    for message in [&b"\0hello"[..], b"\xff\0"] {
        socket.send(Message::Binary(Bytes::from_static(message))).await.unwrap();
    }
    let mut received = Vec::new();
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Binary(bytes) => received.push(String::from_utf8_lossy(&bytes).into_owned()),
            Message::Close(frame) => {
                assert_eq!(frame.map(|frame| u16::from(frame.code)), Some(1000));
                break;
            }
            message => panic!("{message:?}"),
        }
    }
    assert_eq!(received, ["\x01", "\x01hello", "\x03{\"metadata\":{},\"status\":\"Success\"}"]);
}

#[tokio::test]
async fn spdy() {
    let address = start().await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {EXEC} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: \
         v4.channel.k8s.io\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // A ping, and the end of the connection.
    let ping = [0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1];
    stream.write_all(&ping).await.unwrap();
    let go_away = [0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    stream.write_all(&go_away).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head") + 4;
    let text = String::from_utf8_lossy(&answer[..head]).to_lowercase();
    assert!(text.starts_with("http/1.1 101 switching protocols\r\n"), "{text}");
    for header in [
        "connection: upgrade\r\n",
        "upgrade: spdy/3.1\r\n",
        "x-stream-protocol-version: v4.channel.k8s.io\r\n",
    ] {
        assert!(text.contains(header), "{text}");
    }
    assert_eq!(answer[head..], [&ping[..], &go_away].concat());
}

#[tokio::test]
async fn requests_that_ask_for_no_upgrade() {
    let address = start().await;
    let head = check_head(address, &format!("POST {EXEC} HTTP/1.1|Host: localhost"), "HTTP/1.1 400 ").await;
    assert!(head.contains("Upgrade request required"), "{head}");
    let unknown = format!(
        "POST {EXEC} HTTP/1.1|Host: localhost|Connection: Upgrade|Upgrade: SPDY/3.1|X-Stream-Protocol-Version: v9"
    );
    let head = check_head(address, &unknown, "HTTP/1.1 403 ").await;
    assert!(
        head.contains("x-accepted-stream-protocol-versions: v4.channel.k8s.io")
            || head.contains("X-Accepted"),
        "{head}"
    );
}
