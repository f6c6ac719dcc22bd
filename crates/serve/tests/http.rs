//! The server over real sockets.

mod common;

use std::{net::SocketAddr, path::PathBuf};

use bytes::Bytes;
use common::{check_head, raw, response, start, start_with, token_file};
use futures::{SinkExt, StreamExt};
use http::{HeaderName, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serve::{Error, Options, Server};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_tungstenite::tungstenite::{
    self, Message, client::IntoClientRequest, protocol::frame::coding::CloseCode,
};

#[tokio::test]
async fn http1() {
    let (address, ..) = start(None).await;
    let get = raw(address, "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    let (head, body) = get.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    assert!(!body.is_empty());
    let head = raw(address, "HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    let garbage = raw(address, "GET / HTTP/9.9\r\n\r\n").await;
    assert!(garbage.starts_with("HTTP/1.1 400 ") || garbage.is_empty(), "{garbage}");
}

#[tokio::test]
async fn http2_without_tls() {
    let (address, ..) = start(None).await;
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get(format!("http://{address}/nowhere")).body(Full::<Bytes>::default()).unwrap();
    let response = client.send_request(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert!(!response.into_body().collect().await.unwrap().to_bytes().is_empty());
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_answered() {
    let (address, ..) = start(None).await;
    let body = "x".repeat(serve::limits::BODY_LIMIT + 2_000_000);
    let head = "POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let answer = raw(address, &format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("limit is 3145728"), "{answer}");
}

#[tokio::test]
async fn an_open_watch_ends_with_the_server() {
    let (address, stop, running) = start(None).await;
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut client, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get("/api/v1/namespaces?watch=1").header("host", "localhost");
    let response = client.send_request(request.body(Full::<Bytes>::default()).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let mut body = response.into_body();
    let event = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(event.starts_with(br#"{"type":"ADDED","object":{"kind":"Namespace","#), "{event:?}");
    stop.send(()).unwrap();
    // It ends as a watch that has timed out does: whole, not broken off.
    body.collect().await.unwrap();
    assert!(running.await.unwrap());
}

/// A watch of namespaces over a WebSocket, with these headers, of which empty ones are not sent; what the server answers and what it sends until the one
/// with the name `default` came, or why there is none.
async fn websocket(address: SocketAddr, headers: &[(&str, &str)]) -> Result<(String, Message), String> {
    let uri = format!("ws://{address}/api/v1/namespaces?watch=1");
    let mut request = uri.into_client_request().unwrap();
    let origin = format!("http://{address}");
    for (name, value) in [&[("origin", origin.as_str())][..], headers].concat() {
        let name = HeaderName::try_from(name).unwrap();
        if value.is_empty() {
            request.headers_mut().remove(name);
        } else {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
    }
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut socket, response) =
        tokio_tungstenite::client_async(request, stream).await.map_err(|error| match error {
            tungstenite::Error::Http(response) => {
                let body = response.body().clone().unwrap_or_default();
                format!("{} {}", response.status().as_u16(), String::from_utf8_lossy(&body))
            }
            error => error.to_string(),
        })?;
    let protocol = response.headers().get("sec-websocket-protocol");
    let protocol = protocol.map(|protocol| protocol.to_str().unwrap().to_owned()).unwrap_or_default();
    // What a client says does not matter.
    socket.send(Message::text("hello")).await.unwrap();
    loop {
        let message = socket.next().await.expect("it goes on").unwrap();
        let about_default = message.clone().into_data().windows(7).any(|bytes| bytes == b"default");
        if about_default {
            socket.close(None).await.unwrap();
            return Ok((protocol, message));
        }
    }
}

#[tokio::test]
async fn watches_are_websockets_for_who_wants_that() {
    let (address, ..) = start(None).await;
    let (_, json) = websocket(address, &[]).await.unwrap();
    let json = json.into_text().unwrap();
    assert!(
        json.starts_with(r#"{"type":"ADDED","object":{"kind":"Namespace","#) && json.ends_with("}\n"),
        "{json}"
    );
    let (_, protobuf) =
        websocket(address, &[("accept", "application/vnd.kubernetes.protobuf")]).await.unwrap();
    let Message::Binary(protobuf) = protobuf else { panic!("{protobuf:?}") };
    assert!(protobuf.starts_with(b"\x0a\x05ADDED\x12"), "{protobuf:?}");
    let (_, cbor) = websocket(address, &[("accept", "application/cbor")]).await.unwrap();
    assert!(matches!(&cbor, Message::Binary(_)), "{cbor:?}");

    let refused = websocket(address, &[("sec-websocket-version", "12")]).await;
    assert_eq!(refused.unwrap_err(), "400 missing or bad WebSocket Version");
    let refused = websocket(address, &[("origin", "")]).await;
    assert_eq!(refused.unwrap_err(), "403 ", "it does not say which page it comes from");
    let refused = websocket(address, &[("accept", "application/x")]).await.unwrap_err();
    assert!(refused.starts_with("406 {"), "{refused}");
}

#[tokio::test]
async fn a_token_may_be_a_subprotocol() {
    let (_kept, path) = token_file("secret,u,1,system:masters\n");
    let (address, ..) = start(Some(path)).await;
    let token = |text: &str| ["base64url.bearer.authorization.k8s.io.", text].concat();
    let offer = |protocols: String| async move {
        websocket(address, &[("sec-websocket-protocol", &protocols)]).await.map(|(protocol, _)| protocol)
    };
    assert_eq!(offer(token("c2VjcmV0") + ", v1.json").await.as_deref(), Ok("v1.json"));
    for wrong in [
        token("c2VjcmV0"),
        token("b3RoZXI") + ", v1.json",
        token("!") + ", v1.json",
        [token("c2VjcmV0"), token("c2VjcmV0"), "v1.json".to_owned()].join(","),
    ] {
        let refused = offer(wrong.clone()).await.unwrap_err();
        assert!(refused.starts_with("401 "), "{wrong}: {refused}");
    }
    let undecided = offer(token("c2VjcmV0") + ", a, b").await.unwrap_err();
    assert_eq!(undecided, "400 missing or bad WebSocket-Protocol");
}

#[tokio::test]
async fn a_websocket_ends_with_the_server() {
    let (address, stop, running) = start(None).await;
    let stream = TcpStream::connect(address).await.unwrap();
    let mut request = format!("ws://{address}/api/v1/pods?watch=1").into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{address}").parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.unwrap();
    stop.send(()).unwrap();
    let last = socket.next().await.expect("it is closed").unwrap();
    assert!(matches!(&last, Message::Close(Some(close)) if close.code == CloseCode::Normal), "{last:?}");
    assert!(running.await.unwrap());
}

#[tokio::test]
async fn shutdown_waits_for_nobody_idle() {
    let (address, stop, running) = start(None).await;
    let idle = TcpStream::connect(address).await.unwrap();
    let kept_alive = TcpStream::connect(address).await.unwrap();
    let (mut client, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(kept_alive)).await.unwrap();
    tokio::spawn(connection);
    let request =
        Request::get("/nowhere").header("host", "localhost").body(Full::<Bytes>::default()).unwrap();
    client.send_request(request).await.unwrap().into_body().collect().await.unwrap();
    stop.send(()).unwrap();
    assert!(running.await.unwrap());
    assert!(TcpStream::connect(address).await.is_err());
    drop(idle);
}

#[track_caller]
fn check_error(found: Result<Server, Error>, expected: &str) {
    let found = found.err().expect("the server starts").to_string();
    assert!(found.contains(expected), "{found}");
}

#[tokio::test]
async fn what_keeps_it_from_starting() {
    let (address, ..) = start(None).await;
    let listen = |listen: &str| Options { listen: listen.to_owned(), ..Options::default() };
    let taken = Server::bind(&listen(&address.to_string())).await;
    check_error(taken, &format!("{address} is taken: stop what listens there, or choose another address"));
    check_error(Server::bind(&listen("nonsense")).await, "cannot listen on nonsense: ");

    let tokens = |path: PathBuf| Options { token_file: Some(path), ..listen("127.0.0.1:0") };
    let missing = Server::bind(&tokens("no/such/file".into())).await;
    check_error(missing, "cannot read the token file no/such/file: ");
    let (_kept, path) = token_file("t,u,1\nt,u\n");
    let wrong = Server::bind(&tokens(path)).await;
    check_error(wrong, "is wrong in line 2: at least three fields are needed");
}

#[tokio::test]
async fn a_token_file_with_oddities_is_used() {
    let (_kept, path) = token_file("t,u,1,\"g1,g2\"\nt,v,2\n");
    let options = Options { listen: "127.0.0.1:0".to_owned(), token_file: Some(path), ..Options::default() };
    let server = Server::bind(&options).await.unwrap();
    assert_eq!(server.warnings().len(), 1);
}

#[tokio::test]
async fn tokens_are_asked_for() {
    let (_kept, path) = token_file("secret,u,1,system:masters\n");
    let (address, ..) = start(Some(path)).await;
    for (token, expected) in [("secret", "HTTP/1.1 200 "), ("other", "HTTP/1.1 401 ")] {
        let request =
            format!("GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}");
        let answer = raw(address, &format!("{request}\r\nConnection: close\r\n\r\n")).await;
        assert!(answer.starts_with(expected), "{answer}");
    }
}

#[tokio::test]
async fn large_answers_are_compressed_for_who_wants_that() {
    let (address, ..) = start(None).await;
    let data = "a".repeat(140_000);
    let object = format!(r#"{{"metadata": {{"name": "big"}}, "data": {{"k": "{data}"}}}}"#);
    let path = "/api/v1/namespaces/default/configmaps";
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        object.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(object.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let (head, body) = (String::from_utf8_lossy(&answer[..end]), &answer[end + 4..]);
    assert!(head.starts_with("HTTP/1.1 201 "), "{head}");
    assert!(head.contains("Content-Encoding: gzip") && head.contains("Vary: Accept-Encoding"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())) && body.len() < 10_000, "{head}");
    let mut plain = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(body), &mut plain).unwrap();
    assert!(plain.contains(&data));
}

#[tokio::test]
async fn what_is_wrong_with_http_is_said() {
    let (address, ..) = start(None).await;
    let bad = "HTTP/1.1 400 Bad Request";
    let missing = check_head(address, "GET /api HTTP/1.1", bad).await;
    assert!(missing.ends_with("400 Bad Request: missing required Host header"), "{missing}");
    check_head(address, "GET /api HTTP/1.1|Host: localhost|Host: localhost", bad).await;
    check_head(address, "GET /api HTTP/1.1|Host: local/host", bad).await;
    let encoded = "POST /api HTTP/1.1|Host: localhost|Transfer-Encoding: gzip, chunked";
    check_head(address, encoded, "HTTP/1.1 501 Not Implemented").await;
    let many: String = (0..300).map(|number| format!("|X-{number}: y")).collect();
    check_head(address, &format!("GET /api HTTP/1.1|Host: localhost{many}"), "HTTP/1.1 200 OK").await;
    let chunks = "POST /api/v1/namespaces HTTP/1.1|Host: localhost|Content-Type: application/json|Transfer-Encoding: chunked||nonsense|";
    check_head(address, chunks, "HTTP/1.1 500 ").await;
}

#[tokio::test]
async fn pages_of_others_may_not_use_a_server_without_tokens() {
    let (address, ..) = start(None).await;
    check_head(address, "GET /api HTTP/1.1|Host: localhost|Origin: http://localhost:8080", "HTTP/1.1 200 ")
        .await;
    let rebound = check_head(address, "GET /api HTTP/1.1|Host: evil.example", "HTTP/1.1 403 ").await;
    assert!(rebound.contains(r#""reason":"Forbidden""#) && rebound.contains("--token-file"), "{rebound}");
    check_head(address, "GET /api HTTP/1.1|Host: localhost|Origin: http://evil.example", "HTTP/1.1 403 ")
        .await;
    // A browser can be had to send a body that does not say what it is; other clients do it themselves.
    let post = |origin: &str| {
        format!("POST /api/v1/namespaces HTTP/1.1|Host: localhost{origin}|Content-Length: 2||{{}}")
    };
    check_head(address, &post("|Origin: http://localhost:8080"), "HTTP/1.1 415 ").await;
    check_head(address, &post(""), "HTTP/1.1 422 ").await;
    check_head(address, "GET /api HTTP/1.0", "HTTP/1.0 200 ").await;
    let foreign = websocket(address, &[("origin", "http://evil.example")]).await.unwrap_err();
    assert!(foreign.starts_with("403 "), "{foreign}");

    let (_kept, path) = token_file("secret,u,1,system:masters\n");
    let (address, ..) = start(Some(path)).await;
    let with_token =
        "GET /api HTTP/1.1|Host: evil.example|Origin: http://evil.example|Authorization: Bearer secret";
    check_head(address, with_token, "HTTP/1.1 200 ").await;
}

#[tokio::test]
async fn nobody_sends_a_body_that_is_not_wanted() {
    let (_kept, path) = token_file("secret,u,1,system:masters\n");
    let (address, ..) = start(Some(path)).await;
    let post = "POST /api/v1/namespaces HTTP/1.1|Host: h|Content-Type: application/json|Expect: 100-continue";
    let token = "Authorization: Bearer";
    check_head(address, &format!("{post}|{token} other|Content-Length: 99"), "HTTP/1.1 401 ").await;
    check_head(address, &format!("{post}|{token} secret|Content-Length: 99000000"), "HTTP/1.1 413 ").await;
    check_head(address, &format!("{post}|{token} secret|Content-Length: 99"), "HTTP/1.1 100 ").await;
}

#[tokio::test]
async fn a_body_that_nobody_reads_does_not_end_the_connection() {
    let (address, ..) = start(None).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let post = "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n";
    for _ in 0..20 {
        stream.write_all(post.as_bytes()).await.unwrap();
        tokio::task::yield_now().await;
        stream.write_all(b"{}").await.unwrap();
        let answer = response(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
    let long = "POST /nowhere HTTP/1.1|Host: localhost|Content-Length: 99000000";
    let answer = check_head(address, long, "HTTP/1.1 404 ").await;
    assert!(answer.contains("Connection: close"), "{answer}");
}

#[tokio::test]
async fn a_refusal_does_not_end_the_connection() {
    let cors_origins = vec!["https://docs.example".to_owned()];
    let (address, ..) = start_with(Options { cors_origins, ..Options::default() }).await;
    let cases = [
        ("POST /api", "Host: evil.example", 403),
        ("POST /api/v1/namespaces", "Host: localhost|Origin: http://localhost:8080", 415),
        ("POST /kubeglass/v1/nowhere", "Host: localhost", 404),
        ("GET /kubeglass/v1/commands", "Host: localhost", 405),
        (
            "OPTIONS /api",
            "Host: localhost|Origin: https://docs.example|Access-Control-Request-Method: GET",
            204,
        ),
    ];
    for (line, headers, status) in cases {
        let head = format!("{line} HTTP/1.1|{headers}|Content-Length: 2||").replace('|', "\r\n");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        for _ in 0..3 {
            stream.write_all(head.as_bytes()).await.unwrap();
            tokio::task::yield_now().await;
            stream.write_all(b"{}").await.unwrap();
            let answer = response(&mut stream).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {answer}");
        }
    }
}

#[tokio::test]
async fn nobody_waits_for_a_body_if_no_request_follows_it() {
    let (address, ..) = start(None).await;
    let cases = [
        ("POST /nowhere HTTP/1.0", "Host: localhost", 404),
        ("POST /nowhere HTTP/1.1", "Host: localhost|Connection: close", 404),
        ("POST /nowhere HTTP/1.1", "Host: localhost|Expect: 100-continue", 404),
        ("POST /api HTTP/1.1", "Host: evil.example|Expect: 100-continue", 403),
    ];
    for (line, headers, status) in cases {
        // The body does not come, and the connection ends after the response.
        let head = format!("{line}|{headers}|Content-Length: 2||").replace('|', "\r\n");
        let answer = tokio::time::timeout(std::time::Duration::from_secs(5), raw(address, &head)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{line}, {headers}: the connection goes on"));
        assert!(answer[8..].starts_with(&format!(" {status} ")), "{line}, {headers}: {answer}");
        assert!(line.ends_with("1.0") || answer.contains("Connection: close"), "{headers}: {answer}");
    }
}

#[tokio::test]
async fn who_listens_beyond_this_machine_without_tokens_has_to_say_so() {
    let options = Options { listen: "0.0.0.0:0".to_owned(), ..Options::default() };
    check_error(Server::bind(&options).await, "--insecure-anyone-is-admin");
    let (_kept, path) = token_file("secret,u,1,system:masters\n");
    for allowed in [
        Options { anyone_is_admin: true, ..options.clone() },
        Options { token_file: Some(path), ..options.clone() },
    ] {
        assert!(Server::bind(&allowed).await.is_ok());
    }
}
