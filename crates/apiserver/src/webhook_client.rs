//! Clients of webhooks: where a client configuration leads, how a review is sent there, and how what comes back is read.

use std::time::Duration;

use bytes::Bytes;
use json_tree::Value;
use schema::Node;

use crate::context::Shared;
use crate::format::type_meta;
use crate::services;
use crate::webhooks::{PORT, ServiceReference, WebhookCall, WebhookCaller, WebhookResponse, url_of};

/// The list of kinds that kube-apiserver looks for those of reviews in, as it tells it.
const SCHEME: &str = "k8s.io/apiserver/pkg/util/webhook/client.go:71";

/// The versions of reviews.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// A kind of reviews.
pub(crate) struct Reviews {
    /// The group.
    pub(crate) group: &'static str,
    /// The kind.
    pub(crate) kind: &'static str,
}

/// A review that a webhook has sent back.
pub(crate) struct Review {
    /// The review.
    pub(crate) tree: Value,
    /// The type that it states, as Go prints it.
    pub(crate) gvk: String,
}

impl Reviews {
    /// Returns the first version of reviews that is accepted and known; `None` if there is none.
    pub(crate) fn version(accepted: &Value) -> Option<&'static str> {
        let mut accepted = accepted.as_array()?.iter().filter_map(Value::as_str);
        accepted.find_map(|version| VERSIONS.into_iter().find(|known| *known == version))
    }

    /// Returns the `apiVersion` of reviews in a version.
    pub(crate) fn api_version(&self, version: &str) -> String {
        [self.group, "/", version].concat()
    }

    /// Returns the type of reviews in a version, as Go prints it.
    pub(crate) fn gvk(&self, version: &str) -> String {
        [self.group, "/", version, ", Kind=", self.kind].concat()
    }

    /// Reads the review in a response. One that does not state its type is of the version that was sent.
    ///
    /// # Errors
    /// The reason why it is none.
    pub(crate) fn read(&self, response: &WebhookResponse, version: &str) -> Result<Review, String> {
        let body = response.body.as_ref();
        if body.is_empty() {
            let (code, kind) = (response.code, &response.content_type);
            return Err(format!("0-length response with status code: {code} and content type: {kind}"));
        }
        // kube-apiserver reads as YAML what is no JSON, and most texts are strings there.
        let tree = codec::json::parse(body).unwrap_or_else(|_| Node::String(String::from_utf8_lossy(body)));
        let unparsable = |why: String| ["couldn't get version/kind; json parse error: ", &why].concat();
        let (api_version, kind) = type_meta(&tree).map_err(|error| unparsable(error.to_string()))?;
        let slash = if api_version.contains('/') { "" } else { "/" };
        let gvk = format!("{slash}{api_version}, Kind={kind}");
        let is_known = (kind.is_empty() || kind == self.kind)
            && (api_version.is_empty()
                || VERSIONS.iter().any(|version| api_version == self.api_version(version)));
        if !is_known {
            let kind = if kind.is_empty() { self.kind } else { &kind };
            let version =
                if api_version.is_empty() { self.api_version(version) } else { api_version.clone() };
            return Err(format!(
                "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"{SCHEME}\""
            ));
        }
        let own = api_version.rsplit('/').next().unwrap_or_default();
        if !own.is_empty() && own != version {
            let kind = self.kind;
            return Err(format!("converting ({own}.{kind}) to ({version}.{kind}): unknown conversion"));
        }
        let tree = codec::json::to_value(&tree).map_err(|error| unparsable(error.to_string()))?;
        Ok(Review { tree, gvk })
    }
}

/// The client of a webhook: its configuration, and the function that stands in for the webhook, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Client<'a> {
    pub(crate) config: &'a Value,
    pub(crate) function: Option<&'a str>,
}

