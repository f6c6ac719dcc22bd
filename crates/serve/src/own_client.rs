//! Requests of the API server to itself.

use apiserver::{ApiServer, User};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{Method, Request};
use json_tree::Value;

/// The name of the client, by which it manages fields.
const CLIENT: &str = "kube-apiserver";

/// Sends a request as the API server itself, with a body unless that is null. Returns the code and the object of the response; none of
/// a response that is no JSON.
pub(crate) async fn call(api: &ApiServer, method: Method, uri: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request = Request::builder()
        .method(method)
        .uri(uri)
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, CLIENT)
        .extension(User {
            name: "system:apiserver".to_owned(),
            groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
            ..User::default()
        })
        .body(body);
    let Ok(request) = request else { return (0, Value::Null) };
    let response = api.call(request).await;
    let object = response.body().bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
    (response.status().as_u16(), object.unwrap_or(Value::Null))
}
