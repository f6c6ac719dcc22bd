//! Conversion webhooks over real sockets.

mod common;

use std::net::SocketAddr;

use common::hooks::{listen, send};
use common::start_with;
use golang::base64::encode;
use json_tree::{Value, json};
use serve::{Options, ServiceAddress};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Writes `spec.color` of v1 in capital letters in v2, and back.
fn convert(path: &str, review: &Value) -> Value {
    assert_eq!(path, "/convert");
    let (request, to) = (&review["request"], &review["request"]["desiredAPIVersion"]);
    let mut objects = request["objects"].clone();
    for object in objects.as_array_mut().unwrap() {
        object["apiVersion"] = to.clone();
        let color = object["spec"]["color"].as_str().unwrap().to_owned();
        let color = if to == "example.com/v2" { color.to_uppercase() } else { color.to_lowercase() };
        object["spec"]["color"] = color.into();
    }
    json!({
        "kind": "ConversionReview", "apiVersion": review["apiVersion"],
        "response": {"uid": request["uid"], "convertedObjects": objects, "result": {"status": "Success"}},
    })
}

/// Defines cars that are converted at a client configuration.
async fn define(address: SocketAddr, config: &Value) {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = |name: &str| {
        json!({
            "name": name, "served": true, "storage": name == "v2", "schema": {"openAPIV3Schema": schema},
        })
    };
    let webhook = json!({"conversionReviewVersions": ["v1"], "clientConfig": config});
    let definition = json!({
        "metadata": {"name": "cars.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "cars", "kind": "Car"},
            "versions": [version("v1"), version("v2")],
            "conversion": {"strategy": "Webhook", "webhook": webhook},
        },
    });
    let (code, body, _) = send(address, &format!("POST {DEFINITIONS} {definition}")).await;
    assert_eq!(code, 201, "{body}");
}

/// Creates a car in v1; returns the status and the message, or the color.
async fn create(address: SocketAddr, name: &str) -> (u16, String) {
    let car = json!({
        "apiVersion": "example.com/v1", "kind": "Car", "metadata": {"name": name}, "spec": {"color": "red"},
    });
    let (code, body, _) = send(address, &format!("POST /apis/example.com/v1/cars {car}")).await;
    let text = if code < 300 { &body["spec"]["color"] } else { &body["message"] };
    (code, text.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn objects_are_converted_on_their_way() {
    let (hook, ca) = listen(convert).await;
    let (address, _stop, _running) = start_with(Options::default()).await;
    define(address, &json!({"url": format!("https://{hook}/convert"), "caBundle": encode(&ca)})).await;
    assert_eq!(create(address, "a").await, (201, "red".to_owned()));
    for (version, color) in [("v1", "red"), ("v2", "RED")] {
        let (_, car, _) = send(address, &format!("GET /apis/example.com/{version}/cars/a")).await;
        assert_eq!(car["spec"]["color"], color);
        let (_, list, _) = send(address, &format!("GET /apis/example.com/{version}/cars")).await;
        assert_eq!(list["items"][0]["spec"]["color"], color);
    }
    let (code, car, _) =
        send(address, "PATCH /apis/example.com/v1/cars/a {\"spec\": {\"color\": \"blue\"}}").await;
    assert_eq!((code, &car["spec"]["color"]), (200, &"blue".into()));
    let (_, car, _) = send(address, "GET /apis/example.com/v2/cars/a").await;
    assert_eq!(car["spec"]["color"], "BLUE");
}

#[tokio::test]
async fn a_service_is_reached_at_the_address_that_was_given_for_it() {
    let (hook, ca) = listen(convert).await;
    let services = vec![ServiceAddress {
        namespace: "tools".to_owned(),
        name: "hook".to_owned(),
        port: None,
        address: hook.to_string(),
    }];
    let options = Options { service_addresses: services, ..Options::default() };
    let (address, _stop, _running) = start_with(options).await;
    let service = json!({"namespace": "tools", "name": "hook", "path": "/convert", "port": 8443});
    define(address, &json!({"service": service, "caBundle": encode(&ca)})).await;
    assert_eq!(create(address, "a").await, (201, "red".to_owned()));
}

#[tokio::test]
async fn nobody_answers() {
    let (hook, _) = listen(convert).await;
    let (address, _stop, _running) = start_with(Options::default()).await;
    define(address, &json!({"url": format!("https://{hook}/convert")})).await;
    let expected = format!(
        "conversion webhook for example.com/v1, Kind=Car failed: Post \"https://{hook}/convert?timeout=30s\": \
         tls: failed to verify certificate: x509: certificate signed by unknown authority"
    );
    assert_eq!(create(address, "a").await, (500, expected));
}