/// Sends a review to where a client configuration says, and returns the response, which is a success.
///
/// # Errors
/// The reason why there is none.
pub(crate) async fn post(
    shared: &Shared,
    caller: &dyn WebhookCaller,
    Client { config, function }: Client<'_>,
    timeout: Duration,
    body: Bytes,
) -> Result<WebhookResponse, String> {
    let call = WebhookCall {
        url: format!("{}?timeout={}s", url_of(config), timeout.as_secs()),
        service: service(shared, &config["service"]),
        ca_bundle: ca_bundle(config),
        function: function.map(str::to_owned),
        body,
        timeout,
    };
    let response = caller.call(call).await?;
    if (200..300).contains(&response.code) { Ok(response) } else { Err(server_error(&response)) }
}

/// Returns the certificates of a client configuration: the text behind its Base64.
fn ca_bundle(config: &Value) -> Vec<u8> {
    config["caBundle"].as_str().and_then(|text| golang::base64::decode(text).ok()).unwrap_or_default()
}

/// Returns the service that a client configuration refers to, if it refers to one.
fn service(shared: &Shared, reference: &Value) -> Option<ServiceReference> {
    if reference.is_null() {
        return None;
    }
    let text = |key: &str| reference[key].as_str().unwrap_or_default().to_owned();
    let (namespace, name) = (text("namespace"), text("name"));
    let port = reference["port"].as_u64().unwrap_or(PORT);
    let address = services::address_of(shared, &namespace, &name, port);
    let port = u16::try_from(port).unwrap_or_default();
    Some(ServiceReference { namespace, name, port, address })
}

/// Returns what client-go says of a response that is no success: the message of a Status, or a sentence for the code.
fn server_error(response: &WebhookResponse) -> String {
    let (code, body) = (response.code, response.body.as_ref());
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    if status["kind"] == "Status" && status["status"] != "Success" {
        return status["message"].as_str().unwrap_or_default().to_owned();
    }
    let is_text = response.content_type.is_empty() || response.content_type.starts_with("text/");
    let text = if is_text { String::from_utf8_lossy(body) } else { "unknown".into() };
    let text = text.trim();
    match code {
        400 => "the server rejected our request for an unknown reason".to_owned(),
        401 => "the server has asked for the client to provide credentials".to_owned(),
        403 => text.to_owned(),
        404 => "the server could not find the requested resource".to_owned(),
        405 => "the server does not allow this method on the requested resource".to_owned(),
        406 => "the server was unable to respond with a content type that the client supports".to_owned(),
        409 => "the server reported a conflict".to_owned(),
        410 => "the server says the requested content has expired".to_owned(),
        415 => "the body of the request was in an unknown format".to_owned(),
        422 => "the server rejected our request due to an error in our request".to_owned(),
        429 => "the server has received too many requests and has asked us to try again later".to_owned(),
        503 => "the server is currently unable to handle the request".to_owned(),
        504 => "the server was unable to return a response in the time allotted, but may still be processing the request".to_owned(),
        500.. => format!("an error on the server ({}) has prevented the request from succeeding", field::quote(text)),
        code => format!("the server responded with the status code {code} but did not return more information"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check((code, content_type): (u16, &str), body: &str, expected: &str) {
        let (content_type, body) = (content_type.to_owned(), body.to_owned().into());
        assert_eq!(server_error(&WebhookResponse { code, content_type, body }), expected);
    }

    #[test]
    fn responses_that_are_no_success() {
        let json = "application/json";
        check((500, json), r#"{"kind":"Status","status":"Failure","message":"nope"}"#, "nope");
        let failed = |text: &str| {
            format!("an error on the server (\"{text}\") has prevented the request from succeeding")
        };
        check((500, "text/plain; charset=utf-8"), "oops\n", &failed("oops"));
        check((500, ""), "oops", &failed("oops"));
        check((500, json), "oops", &failed("unknown"));
        check((404, ""), "", "the server could not find the requested resource");
        check(
            (302, ""),
            "",
            "the server responded with the status code 302 but did not return more information",
        );
    }
}
