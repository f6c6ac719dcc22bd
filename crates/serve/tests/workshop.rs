//! A workshop over real sockets: who may do what in it.

mod common;

use std::net::SocketAddr;

use common::{raw, start_with, token_file};
use controllers::Selection;
use json_tree::Value;
use serve::{Error, Options, Server};

const A_MAPS: &str = "/api/v1/namespaces/anna/configmaps";
const ATTENDEES: &str = "/apis/workshop.kubeglass.dev/v1/attendees";
const A_SELF: &str = "/apis/workshop.kubeglass.dev/v1/namespaces/anna/attendees/anna";
const B_SELF: &str = "/apis/workshop.kubeglass.dev/v1/namespaces/ben/attendees/ben";

/// A server with a workshop of Anna and Ben, whose tokens are `a` and `b`; the leader's is `boss`.
async fn workshop() -> SocketAddr {
    workshop_with(Selection::default()).await
}

async fn workshop_with(controllers: Selection) -> SocketAddr {
    let (_kept, path) = token_file("name,token\nanna,a\nben,b\nleader,boss\n");
    start_with(Options { workshop: Some(path), controllers, ..Options::default() }).await.0
}

/// Sends `METHOD PATH BODY` with a token; returns the status and the body of the response.
async fn send(address: SocketAddr, token: &str, line: &str) -> (u16, Value) {
    let mut words = line.splitn(3, ' ');
    let [method, path, body] = [(); 3].map(|()| words.next().unwrap_or_default());
    let media_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io, application/json";
    let accept = if path == ATTENDEES { table } else { "application/json" };
    let bearer = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: lab\r\nConnection: close\r\nAccept: {accept}\r\n{bearer}\
         Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(address, &request).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let code = head.split(' ').nth(1).unwrap().parse().unwrap();
    (code, serde_json::from_str(body).unwrap_or_default())
}

/// `expected`: the status, and a part of the message of the response.
#[track_caller]
fn check((code, body): (u16, Value), expected: (u16, &str)) {
    let message = body["message"].as_str().unwrap_or_default();
    assert!(code == expected.0 && message.contains(expected.1), "{code} {body:?}");
}

fn map(name: &str) -> String {
    format!("POST {A_MAPS} {{\"metadata\": {{\"name\": \"{name}\"}}}}")
}

#[tokio::test]
async fn an_attendee_has_a_namespace_and_reads_what_is_everybodys() {
    let address = workshop().await;
    check(send(address, "a", &map("mine")).await, (201, ""));
    for path in ["/api/v1/nodes", "/api/v1/namespaces", "/apis/storage.k8s.io/v1/storageclasses"] {
        check(send(address, "a", &format!("GET {path}")).await, (200, ""));
    }
    check(send(address, "a", "GET /api/v1/namespaces/anna/secrets").await, (200, ""));
    for (line, why) in [
        (
            "GET /api/v1/namespaces/ben/secrets",
            "User \"anna\" cannot list resource \"secrets\" in API group \"\" in the namespace \"ben\"",
        ),
        ("GET /api/v1/secrets", "at the cluster scope"),
        ("DELETE /api/v1/namespaces/anna", "cannot delete resource \"namespaces\""),
        (
            "PATCH /api/v1/namespaces/anna/resourcequotas/workshop {}",
            "cannot patch resource \"resourcequotas\"",
        ),
        ("GET /kubeglass/v1/trace?follow=false", "only for system:masters"),
    ] {
        check(send(address, "a", line).await, (403, why));
    }
}

#[tokio::test]
async fn without_the_right_token_nobody_gets_in() {
    let address = workshop().await;
    check(send(address, "c", "GET /api/v1/namespaces").await, (401, "Unauthorized"));
    check(send(address, "", "GET /api/v1/namespaces").await, (403, "system:anonymous"));
    check(send(address, "boss", "GET /kubeglass/v1").await, (200, ""));
}

