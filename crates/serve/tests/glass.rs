//! The protocol over HTTP: who may use it, and what comes of it.

mod common;

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use common::{check_head, raw, start, start_with, token_file};
use futures::{SinkExt, StreamExt};
use protocol::client::Client;
use protocol::command::{Command, Done};
use protocol::message::{ClusterId, HttpRequest, Mode};
use protocol::trace::{Batch, Event};
use serve::Options;
use tokio_tungstenite::tungstenite::{Message, client::IntoClientRequest};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1|Host: localhost")
}

fn post(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1|Host: localhost|Content-Type: application/json|Content-Length: {}||{body}",
        body.len()
    )
}

#[tokio::test]
async fn versions_and_what_is_not_there() {
    let (address, ..) = start(None).await;
    let hello = check_head(address, &get("/kubeglass/v1"), "HTTP/1.1 200 ").await;
    assert!(hello.contains(r#""protocol":4,"trace":3}"#), "{hello}");
    check_head(address, &get("/kubeglass/v1/nothing"), "HTTP/1.1 404 ").await;
    check_head(address, &get("/kubeglass/v2"), "HTTP/1.1 404 ").await;
    check_head(address, &get("/kubeglass/v1/commands"), "HTTP/1.1 405 ").await;
    check_head(address, &get("/kubeglass/v1/engine"), "HTTP/1.1 400 ").await;
    check_head(address, &get("/kubeglass/v1/trace?follow=maybe"), "HTTP/1.1 400 ").await;
    let (address, ..) = start_with(Options { glass: false, ..Options::default() }).await;
    for path in ["", "/trace", "/engine"] {
        check_head(address, &get(&format!("/kubeglass/v1{path}")), "HTTP/1.1 404 ").await;
    }
}

#[tokio::test]
async fn it_is_for_whoever_may_do_everything() {
    let (address, ..) = start(None).await;
    for headers in ["Host: evil.example", "Host: localhost|Origin: http://evil.example"] {
        check_head(address, &format!("GET /kubeglass/v1/trace HTTP/1.1|{headers}"), "HTTP/1.1 403 ").await;
    }
    let (_kept, path) = token_file("a,root,1,system:masters\nb,alice,2\n");
    let (address, ..) = start(Some(path)).await;
    let asked = |token: &str| format!("GET /kubeglass/v1/trace?follow=false HTTP/1.1|Host: x{token}");
    check_head(address, &asked("|Authorization: Bearer a"), "HTTP/1.1 200 ").await;
    let alice = check_head(address, &asked("|Authorization: Bearer b"), "HTTP/1.1 403 ").await;
    assert!(
        alice.contains(
            r#"forbidden: User \"alice\" cannot get path \"/kubeglass/v1/trace\": only for system:masters"#
        ),
        "{alice}"
    );
    check_head(address, &asked("|Authorization: Bearer c"), "HTTP/1.1 401 ").await;
    check_head(address, &asked(""), "HTTP/1.1 403 ").await;
    let root_as_alice = "|Authorization: Bearer a|Impersonate-User: alice";
    check_head(address, &asked(root_as_alice), "HTTP/1.1 403 ").await;
}

/// The batches of the trace as far as it goes.
async fn trace(address: SocketAddr) -> Vec<Batch> {
    let request = "GET /kubeglass/v1/trace?follow=false HTTP/1.0\r\nHost: localhost\r\n\r\n";
    let response = raw(address, request).await;
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("application/x-ndjson"), "{head}");
    body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_trace_is_lines() {
    let (address, ..) = start(None).await;
    check_head(address, &post(MAPS, r#"{"metadata":{"name":"a"}}"#), "HTTP/1.1 201 ").await;
    let batches = trace(address).await;
    assert_eq!(batches[0].number, 1);
    assert!(batches[0].state.is_some());
    let events: Vec<_> = batches.into_iter().flat_map(|batch| batch.events).collect();
    let written =
        events.iter().position(|event| matches!(event, Event::Write(write) if write.key.name == "a"));
    let request = |event: &Event| matches!(event, Event::Request(request) if request.method == "POST" && request.code == 201);
    assert!(written.unwrap() < events.iter().position(request).unwrap());
}

#[tokio::test]
async fn commands() {
    async fn check(address: SocketAddr, command: &str, expected: &str) {
        let (code, body) = expected.split_once(' ').unwrap();
        let response =
            check_head(address, &post("/kubeglass/v1/commands", command), &format!("HTTP/1.1 {code} ")).await;
        assert!(response.contains(body), "{command}: {response}");
    }
    let (address, ..) = start(None).await;
    check(address, r#""addServer""#, r#"200 {"server":1}"#).await;
    check(address, r#"{"fail":{"server":0,"count":1,"fault":"tooManyRequests"}}"#, r#"200 "ok""#).await;
    check_head(address, &get("/api"), "HTTP/1.1 429 ").await;
    check(address, r#"{"setLag":{"server":7,"lag":5}}"#, "400 there is no such API server").await;
    check(address, r#"{"advance":{"by":5}}"#, "400 the clock is the machine's").await;
    check(address, r#"{"fork":{"revision":5,"seed":1}}"#, "400 /kubeglass/v1/engine").await;
    check(address, "{", "400 not a command: EOF").await;
    check(address, r#"{"format":{}}"#, "400 not a command: unknown variant").await;
    let large = "POST /kubeglass/v1/commands HTTP/1.1|Host: localhost|Content-Length: 99999999";
    check_head(address, large, "HTTP/1.1 413 ").await;
}

#[tokio::test]
async fn an_engine_over_a_websocket() {
    let (address, stop, running) = start(None).await;
    let url = format!("ws://{address}/kubeglass/v1/engine").into_client_request().unwrap();
    let (mut socket, _) =
        tokio_tungstenite::client_async(url, tokio::net::TcpStream::connect(address).await.unwrap())
            .await
            .unwrap();
    let client = Client::new(|| ());
    client.subscribe();
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    let request = HttpRequest { method: "POST".to_owned(), uri: MAPS.to_owned(), headers };
    let body = Bytes::from_static(br#"{"metadata":{"name":"a"}}"#);
    let mut created = client.request(ClusterId::FIRST, 0, Mode::Serve, request, body);
    let mut forked = client.command(ClusterId::FIRST, Command::Fork { revision: u64::MAX, seed: 1 });
    socket.send(Message::Binary(client.flush().unwrap().to_bytes())).await.unwrap();
    check_head(address, &post(MAPS, r#"{"metadata":{"name":"b"}}"#), "HTTP/1.1 201 ").await;
    let mut names = Vec::new();
    while !["a", "b"].iter().all(|name| names.contains(&(*name).to_owned())) {
        let Some(Ok(Message::Binary(packet))) = socket.next().await else { panic!("the socket ends") };
        for batch in client.receive(&packet).unwrap() {
            names.extend(batch.events.into_iter().filter_map(|event| match event {
                Event::Write(write) => Some(write.key.name),
                _ => None,
            }));
        }
    }
    assert_eq!((&mut created).await.unwrap().head.status, 201);
    assert_eq!((&mut forked).await.unwrap(), Done::Cluster(ClusterId(1)));
    stop.send(()).unwrap();
    let close = tokio::time::timeout(Duration::from_secs(5), async {
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Close(close) = message {
                return close;
            }
        }
        None
    });
    assert_eq!(close.await.unwrap().unwrap().reason.as_str(), "the server stops");
    assert!(running.await.unwrap());
}

#[tokio::test]
async fn what_is_no_packet_ends_an_engine() {
    let (address, ..) = start(None).await;
    let url = format!("ws://{address}/kubeglass/v1/engine").into_client_request().unwrap();
    let (mut socket, _) =
        tokio_tungstenite::client_async(url, tokio::net::TcpStream::connect(address).await.unwrap())
            .await
            .unwrap();
    socket.send(Message::Binary(Bytes::from_static(b"nonsense"))).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(Some(close)) = message {
            assert!(!close.reason.is_empty());
            return;
        }
    }
    panic!("it was not closed");
}

#[tokio::test]
async fn pages_of_an_origin_that_was_named_may_use_it() {
    let cors_origins = vec!["https://docs.example".to_owned()];
    let (address, ..) = start_with(Options { cors_origins, ..Options::default() }).await;
    let page = "|Host: localhost|Origin: https://docs.example";
    let asked = format!(
        "OPTIONS {MAPS} HTTP/1.1{page}|Access-Control-Request-Method: PATCH|Access-Control-Request-Headers: impersonate-user"
    );
    let preflight = check_head(address, &asked, "HTTP/1.1 204 ").await;
    assert!(preflight.contains("Access-Control-Allow-Headers: impersonate-user"), "{preflight}");
    for path in [MAPS, "/kubeglass/v1", "/nowhere"] {
        let response = check_head(address, &format!("GET {path} HTTP/1.1{page}"), "HTTP/1.1 ").await;
        assert!(response.contains("Access-Control-Allow-Origin: https://docs.example"), "{response}");
    }
    let other = format!("GET {MAPS} HTTP/1.1|Host: localhost|Origin: https://evil.example");
    let refused = check_head(address, &other, "HTTP/1.1 403 ").await;
    assert!(!refused.contains("Access-Control"), "{refused}");
}