#[tokio::test]
async fn a_quota_bounds_what_an_attendee_makes() {
    // The controller counts from a copy, which may lack what is being created: without it, the number is exact.
    let address = workshop_with(Selection::parse(["-resourcequota-controller"]).unwrap()).await;
    for number in 0..50 {
        check(send(address, "a", &map(&format!("m{number}"))).await, (201, ""));
    }
    let exceeded = (
        403,
        "exceeded quota: workshop, requested: configmaps=1, used: configmaps=50, limited: configmaps=50",
    );
    check(send(address, "a", &map("m50")).await, exceeded);
}

#[tokio::test]
async fn what_an_attendee_deletes_is_taken_back_from_the_quota() {
    let address = workshop().await;
    for name in ["kept", "deleted"] {
        check(send(address, "a", &map(name)).await, (201, ""));
    }
    check(send(address, "a", &format!("DELETE {A_MAPS}/deleted")).await, (200, ""));
    let quota = "GET /api/v1/namespaces/anna/resourcequotas/workshop";
    while send(address, "a", quota).await.1["status"]["used"]["configmaps"] != "1" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_leader_sees_how_far_everybody_is() {
    let address = workshop().await;
    let told =
        r#"{"spec": {"lesson": "watch", "step": 2, "steps": 5, "done": 7, "seen": "2026-01-01T00:00:00Z"}}"#;
    check(send(address, "a", &format!("PATCH {A_SELF} {told}")).await, (200, ""));
    let another = format!("PATCH {B_SELF} {told}");
    check(send(address, "a", &another).await, (403, "cannot patch resource \"attendees\""));
    check(send(address, "a", &format!("GET {ATTENDEES}")).await, (403, "at the cluster scope"));
    let wrong = format!("PATCH {A_SELF} {{\"spec\": {{\"step\": -1}}}}");
    check(send(address, "a", &wrong).await, (422, "spec.step"));
    check(send(address, "a", &format!("DELETE {A_SELF}")).await, (403, "cannot delete"));
    let (code, table) = send(address, "boss", &format!("GET {ATTENDEES}")).await;
    assert_eq!(code, 200);
    let texts = |values: &Value, name: &str| {
        let values = values.as_array().unwrap().iter();
        values.map(|value| value[name].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        texts(&table["columnDefinitions"], "name"),
        ["Name", "Lesson", "Step", "Steps", "Done", "Seen"]
    );
    let cells = |number: usize| table["rows"][number]["cells"].as_array().unwrap()[..5].to_vec();
    let [two, five, seven] = [2, 5, 7].map(Value::from);
    assert_eq!(cells(0), ["anna".into(), "watch".into(), two, five, seven]);
    assert_eq!(cells(1)[0], Value::from("ben"));
}

#[tokio::test]
async fn invitations_are_tokens_where_there_is_no_page() {
    let (_kept, path) = token_file("anna,a\nben");
    let listen = "127.0.0.1:0".to_owned();
    let options = Options { listen, workshop: Some(path), ..Options::default() };
    let server = Server::bind(&options).await.unwrap();
    let [leader, anna, ben] = server.invitations() else { panic!("{:?}", server.invitations()) };
    assert_eq!((leader.name.as_str(), leader.way.len()), ("leader", 32));
    assert_eq!(anna.to_string(), "anna\ta");
    assert_eq!((ben.name.as_str(), ben.way.len()), ("ben", 32));
}

#[tokio::test]
async fn a_server_with_a_wrong_list_does_not_start() {
    async fn check(list: &str, tokens: Option<&str>, expected: &str) {
        let (_kept, path) = token_file(list);
        let tokens = tokens.map(token_file);
        let options = Options {
            workshop: Some(path.clone()),
            token_file: tokens.as_ref().map(|(_, path)| path.clone()),
            ..Options::default()
        };
        let Err(error @ Error::Workshop(_)) = Server::bind(&options).await else {
            panic!("{list}: it starts")
        };
        let expected = format!("the list of the workshop {} is wrong in {expected}", path.display());
        assert_eq!(error.to_string(), expected);
    }
    check("anna\nanna", None, "line 2: \"anna\" stands in an earlier line too").await;
    check("anna,t", Some("t,somebody,1"), "line 1: the token is somebody else's too").await;
}
